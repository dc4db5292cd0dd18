"""Scoring of Ku-Ka-King: pure functions over collections (counts per type)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CHURCH,
    FARMER,
    FARMERS_WIFE,
    FARMHOUSE,
    KING,
    KNIGHT,
    LINES,
    POINTS2,
    POINTS3,
    POINTS4,
    Scale,
)
from kk_core.types import Outcome

Lines: TypeAlias = tuple[tuple[int, ...], ...]
"""One row of points per line of a scoring, each with one number per seat."""


def score(collections: Sequence[Sequence[int]], scale: Scale) -> Lines:
    """One scoring, in the order of `model.LINES`."""
    return (
        tuple(kings(cards, scale) for cards in collections),
        churches([cards[CHURCH] for cards in collections], scale),
        tuple(victory_points(cards, scale) for cards in collections),
        knights([cards[KNIGHT] for cards in collections], scale),
        tuple(animals(cards, scale) for cards in collections),
        tuple(farm(cards, scale) for cards in collections),
    )


def nothing(seats: int) -> Lines:
    """A scoring that has not been held."""
    return ((0,) * seats,) * len(LINES)


def totals(lines: Lines) -> tuple[int, ...]:
    """The sum of all lines, per seat."""
    return tuple(sum(column) for column in zip(*lines, strict=True))


def outcome(lines: Lines) -> Outcome:
    """Who has the most points; a tie is shared (ruling 7)."""
    sums = totals(lines)
    best = max(sums)
    return Outcome(tuple(seat for seat, points in enumerate(sums) if points == best))


def kings(cards: Sequence[int], scale: Scale) -> int:
    """The more kings, the more points, up to a limit (scoring 1)."""
    return _at(scale.kings, cards[KING])


def churches(counts: Sequence[int], scale: Scale) -> tuple[int, ...]:
    """All with the most churches get the points; nobody does without a church (scoring 2, ruling 4)."""
    most = max(counts)
    return tuple(scale.churches if most and count == most else 0 for count in counts)


def victory_points(cards: Sequence[int], scale: Scale) -> int:
    """As many points as the numbers on the cards (scoring 3)."""
    two, three, four = scale.points
    return cards[POINTS2] * two + cards[POINTS3] * three + cards[POINTS4] * four


def knights(counts: Sequence[int], scale: Scale) -> tuple[int, ...]:
    """Points for each knight, more for all with the most of them (scoring 4)."""
    most = max(counts)
    return tuple(count * (scale.most_knights if count == most else scale.knight) for count in counts)


def animals(cards: Sequence[int], scale: Scale) -> int:
    """Points for the number of cards of each kind of animal separately (scoring 5)."""
    return sum([_at(scale.animals, count) for count in cards[:ANIMALS]])


def farm(cards: Sequence[int], scale: Scale) -> int:
    """Pairs of farmer and wife, and trios with a farmhouse; single cards give nothing (scoring 6)."""
    pairs = min(cards[FARMER], cards[FARMERS_WIFE])
    trios = min(pairs, cards[FARMHOUSE])
    return trios * scale.trio + (pairs - trios) * scale.pair


def _at(points: tuple[int, ...], count: int) -> int:
    return points[count] if count < len(points) else points[-1]
