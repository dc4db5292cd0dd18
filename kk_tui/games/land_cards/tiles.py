"""One card at one size: its symbols, country and route, and what lies on it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from rich.style import Style

from kk_core.games.land_cards import model
from kk_core.types import Seat
from kk_tui.games.land_cards.laid import LAW, Area, lay_law, lay_stone, sign_taken
from kk_tui.games.land_cards.layout import Layout
from kk_tui.games.land_cards.pad import Line, Pad, inverse
from kk_tui.games.land_cards.theme import COUNTRY_CODES, FRIEZES, country_variable, drawn
from kk_tui.games.land_cards.woodcuts import woodcut
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink


@dataclass(frozen=True, slots=True)
class Look:
    """What a cell shows: a face, what lies on it (a byte of the board), and how it stands out.

    `printed` is how many cards its country has. `hollow` is whose stone has just gone from here, or would
    come with a click. A card that is taken is shown only as a ghost, with the sign of its taker.
    """

    face: int
    lies: int
    has_law: bool = False
    is_open: bool = False
    printed: int = 0
    is_ghost: bool = False
    hollow: Seat | None = None


GONE: Final = Look(0, model.TAKEN)
"""Where no card lies any more."""


class _Art(Enum):
    """How symbols are drawn: a sign each, sign and letter one under or beside the other, round fields."""

    SIGNS = 1
    LINES = 2
    PAIRS = 3
    DISCS = 4


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a card is shared out: symbols from the line `first` on, then field, route; the country below.

    A frame takes a column on each side, and the first and last line; symbols and country may lie on it.
    """

    is_framed: bool
    art: _Art
    first: int
    field: range
    route: int

    @property
    def edge(self) -> int:
        """Columns of the frame on each side."""
        return int(self.is_framed)


def _plan(width: int, height: int, *, has_route: bool) -> _Plan:
    if width < _FRAMED_WIDTH or height < _FRAMED_LINES:
        art = _Art.SIGNS if height < 4 else _Art.PAIRS if width >= 7 else _Art.LINES
        return _Plan(False, art, 0, range(2 if art is _Art.LINES else 1, height - 1), 0)
    if width < _ROOMY_WIDTH:
        return _Plan(True, _Art.LINES, 1, range(3, height - 1 - has_route), int(has_route))
    art = _Art.DISCS if width >= 9 and height >= 10 else _Art.PAIRS
    used = 2 if art is _Art.DISCS else 1
    left = height - used - 1
    route = 2 if left >= 6 else 1 if left >= 4 else 0
    gap = 1 if left - route >= 5 else 0
    below = 1 if left - route - gap >= 6 else 0
    return _Plan(True, art, 0, range(used + gap, height - 1 - route - below), route)


_FRAMED_WIDTH: Final = 5
_FRAMED_LINES: Final = 6
_ROOMY_WIDTH: Final = 7
"""Columns and lines from which on a card has a frame, and columns from which on it has friezes in it."""


@dataclass(frozen=True, slots=True)
class _Inks:
    """Styles on a card: writing, frame and picture, and what stands on a field of its own."""

    plain: Style
    picture: Style
    chip: Style


class Tiles:
    """Draws cards for one size, look and set of signs; each is drawn once and kept."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True) -> None:
        self._width, self._height = layout.card_width, layout.card_height
        self._plans = [_plan(self._width, self._height, has_route=has_route) for has_route in (False, True)]
        self._glyphs = glyphs
        self._ink = ink
        self._has_colours = has_colours
        self._kept: dict[Look, list[Line]] = {}

    def tile(self, look: Look) -> list[Line]:
        """The lines of a card."""
        found = self._kept.get(look)
        if found is None:
            pad = self._gone() if look == GONE else self._card(look)
            found = self._kept[look] = pad.lines()
        return found

    def _gone(self) -> Pad:
        """A calm ground; where cards have frames, the corners of the place stay."""
        pad = Pad(self._width, self._height, self._ink("ink-line", on="ground"))
        pad.centre(pad.height // 2, self._glyphs["land_cards-gone"])
        if self._plans[False].is_framed:
            for y, corners in ((0, "╭╮"), (self._height - 1, "╰╯")):
                for x, corner in zip((0, self._width - 1), corners, strict=True):
                    pad.write(x, y, self._drawn(corner))
        return pad

    def _card(self, look: Look) -> Pad:
        inks, plan = self._inks(look), self._plans[model.route_of(look.face) > 0]
        pad = Pad(self._width, self._height, inks.plain)
        if plan.is_framed and not look.is_ghost:
            self._frame(pad, inks.picture)
        self._symbols(pad, plan, look, inks)
        self._route(pad, plan, look, inks)
        self._country(pad, plan, look, inks)
        self._field(pad, plan, look, inks)
        return pad

    def _inks(self, look: Look) -> _Inks:
        country, ground = country_variable(model.country_of(look.face)), self._ground(look)
        ink = "land_cards-open-ink" if look.is_open else f"{country}-ink"
        is_dark = self._has_colours and not (look.is_open or look.is_ghost)
        plain = self._ink(ink, on=ground, bold=look.is_open)
        return _Inks(
            plain=plain,
            picture=self._ink("land_cards-cut" if is_dark else ink, on=ground),
            chip=plain if look.is_ghost else inverse(plain),
        )

    @staticmethod
    def _ground(look: Look) -> str:
        country = country_variable(model.country_of(look.face))
        if look.is_ghost:
            return "ground"
        return country if look.is_open else f"{country}-rest"

    def _drawn(self, words: str) -> str:
        return drawn(words, ascii_only=self._glyphs.ascii_only)

    # -- the printed card

    def _frame(self, pad: Pad, style: Style) -> None:
        level, last = "─" * (self._width - 2), self._height - 1
        pad.write(0, 0, self._drawn(f"╭{level}╮"), style)
        for y in range(1, last):
            pad.write(0, y, self._drawn("│"), style)
            pad.write(self._width - 1, y, self._drawn("│"), style)
        pad.write(0, last, self._drawn(f"╰{level}╯"), style)

    def _symbols(self, pad: Pad, plan: _Plan, look: Look, inks: _Inks) -> None:
        letters = [model.SYMBOLS[symbol] for symbol in model.symbols_of(look.face)]
        pairs = [self._glyphs[f"land_cards-symbol-{one}"] + one for one in letters]
        edge, first = plan.edge, plan.first
        for number, pair in enumerate(pairs):
            match _Art.PAIRS if look.is_ghost and plan.art is _Art.DISCS else plan.art:
                case _Art.SIGNS:
                    pad.write(edge + number, first, pair[0], inks.chip)
                case _Art.LINES:
                    pad.write(edge, first + number, pair, inks.chip)
                case _Art.PAIRS:
                    pad.write((edge, self._width - edge - 2)[number], first, pair, inks.chip)
                case _Art.DISCS:
                    self._disc(pad, (edge, self._width - edge - 3)[number], first, pair, inks)

    def _disc(self, pad: Pad, x: int, first: int, pair: str, inks: _Inks) -> None:
        """A symbol in a round field, three columns wide and two lines high."""
        for y, (left, sign, right) in enumerate(zip("▟▜", pair, "▙▛", strict=True), first):
            pad.write(x, y, self._drawn(left), inks.plain)
            pad.write(x + 1, y, sign, inks.chip)
            pad.write(x + 2, y, self._drawn(right), inks.plain)

    def _route(self, pad: Pad, plan: _Plan, look: Look, inks: _Inks) -> None:
        """Ship or carriage as a frieze, or as a sign in the corner where there is no room for one."""
        route = model.route_of(look.face)
        if not plan.is_framed:
            pad.write(self._width - 1, 0, self._glyphs[f"land_cards-route-{model.ROUTES[route]}"])
        elif plan.route and route:
            for y, words in enumerate(FRIEZES[route][plan.route - 1], plan.field.stop):
                fits = len(words) <= self._width - 2 or plan.route == 1
                pad.centre(y, self._drawn(words if fits else words.strip("≈")), inks.plain)

    def _country(self, pad: Pad, plan: _Plan, look: Look, inks: _Inks) -> None:
        """Three letters, and how many cards there are of it as a medallion."""
        x, y = plan.edge if self._width >= _ROOMY_WIDTH else 0, self._height - 1
        code, number = render(COUNTRY_CODES[model.country_of(look.face)]), str(look.printed)
        pad.write(x, y, code if x else code.ljust(self._width), inks.plain)
        if self._width >= 9 and not look.is_ghost:
            pad.write(x + 4, y, self._drawn("▐"), inks.plain)
            pad.write(x + 6, y, self._drawn("▌"), inks.plain)
            pad.write(x + 5, y, number, inks.chip)
        elif self._width > len(code):
            pad.write(self._width - 1 - x, y, number, inks.chip)

    # -- what lies on it

    def _field(self, pad: Pad, plan: _Plan, look: Look, inks: _Inks) -> None:
        lines = plan.field
        x = plan.edge if self._width >= _ROOMY_WIDTH else 0
        area = x, lines.start, self._width - 2 * x, len(lines)
        on = self._ground(look) if self._has_colours else "ground"  # a stone is light, as each card may be
        if look.has_law:
            lay_law(pad, area, self._glyphs, self._ink)
            on = LAW
        if look.is_ghost:
            sign_taken(pad, area, look.lies - model.TAKEN, self._glyphs, self._ink)
        elif look.lies != model.FREE:
            lay_stone(pad, area, look.lies - model.STONE, self._glyphs, self._ink, on=on)
        elif look.hollow is not None:
            stone = letter(look.hollow) + self._glyphs["land_cards-laid"]
            pad.centre(lines.start + len(lines) // 2, stone, x=x, width=area[2])
        elif not look.has_law:
            self._free(pad, look, inks, area)

    def _free(self, pad: Pad, look: Look, inks: _Inks, area: Area) -> None:
        """The country's picture or, where there is not even room for the medallion elsewhere, that."""
        x, y, wide, high = area
        picture = woodcut(model.country_of(look.face), wide, high)
        if picture is not None:
            for line, words in enumerate(picture.lines, y + (high - picture.height + 1) // 2):
                pad.centre(line, self._drawn(words), inks.picture, x=x, width=wide)
        elif self._width == len(str(look.printed)) + 2:
            pad.centre(y, str(look.printed))
