"""The palettes: an illuminated manuscript by candle light or by day, one of high contrast, one for all eyes.

Every colour is a theme variable with a number of its own for every depth; most were found by searching for
colours that are far enough apart (tests/tui/test_palettes.py), the others by eye. Shared ones stand in
`colours`; a game brings its own through `Appearance.colours`.

| variable | for |
|---|---|
| `ground` `ground-deep` | the page; what lies lower than the page |
| `field` `field-open` | a line to fill in; the one that is being filled in |
| `ink` `ink-dim` `ink-line` | writing; unimportant writing; ruled lines |
| `gold` | accents: headings, the key letters |
| `possible` | what can be done now |
| `cursor` `cursor-ink` | what the cursor stands on, and writing on it |
| `happened` | what has just happened |
| `refused` | why something cannot be done |
| `seat-0` ... `seat-4` | what a player owns, and nothing else |
| `seat-ink` | writing on a player's colour |
| `country-ink` | writing on a country's or a card's own colour |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol, TypeAlias, get_args

from rich.style import Style
from textual.theme import Theme

from kk_tui.settings import PaletteName
from kk_tui.terminal.colour import Colour, Colours, parse_colour
from kk_tui.theme.glyphs import SEATS, colour_of

Shade: TypeAlias = tuple[str, str]
"""A colour on a dark page and on a light one, each as `kk_tui.terminal.colour.parse_colour` reads it."""

Shades: TypeAlias = Mapping[str, Shade]
"""By theme variable."""

Palettes: TypeAlias = Mapping[str, Shades]
"""By palette; what another palette lacks is taken from "manuscript", which has everything."""


COLOURS: Final[Palettes] = {
    "manuscript": {
        "ground": ("#1c1914 234 0", "#f2e8d0 255 15"),
        "ground-deep": ("#14120e 233 0", "#e6d9ba 253 7"),
        "field": ("#15120e 233 0_8 _", "#e6daba 253 7 _"),
        "field-open": ("#544b3b 240 8 _", "#b8a884 144 8 _"),
        "ink": ("#e4d8bd 187 7", "#2b2419 235 0"),
        "ink-dim": ("#948a74 102 8", "#6f644d 241 8"),
        "ink-line": ("#544b3a 240 8", "#b8a883 144 8"),
        "gold": ("#d9a441 179 3", "#7a4d08 88 1"),
        "possible": ("#f4dc9a 222 15", "#5a3a00 52 4"),
        "cursor": ("#f2e7c9 230 15", "#2c251a 235 0"),
        "cursor-ink": ("#1b1813 234 0", "#f3e9d1 255 15"),
        "happened": ("#7fc4b8 115 14", "#1c6a62 23 4"),
        "refused": ("#e58a6b 209 9", "#a33a1c 124 1"),
        "seat-ink": ("#14110d 16 0", "#fbf6e9 231 0"),
        "country-ink": ("#13110e 16 0", "#14120e 16 0"),
        "seat-0": ("#ed4c49 203 9", "#b3261e 124 9-1"),
        "seat-1": ("#3894ff 39 14", "#215fa9 25 14-4"),
        "seat-2": ("#55c870 77 10", "#0b723b 22 10-2"),
        "seat-3": ("#f5e400 220 11", "#845e03 94 11-8"),
        "seat-4": ("#c870d2 171 13", "#74409a 91 13-5"),
    },
    "contrast": {
        "ground": ("#000000 16 0", "#ffffff 231 15"),
        "ground-deep": ("#0d0d0d 16 0", "#eeeeee 255 7"),
        "field": ("#0e0d0d 16 0_8 _", "#eeeeef 255 7 _"),
        "field-open": ("#757576 243 8 _", "#767677 243 8 _"),
        "ink": ("#ffffff 231 15", "#000000 16 0"),
        "ink-dim": ("#c6c6c6 251 7", "#464646 238 0"),
        "ink-line": ("#757575 243 8", "#767676 243 8"),
        "gold": ("#ffd24a 220 11", "#5a3200 52 1"),
        "possible": ("#fff6a8 229 11", "#00006f 17 4"),
        "cursor": ("#fffffe 231 15", "#000001 16 0"),
        "cursor-ink": ("#000001 16 0", "#fffffe 231 15"),
        "happened": ("#5ff0f0 87 14", "#004c4c 23 4"),
        "refused": ("#ffb070 215 9", "#8a0000 88 1"),
        "seat-ink": ("#010000 16 0", "#fefffe 231 0"),
        "country-ink": ("#000100 16 0", "#010000 16 0"),
        "seat-0": ("#fe5d75 203 9", "#a10407 124 9-1"),
        "seat-1": ("#2999ff 39 14", "#003f99 24 14-4"),
        "seat-2": ("#1ad84c 40 10", "#015b1d 22 10-2"),
        "seat-3": ("#bb9a10 178 11", "#664a00 58 11-8"),
        "seat-4": ("#dc70ff 207 13", "#6b1694 54 13-5"),
    },
    "colour-blind": {
        "ground": ("#17181a 234 0", "#f4f1e8 255 15"),
        "ground-deep": ("#101113 233 0", "#e6e2d6 253 7"),
        "field": ("#111113 233 0_8 _", "#e6e2d7 253 7 _"),
        "field-open": ("#4c4d50 240 8 _", "#aaa79e 248 8 _"),
        "ink": ("#e8e2d2 254 7", "#23211d 235 0"),
        "ink-dim": ("#969386 246 8", "#62605a 241 8"),
        "ink-line": ("#4c4d4f 240 8", "#aaa79d 248 8"),
        "gold": ("#e0b050 179 3", "#734900 58 1"),
        "possible": ("#f7e6a0 229 15", "#1a2a6c 17 4"),
        "cursor": ("#f5ecd0 230 15", "#24221e 235 0"),
        "cursor-ink": ("#18191b 234 0", "#f5f2e9 255 15"),
        "happened": ("#86c8e8 117 14", "#0a5570 24 4"),
        "refused": ("#ffa066 215 9", "#8f3b00 94 1"),
        "seat-ink": ("#101114 16 0", "#ffffff 231 0"),
        "country-ink": ("#0f1113 16 0", "#101113 16 0"),
        "seat-0": ("#fe6421 202 9", "#b33f06 160 9-1"),
        "seat-1": ("#318fdd 75 14", "#004f9e 25 14-4"),
        "seat-2": ("#01c8a7 43 10", "#00665c 23 10-2"),
        "seat-3": ("#ffef35 226 11", "#695500 58 11-8"),
        "seat-4": ("#f7f7ff 231 15", "#2a1f4d 17 13-5"),
    },
}
"""By palette and variable: on a dark page, and on a light one."""


NAMES: Final[tuple[PaletteName, ...]] = get_args(PaletteName)
_WHOLE: Final = "manuscript"


class Ink(Protocol):
    """Makes a style from theme variables."""

    def __call__(self, colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        """E.g. `ink("seat-0", on="ground", bold=True)`."""
        ...


def theme_name(name: PaletteName, *, is_dark: bool) -> str:
    """What Textual calls a palette."""
    return f"kk-{name}-{'dark' if is_dark else 'light'}"


@dataclass(frozen=True)
class Palette:
    """The colours of an app, shared ones and those of games, by their variables."""

    name: PaletteName
    is_dark: bool
    colours: Mapping[str, Colour]
    _painted: dict[bool, Colours] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def theme_name(self) -> str:
        """What Textual calls it."""
        return theme_name(self.name, is_dark=self.is_dark)

    @cached_property
    def by_rgb(self) -> Mapping[tuple[int, int, int], Colour]:
        """The same by red, green and blue, which is all that is left of a variable in a drawn line."""
        return {colour.rgb: colour for colour in self.colours.values()}

    def on(self, *, ascii_only: bool) -> Colours:
        """The palette as a painter wants it; the same object every time."""
        if ascii_only not in self._painted:
            ground = self.colours["ground"]
            self._painted[ascii_only] = Colours(self.by_rgb, self.is_dark, ascii_only, ground)
        return self._painted[ascii_only]

    def theme(self, colours: Sequence[int] = ()) -> Theme:
        """The palette as Textual wants it, for a table where the seats have these colours."""
        own = {name: colour.hex for name, colour in self.colours.items()}
        seats = {f"seat-{seat}": own[f"seat-{colour_of(seat, colours)}"] for seat in range(SEATS)}
        hexes = own | seats
        return Theme(
            name=self.theme_name + "".join(f"-{colour_of(seat, colours)}" for seat in range(len(colours))),
            primary=hexes["gold"],
            secondary=hexes["ink-dim"],
            accent=hexes["gold"],
            foreground=hexes["ink"],
            background=hexes["ground"],
            surface=hexes["ground"],
            panel=hexes["ground-deep"],
            warning=hexes["possible"],
            error=hexes["refused"],
            success=hexes["happened"],
            dark=self.is_dark,
            variables={
                **hexes,
                "border": hexes["ink-line"],
                "scrollbar": hexes["ink-line"],
                "scrollbar-background": hexes["ground-deep"],
                "input-selection-background": hexes["ink-line"],
            },
        )


def palette(name: PaletteName, games: Iterable[Palettes] = (), *, is_dark: bool = True) -> Palette:
    """A palette with the colours of some games."""
    tables = (COLOURS, *games)
    shades = {
        variable: shade
        for which in (_WHOLE, name)
        for table in tables
        for variable, shade in table.get(which, {}).items()
    }
    colours = {variable: parse_colour(pair[not is_dark]) for variable, pair in shades.items()}
    return Palette(name, is_dark, colours)


def palettes(games: Iterable[Palettes]) -> Mapping[str, Palette]:
    """All palettes, dark and light, by the names of their themes."""
    games = tuple(games)
    found = (palette(name, games, is_dark=is_dark) for name in NAMES for is_dark in (True, False))
    return {each.theme_name: each for each in found}
