"""How bots of the board game play on in simulations, for the contract of all games."""

from __future__ import annotations

from typing import Any, Final

from kk_core.games.web_of_power import model as land
from kk_core.games.web_of_power.ai.policy import go_on
from kk_core.games.web_of_power.ai.rollout import keen_of
from kk_core.types import Move, Seat
from tests.core.contract.simulated import Noise, Simulated


def fits(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    if move >= land.CLOISTER:
        space = (move - land.CLOISTER) % land.CLOISTER_STRIDE
        return bool(target.board[space] == land.CLOISTER_OF + seat)
    if move >= land.ADVISOR:
        place = (move - land.ADVISOR) % land.ADVISOR_STRIDE * state.deal.seats + seat
        return bool(target.advisors[place] > state.advisors[place])
    return True


def quickly(_: Any, position: Any, noise: Noise) -> None:
    go_on(position, noise)


def keenly(_: Any, position: Any, noise: Noise) -> None:
    keen_of(position.tables).play_turn(position, noise)


SIMULATED: Final = Simulated(
    (quickly, keenly),
    lambda strategy, position: position.finished(strategy.legal(position, position.seat)),
    fits,
    ("counts", "courts", "spaces", "borders", "free"),
)
