"""Where the board game is drawn, read from its data file and checked: no part of the rules."""

from __future__ import annotations

from typing import Final

import msgspec

from config import Source
from kk_core.data import parse
from kk_core.errors import BadData
from kk_core.games.web_of_power.model import Drawing, Pair, Printed
from kk_core.text import text

FILE: Final = "web_of_power.drawing.toml"


class _Grid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    width: int
    height: int


class _Roads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sea: tuple[str, ...]


class _Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file: where spaces stand on a grid, and which roads cross water."""

    grid: _Grid
    roads: _Roads
    spaces: dict[str, Pair]


def drawing(source: Source, land: Printed, *, complete: bool) -> Drawing:
    """Where a data file draws a board; spaces that it does not know have no place.

    Raises `BadData` with file, key and reason, where it should be `complete` also for such spaces.
    """
    places = parse(source, _Places)
    _check_points(source.name, places)
    for space in land.spaces if complete else ():
        if space not in places.spaces:
            raise BadData(
                source.name, "spaces", text("There is no place for the space {space}.", space=space)
            )
    index = {space: i for i, space in enumerate(land.spaces)}
    at_sea = {frozenset(index.get(end) for end in road.split("-")) for road in places.roads.sea}
    return Drawing(
        width=places.grid.width,
        height=places.grid.height,
        points=tuple(places.spaces.get(space) for space in land.spaces),
        sea_roads=tuple(road for road in land.roads if frozenset(road) in at_sea),
    )


def _check_points(name: str, places: _Places) -> None:
    grid, taken = places.grid, dict[Pair, str]()
    for space, point in places.spaces.items():
        where = f"spaces.{space}"
        if not (0 <= point[0] < grid.width and 0 <= point[1] < grid.height):
            size = f"{grid.width} x {grid.height}"
            raise BadData(name, where, text("The place is off the grid of {size}.", size=size))
        if point in taken:
            raise BadData(name, where, text("{space} is drawn at this place.", space=taken[point]))
        taken[point] = space
