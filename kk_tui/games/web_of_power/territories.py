"""Land and sea: to which country every cell of the screen belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Final

from kk_core.games.web_of_power.model import Drawing, Printed

Place = tuple[int, int]

SEA: Final = 255
"""Instead of a country: water."""

ASPECT: Final = 2.1
"""A cell of a terminal is about twice as high as it is wide."""

_REACH: Final = 5.6
"""Columns of the widest map over which a space makes land around itself; smaller ones in proportion."""

_SHORE: Final = 0.55
"""How much of that makes a cell land."""

_STRAIT: Final = 2.2
"""How many times as high as another shore land must be, so that there is water between them."""


def territories(
    printed: Printed, drawn: Drawing, places: Sequence[Place], width: int, height: int
) -> tuple[bytes, ...]:
    """The country (or SEA) of every cell, line by line.

    Every space and every road inside a country is a hill whose slopes add up; above the shore line there is
    land, which belongs to the country of the nearest hill. Shores joined only over the sea stay apart.
    """
    scale = width / 84
    shore_of = shores(printed, drawn)
    heights = [[[0.0] * width for _ in range(height)] for _ in range(max(shore_of) + 1)]
    nearest = [[(1e9, SEA)] * width for _ in range(height)]
    for country, x, y in _hills(printed, places):
        slope = heights[shore_of[country]]
        for cell_x, cell_y, away in _around(x, y, 2.4 * _REACH * scale, width, height):
            slope[cell_y][cell_x] += exp(-((away / (_REACH * scale)) ** 2))
            if away < nearest[cell_y][cell_x][0]:
                nearest[cell_y][cell_x] = (away, country)
    lines = [
        bytearray(
            nearest[y][x][1] if _is_land([slope[y][x] for slope in heights]) else SEA for x in range(width)
        )
        for y in range(height)
    ]
    _part(lines, shore_of, {(x + by, y) for x, y in places for by in (0, 1)})
    return tuple(map(bytes, lines))


def _is_land(heights: list[float]) -> bool:
    best, *others = sorted(heights, reverse=True)
    return best > _SHORE and all(best > _STRAIT * other for other in others)


def _part(lines: list[bytearray], shore_of: Sequence[int], spaces: set[Place]) -> None:
    """Flood what touches another shore still, spaces excepted."""
    for y, line in enumerate(lines):
        for x, here in enumerate(line):
            if here == SEA:
                continue
            for near_x, near_y in ((x + 1, y), (x, y + 1)):
                if near_x == len(line) or near_y == len(lines):
                    continue
                there = lines[near_y][near_x]
                if there != SEA and shore_of[there] != shore_of[here]:
                    if (x, y) not in spaces:
                        line[x] = SEA
                        break
                    if (near_x, near_y) not in spaces:
                        lines[near_y][near_x] = SEA


def may_be_land(lines: Sequence[Sequence[int]], shore_of: Sequence[int], cell: Place, country: int) -> bool:
    """Whether a cell of sea can become a country's land without touching another shore."""
    x, y = cell
    around = ((x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    near = [lines[b][a] for a, b in around if 0 <= b < len(lines) and 0 <= a < len(lines[b])]
    return lines[y][x] == SEA and all(here == SEA or shore_of[here] == shore_of[country] for here in near)


def shores(printed: Printed, drawn: Drawing) -> list[int]:
    """For every country the shore it lies on: countries joined by land roads share one."""
    countries = len(printed.spaces_of)
    shore = list(range(countries))
    for a, b in printed.roads:
        if (a, b) not in drawn.sea_roads:
            old, new = sorted((shore[printed.country_of[a]], shore[printed.country_of[b]]), reverse=True)
            shore = [new if at == old else at for at in shore]
    names = sorted(set(shore))
    return [names.index(at) for at in shore]


def _hills(printed: Printed, places: Sequence[Place]) -> Iterator[tuple[int, float, float]]:
    for space, (x, y) in enumerate(places):
        yield printed.country_of[space], x + 0.5, y
    for a, b in printed.roads:
        if printed.country_of[a] == printed.country_of[b]:
            (ax, ay), (bx, by) = places[a], places[b]
            for share in (0.33, 0.67):
                yield printed.country_of[a], ax + 0.5 + (bx - ax) * share, ay + (by - ay) * share


def _around(x: float, y: float, reach: float, width: int, height: int) -> Iterator[tuple[int, int, float]]:
    """The cells near a point with their distance in columns."""
    for cell_y in range(max(0, int(y - reach / ASPECT)), min(height, int(y + reach / ASPECT) + 2)):
        for cell_x in range(max(0, int(x - reach)), min(width, int(x + reach) + 2)):
            away = ((cell_x - x) ** 2 + ((cell_y - y) * ASPECT) ** 2) ** 0.5
            if away <= reach:
                yield cell_x, cell_y, away
