"""Roads as lines of cells: each finds its way around what stands on the map."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from math import hypot
from typing import Final

Place = tuple[int, int]

_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_NOWHERE: Final = (0, 0)
_MARGIN: Final = 3
_TURN: Final = 0.35
"""What a bend costs, in columns."""

_BREAK: Final = 2.0
"""What a bend costs where a slanting stroke begins or ends, since that does not quite meet an upright one."""

_OFF_LINE: Final = 0.25
"""What a column beside the straight line costs."""


def find_way(start: Place, end: Place, costs: Mapping[Place, float], width: int, height: int) -> list[Place]:
    """The cells from one place to another, both included; `costs` is what stepping on a cell costs more."""
    left, right = max(0, min(start[0], end[0]) - _MARGIN), min(width, max(start[0], end[0]) + _MARGIN + 1)
    top, bottom = max(0, min(start[1], end[1]) - 1), min(height, max(start[1], end[1]) + 2)
    across, down = end[0] - start[0], 2 * (end[1] - start[1])
    # how far a cell is beside the straight line: a determinant by the length of the line
    beside = _OFF_LINE / max(1.0, hypot(across, down))
    best: dict[tuple[Place, Place], float] = {}
    came: dict[tuple[Place, Place], tuple[Place, Place]] = {}
    queue: list[tuple[float, float, Place, Place]] = [(0.0, 0.0, start, _NOWHERE)]
    while queue:
        _, spent, at, heading = heappop(queue)
        if at == end:
            return _walk_back(came, (at, heading), start)
        if spent > best.get((at, heading), 1e9):
            continue
        for step, price in _AFTER[heading]:
            to = x, y = at[0] + step[0], at[1] + step[1]
            if not (left <= x < right and top <= y < bottom):
                continue
            off = abs(across * 2 * (y - start[1]) - down * (x - start[0])) * beside
            cost = spent + price + off + (0 if to == end else costs.get(to, 0))
            if cost < best.get((to, step), 1e9):
                best[to, step] = cost
                came[to, step] = (at, heading)
                heappush(queue, (cost + hypot(end[0] - x, 2 * (end[1] - y)), cost, to, step))
    return [start, end]


def _meets(heading: Place, step: Place) -> bool:
    """Whether two strokes join: a level and a slanting one would leave a gap, and no road turns back."""
    if heading in (_NOWHERE, step):
        return True
    level = heading[1] == 0 or step[1] == 0
    slanting = bool(heading[0] and heading[1]) or bool(step[0] and step[1])
    return heading[0] * step[0] + heading[1] * step[1] >= 0 and not (level and slanting)


def _price(heading: Place, step: Place) -> float:
    """The length of a step in columns, and what a bend costs."""
    if heading in (_NOWHERE, step):
        return hypot(step[0], 2 * step[1])
    is_slanting = any(way[0] and way[1] for way in (heading, step))
    return hypot(step[0], 2 * step[1]) + (_BREAK if is_slanting else _TURN)


_AFTER: Final = {
    heading: [(step, _price(heading, step)) for step in _STEPS if _meets(heading, step)]
    for heading in (_NOWHERE, *_STEPS)
}
"""By heading the steps that may follow, with their prices."""


def _walk_back(
    came: Mapping[tuple[Place, Place], tuple[Place, Place]], at: tuple[Place, Place], start: Place
) -> list[Place]:
    way = [at[0]]
    while at[0] != start:
        at = came[at]
        way.append(at[0])
    return way[::-1]


_LEVEL, _UPRIGHT, _FALLING, _RISING = "h", "v", "web_of_power-falling", "web_of_power-rising"


def strokes(way: list[Place]) -> dict[Place, str]:
    """The sign of every cell strictly between the ends of a way."""
    signs: dict[Place, str] = {}
    for before, at, after in zip(way, way[1:], way[2:], strict=False):
        come = (at[0] - before[0], at[1] - before[1])
        go = (after[0] - at[0], after[1] - at[1])
        signs[at] = _sign(come, go)
    return signs


def _sign(come: Place, go: Place) -> str:
    """The stroke goes on as it came; a corner is drawn where a level one meets an upright one."""
    if come[0] and come[1]:
        return _FALLING if come[0] == come[1] else _RISING
    if go[0] and go[1]:
        return _LEVEL if come[0] else _UPRIGHT
    if come[1] == go[1] == 0:
        return _LEVEL
    if come[0] == go[0] == 0:
        return _UPRIGHT
    # a corner is named by the two sides it joins
    sides = {(-come[0], -come[1]), go}
    return "web_of_power-" + ("n" if (0, -1) in sides else "s") + ("w" if (-1, 0) in sides else "e")


_SIDES: Final = {_LEVEL: "we", _UPRIGHT: "ns"} | {
    f"web_of_power-{sides}": sides for sides in ("nw", "ne", "sw", "se", "nsw", "nse", "nwe", "swe", "nswe")
}
"""By sign the sides of its cell that it joins, in the order of their names; slanting ones join none."""

_JOINING: Final = {sides: sign for sign, sides in _SIDES.items()}


def join(one: str, other: str) -> str:
    """The sign of a cell that two roads go through; of slanting strokes the other one is seen."""
    if one not in _SIDES or other not in _SIDES:
        return other
    return _JOINING["".join(side for side in "nswe" if side in _SIDES[one] + _SIDES[other])]
