"""Pictures of every screen in every size and colour mode, for people to look at.

`python -m tools.trials.gallery FOLDER [--game G] [--size S] [--mode M] [--screen NAME]` writes them as SVG,
one per screen, size and mode, and named accordingly. Options may be repeated; without them everything is
written. The pictures show the bytes that the app's painter really sends, as an emulator interprets them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kk_core.registry import game_ids
from kk_tui.settings import AppSettings, changed
from tests.tui.svg import svg
from tools.trials.gallery_screens import ONCE, PER_GAME, Screen
from tools.trials.gallery_visits import NoSuchMoment, visit

SIZES: Final = ((80, 24), (100, 30), (120, 40), (160, 50), (200, 60))
MODES: Final[Mapping[str, Mapping[str, Any]]] = {
    "true": {"depth": "truecolor"},
    "256": {"depth": "256"},
    "16": {"depth": "16"},
    "none": {"depth": "none"},
    "ascii": {"depth": "16", "ascii": "on"},
    "light": {"depth": "truecolor", "light": "light"},
    "light-256": {"depth": "256", "light": "light"},
    "light-16": {"depth": "16", "light": "light"},
    "contrast": {"depth": "truecolor", "palette": "contrast"},
    "light-contrast": {"depth": "truecolor", "palette": "contrast", "light": "light"},
    "colour-blind": {"depth": "truecolor", "palette": "colour-blind"},
    "colour-blind-256": {"depth": "256", "palette": "colour-blind"},
    "light-colour-blind": {"depth": "truecolor", "palette": "colour-blind", "light": "light"},
    "light-colour-blind-256": {"depth": "256", "palette": "colour-blind", "light": "light"},
}
"""Settings by mode, in addition to `PLAIN`."""

PLAIN: Final = {"depth": "auto", "ascii": "off", "light": "dark", "palette": "manuscript"}


def main(*arguments: str) -> int:
    """Take the requested pictures; return 1 if some could not be taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", action="append", choices=game_ids())
    parser.add_argument("--size", action="append", choices=[f"{x}x{y}" for x, y in SIZES])
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--screen", action="append", choices=[screen.name for screen in (*ONCE, *PER_GAME)])
    wish = parser.parse_args(arguments)
    wish.folder.mkdir(parents=True, exist_ok=True)
    sizes = [size for size in SIZES if wish.size is None or "{}x{}".format(*size) in wish.size]
    modes = wish.mode or list(MODES)
    wanted = [("", screen) for screen in ONCE if wish.game is None]
    wanted += [(game_id, screen) for game_id in wish.game or game_ids() for screen in PER_GAME]
    failed = 0
    for game_id, screen in wanted:
        if wish.screen is None or screen.name in wish.screen:
            failed += not take(wish.folder, screen, game_id, sizes, modes)
    return 1 if failed else 0


def take(
    folder: Path, screen: Screen, game_id: str, sizes: Sequence[tuple[int, int]], modes: Sequence[str]
) -> bool:
    """Write the pictures of a screen; return False if the game has no such screen.

    The app is restarted for each mode, since the mode cannot be changed from every screen.
    """
    try:
        for mode in modes:
            asyncio.run(_take(folder, screen, game_id, sizes, mode))
    except NoSuchMoment:
        return True
    except Exception as error:
        print(f"{game_id} {screen.name}: {type(error).__name__} {error}")  # noqa: T201
        return False
    return True


async def _take(
    folder: Path, screen: Screen, game_id: str, sizes: Sequence[tuple[int, int]], mode: str
) -> None:
    sizes = [screen.size] if screen.size else sizes
    settings = changed(AppSettings(), **{**PLAIN, **MODES[mode]})
    async with visit(screen.start, game_id, sizes[0], settings) as here:
        await screen.way(here)
        for width, height in sizes:
            await here.resize(width, height)
            name = "-".join(filter(None, (game_id, screen.name, f"{width}x{height}", mode)))
            (folder / f"{name}.svg").write_text(svg(here.terminal.picture), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
