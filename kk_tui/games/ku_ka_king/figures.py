"""The figures on the cards as pixels, in four sizes: two pixels to a column, two to a line."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from kk_core.games.ku_ka_king.model import CARDS
from kk_tui.pixels import Pixels, quadrants, read_pictures

SIZES: Final = ((12, 6), (8, 4), (6, 3), (6, 2))
"""Columns and lines of the figures, the largest first."""

_ART: Final = Path(__file__).parent / "art" / "figures.txt"
_LOW: Final = len(SIZES)
"""The number of the figure for rows without a free line between them."""


@cache
def figure(card: int, size: int) -> tuple[str, ...]:
    """The lines of a card's figure, blocks and blanks, in one of `SIZES`."""
    return tuple(quadrants(points(card, size)))


@cache
def low_figure(card: int) -> tuple[str, ...]:
    """Two lines of a figure that does not touch the one above it, as wide as the smallest of `SIZES`."""
    rows = points(card, _LOW)
    return tuple(quadrants(["." * len(rows[0]), *rows]))


def points(card: int, size: int) -> Pixels:
    """The rows of a card's figure in one of `SIZES`, `#` for ink; a point is half as wide as high."""
    return read_pictures(_ART, each=len(SIZES) + 1)[CARDS[card]][size]
