"""Compare the speed of games with another checkout: `python -m tools.bench.against FOLDER [GAME ...]`.

Games are played at random. With `--observe` the active seat is given its observation before each move, and
chooses from the moves in it; with `--simulate` hard bots search in openings instead. Both checkouts play
small slices of the same seeds alternately, on one processor, so that noise on the machine affects both alike.
Prints microseconds per decision (or simulation), and the median of the ratios of neighbouring slices.
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
HERE: Final = Path(__file__).parents[2]

BEGIN: Final = """
import sys
from random import Random
from time import process_time
from kk_core.registry import game
rules, seats = game(sys.argv[1]), int(sys.argv[2])
options = rules.meta.default_options()
"""
"""The start of the programs, which uses only what old checkouts have, too.

For every seed that it reads, it plays a slice and prints the microseconds.
"""

PLAY: Final = """
for line in sys.stdin:
    random, decisions, begun = Random(int(line)), 0, process_time()
    for _ in range(3):
        state = rules.setup(options, seats, random.randbytes(32))
        while active := rules.active_seats(state):
            seat = active[0]
            moves = MOVES
            state = rules.apply(state, seat, moves[int(random.random() * len(moves))])
            decisions += 1
    print((process_time() - begun) / decisions * 1e6, flush=True)
"""

SIMULATE: Final = """
from kk_core.chance import Chance
try:
    from kk_core.search.bots import bot
    from kk_core.search.search import Budget
except ImportError:
    from kk_core.bots import bot
    from kk_core.bots.search import Budget
hard, simulations = bot("hard", rules), 200
for line in sys.stdin:
    random = Random(int(line))
    state = rules.setup(options, seats, random.randbytes(32))
    seen, chance = rules.observe(state, rules.active_seats(state)[0]), Chance(random.randbytes(32))
    begun = process_time()
    hard.think(seen, chance, Budget(simulations))
    print((process_time() - begun) / simulations * 1e6, flush=True)
"""

PROGRAMS: Final = {
    "play": BEGIN + PLAY.replace("MOVES", "rules.legal_moves(state, seat)"),
    "observe": BEGIN + PLAY.replace("MOVES", "rules.observe(state, seat).legal_moves"),
    "simulate": BEGIN + SIMULATE,
}


class Player:
    """A checkout that plays."""

    def __init__(self, tree: Path, program: str, game_id: str, seats: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAMS[program], game_id, str(seats)],
            cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def play(self, seed: int) -> float:
        """Return the microseconds of one slice."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the checkout's process."""
        self._process.communicate()


def compare(other: Path, program: str, game_id: str, seats: int) -> tuple[float, float, float]:
    """Return the microseconds there and here, and the ratio."""
    players = [Player(tree, program, game_id, seats) for tree in (other, HERE)]
    for player in players:
        player.play(0)  # fills the caches
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
    which = parser.add_mutually_exclusive_group()
    for name in ("observe", "simulate"):
        which.add_argument(f"--{name}", dest="program", action="store_const", const=name, default="play")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for game_id in given.games:
        meta = game(game_id).meta
        for seats in range(meta.min_seats, meta.max_seats + 1):
            there, here, ratio = compare(given.folder, given.program, game_id, seats)
            print(f"{game_id}, {seats} seats: {there:.2f} us there, {here:.2f} here: x {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
