"""What a hint says of a move besides its points."""

from __future__ import annotations

import pytest

from kk_tui.games.land_cards.face import FACE
from tests.core.land_cards.positions import play, position
from tests.tui.land_cards.scenes import move, scene_of

FIRST_ROUND = "take 1 1; end; pass; take 1 2; end; pass; take 2 1; end; pass"
"""Andreas and Beate take the first two cards of row 1, Claus the first of row 2."""


def merit(layout: str, before: str, line: str, gone: str = "") -> str:
    state = position(layout, gone=gone)
    return FACE.merits(scene_of(play(state, before) if before else state), move(line))


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("SaL SaLL SaL SaLL/EnF", "It draws level with Beate in symbols of Sachsen."),
        ("SaL SaLL SaLA SaLL/EnF", "It draws level with Beate in symbols of Sachsen."),
        ("SaL SaLL SaLL SaLL/EnF", "It takes the lead in symbols of Sachsen from Beate."),
        ("SaL SaL SaL SaLL/SaL", "It takes the lead in symbols of Sachsen from Beate and Claus."),
        ("SaL SaLL SaA SaLL/EnF", "It takes the lead in cards of Sachsen from Beate."),
        ("EnL SaLL Sa- SaLL/EnF", "It draws level with Beate in cards of Sachsen."),
    ],
)
def test_of_a_card_that_leads_or_draws_level_it_is_told_in_what_and_with_whom(layout: str, said: str) -> None:
    assert merit(layout, FIRST_ROUND, "take 1 3").startswith(said)


def test_of_a_card_that_changes_no_lead_it_is_told_how_many_of_its_country_there_are_then() -> None:
    assert merit("EnL SaLL SaL SaL/SaL", "", "take 1 1") == "It gives you 1 card of England."
    two_cards = "take 1 1; end; pass; take 1 2; take 1 3; end; pass; take 2 1; end; pass"
    said = "It gives you 1 card of Sachsen. Beate has 2."
    assert merit("ItL SaL SaL Sa-/EnF", two_cards, "take 1 4") == said
    said = "With its card you would have 1 card of Sachsen. Beate has 2."
    assert merit("ItL SaL SaL Sa- EnK/EnF", two_cards, "place 1 4") == said


def test_where_one_stops_it_is_told_which_card_the_next_player_would_be_shown() -> None:
    said = "Taking Sachsen (lion) would uncover Ungarn (two eagles), which Beate could use."
    assert merit("SaL SaL UnAA EnK/EnF", "take 1 1", "end") == said
    before = "take 1 1; take 1 2; end; pass; take 1 3; end; pass; take 2 1; end; pass; take 1 4"
    assert merit("UnA Un- EnL SaL SaL Un- EnK/ItF", before, "end") == "", "Beate would have fewer"


def test_where_stones_stay_it_is_told_where_they_are_and_how_many_are_left() -> None:
    said = "Your stone stays on Sachsen (lion). You keep 2 stones in your supply, which would pay for cards"
    assert merit("EnL EnF SaL@A SaK", "take 1 1; end", "pass") == f"{said} under somebody else's."
    assert merit("EnL EnF SaL SaK", "take 1 1; end", "pass", gone="AAA") == ""


def test_of_a_stone_to_give_up_it_is_told_which_others_stay() -> None:
    said = merit("EnL@B EnF SaL@A SaK@A", "take 1 1", "give 1 4")
    assert said.endswith("Your stone stays on Sachsen (lion).")


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("three_symbols", "Your cards of this turn may then show up to 3 symbols."),
        ("different_colours", "Your cards of this turn may then be of several countries."),
    ],
)
def test_of_a_law_it_is_told_what_it_allows(law: str, said: str) -> None:
    assert merit("EnK SaL", "", f"law {law}") == said


@pytest.mark.parametrize(
    ("layout", "before", "hand", "idle"),
    [
        ("FrKK FrF SaK", "take 1 1", "3", ""),
        ("FrKK FrF SaK", "take 1 1", "d", "d"),
        ("FrKK FrFF SaKK", "take 1 1", "3d", "3d"),
        ("FrK SaL UnLL", "", "3", "3"),
        ("FrK SaL UnLL", "", "d", ""),
        # either would be played for nothing, but not both
        ("FrKK SaL", "", "3", "3"),
        ("FrKK SaL", "", "d", "d"),
        ("FrKK SaL", "", "3d", ""),
        ("FrKK SaL", "take 1 1", "3d", ""),
    ],
)
def test_a_law_that_would_allow_no_other_card_is_said_to_be_played_in_vain_by_hint_and_coach(
    layout: str, before: str, hand: str, idle: str
) -> None:
    said = "Playing it now wouldn't let you take another card."
    state = position(layout, hands=f"A:{hand}")
    scene = scene_of(play(state, before) if before else state)
    for law, letter in (("three_symbols", "3"), ("different_colours", "d")):
        is_idle = letter in idle
        assert (FACE.in_vain(scene, move(f"law {law}")) is not None) is is_idle
        assert (FACE.merits(scene, move(f"law {law}")) == said) is is_idle
    laws = {move(f"law {law}") for law in ("three_symbols", "different_colours")}
    assert not any(FACE.in_vain(scene, each) for each in scene.legal - laws)


@pytest.mark.parametrize(
    ("layout", "line", "said"),
    [
        ("SaL ItF SaK EnL/EnF", "take 1 3", "It keeps the last card of Sachsen from Beate."),
        ("SaL ItF SaK EnL/EnF", "place 1 3", "It guards the last card of Sachsen against Beate."),
        (
            "SaL ItF SaK SaL/EnF", "take 1 3",
            "It keeps a card from Beate, who could catch up with you in Sachsen.",
        ),
        (
            "SaL ItF SaK SaL/EnF", "place 1 3",
            "It guards the card against Beate, who could catch up with you in Sachsen.",
        ),
    ],
)  # fmt: skip
def test_of_a_card_by_which_somebody_could_catch_up_it_is_told_from_whom_it_is_kept(
    layout: str, line: str, said: str
) -> None:
    assert merit(layout, FIRST_ROUND, line) == said


@pytest.mark.parametrize("line", ["take 1 3", "place 1 3"])
@pytest.mark.parametrize(("route", "name"), [("+s", "ships"), ("+k", "carriages")])
def test_of_the_third_ship_or_carriage_it_is_told_that_it_leads_to_a_chain(
    line: str, route: str, name: str
) -> None:
    chain = " ".join([f"Sa-{route}"] * 5)
    said = merit(f"{chain} EnK", "take 1 1; take 1 2", line)
    begin = "It gives you" if line.startswith("take") else "With its card you would have"
    assert said == f"{begin} 3 {name}; 5 make a chain."


def test_where_too_few_ships_are_left_no_chain_is_told() -> None:
    said = merit("Sa-+s Sa-+s Sa-+s Sa-+s EnK", "take 1 1; take 1 2", "take 1 3")
    assert said == "It gives you 3 cards of Sachsen."


def test_of_a_stone_it_is_told_what_its_card_would_bring() -> None:
    said = merit("SaL SaLL SaLL SaLL/EnF", FIRST_ROUND, "place 1 3")
    assert said.startswith("With its card you would take the lead in symbols of Sachsen from Beate.")


def test_of_the_law_that_returns_a_stone_it_is_told_how_many_there_are_then() -> None:
    assert merit("EnK SaL", "", "law take_back_stone", gone="A") == "It gives you 3 stones in your supply."
    assert merit("EnK SaL", "", "law take_back_stone", gone="AAA") == "It gives you 1 stone in your supply."
