"""What a ceremony lays over the table: large letters over the board, a scoring over or beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from kk_tui.ceremony import Banner, Bar, Step, Tally
from kk_tui.i18n import _, render
from kk_tui.pixels import halves, large
from kk_tui.theme.glyphs import letter
from kk_tui.widgets.canvas import Canvas

Words: TypeAlias = list[tuple[str, str, str | None, bool]]
"""Parts of a line: words, theme variables of ink and ground (None: that of the stage), whether bold."""

_GROUND: Final = "ground-deep"
_FIGURE: Final = 4
"""Columns of a seat's points in the table of what is counted already; one less where labels need it."""

_LABEL: Final = 12

_UNIT: Final = 4
"""Columns of one of the things that a bar counts, at most."""

_WIDEST: Final = 76
_NAMES: Final = 34
"""Columns from which on the totals have names."""


class Stage(Canvas[None]):
    """Drawn over the table while a step has something to show there, otherwise not there at all."""

    DEFAULT_CSS = """
    Stage { layer: stage; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="stage")
        self._lines: list[Words] = []

    def play(self, step: Step | None, board: Region, side: Region) -> None:
        """Show what a step has for the stage; the regions are those of the board and of what is beside it."""
        shown = step and (step.banner or step.tally)
        if not shown:
            self.display = False
            return
        if isinstance(shown, Banner):
            self._lines = banner_lines(shown, board.width - 4, ascii_only=self.glyphs.ascii_only)
            width = 4 + max(cell_len(words) for line in self._lines for words, *_rest in line)
            self._place(_middle(board, width, len(self._lines) + 2))
        elif shown.over_board:
            width = min(board.width - 2, _WIDEST)
            self._lines = self.tally_lines(shown, width - 4, board.height - 2)
            self._place(_middle(board, width, len(self._lines) + 2))
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
        """A scoring: what is counted already as a table, the line that is being counted, the totals."""
        done = tally.bars if tally.is_done else tally.bars[:-1]
        now = list(self._now(tally.bars[-1], width)) if tally.bars and not tally.is_done else []
        totals = list(self._totals(tally, width))
        head: list[Words] = [[(render(tally.title), "gold", None, True)], []]
        room = height - len(head) - len(now) - len(totals)
        table = [self._counted(bar, width) for bar in done][1 - room :] if room > 1 else []
        if table:
            table.insert(0, self._letters(len(tally.start), width))
        return [*head, *table, *now, *totals]

    def _letters(self, seats: int, width: int) -> Words:
        """Whose the columns of the table are."""
        columns = _columns(seats, width)
        blank = " " * max(0, width - columns * seats)
        figures = [(f"{letter(seat):>{columns}}", f"seat-{seat}") for seat in range(seats)]
        return [(blank, "ink", None, False), *((words, ink, None, True) for words, ink in figures)]

    def _counted(self, bar: Bar, width: int) -> Words:
        """A line of the table: label and everybody's points."""
        columns = _columns(len(bar.points), width)
        figures = [(f"{n or '':>{columns}}", f"seat-{seat}") for seat, n in enumerate(bar.points)]
        label = set_cell_size(render(bar.label), max(0, width - columns * len(figures)))
        return [(label, "ink-dim", None, False), *((words, ink, None, True) for words, ink in figures)]

    def _now(self, bar: Bar, width: int) -> Iterator[Words]:
        """The line that is being counted: its label on its ground, and a bar for everybody."""
        ink, label = bar.ink if bar.colour else "gold", set_cell_size(f" {render(bar.label)}", width)
        yield []
        yield [(label, ink, bar.colour, True)]
        measure = bar.counts or bar.points
        longest = max(1, *measure)
        room = max(1, width - 9)
        unit = min(_UNIT, room // longest)
        for seat, (size, points) in enumerate(zip(measure, bar.points, strict=True)):
            if unit > 1:  # wide enough to be counted
                drawn = (self.glyphs["full"] * (unit - 1) + " ") * max(0, size)
            else:
                drawn = self.glyphs["full"] * (max(0, size) * room // max(room, longest))
            yield [
                (f" {self.glyphs.owner(seat)} ", f"seat-{seat}", None, True),
                (set_cell_size(drawn, room), f"seat-{seat}", None, False),
                (f"{points:>+4}" if points else f"{'':>4}", "ink", None, True),
            ]

    def _totals(self, tally: Tally, width: int) -> Iterator[Words]:
        """Everybody's points so far."""
        totals, gained = tally.totals, tally.bars[-1].points if tally.bars else ()
        most = max(1, *totals)
        yield []
        yield [(_("Total"), "gold", None, True)]
        for seat, points in enumerate(totals):
            line: Words = [(f" {self.glyphs.owner(seat)} ", f"seat-{seat}", None, True)]
            room = width - 8
            if width >= _NAMES:
                line.append((set_cell_size(f"{tally.names[seat]} ", 12), "ink", None, False))
                room -= 12
            bar = self.glyphs["full"] * max(0, points * room // most)
            has_more = not tally.is_done and any(gained[seat : seat + 1])
            line += [
                (set_cell_size(bar, room), f"seat-{seat}", None, False),
                (f"{points:>4}", "possible" if has_more else "ink", None, True),
            ]
            yield line


def _columns(seats: int, width: int) -> int:
    return _FIGURE if width - _FIGURE * seats >= _LABEL else _FIGURE - 1


def banner_lines(banner: Banner, room: int, *, ascii_only: bool) -> list[Words]:
    """Large letters, as large as a width allows."""
    pixels = large(banner.letters, room)
    return [[(line, banner.colour, None, True)] for line in halves(pixels, ascii_only=ascii_only)]


def _middle(of: Region, width: int, height: int) -> Region:
    """A region of a size in the middle of another one."""
    width, height = min(width, of.width), min(height, of.height)
    return Region(of.x + (of.width - width) // 2, of.y + (of.height - height) // 2, width, height)
