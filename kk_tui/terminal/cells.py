"""What a terminal is to show, cell by cell, and which cells it does not show yet."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple
from unicodedata import category

from rich.cells import get_character_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from kk_tui.terminal.codes import BLANK, Look, Looks

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
