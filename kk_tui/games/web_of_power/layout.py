"""Where everything of the map stands on the screen: computed once per size and language, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import hypot
from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, Printed
from kk_core.games.web_of_power.model import Drawing as Places
from kk_core.text import text
from kk_tui.games.web_of_power.choices import CREST, Target
from kk_tui.games.web_of_power.roads import find_way, strokes
from kk_tui.games.web_of_power.territories import SEA, may_be_land, shores, territories
from kk_tui.scene import CannotDraw

Place = tuple[int, int]

SIZES: Final = ((100, 42), (84, 35), (68, 27), (56, 19))
"""Columns and lines of the layouts; the first that fits is taken, the last where none does."""

CHIP: Final = 2
"""Columns of a space: the owner's letter and shape."""


@dataclass(frozen=True)
class Layout:
    """One size of the map. Places are (column, line) of the leftmost cell.

    `spaces` has a place per space, `crests` a place and a width per country (shield, then one column per
    possible advisor), `numbers` a place per alliance, `names` a place and the words per country. `ground`
    has the country (or SEA) of every cell, line by line; `roads` the strokes of every road by cell.
    """

    width: int
    height: int
    spaces: tuple[Place, ...]
    crests: tuple[tuple[Place, int], ...]
    numbers: tuple[Place, ...]
    names: tuple[tuple[Place, str], ...]
    ground: tuple[bytes, ...]
    roads: tuple[dict[Place, str], ...]

    @cached_property
    def points(self) -> dict[Target, Place]:
        """Where every target stands."""
        crests = {CREST + country: place for country, (place, _) in enumerate(self.crests)}
        return {**dict(enumerate(self.spaces)), **crests}

    def target_at(self, x: int, y: int) -> Target | None:
        """The space or crest at a cell, or beside it."""
        for near in (x, x - 1, x + 1):
            for target, (left, at) in self.points.items():
                wide = self.crests[target - CREST][1] if target >= CREST else CHIP
                if at == y and left <= near < left + wide:
                    return target
        return None


def layout_for(printed: Printed, places: Places, width: int, height: int, names: Sequence[str]) -> Layout:
    """The largest layout for so many columns and lines, with the countries' names in somebody's language.

    Raises `CannotDraw` for a space without a place.
    """
    size = next((size for size in SIZES if size[0] <= width and size[1] <= height), SIZES[-1])
    return _draw(printed, places, *size, tuple(names))


@lru_cache(maxsize=16)
def _draw(printed: Printed, places: Places, width: int, height: int, names: tuple[str, ...]) -> Layout:
    spaces = _spread(_points(printed, places), width, height)
    ground = territories(printed, places, spaces, width, height)
    table = _Table(printed, places, spaces, ground, width, height)
    crests = table.place_crests()
    roads = tuple(table.lay_roads())
    table.inked = {cell for road in roads for cell in road}
    numbers = table.place_numbers()
    labels = table.place_names(names, crests)
    return Layout(width, height, spaces, crests, numbers, labels, tuple(map(bytes, table.ground)), roads)


def _points(printed: Printed, places: Places) -> list[Place]:
    found = [point for point in places.points if point is not None]
    if len(found) < len(printed.spaces):
        lost = next(name for name, point in zip(printed.spaces, places.points, strict=True) if point is None)
        raise CannotDraw(text("It is not known where the space {space} is drawn.", space=lost))
    return found


def _spread(points: Sequence[Place], width: int, height: int) -> tuple[Place, ...]:
    """The spaces on the screen's grid; two that would touch are moved apart."""
    columns, lines = [x for x, _ in points], [y for _, y in points]
    left, wide = min(columns), max(columns) - min(columns)
    top, high = min(lines), max(lines) - min(lines)
    taken: dict[Place, int] = {}
    for space, (x, y) in enumerate(points):
        wanted = (1 + round((x - left) * (width - 4) / wide), round((y - top) * (height - 1) / high))
        free = (
            place for place in _near(*wanted, width, height)
            if all((place[0] + by, place[1]) not in taken for by in range(-CHIP, CHIP + 1))
        )  # fmt: skip
        taken[next(free)] = space
    return tuple(sorted(taken, key=lambda place: taken[place]))


def _near(x: int, y: int, width: int, height: int) -> Iterator[Place]:
    """Places for a chip, the nearest to a wished one first."""
    around = [(x + right, y + down) for right in range(-6, 7) for down in range(-2, 3)]
    around.sort(key=lambda place: abs(place[0] - x) + 2.5 * abs(place[1] - y))
    return (place for place in around if 1 <= place[0] < width - CHIP and 0 <= place[1] < height)


class _Table:
    """The map while it is being laid out: what is taken, and what a cell costs to write on."""

    def __init__(
        self,
        printed: Printed,
        places: Places,
        spaces: Sequence[Place],
        ground: Sequence[bytes],
        width: int,
        height: int,
    ) -> None:
        self.printed, self.spaces = printed, spaces
        self.ground = [bytearray(line) for line in ground]
        self.shore_of = shores(printed, places)
        self.width, self.height = width, height
        self.chips = {(x + by, y) for x, y in spaces for by in range(CHIP)}
        self.taken = set(self.chips)
        self.inked = {
            cell
            for a, b in printed.roads
            for cell in _straight(self._middle(spaces[a]), self._middle(spaces[b]))
        }

    def _middle(self, place: Place) -> Place:
        return place[0] + 1, place[1]

    def place_crests(self) -> tuple[tuple[Place, int], ...]:
        """A crest near the middle of each country, one column for the shield and one per advisor."""
        found: dict[int, tuple[Place, int]] = {}
        for country in sorted(range(len(COUNTRIES)), key=self._size):
            wide = 1 + len(self.printed.spaces_of[country])
            place = self._best(wide, self._centre(country), country, 4.5)
            found[country] = (place, wide)
            self._take(place, wide)
            self._settle(place, wide, country)
        return tuple(found[country] for country in range(len(COUNTRIES)))

    def place_numbers(self) -> tuple[Place, ...]:
        """The number of each alliance between its two countries."""
        places = []
        for number, pair in enumerate(self.printed.alliances, 1):
            wide = len(str(number))
            place = self._best(wide, self._between(*pair), None, 5.5)
            self._take(place, wide)
            places.append(place)
        return tuple(places)

    def place_names(
        self, names: Sequence[str], crests: Sequence[tuple[Place, int]]
    ) -> tuple[tuple[Place, str], ...]:
        """The name of each country above its crest where there is room, else as near as can be."""
        found = []
        for country, name in enumerate(names):
            (x, y), wide = crests[country]
            word = name.upper()
            wish = (x + wide / 2, y - 1.0)
            place = self._best(len(word), wish, country, 1.5)
            self._take(place, len(word))
            self._settle(place, len(word), country)
            found.append((place, word))
        return tuple(found)

    def lay_roads(self) -> Iterator[dict[Place, str]]:
        """The strokes of every road, around everything that has been placed."""
        costs = dict.fromkeys(self.taken, 12.0)
        for a, b in self.printed.roads:
            left = {self.spaces[a], self.spaces[b]}  # a chip's left cell shows a road while it is free
            start, end = (self._middle(self.spaces[space]) for space in (a, b))
            way = find_way(start, end, {**costs, **dict.fromkeys(left, 0.2)}, self.width, self.height)
            signs = {
                cell: sign for cell, sign in strokes(way).items() if cell in left or cell not in self.chips
            }
            for cell in signs:
                costs[cell] = costs.get(cell, 0) + 5.0
            yield signs

    # -- finding room ----------------------------------------------------------------------------------------

    def _best(self, wide: int, wish: tuple[float, float], country: int | None, ink: float) -> Place:
        """The cheapest free place for a word, its middle near the wish.

        Cells cost more outside the word's country, if it has one; `ink` is what covering a road costs.
        """
        best, found = 1e9, (0, 0)
        for y in range(self.height):
            for x in range(1, self.width - wide):
                cost = hypot(x + wide / 2 - wish[0], 2.2 * (y - wish[1]))
                if cost >= best:
                    continue
                cells = [(x + by, y) for by in range(wide)]
                if any(cell in self.taken for cell in ((x - 1, y), *cells, (x + wide, y))):
                    continue
                cost += sum(ink * (cell in self.inked) + self._foreign(cell, country) for cell in cells)
                if cost < best:
                    best, found = cost, (x, y)
        return found

    def _take(self, place: Place, wide: int) -> None:
        self.taken.update((place[0] + by, place[1]) for by in range(wide))

    def _foreign(self, cell: Place, country: int | None) -> float:
        here = self.ground[cell[1]][cell[0]]
        if country in (None, here):
            return 0.0
        if here != SEA:
            return 3.0
        return 0.8 if may_be_land(self.ground, self.shore_of, cell, country) else 2.5

    def _settle(self, place: Place, wide: int, country: int) -> None:
        """Move the shore, or a border, around a word that would not stand in its country otherwise."""
        x, y = place
        for column in range(x, x + wide):
            if self.ground[y][column] != SEA:
                self.ground[y][column] = country
        if SEA not in self.ground[y][x : x + wide]:
            return
        for line in range(max(0, y - 1), min(self.height, y + 2)):
            for column in range(max(0, x - 1), min(self.width, x + wide + 1)):
                if may_be_land(self.ground, self.shore_of, (column, line), country):
                    self.ground[line][column] = country

    def _size(self, country: int) -> int:
        return sum(line.count(country) for line in self.ground)

    def _centre(self, country: int) -> tuple[float, float]:
        own = [(x, y) for y, line in enumerate(self.ground) for x, here in enumerate(line) if here == country]
        return sum(x for x, _ in own) / len(own), sum(y for _, y in own) / len(own)

    def _between(self, first: int, second: int) -> tuple[float, float]:
        """Half way between the spaces of two countries that lie nearest to each other."""
        pairs = (
            (self.spaces[a], self.spaces[b])
            for a in self.printed.spaces_of[first]
            for b in self.printed.spaces_of[second]
        )
        a, b = min(pairs, key=lambda pair: _away(*pair))
        return (a[0] + b[0]) / 2 + 1, (a[1] + b[1]) / 2


def _away(a: Place, b: Place) -> float:
    return float((a[0] - b[0]) ** 2 + (2 * (a[1] - b[1])) ** 2)


def _straight(a: Place, b: Place) -> Iterable[Place]:
    steps = max(abs(a[0] - b[0]), abs(a[1] - b[1]), 1)
    return [
        (round(a[0] + (b[0] - a[0]) * i / steps), round(a[1] + (b[1] - a[1]) * i / steps))
        for i in range(steps + 1)
    ]
