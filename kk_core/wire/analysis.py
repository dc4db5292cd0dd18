"""What a search makes of a match that is over."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.types import Seat
from kk_core.wire.advice import Advice

TOLD: Final = 3
"""So many turning points are told at most, of the match or of one seat."""


class _Analysis(msgspec.Struct, frozen=True, array_like=True):
    pass


class Forecast(_Analysis, frozen=True):
    """What everybody could expect after so many plies.

    `margins` says by how many points each seat would end before the best of the others, `chances` how likely
    it would win (0 to 1, together 1). At the end of the match both are what has come.
    """

    ply: int
    margins: tuple[float, ...]
    chances: tuple[float, ...]


class TurningPoint(_Analysis, frozen=True):
    """A move that has cost its seat much: the one that was made after `ply` plies, and a better one.

    The margins of the two come from as many simulations in the same worlds; their difference is the cost.
    `weight` tells how much a point meant for who wins, 1 where the seat's chances were even, little where the
    match was decided for it.
    """

    ply: int
    seat: Seat
    played: Advice
    better: Advice
    weight: float = 1.0

    @property
    def cost(self) -> float:
        """By how many points the better move is better."""
        return self.better.margin - self.played.margin


class Analysis(_Analysis, frozen=True):
    """What has been found so far; `share` of the work is done (0 to 1).

    `forecasts` are in the order of their plies, `turning_points` the costliest first: three of the match, and
    as many of each seat, one of each turn. Before all is done others may still take their places.
    """

    share: float
    forecasts: tuple[Forecast, ...]
    turning_points: tuple[TurningPoint, ...]

    def costliest(self, seat: Seat | None = None) -> tuple[TurningPoint, ...]:
        """The turning points of the match, those first that cost most of the chances to win; or of one seat,
        which cost it most points.
        """
        if seat is None:
            points = sorted(self.turning_points, key=lambda point: -point.cost * point.weight)
        else:
            points = [point for point in self.turning_points if point.seat == seat]
        return tuple(points[:TOLD])
