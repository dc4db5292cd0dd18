"""The rows of cards as lines of styled text: a pure drawing of an observation and a few marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rich.segment import Segment
from rich.style import Style

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_tui.games.land_cards.layout import Layout
from kk_tui.games.land_cards.theme import COUNTRY_CODES, country_variable
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Ink

TALL: Final = 5
"""Lines from which on a card shows its symbols as signs above the letters."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is pointed at: `open` may be chosen now, `recent` has just been taken or got a stone of a seat."""

    cursor: int | None = None
    picked: int | None = None
    open: frozenset[int] = frozenset()
    recent: Mapping[int, int] = field(default_factory=dict)


class Painter:
    """Draws the rows for one size, look and set of signs; cards are drawn once and kept."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink) -> None:
        self.layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._ground = ink("ink-dim", on="ground")
        self._cards: dict[tuple[int, int, bool, bool], list[list[Segment]]] = {}

    def line(self, view: Observation, marks: Marks, y: int) -> list[Segment]:
        """One line of the rows, from 0; `layout.bottom` is the first that is not drawn here."""
        row, inside = divmod(y, self.layout.pitch_y)
        if inside == 0:
            return self._gap_line(marks, row)
        line = [self._margin(row, inside)]
        for cell in range(row * model.COLUMNS, (row + 1) * model.COLUMNS):
            line.append(self._upright(marks, cell))
            line.extend(self._card(view, marks, cell)[inside - 1])
        line.append(self._upright(marks, (row + 1) * model.COLUMNS - 1, right_edge=True))
        return line

    def _margin(self, row: int, inside: int) -> Segment:
        left = self.layout.left
        number = (
            str(row + 1) if self.layout.has_row_numbers and inside == (self.layout.pitch_y + 1) // 2 else ""
        )
        return Segment(number.ljust(left), self._ground)

    # -- what stands around the cards

    def _frame(self, marks: Marks, cell: int) -> tuple[str, str, Style] | None:
        """Signs of the upright and the level line of a cell's frame, if it has one."""
        if cell == marks.cursor:
            return self._glyphs["V"], self._glyphs["H"], self._ink("cursor", on="ground", bold=True)
        if cell == marks.picked:
            return self._glyphs["vv"], self._glyphs["hh"], self._ink("possible", on="ground", bold=True)
        return None

    def _upright(self, marks: Marks, cell: int, *, right_edge: bool = False) -> Segment:
        """The gap left of a cell (or right of the last one of a row): part of a frame, or ground."""
        beside = () if right_edge or cell % model.COLUMNS == 0 else (cell - 1,)
        framed = [frame for near in (cell, *beside) if (frame := self._frame(marks, near))]
        if not framed:
            return Segment(" ", self._ground)
        strongest = next((f for f in framed if f[0] == self._glyphs["V"]), framed[0])
        return Segment(strongest[0], strongest[2])

    def _gap_line(self, marks: Marks, row: int) -> list[Segment]:
        """The line above a row (under the last one for `row` 4): corners and level lines of frames."""
        layout = self.layout
        places: dict[int, tuple[str, Style]] = {}
        around = {marks.picked, marks.cursor, *marks.recent} - {None}
        for cell in sorted(around, key=lambda near: (near == marks.cursor, near == marks.picked)):
            if cell is not None and cell // model.COLUMNS in (row - 1, row):
                self._level(places, marks, cell, above=cell // model.COLUMNS == row)
        line = [Segment(" " * layout.left, self._ground)]
        plain = 0
        for x in range(model.COLUMNS * layout.pitch_x + 1):
            if x not in places:
                plain += 1
                continue
            line += [Segment(" " * plain, self._ground)] if plain else []
            line.append(Segment(*places[x]))
            plain = 0
        return [*line, Segment(" " * plain, self._ground)]

    def _level(self, places: dict[int, tuple[str, Style]], marks: Marks, cell: int, *, above: bool) -> None:
        left = cell % model.COLUMNS * self.layout.pitch_x
        right = left + self.layout.pitch_x
        frame = self._frame(marks, cell)
        if frame is None:
            style = self._ink(f"seat-{marks.recent[cell]}", on="ground", bold=True)
            names = ("nw", "ne") if above else ("sw", "se")
        else:
            _, level, style = frame
            names = ("NW", "NE") if above else ("SW", "SE")
            for x in range(left + 1, right):
                places[x] = (level, style)
        places[left] = (self._glyphs[names[0]], style)
        places[right] = (self._glyphs[names[1]], style)

    # -- the cards

    def _card(self, view: Observation, marks: Marks, cell: int) -> list[list[Segment]]:
        lies = view.board[cell]
        if lies >= model.TAKEN:
            return self._taken(lies - model.TAKEN, just_now=cell in marks.recent)
        key = (view.faces[cell], lies, cell in view.law_cells, cell in marks.open)
        found = self._cards.get(key)
        if found is None:
            country = model.country_of(view.faces[cell])
            printed = sum(model.country_of(face) == country for face in view.faces)
            found = self._cards[key] = self._draw(*key, printed)
        return found

    def _taken(self, seat: int, *, just_now: bool) -> list[list[Segment]]:
        key = (-1, model.TAKEN + seat, False, just_now)
        found = self._cards.get(key)
        if found is None:
            wide, high = self.layout.card_width, self.layout.card_height
            sign = self._glyphs.owner(seat) if just_now else self._glyphs["land_cards-gone"]
            style = self._ink(f"seat-{seat}", on="ground") if just_now else self._ink("ink-line", on="ground")
            found = [[Segment(" " * wide, self._ground)] for _ in range(high)]
            found[high // 2] = [Segment(_centred(sign, wide), style)]
            self._cards[key] = found
        return found

    def _draw(self, face: int, lies: int, law: bool, is_open: bool, printed: int) -> list[list[Segment]]:
        wide, high = self.layout.card_width, self.layout.card_height
        country = country_variable(model.country_of(face))
        ground = country if is_open else f"{country}-rest"
        ink = "land_cards-open-ink" if is_open else f"{country}-ink"
        strong = self._ink(ink, on=ground, bold=True)
        label = render(COUNTRY_CODES[model.country_of(face)])
        if wide >= 5:
            label = f"{label} {printed}"
        head = [[Segment(text.ljust(wide)[:wide], strong)] for text in self._head(face)]
        head.append([Segment(_centred(label, wide), self._ink(ink, on=ground, bold=is_open))])
        body: list[list[Segment]] = []
        for _ in range(high - len(head)):
            body.append(self._back() if law else [Segment(" " * wide, strong)])
        middle = len(body) // 2
        if lies != model.FREE:
            body[middle] = self._stone(lies - model.STONE, body[middle], law=law)
        elif law:
            body[middle] = self._back(self._glyphs["land_cards-law"])
        return head + body

    def _head(self, face: int) -> list[str]:
        """The upper edge: letters of the symbols left, the route right; with signs where there is room."""
        wide = self.layout.card_width
        letters = [model.SYMBOLS[symbol] for symbol in model.symbols_of(face)]
        route = self._glyphs[f"land_cards-route-{model.ROUTES[model.route_of(face)]}"]
        if self.layout.card_height < TALL or wide < 5:
            return ["".join(letters).ljust(wide - 1) + route]
        signed = [f"{self._glyphs[f'land_cards-symbol-{letter}']}{letter}" for letter in letters]
        first, second = (*signed, "", "")[:2]
        return [first.ljust(wide - 1) + route, second]

    def _back(self, sign: str = "") -> list[Segment]:
        """One line of a law card that lies face down."""
        style = self._ink("land_cards-law-ink", on="land_cards-law-ground", bold=bool(sign))
        wide = self.layout.card_width
        return [Segment(sign.center(wide, self._glyphs["land_cards-back"]), style)]

    def _stone(self, seat: int, under: list[Segment], *, law: bool) -> list[Segment]:
        """A stone in the middle of a line, what it lies on left and right of it."""
        wide = self.layout.card_width
        stone = self._glyphs.owner(seat)
        style = self._ink("seat-ink", on=f"seat-{seat}", bold=True)
        beneath = under[0].style
        if wide < 5:
            end = self._glyphs["land_cards-law"] if law else " "
            return [Segment(stone, style), Segment(end * (wide - len(stone)), beneath)]
        spread = f" {stone[0]} {stone[1:]} "
        side = self._glyphs["land_cards-back"] if law else " "
        left = (wide - len(spread)) // 2
        right = wide - len(spread) - left
        return [Segment(side * left, beneath), Segment(spread, style), Segment(side * right, beneath)]


def _centred(text: str, wide: int) -> str:
    return text[:wide].center(wide)
