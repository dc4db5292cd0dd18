"""Where the cells of the four rows stand on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.geometry import Region

from kk_core.games.land_cards.model import COLUMNS, ROWS

SMALLEST: Final = 4
"""Columns and lines from one card to the next, the gap included, on the smallest board."""

WIDEST: Final = 10
TALLEST: Final = 13
LEFT: Final = 4
"""Columns that the numbers of the rows get first, left of the cards."""

DETAIL: Final = 2
"""Lines under the cards that tell about the one under the cursor."""

LEGEND: Final = 2
"""Lines that explain the signs, at most."""

ROOMY: Final = 6
"""The least lines from one card to the next where what everybody has is shown under the detail lines."""

RACED: Final = 116
"""Columns from which on the table screen shows beside the board what everybody has."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards of `pitch_x` x `pitch_y` cells; the first column and the first line of each are the gap.

    `holdings` is the first line of what everybody has, `legend` are the lines that explain the signs.
    """

    pitch_x: int
    pitch_y: int
    left: int
    detail: int
    holdings: int | None
    legend: range

    @property
    def card_width(self) -> int:
        """Columns of a card."""
        return self.pitch_x - 1

    @property
    def card_height(self) -> int:
        """Lines of a card."""
        return self.pitch_y - 1

    @property
    def right(self) -> int:
        """The first column right of the cards and their frames."""
        return self.left + COLUMNS * self.pitch_x + 1

    @property
    def bottom(self) -> int:
        """The first line under the cards and their frames."""
        return ROWS * self.pitch_y + 1

    @property
    def middle(self) -> int:
        """The middle line of a row, counted from the gap above it."""
        return (self.pitch_y + 1) // 2

    @property
    def margin(self) -> int:
        """Columns before the words under the cards."""
        return max(1, self.left)

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell at a place of the widget; the gap left of and above a card belongs to it."""
        column, row = (x - self.left) // self.pitch_x, y // self.pitch_y
        if x < self.left or not (0 <= column < COLUMNS and 0 <= row < ROWS):
            return None
        return row * COLUMNS + column

    def card(self, cell: int) -> Region:
        """Where the card of a cell lies."""
        row, column = divmod(cell, COLUMNS)
        x, y = self.left + column * self.pitch_x + 1, row * self.pitch_y + 1
        return Region(x, y, self.card_width, self.card_height)

    def framed(self, cell: int) -> Region:
        """Where a cell's card and the frame around it lie."""
        return self.card(cell).grow((1, 1, 1, 1))


def layout_for(width: int, height: int, seats: int) -> Layout:
    """The largest layout for a widget of that size; never smaller than the smallest.

    Where the table screen does not tell what everybody has, it stands under the detail lines: a heading and a
    line for every seat, if these leave the cards their room.
    """
    pitch_x = min(max((width - 1) // COLUMNS, SMALLEST), WIDEST)
    tallest = min(TALLEST, pitch_x + 3)
    free, held = height - DETAIL - 1, seats + 2
    roomy = max((free - LEGEND - held) // ROWS, min(ROOMY, (free - held) // ROWS))
    has_holdings = width < RACED and roomy >= ROOMY
    pitch_y = min(max(roomy if has_holdings else (free - LEGEND) // ROWS, SMALLEST), tallest)
    spare = max(0, width - COLUMNS * pitch_x - 1)
    left = spare if spare <= LEFT else (spare + LEFT) // 2
    bottom = ROWS * pitch_y + 1
    rest = height - bottom - DETAIL - held * has_holdings
    detail = bottom + (rest > LEGEND)
    holdings = detail + DETAIL + 1 if has_holdings else None
    explained = min(LEGEND, rest)
    legend = range(height - max(0, explained), height)
    return Layout(pitch_x, pitch_y, left, detail, holdings, legend)
