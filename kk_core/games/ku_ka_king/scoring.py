"""Scoring of Ku-Ka-King: pure functions over collections (counts per type)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from kk_core.games.ku_ka_king.meta import META
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


_NOTHING: Final = tuple(((0,) * seats,) * len(LINES) for seats in range(META.max_seats + 1))


def score(collections: Sequence[Sequence[int]], scale: Scale) -> Lines:
    """One scoring, in the order of `model.LINES`."""
    own_lines = _own_lines(scale)
    own = [own_lines(bytes(cards)) for cards in collections]
    return (
        tuple([lines[0] for lines in own]),
        churches([cards[CHURCH] for cards in collections], scale),
        tuple([lines[1] for lines in own]),
        knights([cards[KNIGHT] for cards in collections], scale),
        tuple([lines[2] for lines in own]),
        tuple([lines[3] for lines in own]),
    )


@lru_cache(maxsize=16)
def _own_lines(scale: Scale) -> Callable[[bytes], tuple[int, int, int, int]]:
    """Gives the lines that look at one collection only; remembers them, since one reveal changes few."""

    @lru_cache(maxsize=4096)
    def lines(cards: bytes) -> tuple[int, int, int, int]:
        return kings(cards, scale), victory_points(cards, scale), animals(cards, scale), farm(cards, scale)

    return lines


def nothing(seats: int) -> Lines:
    """A scoring that has not been held."""
    return _NOTHING[seats]


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
    most, points = max(counts), scale.churches
    return tuple([points if count == most else 0 for count in counts]) if most else (0,) * len(counts)


def victory_points(cards: Sequence[int], scale: Scale) -> int:
    """As many points as the numbers on the cards (scoring 3)."""
    two, three, four = scale.points
    return cards[POINTS2] * two + cards[POINTS3] * three + cards[POINTS4] * four


def knights(counts: Sequence[int], scale: Scale) -> tuple[int, ...]:
    """Points for each knight, more for all with the most of them (scoring 4)."""
    most, for_most, points = max(counts), scale.most_knights, scale.knight
    return tuple([count * (for_most if count == most else points) for count in counts])


def animals(cards: Sequence[int], scale: Scale) -> int:
    """Points for the number of cards of each kind of animal separately (scoring 5)."""
    points = scale.animals
    most = len(points) - 1
    return sum([points[count] if count < most else points[most] for count in cards[:ANIMALS]])


def farm(cards: Sequence[int], scale: Scale) -> int:
    """Pairs of farmer and wife, and trios with a farmhouse; single cards give nothing (scoring 6)."""
    pairs = min(cards[FARMER], cards[FARMERS_WIFE])
    trios = min(pairs, cards[FARMHOUSE])
    return trios * scale.trio + (pairs - trios) * scale.pair


def _at(points: tuple[int, ...], count: int) -> int:
    return points[count] if count < len(points) else points[-1]
