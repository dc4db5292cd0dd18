"""The deck file: what it holds, and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kk_core import config
from kk_core.errors import BadData
from kk_core.games.land_cards.data import FILE
from kk_core.games.land_cards.game import create
from kk_core.games.land_cards.model import (
    COUNTRIES,
    ROUTES,
    SYMBOLS,
    Printed,
    country_of,
    route_of,
    symbols_of,
)

SOURCE = config.read(FILE)
GAME: Any = create()
DECK: Printed = GAME.printed


def changed(old: str, new: str) -> config.Source:
    assert old in SOURCE.text
    return config.Source("deck.toml", SOURCE.text.replace(old, new, 1))


def test_there_are_56_land_cards_in_the_numbers_that_the_rules_name() -> None:
    counts = Counter(COUNTRIES[country_of(face)] for face in DECK.faces)
    assert counts == {
        "Dänemark": 4, "England": 5, "Italien": 6, "Bayern": 6, "Ungarn": 6,
        "Kastilien": 7, "Franken": 7, "Sachsen": 7, "Frankreich": 8,
    }  # fmt: skip
    assert len(DECK.faces) == 56


def test_the_deck_has_68_circle_symbols_15_ships_and_12_carriages() -> None:
    symbols = Counter(SYMBOLS[symbol] for face in DECK.faces for symbol in symbols_of(face))
    assert symbols == {"K": 18, "L": 17, "A": 16, "F": 10, "T": 7}
    assert Counter(len(symbols_of(face)) for face in DECK.faces) == {2: 20, 1: 28, 0: 8}
    routes = Counter(ROUTES[route_of(face)] for face in DECK.faces)
    assert (routes["ship"], routes["carriage"]) == (15, 12)


def test_there_are_two_law_cards_of_each_kind_on_the_eight_marked_cells() -> None:
    assert Counter(DECK.laws) == {0: 2, 1: 2, 2: 2, 3: 2}
    assert list(DECK.law_cells) == [1, 12, 16, 25, 31, 38, 46, 51]


def test_an_owner_of_the_printed_game_may_correct_a_card_and_the_rules_version_changes() -> None:
    corrected = create(changed('"KL", "L+s", "L+s", "K"', '"KL", "A+s", "L+s", "-"'))
    assert corrected.rules_version != GAME.rules_version


def test_an_owner_may_correct_how_many_law_cards_there_are_of_a_kind() -> None:
    source = changed("take_back_stone = 2\nthree_symbols = 2", "take_back_stone = 1\nthree_symbols = 3")
    game: Any = create(source)
    assert Counter(game.printed.laws) == {0: 1, 1: 3, 2: 2, 3: 2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"F", "-+s"]', '"F"]', "deck.toml: cards.England: 4 cards, but the printed game has 5."),
        ('"TT"', '"TX"', "deck.toml: cards.Kastilien[0]: 'TX' must begin with symbols (K F L A T)"),
        ('"TT"', '""', "deck.toml: cards.Kastilien[0]: '' must begin with symbols (K F L A T)"),
        ('"TT"', '"TTT"', "deck.toml: cards.Kastilien[0]: 'TTT' has more than two symbols."),
        ('"T+s"', '"T+x"', "deck.toml: cards.Kastilien[3]: 'T+x' has no valid route: +s is a ship"),
        ('"T+s"', '"T+"', "deck.toml: cards.Kastilien[3]: 'T+' has no valid route: +s is a ship"),
        ("England =", "Schottland =", "deck.toml: cards.Schottland: Unknown name; known names: "),
        ("England =", "# England =", "deck.toml: cards.England: This entry is missing."),
        ("minus_two = 2", "minus_two = 3", "deck.toml: laws: 9 law cards, but the printed game has 8."),
        ("minus_two = 2", "minus_two = 0", "deck.toml: laws.minus_two: There must be at least one card"),
        ("minus_two = 2", "minus_ten = 2", "deck.toml: laws.minus_ten: Unknown name; known names: "),
        ("minus_two = 2", 'minus_two = "2"', "deck.toml: $.laws[...]: Expected `int`, got `str`"),
        ("[4, 10]", "[4, 15]", "deck.toml: layout.law_positions: Row 4, column 15 is outside the layout"),
        ("[4, 10]", "[0, 1]", "deck.toml: layout.law_positions: Row 0, column 1 is outside the layout"),
        ("[4, 10]", "[4, 5]", "deck.toml: layout.law_positions: A position is named twice."),
        (", [4, 10]", "", "deck.toml: layout.law_positions: 7 positions for 8 law cards."),
        ("[4, 10]", "[4]", "deck.toml: $.layout.law_positions[7]: Expected `array` of length 2"),
        ("[layout]", "[layuot]", "deck.toml: $: Object"),
        ("[laws]", "[laws", "deck.toml: line "),
    ],
)  # fmt: skip
def test_a_faulty_deck_file_is_refused_with_file_key_and_reason(old: str, new: str, message: str) -> None:
    with pytest.raises(BadData) as error:
        create(changed(old, new))
    assert str(error.value).startswith(message)
