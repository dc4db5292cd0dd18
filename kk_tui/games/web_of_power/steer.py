"""Ways of the cursor over the map."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kk_tui.games.web_of_power.drawing import CHIP, Drawing, Place
from kk_tui.games.web_of_power.targets import CREST, Target

_LINE: float = 2.0
"""Columns that are as far as one line."""


def points_of(drawing: Drawing) -> dict[Target, Place]:
    """Where every target stands."""
    crests = {CREST + country: place for country, (place, _) in enumerate(drawing.crests)}
    return {**dict(enumerate(drawing.spaces)), **crests}


def step(points: Mapping[Target, Place], start: Target, right: int, down: int) -> Target:
    """The nearest target in a direction; the same one when there is none."""
    x, y = points[start]

    def cost(target: Target) -> float:
        dx, dy = points[target][0] - x, (points[target][1] - y) * _LINE
        ahead, aside = (dx * right, abs(dy)) if right else (dy * down, abs(dx))
        return ahead + 2 * aside if ahead > 0 and aside <= 2.5 * ahead else 1e9

    best = min(points, key=cost)
    return best if cost(best) < 1e9 else start


def next_of(points: Mapping[Target, Place], possible: Collection[Target], start: Target, by: int) -> Target:
    """The next (`by` 1) or previous (-1) of some targets from left to right, around the end."""
    order = sorted(possible, key=lambda target: (*points[target], target))
    here = (*points[start], start)
    if by > 0:
        return next((target for target in order if (*points[target], target) > here), order[0])
    return next((target for target in reversed(order) if (*points[target], target) < here), order[-1])


def target_at(drawing: Drawing, x: int, y: int) -> Target | None:
    """The space or crest at a cell, or beside it."""
    for near in (x, x - 1, x + 1):
        for target, (left, at) in points_of(drawing).items():
            wide = drawing.crests[target - CREST][1] if target >= CREST else CHIP
            if at == y and left <= near < left + wide:
                return target
    return None
