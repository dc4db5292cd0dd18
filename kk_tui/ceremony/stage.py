"""What a ceremony lays over the table: large letters over the board, a scoring over or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from kk_core.text import Text, text
from kk_core.types import Seat
from kk_tui.ceremony import Banner, Bar, Step, Tally
from kk_tui.i18n import _, render
from kk_tui.pixels import halves, large
from kk_tui.widgets.canvas import Canvas

Words: TypeAlias = list[tuple[str, str, str | None, bool]]
"""Parts of a line: words, theme variables of ink and ground (None: that of the stage), whether bold."""

_GROUND: Final = "ground-deep"
_FIGURE: Final = 4
"""Columns of a seat's points in the table of what is counted already; one less where labels need it."""

_UNIT: Final = 10
"""Columns of one of the things that a bar counts, at most."""

_NAMES: Final = 34
"""Columns from which on everybody's bar has a name."""

_TWO: Final = 70
"""Columns from which on the table of what is counted already stands beside the bars."""

_THICK: Final = 5
_THICKEST: Final = 7
"""Lines of a bar, at most; and at the end, when there is but one for each seat."""

_SCROLLED: Final = 3
"""Lines from which on the table can be scrolled: one between two sums."""

_GAP: Final = 5
"""Free lines between those of the table, at most."""


class Stage(Canvas[None]):
    """Drawn over the table while a step has something to show there, otherwise not there at all."""

    DEFAULT_CSS = """
    Stage { layer: stage; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="stage")
        self._lines: list[Words] = []
        self._shown: tuple[Step | None, Region, Region] = None, Region(), Region()
        self.hidden = 0  # lines of the table that are only in a sum
        self._back = 0  # how many of the newest ones are

    def play(self, step: Step | None, board: Region, side: Region) -> None:
        """Show what a step has for the stage; the regions are those of the board and of what is beside it."""
        if step is not self._shown[0]:
            self._back = 0
        self._shown = step, board, side
        self._lay_out(*self._shown)

    def scroll(self, lines: int) -> bool:
        """Go so many lines on in the table of what is counted, or back; False where there are no others."""
        if not self.hidden:
            return False
        back = self._back - lines
        if back == 1:  # a sum of one line is that line
            back += 1 if lines < 0 else -1
        self._back = max(0, min(self.hidden, back))
        self._lay_out(*self._shown)
        return True

    def on_mouse_scroll_down(self) -> None:
        """Scroll the table of what is counted."""
        self.scroll(1)

    def on_mouse_scroll_up(self) -> None:
        """Scroll the table of what is counted."""
        self.scroll(-1)

    def _lay_out(self, step: Step | None, board: Region, side: Region) -> None:
        shown, self.hidden = step and (step.banner or step.tally), 0
        if not shown:
            self.display = False
            return
        if isinstance(shown, Banner):
            self._lines = banner_lines(shown, board.width - 4, ascii_only=self.glyphs.ascii_only)
            width = 4 + max(cell_len(words) for line in self._lines for words, *_rest in line)
            self._place(_middle(board, width, len(self._lines) + 2))
        elif shown.over_board:
            whole = board.union(side)
            self._lines = self.tally_lines(shown, whole.width - 4, whole.height - 1)
            self._place(whole)
        else:
            self._lines = self.tally_lines(shown, side.width - 3, side.height - 1)
            self._place(side)
        self._lines.insert(0, [])
        self.refresh()

    def _place(self, region: Region) -> None:
        self.styles.offset = region.offset
        self.styles.width, self.styles.height = region.width, region.height
        self.display = True

    def make_painter(self) -> None:
        """Nothing is kept for a size."""

    def render_line(self, y: int) -> Strip:
        """A line of what is shown, with a margin around it."""
        ground = self.ink("ink", on=_GROUND)
        parts = [Segment("  ", ground)]
        for words, colour, on, bold in self._lines[y] if y < len(self._lines) else ():
            parts.append(Segment(words, self.ink(colour, on=on or _GROUND, bold=bold)))
        return Strip(parts).adjust_cell_length(self.size.width, ground)

    def tally_lines(self, tally: Tally, width: int, height: int) -> list[Words]:
        """A scoring: the totals, the line that is being counted, and as a table what is counted already."""
        is_wide = width >= _TWO
        room = (width - _FIGURE) // 2 if is_wide else width
        thick = _thickness(tally, height, has_table=not is_wide)
        bars = [*self._totals(tally, room, thick)]
        if not tally.is_done:
            bars += self._now(tally, room, thick)
        table = list(self._table(tally, room, height - 2 - (0 if is_wide else len(bars))))
        at = "" if tally.is_done else f"  {tally.counted}/{len(tally.bars)}"
        head: list[Words] = [
            [(render(tally.title), "gold", None, True), (at, "ink-dim", None, False)],
            [],
        ]
        if not is_wide:
            return [*head, *bars, *table]
        blank: Words = []
        pairs = zip_longest(bars, table, fillvalue=blank)
        return [*head, *([*_padded(left, room + _FIGURE), *right] for left, right in pairs)]

    def _table(self, tally: Tally, width: int, height: int) -> Iterator[Words]:
        """What is counted already, as many lines as fit between the sums of what was before and after: all of
        it makes up the totals. Below, what is to come, as far as there is room for it."""
        if height < 3:
            return
        names, columns = self._heads(tally, width)
        blank = " " * max(0, width - columns * len(names))
        yield []
        yield [
            (blank, "ink", None, False),
            *((f"{name:>{columns}}", f"seat-{seat}", None, True) for seat, name in enumerate(names)),
        ]
        gap = max(0, min(_GAP, (height - 2) // max(1, _listed(tally)) - 1))
        shown, room = self._in_lines(tally, height - 2), max(0, width - columns * len(names))
        # countries have a colour: what is alike is called alike, by name or by code
        too_long = {bar.colour is None for bar in tally.bars if cell_len(self._label(bar)) > room}
        for bar in shown:
            is_now = bar is tally.now and not tally.is_done
            yield self._counted(bar, room, columns, is_short=(bar.colour is None) in too_long, is_now=is_now)
            yield from [[] for _ in range(gap)]

    def _in_lines(self, tally: Tally, room: int) -> list[Bar]:
        """So many lines of the table, as somebody has scrolled it."""
        done, start, nothing = tally.bars[: tally.counted], tally.start, (0,) * len(tally.names)
        too_many = max(0, len(done) + any(start) - room)
        self.hidden = 1 + too_many if too_many and room >= _SCROLLED else 0
        self._back = min(self._back, self.hidden)
        end = len(done) - self._back
        first = max(0, end - max(0, room - 1 - bool(self._back))) if too_many else 0
        return [
            *_sum_of(text("before"), done[:first], start),
            *done[first:end],
            *_sum_of(text("after"), done[end:], nothing),
            *_to_come(tally, room - len(done) - any(start)),
        ]

    def _heads(self, tally: Tally, width: int) -> tuple[Sequence[str], int]:
        """What stands over the columns of the table, and how wide they are: names, or letters where labels
        need the room."""
        seats, label = len(tally.names), 1 + max(cell_len(self._label(bar)) for bar in tally.bars)
        longest = 2 + max(map(cell_len, tally.names))
        if width - longest * seats >= label:
            return tally.names, longest
        columns = _FIGURE if width - _FIGURE * seats >= label else _FIGURE - 1
        return [self.glyphs.owner(seat) for seat in range(seats)], columns

    def _label(self, bar: Bar) -> str:
        sign = "" if bar.owner is None else f"{self.glyphs.owner(bar.owner)} "
        return f"{sign}{render(bar.label)}"

    def _counted(self, bar: Bar, room: int, columns: int, *, is_short: bool, is_now: bool) -> Words:
        """A line of the table: label and everybody's points."""
        figures = [(f"{n or '':>{columns}}", f"seat-{seat}") for seat, n in enumerate(bar.points)]
        short = bar.short if is_short else None
        label = set_cell_size(self._label(bar) if short is None else render(short), room)
        ink = "ink-dim" if bar.owner is None else f"seat-{bar.owner}"
        return [
            (label, "gold" if is_now else ink, None, is_now),
            *((words, ink, None, True) for words, ink in figures),
        ]

    def _now(self, tally: Tally, width: int, thick: int) -> Iterator[Words]:
        """The line that is being counted: its label on its ground, and a bar for everybody."""
        bar = tally.now
        label = set_cell_size(f" {self._label(bar)}", width)
        yield []
        yield [(label, bar.ink if bar.colour else "gold", bar.colour, True)]
        measure = bar.counts or bar.points
        longest = max(1, *measure)
        for seat, (size, points) in enumerate(zip(measure, bar.points, strict=True)):
            head = self._head(tally, seat, width)
            room = max(1, width - sum(cell_len(words) for words, *_style in head) - 4)
            unit = min(_UNIT, room // longest)
            if unit > 1:  # wide enough to be counted
                drawn = (self.glyphs["full"] * (unit - 1) + " ") * max(0, size)
            else:
                drawn = self.glyphs["full"] * (max(0, size) * room // max(room, longest))
            figure = f"{points:>+4}" if points else f"{'':>4}"
            yield from self._gauge(seat, head, set_cell_size(drawn, room), (figure, "ink"), thick)

    def _totals(self, tally: Tally, width: int, thick: int) -> Iterator[Words]:
        """Everybody's points so far."""
        totals, gained = tally.totals, tally.now.points
        most = max(1, *totals)
        yield [(_("Total"), "gold", None, True)]
        for seat, points in enumerate(totals):
            head = self._head(tally, seat, width)
            room = max(1, width - sum(cell_len(words) for words, *_style in head) - 4)
            bar = self.glyphs["full"] * max(0, points * room // most)
            has_more = not tally.is_done and any(gained[seat : seat + 1])
            figure = f"{points:>4}", "possible" if has_more else "ink"
            yield from self._gauge(seat, head, set_cell_size(bar, room), figure, thick)

    def _head(self, tally: Tally, seat: Seat, width: int) -> Words:
        """Whose a bar is, by name where there is room."""
        sign: Words = [(f" {self.glyphs.owner(seat)} ", f"seat-{seat}", None, True)]
        if width < _NAMES:
            return sign
        column = min(width // 3, 1 + max(map(cell_len, tally.names)))
        return [*sign, (set_cell_size(f"{tally.names[seat]} ", column), "ink", None, False)]

    def _gauge(
        self, seat: Seat, head: Words, bar: str, figure: tuple[str, str], thick: int
    ) -> Iterator[Words]:
        """A bar of so many lines, whose it is before it and a figure behind it."""
        words, ink = figure
        yield [*head, (bar, f"seat-{seat}", None, False), (words, ink, None, True)]
        blank = " " * sum(cell_len(part) for part, *_style in head)
        for line in range(1, thick):
            part = bar if line + 1 < thick else bar.replace(self.glyphs["full"], self.glyphs["upper"])
            yield [(blank, "ink", None, False), (part, f"seat-{seat}", None, False)]


def _listed(tally: Tally) -> int:
    """Lines of the table with all that is counted."""
    return len(tally.bars) + any(tally.start)


def _to_come(tally: Tally, room: int) -> list[Bar]:
    """The lines after those counted, without points, and without a word of what somebody is yet to turn over;
    a sign for those that have no room."""
    nothing, more = (0,) * len(tally.names), text("...")
    lines = [
        replace(bar, points=nothing, label=bar.label if bar.owner is None else more)
        for bar in tally.bars[tally.counted :]
    ]
    if len(lines) > room > 0:
        lines[room - 1 :] = [Bar(more, nothing)]
    return lines[: max(0, room)]


def _sum_of(label: Text, bars: Sequence[Bar], start: Sequence[int]) -> list[Bar]:
    """A line that has the sums of some; none where there is nothing, and one alone as it is."""
    if not any(start) and len(bars) <= 1:
        return [*bars]
    return [Bar(label, tuple(map(sum, zip(start, *(bar.points for bar in bars), strict=True))))]


def _thickness(tally: Tally, height: int, *, has_table: bool) -> int:
    """Lines of a bar, so that all that comes has room."""
    heads, table = 5, 2 + _listed(tally) if has_table else 0
    parts = 1 if tally.is_done else 2
    room = (height - heads - table) // (parts * len(tally.names))
    return max(1, min(_THICK if parts > 1 else _THICKEST, room))


def _padded(words: Words, width: int) -> Words:
    """A line filled up to a width."""
    gap = width - sum(cell_len(part) for part, *_style in words)
    return [*words, (" " * max(0, gap), "ink", None, False)]


def banner_lines(banner: Banner, room: int, *, ascii_only: bool) -> list[Words]:
    """Large letters, as large as a width allows."""
    pixels = large(banner.letters, room)
    return [[(line, banner.colour, None, True)] for line in halves(pixels, ascii_only=ascii_only)]


def _middle(of: Region, width: int, height: int) -> Region:
    """A region of a size in the middle of another one."""
    width, height = min(width, of.width), min(height, of.height)
    return Region(of.x + (of.width - width) // 2, of.y + (of.height - height) // 2, width, height)
