"""Which move pointing at the map means with the chosen cards; the moves themselves come from the engine."""

from __future__ import annotations

from kk_core.games.web_of_power.model import (
    CARDS,
    COUNTRIES,
    NO_CARD,
    PAIR,
    SINGLE,
    DrawFaceUp,
    DrawFromPile,
    PlaceAdvisor,
    PlaceCloister,
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
DRAW = DrawFromPile().move


def test_a_target_is_a_space_or_the_crest_of_a_country() -> None:
    for target in (FR1, IT1, CREST + FRANKREICH):
        for payment in (SINGLE, PAIR + BAY):
            assert target_of(LAND, move_at(target, payment)) == (target, payment)
    assert country_of(LAND, CREST + FRANKREICH) == country_of(LAND, FR1) == FRANKREICH
    assert target_of(LAND, DRAW) is None


def test_one_card_pays_only_where_it_names_the_country() -> None:
    legal = [
        PlaceCloister(FR1, SINGLE).move,
        PlaceCloister(IT1, SINGLE).move,
        PlaceAdvisor(FRANKREICH, SINGLE).move,
    ]
    open_ = payable(LAND, placements(LAND, legal), [FRANK])
    assert set(open_) == {FR1, CREST + FRANKREICH}


def test_two_chosen_cards_of_one_kind_pay_as_a_joker_anywhere() -> None:
    legal = [PlaceCloister(FR1, PAIR + BAY).move, PlaceCloister(IT1, SINGLE).move]
    assert set(payable(LAND, placements(LAND, legal), [BAY, BAY])) == {FR1}
    assert not payable(LAND, placements(LAND, legal), [BAY])


def test_with_a_card_and_a_pair_chosen_both_ways_of_paying_are_known() -> None:
    legal = [PlaceCloister(IT1, SINGLE).move, PlaceCloister(IT1, PAIR + BAY).move]
    open_ = payable(LAND, placements(LAND, legal), [BAY, BAY, LOTH])
    assert set(open_[IT1]) == {SINGLE, PAIR + BAY}


def test_what_the_engine_does_not_offer_is_never_lit() -> None:
    assert not payable(LAND, placements(LAND, [DRAW]), [FRANK, FRANK, FRANK])


def test_an_impossible_try_is_the_move_that_the_chosen_cards_suggest() -> None:
    assert attempt(LAND, FR1, [BAY, BAY]) == PlaceCloister(FR1, PAIR + BAY).move
    assert attempt(LAND, FR1, [FRANK, FRANK]) == PlaceCloister(FR1, SINGLE).move
    assert attempt(LAND, CREST + FRANKREICH, []) == PlaceAdvisor(FRANKREICH, SINGLE).move


def test_draws_are_offered_in_the_order_in_which_the_cards_lie() -> None:
    legal = [DRAW, DrawFaceUp(FRANK).move, DrawFaceUp(BAY).move]
    assert sources(bytes((FRANK, BAY)), legal) == [DrawFaceUp(FRANK).move, DrawFaceUp(BAY).move, DRAW]
    assert sources(bytes((FRANK, FRANK)), [DrawFaceUp(FRANK).move]) == [DrawFaceUp(FRANK).move]
    assert sources(bytes((NO_CARD, NO_CARD)), [DRAW]) == [DRAW]


def test_cards_stay_chosen_as_far_as_the_hand_still_has_them() -> None:
    assert keep(bytes((BAY, FRANK)), [BAY, BAY, FRANK]) == (0, 1)
    assert keep(bytes((FRANK, FRANK)), [FRANK]) == (0,)
