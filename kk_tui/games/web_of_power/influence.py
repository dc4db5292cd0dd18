"""Where the points that countries and alliances would give are written on the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kk_tui.games.web_of_power.cells import Cell
from kk_tui.games.web_of_power.land import Place
from kk_tui.games.web_of_power.layout import Layout
from kk_tui.games.web_of_power.placing import steps_around
from kk_tui.games.web_of_power.scales import Box, Label, Scale
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, label_variable
from kk_tui.i18n import render
from kk_tui.theme.glyphs import letter

_GROUND: Final = "web_of_power-number-ground"
"""Under the figures of alliances, as under their numbers."""

_REACH: Final = (30, 8)
"""Columns and lines from the name of a country within which its figures stand."""

_ABROAD: Final = 2.5
"""What covering a cell outside the country costs, in columns."""

_ON_ROAD: Final = 0.3
"""What covering a cell of a road costs, in columns."""

_TOUCHING: Final = 9.0
"""What it costs to stand right beside a piece, in columns."""

_MOST: Final = 13.0
"""The cost above which the figures take the place of the name, with a code for it."""


@dataclass(frozen=True)
class Values:
    """The points that each country and each alliance would give now, per seat."""

    countries: Sequence[Sequence[int]]
    alliances: Sequence[Sequence[int]]


class Figures(NamedTuple):
    """All cells of the figures, line by line, and the countries whose names make room for them."""

    lines: Sequence[Sequence[tuple[int, Cell]]]
    nameless: frozenset[int]


class _Form(NamedTuple):
    """A way to write figures: with the code of the country instead of its name, and with so many blanks."""

    has_code: bool
    gap: int


_FORMS: Final = (_Form(False, 1), _Form(False, 0), _Form(True, 1), _Form(True, 0))
"""From the clearest to the shortest."""


def figures_on(layout: Layout, values: Values) -> Figures:
    """What all get: beside the numbers of alliances, and by the names of countries or instead of them."""
    return _Writer(layout).write(values)


class _Writer:
    """Writes one thing after the other, none over another one or so near that both would be read as one."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._taken = {cell for box in layout.boxes.values() for cell in box.cells()}
        self._apart = {cell for box in layout.numbers for cell in box.grown(1).cells()}
        self._names = [set(name.box.grown(1).cells()) for name in layout.names]
        self._roads = {cell for road in layout.roads for cell in road}
        self._cells: dict[Place, Cell] = {}
        self._nameless = set[int]()

    def write(self, values: Values) -> Figures:
        for box, points in zip(self._layout.numbers, values.alliances, strict=True):
            if any(points):
                self._write_alliance(box, points)
        countries = [country for country, points in enumerate(values.countries) if any(points)]
        for country in sorted(countries, key=lambda each: -wide(values.countries[each], gap=0)):
            self._write_country(country, values.countries[country])
        lines: list[list[tuple[int, Cell]]] = [[] for _ in range(self._layout.height)]
        for (x, y), cell in self._cells.items():
            lines[y].append((x, cell))
        return Figures(lines, frozenset(self._nameless))

    # -- alliances -------------------------------------------------------------------------------------------

    def _write_alliance(self, number: Box, points: Sequence[int]) -> None:
        """Beside the number, or else over or under it, with a blank between them where it has no margin."""
        is_small = self._layout.scale is Scale.SMALL
        gap = 0 if is_small else 1
        size = wide(points, gap=gap) + is_small
        beside = [Box(number.x + number.width, number.y, size, 1), Box(number.x - size, number.y, size, 1)]
        stacked = [] if is_small else [Box(number.x, number.y + down, size, 1) for down in (1, -1)]
        free = [box for box in (*beside, *stacked) if self._is_free(box, self._taken)]
        box = min(free, key=self._touched, default=None)
        if box is None and is_small:  # in the place of the number: any other one would seem to be of another
            box = Box(number.x, number.y, size - 1, 1)
        elif box is None:
            box = beside[0]
        self._cells.update(((x, box.y), Cell(" ", "ink", _GROUND)) for x in range(box.x, box.x + box.width))
        start = box.x + (is_small and box is beside[0])
        self._add(gains(start, points, gap=gap, on=_GROUND), box)

    def _is_free(self, box: Box, taken: set[Place]) -> bool:
        """Whether something can be written there."""
        is_inside = (
            box.x >= 0 and box.x + box.width <= self._layout.width and 0 <= box.y < self._layout.height
        )
        names = (name.box.cells() for name in self._layout.names)
        return (
            is_inside
            and not any(cell in taken or cell in self._cells for cell in box.cells())
            and all(set(cells).isdisjoint(box.cells()) for cells in names)
        )

    def _touched(self, box: Box) -> int:
        """How many sides of it touch a piece, whose letter could be taken for one of the figures."""
        return sum((x, box.y) in self._taken for x in (box.x - 1, box.x + box.width))

    def _add(self, cells: Iterator[tuple[int, Cell]], box: Box) -> None:
        self._cells.update(((x, box.y), cell) for x, cell in cells)
        self._apart.update(box.grown(2).cells())

    # -- countries -------------------------------------------------------------------------------------------

    def _write_country(self, country: int, points: Sequence[int]) -> None:
        name, code = self._layout.names[country], render(COUNTRY_CODES[country])
        for form in _FORMS:
            width = wide(points, gap=form.gap) + (len(code) + 1 if form.has_code else 0)
            cost, box = self._best(country, name, width, has_name=not form.has_code)
            if cost <= _MOST or form is _FORMS[-1]:
                break
        x = box.x
        if form.has_code:
            self._nameless.add(country)
            self._cells.update(((x + by, box.y), cell) for by, cell in enumerate(_code(code, country)))
            x += len(code) + 1
        self._add(gains(x, points, gap=form.gap), box)

    def _best(self, country: int, name: Label, width: int, *, has_name: bool) -> tuple[float, Box]:
        """Where so many columns are written best, and what it costs."""
        layout = self._layout
        taken = self._taken | self._apart
        for other, beside in enumerate(self._names):
            if other not in self._nameless and (other != country or has_name):
                taken |= beside
        left = name.x + (len(name.words) - width) // 2
        best, found = 1e9, Box(max(0, min(left, layout.width - width)), name.y, width, 1)
        for right, down, away in steps_around(*_REACH):
            if away >= best:
                break
            box = Box(left + right, name.y + down, width, 1)
            if not (0 <= box.x <= layout.width - width and 0 <= box.y < layout.height):
                continue
            cells = box.cells()
            if taken.isdisjoint(cells):
                cost = (
                    away + sum(self._cost(cell, country) for cell in cells) + _TOUCHING * self._touched(box)
                )
                if cost < best:
                    best, found = cost, box
        return best, found

    def _cost(self, cell: Place, country: int) -> float:
        """What it costs to cover a cell."""
        x, y = cell
        return _ABROAD * (self._layout.land.ground[y][x] != country) + _ON_ROAD * (cell in self._roads)


def _code(code: str, country: int) -> Iterator[Cell]:
    for sign in f"{code} ":
        yield Cell(sign, label_variable(country), None, True)


def gains(x: int, points: Sequence[int], *, gap: int, on: str | None = None) -> Iterator[tuple[int, Cell]]:
    """Letter and points of all who would get some, e.g. "A5 B3", in their colours `on` something, or else on
    their colours."""
    is_first = True
    for seat, figure in enumerate(points):
        if figure:
            if gap and not is_first:
                yield x - 1, Cell(" ", "ink", on)
            words, is_first = f"{letter(seat)}{figure}", False
            colours = (f"seat-{seat}", on) if on else ("seat-ink", f"seat-{seat}")
            yield from ((x + by, Cell(sign, *colours, True)) for by, sign in enumerate(words))
            x += len(words) + gap


def wide(points: Sequence[int], *, gap: int) -> int:
    """Columns of everybody's points."""
    return max(0, sum(len(str(figure)) + 1 + gap for figure in points if figure) - gap)
