"""What lies on a card: a law card as a sealed parchment, and a claiming stone."""

from __future__ import annotations

from typing import Final, TypeAlias

from kk_core.types import Seat
from kk_tui.games.land_cards.pad import Pad, inverse
from kk_tui.games.land_cards.theme import drawn
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink

Area: TypeAlias = tuple[int, int, int, int]
"""Column, line, columns and lines of the part of a card where things lie."""

LAW: Final = "land_cards-law-ground"
"""The colour of a law card."""

_ROLLED: Final = 3
"""Lines from which on a parchment shows its rods."""

_ROUND: Final = 5
_ROUND_LINES: Final = 3
"""Columns and lines that a round stone takes."""


def lay_law(pad: Pad, area: Area, glyphs: Glyphs, ink: Ink) -> None:
    """A law card face down: a parchment with a seal, rolled around rods where there is room."""
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
    """A stone with its owner's letter and shape, round where there is room; `on` is the colour under it."""
    x, y, wide, high = area
    style = ink("seat-ink", on=f"seat-{seat}", bold=True)
    one, shape = letter(seat), glyphs[f"owner-{seat}"]
    middle = y + high // 2
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
    """Who has taken a card: his sign in ink alone, since no stone lies there."""
    x, y, wide, high = area
    pad.centre(
        y + high // 2, glyphs.owner(seat), ink(f"seat-{seat}", on="ground", bold=True), x=x, width=wide
    )
