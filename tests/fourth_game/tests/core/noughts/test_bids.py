"""The rules of Noughts and bids, as docs/rules/noughts.md tells them."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.games.noughts.game import create
from kk_core.games.noughts.state import State
from kk_core.registry import game
from kk_core.types import Outcome

RULES = game("noughts")
SEED = bytes(32)


def begun(favoured: int = 1, coins: tuple[int, int] = (5, 5)) -> State:
    """Return the state before the first bid."""
    state: State = RULES.setup({}, 2, SEED)
    return replace(state, favoured=favoured, coins=bytes(coins))


def played(state: State, *lines: str) -> State:
    """Return the state after some moves, each behind its seat."""
    for line in lines:
        seat, _, move = line.partition(" ")
        state = RULES.apply(state, int(seat), RULES.parse_move(move))
    return state


def test_the_seed_decides_who_is_favoured_first() -> None:
    """Ruling 1."""
    assert {RULES.setup({}, 2, bytes([n]) * 32).favoured for n in range(16)} == {0, 1}


def test_nobody_sees_a_bid_of_the_other_before_both_have_bid() -> None:
    """Ruling 2."""
    few, many = (played(begun(), f"0 bid {coins}") for coins in (1, 4))
    for viewer in (1, None):
        assert RULES.observe(few, viewer) == RULES.observe(many, viewer)
        assert RULES.visible_move(0, RULES.parse_move("bid 1"), viewer) is None
    assert RULES.observe(few, 0) != RULES.observe(many, 0)


def test_the_higher_bid_is_paid_to_the_other_seat() -> None:
    state = played(begun(), "1 bid 1", "0 bid 3")
    assert (state.placer, tuple(state.coins), state.favoured) == (0, (2, 8), 1)


def test_of_equal_bids_that_of_the_favoured_seat_wins_and_favours_the_other_one() -> None:
    """Ruling 3, as in the example of the page; bids of no coin, too."""
    state = played(begun(), "0 bid 2", "1 bid 2")
    assert (state.placer, tuple(state.coins), state.favoured) == (1, (7, 3), 0)
    state = played(state, "1 place b2", "0 bid 0", "1 bid 0")
    assert (state.placer, tuple(state.coins), state.favoured) == (0, (7, 3), 1)


def test_who_has_a_line_wins_and_nobody_by_a_full_board_without_one() -> None:
    """Ruling 4, and (scoring 1)."""
    lines = bytes((1, 1, 1, 2, 2, 0, 0, 0, 0))
    full = bytes((1, 2, 1, 1, 2, 2, 2, 1, 1))
    for board, outcome, points in ((lines, Outcome((0,)), (1, 0)), (full, Outcome(()), (0, 0))):
        state = replace(begun(), board=board)
        assert (RULES.outcome(state), RULES.score(state), RULES.active_seats(state)) == (
            outcome,
            (points,),
            (),
        )


def test_a_bid_is_refused_that_cannot_be_paid_and_a_mark_where_one_is() -> None:
    state = played(begun(coins=(5, 1)), "0 bid 5")
    assert str(RULES.why_not(state, 1, RULES.parse_move("bid 2"))) == "You have one coin."
    state = played(state, "1 bid 0", "0 place a1", "0 bid 0", "1 bid 1")
    assert str(RULES.why_not(state, 1, RULES.parse_move("place a1"))) == "There is a mark already."


def test_no_coin_is_ever_lost() -> None:
    assert sum(played(begun(), "0 bid 5", "1 bid 4", "0 place c3").coins) == 10
    assert create().printed.coins == 5
