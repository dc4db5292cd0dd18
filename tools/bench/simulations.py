"""Simulations per second of bots in openings: `python -m tools.bench.simulations [GAME ...]`.

First those that run as far as helps the evaluation, then those of the expert. Times are processor time, so
that other work on the machine counts little.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import game, game_ids
from kk_core.search.bots import AdaptiveSearcher, Searcher
from kk_core.search.search import Budget

RUNS = 5
SIMULATIONS = 1000


def simulations_per_second(rules: AnyGame, seats: int, searcher: type[Searcher]) -> float:
    """Return the median of several openings."""
    rates = []
    for run in range(RUNS):
        state = rules.setup(rules.meta.default_options(), seats, bytes((run,)) * 32)
        observation = rules.observe(state, 0)
        start = process_time()
        searcher(rules).think(observation, Chance(bytes(32)), Budget(SIMULATIONS))
        rates.append(SIMULATIONS / (process_time() - start))
    return median(rates)


def main(*names: str) -> None:
    """Print the figures for every number of seats."""
    for game_id in names or game_ids():
        rules = game(game_id)
        for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
            kinds = Searcher, AdaptiveSearcher
            quick, long = (simulations_per_second(rules, seats, kind) for kind in kinds)
            print(f"{game_id}, {seats} seats: {quick:,.0f} simulations/s, {long:,.0f} of the expert")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
