"""The cards: figure, name, how many there are, what becomes of them, what they score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from kk_core.games.ku_ka_king.model import Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_tui.games.ku_ka_king.detail import scoring
from kk_tui.games.ku_ka_king.figures import SIZES, figure, low_figure
from kk_tui.games.ku_ka_king.layout import GAPPED, Layout
from kk_tui.games.ku_ka_king.look import Crack
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.terminal.codes import BLOCK
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Ink

Line = list[Segment]

_BLOCK: Final = Style(meta={BLOCK: True})
_WORDY: Final = 3
"""Lines from which on a card says in words what its mark means."""


@dataclass(frozen=True, slots=True)
class CardLook:
    """A card with so many columns; the outermost one hangs into the gap under the row."""

    card: int
    columns: int
    is_outer: bool
    bright: bool
    crack: Crack = Crack.WHOLE


class CardPainter:
    """Draws cards for one size, look and set of signs; what it has drawn it keeps."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink, view: Observation) -> None:
        self._layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._printed = view.printed
        self._kept: dict[CardLook, list[Line]] = {}

    def lines(self, look: CardLook) -> list[Line]:
        """As many lines as a row has."""
        found = self._kept.get(look)
        if found is None:
            found = self._kept[look] = self._draw(look)
        return found

    def ground(self, look: CardLook) -> str:
        """The theme variable of a card's ground."""
        variable = group_variable(group(look.card))
        return f"{variable}{'' if look.is_outer else '-under'}" if look.bright else f"{variable}-rest"

    def _draw(self, look: CardLook) -> list[Line]:
        full = self._layout.full
        if look.crack is Crack.IN_PIECES:
            lines = [self._pieces(look, y) for y in range(full)]
        else:
            lines = self._whole(look)
        if look.crack is Crack.CRACKED:
            lines = [self._crack(look, line, y) for y, line in enumerate(lines)]
        return [*lines, self._edge(look)] if self._layout.pitch >= GAPPED else lines

    def _whole(self, look: CardLook) -> list[Line]:
        full, on = self._layout.full, self.ground(look)
        ink = "ku_ka_king-card-ink" if look.bright else f"{group_variable(group(look.card))}-rest-ink"
        plain, strong = self._ink(ink, on=on), self._ink(ink, on=on, bold=True)
        figure_lines = self._figure(look.card)
        room = look.columns - 1 - len(figure_lines[0])
        words = self._words(look.card, room)
        places = (0, full - 1) if full < _WORDY else (0, full // 2, full - 1)
        said = dict(zip(places, words, strict=False))
        edge = Segment(self._glyphs["ku_ka_king-edge"], self._ink("ground", on=on))
        lines = []
        for y in range(full):
            text = set_cell_size(said.get(y, ""), max(0, room))
            drawn = [Segment(figure_lines[y], plain), Segment(text, strong)]
            parts = [edge, *(drawn if y == 0 else [Segment(figure_lines[y] + text, plain)])]
            if y + 1 == self._layout.pitch:  # no line is left free between this row and the next
                parts = [Segment(part.text, (part.style or plain) + Style(underline=True)) for part in parts]
            lines.append(_cut(parts, look.columns, plain))
        return lines

    def _figure(self, card: int) -> list[str]:
        """The figure, standing on the lower edge of the card, and a column free beside it."""
        full = self._layout.full
        if self._glyphs.ascii_only:
            return [f"{self._glyphs[sign(card)] if y == 0 else ' '} " for y in range(full)]
        if full == self._layout.pitch:
            return [f"{line} " for line in low_figure(card)]
        size = self._layout.figure
        lines = [*[" " * SIZES[size][0]] * (full - SIZES[size][1]), *figure(card, size)]
        return [f"{line} " for line in lines]

    def _words(self, card: int, room: int) -> list[str]:
        """What is printed on a card, from the top down."""
        names = (render(CARD_NAMES[card]), render(SHORT_NAMES[card]))
        name = next((name for name in names if cell_len(name) <= room), names[1])
        stays = bool(self._printed.kept[card])
        mark = self._glyphs["ku_ka_king-stays" if stays else "ku_ka_king-goes"]
        scale, ellipsis, count = self._printed.scale, self._glyphs["ellipsis"], self._printed.counts[card]
        if self._layout.full < _WORDY:
            before = f"{count}{mark} "
            return [name, f"{before}{scoring(card, scale, room - len(before), ellipsis)}"]
        words = f"{mark} {_('stays') if stays else _('goes back')}"
        fates = (f"{count}{self._glyphs['times']} {words}", f"{count} {words}", f"{count} {mark}")
        fate = next((fate for fate in fates if cell_len(fate) <= room), fates[-1])
        return [name, fate, scoring(card, scale, room, ellipsis)]

    def _edge(self, look: CardLook) -> Line:
        """The half line that the outermost card hangs lower."""
        if not look.is_outer or look.crack is Crack.IN_PIECES or self._glyphs.ascii_only:
            return [Segment(" " * look.columns, self._ink("ink", on="ground"))]
        upper, corner = self._glyphs["ku_ka_king-upper"], self._glyphs["ku_ka_king-corner"]
        style = self._as_block(look)
        return [Segment(corner + upper * (look.columns - 1), style)]

    def _crack(self, look: CardLook, line: Line, y: int) -> Line:
        """A line with a piece of the crack in it."""
        middle = look.columns // 2 + (0, 1, 0, -1)[y % 4]
        sign = self._glyphs["ku_ka_king-crack-down" if y % 2 == 0 else "ku_ka_king-crack-up"]
        style = self._ink("ground", on="ku_ka_king-bad", bold=True)
        left = _cut(line, middle, Style())
        right = _cut(line, look.columns, Style(), start=middle + 2)
        return [*left, Segment(sign * 2, style), *right]

    def _pieces(self, look: CardLook, y: int) -> Line:
        """A line of what is left of a card."""
        shards = self._glyphs["ku_ka_king-shard"] + "  " + self._glyphs["ku_ka_king-shard-2"] + " "
        words = (shards * look.columns)[2 * y : 2 * y + look.columns]
        return [Segment(words, self._as_block(look))]

    def _as_block(self, look: CardLook) -> Style:
        """The card's ground as an ink, the same of sixteen colours."""
        return self._ink(self.ground(look), on="ground") + _BLOCK


def _cut(line: Line, columns: int, style: Style, *, start: int = 0) -> Line:
    """The part of a line from a column on up to another one, filled up with blanks."""
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
