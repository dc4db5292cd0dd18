"""The speed of games at random beside another checkout: `python -m tools.bench.against FOLDER [GAME ...]`.

With `--observe` the active seat is given its observation before each move, and chooses from the moves in it.
Both trees play small slices of the same seeds in turn, on one processor, so that noise of the machine meets
both alike. Prints microseconds a decision, and the median of the ratios of neighbouring slices.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
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
rules, seats, matches, observes = game(sys.argv[1]), *map(int, sys.argv[2:])
options = rules.meta.default_options()
for line in sys.stdin:
    random, decisions, begun = Random(int(line)), 0, process_time()
    for _ in range(matches):
        state = rules.setup(options, seats, random.randbytes(32))
        while active := rules.active_seats(state):
            seat = active[0]
            moves = rules.observe(state, seat).legal_moves if observes else rules.legal_moves(state, seat)
            state = rules.apply(state, seat, moves[int(random.random() * len(moves))])
            decisions += 1
    print((process_time() - begun) / decisions * 1e6, flush=True)
"""
"""A program that plays a slice for every seed it reads, using only what the oldest trees have, too."""


class Player:
    """A tree that plays."""

    def __init__(self, tree: Path, game_id: str, seats: int, *, observes: bool) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PLAYER, game_id, *map(str, (seats, MATCHES, int(observes)))],
            cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def play(self, seed: int) -> float:
        """Return microseconds a decision in one slice."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the tree's process."""
        self._process.communicate()


def compare(other: Path, game_id: str, seats: int, *, observes: bool) -> tuple[float, float, float]:
    """Return microseconds a decision there and here, and the ratio."""
    players = [Player(tree, game_id, seats, observes=observes) for tree in (other, HERE)]
    for player in players:
        player.play(0)  # what is worked out only once
    slices = [[player.play(seed) for player in players] for seed in range(SLICES)]
    for player in players:
        player.close()
    there, here = map(median, zip(*slices, strict=True))
    return there, here, median(there / here for there, here in slices)


def main() -> None:
    """Print a line for every game and number of seats."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.against")
    parser.add_argument("folder", type=Path)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--observe", action="store_true")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for game_id in given.games:
        meta = game(game_id).meta
        for seats in range(meta.min_seats, meta.max_seats + 1):
            there, here, ratio = compare(given.folder, game_id, seats, observes=given.observe)
            print(f"{game_id}, {seats} seats: {there:.2f} us there, {here:.2f} here: x {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
