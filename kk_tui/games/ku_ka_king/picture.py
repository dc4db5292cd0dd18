"""The rows of cards as lines of styled text: a pure drawing of what is known of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from kk_core.games.ku_ka_king.model import ROW_CARDS, Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.types import Seat
from kk_tui.games.ku_ka_king.cards import CardLook, CardPainter, Line
from kk_tui.games.ku_ka_king.layout import GAPPED, Layout
from kk_tui.games.ku_ka_king.look import Crack, RowLook, Taker
from kk_tui.i18n import _, render
from kk_tui.pixels import DIGITS, LOW_DIGITS, halves, scaled
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink

_LOW: Final = 2
"""Lines of a number card that hold only low digits; from `_HIGH` on they hold those of twice the size."""

_HIGH: Final = 6
_SEAL: Final = 2
"""Columns of an owner's sign."""


class Painter:
    """Draws rows for one size, look and set of signs; what it has drawn it keeps."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink, view: Observation) -> None:
        self.layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._ground = ink("ink-dim", on="ground")
        self._cursor = ink("cursor", on="ground", bold=True)
        self._hover = ink("possible", on="ground", bold=True)
        self._cards = CardPainter(layout, glyphs, ink, view)
        self._rows: dict[RowLook, list[Line]] = {}

    def line(self, looks: Sequence[RowLook], y: int) -> Line:
        """A line from `TOP` to `layout.bottom`."""
        row, inside = self.layout.place(y)
        return self._row(looks[row - 1])[inside]

    def _row(self, look: RowLook) -> list[Line]:
        found = self._rows.get(look)
        if found is None:
            found = self._rows[look] = self._draw(look)
        return found

    def _draw(self, look: RowLook) -> list[Line]:
        number, fan = self._number(look), self._fan(look)
        lines = []
        for y in range(self.layout.pitch):
            left, right = self._sides(look, y)
            lines.append([left, *number[y], *fan[y], right])
        return lines

    def _sides(self, look: RowLook, y: int) -> tuple[Segment, Segment]:
        """The cursor: a bar at either end of the row, as high as its cards; a line where a click calls."""
        if y >= self.layout.full or not (look.cursor or look.hovered):
            return Segment(" ", self._ground), Segment(" ", self._ground)
        if not look.cursor:
            line = self._glyphs["ku_ka_king-hover"]
            return Segment(line, self._hover), Segment(line, self._hover)
        left, right = self._glyphs["ku_ka_king-right-half"], self._glyphs["ku_ka_king-left-half"]
        return Segment(left, self._cursor), Segment(right, self._cursor)

    # -- number cards

    def _number(self, look: RowLook) -> list[Line]:
        """The number, large, and beside it who has called it."""
        full, wide = self.layout.full, self.layout.number
        ground, ink = self._number_colours(look)
        style = self._ink(ink, on=ground, bold=True)
        seals = self._seals(look, ground)
        digit = self._digit(look.row)
        would_run_out = full <= _LOW and look.cursor  # into the page, which is as dark as it is itself
        if would_run_out or (seals and len(digit[0]) + 1 >= wide - _SEAL):  # into the seal
            digit = self._written(look.row)
        first = (full - len(digit)) // 2
        lines: list[Line] = []
        for y in range(full):
            drawn = digit[y - first] if first <= y < first + len(digit) else ""
            seal = seals[y] if y < len(seals) else [Segment(" " * _SEAL, style)]
            lines.append([Segment(f" {drawn}".ljust(wide - _SEAL), style), *seal])
        if self.layout.pitch >= GAPPED:
            lines.append([Segment(" " * wide, self._ground)])
        return lines

    def _digit(self, number: int) -> list[str]:
        full = self.layout.full
        if (
            self._glyphs.ascii_only or self.layout.pitch < GAPPED
        ):  # drawn ones would touch those of other rows
            return self._written(number)
        drawn = LOW_DIGITS[number] if full <= _LOW else DIGITS[number]
        if full >= _HIGH:
            drawn = scaled(drawn, 2)
        above = (2 * full - len(drawn)) // 2
        return halves(("." * len(drawn[0]),) * above + tuple(drawn))

    @staticmethod
    def _written(number: int) -> list[str]:
        return [str(number).center(3)]

    def _number_colours(self, look: RowLook) -> tuple[str, str]:
        seat = look.own if look.own is not None else look.taker.seat if look.taker else None
        if look.loud and len(look.callers) == 1:
            seat = look.callers[0][0]
        if seat is not None:
            return f"seat-{seat}", "seat-ink"
        if look.cursor or (look.clashed and look.loud):  # a clash on red would look like the first seat's
            return "cursor", "cursor-ink"
        return ("ku_ka_king-number", "possible") if look.bright else ("ku_ka_king-number-rest", "ink-dim")

    def _seals(self, look: RowLook, ground: str) -> list[Line]:
        """Signs of who has called the row, one under the other; only letters where they are too many."""
        seats = [seat for seat, _name in look.callers] or ([look.own] if look.own is not None else [])
        if look.taker is not None:
            seats = [look.taker.seat]
        own_colours = ground in ("ku_ka_king-number", "ku_ka_king-number-rest")
        ink = "cursor-ink" if ground == "cursor" else "seat-ink"
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
        """The cards, each covering the right part of the one before it, and what lies over them."""
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
        over = self._over(look)
        return [
            _overlaid(line, over[y], layout.fan) if y < len(over) else line for y, line in enumerate(lines)
        ]

    def _void(self, look: RowLook, y: int) -> Line:
        """Where no cards are: why."""
        if y:
            return []
        words: Line = []
        if not look.cards and not look.taker:
            words = [Segment(f"  {_('empty')}", self._ground)]
        if look.lost is not None:
            name = f"  {self._glyphs['ku_ka_king-goes']} {render(CARD_NAMES[look.lost])}"
            words.append(Segment(name, self._ink("ku_ka_king-bad", on="ground", bold=True)))
        return words

    def _over(self, look: RowLook) -> list[Line]:
        """Seals over the right end of the row: who has taken it, or who is calling it now."""
        if look.taker is not None:
            return self._seal_box([self._took(look.taker)])
        if look.loud and look.callers:
            return self._seal_box([(self._called(seat, name), seat) for seat, name in look.callers])
        return []

    def _called(self, seat: Seat, name: str) -> str:
        """Who calls a row: by name where there is room for all of it."""
        owner = self._glyphs.owner(seat)
        words = f"{owner} {name}"
        return words if cell_len(words) + 2 <= self._widest_seal else owner

    def _took(self, taker: Taker) -> tuple[str, Seat]:
        """Who has taken a row, and the points for it, which matter more than the name."""
        gained = f" {taker.points:+}" if taker.points else ""
        owner = self._glyphs.owner(taker.seat)
        words = f"{owner} {taker.name}{gained}"
        return words if cell_len(words) + 2 <= self._widest_seal or not gained else owner + gained, taker.seat

    @property
    def _widest_seal(self) -> int:
        """Columns that a seal may cover of the outermost card."""
        return max(8, self.layout.outer - 7)

    def _seal_box(self, said: Sequence[tuple[str, Seat]]) -> list[Line]:
        """A block in the colours of some seats, a line for each; side by side where they are many."""
        full = self.layout.full
        if len(said) > full:
            signs = [Segment(f" {words[:_SEAL]} ", self._sealed(seat)) for words, seat in said]
            blanks = [Segment(" " * cell_len(sign.text), sign.style) for sign in signs]
            return [signs, *[blanks] * (full - 1)]
        wide = min(max(cell_len(words) for words, _ in said) + 2, self._widest_seal)
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


def _fitted(line: Line, wide: int, style: Style) -> Line:
    """A line cut or filled up to a width."""
    room, fitted = wide, []
    for segment in line:
        if cell_len(segment.text) > room:
            segment = Segment(set_cell_size(segment.text, room), segment.style)
        fitted.append(segment)
        room -= cell_len(segment.text)
    return [*fitted, Segment(" " * room, style)] if room else fitted


def _overlaid(line: Line, over: Line, wide: int) -> Line:
    """A line with something over its right end."""
    room = wide - sum(cell_len(segment.text) for segment in over)
    kept, at = list[Segment](), 0
    for segment in line:
        width = min(cell_len(segment.text), room - at)
        if width > 0:
            kept.append(Segment(set_cell_size(_whole_words(segment.text, width), width), segment.style))
            at += width
    return [*kept, *over]


def _whole_words(words: str, wide: int) -> str:
    """As much as there is room for, without the beginning of a word of which the end is covered."""
    if words[wide - 1 : wide + 1].isalnum() and len(words) > wide:
        words = words[:wide].rpartition(" ")[0]
    return words[:wide].rstrip(" ,")
