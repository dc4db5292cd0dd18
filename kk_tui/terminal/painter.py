"""Makes the text that turns what one terminal shows into what it is to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final, NamedTuple
from unicodedata import category

from rich.cells import get_character_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from kk_tui.terminal.codes import BLANK, Codes, Look, Looks
from kk_tui.terminal.colour import Colours
from kk_tui.terminal.kinds import Kind
from kk_tui.terminal.rows import PartsUpdate

AFTER: Final = ""
"""Stands in the second cell of a wide character."""

JOINER: Final = "\u200d"
_JOINERS: Final = frozenset((JOINER, "\ufe0f"))
_ORDERS: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))

_STOP: Final = "."
"""Behind a word this sign would say that a sentence ends, or that a list goes on."""

LooksOf = Callable[[Style | None], Looks]
"""How a style looks on a terminal."""


@lru_cache(maxsize=4096)
def cells_of(text: str) -> tuple[str, ...]:
    """The characters of a text by cells: marks without a width of their own stand with what they are on.

    Control characters never reach a terminal, and marks on nothing are left out.
    """
    if text.isascii() and text.isprintable():
        return tuple(text)
    text = "".join(map(_printable, text))
    cells: list[str] = []
    for start, end, width in split_graphemes(text)[0]:
        if width:
            cells += _spread(text[start:end], width)
    return tuple(cells)


def _spread(cluster: str, width: int) -> list[str]:
    """A cluster in its cells; of those that terminals join or widen each in its own way, the first sign."""
    if not _JOINERS.isdisjoint(cluster):
        cluster = cluster[0]
        if get_character_cell_size(cluster) < width:
            return [cluster, " "]
    return [cluster, *[AFTER] * (width - 1)]


def _printable(character: str) -> str:
    """The character; for what is an order and no sign, such as to write backwards, blanks or nothing."""
    if character == JOINER or category(character) not in _ORDERS:
        return character
    return " " * get_character_cell_size(character)


@lru_cache(maxsize=4096)
def _covered(cells: tuple[str, ...], sign: str) -> list[str]:
    """Cells with a sign in place of blanks, but for a single blank; stops keep away from words."""
    covered: list[str] = []
    for cell, run in groupby(cells):
        length = len(list(run))
        is_wide = length > 1 or len(cells) == 1
        covered += [sign if cell == " " and is_wide else cell] * length
    if sign == _STOP:
        beside = {at + step for at, cell in enumerate(cells) if cell.isalnum() for step in (-2, -1, 1)}
        covered = [" " if at in beside and cells[at] == " " else cell for at, cell in enumerate(covered)]
    return covered


def is_single(character: str) -> bool:
    """Whether all terminals agree that this moves the cursor by one."""
    return len(character) == 1 and (character.isascii() or get_character_cell_size(character) == 1)


Segments = dict[int, tuple[Segment, int]]
"""Segments by their columns, with the columns after them."""


class _Laid(NamedTuple):
    """A strip that lies in a row up to a column."""

    strip: Strip
    end: int
    segments: Segments


class Grid:
    """Characters and looks of `height` rows of `width` cells; `dirty` are the columns to draw, by row."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.characters = [[" "] * width for _ in range(height)]
        self.looks: list[list[Look]] = [[BLANK] * width for _ in range(height)]
        self.dirty: dict[int, set[int]] = {}
        # strips are never changed: where one lies already, there is nothing to compare
        self._strips: list[dict[int, _Laid]] = [{} for _ in range(height)]
        self.touch()

    def touch(self) -> None:
        """All must be drawn again."""
        whole = set(range(self.width))  # may be one for all rows: there is nothing to add to it
        self.dirty = dict.fromkeys(range(self.height), whole)

    def put(self, row: int, column: int, strip: Strip, looks: LooksOf) -> None:
        """Lay a strip at a cell; what does not fit is cut off."""
        if not 0 <= row < self.height or column >= self.width:
            return
        laid = self._strips[row]
        there = laid.get(column)
        if there is not None and there.strip is strip:
            return
        if self.characters[row][column] == AFTER:
            self._blank(row, column - 1)
        segments: Segments = {}
        end = self._lay(row, column, strip, looks, there.segments if there else segments, segments)
        if end < self.width and self.characters[row][end] == AFTER:
            self._blank(row, end)
        for start in [start for start, old in laid.items() if start < end and old.end > column]:
            del laid[start]
        laid[column] = _Laid(strip, end, segments)

    def _blank(self, row: int, column: int) -> None:
        """Blank the half that is left of a wide character when a strip covers the other."""
        laid = self._strips[row]
        for start in [start for start, old in laid.items() if start <= column < old.end]:
            del laid[start]
        ground = self.looks[row][column].ground
        self._change(row, column, [" "], [Look("", ground, 0)])

    def _lay(
        self, row: int, column: int, strip: Strip, looks: LooksOf, before: Segments, after: Segments
    ) -> int:
        """Lay the segments of a strip but for those that lie at the same column already; fills `after`."""
        characters, shown = self.characters[row], self.looks[row]
        for segment in strip._segments:
            old = before.get(column)
            if old is not None and old[0] is segment:
                after[column] = old
                column = old[1]
                continue
            text, style, control = segment
            if control or not text:
                continue
            cells = list(cells_of(text))
            end = column + len(cells)
            if end > self.width:
                end = self.width
                cells = cells[: end - column]
                if cells and get_character_cell_size(cells[-1][0] if cells[-1] else " ") > 1:
                    cells[-1] = " "
            look, blank, cover, is_hidden = looks(style)
            if is_hidden:
                cells = [" "] * len(cells)
            if cover != " ":
                cells = _covered(tuple(cells), cover)
                new = [blank if cell in (cover, " ") else look for cell in cells]
            elif blank is look or " " not in cells:
                new = [look] * len(cells)
            else:
                new = [blank if cell == " " else look for cell in cells]
            if characters[column:end] != cells or shown[column:end] != new:
                self._change(row, column, cells, new)
            after[column] = (segment, end)
            column = end
        return column

    def _change(self, row: int, column: int, cells: list[str], new: list[Look]) -> None:
        characters, shown = self.characters[row], self.looks[row]
        dirty = self.dirty.setdefault(row, set())
        if len(dirty) == self.width:  # as in a first picture: all of the row will be drawn anyway
            end = column + len(cells)
            characters[column:end], shown[column:end] = cells, new
            return
        for at, (cell, look) in enumerate(zip(cells, new, strict=True), column):
            if characters[at] != cell or shown[at] != look:
                characters[at] = cell
                shown[at] = look
                dirty.add(at)


@lru_cache(maxsize=16384)
def move(row: int | None, column: int | None, to_row: int, to_column: int, has_columns: bool) -> str:
    """Codes from a cell, counted from 0, to another; None is a row or column that nobody knows."""
    ways = [_absolute(to_row, to_column)]
    if row is not None:
        down = to_row - row
        along = [_step(down, "B", "A")] if column == to_column else []
        if down or column != to_column:
            along += [_step(down, "B", "A") + way for way in _in_row(column, to_column, has_columns)]
        ways += along
    return min(ways, key=len)


def _absolute(row: int, column: int) -> str:
    if column:
        return f"\x1b[{row + 1};{column + 1}H"
    return f"\x1b[{row + 1}H" if row else "\x1b[H"


def _in_row(column: int | None, to: int, has_columns: bool) -> list[str]:
    ways = [f"\x1b[{to + 1}G"] if has_columns else []
    ways.append("\r" + _step(to, "C", "D"))
    if column is not None and to > column:
        ways.append(_step(to - column, "C", "D"))
    elif column is not None:
        ways += ["\b" * (column - to), _step(to - column, "C", "D")]
    return ways


def _step(by: int, forward: str, back: str) -> str:
    if not by:
        return ""
    letter = forward if by > 0 else back
    return f"\x1b[{letter}" if abs(by) == 1 else f"\x1b[{abs(by)}{letter}"


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
