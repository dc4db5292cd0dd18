"""Everybody's points over a whole match as a picture; a click goes to a ply."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from kk_core.views import Course
from kk_tui.i18n import _
from kk_tui.theme.glyphs import letter
from kk_tui.widgets.canvas import RIGHT, Canvas

_AXIS: Final = 1
_LEAST: Final = 3
"""Columns from which there is room for the time axis."""
_WORDS: Final = 2
_MOST_ROUNDS: Final = 3
"""Columns per round from which rounds are marked."""


class ScorePlot:
    """The seat of every pixel, or None, and the rows drawn so far, without a mark."""

    def __init__(self, pixels: list[list[int | None]]) -> None:
        self.pixels = pixels
        self.rows: dict[int, list[Segment]] = {}


class ScoreGraph(Canvas[ScorePlot]):
    """A line of points for each seat in its colour, over time from left to right.

    The scale of points is on the left. Below is the time: rounds, scorings, and the ply shown; then what keys
    do if `has_keys`, otherwise what the signs mean.
    """

    class Chosen(Message):
        """A ply was clicked: the number of moves made by then."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self, *, has_keys: bool = True) -> None:
        super().__init__(id="score-graph")
        self._below = _WORDS if has_keys else 1
        self._has_keys = has_keys
        self._course: Course | None = None
        self._ply = 0

    def take(self, course: Course) -> None:
        """Draw the course of a match."""
        self._course = course
        self.forget()
        self.refresh()

    def point(self, ply: int) -> None:
        """Mark a ply."""
        self._ply = ply
        self.refresh()

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _rows(self) -> int:
        """Rows of pixels."""
        return max(0, 2 * (self.size.height - _AXIS - self._below))

    def make_painter(self) -> ScorePlot:
        """Return the lines of all seats."""
        return ScorePlot(
            lines_of(self._course.points, self.size.width - 1, self._rows) if self._course else []
        )

    def render_line(self, y: int) -> Strip:
        """Draw a row of the lines, the time, or what the keys do."""
        ground = self.ink("ink-dim", on="ground")
        if self._course is None or self.size.width < _LEAST:
            return Strip.blank(self.size.width, ground)
        drawn = self._rows // 2
        if y > drawn:
            return self._below_time(y - drawn - 1)
        cells = self._time(self._course) if y == drawn else self._row(y)
        return Strip([*cells, Segment(" ", ground)])

    def _row(self, y: int) -> list[Segment]:
        """Return a row of the lines, with a mark at the ply shown."""
        picture, marked = self.painter, self._column(self._ply)
        # everything but the mark is drawn only once
        if y not in picture.rows:
            columns = range(self.size.width - 1)
            picture.rows[y] = [self._cell(picture.pixels, x, y, "ground-deep") for x in columns]
        cells = picture.rows[y].copy()
        cells[marked] = self._mark(picture.pixels, marked, y)
        for x, figure in enumerate(self._scale(y)):
            if x < len(cells) and not cells[x].text.strip():
                cells[x] = Segment(figure, self.ink("ink-dim", on="ground-deep"))
        return cells

    def _scale(self, y: int) -> str:
        """Return the points of a row for its left end: the most and the fewest, if there is room."""
        if self._course is None or y not in (0, self._rows // 2 - 1):
            return ""
        every = [points for column in self._course.points for points in column]
        return str(max(every) if y == 0 else min(0, *every))

    def _mark(self, pixels: list[list[int | None]], x: int, y: int) -> Segment:
        """Hook: return a cell of the ply shown."""
        return self._cell(pixels, x, y, "ink-line")

    def _cell(self, pixels: list[list[int | None]], x: int, y: int, ground: str) -> Segment:
        above, below = pixels[2 * y][x], pixels[2 * y + 1][x]
        if self.glyphs.ascii_only or not self.has_colours:
            seat = below if above is None else above
            return Segment(" " if seat is None else letter(seat), self._ink(seat, ground))
        if above is None and below is None:
            return Segment(" ", self.ink("ink", on=ground))
        if above == below:
            return Segment("█", self._ink(above, ground))
        if above is None:
            return Segment("▄", self._ink(below, ground))
        return Segment("▀", self._ink(above, ground if below is None else f"seat-{below}"))

    def _ink(self, seat: int | None, ground: str) -> Style:
        return self.ink("ink" if seat is None else f"seat-{seat}", on=ground)

    def _time(self, course: Course) -> list[Segment]:
        """Return the time from the first move to the last."""
        line, signs = self.ink("ink-line", on="ground"), self.glyphs
        cells = [Segment(signs["h"], line)] * (self.size.width - 1)
        if len(course.rounds) * _MOST_ROUNDS <= self.size.width:
            for ply in course.rounds:
                cells[self._column(ply)] = Segment(signs["tee-up"], line)
        for ply in course.scorings:
            cells[self._column(ply)] = Segment(signs["ornament"], self.ink("possible", on="ground"))
        at = self._column(self._ply)
        if any(self._column(ply) == at for ply in course.scorings):
            # beside the scoring, whose own sign stays, and whose column is marked in the picture
            at += 1 if at + 1 < len(cells) else -1
        cells[max(0, at)] = Segment(signs["up"], self.ink("gold", on="ground", bold=True))
        return cells

    def _below_time(self, row: int) -> Strip:
        """Hook: return a row below the time."""
        if not self._has_keys:
            return Strip(self._meanings()).adjust_cell_length(
                self.size.width, self.ink("ink-dim", on="ground")
            )
        words = self._words()[row] if row < _WORDS else ""
        return Strip([Segment(set_cell_size(words, self.size.width), self.ink("ink-dim", on="ground"))])

    def _meanings(self) -> list[Segment]:
        """Return the seats in their colours, and what the signs below the lines mean."""
        signs, dim = self.glyphs, self.ink("ink-dim", on="ground")
        seats = range(len(self._course.points[0])) if self._course else ()
        parts = [
            Segment(f"{signs.owner(seat)} ", self.ink(f"seat-{seat}", on="ground", bold=True))
            for seat in seats
        ]
        said = _("{up} decisive moment", up=signs["up"])
        if self._course and self._course.scorings:
            said = _("{said}  {sign} scoring", said=said, sign=signs["ornament"])
        whole = _("points over time  {said}", said=said)
        room = self.size.width - sum(part.cell_length for part in parts)
        return [*parts, Segment(whole if cell_len(whole) <= room else said, dim)]

    def _words(self) -> Sequence[str]:
        signs = self.glyphs
        return (
            _("{left}{right} move  {up}{down} turn", left=signs["left"], right=signs["right"],
              up=signs["up"], down=signs["down"]),
            _("PgUp PgDn round"),
        )  # fmt: skip

    # -- columns and plies -----------------------------------------------------------------------------------

    @property
    def _end(self) -> int:
        return max(1, len(self._course.points) - 1) if self._course else 1

    def _column(self, ply: int) -> int:
        return round(ply * max(0, self.size.width - 2) / self._end)

    def on_click(self, event: Click) -> None:
        """Go to the ply of the column."""
        if event.button == RIGHT:  # which asks what this is
            return
        # the last column stays blank
        columns = max(1, self.size.width - 2)
        self.post_message(self.Chosen(round(min(event.x, columns) * self._end / columns)))


def lines_of(points: Sequence[Sequence[int]], width: int, height: int) -> list[list[int | None]]:
    """Return a line for each seat through its points, `width` columns by `height` rows, the best on top."""
    pixels: list[list[int | None]] = [[None] * width for _row in range(height)]
    if not points or width < 1 or height < 1:
        return pixels
    end, lowest = len(points) - 1, min(0, min(map(min, points)))
    span = max(1, max(map(max, points)) - lowest)
    # the last one drawn is on top
    for seat in sorted(range(len(points[0])), key=lambda seat: points[-1][seat]):
        values = [points[round(x * end / max(1, width - 1))][seat] for x in range(width)]
        heights = [(height - 1) - round((value - lowest) * (height - 1) / span) for value in values]
        for x, (before, now) in enumerate(pairwise([heights[0], *heights])):
            for row in range(min(before, now), max(before, now) + 1):
                pixels[row][x] = seat
    return pixels
