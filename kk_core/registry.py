"""The games that are installed: every folder of `kk_core.games` is one."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from kk_core import games
from kk_core.errors import InvalidOptions
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import Options


@cache
def game_ids() -> tuple[str, ...]:
    """The identifiers of all games, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(games.__path__) if module.ispkg))


@cache
def game(game_id: str) -> AnyGame:
    """The game of an identifier, with its data loaded. Raises `InvalidOptions`, or `BadData`."""
    if game_id not in game_ids():
        known = ", ".join(game_ids())
        raise InvalidOptions(
            text("There is no game {game}; known: {known}.", game=repr(game_id), known=known)
        )
    created: AnyGame = import_module(f"{games.__name__}.{game_id}.game").create()
    return created


def complete_options(rules: AnyGame, seats: int, options: Options) -> dict[str, str]:
    """All options of a table, defaults filled in. Raises `InvalidOptions` for what the game does not know."""
    meta = rules.meta
    if not meta.min_seats <= seats <= meta.max_seats:
        raise InvalidOptions(
            text(
                "{game} is for {low} to {high} players, not {seats}.",
                game=meta.name, low=meta.min_seats, high=meta.max_seats, seats=seats,
            )
        )  # fmt: skip
    known = {option.name: [value.value for value in option.values] for option in meta.options}
    for name, value in options.items():
        if name not in known:
            raise InvalidOptions(text("{game} has no option {name}.", game=meta.name, name=repr(name)))
        if value not in known[name]:
            raise InvalidOptions(
                text(
                    "Option {name} cannot be {value}; possible: {known}.",
                    name=name, value=repr(value), known=", ".join(known[name]),
                )
            )  # fmt: skip
    return meta.default_options() | dict(options)
