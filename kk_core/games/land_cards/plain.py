"""How the greedy bot plays, in simulations: the moves that `greedy` chooses from, by what positions keep.

A position has to look by the plain gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from kk_core.games.land_cards.greedy import GUARD_FOR, LAW_WORTH, PLAY_LAW_FOR, STONE_LOST
from kk_core.games.land_cards.layout import LIMIT, NEIGHBOURS, STONES, has_cards, row_ends, stones_of
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    MOVE,
    OVER,
    PASS,
    PLACE,
    PLAY_LAW,
    SKIP,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    THREE_SYMBOLS,
    played_laws,
)
from kk_core.games.land_cards.position import Position
from kk_core.games.land_cards.worth import Code
from kk_core.types import Move, Seat

_NOTHING: Final = -100.0
_MUCH: Final = 100.0


def play_turn(position: Position, noise: Callable[[], float]) -> None:
    """Play on to the end of the turn; `noise` gives numbers from 0 to 1, which decide between equals."""
    turn = position.turn
    while position.turn == turn and position.phase != OVER:
        moves = plain_moves(position)
        position.play(moves[0] if len(moves) == 1 else moves[int(noise() * len(moves))])


def plain_moves(position: Position) -> list[Move]:
    """What the greedy bot may do next: the best moves as it sees them."""
    seat, phase = position.seat, position.phase
    if phase == GIVING_UP:
        return _give_up(position, seat)
    if position.gone[seat] and TAKE_BACK_STONE in position.hands[seat] and has_cards(position.board):
        return [PLAY_LAW + TAKE_BACK_STONE]
    return _stone(position, seat) if phase == STONE_STEP else _take(position, seat)


# -- taking --------------------------------------------------------------------------------------------------


def _take(position: Position, seat: Seat) -> list[Move]:
    cells, room = _within_reach(position, seat), position.limit - position.symbols
    has_taken = bool(position.taken)
    best, chosen = 0.0 if has_taken else _NOTHING, []
    gains = [_gain(position, seat, cell) for cell in cells]
    for cell, gain in zip(cells, gains, strict=True):
        plan = gain + _follow(position, seat, cell, cells, room, {})
        if plan > best:
            best, chosen = plan, [TAKE + cell]
        elif plan == best and chosen:
            chosen.append(TAKE + cell)
    if chosen:
        return chosen
    if not has_taken:
        return [SKIP]
    return [_law_for_more(position, seat, room) if position.hands[seat] else END_TAKING]


def _within_reach(position: Position, seat: Seat) -> bytes | list[int]:
    """The cells whose cards may be taken next."""
    board, ends = position.board, position.ends
    can_pay = position.gone[seat] < STONES
    if not position.taken:
        return ends if can_pay else [cell for cell in ends if board[cell] == FREE]
    countries, costs, any_colour = position.worths.country, position.worths.cost, position.any_colour
    room, country = position.limit - position.symbols, countries[position.taken[0]]
    return [
        cell
        for cell in ends
        if costs[cell] <= room
        and (any_colour or countries[cell] == country)
        and (can_pay or board[cell] == FREE)
    ]


def _follow(
    position: Position, seat: Seat, first: int, cells: Sequence[int], room: int, codes: dict[int, Code]
) -> float:
    """The most that further cards of the same turn gain after a first one; `codes` are those that earlier
    ones of them have changed.
    """
    worths, any_colour = position.worths, position.any_colour
    countries, costs = worths.country, worths.cost
    room, country = room - costs[first], countries[first]
    follow = [
        cell
        for cell in cells
        if costs[cell] <= room and (any_colour or countries[cell] == country) and cell != first
    ]
    if not follow:
        return 0.0
    after = codes.copy()
    for number, digits in worths.counted[first]:
        after[number] = codes.get(number, position.codes[number]) + digits[seat]
    return max(
        0.0,
        *(
            _gain(position, seat, cell, after) + _follow(position, seat, cell, follow, room, after)
            for cell in follow
        ),
    )


def _gain(position: Position, seat: Seat, cell: int, codes: dict[int, Code] | None = None) -> float:
    """What taking a card gains, its law card and the stone that it may cost included."""
    country, place, route, _, _, law = position.worths.cards[seat][cell]
    if codes is None:
        gain = position.gain(cell, seat)
    else:
        gains, held = position.gains, position.codes
        of_country, of_route = codes.get(country, held[country]), codes.get(route, held[route])
        gain = gains[country].at(place, of_country) + gains[route].at(seat, of_route)
    if law:
        gain += _unknown_law(position.deal.laws, played_laws(position.law_log) + position.hands[seat])
    lying = position.board[cell]
    return gain - STONE_LOST if lying != FREE and lying != STONE + seat else gain


@lru_cache(maxsize=1024)
def _unknown_law(laws: bytes, seen: bytes) -> float:
    """The average of the kinds that somebody has not seen; `laws` are those of the deal by cell."""
    unseen = [laws.count(1 + kind) - seen.count(kind) for kind in LAW_WORTH]
    worth = sum(LAW_WORTH[kind] * count for kind, count in zip(LAW_WORTH, unseen, strict=True))
    return worth / max(1, sum(unseen))


def _law_for_more(position: Position, seat: Seat, room: int) -> Move:
    """End taking, unless a law opens the way to one more good card."""
    hand, board, worths = position.hands[seat], position.board, position.worths
    laws = []
    if DIFFERENT_COLOURS in hand and not position.any_colour:
        laws.append((DIFFERENT_COLOURS, room, True))
    if THREE_SYMBOLS in hand and position.limit == LIMIT:
        laws.append((THREE_SYMBOLS, room + 1, position.any_colour))
    if not laws or not position.ends:
        return END_TAKING
    ends, country = row_ends(board), worths.country[position.taken[-1]]
    for law, more_room, any_colour in laws:
        for cell in ends:
            fits = worths.cost[cell] <= more_room and (any_colour or worths.country[cell] == country)
            is_free = board[cell] in (FREE, STONE + seat)
            if fits and is_free and _gain(position, seat, cell) > PLAY_LAW_FOR:
                return PLAY_LAW + law
    return END_TAKING


# -- stones --------------------------------------------------------------------------------------------------


def _give_up(position: Position, seat: Seat) -> list[Move]:
    least = GUARD_FOR if position.supply[seat] else _MUCH
    chosen = [GIVE_UP_SUPPLY] if position.supply[seat] else []
    for cell in stones_of(position.board, seat):
        worth = position.gain(cell, seat)
        if worth < least:
            least, chosen = worth, [GIVE_UP + cell]
        elif worth == least:
            chosen.append(GIVE_UP + cell)
    return chosen


def _stone(position: Position, seat: Seat) -> list[Move]:
    """Guard the best card at or next to an end, where that is worth it."""
    board, supply = position.board, position.supply[seat]
    may_place = supply and STONES - supply - position.gone[seat] < position.deal.stone_limit
    own = [] if may_place else stones_of(board, seat)
    if not (may_place or own):
        return [PASS]
    near = _near_ends(position)
    best, chosen = GUARD_FOR, [PASS]
    if may_place:
        for cell in near:
            if board[cell] == FREE:
                worth = position.gain(cell, seat)
                if worth > best:
                    best, chosen = worth, [PLACE + cell]
                elif worth == best:
                    chosen.append(PLACE + cell)
        return chosen
    worths = {cell: position.gain(cell, seat) for cell in near}
    for start in own:
        lost = worths.get(start, 0.0)
        for cell, worth in worths.items():
            if board[cell] == FREE:
                if worth - lost > best:
                    best, chosen = worth - lost, [MOVE + start * CELLS + cell]
                elif worth - lost == best:
                    chosen.append(MOVE + start * CELLS + cell)
    return chosen


def _near_ends(position: Position) -> set[int]:
    """The cards at the ends of the rows and next to them."""
    board = position.board
    ends = row_ends(board) if position.deal.at_start_only else position.ends
    near = set(ends)
    for cell in ends:
        near.update([other for other in NEIGHBOURS[cell] if board[other] < TAKEN])
    return near
