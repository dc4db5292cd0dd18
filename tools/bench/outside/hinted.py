"""A bot that makes the first move of every hint, so that whole matches show how good hints are.

Like whoever asks for a hint, it is told what an expert would have learned in its place about the others.
Seated from outside, by the entry point in this folder:

    PYTHONPATH=tools/bench/outside:. kk arena ku_ka_king --bots hinted,hard,hard
"""

from __future__ import annotations

from typing import Final

from kk_core.chance import Chance
from kk_core.search.advice import advise
from kk_core.search.bots import AdaptiveSearcher, Allowance, BotKind
from kk_core.search.opponents import BotKnowledge
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move


class Hinted(AdaptiveSearcher):
    """A bot that watches as an expert does, and follows hints about its own observation."""

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose the first move of a hint."""
        moves = observation.legal_moves
        if len(moves) == 1:
            return moves[0]
        return advise(self._game, observation, chance, budget, BotKnowledge(self.memory))[0].move


KIND: Final = BotKind(Hinted, Allowance(2000, 1.0))
