"""What a move does: one function per kind of step, each from a position to the next.

Here and in `legal` moves are bare numbers: to `read` every one would make a step a third slower.
"""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.games.land_cards.layout import (
    BYTE,
    COST,
    LIMIT,
    RAISED_LIMIT,
    STONES,
    ends_after,
    has_cards,
    put,
    row_ends,
)
from kk_core.games.land_cards.legal import work_out_legal
from kk_core.games.land_cards.model import (
    CELLS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    LAW_HELD,
    LAW_LACKED,
    LAW_PLAYED,
    MOVE,
    OVER,
    PLACE,
    PLAY_LAW,
    SKIP,
    SKIPPED,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
)
from kk_core.games.land_cards.state import Deal, State
from kk_core.moveset import has_move
from kk_core.types import Event, Move, Seat


def is_legal(state: State, seat: Seat, move: Move) -> bool:
    """Whether a seat may make a move."""
    return seat == state.seat and has_move(state.legal, move)


def first_position(deal: Deal) -> State:
    """The position before the first move."""
    board = bytes(CELLS)
    return settle(
        State(
            deal=deal, board=board, ends=row_ends(board), supply=bytes((STONES,) * deal.seats),
            gone=bytes(deal.seats), hands=(b"",) * deal.seats, law_log=b"", phase=TAKING, seat=0, turn=0,
            taken=b"", symbols=0, limit=LIMIT, any_colour=False,
        )
    )  # fmt: skip


def settle(state: State, events: tuple[Event, ...] = ()) -> State:
    """The same position with its legal moves worked out."""
    return replace(state, legal=work_out_legal(state), events=events)


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
        return settle(replace(state, phase=STONE_STEP if has_cards(state.board) else OVER))
    if move == GIVE_UP_SUPPLY:
        return _give_up_from_supply(state)
    if move >= PLAY_LAW:
        return _play_law(state, move - PLAY_LAW)
    return _end_turn(state)  # PASS or SKIP


def _take(state: State, cell: int) -> State:
    deal, seat, supply = state.deal, state.seat, state.supply
    lying = state.board[cell]
    board = put(state.board, cell, TAKEN + seat)
    phase = TAKING
    if lying != FREE:
        owner = lying - STONE
        supply = put(supply, owner, supply[owner] + 1)
        phase = TAKING if owner == seat else GIVING_UP
    if law := deal.laws[cell]:
        state = _into_hand(state, cell, law - 1)
    ends = state.ends
    ends = ends.replace(BYTE[cell], b"") if deal.at_start_only else ends_after(board, ends, cell)
    return settle(
        replace(
            state, board=board, ends=ends, supply=supply, phase=phase,
            taken=state.taken + BYTE[cell], symbols=state.symbols + COST[deal.faces[cell]],
        )
    )  # fmt: skip


def _into_hand(state: State, cell: int, kind: int) -> State:
    hands = list(state.hands)
    hands[state.seat] += BYTE[kind]
    return replace(_noted(state, cell), hands=tuple(hands))


def _give_up(state: State, cell: int) -> State:
    seat, gone = state.seat, state.gone
    board = put(state.board, cell, FREE)
    return settle(replace(state, board=board, gone=put(gone, seat, gone[seat] + 1), phase=TAKING))


def _give_up_from_supply(state: State) -> State:
    seat, supply, gone = state.seat, state.supply, state.gone
    supply = put(supply, seat, supply[seat] - 1)
    return settle(replace(state, supply=supply, gone=put(gone, seat, gone[seat] + 1), phase=TAKING))


def _play_law(state: State, kind: int) -> State:
    seat, supply, gone = state.seat, state.supply, state.gone
    hands = list(state.hands)
    hands[seat] = hands[seat].replace(BYTE[kind], b"", 1)
    after = replace(_noted(state, LAW_PLAYED + kind), hands=tuple(hands))
    if kind == TAKE_BACK_STONE:
        supply, gone = put(supply, seat, supply[seat] + 1), put(gone, seat, gone[seat] - 1)
        return settle(replace(after, supply=supply, gone=gone))
    if kind == THREE_SYMBOLS:
        return settle(replace(after, limit=RAISED_LIMIT))
    return settle(replace(after, any_colour=True))


def _place(state: State, cell: int) -> State:
    seat, supply = state.seat, state.supply
    board = put(state.board, cell, STONE + seat)
    return _end_turn(replace(state, board=board, supply=put(supply, seat, supply[seat] - 1)))


def _move_stone(state: State, start: int, target: int) -> State:
    board = put(put(state.board, start, FREE), target, STONE + state.seat)
    return _end_turn(replace(state, board=board))


def _end_turn(state: State) -> State:
    """Pass on to the next seat that has something to decide.

    There is one: cards are left, and one under a stone can be taken by the stone's owner.
    """
    ends = row_ends(state.board) if state.deal.at_start_only else state.ends
    state = replace(state, ends=ends, phase=TAKING, taken=b"", symbols=0, limit=LIMIT, any_colour=False)
    events: tuple[Event, ...] = ()
    while True:
        seat = (state.seat + 1) % state.deal.seats
        state = settle(replace(state, seat=seat, turn=state.turn + 1), events)
        if not state.legal:
            events += ((SKIPPED, seat),)
            if state.hands[seat]:
                state = _noted(state, LAW_LACKED)
        elif state.legal[0] == SKIP:
            return _noted(state, LAW_HELD)
        else:
            return state


def _noted(state: State, what: int) -> State:
    """The same position after everybody has seen this of the law cards of the seat whose turn it is."""
    return replace(state, law_log=state.law_log + BYTE[state.seat] + BYTE[what])
