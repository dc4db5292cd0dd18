"""Where everything of the map stands on the screen: computed once per size and language, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from kk_core.games.web_of_power.model import Drawing as Places
from kk_core.games.web_of_power.model import Pair, Picture, Printed
from kk_core.text import text
from kk_tui.games.web_of_power.choices import CREST, Target, step
from kk_tui.games.web_of_power.land import Land, Place, draw_land
from kk_tui.games.web_of_power.placing import Table
from kk_tui.games.web_of_power.scales import Box, Label, Scale, scale_for
from kk_tui.table.scene import CannotDraw

LEAST: Final = (56, 18)
"""Columns and lines of the smallest map; what is smaller shows a part of it."""

MOST: Final = (168, 66)
"""Columns and lines of the largest map; what is larger has a margin."""


@dataclass(frozen=True)
class Layout:
    """One size of the map.

    `spaces` and `crests` have a box per space and per country, `numbers` one per alliance, `names` the words
    per country; `roads` the strokes of every road by cell, `ties` the cells of the line of every alliance,
    `ornaments` what adorns the sea, by name and left upper cell.
    """

    width: int
    height: int
    scale: Scale
    land: Land
    spaces: tuple[Box, ...]
    crests: tuple[Box, ...]
    numbers: tuple[Box, ...]
    names: tuple[Label, ...]
    roads: tuple[dict[Place, str], ...]
    ties: tuple[tuple[Place, ...], ...]
    ornaments: tuple[tuple[str, Place], ...]

    @cached_property
    def boxes(self) -> dict[Target, Box]:
        """The cells of every target."""
        crests = {CREST + country: box for country, box in enumerate(self.crests)}
        return {**dict(enumerate(self.spaces)), **crests}

    @cached_property
    def points(self) -> dict[Target, Place]:
        """Where every target stands, for ways of the cursor."""
        return {target: (round(box.middle[0]), box.y + box.height - 1) for target, box in self.boxes.items()}

    @cached_property
    def _ways(self) -> dict[tuple[Target, int, int], Target]:
        """The steps that a cursor has gone already."""
        return {}

    def step(self, start: Target, right: int, down: int) -> Target:
        """The nearest target in a direction; the same one when there is none."""
        way = start, right, down
        if way not in self._ways:
            self._ways[way] = step(self.points, *way)
        return self._ways[way]

    @cached_property
    def _hits(self) -> dict[Place, Target]:
        """The target at every cell; those beside a target count for it where they are no other's."""
        near = {cell: target for target, box in self.boxes.items() for cell in box.grown(1).cells()}
        return near | {cell: target for target, box in self.boxes.items() for cell in box.cells()}

    @cached_property
    def taken(self) -> frozenset[Place]:
        """The cells of all targets, names and numbers."""
        boxes = (*self.boxes.values(), *self.numbers, *(name.box for name in self.names))
        return frozenset(cell for box in boxes for cell in box.cells())

    def target_at(self, x: int, y: int) -> Target | None:
        """The space or crest at a cell, or beside it."""
        return self._hits.get((x, y))


def layout_for(
    printed: Printed,
    places: Places,
    width: int,
    height: int,
    names: Sequence[str],
    codes: Sequence[str],
) -> Layout:
    """The map in so many columns and lines, with the countries' names in somebody's language.

    Where a name has no room near its country, its code stands there.

    Raises `CannotDraw` for a space without a place, and for land that makes no sense.
    """
    width, height = (
        max(least, min(most, n)) for least, most, n in zip(LEAST, MOST, (width, height), strict=True)
    )
    return _draw(printed, places, width, height, tuple(zip(names, codes, strict=True)))


@lru_cache(maxsize=24)
def _draw(
    printed: Printed,
    places: Places,
    width: int,
    height: int,
    names: tuple[tuple[str, str], ...],
) -> Layout:
    picture = picture_for(places, width, height)
    scale = scale_for(width, height)
    land = draw_land(picture, width, height, inked=scale is not Scale.SMALL)
    table = Table(printed, picture, _points(printed, picture), land, scale)
    spaces = table.place_spaces()
    crests = table.place_crests()
    roads = tuple(table.lay_roads())
    numbers = table.place_numbers()
    labels = table.place_names(names)
    adorned = tuple(table.place_ornaments())
    ties = tuple(table.lay_ties())
    return Layout(
        width, height, scale, land, spaces, crests, numbers, labels, roads, ties, adorned
    )  # fmt: skip


def picture_for(places: Places, width: int, height: int) -> Picture:
    """The largest picture for so many columns and lines, or else the smallest one. Raises `CannotDraw`."""
    if not places.pictures:
        raise CannotDraw(text("This map has no picture."))
    fitting = [
        picture for picture in places.pictures if picture.least[0] <= width and picture.least[1] <= height
    ]
    return fitting[-1] if fitting else places.pictures[0]


def _points(printed: Printed, picture: Picture) -> list[Pair]:
    if len(picture.points) != len(printed.spaces):
        raise CannotDraw(text("The land of this map is drawn in a way that is not understood here."))
    found = [point for point in picture.points if point is not None]
    if len(found) < len(printed.spaces):
        lost = next(name for name, point in zip(printed.spaces, picture.points, strict=True) if point is None)
        raise CannotDraw(text("It is not known where the space {space} is drawn.", space=lost))
    return found
