"""Compare the processor time of a key in `kk play` with another checkout: `python -m tools.bench.keys
FOLDER`.

Both programs run in pseudo-terminals with a match of their own, and get the same cursor keys alternately, a
few at a time, so that noise on the machine affects both alike. Prints milliseconds of the whole program and
bytes per key, and the median of the ratios of neighbouring slices. A key is sent when nothing has been
received for `--rest` seconds; after 0.25 the app has shown the effect of the move under the cursor.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

from kk_core.registry import game_ids
from tools.bench.terminal import Guest

HERE: Final = Path(__file__).parents[2]
SLICES: Final = 20

KEYS: Final = {
    "land_cards": ("\x1b[C", "\x1b[C", "\x1b[B", "\x1b[D", "\x1b[A", "\x1b[D"),
    "web_of_power": ("\x1b[C", "\x1b[C", "\x1b[B", "\x1b[D", "\x1b[D", "\x1b[A"),
    "ku_ka_king": ("\x1b[B", "\x1b[B", "\x1b[B", "\x1b[A", "\x1b[A", "\x1b[A"),
}
"""Cursor keys of a slice; in the rows of Ku-Ka-King a cursor moves only up and down."""


def begin(tree: Path, game_id: str, size: tuple[int, int], home: str) -> Guest:
    """Begin a match of one person against bots."""
    environment = {
        **os.environ, "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
        "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
    }  # fmt: skip
    kk = str(tree / ".venv" / "bin" / "kk")
    guest = Guest([kk, "play", game_id, "--seed", "keys"], size, environment, tree)
    guest.until(lambda screen: "  |  " in screen.splitlines()[0])
    guest.settle(2.0, 1.0)
    return guest


def press(guest: Guest, keys: tuple[str, ...], rest: float) -> tuple[float, float]:
    """Return the milliseconds and bytes per key."""
    before, received = guest.spent, 0
    for key in keys:
        guest.type(key)
        received += guest.settle(max(0.1, rest), rest)
    return (guest.spent - before) * 1000 / len(keys), received / len(keys)


def compare(other: Path, game_id: str, size: tuple[int, int], rest: float) -> str:
    """Return a line of figures: there, here, ratio."""
    with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as here:
        homes = ((other, there), (HERE, here))
        guests = [begin(tree, game_id, size, home) for tree, home in homes]
        for guest in guests:
            press(guest, KEYS[game_id], rest)  # fills the caches
        slices = [[press(guest, KEYS[game_id], rest) for guest in guests] for _ in range(SLICES)]
        for guest in guests:
            guest.close()
    milliseconds = [median(pair[side][0] for pair in slices) for side in (0, 1)]
    sizes = [median(pair[side][1] for pair in slices) for side in (0, 1)]
    ratio = median(pair[1][0] / pair[0][0] for pair in slices)
    return (
        f"{game_id:14}{milliseconds[0]:8.1f}{milliseconds[1]:8.1f}{ratio:8.2f}{sizes[0]:10.0f}{sizes[1]:8.0f}"
    )


def main() -> None:
    """Print a line for every game."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.keys")
    parser.add_argument("folder", type=Path, help="a checkout of another commit, after `make` there")
    parser.add_argument("games", nargs="*", default=game_ids(), metavar="GAME")
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--rest", type=float, default=0.05)
    given = parser.parse_args()
    columns, rows = map(int, given.size.split("x"))
    print(f"{'':14}{'ms there':>8}{'here':>8}{'ratio':>8}{'bytes there':>10}{'here':>8}")  # noqa: T201
    for game_id in given.games:
        print(compare(given.folder, game_id, (columns, rows), given.rest), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
