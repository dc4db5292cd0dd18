"""Observations as numbers, game by game, with helpers for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

from kk_core.types import Seat

Part: TypeAlias = tuple[str, Sequence[int]]
"""A part of a vector: its name and its numbers."""


def ordered(numbers: Sequence[int], order: Iterable[Seat]) -> list[int]:
    """Return the seats' numbers in an order."""
    return [numbers[seat] for seat in order]


def flags(chosen: Iterable[int], among: Iterable[int]) -> list[int]:
    """Return a 1 for each of `among` that is chosen, 0 for the others."""
    known = set(chosen)
    return [int(one in known) for one in among]


@cache
def one_of(number: int, count: int) -> tuple[int, ...]:
    """Return `count` numbers: 1 at index `number`, 0 elsewhere; all 0 if there is no such index."""
    return tuple([int(place == number) for place in range(count)])


def counts(kinds: Iterable[int], count: int) -> list[int]:
    """Return the number of items of each kind, from 0 to `count` - 1."""
    found = [0] * count
    for kind in kinds:
        found[kind] += 1
    return found
