"""Where the cells of the four rows stand on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kk_core.games.land_cards.model import COLUMNS, ROWS

SMALLEST: Final = 4
"""Columns and lines from one card to the next, the gap included, on the smallest board."""

WIDEST: Final = 8
TALLEST: Final = 9
DETAIL: Final = 3
"""Lines under the cards that tell about the one under the cursor."""

ROOMY: Final = 6
"""The least lines from one card to the next where what everybody has is shown under the detail lines."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards of `pitch_x` x `pitch_y` cells; the first column and the first line of each are the gap."""

    pitch_x: int
    pitch_y: int
    left: int
    has_holdings: bool
    has_legend: bool

    @property
    def card_width(self) -> int:
        """Columns of a card."""
        return self.pitch_x - 1

    @property
    def card_height(self) -> int:
        """Lines of a card."""
        return self.pitch_y - 1

    @property
    def bottom(self) -> int:
        """The first line under the cards and their frames."""
        return ROWS * self.pitch_y + 1

    @property
    def holdings(self) -> int:
        """The first line of what everybody has, where there is room for it."""
        return self.bottom + DETAIL + 1

    @property
    def legend(self) -> int:
        """The line that explains the signs beside the names, where `has_legend`."""
        return self.bottom + DETAIL

    @property
    def has_row_numbers(self) -> bool:
        """Whether there is room for them on the left."""
        return self.left >= 2

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell at a place of the widget; the gap left of and above a card belongs to it."""
        column, row = (x - self.left) // self.pitch_x, y // self.pitch_y
        if x < self.left or not (0 <= column < COLUMNS and 0 <= row < ROWS):
            return None
        return row * COLUMNS + column

    def lines_of(self, cell: int) -> range:
        """The lines that a cell and the frame around it touch."""
        top = cell // COLUMNS * self.pitch_y
        return range(top, top + self.pitch_y + 1)


def layout_for(width: int, height: int, seats: int) -> Layout:
    """The largest layout for a widget of that size; never smaller than the smallest.

    Where there is room, a line for every seat and two more stay free under the detail lines.
    """
    pitch_x = min(max((width - 1) // COLUMNS, SMALLEST), WIDEST)
    free = height - DETAIL - 1
    roomy = (free - seats - 2) // ROWS
    pitch_y = roomy if roomy >= ROOMY else free // ROWS
    pitch_y = min(max(pitch_y, SMALLEST), TALLEST, pitch_x + 3)
    left = max(0, (width - COLUMNS * pitch_x - 1) // 2)
    has_legend = roomy < ROOMY and ROWS * pitch_y + 1 + DETAIL < height
    return Layout(pitch_x, pitch_y, left, has_holdings=roomy >= ROOMY, has_legend=has_legend)
