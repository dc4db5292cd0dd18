"""Shields with the arms of the countries, and ornaments of the sea: drawings of a few cells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kk_core.games.web_of_power.model import COUNTRIES
from kk_tui.games.web_of_power.land import MapScale, Place
from kk_tui.pixels import Pixels, read_pictures

BLOCKS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""A sign for every pattern of quarters: 1 2 above 4 8."""

_ASCII: Final = str.maketrans(
    {
        **dict(zip(BLOCKS, " '`\".|//,\\|\\_\\/#", strict=True)),
        "╱": "/", "╲": "\\", "│": "|", "─": "-", "└": "|", "┘": "|",
        "┼": "+", "◇": "o", "‡": "+", "≈": "~", "·": ".",
    }
)  # fmt: skip


_ART: Final = Path(__file__).parent / "art"
_SIGNS: Final = BLOCKS + "╱╲│─◇┼‡≈·NESW"
"""All signs in the drawings of this game."""


def in_ascii(signs: str) -> str:
    """Return the signs of a drawing as far as ASCII can represent them."""
    return signs.translate(_ASCII)


class Arms(NamedTuple):
    """The tinctures of the field of a shield, of what is on it, and of its foot."""

    field: str
    charge: str
    foot: str


OR, ARGENT, GULES, AZURE, SABLE = (
    f"web_of_power-{tincture}" for tincture in ("or", "argent", "gules", "azure", "sable")
)

ARMS: Final[tuple[Arms, ...]] = (
    Arms(GULES, OR, GULES),
    Arms(GULES, ARGENT, ARGENT),
    Arms(AZURE, ARGENT, AZURE),
    Arms(ARGENT, GULES, ARGENT),
    Arms(OR, GULES, OR),
    Arms(AZURE, OR, AZURE),
    Arms(OR, GULES, OR),
    Arms(OR, SABLE, OR),
    Arms(AZURE, OR, AZURE),
)
"""The arms of every country, in the order of COUNTRIES."""


def arms(country: int, scale: MapScale) -> Pixels:
    """Return the lines of a shield; a small one is a banner."""
    drawn = read_pictures(_ART / "arms.txt", each=3, signs=_SIGNS)
    large, medium, small = drawn[COUNTRIES[country]]
    return (small, medium, large, large)[scale]


def shield(country: int, scale: MapScale) -> Iterator[tuple[Place, str, str, str | None]]:
    """Yield every cell of a shield: place, sign, colour, and what is under it (None: the land)."""
    field, charge, foot = ARMS[country]
    lines = arms(country, scale)
    corners = [] if scale is MapScale.SMALL else [(0, len(lines) - 1), (len(lines[0]) - 1, len(lines) - 1)]
    for y, line in enumerate(lines):
        for x, sign in enumerate(line):
            is_corner = (x, y) in corners
            yield (x, y), sign, foot if is_corner else charge, None if is_corner else field


def plain_shield(code: str, scale: MapScale) -> Iterator[tuple[Place, str]]:
    """Yield a shield in ASCII, with the letters of its country."""
    width, height = scale.shield
    lines = [f"|{code:^{width - 2}}|" for _ in range(height - 1)]
    lines.append("\\" + "_" * (width - 2) + "/")
    if len(lines) > 2:
        lines[0] = "+" + "-" * (width - 2) + "+"
    yield from (((x, y), sign) for y, line in enumerate(lines) for x, sign in enumerate(line))


def ornament(name: str, scale: MapScale) -> Pixels:
    """Return the lines of an ornament; for an unknown name, the name itself, as words on the sea."""
    drawn = read_pictures(_ART / "ornaments.txt", each=2, signs=_SIGNS).get(name)
    if drawn is None:
        return (" ".join(name) if scale >= MapScale.LARGE else name,)
    large, small = drawn
    return large if scale >= MapScale.LARGE else small
