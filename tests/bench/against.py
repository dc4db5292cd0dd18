"""How fast games play at random beside another checkout: `python -m tests.bench.against FOLDER [GAME ...]`.

Both trees play small slices in turn, of the same seeds, on one processor: so noise of the machine meets both
alike. Prints microseconds a decision, and the median of the ratios of neighbouring slices.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from kk_core.registry import game, game_ids

SLICES: Final = 100
MATCHES: Final = 3
HERE: Final = Path(__file__).parents[2]

PLAYER: Final = """
import sys
from random import Random
from time import process_time
from kk_core.registry import game
from tests.bench.play import play_matches
rules, seats, matches = game(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
options = rules.meta.default_options()
for line in sys.stdin:
    begun = process_time()
    decisions = play_matches(rules, options, seats, Random(int(line)), matches)
    print((process_time() - begun) / decisions * 1e6, flush=True)
"""
"""Plays a slice for every seed that it reads; works in any tree that has this bench."""


class Player:
    """A tree that plays."""

    def __init__(self, tree: Path, game_id: str, seats: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PLAYER, game_id, str(seats), str(MATCHES)],
            cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def play(self, seed: int) -> float:
        """Microseconds a decision in one slice."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def compare(other: Path, game_id: str, seats: int) -> tuple[float, float, float]:
    """Microseconds a decision there and here, and how many times as fast it is here."""
    players = [Player(tree, game_id, seats) for tree in (other, HERE)]
    for player in players:
        player.play(0)  # what is worked out only once
    slices = [[player.play(seed) for player in players] for seed in range(SLICES)]
    for player in players:
        player.close()
    there, here = map(median, zip(*slices, strict=True))
    return there, here, median(there / here for there, here in slices)


def main(folder: str, *chosen: str) -> None:
    """Print a line for every game and number of seats."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for game_id in chosen or game_ids():
        meta = game(game_id).meta
        seats: Sequence[int] = range(meta.min_seats, meta.max_seats + 1)
        for number in seats:
            there, here, ratio = compare(Path(folder), game_id, number)
            print(f"{game_id}, {number} seats: {there:.2f} us there, {here:.2f} here: x {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
