"""How often hints are right: `python -m tools.bench.confirmed [--matches N] [--seats N ...] [--times N]`.

Medium bots play Ku-Ka-King. At every third choice of one of them a hint is asked for; then a search of many
times its simulations foretells what others call, and compares all rows in ever new worlds. A hint is
confirmed if its first row is the best there, and close if it is worse by less than a hint can tell.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from statistics import fmean
from typing import Final, NamedTuple

from kk_core.match import Match
from kk_core.registry import game
from kk_core.search.advice import SIMULATIONS, advise, compared
from kk_core.search.arena import seed_of
from kk_core.search.bots import AdaptiveSearcher, bot
from kk_core.search.search import Budget, SearchSettings
from kk_core.types import CommonObservation
from kk_core.views import CLOSE
from tools.bench.choices import chance_of

RULES: Final = game("ku_ka_king")
PLAYER, QUICKLY = "medium", Budget(60)
EVERY: Final = 3
SETTINGS: Final = SearchSettings(is_keen=True, worlds=1999)


class Checked(NamedTuple):
    """The first row of a hint: whether it is the best one at length, and by how many points it is worse."""

    is_best: bool
    cost: float


def choices(seats: int, number: int) -> Iterator[CommonObservation]:
    """Yield some choices of one seat in a match."""
    match = Match(RULES, RULES.meta.default_options(), ("",) * seats, seed_of("hints", number))
    own, play, player, count = number % seats, chance_of("play", number), bot(PLAYER, RULES), 0
    while active := RULES.active_seats(match.state):
        seen = RULES.observe(match.state, active[0])
        if active[0] == own and len(seen.legal_moves) > 1:
            if count % EVERY == number % EVERY:
                yield seen
            count += 1
        match.play(active[0], player.choose(seen, play, QUICKLY))


def checked(seen: CommonObservation, times: int, name: str) -> Checked:
    """Return whether a search of so many times the simulations confirms a hint."""
    first = advise(RULES, seen, chance_of("hint", name), Budget(SIMULATIONS))[0].move
    half = Budget(times * SIMULATIONS)
    others = AdaptiveSearcher(RULES).think(seen, chance_of("deep", name), half).others
    long = compared(RULES, seen, seen.legal_moves, chance_of("long", name), half, SETTINGS, (), others)
    best = max(long.values(), key=lambda figures: figures.margin)
    return Checked(best.move == first, best.margin - long[first].margin)


def main() -> None:
    """Print how many hints are confirmed, how many come close, and what they cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--times", type=int, default=20)
    asked = parser.parse_args()
    for seats in asked.seats:
        found = [
            checked(seen, asked.times, f"{seats} {number} {place}")
            for number in range(asked.matches)
            for place, seen in enumerate(choices(seats, number))
        ]
        close = sum(each.cost < CLOSE for each in found)
        sys.stdout.write(
            f"{seats} seats: {sum(each.is_best for each in found)} of {len(found)} confirmed, {close} close, "
            f"{fmean(each.cost for each in found):.2f} points lost a hint\n"
        )


if __name__ == "__main__":
    main()
