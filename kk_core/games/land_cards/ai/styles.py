"""What bots of the card game like beyond what a move gains, by style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from kk_core.config import read_weights
from kk_core.games.land_cards.ai.policy import Position
from kk_core.games.land_cards.data import STYLES
from kk_core.games.land_cards.model import CELLS, GIVE_UP, MOVE, PLACE, TAKE, TAKEN
from kk_core.types import Move, Seat


@cache
def _weights() -> dict[str, float]:
    return read_weights(STYLES, dict[str, float])


def preferences(style: str, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
    """Return what a seat likes about each move, in points."""
    weight, liked = _weights()[style], _LIKED[style]
    found = []
    for move in moves:
        cell = _cell_of(move)
        found.append(0.0 if cell is None else weight * liked(position, seat, cell))
    return found


def _cell_of(move: Move) -> int | None:
    # the cell whose card is taken or guarded
    if TAKE <= move < GIVE_UP:
        return move - TAKE
    if move >= MOVE:
        return (move - MOVE) % CELLS
    return move - PLACE if move >= PLACE else None


def _route(position: Position, seat: Seat, cell: int) -> float:
    # 1 for a card with a ship or a carriage; cards without are in the last group
    worths = position.worths
    return float(worths.cards[seat][cell][2] < len(worths.groups) - 1)


def _own_countries(position: Position, seat: Seat, cell: int) -> float:
    # the cards that the seat has of the country
    countries = position.worths.country
    lie = zip(position.board, countries, strict=True)
    return float(sum(lying == TAKEN + seat and country == countries[cell] for lying, country in lie))


def _what_others_want(position: Position, seat: Seat, cell: int) -> float:
    others = (other for other in range(len(position.supply)) if other != seat)
    return max(0.0, *(position.gain(cell, other) for other in others))


def _laws(position: Position, seat: Seat, cell: int) -> float:
    # 1 for a card with a law card, which is unknown until it is taken
    _, _, _, _, _, law = position.worths.cards[seat][cell]
    return float(law > 0)


_LIKED: Final[dict[str, Callable[[Position, Seat, int], float]]] = {
    "builder": _route,
    "courtier": _own_countries,
    "denier": _what_others_want,
    "gambler": _laws,
}
