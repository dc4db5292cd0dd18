"""What is told of matches that have ended."""

from __future__ import annotations

import msgspec

from kk_core.types import Seat


class _Past(msgspec.Struct, frozen=True, array_like=True):
    pass


class Course(_Past, frozen=True):
    """How a finished match went. Positions count the plies made: 0 is the one before the first.

    `movers` has the seat of each ply; `turns` and `rounds` the positions at which a new one began, `scorings`
    those at which one was held, the end among them; `points` has for each position what everybody would
    have had if the match had ended there.
    """

    movers: tuple[Seat, ...]
    turns: tuple[int, ...]
    rounds: tuple[int, ...]
    scorings: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]


class PastMatch(_Past, frozen=True):
    """One line of a user's history: the match number `match` (from 1) of a table.

    It ended `at`, in seconds since 1970. `names` and `bots` are those of the seats, a bot's name or None,
    `mine` the user's own seats. `replayed` is how many of its plies were taken over from another match,
    `colours` are those of the seats (see `SeatView`); on the seats of
    `programs` one played that was not one of the bots here.
    """

    table: str
    match: int
    at: int
    game: str
    names: tuple[str, ...]
    bots: tuple[str | None, ...]
    mine: tuple[Seat, ...]
    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    plies: int
    replayed: int
    colours: tuple[Seat, ...]
    programs: tuple[Seat, ...] = ()
