"""The themes: an illuminated manuscript by candle light, and the same page by day.

Every colour is a theme variable. Shared ones stand here; a game brings its own through `Face.colours`.

| variable | for |
|---|---|
| `ground` `ground-deep` | the page; what lies lower than the page |
| `ink` `ink-dim` `ink-line` | writing; unimportant writing; ruled lines |
| `gold` | accents: headings, the key letters |
| `possible` | what can be done now |
| `cursor` `cursor-ink` | what the cursor stands on, and writing on it |
| `happened` | what has just happened |
| `refused` | why something cannot be done |
| `seat-0` ... `seat-4` | what a player owns, and nothing else |
| `seat-ink` | writing on a player's colour |
| `country-NAME` `country-ink` | a country as a ground, and writing on it |
"""

from __future__ import annotations

from typing import Final, Protocol, TypeAlias

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

Shade: TypeAlias = tuple[str, str]
"""A colour by candle light, and by day."""


class Ink(Protocol):
    """Makes a style from theme variables."""

    def __call__(self, colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        """E.g. `ink("seat-0", on="ground", bold=True)`."""
        ...


_DARK: Final = {
    "ground": "#1c1914",
    "ground-deep": "#14120e",
    "ink": "#e4d8bd",
    "ink-dim": "#8d836e",
    "ink-line": "#544b3a",
    "gold": "#d9a441",
    "possible": "#f4dc9a",
    "cursor": "#f2e7c9",
    "cursor-ink": "#1c1914",
    "happened": "#7fc4b8",
    "refused": "#e58a6b",
    "seat-0": "#e0554e",
    "seat-1": "#5c9ee6",
    "seat-2": "#58b368",
    "seat-3": "#e3c14a",
    "seat-4": "#b57fd6",
    "seat-ink": "#14120e",
    "country-ink": "#1a1611",
    "country-frankreich": "#8fa4d8",
    "country-sachsen": "#a8b86a",
    "country-ungarn": "#c98a5a",
    "country-kastilien": "#d8b458",
    "country-franken": "#c77f8f",
    "country-bayern": "#86bcd6",
    "country-italien": "#7fb58a",
    "country-england": "#cf8378",
    "country-daenemark": "#b79ac9",
    "country-aragon": "#d8b458",
    "country-burgund": "#b79ac9",
    "country-schwaben": "#c98a5a",
    "country-lothringen": "#a8b86a",
}

_LIGHT: Final = _DARK | {
    "ground": "#f2e8d0",
    "ground-deep": "#e6d9ba",
    "ink": "#2b2419",
    "ink-dim": "#7d7159",
    "ink-line": "#b8a883",
    "gold": "#8a5a0a",
    "possible": "#5a3a00",
    "cursor": "#2b2419",
    "cursor-ink": "#f2e8d0",
    "happened": "#1c6f66",
    "refused": "#a33a1c",
    "seat-0": "#b3261e",
    "seat-1": "#1f5fa8",
    "seat-2": "#23743a",
    "seat-3": "#8a6a00",
    "seat-4": "#74409a",
    "seat-ink": "#f7f0df",
}

GROUND: Final[Shade] = (_DARK["ground"], _LIGHT["ground"])
INK: Final[Shade] = (_DARK["ink"], _LIGHT["ink"])


def blend(colour: Shade, other: Shade, shares: tuple[float, float]) -> Shade:
    """A colour with a share of another one in it, by candle light and by day."""
    dark, light = (
        Color.parse(one).blend(Color.parse(two), share).hex
        for one, two, share in zip(colour, other, shares, strict=True)
    )
    return dark, light


def _theme(name: str, colours: dict[str, str], *, dark: bool) -> Theme:
    return Theme(
        name=name,
        primary=colours["gold"],
        secondary=colours["ink-dim"],
        accent=colours["gold"],
        foreground=colours["ink"],
        background=colours["ground"],
        surface=colours["ground"],
        panel=colours["ground-deep"],
        warning=colours["possible"],
        error=colours["refused"],
        success=colours["happened"],
        dark=dark,
        variables={
            **colours,
            "border": colours["ink-line"],
            "scrollbar": colours["ink-line"],
            "scrollbar-background": colours["ground-deep"],
            "input-selection-background": colours["ink-line"],
        },
    )


CANDLE: Final = _theme("kk-candle", _DARK, dark=True)
DAY: Final = _theme("kk-day", _LIGHT, dark=False)
THEMES: Final = (CANDLE, DAY)
