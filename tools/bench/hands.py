"""The quality of guesses of others' hands: `python -m tools.bench.hands [--matches N] [--bots NAMES]`.

In matches of the board game an expert watches from a seat, whoever plays there. At the beginning of each of
its turns the true hand of every other seat is looked up: how likely is it given the moves so far, and how
likely given only the cards that cannot be seen?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from hashlib import sha256
from math import exp, log
from statistics import fmean
from typing import Any

from kk_core.chance import Chance
from kk_core.games.web_of_power.ai.beliefs import Beliefs
from kk_core.games.web_of_power.ai.policy import tables_of
from kk_core.match import Match
from kk_core.registry import game
from kk_core.search.arena import seed_of
from kk_core.search.bots import AdaptiveSearcher, bot
from kk_core.search.memory import BotMemory
from kk_core.search.search import Budget

SEATS = 4
WATCHER = 0
LEAST = 1e-5
"""The probability counted for a hand that the expert has ruled out."""
SIMULATIONS = 60


def likelihoods(name: str, number: int) -> Iterator[tuple[float, float]]:
    """Return the likelihoods of true hands in a match against a bot: by its moves, and by the cards alone."""
    rules: Any = game("web_of_power")
    match = Match(rules, rules.meta.default_options(), ("",) * SEATS, seed_of("hands", number))
    players, notes, watcher = [bot(name, rules) for _ in range(SEATS)], BotMemory(), AdaptiveSearcher(rules)
    chance, tables, turn = Chance(sha256(match.seed).digest()), tables_of(rules.printed, SEATS), -1
    while active := rules.active_seats(match.state):
        seat = active[0]
        seen = rules.observe(match.state, seat)
        if seat == WATCHER and seen.turn > turn:
            notes.known(match, seat).tell(watcher, chance)
            notes.keep(match, watcher.memory)
            if turn >= 0:
                by_watching = Beliefs(rules.moves, tables, watcher.memory[SEATS:])
                by_cards = Beliefs(rules.moves, tables)
                for other in range(1, SEATS):
                    hand = match.state.hands[other]
                    yield by_watching.of(seen, other).get(hand, LEAST), by_cards.of(seen, other)[hand]
            turn = seen.turn
        match.play(seat, players[seat].choose(seen, chance, Budget(SIMULATIONS)))


def main() -> None:
    """Print a line for each kind of opponent: geometric means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--bots", nargs="*", default=["greedy", "medium", "easy", "random"])
    arguments = parser.parse_args()
    for name in arguments.bots:
        found = [pair for number in range(arguments.matches) for pair in likelihoods(name, number)]
        watched, alone = (exp(fmean(map(log, column))) for column in zip(*found, strict=True))
        sys.stdout.write(
            f"{name}: {watched:.3f} by watching, {alone:.3f} by the cards ({len(found)} hands)\n"
        )


if __name__ == "__main__":
    main()
