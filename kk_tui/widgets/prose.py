"""A section of text as a page: paragraphs, lists and tables laid out for the width that there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from kk_tui.rules_text import Block, Paragraph, Section, Table
from kk_tui.theme.glyphs import Glyphs

_INDENT: Final = 4
"""Columns for the mark of a list."""

_GAP: Final = 2
"""Columns between two columns of a table."""

_NARROWEST: Final = 8
"""Columns that a cell keeps when its table is too wide."""

_KEPT: Final = 256
"""Sections whose lines are kept: all that there are of three games, at some widths."""


class Prose(Widget):
    """All sections of a text, one under the other; put it into something that scrolls."""

    class LaidOut(Message):
        """The sections begin on other lines than before."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="prose")
        self._glyphs = glyphs
        self._sections: Sequence[Section] = ()
        self._width = 0
        self._lines: list[Content] = []
        self.starts: list[int] = []  # the line on which each section begins

    def show(self, sections: Sequence[Section]) -> None:
        """Show another text."""
        self._sections, self._width, self.starts = sections, 0, []
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """The lines of the text, and so many more that its last section can be scrolled to the top."""
        self._lay_out(width)
        return max(len(self._lines), self.starts[-1] + container.height) if self.starts else 0

    def render_line(self, y: int) -> Strip:
        """One of the lines; most of a text is never seen, so that it is not drawn as a whole."""
        width = self.content_size.width
        self._lay_out(width)
        line = self._lines[y] if y < len(self._lines) else Content()
        drawn = Visual.to_strips(self, line, width, 1, self.visual_style, pad=True)
        return drawn[0] if drawn else Strip.blank(width, self.visual_style.rich_style)

    def render(self) -> Content:
        """All lines, for whoever asks for the whole text."""
        return Content("\n").join(self._lines)

    def _lay_out(self, width: int) -> None:
        if width == self._width:
            return
        self._width, self._lines, self.starts = width, [], []
        for section in self._sections:
            self.starts.append(len(self._lines))
            self._lines += section_lines(section, width, self._glyphs["bullet"], self._glyphs["h"])
        self.post_message(self.LaidOut())


@lru_cache(_KEPT)
def section_lines(section: Section, width: int, bullet: str, rule: str) -> tuple[Content, ...]:
    """Lay a section out in lines of at most `width` columns: heading, blocks, and a distance to the next one.

    `bullet` marks a list, `rule` is a piece of a line. All apps of a process share the lines.
    """
    lines = [Content.styled(section.title, "bold $gold")]
    was_tight = False
    for block in section.blocks:
        is_tight = isinstance(block, Paragraph) and block.is_tight
        if not (is_tight and was_tight):
            lines.append(Content())
        was_tight = is_tight
        lines += _block_lines(block, max(_NARROWEST, width), bullet, rule)
    return (*lines, Content(), Content())


def _block_lines(block: Block, width: int, bullet: str, rule: str) -> Iterator[Content]:
    indent = _INDENT * block.depth
    if isinstance(block, Table):
        lines: Iterable[Content] = _table_lines(block, width - indent, rule)
        mark = ""
    else:
        lines = block.words.wrap(width - indent)
        mark = bullet if block.mark == "-" else block.mark
    for line in lines:
        yield Content.assemble((f"{mark:>{max(0, indent - 1)}}", "$gold"), " " if indent else "", line)
        mark = ""


def _table_lines(table: Table, width: int, rule: str) -> Iterator[Content]:
    widths = _column_widths(table, width)
    head, *body = table.rows
    are_figures = [all(_is_figure(row[column]) for row in body) for column in range(len(head))]
    yield from _row_lines([Content.styled(cell.plain, "$gold") for cell in head], widths, are_figures)
    yield Content.styled(rule * (sum(widths) + _GAP * (len(widths) - 1)), "$ink-line")
    for row in body:
        yield from _row_lines(row, widths, are_figures)


def _column_widths(table: Table, width: int) -> list[int]:
    """As wide as the widest cell; where that is too much, the widest columns give way."""
    columns = zip(*table.rows, strict=True)
    widths = [max(cell.cell_length for cell in column) for column in columns]
    while sum(widths) + _GAP * (len(widths) - 1) > width and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _is_figure(cell: Content) -> bool:
    return cell.plain.lstrip("-").isdigit() or not cell.plain


def _row_lines(
    row: Sequence[Content], widths: Sequence[int], are_figures: Sequence[bool]
) -> Iterator[Content]:
    cells = [cell.wrap(width) if cell else [] for cell, width in zip(row, widths, strict=True)]
    for number in range(max(map(len, cells))):
        parts = []
        for lines, width, is_figure in zip(cells, widths, are_figures, strict=True):
            line = lines[number] if number < len(lines) else Content()
            missing = max(0, width - line.cell_length)
            parts.append(line.pad_left(missing) if is_figure else line.pad_right(missing))
        yield Content(" " * _GAP).join(parts)
