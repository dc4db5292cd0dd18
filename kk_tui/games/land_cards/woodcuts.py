"""A small picture for every country, as a woodcut: our own drawings, in two sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from kk_core.games.land_cards.model import COUNTRIES
from kk_tui.pixels import Pixels, quadrants, read_pictures

_ART: Final = Path(__file__).parent / "art" / "woodcuts.txt"


def woodcut_points(country: int) -> Sequence[Pixels]:
    """The pictures of a country as points, the larger one first; a point is half as wide as high."""
    return read_pictures(_ART, each=2)[COUNTRIES[country]]


@cache
def woodcut(country: int, width: int, height: int) -> Pixels | None:
    """The largest picture of a country that fits into so many columns and lines; None when none does."""
    drawn = (tuple(quadrants(points)) for points in woodcut_points(country))
    return next((lines for lines in drawn if len(lines[0]) <= width and len(lines) <= height), None)
