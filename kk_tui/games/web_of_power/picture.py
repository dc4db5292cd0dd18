"""The map as lines of styled text: a pure drawing of an observation and a few marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from rich.segment import Segment

from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRY_NAMES, FREE, Observation, Printed
from kk_core.games.web_of_power.model import Drawing as Places
from kk_tui.games.web_of_power.choices import CREST, Target
from kk_tui.games.web_of_power.counts import advisors, cloisters
from kk_tui.games.web_of_power.layout import CHIP, Layout, layout_for
from kk_tui.games.web_of_power.territories import SEA
from kk_tui.games.web_of_power.theme import label_variable, land_variable
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink

_SEA_GROUND: Final = "web_of_power-sea"
_WAVES: Final = 29


@dataclass(frozen=True)
class Shown:
    """A part of the score, pointed out on the map: countries, cloisters on their spaces, an alliance."""

    countries: frozenset[int] = frozenset()
    spaces: frozenset[int] = frozenset()
    roads: frozenset[int] = frozenset()
    alliance: int | None = None


NOTHING_SHOWN: Final = Shown()


@dataclass(frozen=True)
class Marks:
    """What is pointed at: `open` may be chosen now, `recent` has just got a piece."""

    cursor: Target | None = None
    open: frozenset[Target] = frozenset()
    recent: frozenset[Target] = frozenset()
    shown: Shown = NOTHING_SHOWN


class Cell(NamedTuple):
    """One sign with the theme variables of its colours; `on` None is the ground under it."""

    sign: str
    colour: str
    on: str | None = None
    bold: bool = False


def painter_for(scene: Scene[Observation], width: int, height: int, glyphs: Glyphs, ink: Ink) -> Painter:
    """What draws the map of a match in so many columns and lines. Raises `CannotDraw`."""
    printed, places = scene.observation.printed, scene.drawing
    names = [render(name) for name in COUNTRY_NAMES]
    return Painter(layout_for(printed, places, width, height, names), printed, places, glyphs, ink)


class Painter:
    """Draws the lines of one layout in one look; what never changes is worked out once and kept."""

    def __init__(self, layout: Layout, printed: Printed, places: Places, glyphs: Glyphs, ink: Ink) -> None:
        self.layout = layout
        self._printed = printed
        self._glyphs = glyphs
        self._ink = ink
        self._roads = {
            cell: (sign, road in places.sea_roads)
            for road, cells in zip(self._printed.roads, layout.roads, strict=True)
            for cell, sign in cells.items()
        }
        self._still = [self._still_line(y) for y in range(layout.height)]
        self._names: list[dict[int, Cell]] = [{} for _ in range(layout.height)]
        for country, ((x, y), words) in enumerate(layout.names):
            for by, sign in enumerate(words):
                self._names[y][x + by] = Cell(sign, label_variable(country), None, True)

    # -- what never changes ----------------------------------------------------------------------------------

    def _still_line(self, y: int) -> list[Cell]:
        return [self._ground(x, y) for x in range(self.layout.width)]

    def _ground(self, x: int, y: int) -> Cell:
        here = self.layout.ground[y][x]
        if (x, y) in self._roads:
            sign, over_sea = self._roads[x, y]
            return Cell(self._glyphs[sign], "web_of_power-sea-road" if over_sea else "web_of_power-road")
        if here == SEA:
            wave = (x * 7 + y * 17) % _WAVES == 0
            return Cell(self._glyphs["web_of_power-wave"] if wave else " ", "web_of_power-wave")
        return Cell(
            self._glyphs["web_of_power-border"] if self._is_border(x, y) else " ", "web_of_power-border"
        )

    def _is_border(self, x: int, y: int) -> bool:
        """Whether another country, or the sea, begins right of a cell or under it."""
        ground = self.layout.ground
        here = ground[y][x]
        beyond = [ground[y][x + 1]] if x + 1 < self.layout.width else []
        beyond += [ground[y + 1][x]] if y + 1 < self.layout.height else []
        behind = [ground[y][x - 1]] if x else []
        return any(other not in (here, SEA) for other in beyond) or SEA in behind or SEA in beyond[:1]

    # -- one line --------------------------------------------------------------------------------------------

    def line(self, view: Observation, marks: Marks, y: int) -> list[Segment]:
        """One line of the map."""
        cells = dict(enumerate(self._still[y]))
        cells.update(self._roads_shown(marks, y))
        cells.update(self._names[y])
        for number, (x, at) in enumerate(self.layout.numbers, 1):
            if at == y:
                cells.update(self._number(number, x, marks))
        for target, (x, at) in self.layout.points.items():
            if at == y:
                cells.update(self._target(view, marks, target, x))
        return list(self._segments(cells, marks, y))

    def _segments(self, cells: dict[int, Cell], marks: Marks, y: int) -> Iterator[Segment]:
        ground = self.layout.ground[y]
        lit = self._lit_countries(marks)

        def style_at(x: int) -> tuple[str, str, bool]:
            cell, here = cells[x], ground[x]
            under = _SEA_GROUND if here == SEA else land_variable(here, lit=here in lit)
            # neither roads nor a country's own colour can be read on its own bright ground
            is_faint = not cell.bold and (x, y) not in self._roads
            colour = (
                "web_of_power-lit-ink" if here in lit and cell.on is None and not is_faint else cell.colour
            )
            return colour, cell.on or under, cell.bold

        for (colour, on, bold), run in groupby(range(self.layout.width), style_at):
            yield Segment("".join(cells[x].sign for x in run), self._ink(colour, on, bold=bold))

    def _lit_countries(self, marks: Marks) -> frozenset[int]:
        if marks.shown is not NOTHING_SHOWN:
            return marks.shown.countries
        country_of = self._printed.country_of
        return frozenset(target - CREST if target >= CREST else country_of[target] for target in marks.open)

    # -- what stands on the map ------------------------------------------------------------------------------

    def _roads_shown(self, marks: Marks, y: int) -> dict[int, Cell]:
        return {
            x: Cell(self._glyphs[sign], "cursor-ink", "possible", True)
            for road in marks.shown.roads
            for (x, at), sign in self.layout.roads[road].items()
            if at == y
        }

    def _number(self, number: int, x: int, marks: Marks) -> dict[int, Cell]:
        shown = number == marks.shown.alliance
        colour, on = ("cursor-ink", "possible") if shown else ("gold", "web_of_power-number-ground")
        return {x + by: Cell(sign, colour, on, True) for by, sign in enumerate(str(number))}

    def _target(self, view: Observation, marks: Marks, target: Target, x: int) -> dict[int, Cell]:
        if target >= CREST:
            cells = self._crest(view, target - CREST, is_open=target in marks.open)
        else:
            cells = self._space(view, target, is_open=target in marks.open)
        if target == marks.cursor:
            cells = [
                cell if cell.on else Cell(cell.sign or " ", "cursor-ink", "cursor", True) for cell in cells
            ]
        around = self._around(marks, target)
        placed = {x + by: cell for by, cell in enumerate(cells) if cell.sign}
        if around is not None:
            placed[x - 1], placed[x + len(cells)] = around
        return placed

    def _around(self, marks: Marks, target: Target) -> tuple[Cell, Cell] | None:
        """The signs left and right of what the cursor stands on, the score speaks of, or has just come."""
        if target == marks.cursor:
            return Cell("[", "cursor-ink", "cursor", True), Cell("]", "cursor-ink", "cursor", True)
        if target in marks.shown.spaces:
            return Cell("(", "cursor-ink", "possible", True), Cell(")", "cursor-ink", "possible", True)
        if target in marks.recent:
            mark = Cell(self._glyphs["happened"], "happened", None, True)
            return mark, mark
        return None

    def _space(self, view: Observation, space: int, *, is_open: bool) -> list[Cell]:
        owner = view.board[space]
        if owner != FREE:
            seat = owner - CLOISTER_OF
            signs = self._glyphs.owner(seat)
            return [Cell(sign, "seat-ink", f"seat-{seat}", True) for sign in signs[:CHIP]]
        free = self._glyphs["web_of_power-free"]
        if is_open:
            plus = self._glyphs["web_of_power-lit"]
            return [Cell(plus, "cursor-ink", "possible", True), Cell(free, "cursor-ink", "possible", True)]
        return [Cell("", "ink"), Cell(free, "ink", None, True)]

    def _crest(self, view: Observation, country: int, *, is_open: bool) -> list[Cell]:
        """The shield, a letter for every advisor, and a dot for every place that is free now."""
        label = label_variable(country)
        shield = self._glyphs["web_of_power-shield"]
        present = advisors(view, country)
        # as many advisors as the strongest player has cloisters (printed rules)
        room = max(cloisters(view, country)) - sum(present)
        cells = [Cell(shield, "cursor-ink", "possible", True) if is_open else Cell(shield, label, None, True)]
        for seat, count in enumerate(present):
            cells += [Cell(letter(seat), "seat-ink", f"seat-{seat}", True)] * count
        if is_open:
            plus = self._glyphs["web_of_power-lit"]
            cells += [Cell(plus, "cursor-ink", "possible", True)] * room
        else:
            cells += [Cell(self._glyphs["web_of_power-seat"], label, None, True)] * room
        return cells
