"""Where everybody's points come from: a bar of parts for each player, all of them on one axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from kk_tui.i18n import _
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.podium import FinalStanding

_FORMS: Final = ((2, 1), (2, 0), (1, 1), (1, 0))
"""Lines of a bar, and blank lines before its name, from the most room down."""


@dataclass(frozen=True)
class PointSource:
    """Points of one kind: their name, a short one, and the theme variable of their ground, if any."""

    name: str
    code: str
    points: int
    colour: str | None = None


class PointBars(Canvas[list[list[Segment]]]):
    """A bar for each player in the order of their places, as long as all that they gained.

    Its parts are in the order of the score sheet. Points that were lost stand beside the player's name. Where
    there is no room for all bars, there are none.
    """

    def __init__(self, standing: Sequence[FinalStanding], sources: Sequence[Sequence[PointSource]]) -> None:
        """Take the seats, the best first, and by seat the sources of its points."""
        super().__init__(id="sources")
        self._standing = standing
        self._sources = sources

    def make_painter(self) -> list[list[Segment]]:
        """Return all lines."""
        told = (list(self._told(*form)) for form in _FORMS)
        return next((lines for lines in told if len(lines) <= self.size.height), [])

    def render_line(self, y: int) -> Strip:
        """Draw a line through all that is told."""
        lines = self.painter
        line = lines[y] if y < len(lines) else []
        return Strip(line).adjust_cell_length(self.size.width, self.ink("ink", on="ground"))

    def _told(self, high: int, gap: int) -> Iterator[list[Segment]]:
        """Yield all lines, with so many of each bar, and so many blank ones before a name."""
        if not any(self._sources):
            return
        yield [Segment(_("Where the points come from"), self.ink("gold", on="ground", bold=True))]
        for one in self._standing:
            yield from [[]] * gap
            yield self._head(one)
            yield from self._bar(one, high)

    def _head(self, one: FinalStanding) -> list[Segment]:
        """Return name and points, and what was lost."""
        ground = self.ink("ink-dim", on="ground")
        name = f"{self.glyphs.owner(one.seat)} {one.name}"
        lost = ", ".join(f"{each.name} {each.points}" for each in self._sources[one.seat] if each.points < 0)
        points = f" {one.points}"
        room = self.size.width - cell_len(points)
        if cell_len(name) > room:
            name = set_cell_size(name, max(0, room - 1)) + self.glyphs["ellipsis"]
        return [
            Segment(name, self.ink(f"seat-{one.seat}", on="ground", bold=True)),
            Segment(points, self.ink("ink", on="ground", bold=True)),
            *([Segment(f" ({lost})", ground)] if lost else []),
        ]

    def _bar(self, one: FinalStanding, high: int) -> Iterator[list[Segment]]:
        """Yield the lines of a bar: figures, with names below them if there is a second line."""
        found = [source for source in self._sources[one.seat] if source.points > 0]
        sums = accumulate((each.points for each in found), initial=0)
        edges = [round(points * self._unit) for points in sums]
        parts = [(source, end - start) for source, (start, end) in zip(found, pairwise(edges), strict=True)]
        for row in range(high):
            line, before = list[Segment](), ""
            for source, wide in parts:
                # parts without a colour of their own take turns in two
                before = source.colour or ("ink-dim" if before == "ink" else "ink")
                words = str(source.points) if row == 0 else self._called(source)
                line.append(Segment(self._label(words, wide), self._style(source, before)))
            yield line

    def _style(self, source: PointSource, ground: str) -> Style:
        return self.ink("country-ink" if source.colour else "ground", on=ground)

    def _label(self, words: str, wide: int) -> str:
        """Return words in the middle of a part; none if they do not fit."""
        if self.has_colours:
            return set_cell_size(f"{words if cell_len(words) <= wide else '':^{wide}}", wide)
        # where no ground tells parts apart, a line does
        inner = max(0, wide - 1)
        return set_cell_size(self.glyphs["v"] + f"{words if cell_len(words) <= inner else '':^{inner}}", wide)

    def _called(self, source: PointSource) -> str:
        """Return the name of a source: the short one if not even everybody's largest part has room."""
        gained = [[each for each in own if each.points > 0] for own in self._sources]
        largest = [max(own, key=lambda each: each.points) for own in gained if own]
        has_room = all(cell_len(each.name) <= int(each.points * self._unit) for each in largest)
        return source.name if has_room else source.code

    @property
    def _unit(self) -> float:
        """Columns of a point."""
        most = max(sum(max(0, each.points) for each in own) for own in self._sources)
        return self.size.width / max(1, most)
