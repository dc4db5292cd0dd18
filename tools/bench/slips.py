"""How easy the easy bot is for people: `python -m tools.bench.slips [GAME ...] [--matches N] [--seed S]`.

A player stands for somebody who understands the rules but slips: they make the greedy bot's move, or, with
the probability given, any legal move. All other seats are easy bots. Every deal is played from every seat.
"""

from __future__ import annotations

import argparse
import sys
from random import Random
from typing import Final

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import game, game_ids
from kk_core.search.arena import interval, seed_of
from kk_core.search.bots import bot
from kk_core.search.search import Budget

SLIPS: Final = (0.6, 0.3)
AT_ONCE: Final = Budget(1)


def won(rules: AnyGame, seats: int, number: int, slips: float, seed: str) -> float:
    """Play a match; return the player's share of the win."""
    deal, own = divmod(number, seats)
    state = rules.setup(rules.meta.default_options(), seats, seed_of(seed, deal))
    greedy, easy = bot("greedy", rules), bot("easy", rules)
    chance, random = Chance(seed_of(f"{seed} bots", number)), Random(f"{seed} {number}")
    while active := rules.active_seats(state):
        seat = active[0]
        seen = rules.observe(state, seat)
        if seat == own and random.random() < slips:
            move = random.choice(seen.legal_moves)
        else:
            move = (greedy if seat == own else easy).choose(seen, chance, AT_ONCE)
        state = rules.apply(state, seat, move)
    outcome = rules.outcome(state)
    winners = outcome.winners if outcome else ()
    return 1 / len(winners) if own in winners else 0.0


def main() -> None:
    """Print the share of wins for every game, number of seats, and probability of a slip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", default="slips")
    asked = parser.parse_args()
    for game_id in asked.games:
        rules = game(game_id)
        for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
            for slips in SLIPS:
                wins = sum(won(rules, seats, number, slips, asked.seed) for number in range(asked.matches))
                low, high = interval(wins, asked.matches)
                sys.stdout.write(
                    f"{game_id}, {seats} seats, {slips:.0%} slips: {wins / asked.matches:.3f} "
                    f"({low:.3f}-{high:.3f}); a fair share is {1 / seats:.3f}\n"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
