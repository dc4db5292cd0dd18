"""Whatever is written on a screen can be read, in every palette and at every depth.

Which variable is written on which does not depend on the palette, so each screen is drawn once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from kk_core.registry import game_ids
from kk_tui.games import faces
from kk_tui.settings import AppSettings
from kk_tui.terminal.colour import Rgb, rgb_of_256
from kk_tui.theme.palette import palettes
from tests.tui.emulated import ShownApp
from tests.tui.vision import contrast
from tools.trials.gallery_screens import ONCE, PER_GAME, Screen
from tools.trials.gallery_visits import visit

READABLE: Final = 4.5
"""The contrast that WCAG asks of a text."""

SIZES: Final = ((80, 24), (120, 40))

SCREENS: Final = [
    *(pytest.param("", screen, id=screen.name) for screen in ONCE),
    *(pytest.param(game, screen, id=f"{game}-{screen.name}") for game in game_ids() for screen in PER_GAME),
]

PALETTES: Final = palettes(face.colours for face in faces().values())


def written(app: ShownApp) -> Iterator[tuple[str, str, str]]:
    """Each letter and digit on the screen, with the variables of its ink and its ground.

    What lies under the veil of a dialog, and is faint on purpose, has colours of no palette.
    """
    names = {colour.hex[1:]: name for name, colour in app.palette.colours.items()}
    for row in app.expected():
        for cell in row:
            sign = cell.character
            if sign.isalnum():
                is_reversed = bool(cell.attributes) and cell.attributes[4]
                ink, ground = (cell.ground, cell.ink) if is_reversed else (cell.ink, cell.ground)
                if ink in names and ground in names:
                    yield names[ink], names[ground], sign


def faint(ink: str, ground: str) -> Iterator[str]:
    """The palettes and depths in which an ink cannot be read on a ground."""
    for theme, palette in PALETTES.items():
        colours = palette.colours[ink], palette.colours[ground]
        depths: dict[str, list[Rgb]] = {
            "truecolor": [colour.rgb for colour in colours],
            "256": [rgb_of_256(colour.indexed) for colour in colours],
        }
        for depth, (over, under) in depths.items():
            if (found := contrast(over, under)) < READABLE:
                yield f"{theme} {depth}: {found:.2f}"


@pytest.mark.parametrize(("game", "screen"), SCREENS)
async def test_whatever_is_written_can_be_read_in_every_palette_at_every_depth(
    game: str, screen: Screen
) -> None:
    found: dict[tuple[str, str], set[str]] = {}
    try:
        sizes = (screen.size,) if screen.size else SIZES
        async with visit(screen.start, game, sizes[0], AppSettings(depth="truecolor")) as here:
            await screen.way(here)
            for size in sizes:
                await here.resize(*size)
                for ink, ground, sign in written(here.app):
                    found.setdefault((ink, ground), set()).add(sign)
    except LookupError:
        pytest.skip("the game has no such screen")
    assert not {
        f"{ink} on {ground}": ("".join(sorted(signs)), *where)
        for (ink, ground), signs in found.items()
        if (where := [*faint(ink, ground)])
    }
