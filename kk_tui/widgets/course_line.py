"""The line of the score in a replay, or instead of it how likely everybody was to win."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.events import Click
from textual.strip import Strip

from kk_core.wire.past import Course
from kk_tui.coach import Coach, ahead, percents
from kk_tui.i18n import _
from kk_tui.theme.glyphs import letter
from kk_tui.widgets.score_line import Picture, ScoreLine

_HUNDRED: Final = 100

_FIGURE: Final = 10
"""Columns of a seat's chance and margin."""


class CourseLine(ScoreLine):
    """With a coach, a band for each seat, as high as it was likely to win; turning points are numbered."""

    def __init__(self) -> None:
        super().__init__()
        self._coach: Coach | None = None

    def expect(self, coach: Coach | None) -> None:
        """Show what a coach has found by now; None leads back to the points."""
        self._coach = coach
        self.forget()
        self.refresh()

    def make_painter(self) -> Picture:
        """The bands, or the lines of the points."""
        if self._coach is None or self._course is None:
            return super().make_painter()
        width = self.size.width - 1
        plies = [x * self._end / max(1, width - 1) for x in range(width)]
        found = [self._coach.forecast(ply) for ply in plies]
        return Picture(bands_of([None if known is None else known.chances for known in found], self._rows))

    def _mark(self, pixels: list[list[int | None]], x: int, y: int) -> Segment:
        here = pixels[2 * y][x] if self._coach is not None and self.has_colours else None
        if here is None:
            return super()._mark(pixels, x, y)
        return Segment(self.glyphs["v"], self.ink("ground-deep", on=f"seat-{here}"))

    def _time(self, course: Course) -> list[Segment]:
        cells, looked_at = super()._time(course), self._column(self._ply)
        for number, column in reversed([*enumerate(self._marks(), 1)]):
            ink, ground = ("cursor-ink", "cursor") if column == looked_at else ("happened", "ground")
            cells[column] = Segment(str(number), self.ink(ink, on=ground, bold=True))
        return cells

    def _marks(self) -> list[int]:
        """The columns of the turning points."""
        return [self._column(told.ply) for told in self._coach.verdicts] if self._coach else []

    def _below_time(self, row: int) -> Strip:
        if self._coach is None:
            return super()._below_time(row)
        width, dim = self.size.width, self.ink("ink-dim", on="ground")
        pieces = list(self._figures(self._coach) if row == 0 else self._progress(self._coach.share))
        return Strip(pieces).adjust_cell_length(width, dim)

    @property
    def _has_room(self) -> bool:
        """Whether margins fit beside chances: `A100 -12  ` for each seat."""
        seats = len(self._course.points[0]) if self._course else 0
        return self.size.width >= _FIGURE * seats

    def _progress(self, share: float) -> Iterator[Segment]:
        """How far the coach has come; then what the bands are."""
        dim = self.ink("ink-dim", on="ground")
        if share >= 1:
            has_room = self._has_room
            yield Segment(_("chances in %; points ahead") if has_room else _("chances to win, in %"), dim)
            return
        figure = f" {int(_HUNDRED * share)} %"
        room = max(1, self.size.width - 1 - cell_len(figure))
        done = round(share * room)
        yield Segment(self.glyphs["full"] * done, self.ink("gold", on="ground"))
        yield Segment(self.glyphs["shade"] * (room - done) + figure, dim)

    def _figures(self, coach: Coach) -> Iterator[Segment]:
        """The chances at the moment that one looks at, with the margins where there is room."""
        found = coach.forecast(self._ply)
        if found is None:
            return
        for seat, (chance, margin) in enumerate(zip(percents(found.chances), found.margins, strict=True)):
            yield Segment(letter(seat), self.ink(f"seat-{seat}", on="ground", bold=True))
            yield Segment(f"{chance} ", self.ink("ink", on="ground"))
            if self._has_room:
                yield Segment(f"{ahead(margin)}  ", self.ink("ink-dim", on="ground"))

    def on_click(self, event: Click) -> None:
        """Go to the turning point that was clicked, or to the moment of that column."""
        for told, column in zip(self._coach.verdicts if self._coach else (), self._marks(), strict=True):
            if event.x == column:
                event.prevent_default()
                self.post_message(self.Chosen(told.ply))
                return


def bands_of(chances: Sequence[Sequence[float] | None], height: int) -> list[list[int | None]]:
    """A column for each of the chances, shared out among the seats from above; empty where none are known."""
    columns = [_band(shares, height) for shares in chances]
    return [[column[row] for column in columns] for row in range(height)]


def _band(shares: Sequence[float] | None, height: int) -> list[int | None]:
    if not shares:
        return [None] * height
    ends = [sum(shares[: seat + 1]) * height for seat in range(len(shares))]
    last = len(ends) - 1
    return [next((seat for seat, end in enumerate(ends) if row + 0.5 < end), last) for row in range(height)]
