"""Choices from whole matches, and how they end when strong bots play on: for the benchmarks of hints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match, Replay
from kk_core.search.advice import SIMULATIONS, Study, study, study_seed
from kk_core.search.arena import seed_of
from kk_core.search.bots import bot
from kk_core.search.opponents import BotKnowledge
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move, Seat
from tools.bench.choices import chance_of

PLAYER, QUICKLY = "medium", Budget(30)
STRONG: Final = "hard"
LOOKED_AT: Final = 3
"""Choices of a match: one from its first third, one from the second, one from the last."""


class Choice(NamedTuple):
    """A choice of a seat: the match before it, and what the seat sees and has seen."""

    match: Match
    seat: Seat
    seen: CommonObservation
    known: BotKnowledge

    def study(self) -> Study:
        """Return what a hint would be given from."""
        game = self.match.game
        seed = study_seed(game, self.seen, self.known)
        return study(game, self.seen, Chance(seed), Budget(SIMULATIONS), self.known)


def choices(rules: AnyGame, seed: str, positions: int, first: int = 0) -> Iterator[Choice]:
    """Yield choices, three from a match, whose numbers of seats take turns; from number `first` on."""
    for number in range(first // LOOKED_AT, -(-positions // LOOKED_AT)):
        for place, choice in enumerate(of_match(rules, seed, number), number * LOOKED_AT):
            if first <= place < positions:
                yield choice


def of_match(rules: AnyGame, seed: str, number: int) -> Iterator[Choice]:
    """Yield choices of one seat in a match of medium bots."""
    fewest, most = rules.meta.min_seats, rules.meta.max_seats
    seats = fewest + number % (most - fewest + 1)
    deal = seed_of(seed, number)
    match = Match(rules, rules.meta.default_options(), ("",) * seats, deal)
    player, play = bot(PLAYER, rules), chance_of(seed, "play", number)
    random = Random(f"{seed} {number}")
    own, plies = random.randrange(seats), []
    while active := rules.active_seats(match.state):
        observation = rules.observe(match.state, active[0])
        if active[0] == own and len(observation.legal_moves) > 1:
            plies.append(len(match.plies))
        match.play(active[0], player.choose(observation, play, QUICKLY))
    replay, cuts = Replay(match), [len(plies) * part // LOOKED_AT for part in range(LOOKED_AT + 1)]
    for low, high in pairwise(cuts):
        if low < high:
            then = replay.at(plies[random.randrange(low, high)])
            seen, before = then.choice_of(own)
            yield Choice(then, own, seen, BotKnowledge(moves=before))


def share_of_win(choice: Choice, move: Move, simulations: int, about: str) -> float:
    """Return the seat's share of the win after a move, when strong bots play on in the true state."""
    rules = choice.match.game
    state, players = rules.apply(choice.match.state, choice.seat, move), bot(STRONG, rules)
    chance, budget = chance_of(about), Budget(simulations)
    while active := rules.active_seats(state):
        made = players.choose(rules.observe(state, active[0]), chance, budget)
        state = rules.apply(state, active[0], made)
    outcome = rules.outcome(state)
    winners = outcome.winners if outcome else ()
    return 1 / len(winners) if choice.seat in winners else 0.0
