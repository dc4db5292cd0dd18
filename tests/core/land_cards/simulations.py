"""How bots of the card game play on in simulations, for the contract of all games."""

from __future__ import annotations

from typing import Any, Final

from kk_core.games.land_cards import model as cards
from kk_core.games.land_cards.ai.policy import go_on
from kk_core.games.land_cards.ai.rollout import PLAIN_PLAYER, keen_player
from kk_core.games.land_cards.rules import settle
from kk_core.types import Move, Seat
from tests.core.contract.simulated import Noise, Simulated


def fits(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    if move >= cards.MOVE:
        start, end = divmod(move - cards.MOVE, len(state.board))
        return bool(target.board[end] == cards.STONE + seat != target.board[start])
    if move >= cards.PLACE:
        return bool(target.board[move - cards.PLACE] == cards.STONE + seat)
    if cards.TAKE <= move < cards.TAKE + len(state.board):
        return bool(target.board[move - cards.TAKE] == cards.TAKEN + seat)
    return True


def quickly(_: Any, position: Any, noise: Noise) -> None:
    go_on(position, noise)


def plainly(_: Any, position: Any, noise: Noise) -> None:
    position.look_by(position.worths.plain_gains)
    PLAIN_PLAYER.play_turn(position, noise)


def keenly(_: Any, position: Any, noise: Noise) -> None:
    position.look_by(position.worths.keen_gains)
    keen_player().play_turn(position, noise)


SIMULATED: Final = Simulated(
    (quickly, plainly, keenly),
    lambda _, position: settle(position.finished(())),
    fits,
    ("codes", "ends", "board", "rows"),
)
