"""The rows of cards as lines of styled text: a pure drawing of what is known of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from kk_core.games.ku_ka_king.model import ROW_CARDS, Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.detail import scoring
from kk_tui.games.ku_ka_king.layout import NUMBER, Layout
from kk_tui.games.ku_ka_king.theme import group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink

Line = list[Segment]

_WORDY: Final = 3
"""Lines from which on a card says in words what its mark means."""


@dataclass(frozen=True, slots=True)
class RowLook:
    """All that decides how a row is drawn.

    `bright` rows can be called or were by the viewer, whose seat is then `own`. `callers` have called it in
    the reveal that stands, `clashed` when in vain; `lost` is the card that it cost. `taker` is who took the
    row in this round, by name and seat.
    """

    row: Move
    cards: bytes
    bright: bool
    cursor: bool
    own: Seat | None = None
    callers: tuple[Seat, ...] = ()
    clashed: bool = False
    lost: int | None = None
    taker: tuple[str, Seat] | None = None


class Painter:
    """Draws rows for one size, look and set of signs; what it has drawn it keeps."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink, view: Observation) -> None:
        self.layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._view = view
        self._ground = ink("ink-dim", on="ground")
        self._rows: dict[RowLook, list[Line]] = {}
        self._cards: dict[tuple[int, int, bool, bool], list[Line]] = {}

    def line(self, looks: Sequence[RowLook], y: int) -> Line:
        """A line from `TOP` to `layout.bottom`."""
        row, inside = self.layout.place(y)
        if inside < 0:
            return self._gap(looks, row)
        return self._row(looks[row - 1])[inside]

    def _gap(self, looks: Sequence[RowLook], row: Move) -> Line:
        """The line above a row: part of a frame, or nothing."""
        wide = self.layout.width
        framed = next((look for look in looks if look.cursor and look.row in (row - 1, row)), None)
        if framed is None:
            return [Segment(" " * wide, self._ground)]
        names = ("NW", "NE") if framed.row == row else ("SW", "SE")
        left, right = (self._glyphs[name] for name in names)
        return [Segment(f"{left}{self._glyphs['H'] * (wide - 2)}{right}", self._cursor)]

    @property
    def _cursor(self) -> Style:
        return self._ink("cursor", on="ground", bold=True)

    def _row(self, look: RowLook) -> list[Line]:
        found = self._rows.get(look)
        if found is None:
            found = self._rows[look] = self._draw(look)
        return found

    def _draw(self, look: RowLook) -> list[Line]:
        high = self.layout.card_height
        number = self._number(look)
        cards = self._fan(look) if look.cards else self._bare(look)
        lines = []
        for y in range(high):
            left, right = self._sides(look, y)
            lines.append([left, *number[y], *cards[y], right])
        return lines

    def _sides(self, look: RowLook, y: int) -> tuple[Segment, Segment]:
        if not look.cursor:
            return Segment(" ", self._ground), Segment(" ", self._ground)
        names = ("V", "V") if self.layout.gap or y else ("cursor", "cursor-right")
        return Segment(self._glyphs[names[0]], self._cursor), Segment(self._glyphs[names[1]], self._cursor)

    # -- number cards

    def _number(self, look: RowLook) -> list[Line]:
        """The number, under it who has called it."""
        ground, style = self._number_style(look)
        blank: Line = [Segment(" " * NUMBER, style)]
        lines = [blank for _ in range(self.layout.card_height)]
        lines[-1] = self._callers(look, ground, style)
        lines[(len(lines) - 1) // 2] = [Segment(str(look.row).center(NUMBER), style)]
        return lines

    def _number_style(self, look: RowLook) -> tuple[str, Style]:
        if look.own is not None:
            ground, ink = f"seat-{look.own}", "seat-ink"
        elif look.cursor:
            ground, ink = "cursor", "cursor-ink"
        elif look.bright:
            ground, ink = "ku_ka_king-number", "possible"
        else:
            ground, ink = "ku_ka_king-number-rest", "ink-dim"
        return ground, self._ink(ink, on=ground, bold=True)

    def _callers(self, look: RowLook, ground: str, style: Style) -> Line:
        if look.own is not None:
            return [Segment(self._glyphs.owner(look.own).center(NUMBER), style)]
        if not look.callers:
            return [Segment(" " * NUMBER, style)]
        if look.clashed:
            names = [(letter(seat), seat) for seat in look.callers]
        else:
            names = [(self._glyphs.owner(seat), seat) for seat in look.callers]
        mark = self._glyphs["ku_ka_king-goes" if look.clashed else "ku_ka_king-stays"]
        words = [*((name, f"seat-{seat}") for name, seat in names), (mark, "happened")]
        spare = NUMBER - sum(len(word) for word, _ in words)
        on = "ground-deep" if look.cursor else ground
        line = [Segment(word, self._ink(colour, on=on, bold=True)) for word, colour in words]
        return [Segment(" " * (spare // 2), style), *line, Segment(" " * (spare - spare // 2), style)]

    # -- rows without cards, and cards that are gone

    def _bare(self, look: RowLook) -> list[Line]:
        wide = self.layout.width - self.layout.left - 1
        lines: list[Line] = [[Segment(" " * wide, self._ground)] for _ in range(self.layout.card_height)]
        words: Line = [Segment("   ", self._ground)]
        if look.taker is not None:
            name, seat = look.taker
            words.append(Segment(f"{self._glyphs.owner(seat)} ", self._ink(f"seat-{seat}", on="ground")))
            words.append(Segment(_("taken by {name}", name=name), self._ground))
        else:
            words.append(Segment(_("empty"), self._ground))
        lines[0] = _fitted([*words, *self._loss(look)], wide, self._ground)
        return lines

    def _loss(self, look: RowLook) -> Line:
        """The card that a clash has cost, where it lay."""
        if look.lost is None:
            return []
        words = f"   {self._glyphs['ku_ka_king-goes']} {render(CARD_NAMES[look.lost])}"
        return [Segment(words, self._ink("ku_ka_king-bad", on="ground"))]

    def _fan(self, look: RowLook) -> list[Line]:
        """The cards, each covering the right part of the one before it."""
        layout = self.layout
        lines: list[Line] = [[] for _ in range(layout.card_height)]
        for place, card in enumerate(look.cards):
            is_outer = place == len(look.cards) - 1
            wide = layout.outer if is_outer else layout.inner
            for y, part in enumerate(self._card(card, wide, is_outer=is_outer, bright=look.bright)):
                lines[y] += part
        if len(look.cards) < ROW_CARDS:
            wide = layout.width - layout.left - 1
            loss = self._loss(look) if not look.clashed or look.lost is not None else []
            for y, line in enumerate(lines):
                lines[y] = _fitted([*line, *(loss if y == 0 else [])], wide, self._ground)
        return lines

    # -- cards

    def _card(self, card: int, wide: int, *, is_outer: bool, bright: bool) -> list[Line]:
        key = (card, wide, is_outer, bright)
        found = self._cards.get(key)
        if found is None:
            found = self._cards[key] = self._draw_card(card, wide, is_outer=is_outer, bright=bright)
        return found

    def _draw_card(self, card: int, wide: int, *, is_outer: bool, bright: bool) -> list[Line]:
        variable = group_variable(group(card))
        if bright:
            head = variable if is_outer else f"{variable}-under"
            body = f"{variable}-body" if is_outer else f"{variable}-under-body"
            head_ink, body_ink = "ku_ka_king-card-ink", "ku_ka_king-body-ink"
        else:
            head = body = f"{variable}-rest"
            head_ink = body_ink = f"{variable}-rest-ink"
        edge = self._glyphs["ku_ka_king-edge"]
        name = f"{self._glyphs[sign(card)]} {render(CARD_NAMES[card])}"
        top = [
            Segment(edge, self._ink("ground", on=head)),
            Segment(name, self._ink(head_ink, on=head, bold=True)),
        ]
        lines = [_fitted(top, wide, self._ink(head_ink, on=head))]
        plain = self._ink(body_ink, on=body)
        for words in self._body(card, wide - 1, self._mark(card, body, bright=bright), plain):
            lines.append(_fitted([Segment(edge, self._ink("ground", on=body)), *words], wide, plain))
        return lines

    def _mark(self, card: int, ground: str, *, bright: bool) -> Segment:
        """The green tick or the red cross."""
        stays = bool(self._view.printed.kept[card])
        colour = "ku_ka_king-good" if stays else "ku_ka_king-bad"
        shown = self._glyphs["ku_ka_king-stays" if stays else "ku_ka_king-goes"]
        if bright:
            return Segment(shown, self._ink(colour, on=ground, bold=True))
        return Segment(shown, self._ink("ink-dim", on=ground))

    def _body(self, card: int, wide: int, mark: Segment, plain: Style) -> list[Line]:
        """What is printed under the name: count, tick or cross, and what the card scores."""
        count, scale, ellipsis = (
            self._view.printed.counts[card],
            self._view.printed.scale,
            self._glyphs["ellipsis"],
        )
        high = self.layout.card_height
        if high < _WORDY:
            before = f"{count} "
            words = scoring(card, scale, wide - len(before) - 2, ellipsis)
            return [[Segment(before, plain), mark, Segment(f" {words}", plain)]]
        fate = _("stays") if self._view.printed.kept[card] else _("goes back")
        printed: Line = [
            Segment(f" {count}{self._glyphs['times']}  ", plain),
            mark,
            Segment(f" {fate}", plain),
        ]
        points: Line = [Segment(f" {scoring(card, scale, wide - 1, ellipsis)}", plain)]
        return [printed, *([[]] * (high - _WORDY)), points]


def _fitted(line: Line, wide: int, style: Style) -> Line:
    """A line cut or filled up to a width."""
    room, fitted = wide, []
    for segment in line:
        if cell_len(segment.text) > room:
            segment = Segment(set_cell_size(segment.text, room), segment.style)
        fitted.append(segment)
        room -= cell_len(segment.text)
    return [*fitted, Segment(" " * room, style)] if room else fitted
