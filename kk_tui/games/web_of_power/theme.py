"""The board game's theme: names of its colours, signs with an ASCII twin, short names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kk_core.games.web_of_power.model import COUNTRY_NAMES, KIND_OF_COUNTRY
from kk_core.text import Text, text
from kk_tui.theme.palette import read_palettes

COLOURS: Final = read_palettes(Path(__file__).with_name("palettes.toml"))

GLYPHS: Final[Mapping[str, tuple[str, str]]] = {
    "web_of_power-free": ("⌂", "o"),
    "web_of_power-advisor": ("♙", "i"),
    "web_of_power-lit": ("+", "+"),
    "web_of_power-chosen": ("▀", "="),
    "web_of_power-seat": ("·", "."),
    "web_of_power-wave": ("~", "~"),
    "web_of_power-falling": ("╲", "\\"),
    "web_of_power-rising": ("╱", "/"),
    "web_of_power-nw": ("╯", "'"),
    "web_of_power-ne": ("╰", "'"),
    "web_of_power-sw": ("╮", "."),
    "web_of_power-se": ("╭", "."),
    "web_of_power-nsw": ("┤", "+"),
    "web_of_power-nse": ("├", "+"),
    "web_of_power-nwe": ("┴", "+"),
    "web_of_power-swe": ("┬", "+"),
    "web_of_power-nswe": ("┼", "+"),
    "web_of_power-tie": ("·", "."),
    "web_of_power-own-tie": ("•", ":"),
    "web_of_power-own-h": ("━", "="),
    "web_of_power-own-v": ("┃", "#"),
    "web_of_power-own-nw": ("┛", "'"),
    "web_of_power-own-ne": ("┗", "'"),
    "web_of_power-own-sw": ("┓", "."),
    "web_of_power-own-se": ("┏", "."),
    "web_of_power-own-falling": ("▚", "\\"),
    "web_of_power-own-rising": ("▞", "/"),
}
"""Free spaces and what is possible on them, crests with free places, sea, borders and roads."""


def kind_variable(kind: int) -> str:
    """Return the theme variable with the colour of a kind of card."""
    return f"web_of_power-kind-{kind}"


def land_variable(country: int, *, lit: bool = False) -> str:
    """Return the theme variable with the ground of a country."""
    return f"web_of_power-land-{KIND_OF_COUNTRY[country]}{'-lit' if lit else ''}"


def label_variable(country: int) -> str:
    """Return the theme variable for a country's name and shield."""
    return f"web_of_power-label-{KIND_OF_COUNTRY[country]}"


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

_ABBREVIATED: Final = {"Frankreich": text("Frankr."), "Lothringen": text("Lothr.")}

SHORT_NAMES: Final = tuple(_ABBREVIATED.get(name.msgid, name) for name in COUNTRY_NAMES)
"""The names of countries, the longest of them abbreviated where they would reach from edge to edge."""
