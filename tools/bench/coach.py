"""How often the coach would speak: `python -m tools.bench.coach GAME [--matches N] [--bots NAMES]`.

A bot plays each match against medium ones, and every one of its choices is judged as the coach would do it.
A comparison with many more simulations and other random numbers then checks what it says: a warning is wrong
if the move costs less than half of what counts as much. Times are processor time.
"""

from __future__ import annotations

import argparse
import sys
from statistics import fmean
from time import process_time
from typing import Final, NamedTuple

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.registry import game, game_ids
from kk_core.search.advice import compared
from kk_core.search.arena import seed_of
from kk_core.search.bots import Searcher, allowance_of, bot
from kk_core.search.review import MUCH, Judgement, weigh
from kk_core.search.search import Budget
from kk_core.types import CommonObservation

OTHERS: Final = "medium"
LONG: Final = Budget(3000)
LOOK: Final = Budget(300)


class Weighed(NamedTuple):
    """A choice of the bot: what the coach said about it, whether that was wrong, and the seconds it took."""

    judgement: Judgement | None
    is_wrong: bool
    seconds: float


def chance_of(*words: object) -> Chance:
    """Return a random stream for a purpose."""
    return Chance(seed_of(" ".join(map(str, words)), 0))


def cost_at_length(rules: AnyGame, seen: CommonObservation, found: Judgement, chance: Chance) -> float:
    """Return by how much the better move is better, according to a long comparison of the two."""
    moves = (found.better.move, found.played.move)
    others = Searcher(rules).think(seen, chance, LOOK).others
    figures = compared(rules, seen, moves, chance, LONG, others=others)
    return figures[moves[0]].margin - figures[moves[1]].margin


def weighed(rules: AnyGame, name: str, seats: int, number: int) -> list[Weighed]:
    """Return what was said about the choices of a bot in one match."""
    match = Match(rules, rules.meta.default_options(), ("",) * seats, seed_of("coach", number))
    own, play = number % seats, chance_of("play", number)
    names = [name if seat == own else OTHERS for seat in range(seats)]
    found = []
    while active := rules.active_seats(match.state):
        seat, seen = active[0], rules.observe(match.state, active[0])
        budget = Budget(allowance_of(names[seat], rules.meta.id).simulations)
        move = bot(names[seat], rules).choose(seen, play, budget)
        if seat == own and len(seen.legal_moves) > 1:
            about, begun = (number, len(match.plies)), process_time()
            judgement = weigh(rules, seen, move, chance_of("weigh", *about))
            seconds = process_time() - begun
            is_wrong = False
            if judgement is not None:
                is_wrong = 2 * cost_at_length(rules, seen, judgement, chance_of("long", *about)) < MUCH
            found.append(Weighed(judgement, is_wrong, seconds))
        match.play(seat, move)
    return found


def main() -> None:
    """Print for each bot how often per match the coach speaks, and how often it is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--matches", type=int, default=6)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--bots", nargs="+", default=["easy", "medium"])
    asked = parser.parse_args()
    rules = game(asked.game)
    for name in asked.bots:
        matches = [weighed(rules, name, asked.seats, number) for number in range(asked.matches)]
        choices = [choice for match in matches for choice in match]
        told = [choice for choice in choices if choice.judgement is not None]
        seconds = sorted(choice.seconds for choice in choices)
        sys.stdout.write(
            f"{asked.game} {name}: {len(told) / asked.matches:.1f} a match of "
            f"{len(choices) / asked.matches:.0f} choices, "
            f"from {min(sum(c.judgement is not None for c in match) for match in matches)} "
            f"to {max(sum(c.judgement is not None for c in match) for match in matches)}; "
            f"wrong {sum(choice.is_wrong for choice in told)} of {len(told)}; "
            f"{fmean(seconds):.2f} s each, {seconds[-1]:.2f} s at most\n"
        )


if __name__ == "__main__":
    main()
