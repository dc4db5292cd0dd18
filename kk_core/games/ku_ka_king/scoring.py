"""Scoring of Ku-Ka-King: pure functions over collections (counts per type)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, TypeAlias

from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CHURCH,
    FARMER,
    FARMERS_WIFE,
    FARMHOUSE,
    KING,
    KNIGHT,
    LINES,
    META,
    POINTS2,
    POINTS3,
    POINTS4,
    CardValues,
)
from kk_core.types import Outcome, totals

Lines: TypeAlias = tuple[tuple[int, ...], ...]
"""A row for each line of a scoring, with one number of points per seat."""


# collections count in bytes, so there cannot be more of a type
_MOST: Final = 256

NOTHING: Final[tuple[Lines, ...]] = tuple(((0,) * seats,) * len(LINES) for seats in range(META.max_seats + 1))
"""The lines of a scoring not yet held, by number of seats."""


def score(collections: Sequence[bytes], scale: CardValues) -> Lines:
    """Return the lines of a scoring, in the order of `model.LINES`."""
    return scorer(scale)(collections)


@lru_cache(maxsize=16)
def scorer(scale: CardValues) -> Callable[[Sequence[bytes]], Lines]:
    """Return `score` for a fixed scale, with caches, for callers that score often."""
    own_lines = _own_lines(scale)
    most_churches = lru_cache(maxsize=4096)(partial(churches, scale=scale))
    most_knights = lru_cache(maxsize=4096)(partial(knights, scale=scale))

    def scored(collections: Sequence[bytes]) -> Lines:
        kings, with_churches, points, with_knights, animals, farms = zip(
            *map(own_lines, collections), strict=True
        )
        return kings, most_churches(with_churches), points, most_knights(with_knights), animals, farms

    return scored


def _own_lines(scale: CardValues) -> Callable[[bytes], tuple[int, int, int, int, int, int]]:
    # Lines that depend on others get the number of cards instead of points. Kings score more each, the more
    # there are, up to a limit (scoring 1); animals by the number of cards of each kind separately (scoring
    # 5). Collections are cached, since a reveal changes few.
    kings_at, animals_at = _by_count(scale.kings), _by_count(scale.animals)

    @lru_cache(maxsize=4096)
    def lines(cards: bytes) -> tuple[int, int, int, int, int, int]:
        return (
            kings_at(cards[KING]),
            cards[CHURCH],
            victory_points(cards, scale),
            cards[KNIGHT],
            sum(map(animals_at, cards[:ANIMALS])),
            farm(cards, scale),
        )

    return lines


def _by_count(points: tuple[int, ...]) -> Callable[[int], int]:
    # more cards than listed give the last value
    return (*points, *points[-1:] * (_MOST - len(points))).__getitem__


def outcome(lines: Lines) -> Outcome:
    """Return the seat with the most points; a tie is shared (ruling 7)."""
    sums = totals(lines)
    best = max(sums)
    return Outcome(tuple(seat for seat, points in enumerate(sums) if points == best))


def churches(counts: Sequence[int], scale: CardValues) -> tuple[int, ...]:
    """Return the points for churches, for all with the most but nobody without one (scoring 2, ruling 4)."""
    most, points = max(counts), scale.churches
    return tuple([points if count == most else 0 for count in counts]) if most else (0,) * len(counts)


def victory_points(cards: Sequence[int], scale: CardValues) -> int:
    """Return the sum of the numbers on the victory point cards (scoring 3)."""
    two, three, four = scale.points
    return cards[POINTS2] * two + cards[POINTS3] * three + cards[POINTS4] * four


def knights(counts: Sequence[int], scale: CardValues) -> tuple[int, ...]:
    """Return the points for knights, more for all with the most of them (scoring 4)."""
    most, for_most, points = max(counts), scale.most_knights, scale.knight
    return tuple([count * (for_most if count == most else points) for count in counts])


def farm(cards: Sequence[int], scale: CardValues) -> int:
    """Return the points for pairs of farmer and wife, and for trios with a farmhouse (scoring 6)."""
    farmers, wives, houses = cards[FARMER], cards[FARMERS_WIFE], cards[FARMHOUSE]
    pairs = farmers if farmers < wives else wives
    trios = pairs if pairs < houses else houses
    return trios * scale.trio + (pairs - trios) * scale.pair
