"""A plain search for any game in which all choose at once: a yardstick that stays the same.

Decoupled UCB1 over all legal moves, in a tree whose nodes stand for what everybody did; no policy, no
evaluation. Worlds are drawn by `determinise`, a match is played on at random to its end, and the reward is
what the own lead is worth. It plays the move it has tried most. It uses the rules and nothing of
`kk_core.search` but what a bot has to be. Seated from outside, by the entry point in this folder:

    PYTHONPATH=tools/bench/outside:. kk arena ku_ka_king --bots expert,plain_ucb
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from random import Random
from typing import Any, Final

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.search.bots import Allowance, BotKind
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move, Seat, totals

_EXPLORATION: Final = 0.3
_SCALE: Final = 12.0
"""The lead in points that is worth 0.73, where a tie is worth 0.5 and a win by any margin 1 at most."""

Arms = dict[Move, list[float]]
"""By move: how often it was tried, and the sum of its rewards."""


class _Node:
    def __init__(self) -> None:
        self.arms: dict[Seat, Arms] = {}
        self.children: dict[tuple[Move, ...], _Node] = {}


class PlainUcb:
    """A bot that sees nothing but observations, and knows nothing but the rules."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose the move tried most often."""
        assert observation.viewer is not None, "only seats have moves to choose from"
        if len(observation.legal_moves) == 1:
            return observation.legal_moves[0]
        root, random = _Node(), Random(chance.word())
        for _ in range(budget.simulations):
            self._simulate(root, self._game.determinise(observation, chance), random)
            if budget.is_spent():
                break
        arms = root.arms[observation.viewer]
        return max(arms, key=lambda move: arms[move][0])

    def _simulate(self, node: _Node, state: Any, random: Random) -> None:
        game, tried, is_inside = self._game, list[tuple[Seat, list[float]]](), True
        while seats := game.active_seats(state):
            calls = []
            for seat in seats:
                legal = game.legal_moves(state, seat)
                if is_inside:
                    arms = node.arms.setdefault(seat, {})
                    move = _best(arms, legal, random)
                    tried.append((seat, arms.setdefault(move, [0, 0.0])))
                else:
                    move = random.choice(legal)
                calls.append(move)
                state = game.apply(state, seat, move)
            if is_inside:
                is_inside = (key := tuple(calls)) in node.children
                node = node.children.setdefault(key, _Node())
        points = totals(game.score(state))
        for seat, arm in tried:
            lead = points[seat] - max(points[:seat] + points[seat + 1 :])
            arm[0] += 1
            arm[1] += 1 / (1 + exp(-lead / _SCALE))


def _best(arms: Arms, legal: Sequence[Move], random: Random) -> Move:
    untried = [move for move in legal if move not in arms]
    if untried:
        return random.choice(untried)
    whole = log(sum(arms[move][0] for move in legal))
    return max(
        legal, key=lambda move: arms[move][1] / arms[move][0] + _EXPLORATION * sqrt(whole / arms[move][0])
    )


KIND: Final = BotKind(PlainUcb, Allowance(2000, 1.0))
