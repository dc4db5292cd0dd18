"""The speed of a game played by observations: `python -m tools.bench.observe land_cards [OPTION=VALUE ...]`.

Before each random move the active seat is given its observation and chooses from the moves in it, which is
the work for a move at a server, a bot and a learning environment. Times are processor time.
"""

from __future__ import annotations

import sys
from random import Random
from statistics import median
from time import process_time

from kk_core.checks import complete_options
from kk_core.game import AnyGame
from kk_core.registry import game
from kk_core.types import Options
from tools.bench.play import RUNS

MATCHES = 30


def play_matches(rules: AnyGame, options: Options, seats: int, random: Random) -> int:
    """Play whole matches, including setup; return the number of decisions."""
    decisions = 0
    active_seats, observe, apply = rules.active_seats, rules.observe, rules.apply
    for _ in range(MATCHES):
        state = rules.setup(options, seats, random.randbytes(32))
        while active := active_seats(state):
            seat = active[0]
            moves = observe(state, seat).legal_moves
            state = apply(state, seat, moves[int(random.random() * len(moves))])
            decisions += 1
    return decisions


def main(game_id: str, *settings: str) -> None:
    """Print the figures for every number of seats."""
    rules = game(game_id)
    given = dict(setting.split("=", 1) for setting in settings)
    for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
        options = complete_options(rules.meta, seats, given)
        rates = []
        for run in range(RUNS):
            start = process_time()
            decisions = play_matches(rules, options, seats, Random(run))
            rates.append(decisions / (process_time() - start))
        print(f"{game_id}, {seats} seats: {median(rates):,.0f} observed decisions/s")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
