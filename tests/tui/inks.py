"""Which ink is written on which ground on a screen, and in which palettes that can't be read.

Which variable is written on which does not depend on the palette, so one look at a screen tells of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from kk_tui.games import faces
from kk_tui.terminal.colour import Rgb, rgb_of_256
from kk_tui.theme.palette import palettes
from tests.tui.emulated import ShownApp
from tests.tui.vision import contrast

READABLE: Final = 4.5
"""The contrast that WCAG asks of a text."""

PALETTES: Final = palettes(face.colours for face in faces().values())


def written(app: ShownApp) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield each letter and digit after the variables of its ink and its ground.

    None for a colour that is not the palette's, such as of what lies under the veil of a dialog, and is faint
    on purpose. The app shows true colours, of which each is another variable's.
    """
    names = {colour.hex[1:]: name for name, colour in app.palette.colours.items()}
    for row in app.expected():
        for cell in row:
            if cell.character.isalnum():
                is_reversed = bool(cell.attributes) and cell.attributes[4]
                ink, ground = (cell.ground, cell.ink) if is_reversed else (cell.ink, cell.ground)
                yield names.get(ink), names.get(ground), cell.character


@cache
def faint(ink: str, ground: str) -> tuple[str, ...]:
    """The palettes, at depths of 256 colours or more, in which an ink can't be read on a ground."""
    found = []
    for theme, palette in PALETTES.items():
        colours = palette.colours[ink], palette.colours[ground]
        depths: dict[str, list[Rgb]] = {
            "truecolor": [colour.rgb for colour in colours],
            "256": [rgb_of_256(colour.indexed) for colour in colours],
        }
        for depth, (over, under) in depths.items():
            if (reached := contrast(over, under)) < READABLE:
                found.append(f"{theme} {depth}: {reached:.2f}")
    return tuple(found)


def unreadable(app: ShownApp) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return each ink on a ground on this screen that can't be read, with its signs and where that is so.

    And the signs in colours of which nothing is known.
    """
    signs: dict[tuple[str, str], set[str]] = {}
    unknown = ""
    for ink, ground, sign in written(app):
        if ink is None or ground is None:
            unknown += sign
        else:
            signs.setdefault((ink, ground), set()).add(sign)
    found = {
        f"{ink} on {ground}": ("".join(sorted(seen)), *where)
        for (ink, ground), seen in signs.items()
        if (where := faint(ink, ground))
    }
    return found, unknown
