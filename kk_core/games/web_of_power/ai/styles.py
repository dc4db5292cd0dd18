"""What bots of the board game like beyond what a move gains, by style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from kk_core.config import read_weights
from kk_core.games.web_of_power.ai.policy import Position, pieces_of
from kk_core.games.web_of_power.data import STYLES
from kk_core.games.web_of_power.model import ADVISOR, DRAW_PILE
from kk_core.types import Move, Seat


@cache
def _weights() -> dict[str, float]:
    return read_weights(STYLES, dict[str, float])


def preferences(style: str, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
    """Return what a seat likes about each move, in points."""
    weight, liked = _weights()[style], _LIKED[style]
    return [weight * liked(position, seat, move) for move in moves]


def _piece(position: Position, move: Move) -> tuple[int, int]:
    # the space of a cloister, or -1 for an advisor, and the country
    space, country, _payment = pieces_of(position.tables.land.country_of)[move]
    return space, country


def _roads(position: Position, seat: Seat, move: Move) -> float:
    # roads to the seat's other cloisters: two make a chain as long as more would
    space = _piece(position, move)[0] if move >= ADVISOR else -1
    near = 0 if space < 0 else position.tables.chains.near[space]
    return float(min(2, (near & position.spaces[seat]).bit_count()))


def _courts(position: Position, _seat: Seat, move: Move) -> float:
    return float(move >= ADVISOR and _piece(position, move)[0] < 0)


def _what_others_want(position: Position, seat: Seat, move: Move) -> float:
    if move < ADVISOR:
        return 0.0
    space, country = _piece(position, move)
    gains = [0.0]
    for other in range(position.tables.seats):
        if other == seat:
            continue
        if space < 0:
            gains.append(position.advisor_gain(country, other))
        else:
            touches = position.borders[other] >> space & 1
            line = position.tables.chains.line(position.parts[other], space) if touches else 0.0
            gains.append(position.country_gain(country, other) + line)
    return max(gains)


def _surprises(position: Position, _seat: Seat, move: Move) -> float:
    # 1 for a card that nobody has seen, and for the first piece in a country
    if move < ADVISOR:
        return float(move == DRAW_PILE)
    _, country = _piece(position, move)
    return float(not position.counts[country] and not position.courts[country])


_LIKED: Final[dict[str, Callable[[Position, Seat, Move], float]]] = {
    "builder": _roads,
    "courtier": _courts,
    "denier": _what_others_want,
    "gambler": _surprises,
}
