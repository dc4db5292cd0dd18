"""How bots of Ku-Ka-King play on in simulations, for the contract of all games."""

from __future__ import annotations

from typing import Any, Final

from kk_core.games.ku_ka_king.ai.rollout import go_on
from kk_core.games.ku_ka_king.model import with_cards
from kk_core.registry import game
from kk_core.types import Move, Seat
from tests.core.contract.simulated import Noise, Simulated

DECK: Final = game("ku_ka_king").printed


def fits(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    """Cards that go back after the first scoring tell nothing."""
    after, row = target.collections[seat], state.rows[move - 1]
    if bool(state.first) != bool(target.first):
        return True
    return after in (state.collections[seat], with_cards(state.collections[seat], row))


def quickly(strategy: Any, position: Any, noise: Noise) -> None:
    go_on(DECK, position, noise, {})


def plainly(strategy: Any, position: Any, noise: Noise) -> None:
    """The even seats call as plain players, the others at random."""
    appeal = {seat: [3.0 * row for row in position.open_rows] for seat in strategy.active(position)[::2]}
    go_on(DECK, position, noise, appeal)


SIMULATED: Final = Simulated((quickly, plainly), lambda _, position: position.__replace__(), fits)
