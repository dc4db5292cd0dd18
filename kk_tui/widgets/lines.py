"""Text of which only the lines that have changed are drawn again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.visual import Visual

from kk_core.text import Text
from kk_tui.i18n import render
from kk_tui.terminal.handed import Handed
from kk_tui.widgets.canvas import WholeLines


class Lines(Handed):
    """Lines of text beside a board; to draw all forty, as a `Static` does, takes longer than the board."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._styles_cache = WholeLines()
        self._lines: list[Content] = []

    def show(self, lines: Iterable[Content]) -> None:
        """Show these lines, wrapped where they are too long."""
        width = self.size.width
        old, self._lines = self._lines, [part for line in lines for part in _wrapped(line, width)]
        heights = {len(old), len(self._lines), self.size.height}  # in another width Textual has wrapped them
        if self.styles.auto_dimensions and len(heights) > 1:
            self.refresh(layout=True)
            return
        pairs = zip_longest(old, self._lines)
        changed = [y for y, (before, now) in enumerate(pairs) if not _is_same(before, now)]
        if changed:
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def render(self) -> Content:
        """All lines, by which Textual finds out the height."""
        return Content("\n").join(self._lines)

    def render_line(self, y: int) -> Strip:
        """One of the lines."""
        line = self._lines[y] if y < len(self._lines) else Content()
        width = self.size.width
        drawn = Visual.to_strips(self, line, width, 1, self.visual_style, pad=True)
        return drawn[0] if drawn else Strip.blank(width, self.visual_style.rich_style)


def code_lines(codes: Iterable[Text | str], names: Iterable[Text | str]) -> Iterator[Content]:
    """What short names stand for, under a free line."""
    yield Content()
    for code, name in zip(codes, names, strict=True):
        yield Content.assemble((_words(code), "bold $ink"), " ", (_words(name), "$ink-dim"))


def _words(said: Text | str) -> str:
    return said if isinstance(said, str) else render(said)


def packed(parts: Iterable[Content], width: int, indent: int) -> Content:
    """Parts one after the other, none of them broken, in lines that begin with a new one and are indented."""
    whole, room = Content(), 0
    for part in parts:
        if part.rstrip().cell_length > room:
            whole, room = Content.assemble(whole, f"\n{' ' * indent}"), width - indent
        whole, room = Content.assemble(whole, part), room - part.cell_length
    return whole


def _wrapped(line: Content, width: int) -> list[Content]:
    return [line] if line.cell_length <= width or not width else line.wrap(width)


def _is_same(before: Content | None, now: Content | None) -> bool:
    return before is not None and now is not None and before.is_same(now)
