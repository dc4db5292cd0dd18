"""Rules, rulings and keys, section by section."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar, Final, NamedTuple, TypeAlias

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Leave, MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kk_core.text import text
from kk_tui.games import Appearance
from kk_tui.i18n import _, ngettext
from kk_tui.keymap import ON_BOARDS, Action
from kk_tui.keys_page import keys_chapter
from kk_tui.rules_pages import Block, HelpDrawing, HelpTable, Paragraph, Section, sections
from kk_tui.screens.base import KkScreen
from kk_tui.terminal.widgets import SizedInAdvance
from kk_tui.widgets.canvas import Canvas, thumb_of

Place = tuple[int, int]
"""Chapter and section."""

Styles: TypeAlias = tuple[tuple[str, str], ...]
"""Patterns, and the styles of what they match in a drawing."""

_INDENT: Final = 4
"""Columns for the mark of a list."""

_UNDER: Final = 2
"""Columns before a section in the index, under the title of its text."""

_GAP: Final = 2
"""Columns between two columns of a table."""

_NARROWEST: Final = 8
"""Columns that a cell keeps when its table is too wide."""

_KEPT: Final = 256
"""Sections in the cache: all of three games, at some widths."""

_WIDE: Final = 120
"""Screen columns from which the index is wide."""

_WIDEST: Final = 84
"""Maximum columns of the text; longer lines are hard to read."""

_BESIDE: Final = 4
"""Columns of the page without text: two before it, one after it and the scrollbar."""

_DRAWN: Final = {
    r"[─│┌┐└┘├┤┬┴┼╲╱]+": "$ink-line",
    r"(?<!\S)[a-j](?!\S)": "bold $gold",
    r"(?<![^\s─])A●": "bold $seat-0",
    r"(?<!\S)B■": "bold $seat-1",
    r"(?<!\S)C▲": "bold $seat-2",
    r"§": "bold $gold",
}
"""What is coloured in drawings."""

_REVERSED: Final = Style(reverse=True)

_WHEEL: Final = 2
"""Rows that one step of the mouse wheel scrolls the index."""


class _Entry(NamedTuple):
    """A section in the index: its title in the rows from `start` on."""

    place: Place
    start: int
    rows: Sequence[str]

    @property
    def end(self) -> int:
        return self.start + len(self.rows)


class Book(SizedInAdvance, Canvas[None], ScrollView, can_focus=True):
    """All sections of a chapter, one below the other, beside an index that follows the reader.

    A single widget draws it all: further ones, built for each reader, would each cost as much as the text.
    """

    DEFAULT_CSS = "Book { height: 1fr; overflow: hidden; }"

    allow_vertical_scroll = True  # although Textual's scrollbar, a widget, is hidden

    class Moved(Message):
        """Another section is at the top of the page."""

    def __init__(self) -> None:
        super().__init__(id="book")
        self._chapters: Sequence[Sequence[Section]] = ()
        self._drawn_in: Sequence[Styles] = ()
        self.at: Place = (0, 0)
        self._room = Size(0, 0)
        self._laid_out: object = None  # the texts, the chapter and the size
        self._lines: list[Content] = []
        self.starts: list[int] = []
        """The line on which each section of the chapter begins; empty before there is room for any."""
        self._index: list[_Entry] = []
        self._top = 0  # the first row of the index that is shown
        self._hovered: _Entry | None = None
        self._drags = False

    # -- reading ---------------------------------------------------------------------------------------------

    def show(self, chapters: Sequence[Sequence[Section]], at: Place, styles: Sequence[Styles] = ()) -> None:
        """Show other texts, starting at a section; `styles` are those of the drawings of the first texts."""
        self._chapters, self._drawn_in = chapters, styles
        self.open(at)

    def open(self, at: Place) -> None:
        """Bring a section to the top of the page."""
        self.at = at
        self._lay_out()
        self._go_there()

    def turn(self, by: int) -> None:
        """Move to another section, if there is one."""
        places = [(i, j) for i, chapter in enumerate(self._chapters) for j in range(len(chapter))]
        wanted = places.index(self.at) + by
        if 0 <= wanted < len(places):
            self.open(places[wanted])

    def read_on(self) -> None:
        """Scroll a page down or, at the end of a text, go on to the next one."""
        if self.scroll_offset.y < self.max_scroll_y:
            self.scroll_page_down(animate=False)
        else:
            self.turn(1)

    @property
    def read(self) -> tuple[str, int]:
        """The title of the text, and the percentage of it that has been read."""
        read = 100 * self.scroll_offset.y // self.max_scroll_y if self.max_scroll_y else 100
        return self._chapters[self.at[0]][0].title, read

    def _go_there(self) -> None:
        if self.starts:
            self.scroll_to(y=self.starts[self.at[1]], animate=False, force=True, immediate=True)
            self._point()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the reader in the index."""
        super().watch_scroll_y(old_value, new_value)
        if self.starts:
            self.at = self.at[0], bisect_right(self.starts, self.scroll_offset.y) - 1
            self._point()

    def _point(self) -> None:
        """Scroll the index to the current entry, with the start of an entry in the first row."""
        height, entry = self._room.height, next(entry for entry in self._index if entry.place == self.at)
        if not self._top <= entry.start < entry.end <= self._end(self._top):
            fitting = (each.start for each in self._index if entry.end - each.start <= height - 1)
            self._top = entry.start if entry.start < self._top else min(fitting, default=entry.start)
        self._scroll_index(min(self._top, entry.start))
        self.post_message(self.Moved())

    # -- layout ----------------------------------------------------------------------------------------------

    def take_size(self, size: Size) -> bool:
        """Lay the text out for a new size before anything is drawn in it."""
        is_other, self._room = size != self._room, size
        self._lay_out()
        return is_other

    def size_taken(self) -> None:
        """Show the section that was in view before."""
        self._go_there()

    def _lay_out(self) -> None:
        laid_out = self._chapters, self.at[0], self._room
        if laid_out == self._laid_out or not (self._chapters and self._room):
            return
        self._laid_out, self._lines, self.starts, self._hovered = laid_out, [], [], None
        width, height = self._room
        for section in self._chapters[self.at[0]]:
            self.starts.append(len(self._lines))
            room = min(_WIDEST, width - self._index_width - _BESIDE)
            styles = next(iter(self._drawn_in[self.at[0] : self.at[0] + 1]), ())
            self._lines += section_lines(section, room, self.glyphs["bullet"], self.glyphs["h"], styles)
        self._index = self._entries(self._index_width - 3)
        # its scrollbar takes a column
        if self._index[-1].end > height:
            self._index = self._entries(self._index_width - 4)
        # so that the last section can be scrolled to the top
        whole = Size(width, max(len(self._lines), self.starts[-1] + height))
        self.set_reactive(ScrollView.virtual_size, whole)  # without another layout: its height is unchanged
        self.refresh()

    @property
    def _indent(self) -> int:
        """Columns left free on either side of the text."""
        return max(0, self._room.width - self._index_width - _BESIDE - _WIDEST) // 2

    @property
    def _index_width(self) -> int:
        return 36 if self._room.width >= _WIDE else 24

    def _entries(self, width: int) -> list[_Entry]:
        """Return all sections of the current text, and the titles of the others."""
        entries, row = list[_Entry](), 0
        for i, chapter in enumerate(self._chapters):
            for j, section in enumerate(chapter if i == self.at[0] else chapter[:1]):
                rows = _title_rows(section.title, width, _UNDER if j else 0)
                entries.append(_Entry((i, j), row, rows))
                row += len(rows)
        return entries

    def render(self) -> Content:
        """Return the index and all lines, for callers that want the whole text."""
        titles = [Content(" ".join(row.strip() for row in entry.rows)) for entry in self._index]
        return Content("\n").join([*titles, *self._lines])

    # -- the index and the scrollbar -------------------------------------------------------------------------

    def _scroll_index(self, top: int) -> None:
        self._top = max(0, min(top, self._index[-1].end - self._room.height))
        self.refresh()

    def _end(self, top: int) -> int:
        """Return the row after the last entry's; the last row in view may say how many more there are."""
        end = top + self._room.height
        return end - (end < self._index[-1].end)

    def _entry_in(self, y: int) -> _Entry | None:
        """Return the entry in a row of the screen."""
        row, end = self._top + y, self._end(self._top)
        found = next((entry for entry in self._index if entry.start <= row < entry.end), None)
        is_whole = found is not None and self._top <= found.start < found.end <= end
        return found if is_whole or (found is not None and found.place == self.at and row < end) else None

    def _entry_at(self, x: int, y: int) -> _Entry | None:
        return self._entry_in(y) if x < self._index_width - 1 else None

    def on_click(self, event: Click) -> None:
        """Open the section that was clicked in the index."""
        if entry := self._entry_at(event.x, event.y):
            self.open(entry.place)

    def on_mouse_down(self, event: MouseDown) -> None:
        """Grab the scrollbar."""
        if event.x == self._room.width - 1:
            self._drags = True
            self.capture_mouse()
            self._drag(event.y)

    def on_mouse_up(self, _event: MouseUp) -> None:
        """Release the scrollbar."""
        if self._drags:
            self._drags = False
            self.release_mouse()
            self.refresh()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Move the page by its scrollbar, or highlight the entry under the mouse."""
        if self._drags:
            self._drag(event.y)
        else:
            self._hover(self._entry_at(event.x, event.y))

    def _drag(self, y: int) -> None:
        self.scroll_to(y=round(self.max_scroll_y * y / max(1, self._room.height - 1)), animate=False)
        self.refresh()

    def on_leave(self, _event: Leave) -> None:
        """Clear the highlight."""
        self._hover(None)

    def _hover(self, entry: _Entry | None) -> None:
        if entry != self._hovered:
            self._hovered = entry
            self.refresh()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll the index, if the mouse is over it."""
        self._turn_wheel(event, _WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll the index, if the mouse is over it."""
        self._turn_wheel(event, -_WHEEL)

    def _turn_wheel(self, event: MouseScrollDown | MouseScrollUp, by: int) -> None:
        if event.x < self._index_width:  # over the page, Textual scrolls it
            event.stop().prevent_default()
            self._scroll_index(self._top + by)

    # -- drawing ---------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw a row of index and page."""
        width, page = self._room.width, self.ink("ink", on="ground")
        if not self._index:
            return Strip.blank(width, page)
        first = self.scroll_offset.y
        rule = Segment(self.glyphs["v"], self.ink("ink-line", on="ground"))
        # drawn row by row, since most of a text is never seen
        words = self.pieces(self._lines[first + y]) if first + y < len(self._lines) else []
        row = Strip([*self._index_row(y), rule, Segment(" " * (2 + self._indent), page), *words])
        ink = "gold" if self._drags else "ink-line"
        bar = self._bar(y, first, self.virtual_size.height, ink)
        return Strip([*row.adjust_cell_length(width - 1, page), bar], width)

    def _index_row(self, y: int) -> Iterator[Segment]:
        rows, row, room = self._index[-1].end, self._top + y, self._index_width - 1
        has_bar = rows > self._room.height
        room -= has_bar
        entry = self._entry_in(y)
        if row < rows and row >= self._end(self._top):
            n = sum(each.end > row for each in self._index)
            more = ngettext("{n} more", "{n} more", n)
            yield Segment(f" {self.glyphs['down']} ", self.ink("gold", on="ground"))
            yield Segment(set_cell_size(more, room - 3), self.ink("ink-dim", on="ground"))
        elif entry is None:
            yield Segment(" " * room, self.ink("ink", on="ground"))
        else:
            words = set_cell_size(f" {entry.rows[row - entry.start]}", room)
            is_here, on = entry.place == self.at, "ground-deep" if entry == self._hovered else "ground"
            yield Segment(
                words,
                self.ink("cursor-ink", on="cursor", bold=True) if is_here
                else self.ink("ink", on=on, bold=not entry.place[1]),
            )  # fmt: skip
        if has_bar:
            yield self._bar(y, self._top, rows)

    def _bar(self, y: int, first: int, rows: int, ink: str = "ink-line") -> Segment:
        """Return a cell of a scrollbar, with `rows` rows shown from `first` on."""
        height = self._room.height
        style = self.ink(ink, on="ground-deep")
        is_thumb = rows > height and y in thumb_of(height, rows, first)
        return Segment(" ", style + _REVERSED if is_thumb else style)


@lru_cache(_KEPT)
def _title_rows(title: str, width: int, indent: int) -> list[str]:
    return [" " * indent + line.plain for line in Content(title).wrap(width - indent)]


@lru_cache(_KEPT)
def section_lines(
    section: Section, width: int, bullet: str, rule: str, styles: Styles = ()
) -> tuple[Content, ...]:
    """Lay a section out in lines of at most `width` columns: heading, blocks, and space before the next one.

    `bullet` marks a list, `rule` is a piece of a line, `styles` are those of drawings. The lines are shared
    by all apps of a process.
    """
    lines = [Content.styled(section.title, "bold $gold")]
    was_tight = False
    for block in section.blocks:
        is_tight = isinstance(block, Paragraph) and block.is_tight
        if not (is_tight and was_tight):
            lines.append(Content())
        was_tight = is_tight
        lines += _block_lines(block, max(_NARROWEST, width), bullet, rule, styles)
    return (*lines, Content(), Content())


def _block_lines(block: Block, width: int, bullet: str, rule: str, styles: Styles) -> Iterator[Content]:
    indent = _INDENT * block.depth
    if isinstance(block, HelpDrawing):
        yield from (_drawn(line[:width], styles) for line in block.lines)
        return
    if isinstance(block, HelpTable):
        lines: Iterable[Content] = _table_lines(block, width - indent, rule)
        mark = ""
    else:
        lines = block.words.wrap(width - indent)
        mark = bullet if block.mark == "-" else block.mark
    for line in lines:
        yield Content.assemble((f"{mark:>{max(0, indent - 1)}}", "$gold"), " " if indent else "", line)
        mark = ""


def _drawn(line: str, styles: Styles) -> Content:
    """Return a line of a drawing, with faint frames and marked letters, which a list explains."""
    content = Content.styled(line, "$ink")
    for pattern, style in (*_DRAWN.items(), *styles):
        for found in re.finditer(pattern, line):
            content = content.stylize(style, *found.span())
    return content


def _table_lines(table: HelpTable, width: int, rule: str) -> Iterator[Content]:
    widths = _column_widths(table, width)
    head, *body = table.rows
    are_figures = [all(_is_figure(row[column]) for row in body) for column in range(len(head))]
    yield from _row_lines([Content.styled(cell.plain, "$gold") for cell in head], widths, are_figures)
    yield Content.styled(rule * (sum(widths) + _GAP * (len(widths) - 1)), "$ink-line")
    for row in body:
        yield from _row_lines(row, widths, are_figures)


def _column_widths(table: HelpTable, width: int) -> list[int]:
    """Return the widths of the widest cells; if too wide together, the widest columns are narrowed."""
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


class HelpScreen(KkScreen):
    """The rules of the table's game, or of all games if there is no table; and the keys.

    `section` is the slug of the section to start with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # with priority, since the focused book scrolls with these keys
        Binding("right,tab", "turn(1)", show=False, priority=True),
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("enter,space", "read_on", show=False, priority=True),
    ]

    def __init__(self, section: str | None = None, game: str = "") -> None:
        super().__init__()
        self._wanted = section
        self._game = game

    def body(self) -> ComposeResult:
        """Compose the book."""
        yield Book()

    @cached_property
    def _book(self) -> Book:
        return self.query_one(Book)

    def on_mount(self) -> None:
        """Open the book at the wanted section."""
        self.say(_("Up, down: scroll. Left, right, or a click in the index: other sections."))
        rules = dict(self._rules())
        face = self.kk.store.face
        keys = keys_chapter(ON_BOARDS if face is None else face.keys)
        chapters = [*rules.values(), keys, *([[seal]] if (seal := self._seal()) else [])]
        first = list(rules).index(self._game) if self._game in rules else 0
        wanted = (
            (i, j)
            for i, chapter in enumerate(chapters)
            for j, section in enumerate(chapter)
            if section.slug == self._wanted
        )
        styles = [tuple(self._shown[game].drawn.items()) for game in rules]
        self._book.show(chapters, next(wanted, (first, 0)), styles)

    def on_book_moved(self) -> None:
        """Show in the title where the reader is."""
        title, read = self._book.read
        self.title_line(_("Rules & help  |  {title}  |  {read} %", title=title, read=read))

    def _rules(self) -> Iterator[tuple[str, Sequence[Section]]]:
        for game, appearance in self._shown.items():
            twins = appearance.twins if self.kk.glyphs.ascii_only else None
            if written := sections(game, self.kk.languages, twins=twins):
                yield game, written

    @property
    def _shown(self) -> Mapping[str, Appearance]:
        """The games whose rules are shown: that of the table, or all."""
        face = self.kk.store.face
        return {face.meta.id: face} if face else self.kk.games

    def _seal(self) -> Section | None:
        """Return the section about the seed, which proves that nobody chose it afterwards."""
        scene = self.kk.store.scene
        if scene is None:
            return None
        digest, seed = scene.match.commitment.hex(), scene.match.seed
        head = _("All shuffles follow from one seed. Its SHA-256 was shown before the first move:")
        if seed is None:
            tail = [
                _("After the last move the seed itself is revealed, and anybody can check that it matches.")
            ]
        else:
            tail = [_("The match is over, and this is the seed:"), seed.hex()]
        said = tuple(Paragraph(Content(words)) for words in (head, digest, *tail))
        return Section("shuffles", _("Shuffles"), said)

    def actions(self) -> Sequence[Action]:
        """Return reading on, other sections, back."""
        return (
            Action("do", text("read on")),
            Action("next", text("next section")),
            Action("previous", text("section before")),
            Action("back"),
        )

    def action_turn(self, by: int) -> None:
        """Move to another section, if there is one."""
        self._book.turn(by)

    def action_read_on(self) -> None:
        """Read on."""
        self._book.read_on()
