"""Ratings, as clients see them."""

from __future__ import annotations

from typing import Final

import msgspec

SETTLED: Final = 10
"""Rated matches of a game after which a rating is no longer a first guess."""


class _Rating(msgspec.Struct, frozen=True, array_like=True):
    pass


class RatingView(_Rating, frozen=True):
    """How well somebody plays a game; `change` is what the match here has made of it, once it is over."""

    shown: int
    is_settled: bool = False
    change: int | None = None


class LeaderLine(_Rating, frozen=True):
    """A line of a leaderboard; `place` counts from 1, and is 0 for those whose rating is not settled.

    `won` counts wins; one that several share is a part of one for each.
    """

    place: int
    name: str
    rating: RatingView
    played: int
    won: float
