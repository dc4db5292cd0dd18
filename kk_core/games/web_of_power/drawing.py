"""Where the map is drawn, as a client is sent it: no part of the rules."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.games.web_of_power.model import Pair

SEA: Final = "."
"""In `Picture.land`: water."""

FOREIGN: Final = ":"
"""In `Picture.land`: land that belongs to no country of the game."""


class Picture(msgspec.Struct, frozen=True, array_like=True):
    """The map drawn by hand on a grid of `width` x `height` cells, for boards of at least the size `least`.

    `land` tells what every row of the grid is, as runs such as "12.8a" (12 cells of SEA, 8 of the country 0;
    "b" is the country 1). `points` are the places of the spaces as (column, row), None for a space that has
    none; `crests` and `names` where a country's are best put, `numbers` those of the alliances, None where
    anywhere near will do. `ornaments` are things that only adorn the sea, by name.
    """

    least: Pair
    width: int
    height: int
    land: tuple[str, ...]
    points: tuple[Pair | None, ...]
    crests: tuple[Pair | None, ...]
    names: tuple[Pair | None, ...]
    numbers: tuple[Pair | None, ...]
    ornaments: tuple[tuple[str, Pair], ...]


class Drawing(msgspec.Struct, frozen=True, array_like=True):
    """Where the map is drawn: no part of the rules.

    `pictures` are for boards of different sizes, the smallest first; `sea_roads` are the roads that cross
    water, as in `Printed.roads`.
    """

    pictures: tuple[Picture, ...]
    sea_roads: tuple[Pair, ...]
