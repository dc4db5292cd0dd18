"""Thinking that takes no time, where nothing depends on how good it is."""

from __future__ import annotations

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.search.advice import Study, study
from kk_core.search.opponents import BotKnowledge
from kk_core.search.search import Budget
from kk_core.types import CommonObservation
from kk_server.bots.pool import Pool


async def studied_here(
    _pool: Pool, rules: AnyGame, observation: CommonObservation, known: BotKnowledge, seed: bytes
) -> Study:
    """A study of a few simulations, in this process."""
    return study(rules, observation, Chance(seed), Budget(20), known)
