"""The palettes: an illuminated manuscript by candlelight or daylight, high contrast, and colour-blind safe.

Every colour is a theme variable with its own number for every depth; most were found by searching for colours
that are far enough apart (tests/tui/test_palettes.py), the others by eye. The shared ones are in
`palettes.toml` beside this file; a game adds its own through `Appearance.colours`.

| variable | for |
|---|---|
| `ground` `ground-deep` | the page; areas lower than the page |
| `field` `field-open` | an input field; the one being edited |
| `ink` `ink-dim` `ink-line` | text; unimportant text; ruled lines |
| `gold` | accents: headings, the key letters |
| `possible` | things that can be done now |
| `cursor` `cursor-ink` | the thing under the cursor, and text on it |
| `happened` | things that have just happened |
| `refused` | reasons why something cannot be done |
| `seat-0` ... `seat-4` | a player's own things, and nothing else |
| `seat-ink` | text on a player's colour |
| `country-ink` | text on a country's or a card's own colour |
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, get_args

from rich.style import Style
from textual.theme import Theme

from kk_core.errors import BadData
from kk_core.reasons import toml_reason
from kk_core.text import Text, text
from kk_tui.terminal.colour import Colour, Colours, parse_colour
from kk_tui.theme import PaletteName
from kk_tui.theme.glyphs import SEATS, colour_of

Shade: TypeAlias = tuple[Colour, Colour]
"""A colour on a dark page and on a light one."""

Shades: TypeAlias = Mapping[str, Shade]
"""Shades by theme variable."""

Palettes: TypeAlias = Mapping[str, Shades]
"""Shades by palette; variables missing from one are taken from "manuscript", which has all."""

NAMES: Final[tuple[PaletteName, ...]] = get_args(PaletteName)
_WHOLE: Final = "manuscript"
_SHARED: Final = Path(__file__).with_name("palettes.toml")


@cache
def read_palettes(path: Path) -> Palettes:
    """Read a TOML file of palettes: each a table, with two colours per variable. Raises `BadData`."""
    return _PaletteFile(path)


class _PaletteFile(Mapping[str, Shades]):
    """The palettes of a file; each palette's colours are parsed only when needed, as most never are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:  # not TOML, or not UTF-8
            raise self._fault("file", toml_reason(error)) from None
        for name, table in self._tables.items():
            if name not in NAMES or not isinstance(table, dict):
                raise self._fault(name, text("no such palette"))
        self._read: dict[str, Shades] = {}

    def __getitem__(self, name: str) -> Shades:
        if name not in self._read:
            table = self._tables[name].items()
            self._read[name] = {variable: self._shade(f"{name}.{variable}", pair) for variable, pair in table}
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def _shade(self, where: str, pair: Any) -> Shade:
        match pair:
            case [str(dark), str(light)]:
                try:
                    return parse_colour(dark), parse_colour(light)
                except ValueError as error:
                    raise self._fault(where, error.args[0]) from None
        raise self._fault(where, text("it must be two colours, for a dark background and for a light one"))

    def _fault(self, where: str, reason: Text) -> BadData:
        return BadData(str(self._path), where, reason)


class Ink(Protocol):
    """Makes a style from theme variables."""

    def __call__(self, colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        """Return a style, e.g. `ink("seat-0", on="ground", bold=True)`."""
        ...


def theme_name(name: PaletteName, *, is_dark: bool) -> str:
    """Return the name of a palette's theme."""
    return f"kk-{name}-{'dark' if is_dark else 'light'}"


@dataclass(frozen=True)
class Palette:
    """The colours of an app, shared ones and those of games, by variable."""

    name: PaletteName
    is_dark: bool
    colours: Mapping[str, Colour]
    _painted: dict[bool, Colours] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def theme_name(self) -> str:
        """The name of its theme."""
        return theme_name(self.name, is_dark=self.is_dark)

    @cached_property
    def by_rgb(self) -> Mapping[tuple[int, int, int], Colour]:
        """The colours by red, green and blue, which is all that remains of a variable in a drawn line."""
        return {colour.rgb: colour for colour in self.colours.values()}

    def on(self, *, ascii_only: bool) -> Colours:
        """Return the palette for a painter; always the same object, since it is the key of shared caches."""
        if ascii_only not in self._painted:
            ground = self.colours["ground"]
            self._painted[ascii_only] = Colours(self.by_rgb, self.is_dark, ascii_only, ground)
        return self._painted[ascii_only]

    def theme(self, colours: Sequence[int] = ()) -> Theme:
        """Return the palette for Textual, for a table where the seats have these colours."""
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
    """Make a palette with the colours of some games."""
    tables = (read_palettes(_SHARED), *games)
    shades = {
        variable: shade
        for which in (_WHOLE, name)  # the palette's own shades replace those of the complete one
        for table in tables
        for variable, shade in table.get(which, {}).items()
    }
    colours = {variable: pair[0 if is_dark else 1] for variable, pair in shades.items()}
    return Palette(name, is_dark, colours)


def palettes(games: Iterable[Palettes]) -> Mapping[str, Palette]:
    """Return all palettes, dark and light, by the names of their themes; each is made when needed."""
    return _AllPalettes(tuple(games))


class _AllPalettes(Mapping[str, Palette]):
    def __init__(self, games: Sequence[Palettes]) -> None:
        self._games = games
        self._of_theme = {
            theme_name(name, is_dark=is_dark): (name, is_dark) for name in NAMES for is_dark in (True, False)
        }
        self._made: dict[str, Palette] = {}

    def __getitem__(self, theme: str) -> Palette:
        if theme not in self._made:
            name, is_dark = self._of_theme[theme]
            self._made[theme] = palette(name, self._games, is_dark=is_dark)
        return self._made[theme]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of_theme)

    def __len__(self) -> int:
        return len(self._of_theme)
