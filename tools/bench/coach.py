"""Whether the coach is right: `python -m tools.bench.coach GAME [--matches N] [--bots NAMES] [--every N]`.

A bot plays each match against medium ones. At every so many of its choices the coach is asked of its move
and of another one at random, and a search of twenty times the simulations tells by how much each is worse
than the best move. A warning is wrong if the move costs less than half of what counts as much; one is missed
where the coach is silent and the move costs `LOST` points or more. Time is that of the processor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import fmean
from time import process_time
from typing import Final, NamedTuple

from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.registry import game, game_ids
from kk_core.search.advice import KEENLY, SIMULATIONS, compared, study
from kk_core.search.arena import seed_of
from kk_core.search.bots import Searcher, allowance_of, bot
from kk_core.search.opponents import BotKnowledge
from kk_core.search.review import MUCH, weigh
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move, Seat
from tools.bench.choices import chance_of

OTHERS: Final = "medium"
DEEP: Final = Budget(20 * SIMULATIONS)
BEST: Final = 3
"""Moves that the deep search finds best, and that are compared with those asked about."""
EACH: Final = SIMULATIONS
"""Simulations of that comparison for each move."""
LOST: Final = 5.0


class Weighed(NamedTuple):
    """A move: what it costs, what the coach said that it costs (None: nothing), and the seconds it took."""

    cost: float
    said: float | None
    seconds: float

    @property
    def is_wrong(self) -> bool:
        """True if the coach spoke, and the move costs little."""
        return self.said is not None and 2 * self.cost < MUCH

    @property
    def is_missed(self) -> bool:
        """True if the coach was silent, and the move costs a lot."""
        return self.said is None and self.cost >= LOST


def costs(
    rules: AnyGame, seen: CommonObservation, learned: Sequence[float], moves: Sequence[Move], about: str
) -> list[float]:
    """Return by how many points each move is worse than the best one, by a deep search.

    What was `learned` of the others is the same as for the coach.
    """
    deep = Searcher(rules).think(seen, chance_of("deep", about), DEEP)
    all_of_them = [*dict.fromkeys([*(found.move for found in deep.moves[:BEST]), *moves])]
    budget = Budget(EACH * len(all_of_them))
    found = compared(rules, seen, all_of_them, chance_of("long", about), budget, KEENLY, learned, deep.others)
    best = max(figures.margin for figures in found.values())
    return [best - found[move].margin for move in moves]


def weighed(rules: AnyGame, match: Match, seat: Seat, move: Move, about: str) -> Iterator[Weighed]:
    """Yield what the coach says of a move, and of another one at random."""
    seen, before = match.choice_of(seat)
    begun = process_time()
    budget, known = Budget(SIMULATIONS), BotKnowledge(moves=before)
    found = study(rules, seen, chance_of("study", about), budget, known)
    studied = process_time() - begun
    others = [other for other in seen.legal_moves if other != move]
    moves = move, others[chance_of("other", about).below(len(others))]
    for each, cost in zip(moves, costs(rules, seen, found.learned, moves, about), strict=True):
        begun = process_time()
        judgement = weigh(rules, seen, found, each, chance_of("weigh", about, each))
        seconds = studied + process_time() - begun
        yield Weighed(cost, None if judgement is None else judgement.cost, seconds)


def of_match(rules: AnyGame, name: str, seats: int, number: int, every: int) -> Iterator[Weighed]:
    """Yield what was said of every so many choices of a bot in one match."""
    match = Match(rules, rules.meta.default_options(), ("",) * seats, seed_of("coach", number))
    own, play, choices = number % seats, chance_of("play", number), 0
    names = [name if seat == own else OTHERS for seat in range(seats)]
    while active := rules.active_seats(match.state):
        seat, seen = active[0], rules.observe(match.state, active[0])
        budget = Budget(allowance_of(names[seat], rules.meta.id).simulations)
        move = bot(names[seat], rules).choose(seen, play, budget)
        if seat == own and len(seen.legal_moves) > 1:
            choices += 1
            if choices % every == 0:
                yield from weighed(rules, match, seat, move, f"{number} {len(match.plies)}")
        match.play(seat, move)


def main() -> None:
    """Print for each bot how often the coach speaks, and how often it is wrong or misses something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--matches", type=int, default=2)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--bots", nargs="+", default=["easy"])
    asked = parser.parse_args()
    rules = game(asked.game)
    for name in asked.bots:
        numbers = range(asked.matches)
        moves = [
            move for number in numbers for move in of_match(rules, name, asked.seats, number, asked.every)
        ]
        told = [move for move in moves if move.said is not None]
        costly = sum(move.cost >= LOST for move in moves)
        sys.stdout.write(
            f"{asked.game} {name}: warned of {len(told)} of {len(moves)} moves, "
            f"{sum(move.cost >= MUCH for move in told)} cost {MUCH} points or more, "
            f"wrong {sum(move.is_wrong for move in told)}; "
            f"missed {sum(move.is_missed for move in moves)} of {costly} that cost {LOST:.0f} or more; "
            f"{fmean(move.seconds for move in moves):.2f} s each, "
            f"{max(move.seconds for move in moves):.2f} s at most\n"
        )


if __name__ == "__main__":
    main()
