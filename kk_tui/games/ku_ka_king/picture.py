"""The rows of cards as lines of styled text: every row's look, and a pure function that draws it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.ku_ka_king.model import ANIMALS, KING, MAX_ROWS, NO_CALL, ROW_CARDS, Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.panels import Words, brought, calls_line, scoring
from kk_tui.games.ku_ka_king.reveal import Reveal, takers
from kk_tui.games.ku_ka_king.theme import (
    FIGURE_SIZES,
    SHORT_NAMES,
    figure,
    group,
    group_variable,
    sign,
    signed_name,
)
from kk_tui.i18n import _, render
from kk_tui.pixels import digit, halves, has_letters, large, quadrants, scaled
from kk_tui.scene import Scene
from kk_tui.terminal.sgr import BLOCK
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink
from kk_tui.widgets.board import BETTER, mark_ground

CLASH: Final = text("CLASH")
"""The word for a clash, in letters that can be drawn large."""


class Crack(IntEnum):
    """The state of the outermost card of a row."""

    WHOLE, CRACKED, FALLING, IN_PIECES = range(4)


@dataclass(frozen=True, slots=True)
class Taker:
    """The taker of a row: seat, name, cards, and the points that they brought, if those are shown."""

    seat: Seat
    name: str
    cards: bytes
    points: int | None = None


@dataclass(frozen=True, slots=True)
class RowLook:
    """Everything that decides how a row is drawn.

    `bright` rows can be called by whoever has still to call, so that a call changes only signs. `own` is the
    viewer's seat on the row that they have called. A click calls the row that is `hovered`. `callers` have
    called it in a reveal that is being shown, by seat and name, `clashed` if in vain; `lost` is the card that
    this cost. If `loud`, the callers are shown large. `taker` has taken the row in this round. `hint` is the
    mark of the row in a hint that is being shown.
    """

    row: Move
    cards: bytes
    bright: bool
    cursor: bool = False
    hovered: bool = False
    own: Seat | None = None
    callers: tuple[tuple[Seat, str], ...] = ()
    clashed: bool = False
    loud: bool = False
    crack: Crack = Crack.WHOLE
    lost: int | None = None
    taker: Taker | None = None
    hint: str = ""


@dataclass(frozen=True)
class Moment:
    """A moment of an animation: the rows, and the reveal that the head describes, once it is over.

    `collections` are those below the rows, if they are not the scene's.
    """

    rows: tuple[RowLook, ...]
    reveal: Reveal | None = None
    collections: tuple[bytes, ...] | None = None

    def head(self, glyphs: Glyphs, width: int) -> list[Words]:
        """Return the lines above the rows."""
        return (
            []
            if self.reveal is None
            else [calls_line(self.reveal, glyphs), brought(self.reveal, glyphs, width)]
        )


def looks(
    scene: Scene[Observation], reveal: Reveal | None, cursor: Move | None, hovered: Move | None = None
) -> tuple[RowLook, ...]:
    """Return the looks of all rows: who has taken them, which can be called, which one is under the mouse.

    Only players who may call see the cursor: to others, in the past or in a replay, it would look like a
    call. The calls of the last reveal are only shown above the rows: on them they would look like new ones.
    """
    view = scene.observation
    taken = takers(scene)
    own = scene.viewer if view.own_call != NO_CALL else None
    ended = reveal is not None and reveal.ended_round
    found = []
    for row, cards in enumerate(view.rows, start=1):
        clash = reveal.clashed.get(row) if reveal else None
        took = taken.get(row) if row in view.taken else None
        found.append(
            RowLook(
                row=row,
                cards=cards,
                bright=bool(cards) and row not in view.taken and not scene.is_over,
                cursor=row == cursor and scene.may_act,
                hovered=row == hovered and row in scene.legal,
                own=own if row == view.own_call else None,
                clashed=clash is not None and not ended,
                lost=clash[1] if clash and not ended else None,
                taker=Taker(took.seat, scene.name(took.seat), took.cards) if took else None,
            )
        )
    return tuple(found)


_TWO_HEADS: Final = 30
"""Lines from which there may be two above the rows: the calls, and their outcome; else only the first."""

GAPPED: Final = 3
"""Lines of a row from which its last one is the gap to the next, into which the outermost card hangs."""

_MARGIN: Final = 1
_NAME: Final = 9
"""Columns of a card that its figure leaves free."""

_SHORT_NAME: Final = 8
"""Columns of a card for its edge and any short name."""

_TALLEST: Final = 8
_HIGH_TILE: Final = 7
_LOWEST: Final = 2

_UNDER: Final = ((40, 5), (30, 3), (0, 1))
"""The height from which each number of lines below the rows is kept free for the collections."""

_ROOMY: Final = 52
_OF_SEAT: Final = 3
_MORE_ROWS: Final = 4
"""From a height on, every seat has its own lines; this is how many more rows there are than seats."""

_NAMED: Final = 2
"""Lines in which a collection has room for names."""

_LOW_TILE: Final = 4
_BROAD_ROW: Final = 50
"""Columns of a row from which its number card may be broad."""

_TILES: Final = ((_HIGH_TILE, 9), (_LOW_TILE, 7), (0, 4))
"""From each number of lines on, a number card has this many columns."""

_ABREAST: Final = (84, 37)
"""Columns and lines from which rows are in two columns, where cards have room to stand upright."""

_UPRIGHT: Final = 12
_FEWEST: Final = 8
"""Lines of a row of upright cards, at most and at least."""


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """A layout of `rows` rows of cards in one or two `columns`, `pitch` lines from one to the next."""

    width: int
    height: int
    rows: int
    pitch: int
    columns: int = 1

    @property
    def top(self) -> int:
        """Lines above the rows: two unless the second would take the line of a seat below them."""
        below = self.height - 2 - self.deep * self.pitch
        has_room = self.rows % self.columns or below >= self.rows - _MORE_ROWS
        return 2 if self.height >= _TWO_HEADS and has_room else 1

    @property
    def is_upright(self) -> bool:
        """True if cards are higher than their picture, with words above and below it."""
        return self.columns > 1

    @property
    def row_width(self) -> int:
        """Columns of the screen for a row."""
        return self.width // self.columns

    @property
    def deep(self) -> int:
        """Rows below each other."""
        return -(-self.rows // self.columns)

    @property
    def full(self) -> int:
        """Lines that a card fills from edge to edge."""
        return self.pitch - (self.pitch >= GAPPED)

    @property
    def has_figures(self) -> bool:
        """True if cards are high enough for pictures that can be told from each other."""
        return self.full >= _WORDY

    @property
    def number(self) -> int:
        """Columns of a number card."""
        lines = min(self.pitch, _LOW_TILE) if self.row_width < _BROAD_ROW else self.pitch
        return next(columns for least, columns in _TILES if lines >= least)

    @property
    def left(self) -> int:
        """The column of the innermost card, counted from the left end of its row."""
        return _MARGIN + self.number

    @property
    def inner(self) -> int:
        """Visible columns of a card under another one."""
        # two of three cards show this much each, and the outermost the rest
        return round(self.fan * 0.315)

    @property
    def outer(self) -> int:
        """Columns of the outermost card of a full row."""
        return self.fan - (ROW_CARDS - 1) * self.inner

    @property
    def fan(self) -> int:
        """Columns of all cards of a row."""
        return self.row_width - self.left - _MARGIN

    @property
    def figure(self) -> int:
        """The index of the largest figures that fit on a card beside its name, or above it."""
        wide, high = (
            (self.inner - 1, self.full - _AROUND) if self.is_upright else (self.inner - _NAME, self.full)
        )
        fitting = (i for i, (columns, lines) in enumerate(FIGURE_SIZES) if lines <= high and columns <= wide)
        return next(fitting, len(FIGURE_SIZES) - 1)

    @property
    def bottom(self) -> int:
        """The first line below the rows."""
        return self.top + self.deep * self.pitch

    @property
    def notes(self) -> int:
        """Lines below the rows."""
        return max(0, self.height - self.bottom)

    @property
    def beside_rows(self) -> Region:
        """The place of a row that is missing in the second column, and all below it; empty without one."""
        if self.rows % self.columns == 0:
            return Region()
        top = self.bottom - self.pitch
        return Region(self.row_width, top, self.width - self.row_width, self.height - top)

    def row_at(self, x: int, y: int) -> Move | None:
        """Return the row at a place of the widget."""
        line, column = (y - self.top) // self.pitch, x // self.row_width
        if y < self.top or line >= self.deep or not 0 <= column < self.columns:
            return None
        row = column * self.deep + line
        return row + 1 if row < self.rows else None

    def region(self, row: Move) -> Region:
        """Return all cells of a row."""
        column, line = divmod(row - 1, self.deep)
        return Region(column * self.row_width, self.top + line * self.pitch, self.row_width, self.pitch)

    def place(self, y: int) -> tuple[list[Move], int]:
        """Return the rows on a line between `top` and `bottom`, and the number of the line within them."""
        line, inside = divmod(y - self.top, self.pitch)
        return [row + 1 for row in range(line, self.rows, self.deep)], inside


def layout_for(width: int, height: int, rows: int) -> BoardLayout:
    """Return the layout for a size: rows as high as there is room for, with the collections below."""
    under = next(lines for least, lines in _UNDER if height >= least)
    if height >= _ROOMY:
        under = _OF_SEAT * max(1, rows - _MORE_ROWS)
    room = height - BoardLayout(width, height, rows, _LOWEST).top - under
    upright = room // -(-rows // 2)
    if (width, height) >= _ABREAST and height >= _ABREAST[1] and upright >= _FEWEST:
        return BoardLayout(width, height, rows, min(_UPRIGHT, upright), 2)
    layout = BoardLayout(width, height, rows, max(_LOWEST, min(_TALLEST, room // rows)))
    # a free line between rows without pictures is worth less than the names of all cards collected
    if layout.pitch == GAPPED and layout.notes < _NAMED * (rows - _MORE_ROWS):
        return BoardLayout(width, height, rows, _LOWEST)
    return layout


Line = list[Segment]

_AROUND: Final = 3
"""Lines of an upright card above and below its picture."""

_UNDER_PICTURE: Final = 2
"""Those below it: name and points."""

_BLOCK: Final = Style(meta={BLOCK: True})
_WORDY: Final = 3
"""Lines from which a card explains its mark in words."""


@dataclass(frozen=True, slots=True)
class CardLook:
    """A card with this many columns; the outermost one hangs into the gap below the row."""

    card: int
    columns: int
    is_outer: bool
    bright: bool
    crack: Crack = Crack.WHOLE


class CardPainter:
    """Draws cards for one size, look and set of signs; caches what it has drawn."""

    def __init__(self, layout: BoardLayout, glyphs: Glyphs, ink: Ink, view: Observation) -> None:
        self._layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._printed = view.printed
        # after the first scoring no card leaves any more
        self._tells_fate = not view.second_pass
        self._kept: dict[CardLook, list[Line]] = {}

    def lines(self, look: CardLook) -> list[Line]:
        """Return as many lines as a row has."""
        found = self._kept.get(look)
        if found is None:
            found = self._kept[look] = self._draw(look)
        return found

    def ground(self, look: CardLook) -> str:
        """Return the theme variable of a card's ground."""
        variable = group_variable(group(look.card))
        return f"{variable}{'' if look.is_outer else '-under'}" if look.bright else f"{variable}-rest"

    def _draw(self, look: CardLook) -> list[Line]:
        full = self._layout.full
        if look.crack is Crack.IN_PIECES:
            lines = [self._pieces(look, y) for y in range(full)]
        else:
            lines = self._whole(look)
        if look.crack in (Crack.CRACKED, Crack.FALLING):
            lines = [self._crack(look, line, y) for y, line in enumerate(lines)]
        lines = [*lines, self._edge(look)] if self._layout.pitch >= GAPPED else lines
        if look.crack is Crack.FALLING:
            void: Line = [Segment(" " * look.columns, self._ink("ink", on="ground"))]
            lines = [*[void] * (full // 2), *lines][: len(lines)]
        return lines

    def _upright(self, look: CardLook) -> list[Line]:
        """Return a card as it is printed: number and mark at the top, name and points at the bottom, the
        picture between them.
        """
        full, on = self._layout.full, self.ground(look)
        ink = "ku_ka_king-card-ink" if look.bright else f"{group_variable(group(look.card))}-rest-ink"
        plain, strong = self._ink(ink, on=on), self._ink(ink, on=on, bold=True)
        room = look.columns - 1
        name, *_fate, points = self._words(look.card, room, is_outer=look.is_outer)
        stays, counts = bool(self._printed.kept[look.card]), self._printed.counts
        mark, fates = self._mark(look.card), (_("goes"), _("stays"))
        count, most = (f"{n}{self._glyphs['times']}" for n in (counts[look.card], max(counts)))
        # on all cards of a width, or on none
        if mark and len(f"{most} {mark}") + max(map(cell_len, fates)) < room:
            mark += f" {fates[stays]}"
        picture = [] if self._glyphs.ascii_only else figure(look.card, self._layout.figure)
        if self._glyphs.ascii_only:
            picture = [f"( {sign(look.card, self._glyphs)} )"]
        above = 1 + (full - _AROUND - len(picture) + 1) // 2
        edge = Segment(self._glyphs["ku_ka_king-edge"], self._ink("ground", on=on))
        lines = []
        for y in range(full):
            words, style = "", plain
            if y == 0:
                end = " " * (room - len(count) - len(mark) > 1)  # keeps it off the edge too
                words = f"{count}{mark:>{room - len(count + end)}}{end}"
            elif above <= y < above + len(picture):
                drawn = picture[y - above]
                words = f"{' ' * ((room - len(drawn)) // 2)}{drawn}"
            elif y == full - _UNDER_PICTURE:
                words, style = name, strong
            elif y == full - 1:
                words = points
            lines.append(_cut([edge, Segment(set_cell_size(words, room), style)], look.columns, plain))
        return lines

    def _whole(self, look: CardLook) -> list[Line]:
        if self._layout.is_upright:
            return self._upright(look)
        full, on = self._layout.full, self.ground(look)
        ink = "ku_ka_king-card-ink" if look.bright else f"{group_variable(group(look.card))}-rest-ink"
        plain, strong = self._ink(ink, on=on), self._ink(ink, on=on, bold=True)
        figure_lines = self._figure(look.card)
        room = look.columns - 1 - len(figure_lines[0])
        words = self._words(look.card, room, is_outer=look.is_outer)
        places = (0, full // 2, full - 1) if self._layout.has_figures else (0, full - 1)
        said = dict(zip(places, words, strict=False))
        edge = Segment(self._glyphs["ku_ka_king-edge"], self._ink("ground", on=on))
        lines = []
        for y in range(full):
            text = set_cell_size(said.get(y, ""), max(0, room))
            drawn = [Segment(figure_lines[y], plain), Segment(text, strong)]
            parts = [edge, *(drawn if y == 0 else [Segment(figure_lines[y] + text, plain)])]
            if y + 1 == self._layout.pitch:  # there is no blank line between this row and the next
                parts = [Segment(part.text, (part.style or plain) + Style(underline=True)) for part in parts]
            lines.append(_cut(parts, look.columns, plain))
        return lines

    def _figure(self, card: int) -> list[str]:
        """Return the figure, on the lower edge of the card, with a blank column beside it."""
        full = self._layout.full
        if not self._layout.has_figures or self._glyphs.ascii_only:
            return [""] * full
        size = self._layout.figure
        lines = [*[" " * FIGURE_SIZES[size][0]] * (full - FIGURE_SIZES[size][1]), *figure(card, size)]
        return [f"{line} " for line in lines]

    def _words(self, card: int, room: int, *, is_outer: bool = False) -> list[str]:
        """Return the words printed on a card, from the top down."""
        mark = self._mark(card)
        scale, ellipsis, count = self._printed.scale, self._glyphs["ellipsis"], self._printed.counts[card]
        names = (render(CARD_NAMES[card]), render(SHORT_NAMES[card]))
        # in figures as many as fit, but the same words on every card of a type
        is_counted = card < ANIMALS or card == KING
        covered = room - max(0, self._layout.outer - self._layout.inner) * is_outer
        points = scoring(card, scale, (room if is_counted else covered) - 1, ellipsis)
        if not self._layout.has_figures:
            fate = f" {mark}" if mark else ""
            ends = (f" {count}{self._glyphs['times']}{fate}", fate) if is_outer else (fate,)
            signed = [signed_name(card, self._glyphs, each) for each in (CARD_NAMES, SHORT_NAMES)]
            forms = [(name, end) for end in ends for name in (*signed, *names)]
            fitting = (form for form in forms if cell_len("".join(form)) <= room)
            name, end = next(fitting, (names[1], ""))
            return [f"{name}{end:>{max(0, room - cell_len(name))}}", points]
        name = next((name for name in names if cell_len(name) <= room), names[1])
        if not mark:
            return [name, f"{count}{self._glyphs['times']}", points]
        words = f"{mark} " + (_("stays") if self._printed.kept[card] else _("goes"))
        fates = (f"{count}{self._glyphs['times']} {words}", f"{count} {words}", f"{count} {mark}")
        fate = next((fate for fate in fates if cell_len(fate) <= room), fates[-1])
        return [name, fate, points]

    def _mark(self, card: int) -> str:
        """Return the sign of what becomes of a card at the first scoring; none once that is over."""
        sign = "ku_ka_king-stays" if self._printed.kept[card] else "ku_ka_king-goes"
        return self._glyphs[sign] if self._tells_fate else ""

    def _edge(self, look: CardLook) -> Line:
        """Return the half line that the outermost card hangs lower."""
        if not look.is_outer or look.crack is Crack.IN_PIECES or self._glyphs.ascii_only:
            return [Segment(" " * look.columns, self._ink("ink", on="ground"))]
        upper, corner = self._glyphs["ku_ka_king-upper"], self._glyphs["ku_ka_king-corner"]
        style = self._as_block(look)
        return [Segment(corner + upper * (look.columns - 1), style)]

    def _crack(self, look: CardLook, line: Line, y: int) -> Line:
        """Return a line with a piece of the crack in it."""
        middle = look.columns // 2 + (0, 1, 0, -1)[y % 4]
        sign = self._glyphs["ku_ka_king-crack-down" if y % 2 == 0 else "ku_ka_king-crack-up"]
        style = self._ink("ground", on="ku_ka_king-bad", bold=True)
        left = _cut(line, middle, Style())
        right = _cut(line, look.columns, Style(), start=middle + 2)
        return [*left, Segment(sign * 2, style), *right]

    def _pieces(self, look: CardLook, y: int) -> Line:
        """Return a line of the remains of a card."""
        shards = self._glyphs["ku_ka_king-shard"] + "  " + self._glyphs["ku_ka_king-shard-2"] + " "
        words = (shards * look.columns)[2 * y : 2 * y + look.columns]
        return [Segment(words, self._as_block(look))]

    def _as_block(self, look: CardLook) -> Style:
        """Return the card's ground as an ink."""
        # with 16 colours an ink would look different from the ground that it continues
        return self._ink(self.ground(look), on="ground") + _BLOCK


def _cut(line: Line, columns: int, style: Style, *, start: int = 0) -> Line:
    """Return the part of a line from one column to another, padded with blanks."""
    found, at = list[Segment](), 0
    for segment in line:
        width = cell_len(segment.text)
        first, last = max(start, at) - at, min(columns, at + width) - at
        if first < last:
            text = segment.text if (first, last) == (0, width) else segment.text[first:last]
            found.append(Segment(text, segment.style))
        at += width
    short = columns - max(at, start)
    return [*found, Segment(" " * short, style)] if short > 0 else found


_LOW: Final = 2
"""Lines of a number card too low for drawn digits; from `_HIGH` on it has digits of twice the size."""

_HIGH: Final = 6
_SEAL: Final = 2
"""Columns of an owner's sign."""

_KEPT: Final = 3 * MAX_ROWS
"""Looks in a cache: those of all rows as they are, under the cursor and under the mouse."""


class Painter:
    """Draws rows for one size, look and set of signs; caches what it has drawn."""

    def __init__(self, layout: BoardLayout, glyphs: Glyphs, ink: Ink, view: Observation) -> None:
        self.layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._ground = ink("ink-dim", on="ground")
        self._cursor = ink("cursor", on="ground", bold=True)
        self._hover = ink("possible", on="ground", bold=True)
        self._cards = CardPainter(layout, glyphs, ink, view)
        # bounded: a match has thousands of looks
        self._rows: LRUCache[RowLook, list[Line]] = LRUCache(_KEPT)
        self._strips: LRUCache[RowLook, list[Strip]] = LRUCache(_KEPT)
        self._changes: LRUCache[tuple[RowLook, RowLook], list[Region]] = LRUCache(_KEPT)

    def line(self, looks: Sequence[RowLook], y: int) -> Line:
        """Return a line from `layout.top` to `layout.bottom`."""
        rows, inside = self.layout.place(y)
        return [segment for row in rows for segment in self.row(looks[row - 1])[inside]]

    def row(self, look: RowLook) -> list[Line]:
        """Return all lines of a row."""
        found = self._rows.get(look)
        if found is None:
            found = self._rows[look] = self._draw(look)
        return found

    def strips(self, look: RowLook) -> list[Strip]:
        """Return all lines of a row as strips, which cache the parts that are cut from them."""
        found = self._strips.get(look)
        if found is None:
            found = self._strips[look] = [Strip(line) for line in self.row(look)]
        return found

    def changed(self, before: RowLook, now: RowLook) -> list[Region]:
        """Return the parts of the widget that differ if a row looks different from before."""
        # a cursor goes back and forth between the same looks
        found = self._changes.get((before, now))
        if found is None:
            found = self._changes[before, now] = self._compared(before, now)
        return found

    def _compared(self, before: RowLook, now: RowLook) -> list[Region]:
        place, parts = self.layout.region(now.row), dict[tuple[int, int], list[Region]]()
        for y, lines in enumerate(zip(self.row(before), self.row(now), strict=True), place.y):
            for start, end in _differing(*lines, place.width):
                below = parts.setdefault((start, end), [])
                part = Region(place.x + start, y, end - start, 1)
                # lines below one another are drawn at once
                below.append(below.pop().union(part) if below and below[-1].bottom == y else part)
        return [part for below in parts.values() for part in below]

    def _draw(self, look: RowLook) -> list[Line]:
        number, fan = self._number(look), self._fan(look)
        lines = []
        for y in range(self.layout.pitch):
            left, right = self._sides(look, y)
            lines.append([left, *number[y], *fan[y], right])
        return lines

    def _sides(self, look: RowLook, y: int) -> tuple[Segment, Segment]:
        """Return the ends of a line: a hint's mark, bars for the cursor, lines where a click would call.

        Beside upright cards a hint's mark has room on the number card.

        Beside upright cards the number is large, and lit by the cursor: bars would be a third of all bytes.
        """
        if look.hint and y == 0 and not self.layout.is_upright:
            mark = Segment(look.hint, self._ink("cursor-ink", on=mark_ground(look.hint), bold=True))
            return mark, Segment(" ", self._ground)  # only left: the next row begins on the right
        has_bars = look.cursor and not (look.hint == BETTER or self.layout.is_upright)
        if y >= self.layout.full or not (has_bars or (look.hovered and not look.cursor)):
            return Segment(" ", self._ground), Segment(" ", self._ground)
        if not look.cursor:
            line = self._glyphs["ku_ka_king-hover"]
            return Segment(line, self._hover), Segment(line, self._hover)
        left, right = self._glyphs["ku_ka_king-right-half"], self._glyphs["ku_ka_king-left-half"]
        return Segment(left, self._cursor), Segment(right, self._cursor)

    # -- number cards

    def _number(self, look: RowLook) -> list[Line]:
        """Return the number, large, with the signs of its callers, and the points that it has brought."""
        full, wide = self.layout.full, self.layout.number
        ground, ink = self._number_colours(look)
        style = self._ink(ink, on=ground, bold=True)
        seals, digit = self._seals(look, ground), self._digit(look.row)
        blank = next(y for y, drawn in enumerate(digit) if drawn.strip())
        if len(seals) > blank and len(digit[0]) + 1 >= wide - _SEAL:  # it would run into a seal
            digit = self._digit(look.row, is_small=True)
        first = (full - 1) // 2 if len(digit) == 1 else 0  # drawn digits have their margin above them
        gained = f"{look.taker.points:+}" if look.taker and look.taker.points else ""
        lines: list[Line] = []
        for y in range(full):
            drawn = f" {digit[y - first]}" if first <= y < first + len(digit) else ""
            if gained and y == full - 1:
                drawn += gained.rjust(wide - len(drawn)) if drawn.strip() else gained.center(wide)
            seal = seals[y] if y < len(seals) else []
            words = drawn.ljust(wide - _SEAL * bool(seal))
            # the digit of an upright card has its margin on the first line
            if look.hint and y == 0 and self.layout.is_upright:
                words = f" {look.hint}".ljust(len(words))
            lines.append([Segment(words, style), *seal])
        if self.layout.pitch >= GAPPED:
            lines.append([Segment(" " * wide, self._ground)])
        return lines

    def _digit(self, number: int, *, is_small: bool = False) -> list[str]:
        full = self.layout.full
        if self._glyphs.ascii_only or full <= _LOW:
            return [str(number).center(self.layout.number - _SEAL - 1)]
        drawn = digit(number)
        if not is_small and full >= _HIGH and self.layout.number - _SEAL > 2 * len(drawn[0]):
            drawn = scaled(drawn, 2)
        above = (2 * full - len(drawn)) // 2
        return halves(("." * len(drawn[0]),) * above + tuple(drawn))

    def _number_colours(self, look: RowLook) -> tuple[str, str]:
        seat = look.own if look.own is not None else look.taker.seat if look.taker else None
        if look.loud and len(look.callers) == 1:
            seat = look.callers[0][0]
        if seat is not None:
            return f"seat-{seat}", "seat-ink"
        if look.hint == BETTER:  # which the cursor is on, too
            return mark_ground(look.hint), "cursor-ink"
        if look.cursor or (look.clashed and look.loud):  # on red, a clash would look like the first seat's
            return "cursor", "cursor-ink"
        if look.hint:
            return mark_ground(look.hint), "cursor-ink"
        return ("ku_ka_king-number", "possible") if look.bright else ("ku_ka_king-number-rest", "ink-dim")

    def _seals(self, look: RowLook, ground: str) -> list[Line]:
        """Return the signs of the row's callers, one below the other; only letters if there are many."""
        seats = [seat for seat, _name in look.callers] or ([look.own] if look.own is not None else [])
        if look.taker is not None:
            seats = [look.taker.seat]
        own_colours = ground in ("ku_ka_king-number", "ku_ka_king-number-rest")
        ink = "cursor-ink" if ground in ("cursor", "happened") else "seat-ink"
        signs = [[(self._glyphs.owner(seat), seat)] for seat in seats]
        if len(signs) > self.layout.full:
            signs = [[(letter(seat), seat) for seat in seats[i : i + 2]] for i in range(0, len(seats), 2)]
        lines = []
        for parts in signs:
            style = [
                self._ink(f"seat-{seat}" if own_colours else ink, ground, bold=True) for _, seat in parts
            ]
            line = [Segment(words, look) for (words, _), look in zip(parts, style, strict=True)]
            short = _SEAL - sum(len(words) for words, _ in parts)
            lines.append([*line, *([Segment(" " * short, style[0])] if short else [])])
        return lines

    # -- cards

    def _fan(self, look: RowLook) -> list[Line]:
        """Return the cards, each covering the right part of the one before it, and what lies over them."""
        cards = look.cards or (look.taker.cards if look.taker else b"")
        told = look.taker is not None and look.taker.points is not None
        layout = self.layout
        lines: list[Line] = [[] for _ in range(layout.pitch)]
        for place, card in enumerate(cards):
            is_outer = place == len(cards) - 1
            drawn = CardLook(
                card, layout.outer if is_outer else layout.inner, is_outer, look.bright or told,
                look.crack if is_outer else Crack.WHOLE,
            )  # fmt: skip
            for y, part in enumerate(self._cards.lines(drawn)):
                lines[y] += part
        if len(cards) < ROW_CARDS:
            lines = [
                _fitted([*line, *self._void(look, y)], layout.fan, self._ground)
                for y, line in enumerate(lines)
            ]
        if look.crack is not Crack.WHOLE:
            return [self._clashing(look, line, y) for y, line in enumerate(lines)]
        over = self._over(look)
        return [
            _overlaid(line, over[y], layout.fan) if y < len(over) else line for y, line in enumerate(lines)
        ]

    def _clashing(self, look: RowLook, line: Line, y: int) -> Line:
        """Return a line with the word for a clash, and who clashed, beside the falling card."""
        layout, under = self.layout, len(look.cards) - 1
        # over the cards that stay, or beside the falling one if there are none
        start, wide = (0, under * layout.inner) if under else (layout.outer, layout.fan - layout.outer)
        words = self._clash_words(look, wide - 2)
        said = (
            words[y - above] if (above := (layout.full - len(words)) // 2) <= y < above + len(words) else ""
        )
        if y >= layout.full:
            return line
        box = Segment(set_cell_size(f" {said}", wide), self._ink("ground", on="ku_ka_king-bad", bold=True))
        plain = Style()
        return [*_cut(line, start, plain), box, *_cut(line, layout.fan, plain, start=start + wide)]

    def _clash_words(self, look: RowLook, room: int) -> list[str]:
        """Return the word, large if there is room, and below it those who clashed."""
        word, owners = render(CLASH), [self._glyphs.owner(seat) for seat, _name in look.callers]
        named = ", ".join(f"{sign} {name}" for sign, (_seat, name) in zip(owners, look.callers, strict=True))
        names = named if cell_len(named) <= room else " ".join(owners)
        drawn = [] if self._glyphs.ascii_only or not has_letters(word) else quadrants(large(word, 0))
        if not drawn or len(drawn[0]) > room or len(drawn) + 2 > self.layout.full:
            return [word, names]
        return [*drawn, "", names]

    def _void(self, look: RowLook, y: int) -> Line:
        """Return why there are no cards."""
        if y:
            return []
        words: Line = []
        if not look.cards and not look.taker:
            words = [Segment("  " + _("empty"), self._ground)]
        if look.lost is not None:
            layout, left = self.layout, len(look.cards)
            room = layout.fan - (layout.outer + (left - 1) * layout.inner if left else 0)
            names = (render(CARD_NAMES[look.lost]), render(SHORT_NAMES[look.lost]))
            forms = [f"  {self._glyphs['down']} {name}" for name in names]
            name = forms[0] if cell_len(forms[0]) <= room else forms[1]
            words.append(Segment(name, self._ink("ku_ka_king-bad", on="ground", bold=True)))
        return words

    def _over(self, look: RowLook) -> list[Line]:
        """Return seals over the right end of the row: of its taker, or of those who are calling it now."""
        if look.taker is not None:
            if look.taker.points is not None:  # the number card tells of it, and all cards stay in sight
                return []
            seat, name = look.taker.seat, look.taker.name
            return self._seal_box([(self._called(seat, name), seat)])[: self._taken_lines]
        if look.loud and look.callers:
            return self._seal_box([(self._called(seat, name), seat) for seat, name in look.callers])
        return []

    def _called(self, seat: Seat, name: str) -> str:
        """Return who calls a row or has taken it: by name if all of it fits."""
        owner = self._glyphs.owner(seat)
        words = f"{owner} {name}"
        return words if cell_len(words) + 2 <= self._widest_seal else owner

    @property
    def _widest_seal(self) -> int:
        """Columns that a seal may cover of the outermost card: all of its words if beside the picture."""
        if self.layout.is_upright:
            return max(8, self.layout.outer - 7)
        if not self.layout.has_figures:
            return max(8, self.layout.outer - _SHORT_NAME)
        picture = 0 if self._glyphs.ascii_only else FIGURE_SIZES[self.layout.figure][0]
        return max(8, self.layout.outer - 2 - picture)

    @property
    def _taken_lines(self) -> int:
        """Lines of the seal of who has taken a row: on a card without a picture its points stay in sight."""
        return self.layout.full if self.layout.has_figures else 1

    def _seal_box(self, said: Sequence[tuple[str, Seat]]) -> list[Line]:
        """Return a block in the colours of some seats, a line for each; side by side if there are many.

        It covers words of a card that are beside its picture, but not those below it.
        """
        full = self.layout.full - _UNDER_PICTURE * self.layout.is_upright
        if len(said) > full:
            signs = [Segment(f" {words[:_SEAL]} ", self._sealed(seat)) for words, seat in said]
            blanks = [Segment(" " * cell_len(sign.text), sign.style) for sign in signs]
            return [signs, *[blanks] * (full - 1)]
        wide = self._widest_seal
        if self.layout.is_upright:
            wide = min(max(cell_len(words) for words, _ in said) + 2, wide)
        lines: list[Line] = []
        for y in range(full):
            words, seat = said[y * len(said) // full]
            first = -(-(y * len(said) // full) * full // len(said))
            last = -(-(y * len(said) // full + 1) * full // len(said)) - 1
            text = f" {words}" if y == (first + last) // 2 else ""
            lines.append([Segment(set_cell_size(text, wide), self._sealed(seat))])
        return lines

    def _sealed(self, seat: Seat) -> Style:
        return self._ink("seat-ink", on=f"seat-{seat}", bold=True)


def _differing(before: Line, now: Line, wide: int) -> Iterator[tuple[int, int]]:
    """Yield the parts in which two lines of a width differ: the first column, and the one after the last."""
    start = end = 0  # of a part that has not ended yet
    for old, new in zip_longest(before, now):
        if old is None or new is None or cell_len(old.text) != cell_len(new.text):  # what follows has moved
            yield start, wide
            return
        at = end + cell_len(new.text)
        if old == new:
            if start < end:
                yield start, end
            start = at
        end = at
    if start < end:
        yield start, end


def _fitted(line: Line, wide: int, style: Style) -> Line:
    """Return a line cut or padded to a width."""
    room, fitted = wide, []
    for segment in line:
        if cell_len(segment.text) > room:
            segment = Segment(set_cell_size(segment.text, room), segment.style)
        fitted.append(segment)
        room -= cell_len(segment.text)
    return [*fitted, Segment(" " * room, style)] if room else fitted


def _overlaid(line: Line, over: Line, wide: int) -> Line:
    """Return a line with something over its right end."""
    room = wide - sum(cell_len(segment.text) for segment in over)
    kept, at = list[Segment](), 0
    for segment in line:
        width = min(cell_len(segment.text), room - at)
        if width > 0:
            kept.append(Segment(set_cell_size(_whole_words(segment.text, width), width), segment.style))
            at += width
    return [*kept, *over]


def _whole_words(words: str, wide: int) -> str:
    """Return as much as fits, without the beginning of a word that would be cut."""
    if words[wide - 1 : wide + 1].isalnum() and len(words) > wide:
        words = words[:wide].rpartition(" ")[0]
    return words[:wide].rstrip(" ,")
