"""What stands around the cards: frames of cursor and mouse, halos of what is new, outlines of ghosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from rich.segment import Segment

from kk_core.games.land_cards.model import COLUMNS
from kk_tui.games.land_cards.layout import Layout
from kk_tui.games.land_cards.pad import Line, inverse
from kk_tui.pixels import DIGITS, quadrants
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Ink


@dataclass(frozen=True, slots=True, order=True)
class Frame:
    """A frame around a card: the stronger one is seen where two meet. `kind` names its signs."""

    strength: int
    kind: str
    colour: str


CURSOR = Frame(4, "cursor", "cursor")
PICKED = Frame(3, "picked", "possible")
HOVER = Frame(2, "hover", "possible")
CLOSED = Frame(2, "hover", "ink-dim")
"""Under the mouse: what a click would choose, and what it would not."""


def halo(seat: int) -> Frame:
    """Around what a seat has just placed."""
    return Frame(1, "new", f"seat-{seat}")


def outline(seat: int) -> Frame:
    """Around the ghost of a card that a seat has taken."""
    return Frame(0, "taken", f"seat-{seat}")


_LARGE: Final = 3
_TALL: Final = 9
"""Columns left of the rows and lines of a row from which on numbers are large."""

Frames: TypeAlias = Mapping[int, Frame]
"""By cell."""


class Gaps:
    """Draws the gaps between cards: a line above every row, a column left of every card."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink) -> None:
        self._layout = layout
        self._glyphs = glyphs
        self._ink = ink
        self._blank = ink("ink-dim", on="ground")
        self._gap = Segment(" ", self._blank)
        self._number = ink("gold", on="ground", bold=True)
        self._digit = ink("ink-dim", on="ground")

    def level(self, frames: Frames, row: int, columns: range) -> Line:
        """The line above some cards of a row (under the last one for `row` 4)."""
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
        return [*line, Segment(" " * (end - at), self._blank)]

    def upright(self, frames: Frames, row: int, column: int, inside: int) -> Segment:
        """The gap left of a column (right of the last for 14); the row's number may stand in the first."""
        found = []
        if column < COLUMNS and (own := frames.get(row * COLUMNS + column)):
            found.append((own, "w"))
        if column and (beside := frames.get(row * COLUMNS + column - 1)):
            found.append((beside, "e"))
        is_number = column == 0 and self._layout.left == 0 and inside == self._layout.middle
        if found and is_number:
            return Segment(str(row + 1), inverse(self._ink(found[0][0].colour, on="ground", bold=True)))
        if found:
            return self._sign(found)
        return Segment(str(row + 1), self._number) if is_number else self._gap

    def margin(self, row: int, inside: int) -> Segment:
        """What stands left of a row in one of its lines: its number, large where there is room."""
        left, middle = self._layout.left, self._layout.middle
        if inside == 0:
            return Segment(" " * left, self._blank)
        if left < _LARGE or self._layout.pitch_y < _TALL or self._glyphs.ascii_only:
            number = str(row + 1) if left and inside == middle else ""
            return Segment(number.rjust(left), self._number)
        digit, line = quadrants(DIGITS[row + 1]), inside - middle + 1
        return Segment((digit[line] if 0 <= line < len(digit) else "").rjust(left), self._digit)

    def _sign(self, found: list[tuple[Frame, str]]) -> Segment:
        """The stronger of two frames that share a side; the other one shows as the ground under it."""
        (frame, place), *others = sorted(found, reverse=True)
        sides = [other.colour for other, side in others if other.strength and len(side) == len(place) == 1]
        sign = self._glyphs[f"land_cards-{frame.kind}-{place}"]
        return Segment(sign, self._ink(frame.colour, on=sides[0] if sides else "ground", bold=True))
