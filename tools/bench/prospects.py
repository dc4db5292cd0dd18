"""Learn what collections of Ku-Ka-King bring: `python -m tools.bench.prospects [--matches N] [--seed S]`.

The plain search in `tools/bench/outside` plays whole matches against itself. From the collections at the
start of every round, ridge regression learns what each will bring until the end, for every stage of the
match and every number of seats, and writes config/ku_ka_king.prospects.json. The result follows from the
seed, but not its last digits, which depend on the machine's arithmetic.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from kk_core.chance import Chance
from kk_core.games.ku_ka_king.ai.prospects import Stages, StageWeights, features, stage_number
from kk_core.games.ku_ka_king.data import PROSPECTS
from kk_core.games.ku_ka_king.model import META
from kk_core.games.ku_ka_king.state import State
from kk_core.registry import game
from kk_core.search.arena import seed_of
from kk_core.search.search import Budget
from kk_core.types import Sheet, totals
from tools.bench.outside.plain_ucb import PlainUcb

RULES: Final = game("ku_ka_king")
FILE: Final = Path(__file__).parents[2] / "config" / PROSPECTS
BUDGET: Final = Budget(100)
RIDGE: Final = 1.0
LEAST: Final = 200
"""The fewest examples of a stage; rarer ones are taken for the one before."""

Example: TypeAlias = tuple[bool, int, list[float], float]
"""Whether it is the second pass, the stage, the features of a seat, and the points it got from there on."""


class Sums:
    """The sums of a regression: of products of features, of features by points, and of squared points."""

    def __init__(self, size: int) -> None:
        self.count, self.squares = 0, 0.0
        self.products = [[0.0] * size for _ in range(size)]
        self.by_points = [0.0] * size

    def add(self, values: Sequence[float], points: float) -> None:
        """Add an example."""
        self.count += 1
        self.squares += points * points
        known = [(place, value) for place, value in enumerate(values) if value]
        for place, value in known:
            self.by_points[place] += value * points
            row = self.products[place]
            for other, more in known:
                row[other] += value * more

    def fit(self) -> StageWeights:
        """Return the weights with the least squared error, and the error."""
        weights = solved(
            [
                [value + RIDGE * (place == other) for other, value in enumerate(row)]
                for place, row in enumerate(self.products)
            ],
            self.by_points,
        )
        # the ridge hardly matters here
        explained = sum(weight * value for weight, value in zip(weights, self.by_points, strict=True))
        error = sqrt(max(0.0, self.squares - explained) / self.count)
        return StageWeights(round(error, 2), tuple(round(weight, 4) for weight in weights))


def solved(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Solve linear equations with a positive definite matrix, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    for place, own in enumerate(rows):
        for row in rows[place + 1 :]:
            if share := row[place] / own[place]:
                row[place:] = [a - share * b for a, b in zip(row[place:], own[place:], strict=True)]
    found = [0.0] * len(rows)
    for place in reversed(range(len(rows))):
        *row, value = rows[place]
        later = sum(a * b for a, b in zip(row[place + 1 :], found[place + 1 :], strict=True))
        found[place] = (value - later) / row[place]
    return found


def examples(seats: int, seed: bytes) -> Iterator[Example]:
    """Play a match, and return an example for every seat at the start of every round."""
    bot, chance = PlainUcb(RULES), Chance(seed)
    state: State = RULES.setup(META.default_options(), seats, seed)
    starts = list[State]()
    while active := RULES.active_seats(state):
        if not starts or starts[-1].round != state.round:
            starts.append(state)
        state = RULES.apply(state, active[0], bot.choose(RULES.observe(state, active[0]), chance, BUDGET))
    final = totals(RULES.score(state))
    deck = RULES.observe(state, None).printed
    for start in starts:
        passed, lines = bool(start.first), start.first
        number = stage_number(start.collections, len(start.pile), is_second_pass=passed)
        banked = _banked(lines, seats)
        values = features(start.collections, deck.counts, deck.scale)
        for own, end, before in zip(values, final, banked, strict=True):
            yield passed, number, own, end - before


def _banked(lines: Sheet, seats: int) -> Sequence[int]:
    return totals(lines) if lines else (0,) * seats


def learn(seats: int, matches: int, seed: str) -> Stages:
    """Return the stages for a number of seats."""
    sums = dict[tuple[bool, int], Sums]()
    for number in range(matches):
        for passed, stage, own, points in examples(seats, seed_of(f"{seed} {seats}", number)):
            sums.setdefault((passed, stage), Sums(len(own))).add(own, points)
    known = defaultdict[bool, list[StageWeights]](list)
    for (passed, _), sum_ in sorted(sums.items(), key=lambda item: item[0]):
        if sum_.count >= LEAST:
            known[passed].append(sum_.fit())
    return Stages(tuple(known[False]), tuple(known[True]))


def main() -> None:
    """Learn for all numbers of seats, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=3000)
    parser.add_argument("--seed", default="prospects")
    given = parser.parse_args()
    seats = range(META.min_seats, META.max_seats + 1)
    found = {number: learn(number, given.matches, given.seed) for number in seats}
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


if __name__ == "__main__":
    main()
