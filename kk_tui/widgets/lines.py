"""A text of which only changed lines are redrawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Content
from textual.events import MouseDown, MouseMove, MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style

from kk_core.text import Text, text, text_in
from kk_tui.i18n import render
from kk_tui.terminal.widgets import LineWidget
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.canvas import thumb_of
from kk_tui.widgets.explanation import Explanation, explained, explanation_at, without_explanations

_TRACK: Final = "on $ground-deep"
_THUMB: Final = "reverse $ink-line on $ground-deep"

_ARROW: Final = "bold $gold on $ground-deep"
_MORE: Final = text("More lines than fit: scroll with the mouse wheel, PgUp or PgDn.")

_ON, _BACK = text_in("key", "PgDn"), text_in("key", "PgUp")

_WHEEL: Final = 2
"""Lines scrolled by one step of the mouse wheel."""

_BEFORE_FIGURE: Final = re.compile(r"(?<=\S) (?=(?:\d{1,2}|[abc])[.,:;)]?(?: |$))")
"""The blank before a figure or mark that belongs to the word before it, as in "row 3" and "less than a"."""

_AFTER_FIGURE: Final = re.compile(r"(?<=\d) (?=[^\W\d])")
"""The blank between a figure and what it counts, as in "4 points"."""

_LONG: Final = 40
"""Columns of a line from which a figure stays with what it counts, too."""

GLUE: Final = "\ue000"
"""Stands for a blank at which no line is broken: a private character, which no text has."""

SCROLLS: Final = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -99, "end": 99}
"""Lines that each key scrolls, as far as there are any."""


class Lines(LineWidget):
    """Lines of text beside a board, of which some in the middle scroll if not all fit.

    It is a single widget whatever it shows, so opening a part of it needs no layout.
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._above: list[Content] = []
        self.within: list[Content] = []
        """The lines that scroll, including those out of sight."""
        self._under: list[Content] = []
        self._tells_more = False
        self.top = 0
        """The number of scrolled lines above the first visible one."""
        self._lines: list[Content] = []
        self._over: Mapping[int, Content] = {}
        """Lines shown over others for a moment, by row."""
        self._inks: dict[str | Style, Style] = {}

    def show(
        self,
        above: Iterable[Content],
        within: Iterable[Content] = (),
        under: Iterable[Content] = (),
        *,
        is_at_end: bool = False,
        tells_more: bool = False,
    ) -> None:
        """Show lines, wrapped if they are too long; those `within` get the space that the others leave.

        Of these the last ones are shown if `is_at_end`, otherwise those at the scroll position. If not all
        fit and it `tells_more`, a line under them says how many more there are, and which key shows them.
        """
        self._tells_more = tells_more
        width = self.size.width
        self._above, self.within, self._under = (
            [part for line in lines for part in _wrapped(line, width)] for lines in (above, within, under)
        )
        self.scroll_lines(self.hidden if is_at_end else 0)

    @property
    def window(self) -> range:
        """The rows in which lines scroll."""
        first, end = len(self._above), self.size.height - len(self._under)
        return range(first, max(first, end - (self._tells_more and len(self.within) > end - first)))

    @property
    def hidden(self) -> int:
        """The number of scrolling lines out of sight."""
        return max(0, len(self.within) - len(self.window))

    def scroll_lines(self, by: int) -> None:
        """Scroll by `by` lines, as far as there are any."""
        self.top = max(0, min(self.hidden, self.top + by))
        seen = self.within[self.top : self.top + len(self.window)]
        # the lines under the window stay where they are
        seen += [Content()] * (len(self.window) - len(seen) if self._under else 0)
        more = [self._more()] if self.hidden and self._tells_more else []
        old, self._lines = self._lines, [*self._above, *self._barred(seen), *more, *self._under]
        pairs = zip_longest(old, self._lines)
        changed = [y for y, (before, now) in enumerate(pairs) if not _is_same(before, now)]
        if changed:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def row_of(self, line: Content) -> int | None:
        """Return the row of a line above those that scroll; None if that very line is not there."""
        rows = (y for y, other in enumerate(self._above[: self.size.height]) if other is line)
        return next(rows, None)

    def cover(self, lines: Mapping[int, Content]) -> None:
        """Show some lines over those of the same rows, replacing all that were shown like this before."""
        before, self._over = self._over, lines
        changed = {y for y in {*before, *lines} if not _is_same(before.get(y), lines.get(y))}
        if changed:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def _barred(self, seen: list[Content]) -> list[Content]:
        """Return the visible lines, with a scrollbar beside them if there are more."""
        if not self.hidden:
            return seen
        room = self.size.width - 1
        return [
            Content.assemble(line.truncate(room, pad=True), explained(sign, _MORE))
            for line, sign in zip(seen, self._scrollbar(len(seen)), strict=True)
        ]

    def _more(self) -> Content:
        """Return how many lines are out of sight below, or above after the last one, and the key to them."""
        glyphs: Glyphs = self.app.glyphs  # type: ignore[attr-defined]
        if n := self.hidden - self.top:
            sign, said = glyphs["down"], text("{n} more: {key}", n=n, key=_ON)
        else:
            sign, said = glyphs["up"], text("{n} above: {key}", n=self.top, key=_BACK)
        words = Content.assemble((f"{sign} ", "bold $gold"), (render(said), "$ink-dim"))
        return explained(words, _MORE)

    def _scrollbar(self, rows: int) -> Iterator[tuple[str, str]]:
        """Yield the rows of the scrollbar; signs at its ends say that there are lines out of sight."""
        glyphs: Glyphs = self.app.glyphs  # type: ignore[attr-defined]
        for row in range(rows):
            if row == 0 and self.top:
                yield glyphs["up"], _ARROW
            elif row == rows - 1 and self.top < self.hidden:
                yield glyphs["down"], _ARROW
            else:
                yield " ", _THUMB if row in self._thumb else _TRACK

    @property
    def _thumb(self) -> range:
        return thumb_of(len(self.window), len(self.within), self.top)

    def on_mouse_down(self, event: MouseDown) -> None:
        """Grab the scrollbar's thumb, or scroll a page on a click beside it."""
        row = event.y - self.window.start
        if self.hidden and event.x == self.size.width - 1 and event.y in self.window:
            if row in self._thumb:
                self.capture_mouse()
            else:
                self.scroll_lines(len(self.window) if row > self._thumb.start else -len(self.window))

    def on_mouse_move(self, event: MouseMove) -> None:
        """Move the thumb with the mouse that holds it."""
        way = len(self.window) - len(self._thumb) if self.hidden else 0
        if way and self.app.mouse_captured is self:
            row = event.y - self.window.start - len(self._thumb) // 2
            self.scroll_lines(round(row * self.hidden / way) - self.top)

    def on_mouse_up(self) -> None:
        """Release the thumb."""
        self.release_mouse()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_lines(_WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_lines(-_WHEEL)

    def render(self) -> Content:
        """Return all visible lines."""
        return Content("\n").join(map(without_explanations, self._lines))

    def explain(self, x: int, y: int) -> Explanation | None:
        """Return the meaning of the sign at a place; None if nothing is drawn there."""
        return explanation_at(self._lines[y], x) if y < len(self._lines) else None

    def notify_style_update(self) -> None:
        """Redraw in other colours."""
        self._inks.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Draw one of the lines."""
        # Textual's own way from words to strips takes five times as long
        line = self._over.get(y) or (self._lines[y] if y < len(self._lines) else Content())
        line = without_explanations(line)
        pieces = line.render(self.visual_style, end="", parse_style=self._ink)
        ground = self.visual_style.rich_style
        return Strip([Segment(words, style.rich_style) for words, style in pieces]).adjust_cell_length(
            self.size.width, ground
        )

    def _ink(self, style: str | Style) -> Style:
        """Return a style by name; cached."""
        found = self._inks.get(style)
        if found is None:
            found = self._inks[style] = self.style_of(style)
        return found


def code_lines(codes: Iterable[Text | str], names: Iterable[Text | str]) -> Iterator[Content]:
    """Yield the meanings of short names, after a blank line."""
    yield Content()
    for code, name in zip(codes, names, strict=True):
        line = Content.assemble((_words(code), "bold $ink"), " ", (_words(name), "$ink-dim"))
        yield explained(line, text("{code} is short for {name}.", code=code, name=name))


def heading(words: str, meaning: Text) -> Content:
    """Return a heading that explains itself."""
    return explained((words, "bold $gold"), meaning)


def sentence_lines(sentence: Text | str, style: str, width: int) -> Sequence[Content]:
    """Return a sentence in lines of a width; a word wider than that is broken after its slash, if any."""
    room = max(8, width)
    words = _words(sentence).split(" ")
    broken = [word.replace("/", "/ ") if cell_len(word) > room else word for word in words]
    return wrapped_with_figures(Content.styled(" ".join(broken), style), room)


def wrapped_with_figures(sentence: Content, width: int) -> list[Content]:
    """Return a sentence in lines of a width, none of which begins with the figure of the word before it.

    Of long lines none ends with the figure of the word behind it either.
    """
    words = glued_figures(sentence.plain)
    if width >= _LONG:
        words = _AFTER_FIGURE.sub(GLUE, words)
    return wrapped_with_glue(Content(words, [*sentence.spans]), width)


def glued_figures(words: str) -> str:
    """Return words with `GLUE` between figures and the words before them."""
    return _BEFORE_FIGURE.sub(GLUE, words)


def wrapped_with_glue(words: Content, width: int) -> list[Content]:
    """Return words in lines of a width, none of them broken at `GLUE`, which becomes a blank."""
    lines = words.wrap(max(8, width))
    return [Content(line.plain.replace(GLUE, " "), [*line.spans]) for line in lines]


def _words(said: Text | str) -> str:
    return said if isinstance(said, str) else render(said)


def packed(parts: Iterable[Content], width: int, indent: int) -> Content:
    """Return parts one after the other; one that does not fit starts a new, indented line."""
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
