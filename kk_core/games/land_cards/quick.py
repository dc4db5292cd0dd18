"""How play goes on in simulations: quickly, mostly by what gains most, with some chance in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kk_core.games.land_cards.layout import LIMIT, STONES
from kk_core.games.land_cards.legal import work_out_legal
from kk_core.games.land_cards.model import (
    DIFFERENT_COLOURS,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    MINUS_TWO,
    OVER,
    PLAY_LAW,
    STONE,
    STONE_STEP,
    TAKE_BACK_STONE,
    TAKING,
    THREE_SYMBOLS,
)
from kk_core.games.land_cards.moves import act, end_taking, end_turn, give_up_from_supply, place
from kk_core.games.land_cards.position import STONE_LOST, Position
from kk_core.types import Move, Seat

# All in points; measured by letting the bots play against each other.
NOISE: Final = 1.0
"""By how much the first card of a turn is misjudged at random."""
MORE_FOR: Final = 0.3
"""What a further card of a turn must gain."""
GUARD_FOR: Final = 1.5
"""What a card must gain to be worth a stone."""
LAW_WORTH: Final = {TAKE_BACK_STONE: 1.0, THREE_SYMBOLS: 2.0, DIFFERENT_COLOURS: 2.5, MINUS_TWO: -2.0}

_NOTHING: Final = -100.0
_NEVER: Final = 1000.0


def go_on(position: Position, noise: Callable[[], float]) -> None:
    """Play on to the end of the turn; `noise` gives random numbers from 0 to 1."""
    seat = position.seat
    if position.phase == TAKING and not position.taken:
        hand = position.hands[seat]
        if position.gone[seat] and TAKE_BACK_STONE in hand:
            act(position, PLAY_LAW + TAKE_BACK_STONE)
        cell = _first_card(position, seat, noise)
        if cell < 0:
            end_turn(position)
            return
        position.take(cell)
    while position.phase != STONE_STEP:
        if position.phase == GIVING_UP:
            _give_up(position, seat)
        else:
            _take_more(position, seat)
        if position.phase == OVER:
            return
    cell = _guarded_card(position, seat)
    if cell < 0:
        end_turn(position)
    else:
        place(position, cell)


def _give_up(position: Position, seat: Seat) -> None:
    if position.supply[seat]:
        give_up_from_supply(position)
    else:
        act(position, min(work_out_legal(position), key=lambda move: kept(position, seat, move)))


def kept(position: Position, seat: Seat, move: Move) -> float:
    """What the stone is worth that a move gives up."""
    return GUARD_FOR if move == GIVE_UP_SUPPLY else position.net_gain(move - GIVE_UP, seat)


def _first_card(position: Position, seat: Seat, noise: Callable[[], float]) -> int:
    """The card that gains most, alone or together with a second one; -1 if none can be taken."""
    rows, cards, board, ends = position.rows, position.worths.cards[seat], position.board, position.ends
    own, room, any_colour = STONE + seat, position.limit, position.any_colour
    seen = 0
    gains: list[float] = []
    best, chosen = _NOTHING, -1
    for cell in ends:
        country, place, route, cost, bit, extra = cards[cell]
        try:
            gain = rows[country][place] + rows[route][seat] + extra + NOISE * noise()
        except TypeError:
            gain = position.gain(cell, seat) + extra + NOISE * noise()
        lying = board[cell]
        if lying and lying != own:
            gain -= STONE_LOST if position.gone[seat] < STONES else _NEVER
        if gain > best:
            best, chosen = gain, cell
        if seen & bit or any_colour:
            for other, more in zip(ends, gains, strict=False):
                if more + gain > best:
                    second = cards[other]
                    if (second[0] == country or any_colour) and second[3] + cost <= room:
                        best, chosen = more + gain, cell
        seen |= bit
        gains.append(gain)
    return chosen


def _take_more(position: Position, seat: Seat) -> None:
    """Another card, as long as one gains; a law, where it opens the way to a good one."""
    worths, board = position.worths, position.board
    room, any_colour = position.limit - position.symbols, position.any_colour
    countries, costs = worths.country, worths.cost
    country = countries[position.taken[0]]
    best, chosen = MORE_FOR, -1
    for cell in position.ends:
        if (countries[cell] == country or any_colour) and costs[cell] <= room:
            gain = position.net_gain(cell, seat)
            if gain > best and (not board[cell] or position.gone[seat] < STONES):
                best, chosen = gain, cell
    if chosen >= 0:
        position.take(chosen)
        return
    hand = position.hands[seat]
    if hand and (law := _good_law(position, seat, hand)) is not None:
        act(position, PLAY_LAW + law)
    else:
        end_taking(position)


def _good_law(position: Position, seat: Seat, hand: bytes) -> int | None:
    """A law that opens the way to a card that gains enough."""
    if (
        THREE_SYMBOLS in hand
        and position.limit == LIMIT
        and law_gain(position, seat, THREE_SYMBOLS) > MORE_FOR
    ):
        return THREE_SYMBOLS
    if DIFFERENT_COLOURS in hand and law_gain(position, seat, DIFFERENT_COLOURS) > MORE_FOR:
        return DIFFERENT_COLOURS
    return None


def law_gain(position: Position, seat: Seat, law: int) -> float:
    """The most that another card gains which a law about taking allows, less the law; nothing else counts
    once a card of this turn is taken.
    """
    worths = position.worths
    before = position.limit - position.symbols
    room = before + (law == THREE_SYMBOLS)
    own = worths.country[position.taken[0]]
    any_colour = position.any_colour or law == DIFFERENT_COLOURS
    can_pay = position.gone[seat] < STONES
    more = -1.0
    for cell in position.ends:
        country, cost = worths.country[cell], worths.cost[cell]
        is_new = cost > before or not (position.any_colour or country == own)
        is_allowed = cost <= room and (any_colour or country == own)
        if is_new and is_allowed and (can_pay or position.board[cell] == FREE):
            more = max(more, position.net_gain(cell, seat))
    return more - LAW_WORTH[law]


def _guarded_card(position: Position, seat: Seat) -> int:
    """The best card at an end for a stone, where one may be placed and is worth it, or else -1."""
    supply, chosen = position.supply[seat], -1
    if supply and STONES - supply - position.gone[seat] < position.deal.stone_limit:
        rows, cards, board, best = position.rows, position.worths.cards[seat], position.board, GUARD_FOR
        for cell in position.ends:
            if not board[cell]:
                country, place, route, _, _, _ = cards[cell]
                try:
                    gain = rows[country][place] + rows[route][seat]
                except TypeError:
                    gain = position.gain(cell, seat)
                if gain > best:
                    best, chosen = gain, cell
    return chosen
