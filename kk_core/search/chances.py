"""Chances of winning: a curve over expected leads, fitted to whole matches for every game."""

from __future__ import annotations

from functools import cache
from math import exp

import msgspec

from kk_core.config import read_weights
from kk_core.search.search import WIN_SLOPE


class WinCurve(msgspec.Struct, frozen=True):
    """A logistic curve over a seat's expected final lead over the best of the others.

    `slope` is for a lead as long as the spread of the expected points; `level` is the log odds of a seat that
    is expected to be neither ahead nor behind.
    """

    level: float = 0.0
    slope: float = WIN_SLOPE

    def chance(self, lead: float, spread: float) -> float:
        """Return the probability of winning, from 0 to 1, for a lead and a spread in points."""
        return 1 / (1 + exp(-max(-50.0, min(50.0, self.level + self.slope * lead / spread))))


def file_of(game_id: str) -> str:
    """Return the name of the data file with a game's curve."""
    return f"{game_id}.chances.json"


@cache
def win_curve(game_id: str) -> WinCurve:
    """Return the curve of a game; that of normally distributed errors if none has been fitted."""
    try:
        return read_weights(file_of(game_id), WinCurve)
    except FileNotFoundError:
        return WinCurve()
