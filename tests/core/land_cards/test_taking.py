"""Taking cards: "a) Take a card" and rulings 1 and 2."""

from __future__ import annotations

import pytest

from kk_core.errors import IllegalMove
from kk_core.games.land_cards.model import TAKEN
from tests.core.land_cards.positions import RULES, legal, play, position, why

SEED = bytes(range(32))


def test_the_cards_at_both_ends_of_the_four_rows_may_be_taken_first() -> None:
    state = RULES.setup({}, 3, SEED)
    assert legal(state) == {f"take {row} {column}" for row in range(1, 5) for column in (1, 14)}


def test_a_player_must_take_at_least_one_card() -> None:
    state = position("FrK FrK FrK")
    assert "end" not in legal(state)
    assert why(state, "end") == "You must take at least one card."
    assert "end" in legal(play(state, "take 1 1"))


def test_andreas_takes_a_card_with_two_symbols_and_may_take_no_other() -> None:
    after = play(position("FrKK FrK FrF"), "take 1 1")
    assert legal(after) == {"end"}


def test_beate_takes_two_cards_of_one_colour_with_a_symbol_each_and_may_take_no_third() -> None:
    after = play(position("FrK FrF FrL FrA"), "take 1 1")
    assert legal(after) == {"end", "take 1 2", "take 1 4"}
    assert legal(play(after, "take 1 4")) == {"end"}


def test_all_cards_of_a_turn_are_of_one_colour() -> None:
    after = play(position("FrK SaK / FrL"), "take 1 1")
    assert legal(after) == {"end", "take 2 1"}
    assert (
        why(after, "take 1 2") == "All cards of a turn must be of one country: you started with Frankreich."
    )


def test_a_card_that_would_make_three_symbols_may_not_be_taken() -> None:
    """Ruling 2."""
    after = play(position("FrK FrKF FrL"), "take 1 1")
    assert legal(after) == {"end", "take 1 3"}
    assert why(after, "take 1 2") == "1 of 2 symbols taken: this card would make 3."
    assert why(play(after, "take 1 3"), "take 1 2") == "2 of 2 symbols taken: this card would make 4."


def test_cards_without_a_symbol_cost_nothing_of_the_limit() -> None:
    """Ruling 2."""
    after = play(position("FrKK Fr-+s Fr-+k Fr-"), "take 1 1; take 1 2; take 1 3")
    assert legal(after) == {"end", "take 1 4"}


def test_ships_and_carriages_do_not_count_as_symbols() -> None:
    after = play(position("FrK+s FrK+k Fr-+s"), "take 1 1")
    assert legal(after, "take") == {"take 1 2", "take 1 3"}


def test_a_card_uncovered_in_the_same_turn_may_be_taken_next() -> None:
    """Ruling 1."""
    after = play(position("FrK FrF FrL"), "take 1 1")
    assert "take 1 2" in legal(after)


def test_with_the_option_only_cards_at_an_end_when_the_turn_began_may_be_taken() -> None:
    """Ruling 1."""
    state = position("FrK FrF FrL", at_start_only=True)
    after = play(state, "take 1 1")
    assert legal(after, "take") == {"take 1 3"}
    assert why(after, "take 1 2") == "This card was not at an end of its row when your turn began."
    next_turn = play(after, "end; pass")
    assert legal(next_turn) == {"take 1 2", "take 1 3"}


def test_with_the_option_every_turn_begins_with_the_ends_of_that_moment() -> None:
    state = RULES.setup({"take": "exposed_at_start"}, 3, SEED)
    after = play(state, "take 1 1; end; pass")
    assert legal(after) == {"take 1 2", "take 1 14"} | {
        f"take {row} {column}" for row in (2, 3, 4) for column in (1, 14)
    }


def test_a_card_inside_a_row_may_not_be_taken() -> None:
    assert why(position("FrK FrF FrL"), "take 1 2") == "This card is not at an end of its row."


def test_a_taken_card_may_not_be_taken_again() -> None:
    after = play(position("FrK FrF FrL"), "take 1 1")
    assert why(after, "take 1 1") == "This card has already been taken."


def test_the_last_card_of_a_row_is_both_of_its_ends() -> None:
    after = play(position("FrK FrF / SaK SaL"), "take 1 1; end; pass")
    assert legal(after, "take 1") == {"take 1 2"}
    assert legal(play(after, "take 1 2; end; pass")) == {"take 2 1", "take 2 2"}


def test_a_taken_card_lies_in_front_of_the_taker() -> None:
    after = play(position("FrK FrF"), "take 1 2")
    assert after.board[1] == TAKEN + 0


def test_only_the_player_whose_turn_it_is_may_move() -> None:
    state = position("FrK FrF")
    assert RULES.active_seats(state) == (0,)
    assert RULES.legal_moves(state, 1) == ()
    assert why(state, "take 1 1", seat="B") == "It is not your turn."


def test_after_ending_no_further_card_may_be_taken() -> None:
    after = play(position("FrK FrF"), "take 1 1; end")
    for line in ("take 1 2", "end"):
        assert why(after, line) == "You've finished taking cards this turn."


def test_end_taking_is_there_also_when_nothing_more_can_be_taken() -> None:
    assert legal(play(position("FrKK SaK"), "take 1 1")) == {"end"}


def test_the_match_ends_after_the_last_card_without_a_stone_step() -> None:
    after = play(position("FrKK"), "take 1 1")
    assert RULES.active_seats(after) == (0,)
    over = play(after, "end")
    assert RULES.active_seats(over) == ()
    assert RULES.legal_moves(over, 0) == ()
    assert RULES.outcome(over) is not None
    assert why(over, "pass") == "The match is over."


def test_play_passes_clockwise_and_every_turn_has_its_number() -> None:
    state = RULES.setup({}, 3, SEED)
    turns = []
    for _ in range(4):
        turns.append((state.seat, RULES.turn(state)))
        line = min(legal(state, "take"))
        state = play(state, f"{line}; end; pass")
    assert turns == [(0, 0), (1, 1), (2, 2), (0, 3)]


@pytest.mark.parametrize("move", [-1, 3, 9, 63, 120, 10**9])
def test_a_number_that_is_no_move_is_refused(move: int) -> None:
    state = position("FrK FrF")
    with pytest.raises(IllegalMove, match=f"There is no move {move}."):
        RULES.apply(state, 0, move)


def test_a_refused_move_leaves_the_position_as_it_was() -> None:
    state = position("FrK FrF FrL")
    before = repr(state)
    with pytest.raises(IllegalMove, match="not at an end"):
        play(state, "take 1 2")
    assert repr(state) == before
