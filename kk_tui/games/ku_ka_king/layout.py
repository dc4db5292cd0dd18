"""Where the rows of cards stand on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kk_core.types import Move

TOP: Final = 2
"""Lines above the rows: the calls, and what came of them."""

NUMBER: Final = 5
"""Columns of a number card."""

_MARGIN: Final = 1
_TALLEST: Final = 4
_ROOMY: Final = 4
"""Lines per row from which on some are kept free under the rows."""

_NOTES: Final = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """`rows` rows of cards, `pitch` lines from one to the next; with `gap` a line for frames between them."""

    width: int
    height: int
    rows: int
    pitch: int
    gap: int

    @property
    def card_height(self) -> int:
        """Lines of a card."""
        return self.pitch - self.gap

    @property
    def left(self) -> int:
        """The column of the innermost card."""
        return _MARGIN + NUMBER

    @property
    def inner(self) -> int:
        """Columns that are seen of a card under another one."""
        return (self.width - self.left - _MARGIN) // 3

    @property
    def outer(self) -> int:
        """Columns of the outermost card of a full row."""
        return self.width - self.left - _MARGIN - 2 * self.inner

    @property
    def bottom(self) -> int:
        """The first line under the rows and their frames."""
        return TOP + self.rows * self.pitch + self.gap

    @property
    def notes(self) -> int:
        """Lines under the rows."""
        return max(0, self.height - self.bottom)

    def row_at(self, y: int) -> Move | None:
        """The row at a line of the widget; the gap above a row belongs to it."""
        row = (y - TOP) // self.pitch
        return row + 1 if y >= TOP and row < self.rows else None

    def place(self, y: int) -> tuple[Move, int]:
        """The row at a line between `TOP` and `bottom`, and the line of its cards (-1: the gap above)."""
        row, inside = divmod(y - TOP, self.pitch)
        return row + 1, inside - self.gap

    def top_of(self, row: Move) -> int:
        """The first line of a row, its gap included."""
        return TOP + (row - 1) * self.pitch


def layout_for(width: int, height: int, rows: int) -> Layout:
    """The layout for a size: as tall as there is room for, with notes under it when it is roomy."""
    pitch = (height - TOP - _NOTES) // rows
    if pitch < _ROOMY:
        pitch = max(2, (height - TOP - 1) // rows)
    pitch = min(pitch, _TALLEST + 1)
    return Layout(width, height, rows, pitch, 1 if pitch > 2 else 0)
