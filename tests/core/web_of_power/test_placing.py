"""Placing pieces: the 3-2-1 rule, jokers, empty countries, limits for advisors."""

import pytest

from kk_core.errors import IllegalMove
from tests.core.web_of_power.positions import GAME, legal, owned, play, position, reason

JOSE, MARIA, LAURA, PEDRO = range(4)
MANY_IN_FRANKREICH = {"FR1": MARIA, "FR2": MARIA, "FR3": MARIA, "FR4": MARIA}


def placements(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith(("cloister", "advisor"))]


# -- worked examples of the printed rules --------------------------------------------------------------------


def test_jose_places_one_cloister_in_empty_franken_and_cannot_go_on() -> None:
    state = play(position("FR FK FK"), "cloister FK1 Franken/Aragon")
    assert legal(state) == ["end"]
    assert "was empty" in reason(state, "cloister FK2 Franken/Aragon")
    assert "was empty" in reason(state, "advisor Franken Franken/Aragon")
    assert "One country per turn: you started in Franken." in reason(state, "cloister FR1 Frankreich")


def test_maria_places_a_cloister_and_with_a_joker_an_advisor_where_jose_has_begun() -> None:
    state = position("FK BY BY", {"FK1": JOSE}, seat=MARIA)
    state = play(state, "cloister FK2 Franken/Aragon", "advisor Franken Bayern/Burgund+Bayern/Burgund")
    assert legal(state) == ["end"]
    assert state.hands[MARIA] == b""


def test_pedro_with_three_cards_frankreich_places_two_pieces_in_frankreich() -> None:
    state = position("FR FR FR", {"FR1": JOSE}, seat=PEDRO)
    state = play(state, "cloister FR2 Frankreich", "cloister FR3 Frankreich")
    assert legal(state) == ["end"]
    assert "Two pieces per turn" in reason(state, "cloister FR4 Frankreich")


def test_pedro_with_three_cards_frankreich_places_one_piece_anywhere_with_a_joker() -> None:
    state = position("FR FR FR", {"FR1": JOSE}, seat=PEDRO)
    jokers = [line for line in legal(state) if line.endswith("Frankreich+Frankreich")]
    assert len([line for line in jokers if line.startswith("cloister")]) == 53
    state = play(state, "cloister EN1 Frankreich+Frankreich")
    assert legal(state) == ["end"]


def test_three_cards_of_one_country_are_all_used_only_with_a_joker_for_that_country() -> None:
    """Ruling 4."""
    state = play(position("FR FR FR", {"FR1": JOSE}), "cloister FR2 Frankreich+Frankreich")
    assert "cloister FR3 Frankreich" in legal(state)
    elsewhere = play(position("FR FR FR", {"FR1": JOSE, "EN1": MARIA}), "cloister EN2 Frankreich+Frankreich")
    assert legal(elsewhere) == ["end"]


def test_jose_places_two_advisors_where_marias_four_cloisters_leave_room_for_two_more() -> None:
    state = position("FR EN EN", MANY_IN_FRANKREICH, {"Frankreich": [MARIA, PEDRO]})
    state = play(
        state, "advisor Frankreich Frankreich", "advisor Frankreich England/Schwaben+England/Schwaben"
    )
    assert sum(state.advisors) == 4
    later = position("FR FR FR", MANY_IN_FRANKREICH, {"Frankreich": [MARIA, PEDRO, JOSE, JOSE]})
    assert reason(later, "advisor Frankreich Frankreich").startswith("Advisors in Frankreich: 4 of 4")


def test_three_cloisters_of_one_and_two_of_two_others_allow_three_advisors() -> None:
    owners = owned("FR1 FR2 FR3 FR4 FR5 FR6 FR7", (0, 0, 0, 1, 1, 2, 2))
    assert "advisor Frankreich Frankreich" in legal(position("FR FR FR", owners, {"Frankreich": [1, 1]}))
    assert "3 of 3" in reason(
        position("FR FR FR", owners, {"Frankreich": [1, 1, 2]}), "advisor Frankreich Frankreich"
    )


ITALIEN = {"IT1": MARIA, "IT2": MARIA, "IT3": LAURA, "IT4": LAURA}


@pytest.mark.parametrize(
    "lines",
    [
        ("cloister IT5 Lothringen/Italien", "cloister IT6 Lothringen/Italien"),
        ("advisor Italien Lothringen/Italien", "advisor Italien Lothringen/Italien"),
    ],
)
def test_in_italien_maria_and_laura_may_place_two_cloisters_or_two_advisors(lines: tuple[str, str]) -> None:
    for seat in (MARIA, LAURA):
        assert legal(play(position("LO LO FR", ITALIEN, seat=seat), *lines)) == ["end"]


def test_in_italien_maria_makes_a_third_place_with_a_cloister_and_fills_it_in_the_same_turn() -> None:
    state = position("LO LO FR", ITALIEN, {"Italien": [JOSE, LAURA]}, seat=MARIA)
    assert "2 of 2" in reason(state, "advisor Italien Lothringen/Italien")
    state = play(state, "cloister IT5 Lothringen/Italien", "advisor Italien Lothringen/Italien")
    assert sum(state.advisors) == 3


def test_four_green_and_two_white_cloisters_in_italien_allow_four_advisors_of_anybody() -> None:
    green, white, yellow = range(3)
    owners = owned("IT1 IT2 IT3 IT4 IT5 IT6", (green,) * 4 + (white,) * 2)
    state = position("LO FR BY", owners, {"Italien": [white] * 3}, seats=3, seat=yellow)
    state = play(state, "advisor Italien Lothringen/Italien")
    assert "4 of 4" in reason(
        position("LO FR BY", owners, {"Italien": [white] * 4}, seats=3), "advisor Italien Lothringen/Italien"
    )


# -- the rules one by one ------------------------------------------------------------------------------------


def test_a_card_is_good_for_the_countries_it_names() -> None:
    lines = placements(legal(position("FK FR LO")))
    countries = {line.split()[1][:2] for line in lines}
    assert countries == {"FK", "AR", "FR", "LO", "IT"}


def test_in_an_empty_country_no_advisor_may_be_placed() -> None:
    assert "is empty" in reason(position("FR BY LO"), "advisor Frankreich Frankreich")


def test_one_country_per_turn() -> None:
    state = play(position("FK FR FR", {"FK1": 1, "FR1": 1}), "cloister FK2 Franken/Aragon")
    assert {line.split()[1] for line in placements(legal(state))} == {
        "Franken", "FK3", "FK4", "FK5", "FK6", "FK7",
    }  # fmt: skip
    assert "you started in Franken" in reason(state, "advisor Frankreich Frankreich")


def test_a_pair_of_the_countrys_own_colour_may_be_used_as_a_joker() -> None:
    """Ruling 4."""
    state = play(position("FR FR BY", {"FR1": 1}), "cloister FR2 Frankreich+Frankreich")
    assert state.hands[0] == bytes([1])


def test_the_joker_takes_two_cards_of_one_kind() -> None:
    """Ruling 4."""
    state = position("FR FK BY", {"FR1": 1})
    assert reason(state, "cloister EN1 Frankreich+Frankreich") == (
        "A joker takes two Frankreich cards; you have 1."
    )
    assert "you need one England/Schwaben card" in reason(state, "cloister EN1 England/Schwaben")


def test_the_limit_for_advisors_counts_a_cloister_placed_first_in_the_same_turn() -> None:
    """Ruling 5."""
    full = position("FK FK BY", {"FK1": 0}, {"Franken": [1]})
    assert reason(full, "advisor Franken Franken/Aragon").startswith("Advisors in Franken: 1 of 1")
    assert "advisor Franken Franken/Aragon" in legal(play(full, "cloister FK2 Franken/Aragon"))


def test_a_cloister_of_another_does_not_raise_the_limit_above_the_strongest() -> None:
    state = play(
        position("FK FK BY", {"FK1": 1, "FK2": 1}, {"Franken": [1, 1]}), "cloister FK3 Franken/Aragon"
    )
    assert "2 of 2" in reason(state, "advisor Franken Franken/Aragon")


def test_a_space_takes_one_cloister() -> None:
    assert reason(position("FR BY LO", {"FR1": 1}), "cloister FR1 Frankreich") == (
        "FR1 already has a cloister."
    )


def test_a_country_full_of_cloisters_takes_no_more_of_them_but_advisors() -> None:
    full = {"SW1": 0, "SW2": 0, "SW3": 1, "SW4": 1}
    lines = placements(legal(position("EN BY LO", full)))
    assert "advisor Schwaben England/Schwaben" in lines
    assert not [line for line in lines if line.startswith("cloister SW")]


def test_without_pieces_left_only_exchanging_is_possible() -> None:
    state = position("FR FR BY", {"FR1": 1}, cloisters_left=bytes(4), advisors_left=bytes([0, 8, 8, 8]))
    assert legal(state) == ["exchange Bayern/Burgund", "exchange Frankreich"]
    assert reason(state, "cloister FR2 Frankreich") == "You have no cloisters left."
    assert reason(state, "advisor Frankreich Frankreich") == "You have no advisors left."


def test_nobody_can_end_a_turn_without_placing_or_exchanging() -> None:
    assert reason(position(), "end") == "Place a piece or discard a card first."


def test_exchanging_stands_instead_of_placing() -> None:
    """Ruling 2."""
    placed = play(position("FR FR BY", {"FR1": 1}), "cloister FR2 Frankreich")
    assert reason(placed, "exchange Frankreich") == "You can discard a card only instead of placing pieces."
    exchanged = play(position("FR FR BY", {"FR1": 1}), "exchange Bayern/Burgund")
    assert reason(exchanged, "cloister FR2 Frankreich") == "You discarded a card: now draw one."
    assert reason(exchanged, "exchange Frankreich") == "You discarded a card: now draw one."


def test_exactly_one_card_is_exchanged_for_one() -> None:
    """Ruling 2."""
    state = play(position("FR FR BY"), "exchange Bayern/Burgund", "draw pile")
    assert len(state.hands[0]) == 3
    assert state.turn == 1
    assert sum(state.discards) == 1


def test_every_card_that_is_played_goes_to_the_discards() -> None:
    state = play(position("FK BY BY", {"FK1": 1}), "cloister FK2 Franken/Aragon",
                 "advisor Franken Bayern/Burgund+Bayern/Burgund")  # fmt: skip
    assert state.discards == bytes([1, 2, 0, 0, 0])


def test_an_illegal_move_changes_nothing_and_says_why() -> None:
    state = position("FR BY LO")
    with pytest.raises(IllegalMove, match="Place a piece or discard a card first"):
        play(state, "end")
    with pytest.raises(IllegalMove, match="It is not your turn"):
        GAME.apply(state, 1, GAME.legal_moves(state, 0)[0])
    assert state == position("FR BY LO")
