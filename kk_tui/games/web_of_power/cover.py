"""The board game on the first screen: Europe, with roads and the houses along them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kk_core.games.web_of_power.model import META
from kk_tui.cover import Cover, Point
from kk_tui.games import Appearance
from kk_tui.games.web_of_power.theme import COLOURS, GLYPHS
from kk_tui.pixels import read_pictures

_CONTINENT: Final[tuple[Point, ...]] = (
    (0.55, 0.13), (0.60, 0.10), (0.62, 0.20), (0.70, 0.22), (0.85, 0.18), (1.00, 0.10), (1.00, 0.80),
    (0.93, 0.78), (0.88, 0.72), (0.80, 0.66), (0.72, 0.58), (0.69, 0.60), (0.72, 0.70), (0.82, 0.80),
    (0.89, 0.86), (0.87, 0.90), (0.82, 0.88), (0.83, 0.96), (0.79, 0.97), (0.77, 0.87), (0.66, 0.76),
    (0.60, 0.67), (0.51, 0.69), (0.45, 0.70), (0.42, 0.76), (0.35, 0.82), (0.33, 0.90), (0.26, 0.98),
    (0.13, 0.98), (0.05, 0.94), (0.05, 0.72), (0.15, 0.68), (0.29, 0.70), (0.30, 0.60), (0.19, 0.50),
    (0.30, 0.48), (0.35, 0.42), (0.43, 0.36), (0.50, 0.29), (0.56, 0.27),
)  # fmt: skip

_BEYOND: Final[tuple[tuple[Point, ...], ...]] = (
    _CONTINENT,
    ((0.60, 0.00), (0.80, 0.00), (0.74, 0.14), (0.66, 0.12)),
    ((0.02, 0.22), (0.12, 0.17), (0.14, 0.32), (0.05, 0.38)),
)
"""Land outside the game."""

_LANDS: Final[tuple[tuple[int, tuple[Point, ...]], ...]] = (
    (3, ((0.17, 0.08), (0.25, 0.02), (0.27, 0.10), (0.25, 0.16), (0.31, 0.26), (0.37, 0.33),
         (0.34, 0.39), (0.17, 0.43), (0.22, 0.36), (0.17, 0.34), (0.21, 0.28), (0.20, 0.18))),
    (4, ((0.19, 0.50), (0.30, 0.48), (0.35, 0.42), (0.43, 0.42), (0.46, 0.50),
         (0.46, 0.58), (0.42, 0.70), (0.35, 0.72), (0.29, 0.70), (0.30, 0.60))),
    (0, ((0.05, 0.72), (0.15, 0.68), (0.29, 0.70), (0.42, 0.74), (0.35, 0.82), (0.33, 0.90),
         (0.26, 0.98), (0.13, 0.98), (0.05, 0.94))),
    (1, ((0.46, 0.56), (0.53, 0.56), (0.56, 0.66), (0.50, 0.70), (0.43, 0.70))),
    (2, ((0.43, 0.36), (0.50, 0.31), (0.53, 0.38), (0.53, 0.57), (0.46, 0.58),
         (0.46, 0.50), (0.43, 0.43))),
    (0, ((0.50, 0.29), (0.56, 0.26), (0.70, 0.24), (0.75, 0.32), (0.72, 0.44), (0.53, 0.46),
         (0.53, 0.38))),
    (3, ((0.53, 0.46), (0.64, 0.45), (0.65, 0.56), (0.53, 0.57))),
    (1, ((0.64, 0.45), (0.76, 0.42), (0.86, 0.48), (0.84, 0.56), (0.72, 0.58), (0.65, 0.56))),
    (2, ((0.53, 0.58), (0.69, 0.58), (0.72, 0.70), (0.82, 0.80), (0.89, 0.86), (0.87, 0.90),
         (0.82, 0.88), (0.83, 0.96), (0.79, 0.97), (0.77, 0.87), (0.66, 0.76), (0.58, 0.67))),
)  # fmt: skip
"""The countries: the kind of card that names each, and its borders."""

_HOUSES: Final[tuple[tuple[Point, int], ...]] = (
    ((0.27, 0.35), 1), ((0.37, 0.51), 0), ((0.38, 0.63), 0), ((0.26, 0.78), 2), ((0.13, 0.86), 2),
    ((0.49, 0.46), 0), ((0.59, 0.51), 3), ((0.60, 0.36), 3), ((0.69, 0.38), 1), ((0.76, 0.51), 1),
    ((0.62, 0.63), 4), ((0.74, 0.77), 4),
)  # fmt: skip
_ROADS: Final = ((0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (6, 7), (7, 8), (8, 9), (6, 10), (10, 11))
_ART: Final = Path(__file__).parent / "art" / "cover.txt"
_LEAST: Final = (4, 3, 2)
"""The sizes from which the houses are drawn, the largest first."""

_WITH_ROADS: Final = 20
"""Rows of pixels from which there are roads, and all of their houses."""
_SMALL: Final = (0, 2, 4, 7, 9, 11)
"""The houses that a small picture has room for."""

_NARROW: Final = 0.85
"""Columns for each row of pixels from which the picture shows all of Europe."""
_WEST: Final = (0.02, 0.54)
"""Where the part that a narrow one shows begins and ends."""
_WESTERN: Final = (0, 1, 4)
"""The houses in that part; roads would hide its lands."""


def cover(width: int, height: int) -> Cover:
    """Return the picture at a size in pixels."""
    picture = Cover(width, height, "web_of_power-sea")
    is_narrow = width < _NARROW * height
    has_roads = height >= _WITH_ROADS and not is_narrow
    left, right = _WEST if is_narrow else (0.0, 1.0)
    houses = _WESTERN if is_narrow else range(len(_HOUSES)) if has_roads else _SMALL

    def seen(point: Point) -> Point:
        return (point[0] - left) / (right - left), point[1]

    for coast in _BEYOND:
        picture.polygon([*map(seen, coast)], "ink-line")
    for kind, borders in _LANDS:
        picture.polygon([*map(seen, borders)], f"web_of_power-kind-{kind}")
    if has_roads:
        for start, end in _ROADS:
            picture.line(_HOUSES[start][0], _HOUSES[end][0], "web_of_power-number-ground")
    for index in houses:
        (x, y), seat = seen(_HOUSES[index][0]), _HOUSES[index][1]
        _house(picture, int(x * width), int(y * height), max(1, height // 18), seat)
    return picture


def _house(picture: Cover, x: int, y: int, size: int, seat: int) -> None:
    """Draw a house in its owner's colour, dark all around if there is room for it."""
    shapes = zip(_LEAST, read_pictures(_ART, each=len(_LEAST))["house"], strict=True)
    shape = next((shape for least, shape in shapes if size >= least), ("#",))
    left, top = x - len(shape[0]) // 2, y - len(shape) // 2
    if len(shape) > 1:
        for right, down in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            picture.stamp(left + right, top + down, shape, {"#": "web_of_power-number-ground"})
    picture.stamp(left, top, shape, {"#": f"seat-{seat}"})


DRAWN: Final = {
    r"FRANKEN": "bold $web_of_power-label-0",
    r"▓▓|##": "$web_of_power-argent on $web_of_power-gules",
    r"(?<=[·.] )[·.]|[·.](?= [·.\d])": "$web_of_power-tie",
    r"(?<=[·.] )\d": "bold $gold on $web_of_power-number-ground",
    r"⌂": "bold $ink",
}
"""The country, the crest, the alliance and the free spaces of the map that the rules draw."""

APPEARANCE: Final = Appearance(
    meta=META, colours=COLOURS, glyphs=GLYPHS, cover=cover, drawn=DRAWN, scores_rarely=True
)
