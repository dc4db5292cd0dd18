"""Setting up, bidding, and placing."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.checks import check_number, check_seat, checked_setup
from kk_core.errors import IllegalMove
from kk_core.games.noughts import scoring
from kk_core.games.noughts.model import BID, CELLS, FREE, META, NO_BID, OPENED, PLACE, Bid, Printed, read
from kk_core.games.noughts.state import State
from kk_core.text import Text, text, texts
from kk_core.types import Move, Options, Seat

_SEATS = META.max_seats


def setup(printed: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Return the state before the first bid (ruling 1). Raises `InvalidOptions`."""
    checked_setup(META, options, seats, seed)
    favoured = Chance(seed).below(_SEATS)
    return State(
        bytes(CELLS), bytes([printed.coins] * _SEATS), bytes(_SEATS), None, favoured, 0, bytes(_SEATS)
    )


def active_seats(state: State) -> tuple[Seat, ...]:
    """Return who has no bid on the table yet, or who may place."""
    if scoring.is_over(state.board):
        return ()
    if state.placer is not None:
        return (state.placer,)
    return tuple(seat for seat, bid in enumerate(state.bids) if bid == NO_BID)


def legal_moves(state: State, seat: Seat) -> tuple[Move, ...]:
    """Return every bid that a seat can pay, or every free space."""
    check_seat(seat, _SEATS)
    if seat not in active_seats(state):
        return ()
    if state.placer is None:
        return tuple(range(BID, BID + state.coins[seat] + 1))
    return tuple(PLACE + space for space, mark in enumerate(state.board) if mark == FREE)


def why_not(state: State, seat: Seat, move: Move) -> Text | None:
    """Explain why a move is not legal; None when it is. Raises `InvalidMove` or `InvalidSeat`."""
    check_number(move)
    check_seat(seat, _SEATS)
    meant = read(move) if 0 <= move < META.moves else None
    if scoring.is_over(state.board):
        return text("The match is over.")
    if meant is None:
        return text("There is no such move.")
    if isinstance(meant, Bid):
        return _why_no_bid(state, seat, meant.coins)
    if state.placer is None:
        return text("First both bid for the right to place.")
    if state.placer != seat:
        return text("The other one has won the bidding.")
    return None if state.board[meant.space] == FREE else text("There is a mark already.")


def _why_no_bid(state: State, seat: Seat, coins: int) -> Text | None:
    if state.placer is not None:
        return text("The bids are open: now a mark is placed.")
    if state.bids[seat] != NO_BID:
        return text("Your bid lies there already.")
    if coins > state.coins[seat]:
        return texts("You have one coin.", "You have {n} coins.", state.coins[seat])
    return None


def apply(state: State, seat: Seat, move: Move) -> State:
    """Return the state after a bid or a mark. Raises `IllegalMove`."""
    reason = why_not(state, seat, move)
    if reason is not None:
        raise IllegalMove(reason)
    meant = read(move)
    if isinstance(meant, Bid):
        bids = _with(state.bids, seat, meant.coins + 1)
        after = replace(state, bids=bids, events=())
        return after if NO_BID in bids else _opened(after)
    board = _with(state.board, meant.space, seat + 1)
    return replace(state, board=board, placer=None, turn=state.turn + 1, events=())


def _opened(state: State) -> State:
    # Both bids are turned over; the higher one is paid to the other seat (rulings 2 and 3).
    first, second = bids = bytes(bid - 1 for bid in state.bids)
    winner = state.favoured if first == second else int(second > first)
    other = 1 - winner
    coins = _with(state.coins, winner, state.coins[winner] - bids[winner])
    return replace(
        state, coins=_with(coins, other, coins[other] + bids[winner]), bids=bytes(_SEATS), placer=winner,
        favoured=other if first == second else state.favoured, turn=state.turn + 1,
        opened=state.bids, events=((OPENED, bids, winner),),
    )  # fmt: skip


def _with(values: bytes, place: int, value: int) -> bytes:
    return values[:place] + bytes([value]) + values[place + 1 :]
