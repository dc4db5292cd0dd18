"""The list of tables in the lobby: one row per table, but loaded only around the visible lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Leave, MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from kk_core.protocol.messages import MOST_LINES
from kk_core.views import TableLine
from kk_tui.i18n import ngettext
from kk_tui.terminal.painted_screen import PaintedScreen
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.runs import Row, Run

REST: Final = 3.0
"""Seconds after the last movement of the list, or of the mouse on it, until lines may change their order."""

MARKED: Final = 2.5
"""Seconds for which a changed line is marked."""

_AHEAD: Final = 1
"""Lines known out of sight on either side while nobody moves the list; while somebody does, it is a page.

Every change to a known line is sent, needlessly while it is out of sight; but without any margin, Enter would
not work yet on the first line that comes into view.
"""

_REVERSED: Final = Style(reverse=True)

_SIDES: Final = 4
"""Columns beside a line: one of the page and one of the line itself on either side."""

_NOT_KNOWN: Final[Row] = (("...", "ink-dim", False),)
"""The row of a line that is not known yet."""


@dataclass(frozen=True)
class Listing:
    """The lines to list: the user's own, then `total` others, of which those from `first` on are known.

    Another `kind` is a different list.
    """

    own: Sequence[TableLine] = ()
    others: Sequence[TableLine] = ()
    first: int = 0
    total: int = 0
    kind: str = ""

    @property
    def count(self) -> int:
        """The number of lines, known or not."""
        return len(self.own) + self.total

    def line(self, index: int) -> TableLine | None:
        """Return the line at a place; None if it is not known."""
        if index < len(self.own):
            return self.own[index]
        place = index - len(self.own) - self.first
        return self.others[place] if 0 <= place < len(self.others) else None

    def places(self) -> dict[str, int]:
        """Return the places of known lines."""
        start = len(self.own) + self.first
        own = {line.id: place for place, line in enumerate(self.own)}
        return {line.id: place for place, line in enumerate(self.others, start)} | own


class TableList(Canvas[None], can_focus=True):
    """The list; posts `Chosen` for the table under the cursor and `Wanted` for lines that are not known.

    At the end is said how many more there are. The cursor stays on its table,
    wherever that moves; a line that has changed is marked for a moment.
    """

    DEFAULT_CSS = "TableList { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home", "end(-1)", show=False),
        Binding("end", "end(1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Chosen(Message):
        """A table was chosen."""

        def __init__(self, table: str) -> None:
            super().__init__()
            self.table = table

    class Pointed(Message, bubble=False):
        """Another table is under the cursor; `is_moved` if the user has moved it there."""

        def __init__(self, *, is_moved: bool) -> None:
            super().__init__()
            self.is_moved = is_moved

    class Wanted(Message, bubble=False):
        """`size` of the other lines are needed, from `first` on."""

        def __init__(self, first: int, size: int) -> None:
            super().__init__()
            self.first, self.size = first, size

    def __init__(
        self,
        row_of: Callable[[TableLine, int], Row],
        *,
        id: str,  # noqa: A002
    ) -> None:
        """`row_of` returns a line in so many columns."""
        super().__init__(id=id)
        self._row_of = row_of
        self._listing = Listing()
        self._later: Listing | None = None  # shown once the list is no longer being moved
        self._cursor: int | None = None
        self._table: str | None = None  # the one under the cursor, if it is known
        self._told: str | None = None  # the one that the screen has been told of
        self._top = 0
        self._begins = 0, 0
        self._is_away = False  # whether the list was scrolled away from the cursor
        self._made: dict[str, tuple[TableLine, int, Row]] = {}
        self._marked: dict[str, float] = {}
        self._hovered: int | None = None
        self._hovered_at = -REST
        self._moved_at = -REST
        self._drags = False
        self._asked: tuple[int, int] | None = None
        self._drawn: list[object] = []  # the content of each row, to detect changes
        self._indices: list[int | None] = []  # and its line
        self._width = self._height = self._height_wanted = 0
        self._later_on: dict[str, asyncio.TimerHandle] = {}
        self.display = False  # until there is something to list

    # -- what is listed --------------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        """The number of lines, known or not."""
        return self._listing.count

    @property
    def cursor(self) -> int | None:
        """The place of the line under the cursor."""
        return self._cursor

    @property
    def pointed(self) -> str | None:
        """The table under the cursor."""
        return self._table

    @property
    def pointed_line(self) -> TableLine | None:
        """The line under the cursor, if it is known."""
        return None if self._cursor is None else self._listing.line(self._cursor)

    @property
    def place(self) -> tuple[int, int]:
        """The place of the cursor, and the first visible line."""
        return self._cursor or 0, self._top

    def begin_at(self, place: tuple[int, int]) -> None:
        """Start at the place where the list was last left."""
        self._begins = place

    @property
    def _moves(self) -> bool:
        return monotonic() - self._moved_at < REST

    @property
    def _is_aimed_at(self) -> bool:
        """True while the user is about to choose a line, by keys or by the mouse."""
        is_hovered = self._hovered is not None and monotonic() - self._hovered_at < REST
        return self._moves or is_hovered

    def show(self, listing: Listing, here: str | None = None) -> None:
        """List these lines; the cursor starts on the table `here`, if that is one of them."""
        before = self._listing
        is_asked = listing.kind != before.kind or self._is_answered(listing)
        if is_asked:
            self._asked = None
        is_other_order = list(listing.places()) != list(before.places())
        # lines that change places under the user's cursor or mouse would be chosen by mistake
        if self._is_aimed_at and not is_asked and is_other_order:
            self._hold(listing)
        else:
            self._later = None
            self._take(listing, here, is_asked=is_asked)

    def _is_answered(self, listing: Listing) -> bool:
        """Return whether these are the lines that were requested."""
        if self._asked is None:
            return False
        first, size = self._asked
        return listing.first == first and len(listing.others) == max(0, min(size, listing.total - first))

    def _hold(self, listing: Listing) -> None:
        """Show changes within the lines, but keep their order while the list is being moved."""
        self._later = listing
        new = {line.id: line for line in (*listing.own, *listing.others)}
        old = self._listing
        self._take(
            replace(
                old,
                own=[new.get(line.id, line) for line in old.own],
                others=[new.get(line.id, line) for line in old.others],
            ),
            None,
            is_asked=False,
        )
        self._after("rest", REST, self._rest)

    def _rest(self) -> None:
        if self._later is None:
            return
        if self._is_aimed_at:
            self._after("rest", REST, self._rest)
        else:
            listing, self._later = self._later, None
            self._take(listing, None, is_asked=False)

    def _take(self, listing: Listing, here: str | None, *, is_asked: bool) -> None:
        before, self._listing = self._listing, listing
        if not is_asked and self._is_out_of_sight(before, listing):
            return
        self._measure()
        # what was only just requested is new, but not changed
        if not is_asked and before.kind:
            self._mark(before, listing)
        self._follow(before, listing, here)
        for table in self._made.keys() - listing.places().keys():
            del self._made[table]
        self.refresh_changed()

    def _is_out_of_sight(self, before: Listing, now: Listing) -> bool:
        """Return whether only lines out of sight have changed."""
        parts = [
            (each.kind, len(each.own), each.first, len(each.others), each.total) for each in (before, now)
        ]
        shown = {index for index in (*self._indices, self._cursor) if index is not None}
        is_drawn = bool(self._drawn) and parts[0] == parts[1]
        return is_drawn and all(now.line(index) is before.line(index) for index in shown)

    def _follow(self, before: Listing, listing: Listing, here: str | None) -> None:
        """Keep the cursor on its table and in its row, or keep visible what the user has scrolled to."""
        places, old, first = listing.places(), self._cursor, before.line(self._top)
        if before.kind != listing.kind:
            self._top, self._table, old, self._is_away = 0, self._table or here, None, False
            if not before.kind:
                old, self._top = self._begins
        if not listing.count:
            self._cursor = self._table = None
            self._top = 0
            return
        if self._table in places:
            self._cursor = places[self._table]
            # the first line is pushed down instead, as nothing would show what comes above it
            if old is not None and (old or self._moves) and not self._is_away:
                self._top += self._cursor - old
        else:
            self._cursor = min(old or 0, listing.count - 1)
        if self._is_away and first is not None:
            self._top = places.get(first.id, self._top)
        self._know()
        self._top = max(0, min(self._top, listing.count - 1))
        self._keep_in_sight()

    def _know(self, *, is_moved: bool = False) -> None:
        line = self.pointed_line
        self._table = None if line is None else line.id
        if self._table != self._told:
            self._told = self._table
            # directly to the screen, since nothing between it and the list listens
            self.screen.post_message(self.Pointed(is_moved=is_moved))

    def _mark(self, before: Listing, now: Listing) -> None:
        """Mark the lines that read differently."""
        old = {line.id: line for line in (*before.own, *before.others)}
        width = self._width
        for line in (*now.own, *now.others):
            was = old.get(line.id)
            if was is not None and was is not line and line.id in self._made:
                said = self._made[line.id][2]
                if said != self._made_row(line, width):
                    self._marked[line.id] = monotonic()
        if self._marked:
            self._after("mark", MARKED, self._unmark)

    def _unmark(self) -> None:
        now = monotonic()
        self._marked = {table: since for table, since in self._marked.items() if now - since < MARKED}
        if self._marked:
            self._after("mark", min(self._marked.values()) + MARKED - now + 0.01, self._unmark)
        self._draw_at_once()

    def _after(self, name: str, seconds: float, do: Callable[[], None]) -> None:
        """Do something once, later, and draw what it changes."""

        # one of Textual's timers has a task and sends messages, which takes longer than drawing a line
        def now() -> None:
            del self._later_on[name]
            if self.is_mounted and self.is_attached:
                do()

        # not postponed by later calls, or in a lively lobby it would never be done
        if name not in self._later_on:
            self._later_on[name] = asyncio.get_running_loop().call_later(seconds, now)

    def on_unmount(self) -> None:
        """Cancel what is scheduled."""
        for timer in self._later_on.values():
            timer.cancel()

    def time_passes(self) -> None:
        """Rebuild the lines that say how long somebody has been away."""
        kept = {
            table: made
            for table, made in self._made.items()
            if all(seat.owner is None or seat.online for seat in made[0].seats)
        }
        if len(kept) < len(self._made):
            self._made = kept
            self.refresh_changed()

    # -- measures and rows in sight --------------------------------------------------------------------------

    def _measure(self) -> None:
        """Measure the room for lines."""
        width, self._height = self.size
        # with a column for a scrollbar, shown or not, so that lines keep their places when it appears
        self._width = max(1, width - _SIDES - 1)

    def _made_row(self, line: TableLine, width: int) -> Row:
        made = self._made.get(line.id)
        if made is None or made[0] is not line or made[1] != width:
            self._made[line.id] = made = line, width, self._row_of(line, width)
        return made[2]

    def _row_at(self, index: int) -> Row:
        line = self._listing.line(index)
        return _NOT_KNOWN if line is None else self._made_row(line, self._width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the rows that the lines take, at most those of the screen."""
        self._height_wanted = min(viewport.height, self._listing.count)
        return self._height_wanted

    def _shown(self, top: int) -> tuple[range, bool]:
        """Return the lines from this one on that fit, and whether a row says there are more."""
        count = self._listing.count
        if count - top <= self._height:
            return range(top, count), False
        return range(top, top + max(1, self._height - 1)), True

    def _keep_in_sight(self) -> None:
        """Leave no space below the last line, and bring the cursor into view unless scrolled away."""
        if self._cursor is None or not self._height:
            return
        self._top = min(self._top, self._last_top())
        if self._is_away:
            return
        if self._cursor < self._top:
            self._top = self._cursor
        elif self._cursor not in self._shown(self._top)[0]:
            # so that it is the last one above the row that says there are more
            self._top = min(self._last_top(), self._cursor - max(1, self._height - 1) + 1)

    def _last_top(self) -> int:
        """Return the first visible line when the list is scrolled to its end."""
        return max(0, self._listing.count - max(1, self._height))

    def _want(self) -> None:
        """Request unknown lines around the visible ones, or fewer if many are known far away."""
        listing, page = self._listing, max(1, self._height)
        top = self._top - len(listing.own)
        margin = max(0, min(page if self._moves else _AHEAD, (MOST_LINES - page) // 2))
        near = (margin + 1) // 2  # with fewer than this, it is time to ask
        first, last = max(0, top - near), min(listing.total, top + page + near)
        known = listing.first, listing.first + len(listing.others)
        is_known = last <= first or (known[0] <= first and last <= known[1])
        start = max(0, top - margin)
        wanted = start, max(1, min(MOST_LINES, top + page + margin - start))
        # every change to a known line is sent, needed or not
        is_much = not self._moves and len(listing.others) > wanted[1]
        if self._moves:
            self._after("window", REST, self._want)
        if (is_known and not is_much) or wanted == self._asked:
            return
        self._asked = wanted
        self.screen.post_message(self.Wanted(*wanted))

    # -- moving ----------------------------------------------------------------------------------------------

    def _go(self, cursor: int, top: int | None = None) -> None:
        """Move the cursor to a line, and the list so that it is visible."""
        self._measure()
        self._moved_at = monotonic()
        self._cursor = max(0, min(cursor, self._listing.count - 1))
        self._top, self._is_away = self._top if top is None else top, False
        self._know(is_moved=True)
        self._keep_in_sight()
        self._draw_at_once()

    def _draw_at_once(self) -> None:
        screen = self.screen
        if isinstance(screen, PaintedScreen):
            asked = self._asked
            # lines that are asked for belong to what the key does, and have yet to come
            self._measure()
            self._want()
            with screen.at_once(self, is_answer=self._asked == asked):
                self.refresh_changed()
        else:
            self.refresh_changed()

    def action_move(self, by: int) -> None:
        """Move to the next or previous line; past the end, to what is below the list."""
        if self._cursor is None or self._cursor + by >= self._listing.count:
            if by > 0:
                self.app.action_focus_next()
        elif self._cursor + by >= 0:
            self._go(self._cursor + by)

    def action_page(self, by: int) -> None:
        """Move a page down or up."""
        if self._cursor is not None:
            page = len(self._shown(self._top)[0])
            self._go(self._cursor + by * page, max(0, self._top + by * page))

    def action_end(self, which: int) -> None:
        """Move to the last line, or to the first."""
        if self._cursor is not None:
            self._go(self._listing.count - 1 if which > 0 else 0)

    def action_choose(self) -> None:
        """Choose the table under the cursor, if it is known."""
        if self._table is not None:
            self.post_message(self.Chosen(self._table))

    def _show_from(self, top: int) -> None:
        """Scroll; the cursor stays where it is."""
        top = max(0, min(top, self._last_top()))
        if top != self._top:
            self._moved_at, self._top = monotonic(), top
            self._is_away = self._cursor not in self._shown(top)[0]
            self._draw_at_once()

    # -- the mouse -------------------------------------------------------------------------------------------

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self._show_from(self._top + 1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self._show_from(self._top - 1)

    def on_click(self, event: Click) -> None:
        """Choose what was clicked."""
        index = self._index_at(event.y)
        if index is not None and not self._is_bar(event.x):
            self._go(index)
            self.action_choose()

    def on_mouse_down(self, event: MouseDown) -> None:
        """Grab the scrollbar."""
        if self._is_bar(event.x):
            self._drags = True
            self.capture_mouse()
            self._drag(event.y)

    def on_mouse_up(self, _event: MouseUp) -> None:
        """Release the scrollbar."""
        if self._drags:
            self._drags = False
            self.release_mouse()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Move the list by its scrollbar, or highlight the line under the mouse."""
        if self._drags:
            self._drag(event.y)
        else:
            self._hover(None if self._is_bar(event.x) else self._index_at(event.y))

    def on_leave(self, _event: Leave) -> None:
        """Clear the highlight."""
        self._hover(None)

    def _drag(self, y: int) -> None:
        self._show_from(round(self._last_top() * y / max(1, self._height - 1)))

    def _hover(self, index: int | None) -> None:
        self._hovered_at = monotonic()
        if index != self._hovered:
            self._hovered = index
            self.refresh_changed()

    def _is_bar(self, x: int) -> bool:
        return x >= self.size.width - 1 and len(self._shown(0)[0]) < self._listing.count

    def _index_at(self, y: int) -> int | None:
        return self._indices[y] if 0 <= y < len(self._indices) else None

    def on_focus(self) -> None:
        """Redraw the cursor."""
        self.refresh_changed()

    def on_blur(self) -> None:
        """Redraw the cursor."""
        self.refresh_changed()

    # -- drawing ---------------------------------------------------------------------------------------------

    def refresh_changed(self) -> None:
        """Draw the rows that differ from those on the screen."""
        hidden = None if self._listing.count else "none"  # None leaves it to the styles: it may be too small
        if self.styles.inline.get_rule("display", None) != hidden:
            self.styles.display = hidden
        if not (self.is_mounted and self.display):
            return
        self._measure()
        height = self._height
        before, self._drawn = self._drawn, []
        if self._needs_layout():
            self.refresh(layout=True)
            return
        self._want()
        self._drawn = self._keys()
        if len(before) != height:
            self.refresh()
            return
        pairs = zip(before, self._drawn, strict=True)
        changed = [y for y, (old, new) in enumerate(pairs) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def _needs_layout(self) -> bool:
        """Return whether its height may change."""
        height, before = self._height, self._height_wanted
        self._height_wanted = min(self.app.size.height, self._listing.count)
        # rows that do not fit change nothing
        is_full = before > height and self._height_wanted >= height
        return not height or (self._height_wanted != before and not is_full)

    def notify_style_update(self) -> None:
        """Redraw in other colours."""
        super().notify_style_update()
        self._drawn = []

    def forget(self) -> None:
        """Redraw in another size."""
        super().forget()
        self._made.clear()
        self._drawn = []
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Keep visible what was visible."""
        self._measure()
        if self._height:
            self._keep_in_sight()
            self.refresh_changed()

    def _keys(self) -> list[object]:
        """Return the content of every row, and note its line."""
        height = self._height
        shown, is_more = self._shown(self._top)
        bar = self._bar(len(shown), is_scrolled=is_more or self._top > 0)
        rows, self._indices = list[object](), list[int | None]()
        for index in shown:
            line = self._listing.line(index)
            is_marked = line is not None and line.id in self._marked
            self._indices.append(index)
            rows.append(_Row(self._row_at(index), self._ground(index), is_marked, bar(len(rows))))
        # a list of one row has none but that which says there are more
        del rows[height - is_more :]
        rows += [_Row((), "ground", False, bar(y)) for y in range(len(rows), height - is_more)]
        if is_more:
            rows.append(_More(self._listing.count - 1 - shown[-1], bar(height - 1)))
        return rows

    def _ground(self, index: int) -> str:
        if index == self._cursor:
            return "cursor" if self.has_focus else "ground-deep"
        return "hover" if index == self._hovered else "ground"

    def _bar(self, shown: int, *, is_scrolled: bool) -> Callable[[int], str | None]:
        """Return a function for the scrollbar's part in each row; None if there is none."""
        if not is_scrolled:
            return lambda _: None
        height, most = self._height, self._last_top()
        thumb = max(1, min(height - 1, round(height * shown / self._listing.count)))
        start = round((height - thumb) * self._top / most) if most else 0
        return lambda y: "thumb" if start <= y < start + thumb else "track"

    def render_line(self, y: int) -> Strip:
        """Draw a row of the list."""
        if len(self._drawn) != self.size.height:
            self._measure()
            self._drawn = self._keys() if self._listing.count else []
        key = self._drawn[y] if y < len(self._drawn) else None
        if isinstance(key, _More):
            return self._strip(self._more(key.n), self.ink("ink", on="ground"), None, key.bar)
        if isinstance(key, _Row):
            return self._row(key)
        return Strip.blank(self.size.width, self.ink("ink", on="ground"))

    def _more(self, n: int) -> list[Segment]:
        """Return how many lines there are below, after the key that leads there."""
        return [
            Segment(f"{self.glyphs['down']} ", self.ink("gold", on="ground")),
            Segment(ngettext("{n} more", "{n} more", n), self.ink("ink-dim", on="ground")),
        ]

    def _row(self, key: _Row) -> Strip:
        is_lit = key.ground in ("cursor", "ground-deep")
        ground = "ground-deep" if key.ground == "hover" else key.ground
        lit = "cursor-ink" if key.ground == "cursor" else "ink"
        inks = [
            self.ink("seat-ink", on=ink, bold=True) if is_lit and ink.startswith("seat-")
            else self.ink(lit if is_lit else ink, on=ground, bold=bold or is_lit)
            for _, ink, bold in key.runs
        ]  # fmt: skip
        segments = [Segment(words, ink) for (words, _, _), ink in zip(key.runs, inks, strict=True)]
        sign = self.ink(lit if key.ground == "cursor" else "happened", on=ground)
        mark = Segment(self.glyphs["happened"], sign) if key.is_marked else None
        blank = self.ink(lit if is_lit else "ink", on=ground)  # monochrome shows dark on light reversed
        return self._strip(segments, blank, mark, key.bar)

    def _strip(self, segments: list[Segment], ground: Style, mark: Segment | None, bar: str | None) -> Strip:
        """Return a row between its margins, and the scrollbar."""
        page = self.ink("ink", on="ground")
        room = self.size.width - _SIDES - (bar is not None)
        free = room - sum(segment.cell_length for segment in segments)
        words: Iterable[Segment] = (*segments, Segment(" " * max(0, free), ground))
        if free < 0:
            words = Strip(segments).crop(0, room)
        thumb = self.ink("ink-line", on="ground-deep") + _REVERSED
        bars = {"thumb": thumb, "track": self.ink("ink", on="ground-deep")}
        right = [] if bar is None else [Segment(" ", bars[bar])]
        return Strip(
            [
                Segment(" ", page),
                mark or Segment(" ", ground),
                *words,
                Segment(" ", ground),
                Segment(" ", page),
                *right,
            ],
            self.size.width,
        )


class _Row(NamedTuple):
    """Everything that the look of a row depends on; it is part of a line, or blank."""

    runs: Sequence[Run]
    ground: str
    is_marked: bool
    bar: str | None


class _More(NamedTuple):
    """The row that says how many lines there are below."""

    n: int
    bar: str | None
