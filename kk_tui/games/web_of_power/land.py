"""Land and sea at a size: the hand-drawn picture made finer or coarser, and the sizes of things on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from re import findall
from typing import Final, NamedTuple

from kk_core.games.web_of_power.model import COUNTRIES, MapPicture
from kk_core.games.web_of_power.model import FOREIGN as FOREIGN_SIGN
from kk_core.games.web_of_power.model import SEA as SEA_SIGN
from kk_core.text import text
from kk_tui.scene import CannotDraw

Place = tuple[int, int]

FOREIGN: Final = len(COUNTRIES)
"""The code of land that belongs to no country in the game."""

SEA: Final = FOREIGN + 1
"""The code of water."""

INK: Final = SEA + 1
"""The code, in `Quarters.ink`, of the line of a border."""

_CODES: Final = {SEA_SIGN: SEA, FOREIGN_SIGN: FOREIGN} | {
    chr(ord("a") + country): country for country in range(len(COUNTRIES))
}
_REACH: Final = 1.5
"""The distance, in cells, up to which a cell of the picture counts: it rounds off the corners."""

_MOST: Final = 400
"""Maximum columns of a row: a host's data may be anything."""


class Quarters(NamedTuple):
    """A cell of two grounds: `pattern` has a bit for each quarter that shows `ink` (1 2 above 4 8)."""

    pattern: int
    ink: int
    ground: int


@dataclass(frozen=True)
class Land:
    """The ground of every cell, line by line; `edges` has the cells with two grounds."""

    ground: tuple[bytearray, ...]
    edges: dict[Place, Quarters]


def rows_of(picture: MapPicture) -> list[bytes]:
    """Return the rows of a picture, one number per cell. Raises `CannotDraw` for one that makes no sense."""
    rows = []
    for line in picture.land:
        runs = [(int(count), sign) for count, sign in findall(r"(\d{1,3})(\D)", line)]
        if any(sign not in _CODES for _, sign in runs) or sum(n for n, _ in runs) != picture.width:
            break
        rows.append(b"".join(bytes([_CODES[sign]]) * count for count, sign in runs))
    if len(rows) != picture.height or not rows or not 0 < picture.width <= _MOST:
        raise CannotDraw(text("The land of this map is drawn in an unknown format."))
    return rows


def draw_land(picture: MapPicture, width: int, height: int, *, inked: bool) -> Land:
    """Return the picture at a size in cells, borders `inked` or where colours meet. Raises `CannotDraw`."""
    points = points_of(rows_of(picture), width, height)
    ground = tuple(bytearray(width) for _ in range(height))
    edges = dict[Place, Quarters]()
    borders = _borders(points) if inked else {}
    for y in range(height):
        upper, lower = points[2 * y], points[2 * y + 1]
        for x in range(width):
            quarters = upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1]
            first = quarters[0]
            if quarters[1:] == (first, first, first):
                ground[y][x] = first
            else:
                # on an edge, land counts more, so that what is on the shore is on land
                count = Counter(quarters)
                ground[y][x] = max(count, key=lambda code: (count[code] + 0.5 * (code != SEA), -code))
            edge = _edge(quarters, ground[y][x], borders.get((x, y), 0))
            if edge is not None:
                edges[x, y] = edge
                if edge.ink == INK:  # a road over the line is on the land beyond it, as what is left of that
                    ground[y][x] = edge.ground
    return Land(ground, edges)


def _edge(quarters: tuple[int, ...], most: int, border: int) -> Quarters | None:
    """Return how a cell with a shore or a border is drawn; None if all of it is one ground."""
    if SEA in quarters and any(code != SEA for code in quarters):
        land = most if most != SEA else next(code for code in quarters if code != SEA)
        pattern = sum(1 << bit for bit, code in enumerate(quarters) if code != SEA)
        return Quarters(pattern, land, SEA)
    if border:
        # what is beyond the line is the other country, and none of a third one shows as either
        rest = Counter(code for bit, code in enumerate(quarters) if not border >> bit & 1)
        under = max(rest, key=lambda code: (rest[code], code == most, -code), default=most)
        line = sum(1 << bit for bit, code in enumerate(quarters) if border >> bit & 1 or code != under)
        return Quarters(line, INK, under)
    other = next((code for code in quarters if code != most), most)
    pattern = sum(1 << bit for bit, code in enumerate(quarters) if code == other)
    return Quarters(pattern, other, most) if other != most else None


def points_of(rows: Sequence[bytes], width: int, height: int) -> list[bytes]:
    """Return two points per cell and direction: each is what most of the picture around it is."""
    columns = _near(len(rows[0]), 2 * width)
    alike = [_alike(rows, y) for y in range(len(rows))]
    points = []
    for y, down in _near(len(rows), 2 * height):
        line, same = rows[y], alike[y]
        points.append(bytes(line[x] if same[x] else _most(rows, across, down) for x, across in columns))
    return points


Weights = tuple[tuple[int, float], ...]


def _near(cells: int, points: int) -> list[tuple[int, Weights]]:
    """Return for every point the cell that it is in, and the cells near it with their weights."""
    found = []
    for point in range(points):
        at = (point + 0.5) * cells / points - 0.5
        cell = min(max(round(at), 0), cells - 1)
        around = range(max(0, cell - 1), min(cells, cell + 2))
        found.append((cell, tuple((near, max(0.0, _REACH - abs(near - at))) for near in around)))
    return found


def _alike(rows: Sequence[bytes], y: int) -> list[bool]:
    """Return for every cell of a row whether all cells around it are like it."""
    near = rows[max(0, y - 1) : y + 2]
    return [
        len({code for row in near for code in row[max(0, x - 1) : x + 2]}) == 1 for x in range(len(rows[y]))
    ]


def _most(rows: Sequence[bytes], across: Weights, down: Weights) -> int:
    weights = dict[int, float]()
    for y, height in down:
        row = rows[y]
        for x, width in across:
            code = row[x]
            weights[code] = weights.get(code, 0.0) + width * height
    return max(weights, key=lambda code: (weights[code], -code))


def _borders(points: Sequence[bytes]) -> dict[Place, int]:
    """Return by cell the quarters where a country ends and another begins to the right or below."""
    found = dict[Place, int]()
    for y, line in enumerate(points):
        below = points[y + 1] if y + 1 < len(points) else line
        for x, (here, right) in enumerate(pairwise(line)):
            under = below[x]
            if here == SEA or (here == right and here == under):
                continue
            if (right not in (here, SEA)) or (under not in (here, SEA)):
                cell = x // 2, y // 2
                found[cell] = found.get(cell, 0) | 1 << (x % 2 + 2 * (y % 2))
    return found


class MapScale(IntEnum):
    """The size of houses, shields and numbers; the largest has more space between them."""

    SMALL, MEDIUM, LARGE, HUGE = range(4)

    @property
    def house(self) -> tuple[int, int]:
        """Columns and lines of a house."""
        return ((2, 1), (2, 2), (4, 2), (4, 2))[self]

    @property
    def shield(self) -> tuple[int, int]:
        """Columns and lines of a shield."""
        return ((2, 1), (4, 2), (6, 3), (6, 3))[self]

    @property
    def advisor(self) -> int:
        """Columns of an advisor: a letter, with the shape if there is room."""
        return 2 if self is MapScale.HUGE else 1

    def crest(self, advisors: int) -> tuple[int, int]:
        """Return the columns and lines of a shield with `advisors` advisors beside it."""
        width, height = self.shield
        return width + self.advisor * -(-advisors // height), height

    def number(self, number: int) -> int:
        """Return the columns of the number of an alliance."""
        return len(str(number)) + (0 if self is MapScale.SMALL else 2)


def scale_for(width: int, height: int) -> MapScale:
    """Return the scale of a map of `width` columns and `height` lines."""
    if width < 80 or height < 33:
        return MapScale.SMALL
    if width < 108 or height < 42:
        return MapScale.MEDIUM
    return MapScale.LARGE if width < 132 or height < 51 else MapScale.HUGE


class Box(NamedTuple):
    """Some cells: the upper left one, columns and lines."""

    x: int
    y: int
    width: int
    height: int

    def cells(self) -> list[tuple[int, int]]:
        """Return all cells, line by line."""
        return [(self.x + right, self.y + down) for down in range(self.height) for right in range(self.width)]

    def grown(self, columns: int, lines: int = 0) -> Box:
        """Return a box with more columns and lines on every side."""
        return Box(self.x - columns, self.y - lines, self.width + 2 * columns, self.height + 2 * lines)

    @property
    def middle(self) -> tuple[float, float]:
        """The point in the middle."""
        return self.x + (self.width - 1) / 2, self.y + (self.height - 1) / 2


@dataclass(frozen=True)
class Label:
    """Words on the map, from a cell on to the right."""

    x: int
    y: int
    words: str

    @property
    def box(self) -> Box:
        """The cells of the words."""
        return Box(self.x, self.y, len(self.words), 1)
