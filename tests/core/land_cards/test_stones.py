"""Claiming stones: placing, moving, taking cards under them, skipping; rulings 4 to 6."""

from __future__ import annotations

from kk_core.games.land_cards.model import SKIPPED
from tests.core.land_cards.positions import RULES, legal, play, position, why

# -- the stone step ------------------------------------------------------------------------------------------


def test_after_taking_a_player_may_place_a_stone_on_any_card_of_the_layout() -> None:
    after = play(position("FrK FrF FrL / SaK"), "take 1 1; end")
    assert legal(after) == {"pass", "place 1 2", "place 1 3", "place 2 1"}


def test_no_stone_is_placed_where_one_lies() -> None:
    after = play(position("FrK FrF@B FrL@A SaL"), "take 1 1; end")
    assert legal(after) == {"pass", "place 1 4"}
    assert why(after, "place 1 2") == "This card already has a stone on it."


def test_no_stone_is_placed_on_a_card_in_front_of_a_player() -> None:
    """Ruling 5."""
    after = play(position("FrK FrF"), "take 1 1; end")
    assert why(after, "place 1 1") == "Stones go only on cards in the rows, and this card has been taken."


def test_stones_come_after_taking() -> None:
    state = position("FrK FrF")
    for line in ("place 1 2", "move 1 1 1 2", "pass"):
        assert why(state, line) == "First take a card; stones come after that."
        after = play(state, "take 1 1")
        assert why(after, line) == "First end taking cards; stones come after that."


def test_with_three_players_all_three_stones_may_lie_on_cards() -> None:
    """Ruling 5."""
    after = play(position("FrK FrF@A FrL@A SaL"), "take 1 1; end")
    assert legal(after) == {"pass", "place 1 4"}


def test_with_four_players_only_two_stones_may_lie_on_cards() -> None:
    """Ruling 5."""
    after = play(position("FrK FrF@A FrL@A SaL", seats=4), "take 1 1; end")
    assert legal(after) == {"pass", "move 1 2 1 4", "move 1 3 1 4"}
    assert why(after, "place 1 4") == "Only 2 of your stones may be on cards; you may move one instead."


def test_with_five_players_only_two_stones_may_lie_on_cards() -> None:
    """Ruling 5."""
    after = play(position("FrK FrF@A FrL SaL", seats=5), "take 1 1; end; place 1 3")
    assert after.supply[0] == 1


def test_a_stone_is_moved_only_when_all_that_may_be_placed_lie_on_cards() -> None:
    """Ruling 5."""
    after = play(position("FrK FrF@A FrL@A SaL"), "take 1 1; end")
    assert why(after, "move 1 2 1 4") == "You can move a stone only when you can't place another."
    full = play(position("FrK FrF@A FrL@A SaL@A UnK"), "take 1 1; end")
    assert legal(full) == {"pass", "move 1 2 1 5", "move 1 3 1 5", "move 1 4 1 5"}


def test_who_cannot_place_a_stone_is_told_what_they_can_do_instead() -> None:
    full = play(position("FrK FrF@A FrL@A SaL@A UnK"), "take 1 1; end")
    said = why(full, "place 1 5")
    assert said == "You have no stone in your supply; choose one that's on a card to move it."
    lost = play(position("FrK FrF FrL", gone="AAA"), "take 1 1; end")
    assert why(lost, "place 1 2") == "You have no stone to place or to move; end your turn without one."
    held = play(position("FrK FrF FrL", gone="AAA", hands="A:t"), "take 1 1; end")
    assert why(held, "place 1 2") == (
        "You have no stone in your supply; your law “Take back a stone” brings one back."
    )
    covered = play(position("FrK FrF@A FrL@B", gone="AA"), "take 1 1; end")
    assert why(covered, "place 1 3") == "You have no stone to place or to move; end your turn without one."


def test_who_has_lost_stones_moves_when_the_remaining_ones_lie_on_cards() -> None:
    after = play(position("FrK FrF@A FrL SaL", gone="AA"), "take 1 1; end")
    assert legal(after) == {"pass", "move 1 2 1 3", "move 1 2 1 4"}


def test_a_lost_stone_does_not_count_among_those_on_cards() -> None:
    after = play(position("FrK FrF@A FrL", seats=4, gone="A"), "take 1 1; end")
    assert legal(after) == {"pass", "place 1 3"}


def test_who_has_lost_all_stones_passes() -> None:
    assert legal(play(position("FrK FrF FrL", gone="AAA"), "take 1 1; end")) == {"pass"}


def test_only_own_stones_are_moved_and_only_to_free_cards() -> None:
    after = play(position("FrK FrF@A FrL@B SaL", gone="AA"), "take 1 1; end")
    assert legal(after, "move") == {"move 1 2 1 4"}
    assert why(after, "move 1 3 1 4") == "You have no stone on this card."
    assert why(after, "move 1 2 1 3") == "This card already has a stone on it."
    assert why(after, "move 1 2 1 1") == "Stones go only on cards in the rows, and this card has been taken."


def test_moving_a_stone_takes_it_from_one_card_to_another() -> None:
    after = play(position("FrK FrF@A FrL SaL", gone="AA"), "take 1 1; end; move 1 2 1 4")
    assert (after.board[1], after.board[3], after.supply[0]) == (0, 1, 0)


def test_no_stone_needs_to_be_placed() -> None:
    after = play(position("FrK FrF"), "take 1 1; end; pass")
    assert (after.seat, after.supply[0]) == (1, 3)


# -- cards under stones --------------------------------------------------------------------------------------


def test_who_takes_a_card_under_his_own_stone_gets_it_back() -> None:
    after = play(position("FrK@A FrF"), "take 1 1")
    assert (after.supply[0], after.gone[0]) == (3, 0)
    assert "end" in legal(after)


def test_a_card_under_the_own_stone_need_not_be_taken() -> None:
    assert legal(position("FrK@A FrF")) == {"take 1 1", "take 1 2"}


def test_who_takes_a_card_under_an_opponents_stone_gives_one_up_and_the_opponent_gets_his_back() -> None:
    after = play(position("FrK@B FrF"), "take 1 1")
    assert legal(after) == {"give supply"}
    paid = play(after, "give supply")
    assert (paid.supply[0], paid.gone[0], paid.supply[1], paid.gone[1]) == (2, 1, 3, 0)
    assert legal(paid) == {"end", "take 1 2"}


def test_andreas_with_all_stones_on_cards_gives_up_one_of_these_for_beates_card() -> None:
    """Ruling 4."""
    after = play(position("FrK@B FrF@A FrL@A SaK@A SaA"), "take 1 1")
    assert legal(after) == {"give 1 2", "give 1 3", "give 1 4"}
    assert why(after, "give supply") == "You have no stone in your supply; give up one that's on a card."
    paid = play(after, "give 1 3")
    assert (paid.board[2], paid.supply[0], paid.gone[0], paid.supply[1]) == (0, 0, 1, 3)


def test_the_taker_chooses_between_the_reserve_stone_and_one_on_a_card() -> None:
    """Ruling 4."""
    after = play(position("FrK@B FrF@A FrL@A SaK", seats=4), "take 1 1")
    assert legal(after) == {"give supply", "give 1 2", "give 1 3"}
    assert why(after, "give 1 4") == "You have no stone on this card."


def test_nothing_else_is_possible_before_the_stone_is_given_up() -> None:
    """Ruling 3."""
    after = play(position("FrK@B FrF SaK", hands="A:3d", gone="A"), "take 1 1")
    sentence = "First give up a stone for the card you took from under an opponent's stone."
    for line in ("take 1 2", "end", "law three_symbols", "pass", "place 1 2", "move 1 2 1 3"):
        assert why(after, line) == sentence


def test_a_stone_is_given_up_only_for_an_opponents_card() -> None:
    after = play(position("FrK FrF@A"), "take 1 1")
    for line in ("give supply", "give 1 2"):
        assert (
            why(after, line)
            == "You give up a stone only right after taking a card under an opponent's stone."
        )


def test_who_has_no_stone_left_cannot_take_an_opponents_card() -> None:
    state = position("FrK@B FrF", gone="AAA")
    assert legal(state) == {"take 1 2"}
    assert why(state, "take 1 1") == "It's under an opponent's stone, and you have no stone left to give up."
    assert legal(play(position("FrF FrK@B", gone="AAA"), "take 1 1")) == {"end"}


def test_who_has_no_stone_left_may_not_take_a_second_opponents_card_either() -> None:
    after = play(position("FrK@B FrF@B SaK", gone="AA"), "take 1 1; give supply")
    assert legal(after) == {"end"}


def test_the_last_stone_can_be_given_up_for_the_last_card() -> None:
    over = play(position("FrK@B", gone="AA"), "take 1 1; give supply; end")
    assert RULES.active_seats(over) == ()


# -- skipping ------------------------------------------------------------------------------------------------


def test_a_player_who_can_take_no_card_skips_the_whole_turn() -> None:
    """Ruling 6."""
    after = play(position("FrK SaK@A SaL@A", gone="BBB"), "take 1 1; end; pass")
    assert (after.seat, after.turn) == (2, 2)
    assert RULES.events(after) == ((SKIPPED, 1),)
    assert RULES.export_event(after, (SKIPPED, 1)) == {"rule": "skip", "seat": 1}


def test_several_players_in_a_row_skip() -> None:
    after = play(position("FrK SaK@A SaL@A", gone="BBBCCC"), "take 1 1; end; pass")
    assert (after.seat, after.turn) == (0, 3)
    assert RULES.events(after) == ((SKIPPED, 1), (SKIPPED, 2))
    assert RULES.events(play(after, "take 1 2")) == ()


def test_who_can_take_only_opponents_cards_and_owns_a_stone_must_take_one() -> None:
    """Ruling 6."""
    after = play(position("FrK SaK@A SaL@A", gone="BB"), "take 1 1; end; pass")
    assert after.seat == 1
    assert legal(after) == {"take 1 2", "take 1 3"}
    assert why(after, "skip") == "You can skip your turn only when you can't take a card."


def test_who_could_take_only_after_taking_back_a_stone_plays_the_law_or_skips() -> None:
    """Ruling 6."""
    after = play(position("FrK SaK@A SaL@A", gone="BBB", hands="B:t3d"), "take 1 1; end; pass")
    assert after.seat == 1
    assert legal(after) == {"law take_back_stone", "skip"}
    assert why(after, "law three_symbols") == "You can't take any card, so this law wouldn't help."
    skipped = play(after, "skip")
    assert (skipped.seat, RULES.events(skipped)) == (2, ())
    played = play(after, "law take_back_stone")
    assert legal(played, "take") == {"take 1 2", "take 1 3"}
    assert not legal(played, "skip")
    assert legal(play(played, "take 1 2")) == {"give supply"}
