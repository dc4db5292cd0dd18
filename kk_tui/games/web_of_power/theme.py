"""How the board game looks: colours by candle light and by day, signs with an ASCII twin, short names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kk_core.games.web_of_power.model import CARDS, KIND_OF_COUNTRY
from kk_core.text import Text, text
from kk_tui.theme.palette import GROUND, Shade, blend

GLYPHS: Final[Mapping[str, tuple[str, str]]] = {
    "web_of_power-free": ("⌂", "o"),
    "web_of_power-lit": ("+", "+"),
    "web_of_power-seat": ("·", "."),
    "web_of_power-wave": ("~", "~"),
    "web_of_power-falling": ("╲", "\\"),
    "web_of_power-rising": ("╱", "/"),
    "web_of_power-nw": ("╯", "'"),
    "web_of_power-ne": ("╰", "'"),
    "web_of_power-sw": ("╮", "."),
    "web_of_power-se": ("╭", "."),
    "web_of_power-tie": ("·", "."),
    "web_of_power-own-h": ("━", "="),
    "web_of_power-own-v": ("┃", "#"),
    "web_of_power-own-nw": ("┛", "'"),
    "web_of_power-own-ne": ("┗", "'"),
    "web_of_power-own-sw": ("┓", "."),
    "web_of_power-own-se": ("┏", "."),
    "web_of_power-own-falling": ("╲", "\\"),
    "web_of_power-own-rising": ("╱", "/"),
}
"""Free spaces and what is possible on them, crests with free places, sea, borders and roads."""

_INKS: Final = ("#f0e4c8", "#241d12")
_KINDS: Final = (
    ("#c9495a", "#d46a72"),
    ("#6fae5c", "#86b861"),
    ("#d2c244", "#dcc63f"),
    ("#e07a35", "#e58f4a"),
    ("#8f78cf", "#a08ad2"),
)
"""The colour of every kind of card, and of the countries that it names: by candle light, by day."""

_LANDS: Final = (
    ("#54282b", "#e3aea1"),
    ("#2c4a2e", "#bccf98"),
    ("#544e22", "#e7d787"),
    ("#76401c", "#ebbb8f"),
    ("#482e5c", "#c9c4d1"),
)
"""The ground of a country that rests; chosen so that 256 colours are enough to tell them apart."""

_LIT: Final = ((0.36, 0.1), (0.36, 0.1), (0.36, 0.1), (0.15, 0.1), (0.36, 0.1))
"""How much of the page shines through a country that is pointed at."""


def kind_variable(kind: int) -> str:
    """The theme variable with the colour of a kind of card."""
    return f"web_of_power-kind-{kind}"


def land_variable(country: int, *, lit: bool = False) -> str:
    """The theme variable with the ground of a country."""
    return f"web_of_power-land-{KIND_OF_COUNTRY[country]}{'-lit' if lit else ''}"


def label_variable(country: int) -> str:
    """The theme variable for a country's name and shield."""
    return f"web_of_power-label-{KIND_OF_COUNTRY[country]}"


def _shades(kind: int) -> Iterator[tuple[str, Shade]]:
    yield kind_variable(kind), _KINDS[kind]
    yield f"web_of_power-land-{kind}", _LANDS[kind]
    yield f"web_of_power-land-{kind}-lit", blend(_KINDS[kind], GROUND, _LIT[kind])
    yield f"web_of_power-label-{kind}", blend(_KINDS[kind], _INKS, (0.4, 0.62))


COLOURS: Final[Mapping[str, Shade]] = {
    "web_of_power-sea": ("#131d26", "#cfdcd8"),
    "web_of_power-wave": ("#2b4152", "#a3bab8"),
    "web_of_power-sea-road": ("#5d84a0", "#5b7f86"),
    "web_of_power-lit-ink": ("#fff8e6", "#120e08"),
    "web_of_power-road": ("#a8926a", "#6d5330"),
    "web_of_power-border": ("#120e0a", "#6d5330"),
    "web_of_power-number-ground": ("#0f0d0a", "#fbf5e4"),
    "web_of_power-tie": ("#7f6b3c", "#a58f5c"),
    "web_of_power-foreign": ("#3a352b", "#dcd2b6"),
    "web_of_power-or": ("#d9a93c", "#c8962a"),
    "web_of_power-argent": ("#e6e0d0", "#f4f0e4"),
    "web_of_power-gules": ("#b8232f", "#b3202c"),
    "web_of_power-azure": ("#2f56b0", "#2c52ac"),
    "web_of_power-sable": ("#17120d", "#17120d"),
    **{name: pair for kind in range(len(CARDS)) for name, pair in _shades(kind)},
}
"""Theme variables: name to (by candle light, by day)."""

COUNTRY_CODES: Final[tuple[Text, ...]] = (
    text("EN"),
    text("FK"),
    text("BA"),
    text("IT"),
    text("AR"),
    text("FR"),
    text("LO"),
    text("SW"),
    text("BU"),
)
"""Two letters for every country, as on its spaces, in the order of COUNTRIES."""
