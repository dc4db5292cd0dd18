"""The rows of cards as lines of styled text: a pure function that draws every cell's look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import (
    COLUMNS,
    FREE,
    ROWS,
    STONE,
    TAKEN,
    GiveUp,
    MoveStone,
    Observation,
    PlaceStone,
    Take,
    read,
)
from kk_core.types import Move, Seat
from kk_tui.games.land_cards.theme import (
    COUNTRY_CODES,
    FRIEZES,
    badge,
    country_variable,
    drawn,
    symbol_variable,
    woodcut,
)
from kk_tui.i18n import render
from kk_tui.pixels import digit, halves
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink

SMALLEST: Final = 4
"""Columns and lines from one card to the next, including the gap, on the smallest board."""

WIDEST: Final = 10
TALLEST: Final = 13
LEFT: Final = 4
"""Columns left of the cards that the numbers of the rows get first."""

DETAIL: Final = 2
"""Lines below the cards about the one under the cursor."""

LEGEND: Final = 2
"""Maximum number of lines that explain the signs."""


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """The layout of cards of `pitch_x` x `pitch_y` cells; the first column and line of each are the gap.

    `detail` is the first of the lines about the card under the cursor, `legend` are those that explain signs.
    """

    pitch_x: int
    pitch_y: int
    left: int
    detail: int
    legend: range

    @property
    def card_width(self) -> int:
        """Columns of a card."""
        return self.pitch_x - 1

    @property
    def card_height(self) -> int:
        """Lines of a card."""
        return self.pitch_y - 1

    @property
    def right(self) -> int:
        """The first column to the right of the cards and their frames."""
        return self.left + COLUMNS * self.pitch_x + 1

    @property
    def bottom(self) -> int:
        """The first line below the cards and their frames."""
        return ROWS * self.pitch_y + 1

    @property
    def middle(self) -> int:
        """The middle line of a row, counted from the gap above it."""
        return (self.pitch_y + 1) // 2

    @property
    def margin(self) -> int:
        """Columns before the words below the cards."""
        return max(1, self.left)

    def cell_at(self, x: int, y: int) -> int | None:
        """Return the cell at a place in the widget; the gap left of and above a card belongs to it."""
        column, row = (x - self.left) // self.pitch_x, y // self.pitch_y
        if x < self.left or not (0 <= column < COLUMNS and 0 <= row < ROWS):
            return None
        return row * COLUMNS + column

    def card(self, cell: int) -> Region:
        """Return the region of a cell's card."""
        row, column = divmod(cell, COLUMNS)
        x, y = self.left + column * self.pitch_x + 1, row * self.pitch_y + 1
        return Region(x, y, self.card_width, self.card_height)

    def framed(self, cell: int) -> Region:
        """Return the region of a cell's card and the frame around it."""
        return self.card(cell).grow((1, 1, 1, 1))


def layout_for(width: int, height: int) -> BoardLayout:
    """Return the largest layout for a widget of that size; never smaller than the smallest."""
    pitch_x = min(max((width - 1) // COLUMNS, SMALLEST), WIDEST)
    pitch_y = min(max((height - DETAIL - 1 - LEGEND) // ROWS, SMALLEST), TALLEST, pitch_x + 3)
    spare = max(0, width - COLUMNS * pitch_x - 1)
    left = spare if spare <= LEFT else (spare + LEFT) // 2
    bottom = ROWS * pitch_y + 1
    rest = height - bottom - DETAIL
    detail = bottom + (rest > LEGEND)
    return BoardLayout(pitch_x, pitch_y, left, detail, range(height - max(0, min(LEGEND, rest)), height))


Line: TypeAlias = list[Segment]


class Pad:
    """A block of `width` x `height` cells to write on, all blank in one style at first."""

    def __init__(self, width: int, height: int, style: Style) -> None:
        self.width, self.height = width, height
        self._cells = [[(" ", style)] * width for _ in range(height)]

    def write(self, x: int, y: int, words: str, style: Style | None = None) -> None:
        """Write from a place on; without a style, that of the place is kept.

        Cells outside are skipped. Every character of `words` is a column wide.
        """
        if not 0 <= y < self.height:
            return
        row = self._cells[y]
        for at, sign in enumerate(words, x):
            if 0 <= at < self.width:
                row[at] = sign, style or row[at][1]

    def centre(self, y: int, words: str, style: Style | None = None, *, x: int = 0, width: int = 0) -> None:
        """Write in the middle of a line, or of `width` columns of it from `x` on."""
        room = width or self.width - x
        kept = words if cell_len(words) <= room else words[:room]
        self.write(x + (room - len(kept)) // 2, y, kept, style)

    def fill(self, x: int, y: int, width: int, height: int, sign: str, style: Style) -> None:
        """Fill a part with a sign."""
        for line in range(y, y + height):
            self.write(x, line, sign * width, style)

    def lines(self) -> list[Line]:
        """Return all lines, in as few segments as possible."""
        return [
            [
                Segment("".join(sign for sign, _ in run), style)
                for style, run in ((style, list(run)) for style, run in groupby(row, key=lambda at: at[1]))
            ]
            for row in self._cells
        ]


@lru_cache(maxsize=256)
def inverse(style: Style) -> Style:
    """Return a style with ink and ground swapped."""
    # done by the terminal itself, which takes few bytes and works without colours
    return style + Style(reverse=True)


@dataclass(frozen=True, slots=True, order=True)
class Frame:
    """A frame around a card; where two meet, the stronger one is visible. `kind` names its signs.

    A `label` takes up the whole line above the card, in the frame's colour; on the sides of such a frame
    nothing of another one is seen.
    """

    strength: int
    kind: str
    colour: str
    label: str = ""


CURSOR = Frame(4, "cursor", "cursor")
HINTED = Frame(3, "hint", "cursor")
PICKED = Frame(3, "picked", "possible")
HOVER = Frame(2, "hover", "possible")
CLOSED = Frame(2, "hover", "ink-dim")
"""Frames under the mouse: around what a click would choose, and what it would not."""


def halo(seat: int) -> Frame:
    """Return the frame around what a seat has just placed."""
    return Frame(1, "new", f"seat-{seat}")


def impact(seat: int) -> Frame:
    """Return the frame around what a seat is placing, or has in hand."""
    return Frame(2, "cursor", f"seat-{seat}")


_LARGE: Final = 3
_TALL: Final = 9
"""Columns left of the rows, and lines of a row, from which numbers are large."""

Frames: TypeAlias = Mapping[int, Frame]
"""Frames by cell."""


class Gaps:
    """Draws the gaps between cards: a line above every row, a column left of every card."""

    def __init__(self, layout: BoardLayout, glyphs: Glyphs, ink: Ink) -> None:
        self._layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._blank = ink("ink-dim", on="ground")
        self._gap = Segment(" ", self._blank)
        self._number = ink("gold", on="ground", bold=True)
        self._digit = ink("ink-dim", on="ground")

    def level(self, frames: Frames, row: int, columns: range) -> Line:
        """Return the line above some cards of a row (below the last one for `row` 4)."""
        layout, places = self._layout, dict[int, list[tuple[Frame, str]]]()
        for cell, frame in frames.items():
            if cell // COLUMNS not in (row - 1, row):
                continue
            above = cell // COLUMNS == row
            left = cell % COLUMNS * layout.pitch_x
            for x in range(left, left + layout.pitch_x + 1):
                place = ("n" if above else "s") + {left: "w", left + layout.pitch_x: "e"}.get(x, "")
                places.setdefault(x, []).append((frame, place))
        line: Line = []
        at, end = columns.start * layout.pitch_x, columns.stop * layout.pitch_x + 1
        for x in sorted(x for x in places if at <= x < end):
            line += [Segment(" " * (x - at), self._blank), self._sign(places[x])]
            at = x + 1
        line.append(Segment(" " * (end - at), self._blank))
        for cell, frame in frames.items():
            if frame.label and cell // COLUMNS == row and cell % COLUMNS in columns:
                line = self._labelled(line, cell % COLUMNS - columns.start, frame)
        return line

    def _labelled(self, line: Line, card: int, frame: Frame) -> Line:
        """Return the line above some cards with the label of a frame over one of them."""
        start, wide = card * self._layout.pitch_x + 1, self._layout.card_width
        before, _card, after = Segment.divide(line, (start, start + wide, Segment.get_line_length(line)))
        style = self._ink("cursor-ink", on=frame.colour, bold=True)
        return [*before, Segment(frame.label.center(wide), style), *after]

    def upright(self, frames: Frames, row: int, column: int, inside: int) -> Segment:
        """Return the gap left of a column (right of the last for 14); the first may have the row's number."""
        found = []
        if column < COLUMNS and (own := frames.get(row * COLUMNS + column)):
            found.append((own, "w"))
        if column and (beside := frames.get(row * COLUMNS + column - 1)):
            found.append((beside, "e"))
        is_number = column == 0 and self._layout.left == 0 and inside == self._layout.middle
        if is_number and not found:
            return Segment(str(row + 1), self._number)
        if is_number:
            return Segment(str(row + 1), inverse(self._ink(found[0][0].colour, on="ground", bold=True)))
        return self._sign(found) if found else self._gap

    def margin(self, row: int, inside: int) -> Segment:
        """Return what is left of a row on one of its lines: its number, large if there is room."""
        left, middle = self._layout.left, self._layout.middle
        if inside == 0:
            return Segment(" " * left, self._blank)
        if left < _LARGE or self._layout.pitch_y < _TALL or self._glyphs.ascii_only:
            number = str(row + 1) if left and inside == middle else ""
            return Segment(number.rjust(left), self._number)
        drawn, line = halves(digit(row + 1)), inside - middle + 1
        return Segment((drawn[line] if 0 <= line < len(drawn) else "").rjust(left), self._digit)

    def _sign(self, found: list[tuple[Frame, str]]) -> Segment:
        """Return the sign of the stronger of two frames on a side; the other shows as the ground under it."""
        # a letter must not be taken for one of the seat whose frame is beside it
        (frame, place), *others = sorted(found, key=lambda each: (bool(each[0].label), each), reverse=True)
        # corners have no room for a second frame
        is_shared = len(place) == 1 and not frame.label
        sides = [other.colour for other, side in others if is_shared and len(side) == 1]
        sign = self._glyphs[f"land_cards-{frame.kind}-{place}"]
        return Segment(sign, self._ink(frame.colour, on=sides[0] if sides else "ground", bold=True))


Area: TypeAlias = tuple[int, int, int, int]
"""Column, line, columns and lines of the part of a card where things lie."""

LAW: Final = "land_cards-law-ground"
"""The colour of a law card."""

_ROLLED: Final = 3
"""Lines from which a parchment shows its rods."""

_ROUND: Final = 5
_ROUND_LINES: Final = 3
"""Columns and lines of a round stone."""


def lay_law(pad: Pad, area: Area, glyphs: Glyphs, ink: Ink) -> None:
    """Draw a face-down law card: a parchment with a seal, rolled around rods if there is room."""
    x, y, wide, high = area
    style = ink("land_cards-law-ink", on=LAW)
    seal = inverse(style)
    rolled = high >= _ROLLED
    pad.fill(x, y, wide, high, " " if rolled else glyphs["land_cards-back"], style)
    if rolled:
        for line in (y, y + high - 1):
            pad.fill(x, line, wide, 1, drawn("═", ascii_only=glyphs.ascii_only), style)
    middle = y + high // 2 if rolled else y + (high - 1) // 2
    pad.centre(middle, drawn("▐ ▌", ascii_only=glyphs.ascii_only), style, x=x, width=wide)
    pad.centre(middle, glyphs["land_cards-law"], seal, x=x, width=wide)


def lay_stone(pad: Pad, area: Area, seat: Seat, glyphs: Glyphs, ink: Ink, *, on: str) -> None:
    """Draw a stone with its owner's sign, round if there is room; `on` is the colour under it."""
    x, y, wide, high = area
    style = ink("seat-ink", on=f"seat-{seat}", bold=True)
    one, shape = letter(seat), glyphs[f"owner-{seat}"]
    middle = y + high // 2
    # the stone is beside the seal, which stays visible
    if wide < _ROUND and on == LAW:
        pad.write(x, middle, one + shape, style)
        rest = glyphs["land_cards-law"].ljust(wide - 2, glyphs["land_cards-back"])
        pad.write(x + 2, middle, rest, ink("land_cards-law-ink", on=LAW))
    elif wide < _ROUND:
        pad.write(x, middle, f"{one} {shape}" if wide == 3 else f"{one}{shape}".center(wide), style)
    elif high < _ROUND_LINES:
        words = f"{one} {shape}"
        pad.centre(y, words if on == LAW else f" {words} ", style, x=x, width=wide)
    else:
        edge, left = ink(f"seat-{seat}", on=on), x + (wide - _ROUND) // 2
        for line, words in enumerate(("▗▄▄▄▖", "▐   ▌", "▝▀▀▀▘"), middle - 1):
            pad.write(left, line, drawn(words, ascii_only=glyphs.ascii_only), edge)
        pad.write(left + 1, middle, f"{one} {shape}", style)


def sign_taken(pad: Pad, area: Area, seat: Seat, glyphs: Glyphs, ink: Ink) -> None:
    """Draw the sign of a card's taker."""
    x, y, wide, high = area
    # ink only, since there is no stone; in the narrowest card it does not touch the number of the row
    sign, style = glyphs.owner(seat), ink(f"seat-{seat}", on="ground", bold=True)
    pad.centre(y + high // 2, sign.rjust(wide) if wide == SMALLEST - 1 else sign, style, x=x, width=wide)


@dataclass(frozen=True, slots=True)
class CellLook:
    """The look of a cell: a face, what lies on it (a byte of the board), and how it stands out.

    `printed` is the number of cards of its country. `left` is the seat whose stone has just left, `offered`
    the one whose stone would come with a click. Of a taken card there is only a ghost with its taker's sign,
    if it has just been taken, and later who has taken which country.
    """

    face: int
    lies: int
    has_law: bool = False
    is_open: bool = False
    printed: int = 0
    is_ghost: bool = False
    left: Seat | None = None
    offered: Seat | None = None

    @property
    def is_bare(self) -> bool:
        """True if nothing is drawn where a stone or a law card may lie."""
        return self.lies == FREE and not self.has_law and self.left is None and self.offered is None

    @property
    def is_gone(self) -> bool:
        """True for the place of a card that was taken some time ago."""
        return self.lies >= TAKEN and not self.is_ghost


class _Art(Enum):
    """The ways to draw symbols: a sign each, badges below or beside each other."""

    SIGNS = 1
    STACKED = 2
    BESIDE = 3


@dataclass(frozen=True, slots=True)
class _Plan:
    """The parts of a card in lines: symbols at the top, then the field where things lie, route, and country.

    `badge` are columns and lines of a symbol, `pitch` the lines from one to the next below it. A route
    without lines is a sign in the corner.
    """

    art: _Art
    badge: tuple[int, int]
    pitch: int
    field: range
    route: range
    country: range


def _plan(width: int, height: int, things: int, *, has_route: bool) -> _Plan:
    """Return the plan of a card with `things` symbols; its route is the thing after them."""
    if width < _BADGED or height < _BADGED_LINES:
        last = height - 1
        return _Plan(_Art.SIGNS, (1, 1), 0, range(1, last), range(0), range(last, height))
    if width < _BESIDE:
        # two badges of two lines need a blank one between them
        high, pitch = (2, 3) if height > _BADGED_LINES else (1, 1)
        route = range(pitch, pitch + high) if has_route else range(0)
        used = max(route.stop, (things - 1) * pitch + high, high)
        return _Plan(
            _Art.STACKED, (3, high), pitch, range(used, height - 1), route, range(height - 1, height)
        )
    high = 1 if height == _BADGED_LINES else 2 if height < _LOFTY_LINES else 3
    end = height - (1 if height < _LARGE_LINES else 3)
    route = range(end - min(2, high), end) if has_route else range(0)
    wide = 3 if width < _LARGE_BADGED else 4
    field = range(high, route.start if has_route else end)
    return _Plan(_Art.BESIDE, (wide, high), 0, field, route, range(end, height))


class Part(Enum):
    """A part of a card."""

    SYMBOL = 1
    ROUTE = 2
    COUNTRY = 3
    NUMBER = 4
    FIELD = 5
    REST = 6


def part_at(look: CellLook, width: int, height: int, x: int, y: int) -> tuple[Part, int]:
    """Return the part of a card at a place in it, and for a circle symbol which one it is."""
    symbols, route = model.symbols_of(look.face), model.route_of(look.face)
    plan = _plan(width, height, len(symbols), has_route=route > 0)
    for number, symbol in enumerate(symbols):
        if x in _badge_columns(plan, width, number) and 0 <= y - number * plan.pitch < plan.badge[1]:
            return Part.SYMBOL, symbol
    digits = 4 if len(plan.country) > 1 else len(str(look.printed)) + (width >= _BESIDE)
    if y in plan.country:
        return (Part.NUMBER if width > _NARROW and x >= width - digits else Part.COUNTRY), 0
    if y in plan.route or (route and not plan.route and (x, y) == (width - 1, 0)):
        return Part.ROUTE, 0
    if y not in plan.field:
        return Part.REST, 0
    has_number = look.is_bare and width == len(str(look.printed)) + 2 and y == plan.field.start
    return (Part.NUMBER if has_number else Part.REST if look.is_bare else Part.FIELD), 0


def _badge_columns(plan: _Plan, width: int, number: int) -> range:
    """Return the columns of a symbol."""
    match plan.art:
        case _Art.SIGNS:
            return range(number, number + 1)
        case _Art.STACKED:
            start = (width - plan.badge[0]) // 2
        case _Art.BESIDE:
            start = (0, width - plan.badge[0])[number]
    return range(start, start + plan.badge[0])


_NARROW: Final = 3
"""Columns of a card whose country letters leave no room for the number."""

_BADGED: Final = 5
_BADGED_LINES: Final = 6
"""Columns and lines from which symbols are badges."""

_BESIDE: Final = 7
_LARGE_BADGED: Final = 9
"""Columns from which badges are side by side above the country's picture, and larger."""

_LOFTY_LINES: Final = 9
_LARGE_LINES: Final = 12
"""Lines from which a badge has three, and from which the country has three."""


@dataclass(frozen=True, slots=True)
class _Inks:
    """Styles on a card: of text, the picture, the country, and the number of its cards."""

    plain: Style
    picture: Style
    country: Style
    number: Style


class Tiles:
    """Draws cards for one size, look and set of signs; each is drawn once and cached."""

    def __init__(self, layout: BoardLayout, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True) -> None:
        self._width, self._height = layout.card_width, layout.card_height
        self._glyphs = glyphs
        self._ink = ink
        self._has_colours = has_colours
        # without colours a picture would look the same on its badge and beside it
        self._is_plain = glyphs.ascii_only or not has_colours
        self._kept: dict[CellLook, list[Line]] = {}

    @property
    def draws_symbols(self) -> bool:
        """True where circle symbols are pictures."""
        return not self._is_plain and _plan(self._width, self._height, 1, has_route=False).badge[1] > 1

    def tile(self, look: CellLook) -> list[Line]:
        """Return the lines of a card."""
        found = self._kept.get(look)
        if found is None:
            found = self._kept[look] = self._card(look).lines()
        return found

    def _card(self, look: CellLook) -> Pad:
        if look.is_gone:
            return self._place(look)
        inks, symbols, route = self._inks(look), model.symbols_of(look.face), model.route_of(look.face)
        plan = _plan(self._width, self._height, len(symbols), has_route=route > 0)
        pad = Pad(self._width, self._height, inks.plain)
        self._symbols(pad, plan, look, inks)
        self._route(pad, plan, route, inks)
        self._country(pad, plan, look, inks)
        self._field(pad, plan, look, inks)
        return pad

    def _place(self, look: CellLook) -> Pad:
        """Draw where a card has lain: quietly, who has it now and its country."""
        pad = Pad(self._width, self._height, self._ink("ink-dim", on="ground"))
        middle, seat, country = self._height // 2, look.lies - TAKEN, model.country_of(look.face)
        pad.centre(middle, self._glyphs[f"owner-{seat}"], self._ink(f"seat-{seat}", on="ground"))
        ink = self._ink(f"{country_variable(country)}-gone", on="ground")
        pad.centre(middle + 1, render(COUNTRY_CODES[country]), ink)
        return pad

    def _inks(self, look: CellLook) -> _Inks:
        country = country_variable(model.country_of(look.face))
        ground = self._ground(look)
        lit = self._ink("land_cards-open-ink", on=country, bold=True)
        if look.is_ghost:
            plain, taken = self._ink(f"{country}-ink", on=ground), self._taken(country)
            return _Inks(plain, plain, taken, taken)
        plain = lit if look.is_open else self._ink("land_cards-body-ink", on=ground)
        return _Inks(plain, self._ink(f"{country}-shade", on=ground), lit, inverse(lit))

    def _taken(self, country: str) -> Style:
        """Return the style of a country's code where one of its cards has lain."""
        return self._ink("land_cards-taken-ink", on=f"{country}-taken")

    @staticmethod
    def _ground(look: CellLook) -> str:
        if look.is_ghost:
            return "ground"
        return country_variable(model.country_of(look.face)) if look.is_open else "land_cards-body"

    def _drawn(self, words: str) -> str:
        return drawn(words, ascii_only=self._glyphs.ascii_only)

    # -- the printed card

    def _symbols(self, pad: Pad, plan: _Plan, look: CellLook, inks: _Inks) -> None:
        wide, high = plan.badge
        for number, symbol in enumerate(model.symbols_of(look.face)):
            one = model.SYMBOLS[symbol]
            style = inks.plain if look.is_ghost else self._badge_ink(one, inks)
            x, y = _badge_columns(plan, self._width, number).start, number * plan.pitch
            if look.is_ghost or plan.art is _Art.SIGNS:
                pad.centre(y, self._glyphs[f"land_cards-symbol-{one}"], style, x=x, width=wide)
            else:
                self._badge(pad, (x, y, wide, high), one, style)

    def _badge_ink(self, one: str, inks: _Inks) -> Style:
        if not self._has_colours:
            return inverse(inks.plain)
        return self._ink(f"{symbol_variable(one)}-ink", on=symbol_variable(one), bold=True)

    def _badge(self, pad: Pad, area: Area, one: str, style: Style) -> None:
        """Draw a symbol as a picture, or as its sign if there is no room for one."""
        x, y, wide, high = area
        pad.fill(x, y, wide, high, " ", style)
        if high == 1 or self._is_plain:
            pad.centre(y, self._glyphs[f"land_cards-symbol-{one}"], style, x=x, width=wide)
            return
        for line, words in enumerate(badge(one, wide, high), y):
            pad.write(x, line, words, style)

    def _route(self, pad: Pad, plan: _Plan, route: int, inks: _Inks) -> None:
        """Draw ship or carriage as a frieze, or as a sign in the corner if there is no room for one."""
        if route and not plan.route:
            pad.write(self._width - 1, 0, self._glyphs[f"land_cards-route-{model.ROUTES[route]}"])
        if not plan.route:
            return
        lines = FRIEZES[route][len(plan.route) - 1]
        for y, words in zip(plan.route, lines, strict=True):
            fits = len(words) <= self._width or len(plan.route) == 1
            pad.centre(y, self._drawn(words if fits else words.strip("≈")), inks.plain)

    def _country(self, pad: Pad, plan: _Plan, look: CellLook, inks: _Inks) -> None:
        """Draw the country's three letters on its colour, and the number of its cards."""
        first, last = plan.country[0], plan.country[-1]
        code, number = render(COUNTRY_CODES[model.country_of(look.face)]), str(look.printed)
        pad.fill(0, first, self._width, len(plan.country), " ", inks.country)
        x = int(self._width >= _BESIDE)
        pad.write(x, last, code if x else code.ljust(self._width), inks.country)
        if len(plan.country) > 1 and not self._is_plain and not look.is_ghost:
            below_edge = [" ", *digit(look.printed)]  # half a line
            for y, words in enumerate(halves(below_edge), first):
                pad.write(self._width - 4, y, words, inks.country)
        elif self._width > len(code):
            pad.write(self._width - 1 - x, last, number, inks.number)

    # -- what lies on it

    def _field(self, pad: Pad, plan: _Plan, look: CellLook, inks: _Inks) -> None:
        lines = plan.field
        x = int(self._width >= _BESIDE)
        area = x, lines.start, self._width - 2 * x, len(lines)
        on = self._ground(look) if self._has_colours else "ground"  # a stone is light, and so may the card be
        if look.has_law:
            lay_law(pad, area, self._glyphs, self._ink)
            on = LAW
        if look.is_ghost:
            sign_taken(pad, area, look.lies - model.TAKEN, self._glyphs, self._ink)
        elif look.lies != model.FREE:
            lay_stone(pad, area, look.lies - model.STONE, self._glyphs, self._ink, on=on)
        elif look.offered is not None:
            # in the sign of what the move under the cursor would change
            stone = self._glyphs["cursor"] + self._glyphs.owner(look.offered)
            style = self._ink("possible", on="ground", bold=True)
            pad.centre(lines.start + len(lines) // 2, stone, style, x=x, width=area[2])
        elif look.left is not None:
            style = self._ink("ink-dim", on="ground")
            pad.centre(lines.start + len(lines) // 2, f"({letter(look.left)})", style, x=x, width=area[2])
        elif not look.has_law:
            self._free(pad, look, inks, area)

    def _free(self, pad: Pad, look: CellLook, inks: _Inks, area: Area) -> None:
        """Draw the country's picture, or the medallion if that fits nowhere else."""
        x, y, wide, high = area
        has_picture = self._width >= _BESIDE and not self._is_plain
        picture = woodcut(model.country_of(look.face), wide, high) if has_picture else None
        if picture is not None:
            for line, words in enumerate(picture, y + (high - len(picture) + 1) // 2):
                pad.centre(line, self._drawn(words), inks.picture, x=x, width=wide)
        elif self._width == len(str(look.printed)) + 2:
            pad.centre(y, str(look.printed))


@dataclass(frozen=True, slots=True)
class Traces:
    """By cell, the seat that has just taken a card, put a stone on it, or whose stone has left it."""

    taken: Mapping[int, Seat] = field(default_factory=dict)
    laid: Mapping[int, Seat] = field(default_factory=dict)
    left: Mapping[int, Seat] = field(default_factory=dict)


def traces_of(scene: Scene[Observation]) -> Traces:
    """Return the traces of the plies since the viewer's own turn, as far as the rows still show them.

    After the end, return who has taken what in the whole match.
    """
    taken, laid, left = dict[int, Seat](), dict[int, Seat](), dict[int, Seat]()
    board = scene.observation.board
    if scene.is_over:
        return Traces({cell: lies - TAKEN for cell, lies in enumerate(board) if lies >= TAKEN})
    for entry in reversed(scene.just_happened()):
        for cell, lies in _came(entry.move, entry.seat):
            if board[cell] == lies:
                (taken if lies >= TAKEN else laid)[cell] = entry.seat
        gone = _went(entry.move)
        if gone is not None and board[gone] == FREE:
            left[gone] = entry.seat
    return Traces(taken, laid, left)


def _came(move: Move | None, seat: Seat) -> list[tuple[int, int]]:
    """Return the cell that a move concerns, and what lies there afterwards."""
    match None if move is None else read(move):
        case Take(cell):
            return [(cell, TAKEN + seat)]
        case PlaceStone(cell) | MoveStone(_, cell):
            return [(cell, STONE + seat)]
    return []


def _went(move: Move | None) -> int | None:
    match None if move is None else read(move):
        case MoveStone(cell, _) | GiveUp(int(cell)):
            return cell
    return None


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """The look of every cell, and the frames around some."""

    looks: tuple[CellLook, ...] = ()
    frames: Frames = field(default_factory=dict)

    def changed(self, before: BoardPicture) -> Iterator[int]:
        """Yield the cells that are drawn differently from before."""
        for cell, look in enumerate(self.looks):
            same = before.looks and before.looks[cell] == look
            if not same or before.frames.get(cell) != self.frames.get(cell):
                yield cell


def looks_of(
    view: Observation, opened: frozenset[int], traces: Traces, offered: int | None = None
) -> tuple[CellLook, ...]:
    """Return the looks of the cells if the `opened` ones may be chosen, with a stone on an `offered` one.

    When no card is left, they are all shown once more, with stones of their takers.
    """
    printed = _printed(view.faces)
    if len(traces.taken) == len(view.faces):
        return tuple(
            CellLook(face, model.STONE + traces.taken[cell], printed=printed[model.country_of(face)])
            for cell, face in enumerate(view.faces)
        )
    return tuple(
        CellLook(
            face, lies, has_law=cell in view.law_cells, is_open=cell in opened,
            printed=printed[model.country_of(face)], left=traces.left.get(cell),
            offered=view.viewer if cell == offered else None,
        )
        if lies < model.TAKEN
        else CellLook(face, lies, printed=printed[model.country_of(face)], is_ghost=cell in traces.taken)
        for cell, (face, lies) in enumerate(zip(view.faces, view.board, strict=True))
    )  # fmt: skip


@lru_cache(maxsize=16)
def _printed(faces: tuple[int, ...]) -> tuple[int, ...]:
    """Return the number of cards of every country."""
    countries = [model.country_of(face) for face in faces]
    return tuple(countries.count(country) for country in range(len(model.COUNTRIES)))


class Painter:
    """Draws the rows for one size, look and set of signs."""

    def __init__(self, layout: BoardLayout, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True) -> None:
        self.layout = layout
        self._tiles = Tiles(layout, glyphs, ink, has_colours=has_colours)
        self._gaps = Gaps(layout, glyphs, ink)

    @property
    def draws_symbols(self) -> bool:
        """True where circle symbols are pictures, which signs do not resemble."""
        return self._tiles.draws_symbols

    def line(self, picture: BoardPicture, y: int) -> list[Segment]:
        """Return a line of the rows, from 0; `layout.bottom` is the first that is not drawn here."""
        row, inside = divmod(y, self.layout.pitch_y)
        return [self._gaps.margin(row, inside), *self.cards(picture, y, range(COLUMNS))]

    def cards(self, picture: BoardPicture, y: int, columns: range) -> list[Segment]:
        """Return a line of some cards, and the gaps around them."""
        row, inside = divmod(y, self.layout.pitch_y)
        if inside == 0:
            return self._gaps.level(picture.frames, row, columns)
        line: list[Segment] = []
        for column in columns:
            line.append(self._gaps.upright(picture.frames, row, column, inside))
            line += self._tiles.tile(picture.looks[row * COLUMNS + column])[inside - 1]
        line.append(self._gaps.upright(picture.frames, row, columns.stop, inside))
        return line
