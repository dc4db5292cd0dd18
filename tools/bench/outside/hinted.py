"""A bot that makes the first move of every hint, so that whole matches show how good hints are.

Seated from outside, by the entry point in this folder:

    PYTHONPATH=tools/bench/outside:. kk arena ku_ka_king --bots hinted,hard,hard
"""

from __future__ import annotations

from typing import Final

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.search.advice import advise
from kk_core.search.bots import Allowance, BotKind
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move


class Hinted:
    """A bot that follows hints about its own observation."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose the first move of a hint."""
        moves = observation.legal_moves
        return moves[0] if len(moves) == 1 else advise(self._game, observation, chance, budget)[0].move


KIND: Final = BotKind(Hinted, Allowance(2000, 1.0))
