"""Observations as vectors of numbers, with the same length and meaning throughout a match.

A vector has named parts. Seats are counted from the viewer, so that each place means the same for every
viewer: 0 is the viewer, 1 the next seat.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import Final

from kk_core.errors import InvalidOptions
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import CommonObservation, Seat
from kk_learn import games
from kk_learn.games import Part, flags, ordered

MOST: Final = 1000
"""The bound of all numbers: from -MOST to MOST."""


@cache
def learnt_games() -> tuple[str, ...]:
    """Return the games that have a vector, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(games.__path__)))


def vector(game_id: str, seen: CommonObservation) -> array[int]:
    """Return a seat's observation as numbers."""
    return array("h", list(chain.from_iterable([numbers for _, numbers in parts(game_id, seen)])))


def layout(game: AnyGame, seats: int, options: Mapping[str, str]) -> dict[str, slice]:
    """Return the slice of each part of a vector. Raises `InvalidOptions` for a game without a vector."""
    if game.meta.id not in learnt_games():
        known = ", ".join(learnt_games())
        raise InvalidOptions(
            text("{game} cannot be learned here; known: {known}.", game=game.meta.name, known=known)
        )
    seen = game.observe(game.setup(options, seats, bytes(32)), 0)
    places: dict[str, slice] = {}
    begun = 0
    for name, numbers in parts(game.meta.id, seen):
        places[name] = slice(begun, begun + len(numbers))
        begun += len(numbers)
    return places


def parts(game_id: str, seen: CommonObservation) -> Iterator[Part]:
    """Yield the parts of an observation's vector, first those that all games share."""
    assert seen.viewer is not None, "only seats learn"
    seats = len(seen.points)
    order = [(seen.viewer + further) % seats for further in range(seats)]
    yield "active", flags(seen.active, order)
    yield "points", ordered(seen.points, order)
    yield from _parts_of(game_id)(seen, order)


@cache
def _parts_of(game_id: str) -> Callable[[CommonObservation, Sequence[Seat]], Iterator[Part]]:
    found: Callable[[CommonObservation, Sequence[Seat]], Iterator[Part]]
    # imported on demand, since a game may have no vector
    found = import_module(f"{games.__name__}.{game_id}").parts
    return found
