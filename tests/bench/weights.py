"""What a good player of the board game minds: `python -m tests.bench.weights [--generations N] [--show]`.

Players by different weights (`kk_core.games.web_of_power.keen`) each play the same matches in every seat,
against three others who do what gains most now. An evolution strategy goes from the weights of
those on towards what ends further before the mean of the others, and writes config/web_of_power.weights.json
after every generation. With --show the present weights play alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Final

import msgspec

import config
from kk_core.arena import seed_of
from kk_core.data import read_weights
from kk_core.games.web_of_power.data import WEIGHTS
from kk_core.games.web_of_power.keen import Keen, Weights
from kk_core.games.web_of_power.model import OVER
from kk_core.games.web_of_power.position import Position
from kk_core.games.web_of_power.quick import go_on
from kk_core.games.web_of_power.strategy import Strategy
from kk_core.registry import game
from kk_core.types import Seat

GAME: Final = "web_of_power"
SEATS: Final = 4
FIRST: Final = Weights(
    country=(1.0, 1.0), chains=1.0, links=0.7, groups=(0.0, 0.0, 0.0), room=0.0, beyond=0.0,
    courts=(1.0, 1.0), pair=0.6, second=0.6, exchange=1.5, pile=1.0, cards=(0.5, 2.0, 1.5), lands=0.1,
)  # fmt: skip
"""Those of who does what gains most now."""

MATCHES: Final = 400
"""Of every player in a generation."""
PAIRS: Final = 12
"""So many players, and as many that differ from the mean the other way."""
BEST: Final = 6
"""The mean of so many is the next generation's."""
STEP: Final = 0.2
LEAST_STEP: Final = 0.02
INERTIA: Final = 0.8
"""How much of its step a weight keeps from one generation to the next."""
SHOWN: Final = 2000


class Arena:
    """Matches of one player against others who do what gains most now."""

    def __init__(self, series: str) -> None:
        self._series = series
        self._rules = game(GAME)

    def _positions(self, first: int, matches: int) -> Iterator[tuple[Strategy, Position, Seat]]:
        for number in range(first, first + matches):
            deal, seat = divmod(number, SEATS)
            seed = seed_of(self._series, deal)
            state = self._rules.setup(self._rules.meta.default_options(), SEATS, seed)
            strategy = Strategy(self._rules, self._rules.observe(state, seat))
            yield strategy, strategy.position(state), seat

    def margins(self, weights: Weights, first: int, matches: int) -> list[tuple[float, bool]]:
        """By how much a player ends before the mean of the others, and whether it wins."""
        keen: Keen | None = None
        found = []
        for strategy, position, seat in self._positions(first, matches):
            keen = keen or Keen(position.tables, weights)
            while position.phase != OVER:
                if position.seat == seat:
                    keen.play_turn(position, _nothing)
                else:
                    go_on(position, _nothing)
            points = list(strategy.expected(position))
            own = points.pop(seat)
            found.append((own - fmean(points), own > max(points)))
        return found


def _nothing() -> float:
    return 0.0


def flat(weights: Weights) -> list[float]:
    """All of their numbers, in the order of the fields."""
    numbers: list[float] = []
    for field in msgspec.structs.astuple(weights):
        numbers += field if isinstance(field, tuple) else (field,)
    return numbers


def shaped(numbers: Sequence[float]) -> Weights:
    """The weights of `flat`."""
    left = iter(numbers)
    fields = {
        name: [next(left) for _ in field] if isinstance(field, tuple) else next(left)
        for name, field in msgspec.structs.asdict(FIRST).items()
    }
    return msgspec.convert(fields, Weights)


def generations(count: int, seed: int) -> Iterator[Weights]:
    """The mean of each generation."""
    random, arena = Random(seed), Arena(f"weights {seed}")
    mean = flat(FIRST)
    steps = [STEP] * len(mean)
    for number in range(count):
        ranked = []
        for _ in range(PAIRS):
            towards = [random.gauss(0, step) for step in steps]
            for sign in (1, -1):
                player = [at + sign * by for at, by in zip(mean, towards, strict=True)]
                margins = arena.margins(shaped(player), number * MATCHES, MATCHES)
                ranked.append((fmean(margin for margin, _ in margins), player))
        best = [player for _, player in sorted(ranked, reverse=True)[:BEST]]
        for i, step in enumerate(steps):
            spread = sqrt(fmean((player[i] - mean[i]) ** 2 for player in best))
            steps[i] = max(LEAST_STEP, INERTIA * step + (1 - INERTIA) * spread)
        mean = [fmean(column) for column in zip(*best, strict=True)]
        yield shaped([round(at, 2) for at in mean])


def show(weights: Weights) -> str:
    """How good a player with some weights is, in matches that it has not learned from."""
    margins = Arena("shown").margins(weights, 0, SHOWN)
    points = [margin for margin, _ in margins]
    error = 1.96 * stdev(points) / sqrt(len(points))
    return (
        f"{fmean(won for _, won in margins):.3f} of {SHOWN} won, margin {fmean(points):.2f} ± {error:.2f}\n"
    )


def main() -> None:
    """Learn, or show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    if arguments.show:
        sys.stdout.write(show(read_weights(WEIGHTS, Weights)))
        return
    file = Path(config.__file__).parent / WEIGHTS
    for number, weights in enumerate(generations(arguments.generations, arguments.seed), 1):
        file.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=1) + b"\n")
        if number % 5 == 0:
            sys.stdout.write(f"{number}: {show(weights)}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
