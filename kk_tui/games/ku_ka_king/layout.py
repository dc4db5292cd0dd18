"""Where the rows of cards stand on the screen, and how large they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kk_core.games.ku_ka_king.model import ROW_CARDS
from kk_core.types import Move
from kk_tui.games.ku_ka_king.figures import SIZES

TOP: Final = 2
"""Lines above the rows: the calls, and what came of them."""

GAPPED: Final = 3
"""Lines of a row from which on its last one is the gap to the next, into which the outermost card hangs."""

_MARGIN: Final = 1
_NAME: Final = 9
"""Columns of a card that its figure leaves free."""

_TALLEST: Final = 8
_HIGH: Final = 7
_LOWEST: Final = 2

_UNDER: Final = ((40, 5), (30, 3), (0, 1))
"""From a height on, so many lines are kept free under the rows for the collections."""

_ROOMY: Final = 52
_OF_SEAT: Final = 3
_MORE_ROWS: Final = 4
"""From a height on, every seat has so many lines; there are so many more rows than seats."""

_TILES: Final = ((_HIGH, 9), (4, 7), (0, 6))
"""From a number of lines on, a number card has so many columns."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`rows` rows of cards, `pitch` lines from one to the next."""

    width: int
    height: int
    rows: int
    pitch: int

    @property
    def full(self) -> int:
        """Lines that a card fills from edge to edge."""
        return self.pitch - (self.pitch >= GAPPED)

    @property
    def number(self) -> int:
        """Columns of a number card."""
        return next(columns for lines, columns in _TILES if self.pitch >= lines)

    @property
    def left(self) -> int:
        """The column of the innermost card."""
        return _MARGIN + self.number

    @property
    def inner(self) -> int:
        """Columns that are seen of a card under another one."""
        return round((self.width - self.left - _MARGIN) * 0.315)

    @property
    def outer(self) -> int:
        """Columns of the outermost card of a full row."""
        return self.fan - (ROW_CARDS - 1) * self.inner

    @property
    def fan(self) -> int:
        """Columns of all cards of a row."""
        return self.width - self.left - _MARGIN

    @property
    def figure(self) -> int:
        """Which of the sizes of figures fits on a card beside its name."""
        room = self.inner - _NAME
        fitting = (i for i, (columns, lines) in enumerate(SIZES) if lines <= self.full and columns <= room)
        return next(fitting, len(SIZES) - 1)

    @property
    def bottom(self) -> int:
        """The first line under the rows."""
        return TOP + self.rows * self.pitch

    @property
    def notes(self) -> int:
        """Lines under the rows."""
        return max(0, self.height - self.bottom)

    def row_at(self, y: int) -> Move | None:
        """The row at a line of the widget."""
        row = (y - TOP) // self.pitch
        return row + 1 if y >= TOP and row < self.rows else None

    def place(self, y: int) -> tuple[Move, int]:
        """The row at a line between `TOP` and `bottom`, and which of its lines that is."""
        row, inside = divmod(y - TOP, self.pitch)
        return row + 1, inside

    def top_of(self, row: Move) -> int:
        """The first line of a row."""
        return TOP + (row - 1) * self.pitch


def layout_for(width: int, height: int, rows: int) -> Layout:
    """The layout for a size: rows as high as there is room for, with the collections under them."""
    under = next(lines for least, lines in _UNDER if height >= least)
    if height >= _ROOMY:
        under = _OF_SEAT * max(1, rows - _MORE_ROWS)
    pitch = (height - TOP - under) // rows
    return Layout(width, height, rows, max(_LOWEST, min(_TALLEST, pitch)))
