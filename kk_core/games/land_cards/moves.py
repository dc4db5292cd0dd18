"""What a move does: one function per kind of step, each changing a draft: a copy that nobody else holds.

Here and in `legal` moves are bare numbers: to `read` every one would make a step a third slower.
"""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.edit import BYTE, with_byte, with_item
from kk_core.games.land_cards.layout import (
    COST,
    LIMIT,
    RAISED_LIMIT,
    STONES,
    has_cards,
    row_ends,
    uncovered,
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
from kk_core.games.land_cards.state import Deal, Draft, State
from kk_core.types import Event, Move


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
    draft = Draft()
    draft.fill(state)
    act(draft, move)
    return draft.finished(work_out_legal(draft))


def act(draft: Draft, move: Move) -> None:
    """Make a move that is known to be legal."""
    if TAKE <= move < GIVE_UP:  # as most moves do
        take(draft, move - TAKE)
    elif move == END_TAKING:
        end_taking(draft)
    elif move >= MOVE:
        _move_stone(draft, *divmod(move - MOVE, CELLS))
    elif move >= PLACE:
        place(draft, move - PLACE)
    elif move >= GIVE_UP:
        _give_up(draft, move - GIVE_UP)
    elif move == GIVE_UP_SUPPLY:
        give_up_from_supply(draft)
    elif move >= PLAY_LAW:
        _play_law(draft, move - PLAY_LAW)
    else:  # PASS or SKIP
        end_turn(draft)


def take(draft: Draft, cell: int) -> None:
    """The card of an end is taken."""
    deal, seat, board = draft.deal, draft.seat, draft.board
    lying = board[cell]
    draft.board = board = with_byte(board, cell, TAKEN + seat)
    if lying != FREE:
        owner = lying - STONE
        draft.supply = with_byte(draft.supply, owner, draft.supply[owner] + 1)
        if owner != seat:
            draft.phase = GIVING_UP
    if law := deal.laws[cell]:
        draft.hands = with_item(draft.hands, seat, draft.hands[seat] + BYTE[law - 1])
        _note(draft, cell)
    if deal.at_start_only:
        draft.ends = draft.ends.replace(BYTE[cell], b"")
    else:
        draft.ends = uncovered(board, draft.ends, cell)
    draft.taken += BYTE[cell]
    draft.symbols += COST[deal.faces[cell]]


def end_taking(draft: Draft) -> None:
    """No more cards are taken in this turn; the match is over when none is left."""
    draft.phase = STONE_STEP if has_cards(draft.board) else OVER


def _give_up(draft: Draft, cell: int) -> None:
    draft.board = with_byte(draft.board, cell, FREE)
    _lose_stone(draft)
    draft.phase = TAKING


def give_up_from_supply(draft: Draft) -> None:
    """A stone leaves the game that lay on no card."""
    _use_stone(draft)
    _lose_stone(draft)
    draft.phase = TAKING


def _use_stone(draft: Draft) -> None:
    """A stone leaves the supply of the seat whose turn it is."""
    seat, supply = draft.seat, draft.supply
    draft.supply = with_byte(supply, seat, supply[seat] - 1)


def _lose_stone(draft: Draft) -> None:
    """A stone of the seat whose turn it is leaves the game."""
    seat, gone = draft.seat, draft.gone
    draft.gone = with_byte(gone, seat, gone[seat] + 1)


def _play_law(draft: Draft, kind: int) -> None:
    seat = draft.seat
    draft.hands = with_item(draft.hands, seat, draft.hands[seat].replace(BYTE[kind], b"", 1))
    _note(draft, LAW_PLAYED + kind)
    if kind == TAKE_BACK_STONE:
        draft.supply = with_byte(draft.supply, seat, draft.supply[seat] + 1)
        draft.gone = with_byte(draft.gone, seat, draft.gone[seat] - 1)
    elif kind == THREE_SYMBOLS:
        draft.limit = RAISED_LIMIT
    else:
        draft.any_colour = True


def place(draft: Draft, cell: int) -> None:
    """A stone from the supply is laid on a card."""
    draft.board = with_byte(draft.board, cell, STONE + draft.seat)
    _use_stone(draft)
    end_turn(draft)


def _move_stone(draft: Draft, start: int, target: int) -> None:
    board = with_byte(draft.board, start, FREE)
    draft.board = with_byte(board, target, STONE + draft.seat)
    end_turn(draft)


def end_turn(draft: Draft) -> None:
    """Pass on to the next seat that has something to decide.

    There is one: cards are left, and one under a stone can be taken by the stone's owner.
    """
    if draft.deal.at_start_only:
        draft.ends = row_ends(draft.board)
    draft.phase, draft.symbols, draft.limit, draft.any_colour = TAKING, 0, LIMIT, False
    draft.taken = b""
    while True:
        draft.seat = seat = (draft.seat + 1) % draft.deal.seats
        draft.turn += 1
        if draft.gone[seat] < STONES:  # it can pay for any card
            return
        legal = work_out_legal(draft)
        if not legal:
            draft.events += ((SKIPPED, seat),)
            if draft.hands[seat]:
                _note(draft, LAW_LACKED)
        elif legal[0] == SKIP:
            _note(draft, LAW_HELD)
            return
        else:
            return


def _note(draft: Draft, what: int) -> None:
    """Everybody has seen this of the law cards of the seat whose turn it is."""
    draft.law_log += BYTE[draft.seat] + BYTE[what]
