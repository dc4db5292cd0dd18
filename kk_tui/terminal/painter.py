"""Makes the text that turns what one terminal shows into what it is to show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from textual._compositor import ChopsUpdate, LayoutUpdate

from kk_tui.terminal.cells import AFTER, Grid, is_single
from kk_tui.terminal.codes import Codes, Look
from kk_tui.terminal.colour import Colours
from kk_tui.terminal.kinds import Kind
from kk_tui.terminal.moves import move
from kk_tui.terminal.rows import PartsUpdate

Update = LayoutUpdate | ChopsUpdate | PartsUpdate
"""What Textual, or our own compositor, has drawn."""

Run = tuple[int, int, int]
"""A row, a column, and the column after the last."""

_MANY: Final = 20_000
"""Cells up to which looks are put in order: half the bytes of a whole screen for 3 ms per thousand cells."""

_SOME: Final = 800
"""Cells up to which both orders are tried; of more, that by looks has always been the shorter one."""

_SHORT: Final = 600
"""Characters of a text that need not be made shorter."""


class Painter:
    """Knows what a terminal shows, and where its cursor and its pen are; makes the shortest text it can.

    With `rests` the pen is put back after every frame, for drivers that hand the terminal over as it is.
    """

    def __init__(self, kind: Kind, colours: Colours | None = None, *, rests: bool = False) -> None:
        self._kind = kind
        self._codes = Codes(kind, colours)
        self._rests = rests
        self._grid = Grid(0, 0)
        self._pen: Look | None = None
        self._row: int | None = None
        self._column: int | None = None
        self._out: list[str] = []

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of what was taken last."""
        return self._grid.width, self._grid.height

    def forget(self) -> None:
        """Nobody knows what the terminal shows: the next frame paints it all."""
        self._grid.touch()
        self._pen = self._row = self._column = None

    def use(self, kind: Kind, colours: Colours | None = None) -> None:
        """Show colours otherwise from now on; what is shown must be taken anew."""
        self._kind, self._codes = kind, Codes(kind, colours)
        self._grid = Grid(0, 0)
        self._pen = self._row = self._column = None

    def take(self, update: Update) -> None:
        """Take in what was drawn; nothing is sent yet."""
        if isinstance(update, LayoutUpdate):
            self._take_all(update)
        elif isinstance(update, ChopsUpdate):
            self._take_parts(update)
        else:
            if self.size != update.size:
                self._grid = Grid(*update.size)
                self.forget()
            for row, column, strip in update.parts:
                self._grid.put(row, column, strip, self._codes.looks)

    def frame(self, cursor: tuple[int, int] | None = None) -> str:
        """The text for all that has changed since the last frame; then the cursor goes to a cell (x, y)."""
        dirty, self._grid.dirty = self._grid.dirty, {}
        runs = [run for row in sorted(dirty) for run in self._runs(row, dirty[row])]
        text = self._painted(runs)
        if cursor is not None:
            self._out = []
            self._go(cursor[1], cursor[0])
            text += "".join(self._out)
        if self._rests and text:
            text += "\x1b[m"
            self._pen = None
        return text

    def _painted(self, runs: list[Run]) -> str:
        """The text that paints runs of cells, line by line, or look by look if that is shorter."""
        cells = sum(end - start for _, start, end in runs)
        if cells > _MANY:
            return self._in_order(runs)
        if cells > _SOME:
            return self._in_order(self._sorted(runs))
        before = self._pen, self._row, self._column
        by_line = self._in_order(runs)
        if len(by_line) < _SHORT:
            return by_line
        after = self._pen, self._row, self._column
        self._pen, self._row, self._column = before
        by_look = self._in_order(self._sorted(runs))
        if len(by_look.encode()) < len(by_line.encode()):
            return by_look
        self._pen, self._row, self._column = after
        return by_line

    def _in_order(self, runs: list[Run]) -> str:
        self._out = []
        before, done = (-1, 0), 0
        for row, start, end in runs:
            if row != before[0] or start < before[1]:
                done = 0
            if start >= done:
                done = self._run(row, start, end)
            before = row, start
        return "".join(self._out)

    def _sorted(self, runs: list[Run]) -> list[Run]:
        """The same cells in runs that each need one pen, those of one pen together."""
        parts: list[tuple[Look, Run]] = []
        for row, start, end in runs:
            looks, characters = self._grid.looks[row], self._grid.characters[row]
            pen = looks[start]
            for at in range(start + 1, end):
                if characters[at] != AFTER and self._codes.change(pen, looks[at])[0]:
                    parts.append((pen, (row, start, at)))
                    pen, start = looks[at], at
            parts.append((pen, (row, start, end)))
        parts.sort(key=lambda part: (part[0].ground, part[0].ink, part[0].attributes, part[1]))
        return [run for _, run in parts]

    # -- taking ----------------------------------------------------------------------------------------------

    def _take_all(self, update: LayoutUpdate) -> None:
        region = update.region
        if self.size != (region.right, region.bottom):
            self._grid = Grid(region.right, region.bottom)
            self.forget()
        for row, strips in enumerate(update.strips, region.y):
            column = region.x
            for strip in strips:
                if strip is not None:
                    self._grid.put(row, column, strip, self._codes.looks)
                    column += strip.cell_length

    def _take_parts(self, update: ChopsUpdate) -> None:
        put, looks = self._grid.put, self._codes.looks
        for row, left, right in update.spans:
            for end, (column, strip) in zip(update.chop_ends[row], update.chops[row].items(), strict=False):
                if strip is not None and column < right and end > left:
                    put(row, column, strip, looks)

    # -- painting --------------------------------------------------------------------------------------------

    def _runs(self, row: int, dirty: set[int]) -> Iterator[Run]:
        """The cells of a row at these columns as runs, wide characters whole."""
        if len(dirty) == self._grid.width:
            yield row, 0, self._grid.width
            return
        characters, columns = self._grid.characters[row], sorted(dirty)
        ends = [left + 1 for left, right in pairwise(columns) if right > left + 1]
        starts = [right for left, right in pairwise(columns) if right > left + 1]
        for start, end in zip([columns[0], *starts], [*ends, columns[-1] + 1], strict=True):
            while start and characters[start] == AFTER:
                start -= 1
            while end < self._grid.width and characters[end] == AFTER:
                end += 1
            yield row, start, end

    def _run(self, row: int, column: int, end: int) -> int:
        """Paint the cells from a column up to another, or more of them; gives where it ended."""
        self._go(row, column)
        looks, width = self._grid.looks[row], self._grid.width
        while column < end:
            look = looks[column]
            stop, last = column + 1, end if look.ink else width
            while stop < last and (looks[stop] is look or looks[stop] == look):
                stop += 1
            if look.ink:
                column = self._write(row, column, stop)
            else:
                column = self._blank(row, column, min(stop, end), stop, is_last=stop >= end)
        return column

    def _blank(self, row: int, column: int, end: int, stop: int, *, is_last: bool) -> int:
        """Paint blanks up to `end`; those up to `stop` are like them. After the last, the cursor may stay."""
        self._go(row, column)
        self._use(self._grid.looks[row][column])
        count = end - column
        if self._kind.has_erase_colour and stop == self._grid.width and count > 3:
            self._out.append("\x1b[K")
            return stop
        if self._kind.has_erase_colour and count > (4 if is_last else 10):
            self._out.append(f"\x1b[{count}X")
            return end
        self._out.append(" " * count)
        self._advance(column + count)
        return end

    def _write(self, row: int, column: int, end: int) -> int:
        """Write characters that look alike up to a column."""
        characters = self._grid.characters[row]
        self._use(self._grid.looks[row][column])
        cells = characters[column:end]
        text = "".join(cells)
        if len(text) == end - column and AFTER not in cells:
            self._go(row, column)
            self._out.append(text)
            self._advance(end)
            return end
        for at in range(column, end):
            if characters[at] != AFTER:
                self._go(row, at)
                self._out.append(characters[at])
                self._advance(at + 1 if is_single(characters[at]) else None)
        return end

    def _advance(self, column: int | None) -> None:
        """The cursor has come to a column; at the edge, terminals differ in where it is."""
        self._column = None if column == self._grid.width else column

    def _use(self, look: Look) -> None:
        codes, self._pen = self._codes.change(self._pen, look)
        if codes:
            self._out.append(codes)

    def _go(self, row: int, column: int) -> None:
        """Bring the cursor to a cell."""
        if column == self._column and row == self._row:
            return
        way = move(self._row, self._column, row, column, self._kind.has_columns)
        if row == self._row and self._column is not None and 0 < column - self._column <= len(way):
            again = self._again(row, self._column, column)
            if again is not None and len(again.encode()) <= len(way):
                way = again
        self._out.append(way)
        self._row, self._column = row, column

    def _again(self, row: int, column: int, end: int) -> str | None:
        """The text of cells that the terminal shows already, if the pen writes so and all are single."""
        text = ""
        for at in range(column, end):
            look, character = self._grid.looks[row][at], self._grid.characters[row][at]
            if self._codes.change(self._pen, look)[0] or not is_single(character):
                return None
            text += character
        return text
