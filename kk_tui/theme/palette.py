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
from typing import Final, Protocol, get_args

from rich.style import Style
from textual.theme import Theme

from kk_tui.settings import PaletteName
from kk_tui.terminal.colour import Colour, Colours, parse_colour
from kk_tui.theme.colours import COLOURS
from kk_tui.theme.glyphs import SEATS, colour_of
from kk_tui.theme.shades import Palettes

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
