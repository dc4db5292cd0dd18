"""The map as lines of styled text: a pure drawing of land, observation, marks, and possible points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style

from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRIES, COUNTRY_NAMES, FREE, Observation, Printed
from kk_core.games.web_of_power.model import Drawing as Places
from kk_core.types import Seat, Viewer
from kk_tui.games.web_of_power.choices import CREST, Target
from kk_tui.games.web_of_power.heraldry import BLOCKS, in_ascii, ornament, plain_shield, shield
from kk_tui.games.web_of_power.land import FOREIGN, INK, SEA, Box, Label, MapScale, Place
from kk_tui.games.web_of_power.layout import MapLayout, join, layout_for, steps_around
from kk_tui.games.web_of_power.meaning import BORDER, GROUNDS, ORNAMENT, Kind, Sign, places_left
from kk_tui.games.web_of_power.panels import advisors, chained_roads, chains, seats_of
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, label_variable, land_variable
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.terminal.sgr import BARE, BLOCK
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink
from kk_tui.widgets.board import mark_ground

Shade: TypeAlias = str | int
"""A theme variable, or a ground: a country, FOREIGN, SEA or INK."""


BED: Final = "bed"
"""The ground of a cell with a road that somebody owns; with few colours, lit land ends around it."""


class Cell(NamedTuple):
    """A sign with its meaning and its colours; if `on` is None, the ground shows under it."""

    about: Sign
    sign: str
    colour: Shade
    on: Shade | None = None
    bold: bool = False


class CellGround:
    """Theme variables of grounds."""

    ALL: ClassVar = range(INK + 1)
    NAMES: ClassVar = frozenset(map(label_variable, range(len(COUNTRIES))))
    WRITTEN: ClassVar = NAMES | {"web_of_power-road"}
    """Colours of text on a country, which is illegible on a lit one."""

    @staticmethod
    def variable(code: int, *, lit: bool = False) -> str:
        """Return the theme variable of a ground."""
        if code < len(COUNTRIES):
            return land_variable(code, lit=lit)
        return {FOREIGN: "web_of_power-foreign", SEA: "web_of_power-sea", INK: "web_of_power-border"}[code]


_WAVES: Final = 37
"""Cells of the sea for each one that has a wave."""


def still_lines(layout: MapLayout, printed: Printed, places: Places, glyphs: Glyphs) -> list[list[Cell]]:
    """Return the lines of a map without names, numbers and pieces."""
    lines = [[_ground(layout, glyphs, x, y) for x in range(layout.width)] for y in range(layout.height)]
    for cells in (_ornaments(layout, glyphs), _ties(layout, glyphs), _roads(layout, printed, places, glyphs)):
        for (x, y), cell in cells:
            lines[y][x] = cell
    return lines


def _ground(layout: MapLayout, glyphs: Glyphs, x: int, y: int) -> Cell:
    edge, about = layout.land.edges.get((x, y)), GROUNDS[layout.land.ground[y][x]]
    if edge is not None:
        sign = BLOCKS[edge.pattern]
        if glyphs.ascii_only:
            return Cell(BORDER, in_ascii(sign), "web_of_power-tie")  # like the strokes of roads, but fainter
        return Cell(BORDER, sign, edge.ink, edge.ground)
    if about == GROUNDS[SEA]:
        # scattered, but the same in every drawing
        wave = (x * 7 + y * 17 + x * y // 9) % _WAVES == 0
        return Cell(about, glyphs["web_of_power-wave"] if wave else " ", "web_of_power-wave")
    # light on dark even if it is blank: without colours, dark on light is shown reversed
    return Cell(about, " ", "web_of_power-road")


def _ornaments(layout: MapLayout, glyphs: Glyphs) -> Iterator[tuple[tuple[int, int], Cell]]:
    for name, (left, top) in layout.ornaments:
        for down, line in enumerate(ornament(name, layout.scale)):
            drawn = in_ascii(line) if glyphs.ascii_only else line
            for right, sign in enumerate(drawn):
                if sign != " ":
                    yield (left + right, top + down), Cell(ORNAMENT, sign, "web_of_power-sea-road")


def _ties(layout: MapLayout, glyphs: Glyphs) -> Iterator[tuple[tuple[int, int], Cell]]:
    for alliance, cells in enumerate(layout.ties):
        about = Sign(Kind.TIE, alliance)
        for cell in cells:
            yield cell, Cell(about, glyphs["web_of_power-tie"], "web_of_power-tie")


def _roads(
    layout: MapLayout, printed: Printed, places: Places, glyphs: Glyphs
) -> Iterator[tuple[tuple[int, int], Cell]]:
    drawn = dict[tuple[int, int], str]()
    for number, (road, cells) in enumerate(zip(printed.roads, layout.roads, strict=True)):
        about = Sign(Kind.ROAD, number)
        colour = "web_of_power-sea-road" if road in places.sea_roads else "web_of_power-road"
        for cell, sign in cells.items():
            drawn[cell] = join(drawn.get(cell, sign), sign)
            yield cell, Cell(about, glyphs[drawn[cell]], colour)


_GROUND: Final = "web_of_power-number-ground"
"""The ground of the figures of alliances, and of free spaces."""

_REACH: Final = (30, 8)
"""Columns and lines from the name of a country within which its figures must be."""

_ABROAD: Final = 2.5
"""The price of covering a cell outside the country, in columns."""

_ON_ROAD: Final = 0.3
"""The price of covering a cell of a road, in columns."""

_TOUCHING: Final = 9.0
"""The price of touching a piece, in columns."""

_MOST: Final = 13.0
"""The price above which the figures take the place of the name, with a code for it."""


@dataclass(frozen=True)
class Values:
    """The points that each country and each alliance would give now, per seat."""

    countries: Sequence[Sequence[int]]
    alliances: Sequence[Sequence[int]]


class MapFigures(NamedTuple):
    """All cells of the figures, line by line, and the countries whose names make room for them."""

    lines: Sequence[Sequence[tuple[int, Cell]]]
    nameless: frozenset[int]


class _Form(NamedTuple):
    """A way to write figures: whether the country's code replaces its name, and how many blanks."""

    has_code: bool
    gap: int


_FORMS: Final = (_Form(False, 1), _Form(True, 1), _Form(False, 0), _Form(True, 0))
"""From the clearest to the shortest."""


def figures_on(layout: MapLayout, values: Values) -> MapFigures:
    """Return everybody's points, beside alliances' numbers and by countries' names or in their place."""
    return _Writer(layout).write(values)


class _Writer:
    """Writes one thing after the other, none so close to another that both would be read as one."""

    def __init__(self, layout: MapLayout) -> None:
        self._layout = layout
        self._taken = {cell for box in layout.boxes.values() for cell in box.cells()}
        self._apart = {cell for box in layout.numbers for cell in box.grown(1).cells()}
        self._names = [set(name.box.grown(1).cells()) for name in layout.names]
        self._roads = {cell for road in layout.roads for cell in road}
        self._cells: dict[Place, Cell] = {}
        self._nameless = set[int]()

    def write(self, values: Values) -> MapFigures:
        for alliance, (box, points) in enumerate(zip(self._layout.numbers, values.alliances, strict=True)):
            if any(points):
                self._write_alliance(box, points, Sign(Kind.OF_ALLIANCE, alliance))
        countries = [country for country, points in enumerate(values.countries) if any(points)]
        # the widest first, since they are the hardest to place
        for country in sorted(countries, key=lambda each: -wide(values.countries[each], gap=0)):
            self._write_country(country, values.countries[country])
        lines: list[list[tuple[int, Cell]]] = [[] for _ in range(self._layout.height)]
        for (x, y), cell in self._cells.items():
            lines[y].append((x, cell))
        return MapFigures(lines, frozenset(self._nameless))

    # -- alliances -------------------------------------------------------------------------------------------

    def _write_alliance(self, number: Box, points: Sequence[int], about: Sign) -> None:
        """Write beside the number after a blank, or above or below it, with blanks if there is room."""
        is_small = self._layout.scale is MapScale.SMALL
        for gap in (1, 0):
            size = wide(points, gap=gap) + 1
            right, left = (
                Box(number.x + number.width, number.y, size, 1),
                Box(number.x - size, number.y, size, 1),
            )
            stacked = [] if is_small else [Box(number.x, number.y + down, size - 1, 1) for down in (1, -1)]
            free = [box for box in (right, left, *stacked) if self._is_free(box, self._taken)]
            if free:
                break
        box = min(free, key=self._touched, default=None)
        if box is None and is_small:  # in place of the number: elsewhere it would seem to belong to another
            box = Box(number.x, number.y, size - 1, 1)
        elif box is None:
            box = right
        blank = Cell(about, " ", "ink", _GROUND)
        self._cells.update(((x, box.y), blank) for x in range(box.x, box.x + box.width))
        self._add(gains(about, box.x + (box is right), points, gap=gap, on=_GROUND), box)

    def _is_free(self, box: Box, taken: set[Place]) -> bool:
        """Return whether something can be written in a box."""
        is_inside = (
            box.x >= 0 and box.x + box.width <= self._layout.width and 0 <= box.y < self._layout.height
        )
        names = (name.box.cells() for name in self._layout.names)
        return (
            is_inside
            and not any(cell in taken or cell in self._cells for cell in box.cells())
            and all(set(cells).isdisjoint(box.cells()) for cells in names)
        )

    def _touched(self, box: Box) -> int:
        """Return how many sides of a box touch a piece."""
        # its letter could be taken for one of the figures
        return sum((x, box.y) in self._taken for x in (box.x - 1, box.x + box.width))

    def _add(self, cells: Iterator[tuple[int, Cell]], box: Box) -> None:
        self._cells.update(((x, box.y), cell) for x, cell in cells)
        self._apart.update(box.grown(2).cells())

    # -- countries -------------------------------------------------------------------------------------------

    def _write_country(self, country: int, points: Sequence[int]) -> None:
        name, code = self._layout.names[country], render(COUNTRY_CODES[country])
        for form in _FORMS:
            width = wide(points, gap=form.gap) + (len(code) + 1 if form.has_code else 0)
            cost, box = self._best(country, name, width, has_name=not form.has_code)
            if cost <= _MOST or form is _FORMS[-1]:
                break
        x = box.x
        if form.has_code:
            self._nameless.add(country)
            name_of, colour = Sign(Kind.NAME, country), label_variable(country)
            written = _written(name_of, x, f"{code} ", colour, None)
            self._cells.update(((at, box.y), cell) for at, cell in written)
            x += len(code) + 1
        # not on the colours of the seats, which are for pieces
        self._add(gains(Sign(Kind.OF_COUNTRY, country), x, points, gap=form.gap, on="ground"), box)

    def _best(self, country: int, name: Label, width: int, *, has_name: bool) -> tuple[float, Box]:
        """Return the best place for `width` columns, and its price."""
        layout = self._layout
        taken = self._taken | self._apart
        for other, beside in enumerate(self._names):
            if other not in self._nameless and (other != country or has_name):
                taken |= beside
        left = name.x + (len(name.words) - width) // 2
        best, found = 1e9, Box(max(0, min(left, layout.width - width)), name.y, width, 1)
        for right, down, away in steps_around(*_REACH):
            if away >= best:
                break
            box = Box(left + right, name.y + down, width, 1)
            if not (0 <= box.x <= layout.width - width and 0 <= box.y < layout.height):
                continue
            cells = box.cells()
            if taken.isdisjoint(cells):
                cost = (
                    away + sum(self._cost(cell, country) for cell in cells) + _TOUCHING * self._touched(box)
                )
                if cost < best:
                    best, found = cost, box
        return best, found

    def _cost(self, cell: Place, country: int) -> float:
        x, y = cell
        return _ABROAD * (self._layout.land.ground[y][x] != country) + _ON_ROAD * (cell in self._roads)


def gains(about: Sign, x: int, points: Sequence[int], *, gap: int, on: str) -> Iterator[tuple[int, Cell]]:
    """Yield letter and points of all who would get some, e.g. "A5 B3", in their colours."""
    is_first = True
    for seat, figure in enumerate(points):
        if figure:
            if gap and not is_first:
                yield x - 1, Cell(about, " ", "ink", on)
            words, is_first = f"{letter(seat)}{figure}", False
            yield from _written(about, x, words, f"seat-{seat}", on)
            x += len(words) + gap


def wide(points: Sequence[int], *, gap: int) -> int:
    """Return the columns of everybody's points."""
    return max(0, sum(len(str(figure)) + 1 + gap for figure in points if figure) - gap)


_OPEN: Final = ("cursor-ink", "possible", True)
_ROOFS: Final = ("", "▟▙", "▗▟▙▖", "▗▟▙▖")
_HEAD: Final = ("", "▖", "▖", "▗▖")
"""The heads of advisors, if all of a crest have room for one."""

_OUTLINES: Final = (("", ""), ("╱╲", "└┘"), ("╱──╲", "└──┘"), ("╱──╲", "└──┘"))
"""Roof and walls of a free space, which looks empty; small ones are a sign."""


_SIDES: Final = 2
"""Sides of the number of an alliance, for letters of those who hold it."""


@dataclass(frozen=True)
class SpaceLook:
    """Everything that the look of a space or crest depends on.

    `owner` is the seat whose house it is; a crest has `advisors`, a seat for each, and `room` for more. If
    `is_laid`, a piece of the `viewer` is laid out that is not placed yet.
    """

    target: Target
    owner: Seat | None
    advisors: tuple[Seat, ...]
    room: int
    is_open: bool
    has_cursor: bool
    is_hovered: bool
    is_laid: bool
    is_recent: bool
    is_shown: bool
    viewer: Viewer
    hint: str = ""
    builder: Seat | None = None
    """The seat whose new piece is being placed, in a ring of its colour; see `Rising`."""
    is_half: bool = False
    """True while only the walls of that piece stand."""

    @property
    def offered(self) -> Seat | None:
        """The seat whose piece would stand there."""
        return self.viewer if self.is_open and (self.is_hovered or self.is_laid) else None


def house(look: SpaceLook, scale: MapScale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """Yield the cells of a house, from its upper left one; a cell without a sign lets a road show through."""
    about, plus = Sign(Kind.SPACE, look.target), Sign(Kind.PLUS, look.target)
    if look.owner is not None and look.is_half:
        for x in range(box.width):
            yield (x, box.height - 1), Cell(about, _signs("▄", glyphs), f"seat-{look.owner}", None, True)
    elif look.owner is not None:
        yield from _owned(about, look.owner, scale, box, glyphs, f"seat-{look.owner}")
    elif look.hint:
        yield from _hinted(look, (box.width, box.height), glyphs["web_of_power-free"])
    elif look.offered is not None:
        yield from _owned(Sign(Kind.LAID, look.target), look.offered, scale, box, glyphs, "possible")
    elif look.is_open:
        sign = glyphs["web_of_power-lit"]
        yield from _roof(plus, scale, "possible", glyphs)
        walls = (sign, glyphs["web_of_power-free"]) if scale is MapScale.SMALL else (sign, sign)
        yield from _walled(plus, walls, scale, box, glyphs, "possible", "cursor-ink")
    else:
        yield from _free(about, look, scale, glyphs)


def _owned(
    about: Sign, seat: Seat, scale: MapScale, box: Box, glyphs: Glyphs, colour: str
) -> Iterator[tuple[Place, Cell]]:
    yield from _roof(about, scale, colour, glyphs)
    signs = glyphs.owner(seat)
    yield from _walled(about, (signs[0], signs[1]), scale, box, glyphs, colour, "seat-ink")


def _hinted(look: SpaceLook, size: Place, piece: str) -> Iterator[tuple[Place, Cell]]:
    """Yield a block with the mark of a hint's move, and beside or below it the sign of the piece to place."""
    about, (width, height) = Sign(Kind.HINT, look.target), size
    words = (f"{look.hint}{piece}",) if height % 2 else (look.hint, piece)
    lines = dict(enumerate(words, (height - len(words)) // 2))
    for y in range(height):
        for x, sign in enumerate(f"{lines.get(y, ''):^{width}}"):
            yield (x, y), Cell(about, sign, "cursor-ink", mark_ground(look.hint), True)


def _roof(about: Sign, scale: MapScale, colour: str, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    for x, sign in enumerate(_signs(_ROOFS[scale], glyphs)):
        yield (x, 0), Cell(about, sign, colour, None, True)


def _walled(
    about: Sign, signs: tuple[str, str], scale: MapScale, box: Box, glyphs: Glyphs, colour: str, ink: str
) -> Iterator[tuple[Place, Cell]]:
    """Yield two signs on the colour of a house, between its walls if it has any."""
    left, y = (box.width - 2) // 2, box.height - 1
    if scale >= MapScale.LARGE:
        yield (0, y), Cell(about, _signs("▐", glyphs), colour, None, True)
        yield (box.width - 1, y), Cell(about, _signs("▌", glyphs), colour, None, True)
    for by, sign in enumerate(signs):
        yield (left + by, y), Cell(about, sign, ink, colour, True)


def _free(about: Sign, look: SpaceLook, scale: MapScale, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    on, ink = ("cursor", "cursor-ink") if look.has_cursor else (None, "ink")
    if scale is MapScale.SMALL:
        yield (0, 0), Cell(about, " " if look.has_cursor else "", ink, on)
        yield (1, 0), Cell(about, glyphs["web_of_power-free"], ink, on, True)
        return
    for y, line in enumerate(_OUTLINES[scale]):
        for x, sign in enumerate(_signs(line, glyphs)):
            yield (x, y), Cell(about, sign, ink, on or _GROUND, True)


def crest_box(look: SpaceLook, scale: MapScale, box: Box) -> Box:
    """Return the part of a crest's room that its shield, advisors and free places take up now."""
    pawns = len(look.advisors) + (look.offered is not None)
    places, _has_heads = _places(scale, box, pawns, max(0, len(look.advisors) + look.room))
    width = max([scale.shield[0], *(x + scale.advisor for x, _y in places)])
    return box._replace(width=width)


def crest(look: SpaceLook, scale: MapScale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """Yield the shield, a letter for every advisor, and a dot for every place that is free now."""
    country = look.target - CREST
    about, label = Sign(Kind.CREST, country), label_variable(country)
    on, ink = ("cursor", "cursor-ink") if look.has_cursor else (None, label)
    if look.has_cursor:  # otherwise a road shows where there are no advisors yet
        blank = Cell(about, " ", ink, on)
        width = crest_box(look, scale, box).width
        yield from (((x, y), blank) for y in range(box.height) for x in range(width))
    if look.hint:
        yield from _hinted(look, scale.shield, glyphs["web_of_power-advisor"])
    elif glyphs.ascii_only:
        for place, sign in plain_shield(render(COUNTRY_CODES[country]), scale):
            yield place, Cell(about, sign, ink, on, True)
    else:
        for place, sign, colour, under in shield(country, scale):
            yield place, Cell(about, sign, colour, under or on, True)
    pawns = len(look.advisors) + (look.offered is not None)
    places, has_heads = _places(scale, box, pawns, max(0, len(look.advisors) + look.room))
    head = _HEAD[scale] if has_heads and not glyphs.ascii_only else ""
    for number, (x, y) in enumerate(places):
        cells = [*_advisor(look, number, scale, glyphs, on, ink)]
        yield from (((x + by, y), cell) for by, cell in enumerate(cells))
        for by, sign in enumerate(head if number < pawns else ""):
            yield (x + by, y - 1), Cell(cells[0].about, sign, str(cells[0].on), on, True)


def _places(scale: MapScale, box: Box, pawns: int, most: int) -> tuple[list[Place], bool]:
    """Return the positions of advisors beside a shield, then of free places, and whether advisors have heads.

    If they have, only as many free places are shown as there is room for around them.
    """
    (left, height), step = scale.shield, scale.advisor
    columns = (box.width - left) // step
    every = [(left + x * step, y) for y in range(height) for x in range(columns)]
    if height == 1 or pawns > columns:
        return every[:most], False
    own = [(left + x * step, height - 1) for x in range(pawns)]
    hidden = {(x, y - 1) for x, y in own}.union(own)
    others = sorted((place for place in every if place not in hidden), key=lambda place: (-place[1], place))
    return [*own, *others][:most], True


def _advisor(
    look: SpaceLook, number: int, scale: MapScale, glyphs: Glyphs, on: str | None, ink: str
) -> Iterator[Cell]:
    country = look.target - CREST
    if number < len(look.advisors):
        seat = look.advisors[number]
        about = Sign(Kind.ADVISOR, country, seat)
        is_coming = look.is_half and seat == look.builder and seat not in look.advisors[number + 1 :]
        colour = "possible" if is_coming else f"seat-{seat}"
        signs, colours = glyphs.owner(seat), ("seat-ink", colour, True)
    elif look.offered is not None and number == len(look.advisors):
        about = Sign(Kind.LAID, look.target)
        signs, colours = glyphs.owner(look.offered), ("seat-ink", "possible", True)
    elif look.is_open:
        about = Sign(Kind.PLUS, look.target)
        signs, colours = glyphs["web_of_power-lit"] * 2, _OPEN
    else:
        dot = glyphs["web_of_power-seat"]
        for sign in (dot, " ")[: scale.advisor]:
            yield Cell(Sign(Kind.PLACE, country), sign, ink, on, True)
        return
    for sign in signs[: scale.advisor]:
        yield Cell(about, sign, *colours)


def around(look: SpaceLook, scale: MapScale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """Yield the signs beside a target for cursor, mouse or score, and a halo around a new piece."""
    sides = (
        (Kind.CURSOR, "[]", "cursor-ink", "cursor") if look.has_cursor
        else (Kind.SHOWN, "()", "cursor-ink", "possible") if look.is_shown
        else (Kind.CURSOR, "[]", "possible", None) if look.is_hovered
        else None
    )  # fmt: skip
    # a crest may take less than its room, and its signs stand close to it
    box = box if look.target < CREST else crest_box(look, scale, box)
    if look.hint:
        if sides is None:
            about, colour = Sign(Kind.HINT, look.target), mark_ground(look.hint)
            yield from _halo(about, scale, box, glyphs, colour, is_block=True)
    elif look.builder is not None:
        yield from _halo(Sign(Kind.RECENT, look.target), scale, box, glyphs, f"seat-{look.builder}")
    elif look.is_recent:
        yield from _halo(Sign(Kind.RECENT, look.target), scale, box, glyphs)
    if sides is not None:
        kind, signs, colour, on = sides
        about = Sign(kind, look.target)
        for y in range(box.y, box.y + box.height):
            yield (box.x - 1, y), Cell(about, signs[0], colour, on, True)
            yield (box.x + box.width, y), Cell(about, signs[1], colour, on, True)


def _halo(
    about: Sign,
    scale: MapScale,
    box: Box,
    glyphs: Glyphs,
    colour: str = "happened",
    *,
    is_block: bool = False,
) -> Iterator[tuple[Place, Cell]]:
    sides = _signs("▐▌", glyphs)
    if is_block and glyphs.ascii_only:  # strokes at both sides would look like roads
        sides = "<>"
    if scale is MapScale.SMALL and is_block:
        for x, sign in zip((box.x - 1, box.x + box.width), sides, strict=True):
            yield (x, box.y), Cell(about, sign, colour, None, True)
        return
    if scale is MapScale.SMALL:
        for x in (box.x - 1, box.x + box.width):
            yield (x, box.y), Cell(about, glyphs["happened"], colour, None, True)
        return
    ring = (f"▗{'▄' * box.width}▖", *(sides for _ in range(box.height)), f"▝{'▀' * box.width}▘")
    for y, line in enumerate(ring, box.y - 1):
        columns = range(box.x - 1, box.x + box.width + 1) if len(line) > 2 else (box.x - 1, box.x + box.width)
        for x, sign in zip(columns, _signs(line, glyphs), strict=True):
            yield (x, y), Cell(about, sign, colour, None, True)


def _signs(drawn: str, glyphs: Glyphs) -> str:
    return in_ascii(drawn) if glyphs.ascii_only else drawn


@dataclass(frozen=True)
class Highlight:
    """A part of the score, pointed out on the map: countries, cloisters on their spaces, roads, alliances.

    Alliances are counted from 1, like their numbers.
    """

    countries: frozenset[int] = frozenset()
    spaces: frozenset[int] = frozenset()
    roads: frozenset[int] = frozenset()
    alliances: frozenset[int] = frozenset()


NOTHING_SHOWN: Final = Highlight()


@dataclass(frozen=True)
class Rising:
    """A motion: a piece of a seat that is being placed, with `parts` of its `PARTS` standing.

    Alliances are drawn as held by `holders`, if these are not the current ones; `won` have just gone to
    somebody else.
    """

    target: Target
    seat: Seat
    parts: int
    holders: tuple[tuple[Seat, ...], ...] | None = None
    won: frozenset[int] = frozenset()


PARTS: Final = 2
"""Parts of a piece: its walls, and what comes above them."""


@dataclass(frozen=True)
class Marks:
    """The marks on the map: `open` may be chosen now, `recent` has just got a piece, `hovered` has the mouse.

    A piece that is not placed yet is laid out on `laid`. `values` are written over the map, if wanted.
    `marked` are the targets of a hint's moves, with the mark of each.
    """

    cursor: Target | None = None
    hovered: Target | None = None
    laid: Target | None = None
    open: frozenset[Target] = frozenset()
    recent: frozenset[Target] = frozenset()
    shown: Highlight = NOTHING_SHOWN
    values: Values | None = None
    marked: tuple[tuple[Target, str], ...] = ()
    holders: tuple[tuple[Seat, ...], ...] = ()
    rising: Rising | None = None

    def is_but_for_pointing(self, other: Marks) -> bool:
        """Return whether other marks differ only in cursor, mouse and the piece laid out."""
        return replace(other, cursor=self.cursor, hovered=self.hovered, laid=self.laid) == self

    @property
    def pointed(self) -> set[Target]:
        """The targets that can look different when only pointing has changed."""
        return {target for target in (self.cursor, self.hovered, self.laid) if target is not None}


def painter_for(
    scene: Scene[Observation], width: int, height: int, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True
) -> Painter:
    """Return the painter of a match's map in `width` columns and `height` lines. Raises `CannotDraw`."""
    printed, places = scene.observation.printed, scene.drawing
    names = [render(name) for name in COUNTRY_NAMES]
    codes = [render(code) for code in COUNTRY_CODES]
    layout = layout_for(printed, places, width, height, names, codes)
    return Painter(layout, printed, places, glyphs, ink, has_colours=has_colours)


class Painter:
    """Draws the lines of one layout in one look; what never changes is computed once."""

    def __init__(
        self,
        layout: MapLayout,
        printed: Printed,
        places: Places,
        glyphs: Glyphs,
        ink: Ink,
        *,
        has_colours: bool = True,
    ) -> None:
        self.layout = layout
        self._printed = printed
        self._glyphs = glyphs
        self._ink = ink
        self._has_colours = has_colours
        self._still = still_lines(layout, printed, places, glyphs)
        self._near: list[list[Target]] = [[] for _ in range(layout.height)]
        for target, box in layout.boxes.items():
            for y in range(max(0, box.y - 1), min(layout.height, box.y + box.height + 1)):
                self._near[y].append(target)
        self._roads_on: list[dict[int, list[tuple[int, str]]]] = [{} for _ in range(layout.height)]
        for road, cells in enumerate(layout.roads):
            for (x, y), sign in cells.items():
                self._roads_on[y].setdefault(road, []).append((x, sign))
        self._ties_on: list[dict[int, list[int]]] = [{} for _ in range(layout.height)]
        for alliance, tie in enumerate(layout.ties):
            for x, y in tie:
                self._ties_on[y].setdefault(alliance, []).append(x)
        self._allied_on = [frozenset(ties) for ties in self._ties_on]
        for alliance, box in enumerate(layout.numbers):
            self._allied_on[box.y] |= {alliance}
        self._countries_on = [frozenset(line) for line in layout.land.ground]
        self._looked: tuple[Observation, Marks] | None = None
        self._signs: tuple[Observation | None, Marks, int, dict[int, Cell]] = None, Marks(), 0, {}
        self._looks: dict[Target, SpaceLook] = {}
        self._drawn: dict[int, tuple[object, list[Segment]]] = {}
        self._marked: dict[tuple[str, str, str], Style] = {}
        self._written: tuple[Values, MapFigures] | None = None

    def box(self, view: Observation, marks: Marks, target: Target) -> Box:
        """Return the cells that a target takes up now."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        box = self.layout.boxes[target]
        return box if target < CREST else crest_box(self._looks[target], self.layout.scale, box)

    # -- one line --------------------------------------------------------------------------------------------

    def line(self, view: Observation, marks: Marks, y: int) -> list[Segment]:
        """Return a line of the map: the very same list as before while nothing on it looks different."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        key = self._key(marks, y)
        kept = self._drawn.get(y)
        if kept is None or kept[0] != key:
            columns = range(self.layout.width)
            kept = self._drawn[y] = key, list(self._segments(self._cells(marks, y, columns), y, columns))
        return kept[1]

    def part(self, view: Observation, marks: Marks, y: int, columns: range) -> list[Segment]:
        """Return some columns of a line."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        return list(self._segments(self._cells(marks, y, columns), y, columns))

    def sign(self, view: Observation, marks: Marks, x: int, y: int) -> Sign:
        """Return the meaning of a cell."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        if self._signs[0] is not view or self._signs[1:3] != (marks, y):
            # of the whole line, since the next cell asked for is mostly on it too
            self._signs = view, marks, y, self._cells(marks, y, range(self.layout.width))
        return self._signs[3][x].about

    def _look(self, view: Observation, marks: Marks) -> None:
        """Update the looks; if only cursor or mouse have moved, those of the targets concerned."""
        before, self._looked = self._looked, (view, marks)
        targets = set(self.layout.boxes)
        if before is not None and before[0] is view and before[1].is_but_for_pointing(marks):
            # a cursor key must not cost computing the looks of all targets
            targets &= before[1].pointed | marks.pointed
        self._looks |= {target: self._look_of(view, marks, target) for target in targets}
        self._lit = self._lit_countries(marks)
        if before is None or before[0] is not view:
            board = view.board
            self._road_owners = [board[a] if board[a] == board[b] else FREE for a, b in self._printed.roads]
            every = [chain for seat in seats_of(view) for chain in chains(view, seat)]
            self._chained = frozenset(road for chain in every for road in chained_roads(view, chain))

    def _look_of(self, view: Observation, marks: Marks, target: Target) -> SpaceLook:
        owner: Seat | None = None
        present, room = tuple[Seat, ...](), 0
        if target >= CREST:
            country = target - CREST
            counts = advisors(view, country)
            present = tuple(seat for seat, count in enumerate(counts) for _ in range(count))
            room = places_left(view, country)
        elif view.board[target] != FREE:
            owner = view.board[target] - CLOISTER_OF
        rising = marks.rising if marks.rising and marks.rising.target == target else None
        if rising is not None and not rising.parts:  # it is not there yet
            owner, room = None, room + (target >= CREST)
            present = tuple(_without(present, rising.seat))
        return SpaceLook(
            target=target,
            owner=owner,
            advisors=present,
            room=room,
            is_open=target in marks.open,
            has_cursor=target == marks.cursor,
            is_hovered=target == marks.hovered,
            is_laid=target == marks.laid,
            is_recent=target in marks.recent,
            is_shown=target in marks.shown.spaces,
            viewer=view.viewer,
            hint=dict(marks.marked).get(target, ""),
            builder=None if rising is None else rising.seat,
            is_half=rising is not None and rising.parts < PARTS,
        )

    def _key(self, marks: Marks, y: int) -> object:
        """Return everything that the look of a line depends on."""
        return (
            tuple(self._looks[target] for target in self._near[y]),
            self._lit & self._countries_on[y],
            tuple(
                (self._road_owners[road], road in self._chained, road in marks.shown.roads)
                for road in self._roads_on[y]
            ),
            tuple(_held(marks, alliance) for alliance in self._allied_on[y]),
            marks.shown.alliances,
            marks.rising and marks.rising.won & self._allied_on[y],
            marks.values,
        )

    def _lit_countries(self, marks: Marks) -> frozenset[int]:
        if marks.shown is not NOTHING_SHOWN:
            return marks.shown.countries
        country_of = self._printed.country_of
        return frozenset(target - CREST if target >= CREST else country_of[target] for target in marks.open)

    def _cells(self, marks: Marks, y: int, columns: range) -> dict[int, Cell]:
        """Return the cells of some columns of a line; there may be others among them."""
        cells = dict(zip(columns, self._still[y][columns.start : columns.stop], strict=True))
        near = [target for target in self._near[y] if self._is_in(target, columns)]
        cells.update(self._ties(marks, y))
        cells.update(self._roads(marks, y))
        figures = None if marks.values is None else self._figures(marks.values)
        cells.update(self._names(y, figures.nameless if figures else frozenset()))
        cells.update(self._numbers(marks, y))
        # what the cursor or the mouse is on is marked above everything new
        pointed = {target for target in (marks.hovered, marks.cursor) if target is not None}
        for target in sorted(near, key=lambda target: target in pointed):
            cells.update(self._ring(target, y))
        for target in near:
            cells.update(self._thing(target, y))
        if figures is not None:
            cells.update(figures.lines[y])
        return cells

    def _is_in(self, target: Target, columns: range) -> bool:
        """Return whether a thing, or the signs around it, reaches into some columns."""
        box = self.layout.boxes[target]
        return box.x - 1 < columns.stop and box.x + box.width >= columns.start

    def _segments(self, cells: dict[int, Cell], y: int, columns: range) -> Iterator[Segment]:
        """Yield runs of cells that look the same."""
        ground, lit = self.layout.land.ground[y], self._lit
        names = {code: CellGround.variable(code, lit=code in lit) for code in {*ground, *CellGround.ALL}}
        run, style = "", None
        for x in columns:
            _about, sign, colour, on, is_bold = cells[x]
            here = ground[x]
            meta = None if on != BED or here not in lit else BARE
            on = None if on == BED else on
            under = names[here] if on is None else names[on] if isinstance(on, int) else on
            if isinstance(colour, int):
                if not self._has_colours and not {colour, on} & lit:
                    # in monochrome there is no dark ink: a coast is where a pattern ends, a border a line
                    # without one
                    sign, under = " ", names[SEA if colour == INK else here]
                colour, meta = names[colour], BLOCK
            elif here in lit and on is None and colour in CellGround.WRITTEN:
                # neither roads nor a country's own colour are legible on its own bright ground
                if not self._has_colours and colour in CellGround.NAMES:
                    under = "cursor"  # monochrome shows that reversed
                colour = "web_of_power-lit-ink" if under != "cursor" else "cursor-ink"
            wanted = (colour, under, is_bold, meta)
            if wanted == style:
                run += sign
                continue
            if style is not None:
                yield Segment(run, self._style(*style))
            run, style = sign, wanted
        if style is not None:
            yield Segment(run, self._style(*style))

    def _style(self, colour: str, under: str, is_bold: bool, meta: str | None) -> Style:
        """Return the style of a run, marked with what its colours mean if there are few."""
        if meta is None:
            return self._ink(colour, under, bold=is_bold)
        key = colour, under, meta
        if key not in self._marked:
            self._marked[key] = self._ink(colour, under, bold=is_bold) + Style(meta={meta: True})
        return self._marked[key]

    # -- on the land
    # ---------------------------------------------------------------------------------------------

    def _roads(self, marks: Marks, y: int) -> Iterator[tuple[int, Cell]]:
        """Yield the roads that the score is about, and those with both ends owned by one player.

        Only a chain that would give points has thick ones.
        """
        for road, strokes in self._roads_on[y].items():
            owner, about = self._road_owners[road], Sign(Kind.ROAD, road)
            if road in marks.shown.roads:
                for x, sign in strokes:
                    yield x, Cell(about, self._glyphs[sign], "cursor-ink", "possible", True)
            elif owner != FREE:
                is_chained = road in self._chained
                for x, sign in strokes:
                    own = "web_of_power-own-" + sign.removeprefix("web_of_power-") if is_chained else sign
                    yield x, Cell(about, self._glyphs[own], f"seat-{owner - CLOISTER_OF}", BED, False)

    def _figures(self, values: Values) -> MapFigures:
        """Return everybody's points, computed once for all lines."""
        if self._written is None or self._written[0] is not values:
            self._written = values, figures_on(self.layout, values)
        return self._written[1]

    def _names(self, y: int, nameless: frozenset[int]) -> Iterator[tuple[int, Cell]]:
        for country, name in enumerate(self.layout.names):
            if name.y == y and country not in nameless:
                about = Sign(Kind.NAME, country)
                yield from _written(about, name.x, name.words, label_variable(country), None)

    def _ties(self, marks: Marks, y: int) -> Iterator[tuple[int, Cell]]:
        """Yield the lines of alliances that somebody holds, in the colours of those who do."""
        for alliance, columns in self._ties_on[y].items():
            if holders := _held(marks, alliance):
                about, sign = Sign(Kind.TIE, alliance), self._glyphs["web_of_power-own-tie"]
                is_won = marks.rising is not None and alliance in marks.rising.won
                for x in columns:
                    holder = f"seat-{holders[(x + y) % len(holders)]}"
                    ink, on = ("seat-ink", holder) if is_won else (holder, BED)
                    yield x, Cell(about, sign, ink, on, True)

    def _numbers(self, marks: Marks, y: int) -> Iterator[tuple[int, Cell]]:
        for alliance, box in enumerate(self.layout.numbers):
            if box.y == y:
                yield from self._number(marks, alliance, box)

    def _number(self, marks: Marks, alliance: int, box: Box) -> Iterator[tuple[int, Cell]]:
        """Yield the number of an alliance, with the letters of one or two who hold it beside it.

        Where points are written over the map, these letters stand before them.
        """
        words, about = str(alliance + 1), Sign(Kind.NUMBER, alliance)
        colour, on = "web_of_power-alliance-ink", "web_of_power-alliance"
        holders = _held(marks, alliance)
        is_won = marks.rising is not None and alliance in marks.rising.won
        if alliance + 1 in marks.shown.alliances or is_won:
            colour, on, holders = "cursor-ink", "possible", ()
        elif len(holders) == 1:
            colour, on = "seat-ink", f"seat-{holders[0]}"
        if marks.values is not None:
            holders = ()
        if box.width == len(words):
            yield from _written(about, box.x, words, colour, on)
            return
        yield from _written(about, box.x + 1, words, colour, on)
        sides = ("(", ")") if self._glyphs.ascii_only else ("▐", "▌") if self._has_colours else (" ", " ")
        margin = (on, None) if self._has_colours else (colour, on)
        cells = [Cell(about, side, *margin) for side in sides]
        for holder, side in zip(holders[:_SIDES], (1, 0), strict=False):
            cells[side] = Cell(about, letter(holder), "seat-ink", f"seat-{holder}", True)
        yield box.x, cells[0]
        yield box.x + box.width - 1, cells[1]

    # -- pieces
    # --------------------------------------------------------------------------------------------------

    def _thing(self, target: Target, y: int) -> Iterator[tuple[int, Cell]]:
        """Yield a house, or a shield with its advisors, as far as it is on a line."""
        box, scale = self.layout.boxes[target], self.layout.scale
        if not box.y <= y < box.y + box.height:
            return
        draw = crest if target >= CREST else house
        for (right, down), cell in draw(self._looks[target], scale, box, self._glyphs):
            if box.y + down == y and cell.sign:
                yield box.x + right, cell

    def _ring(self, target: Target, y: int) -> Iterator[tuple[int, Cell]]:
        """Yield the signs around a target under the cursor or the mouse, or around a new piece.

        Where a name is above or below it, the frame has no side there, rather than fragments of one.
        """
        box, scale = self.layout.boxes[target], self.layout.scale
        inside = box if target < CREST else crest_box(self._looks[target], scale, box)
        is_beside = box.y <= y < box.y + box.height
        if not is_beside and any(
            (x, y) in self.layout.taken for x in range(inside.x, inside.x + inside.width)
        ):
            return
        own = {*box.cells()}  # a crest may need less than its box
        for (x, line), cell in around(self._looks[target], scale, box, self._glyphs):
            is_free = (x, line) in own or (x, line) not in self.layout.taken
            if line == y and 0 <= x < self.layout.width and is_free:
                yield x, cell


def _without(seats: Sequence[Seat], one: Seat) -> list[Seat]:
    """Return seats with one occurrence of a seat removed."""
    found = [*seats]
    if one in found:
        found.remove(one)
    return found


def _held(marks: Marks, alliance: int) -> tuple[Seat, ...]:
    """Return those who hold an alliance as things stand; nobody if there are more than sides of a number."""
    holders = marks.holders[alliance] if alliance < len(marks.holders) else ()
    return holders if len(holders) <= _SIDES else ()


def _written(about: Sign, x: int, words: str, colour: str, on: str | None) -> Iterator[tuple[int, Cell]]:
    """Yield bold words from a column on."""
    for by, sign in enumerate(words):
        yield x + by, Cell(about, sign, colour, on, True)
