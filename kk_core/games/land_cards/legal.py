"""What may be done: all legal moves of a position, ascending. Part of the hot path, so tables do the work."""

from __future__ import annotations

from itertools import compress
from typing import Final

from kk_core.games.land_cards.layout import (
    COUNTRY_OF_KIND,
    LIMIT,
    RAISED_LIMIT,
    STONES,
    has_cards,
    stones_of,
)
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    MOVE,
    PASS,
    PLACE,
    PLAY_LAW,
    SKIP,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKING,
    THREE_SYMBOLS,
)
from kk_core.games.land_cards.state import Draft, State
from kk_core.types import Move

_IS_FREE: Final = bytes(value == FREE for value in range(256))
_TAKE_OF_CELL: Final = bytes((TAKE + value) & 0xFF for value in range(256))
_PLACES: Final = tuple(range(PLACE, PLACE + CELLS))
_MOVES_FROM: Final = tuple(
    tuple(range(MOVE + cell * CELLS, MOVE + (cell + 1) * CELLS)) for cell in range(CELLS)
)
_WITHIN: Final = tuple(bytes(kind >> 4 <= room for kind in range(256)) for room in range(RAISED_LIMIT + 1))
"""For every kind of card whether it has no more symbols than so many."""
_WITHIN_OF: Final = tuple(
    tuple(bytes(fits[kind] and kind & COUNTRY_OF_KIND == country for kind in range(256)) for fits in _WITHIN)
    for country in range(COUNTRY_OF_KIND + 1)
)
"""The same for the cards of one country."""


def work_out_legal(state: State | Draft) -> tuple[Move, ...]:
    """The moves of the seat whose turn it is; none when the match is over, or for a seat that must skip."""
    if state.phase == TAKING:
        return _next_takes(state) if state.taken else _first_takes(state)
    if state.phase == STONE_STEP:
        return _stone_moves(state)
    if state.phase == GIVING_UP:
        return _stones_to_give_up(state)
    return ()


def _first_takes(state: State | Draft) -> tuple[Move, ...]:
    """Before the first card of a turn, which may be any: none has more symbols than the limit."""
    seat, ends = state.seat, state.ends
    hand = state.hands[seat]
    if state.gone[seat] == STONES:
        # none of the own stones can lie on a card, so every stone there is an opponent's
        ends = _free_ends(state)
        if not ends:  # ruling 6
            return (SKIP, PLAY_LAW + TAKE_BACK_STONE) if TAKE_BACK_STONE in hand else ()
    takes = ends.translate(_TAKE_OF_CELL)
    return (*_laws(state, hand), *takes) if hand else tuple(takes)


def _next_takes(state: State | Draft) -> tuple[Move, ...]:
    """After the first card: those of its country, while the limit allows their symbols."""
    seat, kinds, ends, room = state.seat, state.deal.kinds, state.ends, state.limit - state.symbols
    if state.gone[seat] == STONES:
        ends = _free_ends(state)
    country = kinds[state.taken[0]] & COUNTRY_OF_KIND
    can_be_taken = _WITHIN[room] if state.any_colour else _WITHIN_OF[country][room]
    takes = compress(ends.translate(_TAKE_OF_CELL), ends.translate(kinds).translate(can_be_taken))
    hand = state.hands[seat]
    return (END_TAKING, *_laws(state, hand), *takes) if hand else (END_TAKING, *takes)


def _free_ends(state: State | Draft) -> bytes:
    """The ends without a stone: who has lost all of his stones can pay for no others."""
    board = state.board
    return bytes([cell for cell in state.ends if board[cell] == FREE])


def _laws(state: State | Draft, hand: bytes) -> list[Move]:
    """The laws that may be played before and between takes.

    One that would have no effect is not offered (ruling 3): no law once the layout is empty, and those about
    taking only while a card lies at an end and the rule is not lifted already.
    """
    moves = []
    ends = state.ends
    if TAKE_BACK_STONE in hand and state.gone[state.seat] and (ends or has_cards(state.board)):
        moves.append(PLAY_LAW + TAKE_BACK_STONE)
    if THREE_SYMBOLS in hand and state.limit == LIMIT and ends:
        moves.append(PLAY_LAW + THREE_SYMBOLS)
    if DIFFERENT_COLOURS in hand and not state.any_colour and ends:
        moves.append(PLAY_LAW + DIFFERENT_COLOURS)
    return moves


def _stones_to_give_up(state: State | Draft) -> tuple[Move, ...]:
    on_cards = [GIVE_UP + cell for cell in stones_of(state.board, state.seat)]
    return (GIVE_UP_SUPPLY, *on_cards) if state.supply[state.seat] else tuple(on_cards)


def _stone_moves(state: State | Draft) -> tuple[Move, ...]:
    """Place a stone or, when no further one may be placed, move one (ruling 5)."""
    seat = state.seat
    supply, gone = state.supply[seat], state.gone[seat]
    free = state.board.translate(_IS_FREE)
    first = (PASS, PLAY_LAW + TAKE_BACK_STONE) if gone and TAKE_BACK_STONE in state.hands[seat] else (PASS,)
    if supply and STONES - supply - gone < state.deal.stone_limit:
        return (*first, *compress(_PLACES, free))
    moves: list[Move] = [*first]
    for start in stones_of(state.board, seat):
        moves += compress(_MOVES_FROM[start], free)
    return tuple(moves)
