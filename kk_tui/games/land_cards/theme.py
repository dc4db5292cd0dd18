"""The card game's theme: names of its colours, signs with an ASCII twin, short names, woodcuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from kk_core.games.land_cards.model import COUNTRIES, ROUTES, SYMBOLS
from kk_core.text import Text, text
from kk_tui.pixels import Pixels, quadrants, read_pictures, scaled
from kk_tui.theme.palette import read_palettes

_SYMBOL_SIGNS: Final = (("†", "+"), ("▽", "v"), ("☼", "W"), ("Ψ", "Y"), ("⌂", "n"))
_ROUTE_SIGNS: Final = ((" ", " "), ("≈", "~"), ("⊕", "@"))

_PLACES: Final = ("n", "s", "w", "e", "nw", "ne", "sw", "se")
_HUGGING: Final = (
    ("▄", "="), ("▀", "="), ("▐", "#"), ("▌", "#"), ("▗", "#"), ("▖", "#"), ("▝", "#"), ("▘", "#")
)  # fmt: skip
_SEAMED: Final = (
    ("▀", "%"), ("▄", "%"), ("▌", "%"), ("▐", "%"), ("▛", "%"), ("▜", "%"), ("▙", "%"), ("▟", "%")
)  # fmt: skip
_DOUBLE: Final = (
    ("═", "="), ("═", "="), ("║", "|"), ("║", "|"), ("╔", "+"), ("╗", "+"), ("╚", "+"), ("╝", "+")
)  # fmt: skip
_HEAVY: Final = (
    ("━", "-"), ("━", "-"), ("┃", "!"), ("┃", "!"), ("┏", "+"), ("┓", "+"), ("┗", "+"), ("┛", "+")
)  # fmt: skip
_LIGHT: Final = (
    ("─", "-"), ("─", "-"), ("│", "|"), ("│", "|"), ("╭", "."), ("╮", "."), ("╰", "'"), ("╯", "'")
)  # fmt: skip
"""Frames by place, compass points of the card that they surround; each in Unicode and ASCII."""

COLOURS: Final = read_palettes(Path(__file__).with_name("palettes.toml"))

GLYPHS: Final[Mapping[str, tuple[str, str]]] = {
    **{f"land_cards-symbol-{letter}": pair for letter, pair in zip(SYMBOLS, _SYMBOL_SIGNS, strict=True)},
    **{f"land_cards-route-{name}": pair for name, pair in zip(ROUTES, _ROUTE_SIGNS, strict=True)},
    "land_cards-law": ("§", "&"),
    "land_cards-back": ("░", ":"),
    "land_cards-laid": ("○", "."),
    **{f"land_cards-cursor-{place}": pair for place, pair in zip(_PLACES, _HUGGING, strict=True)},
    **{f"land_cards-hint-{place}": pair for place, pair in zip(_PLACES, _SEAMED, strict=True)},
    **{f"land_cards-picked-{place}": pair for place, pair in zip(_PLACES, _DOUBLE, strict=True)},
    **{f"land_cards-new-{place}": pair for place, pair in zip(_PLACES, _HEAVY, strict=True)},
    **{f"land_cards-hover-{place}": pair for place, pair in zip(_PLACES, _LIGHT, strict=True)},
}
"""Circle symbols, routes, the back of a law card, the place of a taken card, a stone on a card, and frames
around cards: under the cursor, of a hint, of a chosen stone, of what is new, under the mouse.
"""


def country_variable(country: int) -> str:
    """Return the theme variable of a country's colour.

    `-shade` is its ornament's, `-ink` its ink's, `-taken` that of a card that has just been taken, and
    `-gone` the ink where one was taken earlier.
    """
    return f"land_cards-{country}"


def symbol_variable(letter: str) -> str:
    """Return the theme variable of a circle symbol's badge; `-ink` is the symbol on it."""
    return f"land_cards-symbol-{letter}"


_PLAIN: Final = str.maketrans("╭╮╰╯─│═≈⊕▘▝▀▖▌▞▛▗▚▐▜▄▙▟█", "..''-|=~@''\".|/#.\\|#_###")


def drawn(words: str, *, ascii_only: bool) -> str:
    """Return a piece of a drawing as this terminal can show it."""
    return words.translate(_PLAIN) if ascii_only else words


FRIEZES: Final = (
    ((), ()),
    (("≈≈≈≈≈",), ("  ▙▖ ", "≈▜▄▙▄▛≈")),
    (("─⊕─⊕─",), ("▗▄▄▄▖", "⊕▀▀▀⊕")),
)
"""No route, ship and carriage as friezes of one line and of two."""

SMALL_ROUTES: Final = (("   ", "   "), ("▗█ ", "▙▟▟"), ("▗▄▖", "⊕▀⊕"))
"""The same as large as a narrow badge."""

COUNTRY_CODES: Final[tuple[Text, ...]] = (
    text("FRA"),
    text("SAC"),
    text("UNG"),
    text("KAS"),
    text("FKN"),
    text("BAY"),
    text("ITA"),
    text("ENG"),
    text("DÄN"),
)
"""Three letters for every country, in the order of the scoring chart."""

CHAIN_NAMES: Final[tuple[Text, ...]] = (text("Ships"), text("Carriages"))

_NARROW_BADGE: Final = 3
_SYMBOLS: Final = Path(__file__).parent / "art" / "symbols.txt"


@cache
def badge(letter: str, width: int, height: int) -> Pixels:
    """Return a circle symbol in the middle of `width` columns and `height` lines."""
    points = read_pictures(_SYMBOLS, each=2)[letter][width > _NARROW_BADGE]
    beside, above = 2 * width - len(points[0]), 2 * height - len(points)
    blank = ["." * 2 * width]
    rows = ["." * (beside // 2) + row + "." * (beside - beside // 2) for row in points]
    return tuple(quadrants(blank * (above // 2) + rows + blank * (above - above // 2)))


def badges(letter: str) -> tuple[tuple[str, ...], ...]:
    """Return pictures of a circle symbol as on the cards, narrow and wide, and one twice as large."""
    narrow, wide = (badge(letter, columns, 2) for columns in (_NARROW_BADGE, _NARROW_BADGE + 1))
    points = read_pictures(_SYMBOLS, each=2)[letter][1]
    large = quadrants(scaled([f".{row}." for row in points], 2))
    return tuple(narrow), tuple(wide), tuple(large)


_WOODCUTS: Final = Path(__file__).parent / "art" / "woodcuts.txt"


def woodcut_points(country: int) -> Sequence[Pixels]:
    """Return the pictures of a country as points, the larger one first; a point is half as wide as high."""
    return read_pictures(_WOODCUTS, each=2)[COUNTRIES[country]]


@cache
def woodcut(country: int, width: int, height: int) -> Pixels | None:
    """Return the largest picture of a country that fits into `width` columns and `height` lines, or None."""
    drawn = (tuple(quadrants(points)) for points in woodcut_points(country))
    return next((lines for lines in drawn if len(lines[0]) <= width and len(lines) <= height), None)
