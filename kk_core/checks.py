"""Argument checks that all games share: options, seats, seeds, moves."""

from __future__ import annotations

from collections.abc import Mapping

from kk_core.errors import InvalidMove, InvalidOptions, InvalidSeat
from kk_core.text import Text, text
from kk_core.types import SEED_BYTES, Meta, Options


def complete_options(meta: Meta, seats: int, options: Options) -> dict[str, str]:
    """Return all options, with defaults filled in. Raises `InvalidOptions`, also for a bad seat count."""
    if type(seats) is not int or not meta.min_seats <= seats <= meta.max_seats:
        raise InvalidOptions(_not_so_many(meta, str(seats)))
    if not isinstance(options, Mapping):
        raise InvalidOptions(text("Options must map names to values, not {options}.", options=repr(options)))
    known = {option.name: [value.value for value in option.values] for option in meta.options}
    for name, value in options.items():
        if name not in known:
            raise InvalidOptions(_unknown(meta, name))
        if value not in known[name]:
            raise InvalidOptions(
                text(
                    "Option {name} cannot be {value}; valid values: {known}.",
                    name=name, value=repr(value), known=", ".join(known[name]),
                )
            )  # fmt: skip
    return meta.default_options() | dict(options)


def _not_so_many(meta: Meta, seats: str) -> Text:
    least, most = meta.min_seats, meta.max_seats
    if least == most:
        return text("{game} is for {n} players, not {seats}.", game=meta.name, n=most, seats=seats)
    return text(
        "{game} is for {low} to {high} players, not {seats}.",
        game=meta.name, low=least, high=most, seats=seats,
    )  # fmt: skip


def _unknown(meta: Meta, name: str) -> Text:
    if not meta.options:
        return text("{game} has no options, so there is no {name}.", game=meta.name, name=repr(name))
    known = ", ".join(option.name for option in meta.options)
    return text(
        "{game} has no option {name}; its options: {known}.", game=meta.name, name=repr(name), known=known
    )


def checked_setup(meta: Meta, options: Options, seats: int, seed: bytes) -> dict[str, str]:
    """Return all options, with defaults filled in; for the start of each `setup`. Raises `InvalidOptions`."""
    complete = complete_options(meta, seats, options)
    if not isinstance(seed, bytes) or len(seed) != SEED_BYTES:
        raise InvalidOptions(text("A seed has {n} bytes.", n=SEED_BYTES))
    return complete


def check_seat(seat: object, seats: int) -> None:
    """Refuse anything but a seat from 0 to `seats` - 1. Raises `InvalidSeat`."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise InvalidSeat(text("There is no seat {seat}.", seat=repr(seat)))


def check_viewer(viewer: object, seats: int) -> None:
    """Refuse anything but a seat or None, a spectator. Raises `InvalidSeat`."""
    if viewer is not None:
        check_seat(viewer, seats)


def check_line(line: object) -> None:
    """Refuse a move's notation that is not a string. Raises `InvalidMove`."""
    if not isinstance(line, str):
        raise no_such_move(line)


def check_number(move: object) -> None:
    """Refuse a move that is not an integer. Raises `InvalidMove`."""
    if type(move) is not int:  # not `isinstance`, which accepts True
        raise no_such_move(move)


def no_such_move(move: object) -> InvalidMove:
    """Return the error for an invalid move."""
    return InvalidMove(text("There is no move {move}.", move=repr(move)))
