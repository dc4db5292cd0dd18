"""The map as lines of styled text: a pure drawing of an observation and a few marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.segment import Segment

from kk_core.games.web_of_power.drawing import Drawing as Places
from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRY_NAMES, FREE, Observation, Printed
from kk_core.types import Seat
from kk_tui.games.web_of_power.cells import Cell, Ground, still_lines
from kk_tui.games.web_of_power.choices import CREST, Target
from kk_tui.games.web_of_power.counts import advisors, cloisters
from kk_tui.games.web_of_power.layout import Layout, layout_for
from kk_tui.games.web_of_power.pieces import Look, around, crest, house
from kk_tui.games.web_of_power.scales import Scale
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, label_variable
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink


@dataclass(frozen=True)
class Shown:
    """A part of the score, pointed out on the map: countries, cloisters on their spaces, an alliance."""

    countries: frozenset[int] = frozenset()
    spaces: frozenset[int] = frozenset()
    roads: frozenset[int] = frozenset()
    alliance: int | None = None


NOTHING_SHOWN: Final = Shown()


_LITTLE: Final = 2
"""Columns by which figures may stand farther away to stand apart."""


@dataclass(frozen=True)
class Values:
    """The points that each country and each alliance would give now, per seat."""

    countries: Sequence[Sequence[int]]
    alliances: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Marks:
    """What is pointed at: `open` may be chosen now, `recent` has just got a piece, `hovered` has the mouse.

    `values` are written over the map, if they are wanted.
    """

    cursor: Target | None = None
    hovered: Target | None = None
    open: frozenset[Target] = frozenset()
    recent: frozenset[Target] = frozenset()
    shown: Shown = NOTHING_SHOWN
    values: Values | None = None

    def is_but_for_pointing(self, other: Marks) -> bool:
        """Whether other marks differ in cursor and mouse alone."""
        return replace(other, cursor=self.cursor, hovered=self.hovered) == self


def painter_for(
    scene: Scene[Observation], width: int, height: int, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True
) -> Painter:
    """What draws the map of a match in so many columns and lines. Raises `CannotDraw`."""
    printed, places = scene.observation.printed, scene.drawing
    names = [render(name) for name in COUNTRY_NAMES]
    codes = [render(code) for code in COUNTRY_CODES]
    layout = layout_for(printed, places, width, height, names, codes)
    return Painter(layout, printed, places, glyphs, ink, has_colours=has_colours)


class Painter:
    """Draws the lines of one layout in one look; what never changes is worked out once and kept."""

    def __init__(
        self,
        layout: Layout,
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
        self._countries_on = [frozenset(line) for line in layout.land.ground]
        self._looked: tuple[Observation, Marks] | None = None
        self._looks: dict[Target, Look] = {}
        self._drawn: dict[int, tuple[object, list[Segment]]] = {}

    # -- one line --------------------------------------------------------------------------------------------

    def line(self, view: Observation, marks: Marks, y: int) -> list[Segment]:
        """One line of the map: the very same list as before while nothing on it looks different."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        key = self._key(marks, y)
        kept = self._drawn.get(y)
        if kept is None or kept[0] != key:
            columns = range(self.layout.width)
            kept = self._drawn[y] = key, list(self._segments(self._cells(marks, y, columns), y, columns))
        return kept[1]

    def part(self, view: Observation, marks: Marks, y: int, columns: range) -> list[Segment]:
        """Some columns of a line; what the cursor leaves and comes to is drawn without the rest."""
        if self._looked is None or self._looked[0] is not view or self._looked[1] is not marks:
            self._look(view, marks)
        return list(self._segments(self._cells(marks, y, columns), y, columns))

    def _look(self, view: Observation, marks: Marks) -> None:
        """What all looks like now; where only cursor or mouse have moved, what they leave and come to."""
        before, self._looked = self._looked, (view, marks)
        targets = set(self.layout.boxes)
        if before is not None and before[0] is view and before[1].is_but_for_pointing(marks):
            targets &= {before[1].cursor, before[1].hovered, marks.cursor, marks.hovered}
        self._looks |= {target: self._look_of(view, marks, target) for target in targets}
        self._lit = self._lit_countries(marks)
        board = view.board
        self._road_owners = [board[a] if board[a] == board[b] else FREE for a, b in self._printed.roads]

    def _look_of(self, view: Observation, marks: Marks, target: Target) -> Look:
        owner: Seat | None = None
        present, room = tuple[Seat, ...](), 0
        if target >= CREST:
            country = target - CREST
            counts = advisors(view, country)
            present = tuple(seat for seat, count in enumerate(counts) for _ in range(count))
            # as many advisors as the strongest player has cloisters (printed rules)
            room = max(cloisters(view, country)) - len(present)
        elif view.board[target] != FREE:
            owner = view.board[target] - CLOISTER_OF
        return Look(
            target=target,
            owner=owner,
            advisors=present,
            room=room,
            is_open=target in marks.open,
            has_cursor=target == marks.cursor,
            is_hovered=target == marks.hovered,
            is_recent=target in marks.recent,
            is_shown=target in marks.shown.spaces,
            viewer=view.viewer,
        )

    def _key(self, marks: Marks, y: int) -> object:
        """All that the look of a line depends on."""
        return (
            tuple(self._looks[target] for target in self._near[y]),
            self._lit & self._countries_on[y],
            tuple((self._road_owners[road], road in marks.shown.roads) for road in self._roads_on[y]),
            marks.shown.alliance,
            marks.values,
        )

    def _lit_countries(self, marks: Marks) -> frozenset[int]:
        if marks.shown is not NOTHING_SHOWN:
            return marks.shown.countries
        country_of = self._printed.country_of
        return frozenset(target - CREST if target >= CREST else country_of[target] for target in marks.open)

    def _cells(self, marks: Marks, y: int, columns: range) -> dict[int, Cell]:
        """The cells of some columns of a line; there may be others among them."""
        cells = dict(zip(columns, self._still[y][columns.start : columns.stop], strict=True))
        near = [target for target in self._near[y] if self._is_in(target, columns)]
        cells.update(self._roads(marks, y))
        if marks.values is None:
            cells.update(self._names(y))
        cells.update(self._numbers(marks, y))
        # what the cursor stands on, or the mouse, is marked over all that is new
        pointed = {target for target in (marks.hovered, marks.cursor) if target is not None}
        for target in sorted(near, key=lambda target: target in pointed):
            cells.update(self._ring(target, y))
        for target in near:
            cells.update(self._thing(target, y))
        if marks.values is not None:
            cells.update(self._figures(marks.values, y))
        return cells

    def _is_in(self, target: Target, columns: range) -> bool:
        """Whether a thing, or what stands around it, reaches into some columns."""
        box = self.layout.boxes[target]
        return box.x - 1 < columns.stop and box.x + box.width >= columns.start

    def _segments(self, cells: dict[int, Cell], y: int, columns: range) -> Iterator[Segment]:
        """Runs of cells that look the same."""
        ground, lit = self.layout.land.ground[y], self._lit
        names = {code: Ground.variable(code, lit=code in lit) for code in {*ground, *Ground.ALL}}
        run, style = "", None
        for x in columns:
            sign, colour, on, is_bold = cells[x]
            here = ground[x]
            under = names[here] if on is None else names[on] if isinstance(on, int) else on
            if isinstance(colour, int):
                colour = names[colour]
            elif here in lit and on is None and colour in Ground.WRITTEN:
                # neither roads nor a country's own colour can be read on its own bright ground
                if not self._has_colours and colour in Ground.NAMES:
                    under = "cursor"  # one colour shows that reversed
                colour = "web_of_power-lit-ink" if under != "cursor" else "cursor-ink"
            wanted = (colour, under, is_bold)
            if wanted == style:
                run += sign
                continue
            if style is not None:
                yield Segment(run, self._ink(style[0], style[1], bold=style[2]))
            run, style = sign, wanted
        if style is not None:
            yield Segment(run, self._ink(style[0], style[1], bold=style[2]))

    # -- what lies on the land -------------------------------------------------------------------------------

    def _roads(self, marks: Marks, y: int) -> Iterator[tuple[int, Cell]]:
        """Roads that the score speaks of, and those that somebody has both ends of."""
        for road, strokes in self._roads_on[y].items():
            owner = self._road_owners[road]
            if road in marks.shown.roads:
                yield from (
                    (x, Cell(self._glyphs[sign], "cursor-ink", "possible", True)) for x, sign in strokes
                )
            elif owner != FREE:
                for x, sign in strokes:
                    own = "web_of_power-own-" + sign.removeprefix("web_of_power-")
                    yield x, Cell(self._glyphs[own], f"seat-{owner - CLOISTER_OF}", None, False)

    def _names(self, y: int) -> Iterator[tuple[int, Cell]]:
        """The names of countries."""
        for country, name in enumerate(self.layout.names):
            if name.y == y:
                yield from _written(name.x, name.words, label_variable(country), None)

    def _numbers(self, marks: Marks, y: int) -> Iterator[tuple[int, Cell]]:
        """The numbers of alliances."""
        for number, box in enumerate(self.layout.numbers, 1):
            if box.y == y:
                shown = number == marks.shown.alliance
                colour, on = ("cursor-ink", "possible") if shown else ("gold", "web_of_power-number-ground")
                yield from self._medallion(box.x, str(number), box.width, colour, on)

    def _medallion(self, x: int, words: str, width: int, colour: str, on: str) -> Iterator[tuple[int, Cell]]:
        if width > len(words):
            left, right = ("(", ")") if self._glyphs.ascii_only else ("▐", "▌")
            yield x, Cell(left, on, None, False)
            yield x + width - 1, Cell(right, on, None, False)
            x += 1
        yield from _written(x, words, colour, on)

    def _figures(self, values: Values, y: int) -> Iterator[tuple[int, Cell]]:
        """What all would get: of alliances behind their numbers, on a small map in their place; of countries
        in the place of their names, or as near to it as the alliances leave room."""
        width, is_small = self.layout.width, self.layout.scale is Scale.SMALL
        free, apart = [True] * width, [True] * width
        for points, box in zip(values.alliances, self.layout.numbers, strict=True):
            if box.y != y:
                continue
            wide = _wide(points, gap=not is_small)
            start = box.x + box.width - (is_small and wide > 0)
            end = start + wide
            free[box.x : end] = [False] * (end - box.x)
            beside = slice(box.x, end) if is_small and not wide else slice(max(0, start - 1), end + 1)
            apart[beside] = [False] * len(apart[beside])
            yield from ((x, Cell(" ", "ink", None, False)) for x in range(box.x, start) if is_small and wide)
            yield from _gains(start, points, gap=not is_small, on="web_of_power-number-ground")
        clear = list(apart)
        for target in self._near[y]:
            box = self.layout.boxes[target]
            if box.y <= y < box.y + box.height:
                clear[box.x : box.x + box.width] = [False] * box.width
        for points, name in zip(values.countries, self.layout.names, strict=True):
            for gap, rows in ((1, (clear,)), (0, (apart, free))):
                wide = _wide(points, gap=gap)
                middle = name.x + (len(name.words) - wide) // 2
                x = _near(middle, wide, *rows) if wide and name.y == y else None
                if x is not None and (abs(x - middle) <= _LITTLE or not gap):
                    for row in (free, apart, clear):
                        row[x : x + wide] = [False] * wide
                    yield from _gains(x, points, gap=gap)
                    break

    # -- what stands on it -----------------------------------------------------------------------------------

    def _thing(self, target: Target, y: int) -> Iterator[tuple[int, Cell]]:
        """A house, or a shield with its advisors, as far as it stands on a line."""
        box, scale = self.layout.boxes[target], self.layout.scale
        if not box.y <= y < box.y + box.height:
            return
        draw = crest if target >= CREST else house
        for (right, down), cell in draw(self._looks[target], scale, box, self._glyphs):
            if box.y + down == y and cell.sign:
                yield box.x + right, cell

    def _ring(self, target: Target, y: int) -> Iterator[tuple[int, Cell]]:
        """What stands around the thing under the cursor or the mouse, and around what is new.

        Where a name stands over or under it, the frame has no side there, rather than pieces of one.
        """
        box = self.layout.boxes[target]
        is_beside = box.y <= y < box.y + box.height
        if not is_beside and any((x, y) in self.layout.taken for x in range(box.x, box.x + box.width)):
            return
        for (x, line), cell in around(self._looks[target], self.layout.scale, box, self._glyphs):
            if line == y and 0 <= x < self.layout.width and (x, line) not in self.layout.taken:
                yield x, cell


def _written(x: int, words: str, colour: str, on: str | None) -> Iterator[tuple[int, Cell]]:
    """Bold words from a column on; of a name, blanks let the land be seen."""
    for by, sign in enumerate(words):
        yield x + by, Cell(sign, colour, on, True)


def _gains(x: int, points: Sequence[int], *, gap: int, on: str | None = None) -> Iterator[tuple[int, Cell]]:
    """Letter and points of all who would get some, e.g. "A5 B3", in their colours `on` something, or else on
    their colours."""
    is_first = True
    for seat, figure in enumerate(points):
        if figure:
            if gap and not is_first:
                yield x - 1, Cell(" ", "ink", None, False)
            words, is_first = f"{letter(seat)}{figure}", False
            colours = (f"seat-{seat}", on) if on else ("seat-ink", f"seat-{seat}")
            yield from _written(x, words, *colours)
            x += len(words) + gap


def _wide(points: Sequence[int], *, gap: int) -> int:
    """Columns of everybody's points."""
    return max(0, sum(len(str(figure)) + 1 + gap for figure in points if figure) - gap)


def _near(x: int, wide: int, *rows: Sequence[bool]) -> int | None:
    """Where so many columns are free, as near as may be; in an earlier row also a little farther away."""
    found = []
    for row in rows:
        starts = [at for at in range(len(row) - wide + 1) if all(row[at : at + wide])]
        found += [min(starts, key=lambda at: abs(at - x))] if starts else []
    nearest = min((abs(at - x) for at in found), default=0)
    return next((at for at in found if abs(at - x) <= nearest + _LITTLE), None)
