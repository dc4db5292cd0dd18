"""The speed of random play on one core: `python -m tools.bench.play land_cards [OPTION=VALUE ...]`.

Times are processor time, so that other work on the machine counts little.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time

from kk_core.checks import complete_options
from kk_core.game import AnyGame
from kk_core.registry import game
from kk_core.types import Options

RUNS = 7
MATCHES = 60
COPIES = 20_000


def play_matches(rules: AnyGame, options: Options, seats: int, random: Random, matches: int) -> int:
    """Play whole matches, including setup; return the number of decisions."""
    decisions = 0
    active_seats, legal_moves, apply = rules.active_seats, rules.legal_moves, rules.apply
    for _ in range(matches):
        state = rules.setup(options, seats, random.randbytes(32))
        while active := active_seats(state):
            seat = active[0]
            moves = legal_moves(state, seat)
            state = apply(state, seat, moves[int(random.random() * len(moves))])
            decisions += 1
    return decisions


def decisions_per_second(rules: AnyGame, options: Options, seats: int) -> float:
    """Return the median of several runs."""
    rates = []
    for run in range(RUNS):
        start = process_time()
        decisions = play_matches(rules, options, seats, Random(run), MATCHES)
        rates.append(decisions / (process_time() - start))
    return median(rates)


def microseconds(function: Callable[[], object]) -> float:
    """Return the microseconds per call, the median of several runs."""
    times = []
    for _ in range(RUNS):
        start = process_time()
        for _ in range(COPIES):
            function()
        times.append((process_time() - start) / COPIES * 1e6)
    return median(times)


def main(game_id: str, *settings: str) -> None:
    """Print the figures for every number of seats."""
    rules = game(game_id)
    given = dict(setting.split("=", 1) for setting in settings)
    for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
        options = complete_options(rules.meta, seats, given)
        rate = decisions_per_second(rules, options, seats)
        print(f"{game_id}, {seats} seats: {rate:,.0f} decisions/s, {1e6 / rate:.2f} us each")  # noqa: T201
    state = rules.setup(rules.meta.default_options(), rules.meta.min_seats, bytes(32))
    print(f"copying a state: {microseconds(lambda: copy.copy(state)):.2f} us")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
