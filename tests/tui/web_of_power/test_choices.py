"""Which move pointing at the map means with the chosen cards; the moves themselves come from the engine."""

from __future__ import annotations

from kk_core.games.web_of_power.model import (
    CARDS,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    NO_CARD,
    PAIR,
    SINGLE,
    advisor_move,
    cloister_move,
)
from kk_tui.games.web_of_power.choices import (
    CREST,
    attempt,
    country_of,
    keep,
    move_at,
    payable,
    placements,
    sources,
    target_of,
)
from tests.core.web_of_power.positions import LAND

FR1 = LAND.spaces.index("FR1")
IT1 = LAND.spaces.index("IT1")
FRANKREICH = COUNTRIES.index("Frankreich")
FRANK = CARDS.index("Frankreich")
LOTH = CARDS.index("Lothringen/Italien")
BAY = CARDS.index("Bayern/Burgund")


def test_a_target_is_a_space_or_the_crest_of_a_country() -> None:
    for target in (FR1, IT1, CREST + FRANKREICH):
        for payment in (SINGLE, PAIR + BAY):
            assert target_of(move_at(target, payment)) == (target, payment)
    assert country_of(LAND, CREST + FRANKREICH) == country_of(LAND, FR1) == FRANKREICH
    assert target_of(DRAW_PILE) is None


def test_one_card_pays_only_where_it_names_the_country() -> None:
    legal = [cloister_move(FR1, SINGLE), cloister_move(IT1, SINGLE), advisor_move(FRANKREICH, SINGLE)]
    open_ = payable(LAND, placements(legal), [FRANK])
    assert set(open_) == {FR1, CREST + FRANKREICH}


def test_two_chosen_cards_of_one_kind_pay_as_a_joker_anywhere() -> None:
    legal = [cloister_move(FR1, PAIR + BAY), cloister_move(IT1, SINGLE)]
    assert set(payable(LAND, placements(legal), [BAY, BAY])) == {FR1}
    assert not payable(LAND, placements(legal), [BAY])


def test_with_a_card_and_a_pair_chosen_both_ways_of_paying_are_known() -> None:
    legal = [cloister_move(IT1, SINGLE), cloister_move(IT1, PAIR + BAY)]
    open_ = payable(LAND, placements(legal), [BAY, BAY, LOTH])
    assert set(open_[IT1]) == {SINGLE, PAIR + BAY}


def test_what_the_engine_does_not_offer_is_never_lit() -> None:
    assert not payable(LAND, placements([DRAW_PILE]), [FRANK, FRANK, FRANK])


def test_an_impossible_try_is_the_move_that_the_chosen_cards_suggest() -> None:
    assert attempt(LAND, FR1, [BAY, BAY]) == cloister_move(FR1, PAIR + BAY)
    assert attempt(LAND, FR1, [FRANK, FRANK]) == cloister_move(FR1, SINGLE)
    assert attempt(LAND, CREST + FRANKREICH, []) == advisor_move(FRANKREICH, SINGLE)


def test_draws_are_offered_in_the_order_in_which_the_cards_lie() -> None:
    legal = [DRAW_PILE, DRAW_FACE_UP + FRANK, DRAW_FACE_UP + BAY]
    assert sources(bytes((FRANK, BAY)), legal) == [DRAW_FACE_UP + FRANK, DRAW_FACE_UP + BAY, DRAW_PILE]
    assert sources(bytes((FRANK, FRANK)), [DRAW_FACE_UP + FRANK]) == [DRAW_FACE_UP + FRANK]
    assert sources(bytes((NO_CARD, NO_CARD)), [DRAW_PILE]) == [DRAW_PILE]


def test_cards_stay_chosen_as_far_as_the_hand_still_has_them() -> None:
    assert keep(bytes((BAY, FRANK)), [BAY, BAY, FRANK]) == (0, 1)
    assert keep(bytes((FRANK, FRANK)), [FRANK]) == (0,)
