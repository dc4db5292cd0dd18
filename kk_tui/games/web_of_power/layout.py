"""The layout of the map: computed once per size and language, thing by thing, and cached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from math import hypot
from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, MapPicture, Pair, Printed
from kk_core.games.web_of_power.model import Drawing as Places
from kk_core.text import text
from kk_tui.games.web_of_power.choices import CREST, Target, step
from kk_tui.games.web_of_power.heraldry import ornament
from kk_tui.games.web_of_power.land import SEA, Box, Label, Land, MapScale, Place, draw_land, scale_for
from kk_tui.scene import CannotDraw

Point = tuple[int, int]

_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_NOWHERE: Final = (0, 0)
_MARGIN: Final = 3
_TURN: Final = 0.35
"""The price of a bend, in columns."""

_BREAK: Final = 2.0
"""The price of a bend where a slanting stroke begins or ends, since it does not quite meet an upright one."""

_OFF_LINE: Final = 0.25
"""The price of a column away from the straight line."""


def find_way(start: Point, end: Point, costs: Mapping[Point, float], width: int, height: int) -> list[Point]:
    """Return the cells from one place to another, both included; `costs` is the extra price of each cell."""
    left, right = max(0, min(start[0], end[0]) - _MARGIN), min(width, max(start[0], end[0]) + _MARGIN + 1)
    top, bottom = max(0, min(start[1], end[1]) - 1), min(height, max(start[1], end[1]) + 2)
    across, down = end[0] - start[0], 2 * (end[1] - start[1])
    # how far a cell is from the straight line: a determinant divided by the length of the line
    beside = _OFF_LINE / max(1.0, hypot(across, down))
    best: dict[tuple[Point, Point], float] = {}
    came: dict[tuple[Point, Point], tuple[Point, Point]] = {}
    queue: list[tuple[float, float, Point, Point]] = [(0.0, 0.0, start, _NOWHERE)]
    while queue:
        _, spent, at, heading = heappop(queue)
        if at == end:
            return _walk_back(came, (at, heading), start)
        if spent > best.get((at, heading), 1e9):
            continue
        for stride, price in _AFTER[heading]:
            to = x, y = at[0] + stride[0], at[1] + stride[1]
            if not (left <= x < right and top <= y < bottom):
                continue
            off = abs(across * 2 * (y - start[1]) - down * (x - start[0])) * beside
            cost = spent + price + off + (0 if to == end else costs.get(to, 0))
            if cost < best.get((to, stride), 1e9):
                best[to, stride] = cost
                came[to, stride] = (at, heading)
                # A*: the straight line to the end never costs more than the rest of the way
                heappush(queue, (cost + hypot(end[0] - x, 2 * (end[1] - y)), cost, to, stride))
    return [start, end]


def _meets(heading: Point, step: Point) -> bool:
    """Return whether two strokes join: level and slanting ones leave a gap, and no road turns back."""
    if heading in (_NOWHERE, step):
        return True
    level = heading[1] == 0 or step[1] == 0
    slanting = bool(heading[0] and heading[1]) or bool(step[0] and step[1])
    return heading[0] * step[0] + heading[1] * step[1] >= 0 and not (level and slanting)


def _price(heading: Point, step: Point) -> float:
    """Return the length of a step in columns, including the price of a bend."""
    if heading in (_NOWHERE, step):
        return hypot(step[0], 2 * step[1])
    is_slanting = any(way[0] and way[1] for way in (heading, step))
    return hypot(step[0], 2 * step[1]) + (_BREAK if is_slanting else _TURN)


_AFTER: Final = {
    heading: [(step, _price(heading, step)) for step in _STEPS if _meets(heading, step)]
    for heading in (_NOWHERE, *_STEPS)
}
"""By heading, the steps that may follow, with their prices."""


def _walk_back(
    came: Mapping[tuple[Point, Point], tuple[Point, Point]], at: tuple[Point, Point], start: Point
) -> list[Point]:
    way = [at[0]]
    while at[0] != start:
        at = came[at]
        way.append(at[0])
    return way[::-1]


_LEVEL, _UPRIGHT, _FALLING, _RISING = "h", "v", "web_of_power-falling", "web_of_power-rising"


def strokes(way: list[Point]) -> dict[Point, str]:
    """Return the sign of every cell strictly between the ends of a way."""
    signs: dict[Point, str] = {}
    for before, at, after in zip(way, way[1:], way[2:], strict=False):
        come = (at[0] - before[0], at[1] - before[1])
        go = (after[0] - at[0], after[1] - at[1])
        signs[at] = _sign(come, go)
    return signs


def _sign(come: Point, go: Point) -> str:
    """Return the stroke that continues straight on, or a corner where a level one meets an upright one."""
    if come[0] and come[1]:
        return _FALLING if come[0] == come[1] else _RISING
    if go[0] and go[1]:
        return _LEVEL if come[0] else _UPRIGHT
    if come[1] == go[1] == 0:
        return _LEVEL
    if come[0] == go[0] == 0:
        return _UPRIGHT
    # a corner is named after the two sides it joins
    sides = {(-come[0], -come[1]), go}
    return "web_of_power-" + ("n" if (0, -1) in sides else "s") + ("w" if (-1, 0) in sides else "e")


_SIDES: Final = {_LEVEL: "we", _UPRIGHT: "ns"} | {
    f"web_of_power-{sides}": sides for sides in ("nw", "ne", "sw", "se", "nsw", "nse", "nwe", "swe", "nswe")
}
"""By sign, the sides of its cell that it joins, in the order of their names; slanting ones join none."""

_JOINING: Final = {sides: sign for sign, sides in _SIDES.items()}


def join(one: str, other: str) -> str:
    """Return the sign of a cell that two roads go through; for slanting strokes, the other one."""
    if one not in _SIDES or other not in _SIDES:
        return other
    return _JOINING["".join(side for side in "nswe" if side in _SIDES[one] + _SIDES[other])]


_ASPECT: Final = 2.1
"""The height of a terminal's cell divided by its width."""

_ON_CREST, _ON_NUMBER, _ON_NAME = 0.8, 4.0, 2.5
"""Prices of covering a cell of a road, in columns."""

_AT_END: Final = 3.0
"""The price of a road beside a name that looks like one more letter, in columns."""

_SHORT: Final = 6
"""Cells of a road below which covering one costs more: otherwise all of it would soon be gone."""

_CROSSED: Final = 3
"""Cells of roads that a spaced-out name may cover."""

_ROOM: Final = 2
"""Columns of sea on both sides of an ornament."""

_WIDER: Final = 11.0
"""Columns from its preferred place within which a name may be spaced out."""


_FARTHEST: Final = 14.0
"""Columns from its preferred place within which a name must be."""


class LayoutBuilder:
    """Lays out one map: everything is placed in turn, and takes its cells and the land under them."""

    def __init__(
        self, printed: Printed, picture: MapPicture, points: Sequence[Pair], land: Land, scale: MapScale
    ) -> None:
        self.printed, self.picture, self.land, self.scale = printed, picture, land, scale
        self.width, self.height = len(land.ground[0]), len(land.ground)
        self._wished = [self._on_screen(point) for point in points]
        self._taken = set[Place]()
        self._inked = dict[Place, float]()
        self._sizes = [sum(line.count(country) for line in land.ground) for country in range(len(COUNTRIES))]
        self.spaces: tuple[Box, ...] = ()
        self.crests: tuple[Box, ...] = ()
        self.numbers: tuple[Box, ...] = ()

    def _on_screen(self, point: Pair) -> tuple[float, float]:
        """Return the middle of a place in the picture, in cells of the screen."""
        across, down = self.width / self.picture.width, self.height / self.picture.height
        return (point[0] + 0.5) * across - 0.5, (point[1] + 0.5) * down - 0.5

    # -- spaces and crests -----------------------------------------------------------------------------------

    def place_spaces(self) -> tuple[Box, ...]:
        """Return a house for every space, as close to its place as the others allow."""
        width, height = self.scale.house
        placed = []
        for space, (x, y) in enumerate(self._wished):
            # a house stands on its last line, its door in the column right of the middle
            wish = x - 0.5, y - (height - 1) / 2
            box = self._best(Box(0, 0, width, height), wish, self.printed.country_of[space])
            placed.append(box)
            self._take(box, self.printed.country_of[space])
        self.spaces = tuple(placed)
        ends = [self._door(space) for space in range(len(placed))]
        lines = (straight(ends[a], ends[b]) for a, b in self.printed.roads)
        self._inked = {cell: _weight(1) if len(line) == 3 else 1.0 for line in lines for cell in line}
        return self.spaces

    def _door(self, space: int) -> Place:
        box = self.spaces[space]
        return box.x + box.width // 2, box.y + box.height - 1

    def place_crests(self) -> tuple[Box, ...]:
        """Return a shield in each country with room for its advisors; small countries are placed first."""
        found: dict[int, Box] = {}
        # small countries have the least choice
        for country in sorted(range(len(COUNTRIES)), key=self._sizes.__getitem__):
            size = self.scale.crest(len(self.printed.spaces_of[country]))
            wish = self._wish(self.picture.crests, country) or self._centre(country)
            found[country] = self._best(Box(0, 0, *size), wish, country, ink=_ON_CREST)
            self._take(found[country], country)
        self.crests = tuple(found[country] for country in range(len(COUNTRIES)))
        return self.crests

    # -- words -----------------------------------------------------------------------------------------------

    def place_numbers(self) -> tuple[Box, ...]:
        """Return the number of each alliance between the crests of its two countries."""
        placed = []
        for number, (first, second) in enumerate(self.printed.alliances, 1):
            wish = self._wish(self.picture.numbers, number - 1) or self._between(first, second)
            box = self._best(Box(0, 0, self.scale.number(number), 1), wish, None, ink=_ON_NUMBER)
            self._take(box, None)
            placed.append(box)
        self.numbers = tuple(placed)
        return self.numbers

    def place_names(self, names: Sequence[tuple[str, str]]) -> tuple[Label, ...]:
        """Return each country's name above its crest: spaced out, plain or as a code, as space permits."""
        return tuple(self._name(country, name.upper(), code) for country, (name, code) in enumerate(names))

    def _name(self, country: int, name: str, code: str) -> Label:
        x, y = self.crests[country].middle
        wish = self._wish(self.picture.names, country) or (x, y - self.scale.shield[1] / 2 - 0.5)
        spaced = " ".join(name)
        box = self._best(Box(0, 0, len(spaced), 1), wish, country, ink=_ON_NAME, at_end=_AT_END)
        fits = all(self._strange(cell, country) < 1 for cell in box.cells())
        fits = fits and len(self._inked.keys() & box.cells()) <= _CROSSED
        if self.scale < MapScale.LARGE or not fits or _away(box, wish) > _WIDER:
            spaced = name
            box = self._best(Box(0, 0, len(name), 1), wish, country, ink=_ON_NAME, at_end=_AT_END)
        if _away(box, wish) > _FARTHEST:
            spaced = code
            box = self._best(Box(0, 0, len(code), 1), wish, country, ink=_ON_NAME, at_end=_AT_END)
        self._take(box, country)
        return Label(box.x, box.y, spaced)

    # -- lines -----------------------------------------------------------------------------------------------

    def lay_roads(self) -> Iterator[dict[Place, str]]:
        """Yield the strokes of every road, around everything that has been placed."""
        self._inked = {}
        # a road crosses a house or crest only if a way around it would be longer than this
        costs = dict.fromkeys(self._taken, 12.0)
        for a, b in self.printed.roads:
            own = dict.fromkeys((*self.spaces[a].cells(), *self.spaces[b].cells()), 0.2)
            way = find_way(self._door(a), self._door(b), {**costs, **own}, self.width, self.height)
            hidden = {cell for space in (a, b) for cell in self.spaces[space].cells()}
            if self.scale is MapScale.SMALL:  # the left cell of a free space lets a road show through
                hidden -= {(self.spaces[space].x, self.spaces[space].y) for space in (a, b)}
            signs = {cell: sign for cell, sign in strokes(way).items() if cell not in hidden}
            for cell in signs:
                # later roads avoid this one if they can
                costs[cell] = costs.get(cell, 0) + 5.0
            self._inked |= dict.fromkeys(signs, _weight(len(signs)))
            yield signs

    def lay_ties(self) -> Iterator[tuple[Place, ...]]:
        """Yield dots from each crest of an alliance to its number, where nothing else is drawn."""
        for pair, number in zip(self.printed.alliances, self.numbers, strict=True):
            middle = _cell(number)
            yield tuple(
                cell
                for country in pair
                for cell in straight(_cell(self.crests[country]), middle)
                if cell not in self._taken and cell not in self._inked
            )

    def place_ornaments(self) -> Iterator[tuple[str, Place]]:
        """Yield the ornaments that fit into the sea near their preferred places."""
        for name, point in self.picture.ornaments:
            lines = ornament(name, self.scale)
            box = Box(0, 0, len(lines[0]), len(lines))
            x, y = self._on_screen(point)
            for right, down, away in steps_around(18, 6):
                at = Box(round(x - box.width / 2) + right, round(y - box.height / 2) + down, *box[2:])
                if away <= 18 and self._is_open_sea(at.grown(_ROOM)):
                    self._take(at, None)
                    yield name, (at.x, at.y)
                    break

    def _is_open_sea(self, box: Box) -> bool:
        """Return whether there is only water, and around it as far as the map goes."""
        return all(map(self._is_inside, box.grown(-_ROOM).cells())) and all(
            self.land.ground[y][x] == SEA
            and (x, y) not in self.land.edges
            and (x, y) not in self._taken
            and (x, y) not in self._inked
            for x, y in filter(self._is_inside, box.cells())
        )

    def _is_inside(self, cell: Place) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    # -- finding room ----------------------------------------------------------------------------------------

    def _best(
        self, size: Box, wish: tuple[float, float], country: int | None, *, ink: float = 0.0,
        at_end: float = 0.0,
    ) -> Box:  # fmt: skip
        """Return the cheapest free box of a size with its middle near the wish.

        Cells cost more outside their country, if they have one; `ink` is the price of covering a road,
        `at_end` that of one beside it that looks like a letter.
        """
        left, top = round(wish[0] - (size.width - 1) / 2), round(wish[1] - (size.height - 1) / 2)
        # if nothing is free it goes into the corner: other data than ours may leave no room
        best, found = 1e9, Box(1, 0, size.width, size.height)
        for right, down, away in steps_around(min(self.width, 60), min(self.height, 24)):
            # the nearest come first: all others are farther away than the best one costs
            if away >= best:
                break
            box = Box(left + right, top + down, size.width, size.height)
            if not (box.x >= 1 and box.x + box.width < self.width and 0 <= box.y <= self.height - box.height):
                continue
            # things that touch could be read as one
            if not self._taken.isdisjoint(box.grown(1).cells()):
                continue
            cost = away + sum(
                ink * self._inked.get(cell, 0.0) + self._strange(cell, country) for cell in box.cells()
            )
            if at_end:
                ends = (box.x - 1, box.x), (box.x + box.width, box.x + box.width - 1)
                cost += at_end * sum(self._looks_like_a_letter(x, box.y, inside) for x, inside in ends)
            if cost < best:
                best, found = cost, box
        return found

    def _looks_like_a_letter(self, x: int, y: int, inside: int) -> bool:
        """Return whether a road goes up or down beside something, of which `inside` is the nearest column."""
        is_upright = any((x + by, y + down) in self._inked for by in (-1, 0, 1) for down in (-1, 1))
        return (x, y) in self._inked and is_upright and (inside, y) not in self._inked

    def _strange(self, cell: Place, country: int | None) -> float:
        """Return the price of covering a cell outside the thing's country."""
        here = self.land.ground[cell[1]][cell[0]]
        if country in (None, here):
            return 0.0
        if here != SEA:
            return 3.0
        return 0.9 if self._may_be_land(cell, country) else 2.5

    def _may_be_land(self, cell: Place, country: int | None) -> bool:
        """Return whether a cell of the sea can become a country's land without touching another shore."""
        x, y = cell
        near = [
            line[max(0, x - 1) : x + 2] for line in self.land.ground[max(0, y - 1) : y + 2]
        ]  # fmt: skip
        return all(here in (SEA, country) for line in near for here in line)

    def _take(self, box: Box, country: int | None) -> None:
        """Take the cells; what is in a country gets its land under it, and a shore around."""
        self._taken.update(box.cells())
        if country is None:
            return
        for x, y in box.cells():
            if self.land.ground[y][x] == SEA:
                self._fill(box.grown(1, 1), country)
                break
        for x, y in box.cells():
            self.land.ground[y][x] = country
            self.land.edges.pop((x, y), None)

    def _fill(self, box: Box, country: int) -> None:
        for x, y in box.cells():
            if not self._is_inside((x, y)) or self.land.ground[y][x] not in (SEA, country):
                continue
            if self._may_be_land((x, y), country):  # also if it was a shore that now has land before it
                self.land.ground[y][x] = country
                self.land.edges.pop((x, y), None)

    # -- wishes ----------------------------------------------------------------------------------------------

    def _wish(self, wishes: Sequence[Pair | None], number: int) -> tuple[float, float] | None:
        wish = wishes[number] if number < len(wishes) else None
        return None if wish is None else self._on_screen(wish)

    def _centre(self, country: int) -> tuple[float, float]:
        own = [
            (x, y)
            for y, line in enumerate(self.land.ground)
            for x, here in enumerate(line)
            if here == country
        ]
        if not own:  # a small screen may hide all of a country's land
            own = [_cell(self.spaces[space]) for space in self.printed.spaces_of[country]]
        return sum(x for x, _ in own) / len(own), sum(y for _, y in own) / len(own)

    def _between(self, first: int, second: int) -> tuple[float, float]:
        """Return the point between two crests that is halfway between the ends of their lands."""
        way = straight(_cell(self.crests[first]), _cell(self.crests[second]))
        lands = [self.land.ground[y][x] for x, y in way]
        ends = max(i for i, land in enumerate(lands) if land == first)
        begins = min((i for i, land in enumerate(lands) if land == second and i > ends), default=len(way) - 1)
        return way[(ends + begins) // 2]


def _weight(cells: int) -> float:
    return max(1.0, _SHORT / max(1, cells))


def _away(box: Box, wish: tuple[float, float]) -> float:
    """Return the columns from the middle of a box to its preferred place."""
    return hypot(box.middle[0] - wish[0], _ASPECT * (box.middle[1] - wish[1]))


def _cell(box: Box) -> Place:
    return round(box.middle[0]), round(box.middle[1])


@lru_cache(maxsize=8)
def steps_around(width: int, height: int) -> tuple[tuple[int, int, float], ...]:
    """Return steps to the right and down with their length in columns, the shortest first."""
    steps = (
        (right, down, hypot(right, _ASPECT * down))
        for right in range(-width, width + 1)
        for down in range(-height, height + 1)
    )
    return tuple(sorted(steps, key=lambda step: step[2]))


def straight(a: Place, b: Place) -> list[Place]:
    """Return the cells on the straight line between two, both included."""
    steps = max(abs(a[0] - b[0]), abs(a[1] - b[1]), 1)
    return [
        (round(a[0] + (b[0] - a[0]) * i / steps), round(a[1] + (b[1] - a[1]) * i / steps))
        for i in range(steps + 1)
    ]


LEAST: Final = (56, 18)
"""Columns and lines of the smallest map; a smaller widget shows a part of it."""

MOST: Final = (168, 66)
"""Columns and lines of the largest map; a larger widget has a margin."""


@dataclass(frozen=True)
class MapLayout:
    """One size of the map.

    `spaces` and `crests` have a box per space and per country, `numbers` one per alliance, `names` the words
    per country; `roads` the strokes of every road by cell, `ties` the cells of the line of every alliance,
    `ornaments` those of the sea, by name and upper left cell.
    """

    width: int
    height: int
    scale: MapScale
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
        """The point of every target, for steps of the cursor."""
        return {target: (round(box.middle[0]), box.y + box.height - 1) for target, box in self.boxes.items()}

    @cached_property
    def _ways(self) -> dict[tuple[Target, int, int, frozenset[Target]], Target]:
        """The steps that a cursor has already made."""
        return {}

    def step(self, start: Target, right: int, down: int, marked: frozenset[Target]) -> Target:
        """Return the nearest target in a direction, or the same one; no step leads past a `marked` one."""
        way = start, right, down, marked
        if way not in self._ways:
            self._ways[way] = step(self.points, *way)
        return self._ways[way]

    @cached_property
    def _hits(self) -> dict[Place, Target]:
        """The target at every cell; a cell next to a target counts for it unless it is another's."""
        near = {cell: target for target, box in self.boxes.items() for cell in box.grown(1).cells()}
        return near | {cell: target for target, box in self.boxes.items() for cell in box.cells()}

    @cached_property
    def taken(self) -> frozenset[Place]:
        """The cells of all targets, names and numbers."""
        boxes = (*self.boxes.values(), *self.numbers, *(name.box for name in self.names))
        return frozenset(cell for box in boxes for cell in box.cells())

    def target_at(self, x: int, y: int) -> Target | None:
        """Return the space or crest at a cell, or next to it."""
        return self._hits.get((x, y))


def layout_for(
    printed: Printed,
    places: Places,
    width: int,
    height: int,
    names: Sequence[str],
    codes: Sequence[str],
) -> MapLayout:
    """Return the map in `width` columns and `height` lines, with countries' `names` in the user's language.

    If a name does not fit near its country, its code is shown there.

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
) -> MapLayout:
    picture = picture_for(places, width, height)
    scale = scale_for(width, height)
    land = draw_land(picture, width, height, inked=scale is not MapScale.SMALL)
    table = LayoutBuilder(printed, picture, _points(printed, picture), land, scale)
    # the order matters: roads go around houses and crests, then numbers and names avoid the roads
    spaces = table.place_spaces()
    crests = table.place_crests()
    roads = tuple(table.lay_roads())
    numbers = table.place_numbers()
    labels = table.place_names(names)
    adorned = tuple(table.place_ornaments())
    ties = tuple(table.lay_ties())
    return MapLayout(
        width, height, scale, land, spaces, crests, numbers, labels, roads, ties, adorned
    )  # fmt: skip


def picture_for(places: Places, width: int, height: int) -> MapPicture:
    """Return the largest picture for a size, or the smallest one. Raises `CannotDraw`."""
    if not places.pictures:
        raise CannotDraw(text("This map has no picture."))
    fitting = [
        picture for picture in places.pictures if picture.least[0] <= width and picture.least[1] <= height
    ]
    return fitting[-1] if fitting else places.pictures[0]


def _points(printed: Printed, picture: MapPicture) -> list[Pair]:
    if len(picture.points) != len(printed.spaces):
        raise CannotDraw(text("The land of this map is drawn in an unknown format."))
    found = [point for point in picture.points if point is not None]
    if len(found) < len(printed.spaces):
        lost = next(name for name, point in zip(printed.spaces, picture.points, strict=True) if point is None)
        raise CannotDraw(text("The position of space {space} is missing.", space=lost))
    return found
