"""The quality of predictions of others' calls: `python -m tools.bench.calls [--matches N] [--bots NAMES]`.

At the beginning of every round of Ku-Ka-King an expert looks for the best calls of the first seat, as for a
hint, and says how likely somebody else is to call each of them, too. Then the others call, again and again:
how often does somebody?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
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


def foretold(name: str, number: int) -> Iterator[Foretold]:
    """Return the best calls in a match of bots of a name."""
    rules = game(GAME)
    match = Match(rules, rules.meta.default_options(), ("",) * SEATS, seed_of("calls", number))
    player, budget = bot(name, rules), allowance_of(name, GAME).budget()
    chance = Chance(seed_of("chance", number))
    while active := rules.active_seats(match.state):
        if len(active) == SEATS:
            found = AdaptiveSearcher(rules).think(rules.observe(match.state, 0), chance, SEARCH)
            seen = [rules.observe(match.state, seat) for seat in range(1, SEATS)]
            rounds = [{player.choose(own, chance, budget) for own in seen} for _ in range(CALLS)]
            for place, (move, *_) in enumerate(found.moves[:MOST], 1):
                likely = 1 - prod(1 - calls.get(move, 0.0) for calls in found.others.values())
                yield Foretold(place, likely, fmean(move in calls for calls in rounds))
        seat = active[0]
        match.play(seat, player.choose(rules.observe(match.state, seat), chance, budget))


def main() -> None:
    """Print a line for each kind of opponent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=6)
    parser.add_argument("--bots", nargs="*", default=["hard", "medium", "easy"])
    arguments = parser.parse_args()
    for name in arguments.bots:
        calls = [call for number in range(arguments.matches) for call in foretold(name, number)]
        first = [call for call in calls if call.place == 1]
        error = fmean((call.likely - call.happened) ** 2 for call in calls)
        usual = fmean(call.happened for call in calls)
        alone = fmean((usual - call.happened) ** 2 for call in calls)
        sys.stdout.write(
            f"{name}: somebody else calls the best row in {fmean(call.happened for call in first):.2f}, "
            f"foretold {fmean(call.likely for call in first):.2f}; squared error {error:.3f}, "
            f"{alone:.3f} for who knows no more than how often it happens ({len(calls)} calls)\n"
        )


if __name__ == "__main__":
    main()
