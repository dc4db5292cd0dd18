"""Calling rows: the worked example of the rules, clashes, and when a round is over."""

from __future__ import annotations

import pytest

from kk_core.errors import IllegalMove
from kk_core.games.ku_ka_king.model import CARDS, MAX_ROWS
from kk_core.games.ku_ka_king.state import State

from .positions import (
    EVA,
    GAME,
    LINUS,
    SARAH,
    TIM,
    call,
    cards,
    collection,
    exported,
    position,
    random_states,
    rows_of,
    seed,
)

TABLE = (
    "3 sheep / king knight church / 3 horse / 3 pig / 3 cow / sheep king church / 2 goat points4"  # 7 rows
)

EXAMPLE = ((TIM, 6), (SARAH, 2), (LINUS, 2))


@pytest.mark.parametrize(("seats", "rows", "pile", "box"), [(2, 6, 62, 32), (3, 7, 81, 10), (4, 8, 88, 0)])
def test_rows_and_cards_in_the_game_depend_on_the_number_of_players(
    seats: int, rows: int, pile: int, box: int
) -> None:
    state = GAME.setup({}, seats, seed(1))
    assert [len(row) for row in state.rows] == [3] * rows
    assert (len(state.pile), len(state.box)) == (pile, box)


def test_tim_was_the_only_player_to_choose_row_6_so_he_takes_its_three_cards() -> None:
    after = call(position(TABLE), *EXAMPLE)
    assert after.collections[TIM] == collection("sheep king church")
    assert after.rows[5] == b""


def test_sarah_and_linus_both_choose_row_2_so_its_outermost_card_goes_into_the_box() -> None:
    after = call(position(TABLE), *EXAMPLE)
    assert after.rows[1] == cards("king knight")
    assert after.box == cards("church")
    assert after.collections[SARAH] == after.collections[LINUS] == collection("")
    assert exported(after) == [
        {
            "rule": "reveal",
            "taken": [[TIM, 6]],
            "clashes": [{"row": 2, "seats": [SARAH, LINUS], "removed": "church"}],
        }
    ]


def test_only_sarah_and_linus_repeat_and_may_call_any_row_still_available() -> None:
    after = call(position(TABLE), *EXAMPLE)
    assert GAME.active_seats(after) == (SARAH, LINUS)
    assert GAME.legal_moves(after, TIM) == ()
    assert GAME.legal_moves(after, SARAH) == (1, 2, 3, 4, 5, 7)


def test_sarah_takes_three_cards_of_row_7_and_linus_the_two_remaining_of_row_2() -> None:
    after = call(position(TABLE), *EXAMPLE, (SARAH, 7), (LINUS, 2))
    assert after.collections[SARAH] == collection("2 goat points4")
    assert after.collections[LINUS] == collection("king knight")


def test_when_everyone_has_a_row_the_rows_are_filled_again_row_1_first() -> None:
    pile = "farmer farmhouse church 2 points2 king points3 cow knight goose"
    after = call(position(TABLE, pile=pile), *EXAMPLE, (SARAH, 7), (LINUS, 2))
    assert after.rows == rows_of(
        "3 sheep / farmer farmhouse church / 3 horse / 3 pig / 3 cow / 2 points2 king / points3 cow knight"
    )
    assert after.pile == cards("goose")
    assert exported(after) == [
        {"rule": "reveal", "taken": [[SARAH, 7], [LINUS, 2]], "clashes": []},
        {"rule": "round_over"},
        {
            "chance": "fill",
            "rows": [
                [],
                ["farmer", "farmhouse", "church"],
                [],
                [],
                [],
                ["points2", "points2", "king"],
                ["points3", "cow", "knight"],
            ],
        },
    ]
    assert (after.round, GAME.active_seats(after)) == (2, (TIM, SARAH, LINUS))


def test_remaining_cards_stay_in_place_when_a_row_is_filled() -> None:
    state = position(
        "king knight church / 3 sheep / 3 horse", collections=["", ""], pile="cow goat pig goose"
    )
    after = call(state, (TIM, 1), (SARAH, 1), (TIM, 2), (SARAH, 3))
    assert after.rows[0] == cards("king knight cow")
    assert after.rows[1] == cards("goat pig goose")


def test_all_players_may_clash_on_one_row() -> None:
    after = call(position(TABLE), (TIM, 3), (SARAH, 3), (LINUS, 3))
    assert after.rows[2] == cards("2 horse")
    assert GAME.active_seats(after) == (TIM, SARAH, LINUS)


def test_two_clashes_at_the_same_moment_take_a_card_from_both_rows_and_all_four_repeat() -> None:
    state = position("2 sheep king / 2 horse church / 3 pig", collections=["", "", "", ""])
    after = call(state, (TIM, 2), (SARAH, 1), (LINUS, 2), (EVA, 1))
    assert after.box == cards("king church")
    assert after.rows == rows_of("2 sheep / 2 horse / 3 pig")
    assert exported(after)[0]["clashes"] == [
        {"row": 1, "seats": [SARAH, EVA], "removed": "king"},
        {"row": 2, "seats": [TIM, LINUS], "removed": "church"},
    ]
    assert GAME.active_seats(after) == (TIM, SARAH, LINUS, EVA)


def test_a_player_may_take_a_row_of_one_card() -> None:
    after = call(position("king / 3 sheep / 3 pig", collections=["", ""]), (TIM, 1), (SARAH, 2))
    assert after.collections[TIM] == collection("king")


def test_a_row_that_has_been_taken_cannot_be_called_in_the_same_round() -> None:
    """Ruling 2."""
    after = call(position(TABLE), *EXAMPLE)
    assert str(GAME.why_not(after, SARAH, 6)) == "Row 6 is already taken this round."


def test_a_row_that_has_run_empty_cannot_be_called_in_the_same_round() -> None:
    """Ruling 2."""
    after = call(position("king / 3 sheep / 3 pig"), (TIM, 1), (SARAH, 1), (LINUS, 1))
    assert GAME.legal_moves(after, TIM) == (2, 3)
    assert str(GAME.why_not(after, TIM, 1)) == "Row 1 is empty."


@pytest.mark.parametrize(
    ("seat", "row", "reason"),
    [
        (TIM, 3, "You already have your cards for this round."),
        (SARAH, 3, "You have already called."),
        (LINUS, 6, "Row 6 is already taken this round."),
        (LINUS, 0, "There is no row 0."),
        (LINUS, 8, "There is no row 8."),
    ],
)
def test_an_illegal_call_is_refused_with_the_reason(seat: int, row: int, reason: str) -> None:
    state = call(position(TABLE), *EXAMPLE, (SARAH, 1))
    assert str(GAME.why_not(state, seat, row)) == reason
    with pytest.raises(IllegalMove, match=reason.rstrip(".")):
        GAME.apply(state, seat, row)


def is_accepted(state: State, seat: int, move: int) -> bool:
    try:
        GAME.apply(state, seat, move)
    except IllegalMove:
        return False
    return True


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_legal_moves_and_reasons_and_apply_agree_over_all_moves(seats: int) -> None:
    for state in random_states(seats, 5):
        for seat in range(seats):
            legal = GAME.legal_moves(state, seat)
            assert len(set(legal)) == len(legal)
            assert bool(legal) == (seat in GAME.active_seats(state))
            for move in range(-1, MAX_ROWS + 2):
                assert (GAME.why_not(state, seat, move) is None) == (move in legal)
                assert is_accepted(state, seat, move) == (move in legal)


# -- the extremely rare situation (ruling 3) -----------------------------------------------------------------


def test_the_round_ends_at_once_when_only_one_row_has_cards_and_the_affected_go_empty_handed() -> None:
    after = call(position("king / 3 sheep", collections=["", ""]), (TIM, 1), (SARAH, 1))
    assert exported(after)[:2] == [
        {
            "rule": "reveal",
            "taken": [],
            "clashes": [{"row": 1, "seats": [TIM, SARAH], "removed": "king"}],
        },
        {"rule": "round_over"},
    ]
    assert after.collections == (collection(""), collection(""))
    assert after.rows == rows_of("3 goose / 3 sheep")


def test_the_round_ends_at_once_when_no_row_has_cards() -> None:
    state = position("king / church", collections=["", "", "", ""])
    after = call(state, (TIM, 1), (SARAH, 1), (LINUS, 2), (EVA, 2))
    assert exported(after)[1] == {"rule": "round_over"}
    assert all(owned == collection("") for owned in after.collections)
    assert after.box == cards("king church")


def test_a_row_taken_in_the_same_reveal_does_not_count_as_a_row_with_cards() -> None:
    after = call(position("3 king / 2 sheep"), (TIM, 1), (SARAH, 2), (LINUS, 2))
    assert exported(after)[1] == {"rule": "round_over"}
    assert after.collections == (collection("3 king"), collection(""), collection(""))


def test_two_rows_with_cards_are_enough_to_repeat() -> None:
    after = call(position("2 king / 3 sheep", collections=["", ""]), (TIM, 1), (SARAH, 1))
    assert len(exported(after)) == 1
    assert GAME.active_seats(after) == (TIM, SARAH)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_random_match_keeps_every_card_and_comes_to_its_end(seats: int) -> None:
    for number in range(20):
        states = list(random_states(seats, number))
        deck = sorted(b"".join(bytes([i]) * n for i, n in enumerate(GAME.printed.counts)))
        for state in states:
            held = [bytes([i]) * n for owned in state.collections for i, n in enumerate(owned)]
            assert sorted(b"".join((*state.rows, state.pile, state.box, *held))) == deck
            assert all(len(owned) == len(CARDS) for owned in state.collections)
        assert GAME.outcome(states[-1]) is not None
        assert all(GAME.outcome(state) is None for state in states[:-1])
