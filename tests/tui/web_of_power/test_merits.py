"""What a hint says of a move beyond its points: what stands on the board, and what it makes possible."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs
from textual.content import Content

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CARDS,
    COUNTRY_NAMES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    FREE,
    NO_CARD,
    PAIR,
    SINGLE,
    PlaceCloister,
)
from kk_core.games.web_of_power.state import State
from kk_core.match import Match
from kk_tui.games.web_of_power.face import hint_words
from kk_tui.games.web_of_power.merits import merits, promises
from kk_tui.i18n import render
from kk_tui.languages import languages, translate
from kk_tui.scene import Scene
from tests.core.web_of_power.positions import GAME, owned, position
from tests.tui.scenes import match_of, scene_of_match


def seen(state: State) -> Scene[Any]:
    """A position as its first player sees it; the others are Beate, Claus and Dora."""
    match = match_of("web_of_power", 4)
    match.state = state
    return scene_of_match(match)


def told(state: State, line: str) -> str:
    return merits(seen(state), GAME.parse_move(line))


def compared(state: State, better: str, other: str) -> str:
    return promises(seen(state), GAME.parse_move(better), GAME.parse_move(other))


# -- two placements ------------------------------------------------------------------------------------------


def test_of_two_cloisters_it_is_said_whose_country_counts_in_more_alliances() -> None:
    state = position(hand="LO EN FK")
    lothringen, england = "cloister LO1 Lothringen/Italien", "cloister EN1 England/Schwaben"
    assert compared(state, lothringen, england) == "Lothringen counts in 4 alliances, England only in 2."
    assert "alliances" not in compared(state, england, lothringen)
    nobody = structs.replace(state, advisors_left=bytes(4))
    assert "alliances" not in compared(nobody, lothringen, england)


@pytest.mark.parametrize(
    ("has_map", "words"),
    [
        (True, "From there 3 roads lead on for a chain, from the other place 1."),
        (False, "From AR3 3 roads lead on for a chain, from AR1 1."),
    ],
)
def test_of_two_cloisters_in_a_country_it_is_said_from_which_one_more_roads_lead_on(
    has_map: bool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.games.web_of_power.merits.is_on_screen", lambda: has_map)
    state = position(hand="FK FK FR")
    three, one = "cloister AR3 Franken/Aragon", "cloister AR1 Franken/Aragon"
    assert compared(state, three, one) == words
    assert not compared(state, one, three)
    taken = position(hand="FK FK FR", cloisters=owned("AR2 AR4", (1, 1)))
    assert compared(taken, three, one) != words


def test_of_two_cloisters_with_nothing_else_before_them_it_is_said_where_more_spaces_are_free() -> None:
    state = position(hand="FK FK FR")
    franken, aragon = "cloister FK2 Franken/Aragon", "cloister AR2 Franken/Aragon"
    assert compared(state, franken, aragon) == "Franken has 6 free spaces left, Aragon 5."


def test_of_two_advisors_it_is_said_whose_country_counts_in_more_alliances() -> None:
    state = position(hand="FR FK FK", cloisters=owned("FR1 FK1", (0, 0)))
    frankreich, franken = "advisor Frankreich Frankreich", "advisor Franken Franken/Aragon"
    assert compared(state, frankreich, franken) == "Frankreich counts in 4 alliances, Franken only in 3."
    assert not compared(state, franken, frankreich)
    assert not compared(state, frankreich, "cloister FK2 Franken/Aragon")


# -- cloisters -----------------------------------------------------------------------------------------------


def test_a_cloister_that_leaves_a_line_one_short_says_where_the_chain_can_be_closed() -> None:
    state = position(cloisters=owned("LO1 LO3", (0, 0)))
    words = told(state, "cloister LO4 Lothringen/Italien")
    assert words == "It makes a line of 3; one more in Frankreich or Lothringen makes a chain."


def test_a_cloister_by_itself_that_one_more_would_join_to_others_is_no_line_of_one() -> None:
    state = position(cloisters=owned("LO3 LO4", (0, 0)))
    words = told(state, "cloister FR1 Frankreich")
    assert words == "One more in Lothringen would join it to a chain."


def test_a_cloister_beside_a_chain_that_it_keeps_from_nothing_is_not_in_its_way() -> None:
    chain = position(cloisters=owned("LO1 LO3 LO4 LO5", (1,) * 4))
    assert "keeps Beate" not in told(chain, "cloister FR5 Frankreich")
    assert told(chain, "cloister LO2 Lothringen/Italien") == "It keeps Beate from a chain of 5."


def test_a_cloister_in_the_way_of_a_chain_names_whose_it_is() -> None:
    state = position(cloisters=owned("LO1 LO3 LO4", (1, 1, 1)))
    assert told(state, "cloister LO5 Lothringen/Italien") == "It keeps Beate from a chain of 4."


def test_a_cloister_that_makes_room_for_an_advisor_says_how_many_alliances_one_would_win() -> None:
    state = position(cloisters=owned("BA1 FK4", (1, 1)), advisors={"Franken": [0], "Bayern": [1]})
    assert "room for an advisor" not in told(state, "cloister BA6 Bayern/Burgund")
    own = position(cloisters=owned("BA1 FK4", (0, 1)), advisors={"Franken": [0], "Bayern": [1]})
    words = told(own, "cloister BA6 Bayern/Burgund")
    assert words == "It makes room for an advisor in Bayern, who would win you an alliance."
    poor = position(cloisters=owned("BA1 FK4", (0, 1)), advisors={"Bayern": [1]})
    assert "room for an advisor" not in told(poor, "cloister BA6 Bayern/Burgund")


def test_a_cloister_by_itself_says_whether_a_chain_can_begin_there() -> None:
    state = position(hand="FK FK FR")
    words = told(state, "cloister AR1 Franken/Aragon")
    assert words == "A chain could grow along roads in Aragon."
    words = told(state, "cloister FR8 Frankreich")
    assert words == "A chain could grow along roads to Aragon and Burgund."
    beside = position(cloisters=owned("AR1", (0,)))
    words = told(beside, "cloister AR2 Franken/Aragon")
    assert words == "It makes a line of 2, with room for a chain of 4."


def test_a_cloister_without_room_for_a_chain_is_told_by_those_that_are_there_then() -> None:
    closed = position(cloisters=owned("AR2 AR3", (1, 1)))
    words = told(closed, "cloister AR1 Franken/Aragon")
    assert words == "It gives you 1 cloister in Aragon. Beate has 2."


# -- advisors ------------------------------------------------------------------------------------------------


def test_an_advisor_says_where_the_next_one_would_win_most_alliances() -> None:
    state = position(cloisters=owned("FK1 BA1 SW1", (0, 1, 1)), advisors={"Bayern": [], "Schwaben": [0]})
    words = told(state, "advisor Franken Franken/Aragon")
    assert words == "One more advisor in Bayern would then win 2 alliances."


def test_an_advisor_says_whom_it_keeps_from_an_alliance() -> None:
    state = position(cloisters=owned("FK1 SW1", (0, 1)), advisors={"Schwaben": [1]})
    words = told(state, "advisor Franken Franken/Aragon")
    assert words == "It keeps Beate from winning an alliance with one advisor there."


def test_an_advisor_who_changes_nothing_else_is_told_by_those_that_are_there_then() -> None:
    state = position(cloisters=owned("AR1 AR2 AR3 AR4 AR5", (1,) * 5), advisors={"Aragon": [0, 1, 1]})
    assert told(state, "advisor Aragon Franken/Aragon") == "It gives you 2 advisors in Aragon. Beate has 2."
    alone = position(cloisters=owned("AR1", (1,)))
    assert told(alone, "advisor Aragon Franken/Aragon") == "It gives you 1 advisor in Aragon."


# -- cards ---------------------------------------------------------------------------------------------------


def drawing(**fields: Any) -> State:
    return position(hand="FK BY", phase=DRAWING, **fields)


def test_an_open_card_says_which_alliances_an_advisor_would_win_with_it() -> None:
    state = drawing(cloisters=owned("FK1 LO1", (1, 1)), advisors={"Franken": [0]}, face_up=bytes((2, 3)))
    words = told(state, "draw Lothringen/Italien")
    assert words == "As things stand, an advisor in Lothringen would win you an alliance."


def test_an_open_card_says_which_chain_a_cloister_would_make_with_it() -> None:
    state = drawing(cloisters=owned("LO1 LO3 LO4", (0, 0, 0)), face_up=bytes((2, 3)))
    assert told(state, "draw Lothringen/Italien") == "A cloister in Lothringen would make a chain of 4."


def test_an_open_card_is_told_by_what_it_makes_with_the_hand_and_where_it_leads() -> None:
    match = first_where_drawing()
    scene = scene_of_match(match, match.game.active_seats(match.state)[0])
    view, printed = scene.observation, scene.observation.printed
    told = {kind: merits(scene, DRAW_FACE_UP + kind) for kind in view.face_up if kind != NO_CARD}
    assert told
    for kind, words in told.items():
        assert ("makes a pair" in words) == (view.hand.count(kind) == 1)
        for country in CARD_COUNTRIES[kind]:
            free = [space for space in printed.spaces_of[country] if view.board[space] == FREE]
            spaces = "space" if len(free) == 1 else "spaces"
            assert (f"{render(COUNTRY_NAMES[country])} has {len(free)} free {spaces}." in words) == bool(free)
    like = sum(view.unseen[kind] for kind in set(view.hand))
    cards = sum(view.unseen)
    assert merits(scene, DRAW_PILE) == f"{like} of the {cards} unseen cards match one in your hand."
    assert cards == view.pile + sum(view.hand_sizes) - len(view.hand) - sum(
        len(shown) for seat, shown in enumerate(view.shown) if seat != view.viewer
    )


def test_what_is_left_in_the_hand_speaks_for_the_end_of_placing_and_for_a_card_to_discard() -> None:
    three, pair = position(hand="FK BY LO"), position(hand="FK FK LO")
    assert told(three, "exchange Lothringen/Italien") == "You keep Franken/Aragon and Bayern/Burgund."
    kept = "You keep a pair of Franken/Aragon, which pays for a piece in any country."
    assert told(pair, "exchange Lothringen/Italien") == kept
    assert told(position(hand="FK FK", placed=1), "end") == kept
    assert told(position(hand="LO", placed=1), "end") == "You keep Lothringen/Italien."


def test_of_two_ways_to_pay_for_a_piece_it_is_said_what_one_saves() -> None:
    state = position(hand="FR FK FK")
    one, two = "cloister FR1 Frankreich", "cloister FR1 Franken/Aragon+Franken/Aragon"
    assert compared(state, one, two) == "It does the same with one card instead of two."
    assert not compared(state, two, one)


def first_where_drawing() -> Match:
    """A match in which somebody draws, early enough that no card would win anything at once."""
    return next(
        match
        for match in (match_of("web_of_power", 3, plies) for plies in range(20))
        if match.state.phase == DRAWING and any(kind != NO_CARD for kind in match.state.face_up)
    )


@pytest.mark.parametrize("language", languages())
def test_a_hint_to_build_takes_three_lines_of_the_narrowest_drawer_at_most(language: str) -> None:
    scene = seen(position())
    printed = scene.observation.printed
    for space, country in enumerate(printed.country_of):
        for payment in (SINGLE, *(PAIR + kind for kind in range(len(CARDS)))):
            said = translate(hint_words(scene, PlaceCloister(space, payment).move), language)
            assert len(Content(said).wrap(20)) <= 3, (country, said)
