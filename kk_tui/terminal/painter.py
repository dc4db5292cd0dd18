"""The painter of one terminal: the shortest text that turns the picture it shows into the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final, NamedTuple
from unicodedata import category

from rich.cells import get_character_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from kk_tui.terminal.capabilities import TerminalKind
from kk_tui.terminal.colour import Colours
from kk_tui.terminal.rows import PartsUpdate
from kk_tui.terminal.sgr import BLANK, Rendition, Renditions, SgrCodes

AFTER: Final = ""
"""Stands in the second cell of a wide character."""

JOINER: Final = "\u200d"
_JOINERS: Final = frozenset((JOINER, "\ufe0f"))
_ORDERS: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))

_STOP: Final = "."
"""The cover that could be read as punctuation after a word."""

RenditionsOf = Callable[[Style | None], Renditions]
"""Returns the renditions of a style on one terminal."""


@lru_cache(maxsize=4096)
def cells_of(text: str) -> tuple[str, ...]:
    """Split a text into cells, combining marks with the character that carries them.

    Control characters never reach a terminal, and marks without a carrier are dropped.
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
    # Terminals disagree on joined emoji and on signs widened by a selector: only the first sign is sent.
    if not _JOINERS.isdisjoint(cluster):
        cluster = cluster[0]
        if get_character_cell_size(cluster) < width:
            return [cluster, " "]
    return [cluster, *[AFTER] * (width - 1)]


def _printable(character: str) -> str:
    """Return the character, or blanks for controls and format characters such as bidi overrides."""
    if character == JOINER or category(character) not in _ORDERS:
        return character
    return " " * get_character_cell_size(character)


@lru_cache(maxsize=4096)
def _covered(cells: tuple[str, ...], sign: str) -> list[str]:
    """Return the cells with runs of blanks replaced by a sign."""
    covered: list[str] = []
    for cell, run in groupby(cells):
        length = len(list(run))
        is_wide = length > 1 or len(cells) == 1
        covered += [sign if cell == " " and is_wide else cell] * length
    if sign == _STOP:
        # next to a word, a dot would be read as the end of a sentence
        beside = {at + step for at, cell in enumerate(cells) if cell.isalnum() for step in (-2, -1, 1)}
        covered = [" " if at in beside and cells[at] == " " else cell for at, cell in enumerate(covered)]
    return covered


def is_single(character: str) -> bool:
    """Return whether all terminals agree that this character moves the cursor by one."""
    return len(character) == 1 and (character.isascii() or get_character_cell_size(character) == 1)


Segments = dict[int, tuple[Segment, int]]
"""Segments by their columns, with the columns after them."""


class _Laid(NamedTuple):
    """A strip in a row, the column after it, and its segments."""

    strip: Strip
    end: int
    segments: Segments


class Grid:
    """Characters and renditions of a screen, cell by cell; `dirty` are the columns to draw, by row."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.characters = [[" "] * width for _ in range(height)]
        self.renditions: list[list[Rendition]] = [[BLANK] * width for _ in range(height)]
        self.dirty: dict[int, set[int]] = {}
        # Strips are immutable: if the same one is already there, there is nothing to compare.
        self._strips: list[dict[int, _Laid]] = [{} for _ in range(height)]
        self.touch()

    def touch(self) -> None:
        """Mark every cell for redrawing."""
        whole = set(range(self.width))  # one set for all rows, since nothing can be added to it
        self.dirty = dict.fromkeys(range(self.height), whole)

    def put(self, row: int, column: int, strip: Strip, renditions: RenditionsOf) -> None:
        """Put a strip at a cell; what does not fit is cut off."""
        if not 0 <= row < self.height or column >= self.width:
            return
        laid = self._strips[row]
        there = laid.get(column)
        if there is not None and there.strip is strip:
            return
        if self.characters[row][column] == AFTER:
            self._blank(row, column - 1)
        segments: Segments = {}
        end = self._lay(row, column, strip, renditions, there.segments if there else segments, segments)
        if end < self.width and self.characters[row][end] == AFTER:
            self._blank(row, end)
        for start in [start for start, old in laid.items() if start < end and old.end > column]:
            del laid[start]
        laid[column] = _Laid(strip, end, segments)

    def _blank(self, row: int, column: int) -> None:
        """Blank the remaining half of a wide character when a strip covers the other half."""
        laid = self._strips[row]
        for start in [start for start, old in laid.items() if start <= column < old.end]:
            del laid[start]
        ground = self.renditions[row][column].ground
        self._change(row, column, [" "], [Rendition("", ground, 0)])

    def _lay(
        self, row: int, column: int, strip: Strip, renditions: RenditionsOf, before: Segments, after: Segments
    ) -> int:
        """Put down the segments of a strip and fill `after`; return the column after the last."""
        characters, shown = self.characters[row], self.renditions[row]
        for segment in strip._segments:
            old = before.get(column)
            # segments are immutable: the same one at the same column changes nothing
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
                # Half of a wide character at the edge would wrap or be dropped, depending on the terminal.
                if cells and get_character_cell_size(cells[-1][0] if cells[-1] else " ") > 1:
                    cells[-1] = " "
            rendition, blank, cover, is_hidden = renditions(style)
            if is_hidden:
                cells = [" "] * len(cells)
            if cover != " ":
                cells = _covered(tuple(cells), cover)
                new = [blank if cell in (cover, " ") else rendition for cell in cells]
            elif blank is rendition or " " not in cells:
                new = [rendition] * len(cells)
            else:
                new = [blank if cell == " " else rendition for cell in cells]
            if characters[column:end] != cells or shown[column:end] != new:
                self._change(row, column, cells, new)
            after[column] = (segment, end)
            column = end
        return column

    def _change(self, row: int, column: int, cells: list[str], new: list[Rendition]) -> None:
        characters, shown = self.characters[row], self.renditions[row]
        dirty = self.dirty.setdefault(row, set())
        if len(dirty) == self.width:  # as in a first picture: the whole row is drawn anyway
            end = column + len(cells)
            characters[column:end], shown[column:end] = cells, new
            return
        for at, (cell, rendition) in enumerate(zip(cells, new, strict=True), column):
            if characters[at] != cell or shown[at] != rendition:
                characters[at] = cell
                shown[at] = rendition
                dirty.add(at)


@lru_cache(maxsize=16384)
def move(row: int | None, column: int | None, to_row: int, to_column: int, has_columns: bool) -> str:
    """Return the shortest codes from one cell, counted from 0, to another; None if unknown."""
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
"""A drawing by Textual, or by our own compositor."""

Run = tuple[int, int, int]
"""A row, a column, and the column after the last."""

_MANY: Final = 20_000
"""Cells up to which runs are sorted by rendition: half the bytes of a screen for 3 ms per thousand cells."""

_SOME: Final = 800
"""Cells up to which another order is tried; beyond that, the order by rendition was always shorter."""

_SHORT: Final = 300
_LONG: Final = 600
"""Bytes up to which a text in order of lines or columns is short enough, so that no other order is tried."""

_NARROW: Final = 3
_LINKS: Final = 8
"""Cells up to which a run is painted right after the one above it, since moving straight down is cheap;
and the number of such pairs from which this pays.
"""


_CLOSE: Final = 4
"""Columns from a cell to another so close that to paint what is between is no longer than to move over it."""


def _in_columns(runs: list[Run]) -> list[Run]:
    """Return runs in order of lines, but with narrow ones below each other together."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    links = 0
    for row, start, end in runs:
        if end - start <= _NARROW:
            above = first.get((row - 1, start))
            links += above is not None
            first[row, start] = above or (row, start)
    return sorted(runs, key=lambda run: (*first.get(run[:2], run[:2]), run)) if links >= _LINKS else runs


class TerminalPainter:
    """The cells, the cursor and the pen of one terminal, and the text that brings it up to date.

    With `rests` the pen is reset after every frame, for drivers that leave the terminal as it is.
    """

    def __init__(self, kind: TerminalKind, colours: Colours | None = None, *, rests: bool = False) -> None:
        self._kind = kind
        self._codes = SgrCodes(kind, colours)
        self._rests = rests
        self._grid = Grid(0, 0)
        self._pen: Rendition | None = None
        self._row: int | None = None
        self._column: int | None = None
        self._out: list[str] = []

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the last drawing."""
        return self._grid.width, self._grid.height

    def forget(self) -> None:
        """Assume nothing about the terminal: the next frame paints every cell."""
        self._grid.touch()
        self._pen = self._row = self._column = None

    def use(self, kind: TerminalKind, colours: Colours | None = None) -> None:
        """Use another kind of terminal or other colours; then the whole screen must be taken again."""
        self._kind, self._codes = kind, SgrCodes(kind, colours)
        self._grid = Grid(0, 0)
        self._pen = self._row = self._column = None

    def take(self, update: Update) -> None:
        """Take a drawing; `frame` returns the text for it."""
        if isinstance(update, LayoutUpdate):
            self._take_all(update)
        elif isinstance(update, ChopsUpdate):
            self._take_parts(update)
        else:
            if self.size != update.size:
                self._grid = Grid(*update.size)
                self.forget()
            for row, column, strip in update.parts:
                self._grid.put(row, column, strip, self._codes.renditions)

    def frame(self, cursor: tuple[int, int] | None = None) -> str:
        """Return the text for all changes since the last frame; it leaves the cursor at a cell (x, y)."""
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
        """Return the text that paints runs of cells, in order of lines or columns, or of renditions."""
        cells = sum(end - start for _, start, end in runs)
        if cells > _MANY:
            return self._in_order(runs)
        if cells > _SOME:
            return self._in_order(self._sorted(runs))
        before = self._pen, self._row, self._column
        in_columns = _in_columns(runs)
        text = self._in_order(in_columns)
        size = len(text.encode())
        if size < (_SHORT if in_columns == runs else _LONG):
            return text
        after = self._pen, self._row, self._column
        self._pen, self._row, self._column = before
        other = self._in_order(self._sorted(runs))
        if len(other.encode()) < size:
            return other
        self._pen, self._row, self._column = after
        return text

    def _in_order(self, runs: list[Run]) -> str:
        self._out = []
        before, done = (-1, 0), 0
        for row, start, end in runs:
            if row != before[0] or start < before[1]:
                done = 0
            if start >= done:  # otherwise an erased end of line has painted it
                done = self._run(row, start, end)
            before = row, start
        return "".join(self._out)

    def _sorted(self, runs: list[Run]) -> list[Run]:
        """Return the same cells split into runs of one rendition, in order of renditions."""
        parts: list[tuple[Rendition, Run]] = []
        for row, start, end in runs:
            renditions, characters = self._grid.renditions[row], self._grid.characters[row]
            pen = renditions[start]
            for at in range(start + 1, end):
                if characters[at] != AFTER and self._codes.change(pen, renditions[at])[0]:
                    parts.append((pen, (row, start, at)))
                    pen, start = renditions[at], at
            parts.append((pen, (row, start, end)))
        parts.sort(key=lambda part: (part[0].ground, part[0].ink, part[0].attributes, part[1]))
        alike = ([run for _, run in same] for _, same in groupby(parts, key=itemgetter(0)))
        return [run for same in alike for run in _in_columns(same)]

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
                    self._grid.put(row, column, strip, self._codes.renditions)
                    column += strip.cell_length

    def _take_parts(self, update: ChopsUpdate) -> None:
        put, renditions = self._grid.put, self._codes.renditions
        for row, left, right in update.spans:
            for end, (column, strip) in zip(update.chop_ends[row], update.chops[row].items(), strict=False):
                if strip is not None and column < right and end > left:
                    put(row, column, strip, renditions)

    # -- painting --------------------------------------------------------------------------------------------

    def _runs(self, row: int, dirty: set[int]) -> Iterator[Run]:
        """Yield the dirty columns of a row as runs, with wide characters whole."""
        if len(dirty) == self._grid.width:
            yield row, 0, self._grid.width
            return
        characters, columns = self._grid.characters[row], sorted(dirty)
        gaps = [(left, right) for left, right in pairwise(columns) if right > left + 1]
        gaps = [gap for gap in gaps if not self._is_blank(row, *gap)]
        starts, ends = [right for _left, right in gaps], [left + 1 for left, _right in gaps]
        for start, end in zip([columns[0], *starts], [*ends, columns[-1] + 1], strict=True):
            while start and characters[start] == AFTER:
                start -= 1
            while end < self._grid.width and characters[end] == AFTER:
                end += 1
            yield row, start, end

    def _is_blank(self, row: int, left: int, right: int) -> bool:
        """Return whether two cells and the few between them are the same blanks, to be painted at once.

        So they are between words that have been taken away.
        """
        if right - left > _CLOSE or self._grid.characters[row][left] != " ":
            return False
        blank, *others = self._grid.renditions[row][left : right + 1]
        return not blank.ink and all(other == blank for other in others)

    def _run(self, row: int, column: int, end: int) -> int:
        """Paint the cells from a column to another, or more of them; return the column reached."""
        self._go(row, column)
        renditions, width = self._grid.renditions[row], self._grid.width
        while column < end:
            rendition = renditions[column]
            stop, last = column + 1, end if rendition.ink else width
            while stop < last and (renditions[stop] is rendition or renditions[stop] == rendition):
                stop += 1
            if rendition.ink:
                column = self._write(row, column, stop)
            else:
                column = self._blank(row, column, min(stop, end), stop, is_last=stop >= end)
        return column

    def _blank(self, row: int, column: int, end: int, stop: int, *, is_last: bool) -> int:
        """Paint blanks up to `end`; those up to `stop` look the same."""
        self._go(row, column)
        self._use(self._grid.renditions[row][column])
        count = end - column
        if self._kind.has_erase_colour and stop == self._grid.width and count > 3:  # EL, three characters
            self._out.append("\x1b[K")
            return stop
        # ECH is four characters or more, and leaves the cursor behind, which costs as many again; after the
        # last blanks of a run the cursor need not follow.
        if self._kind.has_erase_colour and count > (4 if is_last else 10):
            self._out.append(f"\x1b[{count}X")
            return end
        self._out.append(" " * count)
        self._advance(column + count)
        return end

    def _write(self, row: int, column: int, end: int) -> int:
        """Write the characters up to a column, which all have one rendition."""
        characters = self._grid.characters[row]
        self._use(self._grid.renditions[row][column])
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
        # At the right edge some terminals have already wrapped and others have not.
        self._column = None if column == self._grid.width else column

    def _use(self, rendition: Rendition) -> None:
        codes, self._pen = self._codes.change(self._pen, rendition)
        if codes:
            self._out.append(codes)

    def _go(self, row: int, column: int) -> None:
        if column == self._column and row == self._row:
            return
        way = move(self._row, self._column, row, column, self._kind.has_columns)
        # Rewriting what is in between is often shorter than moving across it.
        if row == self._row and self._column is not None and 0 < column - self._column <= len(way):
            again = self._again(row, self._column, column)
            if again is not None and len(again.encode()) <= len(way):
                way = again
        self._out.append(way)
        self._row, self._column = row, column

    def _again(self, row: int, column: int, end: int) -> str | None:
        """Return the text between two columns if the pen can write it unchanged and no cell is wide."""
        text = ""
        for at in range(column, end):
            rendition, character = self._grid.renditions[row][at], self._grid.characters[row][at]
            if self._codes.change(self._pen, rendition)[0] or not is_single(character):
                return None
            text += character
        return text
