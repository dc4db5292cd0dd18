"""How good the moves of the board game look at first sight, in points; a search begins with the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp
from typing import Final, TypeAlias

from kk_core.games.web_of_power.model import (
    ADVISOR,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    EXCHANGE,
    MOVES_END,
    PAYMENTS,
    SINGLE,
    PlaceAdvisor,
    PlaceCloister,
)
from kk_core.games.web_of_power.position import Position
from kk_core.games.web_of_power.quick import EXCHANGE_COSTS, JOKER, PILE, SECOND, can_go_on, draw_value
from kk_core.types import Move, Seat

# In points; measured by what long searches prefer.
PAIR: Final = 1.1
"""What it costs to pay with a pair."""
HOPELESS: Final = 6.0
"""A move that looks worse than the best by so many times that much is not considered."""
GOING_ON: Final = 2.3
"""What it is worth that a second piece can be paid for in the same country."""


_Gains: TypeAlias = tuple[float, float, float]
"""What an advisor gains in a country, a cloister without its lines, and the better of both."""


def values(position: Position, moves: Sequence[Move], *, plainly: bool) -> list[float]:
    """How good every legal move looks: to who plays well, or plainly by what scores now."""
    seat = position.seat
    if position.phase == DRAWING:
        return [
            PILE if move == DRAW_PILE else draw_value(position, seat, move - DRAW_FACE_UP) for move in moves
        ]
    return _pieces(position, seat, moves, JOKER if plainly else PAIR, SECOND if plainly else 0.0, _gains)


def plain_values(position: Position, moves: Sequence[Move]) -> list[float]:
    """How good every legal move looks to the greedy bot, exactly."""
    if position.phase == DRAWING:
        return values(position, moves, plainly=True)
    seat, hand = position.seat, position.hands[position.seat]
    looks = _pieces(position, seat, moves, JOKER, SECOND, _gains_now)
    return [
        look if move < EXCHANGE or move >= DRAW_FACE_UP else -1.0 - 0.5 * hand.count(move - EXCHANGE)
        for look, move in zip(looks, moves, strict=True)
    ]


def likely(looks: Sequence[float], temperature: float) -> list[float]:
    """How likely each move is made by who likes more better; what looks hopeless is not."""
    best = max(looks)
    least = best - HOPELESS * temperature
    weights = [exp((look - best) / temperature) if look >= least else 0.0 for look in looks]
    total = sum(weights)
    return [weight / total for weight in weights]


def _pieces(
    position: Position,
    seat: Seat,
    moves: Sequence[Move],
    pair: float,
    second: float,
    gains_in: Callable[[Position, Seat, int], _Gains],
) -> list[float]:
    """`pair` is what paying with one costs; a second piece counts by its gain or, with 0, as such."""
    pieces, hand = pieces_of(position.tables.land.country_of), position.hands[seat]
    line, parts, border = position.tables.chains.line, position.parts[seat], position.borders[seat]
    counts, is_first = position.counts, not position.placed
    known: dict[int, _Gains] = {}
    found = []
    for move in moves:
        if move < ADVISOR:
            found.append(-EXCHANGE_COSTS if move >= EXCHANGE else 0.0)
            continue
        space, country, payment = pieces[move]
        gains = known.get(country)
        if gains is None:
            gains = known[country] = gains_in(position, seat, country)
        value = gains[0] if space < 0 else gains[1]
        if space >= 0 and border >> space & 1:
            value += line(parts, space)
        if payment != SINGLE:
            value -= pair
        if is_first and counts[country] and can_go_on(hand, country, payment):
            value += second * gains[2] if second else GOING_ON
        found.append(value)
    return found


def _gains(position: Position, seat: Seat, country: int) -> _Gains:
    advisor, cloister = position.advisor_gain(country, seat), position.country_gain(country, seat)
    line, _ = position.best_space(country, seat)
    return advisor, cloister, max(0.0, advisor, cloister + line)


def _gains_now(position: Position, seat: Seat, country: int) -> _Gains:
    """The same, where the better is of those that can be placed."""
    advisor, cloister = position.advisor_gain(country, seat), position.country_gain(country, seat)
    best = 0.0
    if position.room >> country & 1 and position.advisors_left[seat]:
        best = max(best, advisor)
    if position.free & position.tables.sets[country] and position.cloisters_left[seat]:
        best = max(best, cloister + position.best_space(country, seat)[0])
    return advisor, cloister, best


@lru_cache(maxsize=16)
def pieces_of(country_of: bytes) -> list[tuple[int, int, int]]:
    """For every move what it places (a space, or -1 for an advisor), the country, and the payment."""
    pieces = [(0, 0, 0)] * MOVES_END
    for payment in range(PAYMENTS):
        for country in range(len(COUNTRIES)):
            pieces[PlaceAdvisor(country, payment).move] = -1, country, payment
        for space, country in enumerate(country_of):
            pieces[PlaceCloister(space, payment).move] = space, country, payment
    return pieces
