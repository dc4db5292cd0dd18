"""What may be done, and what it does. This is the hot path: bytes and small ints, looked up in tables."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress
from typing import Final

from msgspec.structs import replace

from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
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
    ROWS,
    SKIP,
    SKIPPED,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
    country_of,
    symbols_of,
)
from kk_core.games.land_cards.state import Deal, State
from kk_core.types import Event, Move, Seat

STONES: Final = 3
"""Stones of a player at the start."""

LIMIT: Final = 2
"""Circle symbols on the cards taken in one turn, without a law."""

RAISED_LIMIT: Final = 3

_FACES: Final = range(1 << 12)
_COST: Final = bytes(len(symbols_of(face)) for face in _FACES)
_COUNTRY: Final = bytes(country_of(face) for face in _FACES)

_BYTE: Final = tuple(bytes((value,)) for value in range(256))
_IS_FREE: Final = bytes(value == FREE for value in range(256))
_TAKE_OF_CELL: Final = bytes((TAKE + value) & 0xFF for value in range(256))
_PLACES: Final = tuple(range(PLACE, PLACE + CELLS))
_MOVES_FROM: Final = tuple(
    tuple(range(MOVE + cell * CELLS, MOVE + (cell + 1) * CELLS)) for cell in range(CELLS)
)


def is_legal(state: State, seat: Seat, move: Move) -> bool:
    """Whether a seat may make a move."""
    legal = state.legal
    index = bisect_left(legal, move)
    return index < len(legal) and legal[index] == move and seat == state.seat


def first_turn(deal: Deal) -> State:
    """The position before the first move."""
    supply = bytes((STONES,) * deal.seats)
    hands = (b"",) * deal.seats
    board = bytes(CELLS)
    return _next_turn(deal, board, row_ends(board), supply, bytes(deal.seats), hands, b"", deal.seats - 1, -1)


def apply_legal(state: State, move: Move) -> State:
    """The position after a move that is known to be legal."""
    if move >= MOVE:
        return _move_stone(state, *divmod(move - MOVE, CELLS))
    if move >= PLACE:
        return _place(state, move - PLACE)
    if move >= GIVE_UP:
        return _give_up(state, move - GIVE_UP)
    if move >= TAKE:
        return _take(state, move - TAKE)
    if move == END_TAKING:
        return _end_taking(state)
    if move == GIVE_UP_SUPPLY:
        return _give_up(state, None)
    if move >= PLAY_LAW:
        return _play_law(state, move - PLAY_LAW)
    return _end_turn(state, state.board, state.supply)  # PASS or SKIP


# -- steps ---------------------------------------------------------------------------------------------------


def _take(state: State, cell: int) -> State:
    deal, seat, supply, hands = state.deal, state.seat, state.supply, state.hands
    lying = state.board[cell]
    board = _put(state.board, cell, TAKEN + seat)
    phase = TAKING
    if lying:
        owner = lying - STONE
        supply = _put(supply, owner, supply[owner] + 1)
        if owner != seat:
            phase = GIVING_UP
    if law := deal.laws[cell]:
        hands = (*hands[:seat], hands[seat] + _BYTE[law - 1], *hands[seat + 1 :])
    return _within_turn(
        deal, board, _ends_after(state, cell), supply, state.gone, hands, state.played, phase, seat,
        state.turn, state.taken + _BYTE[cell], state.symbols + _COST[deal.faces[cell]],
        state.limit, state.any_colour,
    )  # fmt: skip


def _give_up(state: State, cell: int | None) -> State:
    seat, board, supply, gone = state.seat, state.board, state.supply, state.gone
    if cell is None:
        supply = _put(supply, seat, supply[seat] - 1)
    else:
        board = _put(board, cell, FREE)
    return _within_turn(
        state.deal, board, state.ends, supply, _put(gone, seat, gone[seat] + 1), state.hands, state.played,
        TAKING, seat, state.turn, state.taken, state.symbols, state.limit, state.any_colour,
    )  # fmt: skip


def _play_law(state: State, kind: int) -> State:
    seat, supply, gone, hands = state.seat, state.supply, state.gone, state.hands
    limit, any_colour = state.limit, state.any_colour
    if kind == TAKE_BACK_STONE:
        supply = _put(supply, seat, supply[seat] + 1)
        gone = _put(gone, seat, gone[seat] - 1)
    elif kind == THREE_SYMBOLS:
        limit = RAISED_LIMIT
    else:
        any_colour = True
    left = hands[seat].replace(_BYTE[kind], b"", 1)
    return _within_turn(
        state.deal, state.board, state.ends, supply, gone, (*hands[:seat], left, *hands[seat + 1 :]),
        state.played + _BYTE[kind], state.phase, seat, state.turn,
        state.taken, state.symbols, limit, any_colour,
    )  # fmt: skip


def _end_taking(state: State) -> State:
    phase = STONE_STEP if has_cards(state.board, state.ends) else OVER
    return _within_turn(
        state.deal, state.board, state.ends, state.supply, state.gone, state.hands, state.played, phase,
        state.seat, state.turn, state.taken, state.symbols, state.limit, state.any_colour,
    )  # fmt: skip


def _place(state: State, cell: int) -> State:
    seat, supply = state.seat, state.supply
    return _end_turn(state, _put(state.board, cell, STONE + seat), _put(supply, seat, supply[seat] - 1))


def _move_stone(state: State, start: int, target: int) -> State:
    board = _put(_put(state.board, start, FREE), target, STONE + state.seat)
    return _end_turn(state, board, state.supply)


def _end_turn(state: State, board: bytes, supply: bytes) -> State:
    deal = state.deal
    ends = row_ends(board) if deal.at_start_only else state.ends
    return _next_turn(
        deal, board, ends, supply, state.gone, state.hands, state.played, state.seat, state.turn
    )


def _next_turn(
    deal: Deal, board: bytes, ends: bytes, supply: bytes, gone: bytes, hands: tuple[bytes, ...],
    played: bytes, seat: Seat, turn: int,
) -> State:  # fmt: skip
    """Pass on to the next seat that has something to decide; cards are left, so there is one."""
    events: tuple[Event, ...] = ()
    while True:
        seat = (seat + 1) % deal.seats
        turn += 1
        legal = _first_moves(board, ends, gone[seat], hands[seat], seat)
        if legal:
            return State(
                deal, board, ends, supply, gone, hands, played, TAKING, seat, turn, b"", 0, LIMIT, False,
                legal, events,
            )  # fmt: skip
        events += ((SKIPPED, seat),)


def _within_turn(
    deal: Deal, board: bytes, ends: bytes, supply: bytes, gone: bytes, hands: tuple[bytes, ...],
    played: bytes, phase: int, seat: Seat, turn: int, taken: bytes, symbols: int, limit: int,
    any_colour: bool,
) -> State:  # fmt: skip
    """A position of the running turn, its legal moves worked out."""
    legal: tuple[Move, ...] = ()
    if phase == TAKING:
        if taken:
            legal = _next_takes(
                deal, board, ends, gone[seat], hands[seat], seat, taken, symbols, limit, any_colour
            )
        else:
            legal = _first_moves(board, ends, gone[seat], hands[seat], seat, limit, any_colour)
    elif phase == STONE_STEP:
        legal = _stone_moves(deal, board, supply[seat], gone[seat], hands[seat], seat)
    elif phase == GIVING_UP:
        legal = _giving_up_moves(board, supply[seat], seat)
    return State(
        deal,
        board,
        ends,
        supply,
        gone,
        hands,
        played,
        phase,
        seat,
        turn,
        taken,
        symbols,
        limit,
        any_colour,
        legal,
    )


# -- legal moves, each list ascending ------------------------------------------------------------------------


def _first_moves(
    board: bytes,
    ends: bytes,
    gone: int,
    hand: bytes,
    seat: Seat,
    limit: int = LIMIT,
    any_colour: bool = False,
) -> tuple[Move, ...]:
    """Before the first card of a turn; empty for a seat that must skip (ruling 6)."""
    if gone == STONES:
        own = STONE + seat
        ends = bytes(cell for cell in ends if board[cell] == FREE or board[cell] == own)
        if not ends:
            return (SKIP, PLAY_LAW + TAKE_BACK_STONE) if TAKE_BACK_STONE in hand else ()
    takes = ends.translate(_TAKE_OF_CELL)
    return (*_taking_laws(hand, gone, limit, any_colour), *takes) if hand else tuple(takes)


def _next_takes(
    deal: Deal, board: bytes, ends: bytes, gone: int, hand: bytes, seat: Seat,
    taken: bytes, symbols: int, limit: int, any_colour: bool,
) -> tuple[Move, ...]:  # fmt: skip
    """After the first card of a turn."""
    faces = deal.faces
    country = _COUNTRY[faces[taken[0]]]
    room = limit - symbols
    moves = [END_TAKING]
    if hand:
        if ends:
            moves += _taking_laws(hand, gone, limit, any_colour)
        elif gone and TAKE_BACK_STONE in hand and has_cards(board, ends):
            moves.append(PLAY_LAW + TAKE_BACK_STONE)
    for cell in ends:
        face = faces[cell]
        if _COST[face] <= room and (any_colour or _COUNTRY[face] == country):
            lying = board[cell]
            if lying == FREE or gone < STONES or lying == STONE + seat:
                moves.append(TAKE + cell)
    return tuple(moves)


def _taking_laws(hand: bytes, gone: int, limit: int, any_colour: bool) -> list[Move]:
    """The laws that have an effect while cards can still be taken (ruling 3)."""
    moves = []
    if gone and TAKE_BACK_STONE in hand:
        moves.append(PLAY_LAW + TAKE_BACK_STONE)
    if limit == LIMIT and THREE_SYMBOLS in hand:
        moves.append(PLAY_LAW + THREE_SYMBOLS)
    if not any_colour and DIFFERENT_COLOURS in hand:
        moves.append(PLAY_LAW + DIFFERENT_COLOURS)
    return moves


def _giving_up_moves(board: bytes, supply: int, seat: Seat) -> tuple[Move, ...]:
    on_cards = tuple(GIVE_UP + cell for cell in stones_of(board, seat))
    return (GIVE_UP_SUPPLY, *on_cards) if supply else on_cards


def _stone_moves(
    deal: Deal, board: bytes, supply: int, gone: int, hand: bytes, seat: Seat
) -> tuple[Move, ...]:
    """Place a stone or, when no further one may be placed, move one (ruling 5)."""
    free = board.translate(_IS_FREE)
    laws = (PLAY_LAW + TAKE_BACK_STONE,) if gone and TAKE_BACK_STONE in hand else ()
    if supply and STONES - supply - gone < deal.stone_limit:
        return (PASS, *laws, *compress(_PLACES, free))
    moves: list[Move] = [PASS, *laws]
    for start in stones_of(board, seat):
        moves += compress(_MOVES_FROM[start], free)
    return tuple(moves)


# -- looking at the board ------------------------------------------------------------------------------------


def stones_of(board: bytes, seat: Seat) -> list[int]:
    """The cells, ascending, under a stone of a seat."""
    cells = []
    cell = board.find(STONE + seat)
    while cell >= 0:
        cells.append(cell)
        cell = board.find(STONE + seat, cell + 1)
    return cells


def has_cards(board: bytes, ends: bytes) -> bool:
    """Whether a card is left in the layout."""
    return bool(ends) or min(board) < TAKEN


def row_ends(board: bytes) -> bytes:
    """The cells, ascending, of the cards at the ends of the rows."""
    ends = bytearray()
    for first in range(0, ROWS * COLUMNS, COLUMNS):
        left = [cell for cell in range(first, first + COLUMNS) if board[cell] < TAKEN]
        ends += bytes(sorted({left[0], left[-1]})) if left else b""
    return bytes(ends)


def _ends_after(state: State, cell: int) -> bytes:
    """The ends when a card is taken: its inner neighbour follows, unless only the start counts (ruling 1)."""
    ends, board = state.ends, state.board
    i = ends.index(cell)
    column = cell % COLUMNS
    if state.deal.at_start_only:
        inner = -1
    elif column < COLUMNS - 1 and board[cell + 1] < TAKEN:
        inner = cell + 1
    elif column and board[cell - 1] < TAKEN:
        inner = cell - 1
    else:
        inner = -1
    follows = _BYTE[inner] if inner >= 0 and inner not in ends else b""
    return ends[:i] + follows + ends[i + 1 :]


def _put(values: bytes, index: int, value: int) -> bytes:
    return values[:index] + _BYTE[value] + values[index + 1 :]


def with_secrets(state: State, laws: bytes, hands: tuple[bytes, ...]) -> State:
    """The same position with other law cards."""
    deal = replace(state.deal, laws=laws)
    other = _within_turn(
        deal, state.board, state.ends, state.supply, state.gone, hands, state.played, state.phase, state.seat,
        state.turn, state.taken, state.symbols, state.limit, state.any_colour,
    )  # fmt: skip
    return replace(other, events=state.events)
