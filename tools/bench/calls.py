"""The quality of predictions of others' calls: `python -m tools.bench.calls [--matches N] [--bots NAMES]`.

At the beginning of every round of Ku-Ka-King an expert looks for the best calls of the first seat, as for a
hint, and estimates how likely each of the others is to call which row. Then they call, many times: how often
do they do what was predicted, and how often does somebody else call one of the best rows?
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import prod
from statistics import fmean
from typing import Final, NamedTuple

from kk_core.chance import Chance
from kk_core.match import Match
from kk_core.registry import game
from kk_core.search.advice import MOST
from kk_core.search.arena import seed_of
from kk_core.search.bots import AdaptiveSearcher, allowance_of, bot
from kk_core.search.search import Budget

GAME: Final = "ku_ka_king"
SEATS: Final = 4
SEARCH: Final = Budget(600)
CALLS: Final = 4


class Foretold(NamedTuple):
    """A call: its place in the hint, its predicted probability for others, and its observed frequency."""

    place: int
    likely: float
    happened: float


class Matched(NamedTuple):
    """The forecasts of a match: of the best calls, and (with no place) of each row and each of the others."""

    best: list[Foretold]
    single: list[Foretold]


def foretold(name: str, number: int) -> Matched:
    """Return the calls in a match of bots of a name."""
    told = Matched([], [])
    rules = game(GAME)
    match = Match(rules, rules.meta.default_options(), ("",) * SEATS, seed_of("calls", number))
    player, budget = bot(name, rules), allowance_of(name, GAME).budget()
    chance = Chance(seed_of("chance", number))
    while active := rules.active_seats(match.state):
        if len(active) == SEATS:
            found = AdaptiveSearcher(rules).think(rules.observe(match.state, 0), chance, SEARCH)
            seen = [rules.observe(match.state, seat) for seat in range(1, SEATS)]
            rounds = [[player.choose(own, chance, budget) for own in seen] for _ in range(CALLS)]
            for place, (move, *_) in enumerate(found.moves[:MOST], 1):
                likely = 1 - prod(1 - calls.get(move, 0.0) for calls in found.others.values())
                told.best.append(Foretold(place, likely, fmean(move in calls for calls in rounds)))
            for seat, calls in found.others.items():
                for move, likely in calls.items():
                    happened = fmean(calls[seat - 1] == move for calls in rounds)
                    told.single.append(Foretold(0, likely, happened))
        seat = active[0]
        match.play(seat, player.choose(rules.observe(match.state, seat), chance, budget))
    return told


def calibration(calls: Sequence[Foretold]) -> Iterator[str]:
    """Yield a line for each tenth of probability: what was predicted there, and how often it happened."""
    tenths = defaultdict[int, list[Foretold]](list)
    for call in calls:
        tenths[min(9, int(10 * call.likely))].append(call)
    for tenth, alike in sorted(tenths.items()):
        said, happened = (fmean(getattr(call, name) for call in alike) for name in ("likely", "happened"))
        yield f"    foretold {said:4.0%}, happened {happened:4.0%} ({len(alike)}, {10 * tenth} % and more)\n"


def main() -> None:
    """Print a line for each kind of opponent, and how well forecasts are calibrated over all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=6)
    parser.add_argument("--bots", nargs="*", default=["hard", "medium", "easy"])
    arguments = parser.parse_args()
    every: list[Foretold] = []
    for name in arguments.bots:
        matches = [foretold(name, number) for number in range(arguments.matches)]
        calls, single = ([call for match in matches for call in match[part]] for part in range(2))
        every += single
        first = [call for call in calls if call.place == 1]
        error = fmean((call.likely - call.happened) ** 2 for call in calls)
        usual = fmean(call.happened for call in calls)
        alone = fmean((usual - call.happened) ** 2 for call in calls)
        sys.stdout.write(
            f"{name}: somebody else calls the best row in {fmean(call.happened for call in first):.2f}, "
            f"foretold {fmean(call.likely for call in first):.2f}; squared error {error:.3f}, "
            f"{alone:.3f} for who knows no more than how often it happens ({len(calls)} calls)\n"
        )
        sys.stdout.writelines(calibration(single))
    sys.stdout.writelines(["all of them together\n", *calibration(every)])


if __name__ == "__main__":
    main()
