"""The podium: each player on a step in their colour, with their points in large digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from kk_core.text import text
from kk_core.types import Outcome, Seat
from kk_tui.i18n import _, render
from kk_tui.pixels import halves, number
from kk_tui.widgets.canvas import Canvas

_WIDEST: Final = 30
_GAP: Final = 1
_LEAST: Final = 4
"""Lines of the lowest step: digits, and a line below them."""

_PLACES: Final = (text("1st"), text("2nd"), text("3rd"), text("4th"), text("5th"))

_APART: Final = 2
"""Lines between points and place from which a free one is above the place."""

_LARGE: Final = 8
"""Lines of the highest step from which the digits are twice as large."""


@dataclass(frozen=True)
class FinalStanding:
    """A seat at the end; its place counts from 1, and several seats can share it."""

    seat: Seat
    name: str
    points: int
    place: int


def standings(names: Sequence[str], points: Sequence[int], outcome: Outcome | None) -> list[FinalStanding]:
    """Return all seats, the best first: winners share first place, others the places of their points."""
    winners = outcome.winners if outcome else ()
    order = sorted(range(len(names)), key=lambda seat: (seat not in winners, -points[seat], seat))
    found: list[FinalStanding] = []
    for rank, seat in enumerate(order, 1):
        before = found[-1] if found else None
        shares = before is not None and (
            (seat in winners) == (before.seat in winners) and points[seat] == before.points
        )
        place = before.place if before is not None and shares else rank
        found.append(FinalStanding(seat, names[seat], points[seat], place))
    return found


def place_words(standing: Sequence[FinalStanding], one: FinalStanding) -> str:
    """Return a place in words."""
    shares = sum(other.place == one.place for other in standing) > 1
    place = _PLACES[one.place - 1]
    return _("tied {place}", place=place) if shares else render(place)


def arranged(standing: Sequence[FinalStanding]) -> list[FinalStanding]:
    """Return seats from left to right: the best in the middle, then alternately left and right."""
    left, right = list(standing[1::2]), list(standing[2::2])
    return [*reversed(left), *standing[:1], *right]


def heights(standing: Sequence[FinalStanding], most: int) -> list[int]:
    """Return the lines of everybody's step, the best first having `most`: as many as their share of points.

    Whoever stands lower has at least a line less, and all have room for their digits if there is any.
    """
    found: list[int] = []
    for one, before in zip(standing, (None, *standing), strict=False):
        if before is None:
            found.append(most)
        elif before.place == one.place:
            found.append(found[-1])
        else:
            below = len({other.place for other in standing if other.place > one.place})
            share = round(most * max(0, one.points) / max(1, standing[0].points))
            lines = min(found[-1] - 1, max(share, _LEAST + below))
            found.append(max(min(_LEAST, most), lines))
    return found


class Podium(Canvas[list[list[Segment]]]):
    """The podium of a match; its steps are as high as the points on them."""

    def __init__(
        self,
        standing: Sequence[FinalStanding],
        marks: Sequence[Sequence[str]],
        best: Sequence[Sequence[tuple[str, ...]]] = (),
    ) -> None:
        """Take the seats, and by seat the marks after its name, in a long and a short form, and what gave it
        most, the best first, each in a long and a short form.
        """
        super().__init__(id="podium")
        self._standing = standing
        self._marks = marks
        self._best = best
        self._tells_best = True

    def tell_best(self, *, tells_best: bool) -> None:
        """Say in the blocks what gave most, or leave them free since that is told elsewhere."""
        if tells_best != self._tells_best:
            self._tells_best = tells_best
            self.forget()
            self.refresh()

    def make_painter(self) -> list[list[Segment]]:
        """Return all lines."""
        width, height = self.size
        wide = min(_WIDEST, (width - _GAP) // max(1, len(self._standing)) - _GAP)
        scale = self._scale(wide, height)
        steps = [self._step(one, wide, height, scale) for one in arranged(self._standing)]
        blank = Segment(" " * max(0, (width - len(steps) * (wide + _GAP)) // 2), self.ink("ink", on="ground"))
        gap = Segment(" " * _GAP, self.ink("ink", on="ground"))
        return [[blank, *(part for step in steps for part in (step[y], gap))] for y in range(height)]

    def render_line(self, y: int) -> Strip:
        """Draw a line through all steps."""
        lines = self.painter
        line = lines[y] if y < len(lines) else []
        return Strip(line).adjust_cell_length(self.size.width, self.ink("ink", on="ground"))

    def _high(self, one: FinalStanding, height: int) -> int:
        """Return the lines of a seat's block."""
        return heights(self._standing, height - 1)[self._standing.index(one)]

    def _lowest(self, height: int) -> int:
        """Return the lines of the lowest block."""
        return min((self._high(one, height) for one in self._standing), default=0)

    def _scale(self, wide: int, height: int) -> int:
        """Return the scale at which everybody's points fit: 2 or 1, or 0 for plain digits."""
        # all have digits of the same size, so the lowest step decides
        lowest = self._lowest(height)
        most = 0 if lowest < _LEAST else 2 if height - 1 >= _LARGE and lowest >= _LARGE - 1 else 1
        # large digits have no minus sign
        if any(one.points < 0 for one in self._standing):
            return 0
        widths = {by: max(len(number(one.points, scale=by)[0]) for one in self._standing) for by in (2, 1)}
        # ASCII has no half blocks, so it cannot draw digits at scale 1
        least = 2 if self.glyphs.ascii_only else 1
        return next((by for by in range(most, least - 1, -1) if widths[by] + 2 <= wide), 0)

    def _step(self, one: FinalStanding, wide: int, height: int, scale: int) -> list[Segment]:
        """Return a step from the top down: nothing, the name, the block with points and place."""
        high = self._high(one, height)
        ground, on = self.ink("ink", on="ground"), f"seat-{one.seat}"
        sign = self.glyphs.owner(one.seat)
        name, place, marks = f"{sign} {one.name}", place_words(self._standing, one), self._marks[one.seat]
        room = wide - min(map(cell_len, marks), default=0)
        if cell_len(name) > room:  # then the sign goes below
            name, place = one.name, f"{sign} {place}"
        if cell_len(name) > room:
            name = set_cell_size(name, room - 1) + self.glyphs["ellipsis"]
        name += next((mark for mark in marks if cell_len(name + mark) <= wide), "")
        head = Segment(_centred(name, wide), self.ink(on, on="ground", bold=True))
        digits = self._digits(one.points, scale)
        style = self.ink("seat-ink", on=on, bold=True)
        # clear of the edge if that has room on all steps, so that they look alike
        above = self._lowest(height) > len(digits) + len(("edge", "place"))
        lines = [""] * above + digits
        body = [Segment(_centred(words, wide), style) for words in lines]
        told = self._told(one, wide, high - len(lines) - 1)
        body += [Segment(_centred(words, wide), self.ink("seat-ink", on=on)) for words in told]
        body.append(Segment(_centred(place, wide), style))
        return [*[Segment(" " * wide, ground)] * (height - 1 - high), head, *body[:high]]

    def _told(self, one: FinalStanding, wide: int, room: int) -> list[str]:
        """Return so many lines: what gave a seat most, between free ones where there is room for these."""
        best = self._best[one.seat] if self._best and self._tells_best else ()
        first, last = room > 1, room > _APART
        fitting = (next((form for form in forms if cell_len(form) <= wide), "") for forms in best)
        told = [*takewhile(bool, fitting)][: max(0, room - first - last)]  # nothing lesser in place of it
        told = [*[""] * bool(told and first), *told]
        return [*told, *[""] * (room - len(told))]

    def _digits(self, points: int, scale: int) -> list[str]:
        """Return points in large digits, or in plain ones."""
        if not scale:
            return [str(points)]
        pixels = number(points, scale=scale)
        # ASCII has no half blocks: digits, whose pixels are a line high there, go below a blank line
        if self.glyphs.ascii_only:
            return ["", *halves(pixels, ascii_only=True)]
        return halves(["." * len(pixels[0]), *pixels])


def _centred(words: str, wide: int) -> str:
    spare = max(0, wide - cell_len(words))
    return " " * (spare // 2) + words + " " * (spare - spare // 2)
