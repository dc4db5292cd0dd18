"""The cells of a map that never change: land, sea, borders, roads and what adorns the sea."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple, TypeAlias

from kk_core.games.web_of_power.model import COUNTRIES, Printed
from kk_core.games.web_of_power.model import Drawing as Places
from kk_tui.games.web_of_power.heraldry import BLOCKS, in_ascii, ornament
from kk_tui.games.web_of_power.land import FOREIGN, INK, SEA
from kk_tui.games.web_of_power.layout import Layout
from kk_tui.games.web_of_power.placing import join
from kk_tui.games.web_of_power.theme import label_variable, land_variable
from kk_tui.theme.glyphs import Glyphs

Shade: TypeAlias = str | int
"""A theme variable, or a ground: a country, FOREIGN, SEA or INK."""


BED: Final = "bed"
"""As the ground of a cell: the land, which with few colours ends around a road that somebody owns."""


class Cell(NamedTuple):
    """One sign with its colours; `on` None is the ground under it."""

    sign: str
    colour: Shade
    on: Shade | None = None
    bold: bool = False


class CellGround:
    """The theme variables of grounds."""

    ALL: ClassVar = range(INK + 1)
    NAMES: ClassVar = frozenset(map(label_variable, range(len(COUNTRIES))))
    WRITTEN: ClassVar = NAMES | {"web_of_power-road"}
    """What is written on a country in colours that a lit one does not bear."""

    @staticmethod
    def variable(code: int, *, lit: bool = False) -> str:
        """The theme variable of a ground."""
        if code < len(COUNTRIES):
            return land_variable(code, lit=lit)
        return {FOREIGN: "web_of_power-foreign", SEA: "web_of_power-sea", INK: "web_of_power-border"}[code]


_WAVES: Final = 37
"""One cell of the sea out of so many has a wave."""


def still_lines(layout: Layout, printed: Printed, places: Places, glyphs: Glyphs) -> list[list[Cell]]:
    """The lines of a map without names, numbers and pieces."""
    lines = [[_ground(layout, glyphs, x, y) for x in range(layout.width)] for y in range(layout.height)]
    for cells in (_ornaments(layout, glyphs), _ties(layout, glyphs), _roads(layout, printed, places, glyphs)):
        for (x, y), cell in cells:
            lines[y][x] = cell
    return lines


def _ground(layout: Layout, glyphs: Glyphs, x: int, y: int) -> Cell:
    edge = layout.land.edges.get((x, y))
    if edge is not None:
        sign = BLOCKS[edge.pattern]
        if glyphs.ascii_only:
            return Cell(in_ascii(sign), "web_of_power-tie")  # strokes as those of roads, but fainter
        return Cell(sign, edge.ink, edge.ground)
    if layout.land.ground[y][x] == SEA:
        wave = (x * 7 + y * 17 + x * y // 9) % _WAVES == 0
        return Cell(glyphs["web_of_power-wave"] if wave else " ", "web_of_power-wave")
    # light on dark even where it is blank: without colours what is dark on light is shown reversed
    return Cell(" ", "web_of_power-road")


def _ornaments(layout: Layout, glyphs: Glyphs) -> Iterator[tuple[tuple[int, int], Cell]]:
    for name, (left, top) in layout.ornaments:
        for down, line in enumerate(ornament(name, layout.scale)):
            drawn = in_ascii(line) if glyphs.ascii_only else line
            for right, sign in enumerate(drawn):
                if sign != " ":
                    yield (left + right, top + down), Cell(sign, "web_of_power-sea-road")


def _ties(layout: Layout, glyphs: Glyphs) -> Iterator[tuple[tuple[int, int], Cell]]:
    for cells in layout.ties:
        for cell in cells:
            yield cell, Cell(glyphs["web_of_power-tie"], "web_of_power-tie")


def _roads(
    layout: Layout, printed: Printed, places: Places, glyphs: Glyphs
) -> Iterator[tuple[tuple[int, int], Cell]]:
    drawn = dict[tuple[int, int], str]()
    for road, cells in zip(printed.roads, layout.roads, strict=True):
        colour = "web_of_power-sea-road" if road in places.sea_roads else "web_of_power-road"
        for cell, sign in cells.items():
            drawn[cell] = join(drawn.get(cell, sign), sign)
            yield cell, Cell(glyphs[drawn[cell]], colour)
