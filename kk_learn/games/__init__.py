"""Observations as numbers, game by game, and how numbers are written for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

from kk_core.types import Seat

Part: TypeAlias = tuple[str, Sequence[int]]
"""A part of a vector: its name and its numbers."""


def ordered(numbers: Sequence[int], order: Iterable[Seat]) -> list[int]:
    """Return numbers of all seats, in an order."""
    return [numbers[seat] for seat in order]


def flags(chosen: Iterable[int], among: Iterable[int]) -> list[int]:
    """Return a one for each of some that is chosen."""
    known = set(chosen)
    return [int(one in known) for one in among]


@cache
def one_of(number: int, count: int) -> tuple[int, ...]:
    """Return a one at a place, zeros elsewhere; nothing but zeros for what is no place."""
    return tuple([int(place == number) for place in range(count)])


def counts(kinds: Iterable[int], count: int) -> list[int]:
    """Count how many there are of each kind."""
    found = [0] * count
    for kind in kinds:
        found[kind] += 1
    return found
