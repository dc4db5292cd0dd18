"""Who was ahead over a whole match as a picture; a click goes to a ply."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from kk_core.types import Seat
from kk_core.views import Course
from kk_tui.i18n import _
from kk_tui.theme.glyphs import letter
from kk_tui.widgets.canvas import RIGHT, Canvas

_AXIS: Final = 1
_LEAST: Final = 3
"""Columns from which there is room for the time axis."""
_WORDS: Final = 3
"""Rows for what the lines measure, and for keys."""
_MOST_ROUNDS: Final = 3
"""Columns per round from which rounds are marked."""
_BETWEEN: Final = "  "
"""Between what two signs mean."""
_ENDS: Final = 2
"""Columns for the letters at the ends of the lines."""
_MANY: Final = 24
"""Columns from which more than two lines can be told apart."""


class ScorePlot:
    """The seat of every pixel, or None, and the rows drawn so far, without a mark.

    Of lines also the seat whose letter is at the end of a row, and the row of the average.
    """

    def __init__(
        self,
        pixels: list[list[int | None]],
        ends: Mapping[int, Seat] | None = None,
        level: int | None = None,
    ) -> None:
        self.pixels = pixels
        self.ends = ends or {}
        self.level = level
        self.rows: dict[int, list[Segment]] = {}


class ScoreGraph(Canvas[ScorePlot]):
    """A line for each seat in its colour: how many points it was above or below the average over time.

    So lines that would run close together use all of the height. Where there are few columns, only two are
    drawn: the best of one's own, or of all, and the strongest other one. The scale of points is on the left,
    the seats' letters on the right. Below is the time: rounds, scorings, and the ply shown; then what the
    lines measure, and what keys do if `has_keys`, otherwise what the signs mean.
    """

    class Chosen(Message):
        """A ply was clicked: the number of moves made by then."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self, *, has_keys: bool = True) -> None:
        super().__init__(id="score-graph")
        self._has_keys = has_keys
        self._course: Course | None = None
        self._own: Collection[Seat] = ()
        self._told: Collection[int] = ()
        self._ply = 0

    def take(self, course: Course, own: Collection[Seat] = (), told: Collection[int] = ()) -> None:
        """Draw the course of a match, with the lines of one's own seats on top.

        The points after the plies that are `told` of are in it even within a round.
        """
        self._course, self._own, self._told = course, own, told
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

    @property
    def _below(self) -> int:
        """Hook: return the rows below the time."""
        return _WORDS if self._has_keys else 1

    @property
    def _columns(self) -> int:
        """Columns of the lines; one more stays blank."""
        return max(0, self.size.width - 1 - (_ENDS if self._has_ends else 0))

    @property
    def _has_ends(self) -> bool:
        """Hook: return whether there are lines, whose ends have letters."""
        return self.size.width > _LEAST + _ENDS

    def make_painter(self) -> ScorePlot:
        """Return the lines of all seats."""
        if self._course is None:
            return ScorePlot([])
        rows, seats = self._rows, self._seats
        heights, level = heights_of(self._course, self._columns, rows, self._told, seats)
        ends = ends_of(heights, rows, self._course.points[-1] if self._course.points else (), seats)
        return ScorePlot(lines_of(heights, rows, self._own, seats), ends, level // 2)

    @property
    def _seats(self) -> Collection[Seat]:
        """The seats whose lines are drawn."""
        points = self._course.points[-1] if self._course and self._course.points else ()
        seats = range(len(points))
        if not seats or self._columns >= _MANY:
            return seats
        best = max(self._own or seats, key=points.__getitem__)
        others = [seat for seat in seats if seat != best]
        return (best, *sorted(others, key=lambda seat: (seat in self._own, -points[seat]))[:1])

    def render_line(self, y: int) -> Strip:
        """Draw a row of the lines, the time, or what the keys do."""
        ground = self.ink("ink-dim", on="ground")
        if self._course is None or self.size.width < _LEAST:
            return Strip.blank(self.size.width, ground)
        drawn = self._rows // 2
        if y > drawn:
            return self._below_time(y - drawn - 1)
        cells = self._time(self._course) if y == drawn else self._row(y)
        ends = self._end_of(y) if self._has_ends else []
        return Strip([*cells, *ends, Segment(" ", ground)])

    def _end_of(self, y: int) -> list[Segment]:
        """Return a letter of the seat whose line ends in this row, or near it if several end there."""
        ground = "ground" if y == self._rows // 2 else "ground-deep"
        seat = self.painter.ends.get(y)
        ink = self.ink("ink" if seat is None else f"seat-{seat}", on=ground, bold=True)
        return [Segment(" ", self.ink("ink", on=ground)), Segment(" " if seat is None else letter(seat), ink)]

    def _row(self, y: int) -> list[Segment]:
        """Return a row of the lines, with a mark at the ply shown."""
        picture, marked = self.painter, self._column(self._ply)
        # everything but the mark is drawn only once
        if y not in picture.rows:
            columns = range(self._columns)
            picture.rows[y] = [self._cell(picture.pixels, x, y, "ground-deep") for x in columns]
        cells = picture.rows[y].copy()
        cells[marked] = self._mark(picture.pixels, marked, y)
        for x, figure in enumerate(self._scale(y)):
            if x < len(cells) and cells[x].text in (" ", self.glyphs["h"]):
                cells[x] = Segment(figure, self.ink("ink-dim", on="ground-deep"))
        return cells

    def _scale(self, y: int) -> str:
        """Return the points of a row for its left end: the most and the fewest, if there is room."""
        if self._course is None or y not in (0, self._rows // 2 - 1):
            return ""
        return scale_of(self._course, self._told, self._seats)[y > 0]

    def _mark(self, pixels: list[list[int | None]], x: int, y: int) -> Segment:
        """Hook: return a cell of the ply shown."""
        return self._cell(pixels, x, y, "ink-line")

    def _cell(self, pixels: list[list[int | None]], x: int, y: int, ground: str) -> Segment:
        above, below = pixels[2 * y][x], pixels[2 * y + 1][x]
        if self.glyphs.ascii_only or not self.has_colours:
            seat = below if above is None else above
            blank = self.glyphs["h"] if y == self.painter.level else " "
            return Segment(blank if seat is None else letter(seat), self._ink(seat, ground))
        if above is None and below is None:
            is_level = y == self.painter.level
            return Segment(self.glyphs["h"] if is_level else " ", self.ink("ink-line", on=ground))
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
        cells = [Segment(signs["h"], line)] * self._columns
        if len(course.rounds) * _MOST_ROUNDS <= self.size.width:
            for ply in course.rounds:
                cells[self._column(ply)] = Segment(signs["tee-up"], line)
        for ply in course.scorings:
            cells[self._column(ply)] = Segment(signs["ornament"], self.ink("possible", on="ground"))
        at = self._column(self._ply)
        if any(self._column(ply) == at for ply in course.scorings):
            # beside the scoring, whose own sign stays, and whose column is marked in the picture
            at += 1 if at + 1 < len(cells) else -1
        # the decisive moment or, with keys, where one is
        sign = signs["cursor"] if self._has_keys else signs["up"]
        cells[max(0, at)] = Segment(sign, self.ink("gold", on="ground", bold=True))
        return cells

    def _below_time(self, row: int) -> Strip:
        """Hook: return a row below the time."""
        told = self._words() if self._has_keys else [self._meanings()]
        words = told[row] if row < len(told) else ""
        return Strip([Segment(set_cell_size(words, self.size.width), self.ink("ink-dim", on="ground"))])

    def _meanings(self) -> str:
        """Return what the lines measure, and as far as there is room, what the signs below them mean."""
        signs = self.glyphs
        parts = [_("points above average"), _("{up} decisive moment", up=signs["up"])]
        if self._course and self._course.scorings:
            parts.append(_("{sign} scoring", sign=signs["ornament"]))
        forms = (_BETWEEN.join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((form for form in forms if cell_len(form) <= self.size.width), parts[0])

    def _words(self) -> Sequence[str]:
        signs = self.glyphs
        measures = _("points above average"), _("above average")
        return (
            next((each for each in measures if cell_len(each) <= self.size.width), measures[-1]),
            _("{left}{right} move  {up}{down} turn", left=signs["left"], right=signs["right"],
              up=signs["up"], down=signs["down"]),
            _("PgUp PgDn round"),
        )  # fmt: skip

    # -- columns and plies -----------------------------------------------------------------------------------

    @property
    def _end(self) -> int:
        return max(1, len(self._course.points) - 1) if self._course else 1

    def _column(self, ply: int) -> int:
        return round(ply * max(0, self._columns - 1) / self._end)

    def on_click(self, event: Click) -> None:
        """Go to the ply of the column."""
        if event.button == RIGHT:  # which asks what this is
            return
        # what is to the right of the last column belongs to it
        columns = max(1, self._columns - 1)
        self.post_message(self.Chosen(round(min(event.x, columns) * self._end / columns)))


def above_average(course: Course, told: Collection[int] = ()) -> list[tuple[int, list[float]]]:
    """Return after which plies everybody was how many points above the average of all, or below it.

    These are the ends of rounds, before which some have had a turn more than others, the scorings, and those
    that are `told` of.
    """
    points, end = course.points, len(course.points) - 1
    plies = sorted({0, *course.rounds, *course.scorings, *told, end}) if points else []
    return [(ply, [own - sum(points[ply]) / len(points[ply]) for own in points[ply]]) for ply in plies]


def scale_of(
    course: Course, told: Collection[int] = (), seats: Collection[Seat] | None = None
) -> tuple[str, str]:
    """Return the most points above the average, and the most below it; nothing if they round to the same."""
    every = [round(points) for points in _of_seats(above_average(course, told), seats)]
    most, fewest = max(every, default=0), min(every, default=0)
    return (f"{most:+}", f"{fewest:+}") if most > fewest else ("", "")


def _of_seats(known: Sequence[tuple[int, list[float]]], seats: Collection[Seat] | None) -> list[float]:
    """Return what is known of some seats, or of all, at any time."""
    return [
        value for _ply, values in known for seat, value in enumerate(values) if seats is None or seat in seats
    ]


def heights_of(
    course: Course,
    width: int,
    height: int,
    told: Collection[int] = (),
    seats: Collection[Seat] | None = None,
) -> tuple[list[list[int]], int]:
    """Return the row of each seat in so many columns, from the top of so many rows, and that of the average.

    A line goes straight from the end of a round to that of the next, and over every ply that is `told` of.
    Those of some `seats` use all of the rows; others may be outside.
    """
    known = above_average(course, told)
    every = _of_seats(known, seats)
    if not every or width < 1 or height < 1:
        return [], 0
    lowest, span = min(every), max(every) - min(every)
    if not span:  # while all are equal, their line is in the middle
        lowest, span = lowest - 0.5, 1.0
    scale = (height - 1) / span

    def row(value: float) -> int:
        return (height - 1) - round((value - lowest) * scale)

    end = max(1, known[-1][0])
    there = dict[int, list[float]]()
    for ply, values in reversed(known):
        x = round(ply * (width - 1) / end)
        # two in one column stand side by side, as what happens between them may be what matters
        there.setdefault(max(0, x - (x in there)), values)
    columns = sorted(there)
    found = list[list[int]]()
    for x in range(width):
        after = min(bisect_left(columns, x), len(columns) - 1)
        start, stop = columns[max(0, after - 1)], columns[after]
        part = (x - start) / (stop - start) if stop > start else 1.0
        pairs = zip(there[start], there[stop], strict=True)
        found.append([row(then + (value - then) * part) for then, value in pairs])
    return found, row(0)


def lines_of(
    heights: Sequence[Sequence[int]],
    height: int,
    own: Collection[Seat] = (),
    seats: Collection[Seat] | None = None,
) -> list[list[int | None]]:
    """Return a line for each seat, or for some, through its heights, one a column, in so many rows.

    One's own lines are on top of the others, and of these the one that ends highest.
    """
    pixels: list[list[int | None]] = [[None] * len(heights) for _row in range(height)]
    # the last one drawn is on top
    last = heights[-1] if heights else ()
    drawn = range(len(last)) if seats is None else seats
    for seat in sorted(drawn, key=lambda seat: (seat in own, -last[seat])):
        line = [column[seat] for column in heights]
        for x, (before, now) in enumerate(pairwise([line[0], *line])):
            for row in range(now, before) if now < before else range(min(before + 1, now), now + 1):
                pixels[row][x] = seat
    return pixels


def ends_of(
    heights: Sequence[Sequence[int]],
    height: int,
    points: Sequence[int],
    seats: Collection[Seat] | None = None,
) -> dict[int, Seat]:
    """Return by row of two pixels the seat whose line ends there, or near it where several end together.

    These are in the order of their points at the end.
    """
    if not heights:
        return {}
    last, found, least = heights[-1], list[tuple[int, Seat]](), 0
    drawn = range(len(last)) if seats is None else seats
    for seat in sorted(drawn, key=lambda seat: (last[seat], -points[seat])):
        found.append((max(last[seat] // 2, least), seat))
        least = found[-1][0] + 1
    ends, most = dict[int, Seat](), height // 2 - 1
    for row, seat in reversed(found):
        ends[min(row, most)] = seat
        most = min(row, most) - 1
    return ends
