"""The figures in docs/rules/land_cards.md are those of the game."""

from __future__ import annotations

import tomllib

import pytest

from kk_core import config
from kk_core.games.land_cards.model import ROUTES, SYMBOLS
from kk_core.games.land_cards.notation import LAW_NAMES, ROUTE_NAMES, SYMBOL_NAMES
from kk_core.games.land_cards.scoring import chain_points, land_points, law_points, symbol_points
from kk_tui.games import appearances
from kk_tui.games.land_cards.theme import GLYPHS
from tests.rules_page import figures, tables

SIGNS = {letter: GLYPHS[f"land_cards-symbol-{letter}"][0] for letter in SYMBOLS}
SIGNS |= {
    letter: GLYPHS[f"land_cards-route-{name}"][0] for letter, name in zip("sk", ROUTES[1:], strict=True)
}

DATA = tomllib.loads(config.read("land_cards.toml").text)


def in_signs(code: str) -> str:
    """A card's code in the data as its signs: "K+s" as a cross and a ship."""
    return "".join(SIGNS[letter] for letter in code if letter in SIGNS)


def test_the_page_lists_the_cards_of_the_deck_in_the_order_of_scoring() -> None:
    _signs, rows = tables("land_cards", "the-cards")
    assert [(name, int(count), cards.split()) for name, count, cards in rows[1:]] == [
        (name, len(cards), [*map(in_signs, cards)]) for name, cards in DATA["cards"].items()
    ]


@pytest.mark.parametrize("column", [0, 1])
def test_the_page_tells_the_sign_of_each_symbol_and_route(column: int) -> None:
    twins = appearances()["land_cards"].twins if column else None
    rows, _cards = tables("land_cards", "the-cards", twins=twins)
    signs = [f"land_cards-symbol-{letter}" for letter in SYMBOLS]
    signs += [f"land_cards-route-{name}" for name in ROUTES[1:]]
    names = [*map(str, SYMBOL_NAMES), *map(str, ROUTE_NAMES[1:])]
    assert [*map(tuple, rows[1:])] == [
        (name, GLYPHS[sign][column]) for name, sign in zip(names, signs, strict=True)
    ]


def test_the_worked_example_is_scored_as_the_page_says() -> None:
    shown, points = tables("land_cards", "example")
    held = {name: cells for name, *cells in shown[1:]}
    expected = figures(points)
    for country in ("Sachsen", "England"):
        cards = [cell.split() for cell in held[country]]
        assert sorted(card for own in cards for card in own) == sorted(map(in_signs, DATA["cards"][country]))
        counts = [len(own) for own in cards]
        assert land_points(counts, sum(counts)) == expected[f"{country}, land"]
        symbols = [["".join(own).count(in_signs(letter)) for letter in SYMBOLS] for own in cards]
        assert symbol_points(symbols) == expected[f"{country}, symbols"]
    routes = figures(shown[:1] + shown[3:])
    assert chain_points(routes["all ships"]) == expected["Ships"]
    assert chain_points(routes["all carriages"]) == expected["Carriages"]
    assert law_points([b"\x03" * count for count in routes["-2 points"]]) == expected["-2 points"]


def test_the_page_calls_every_law_card_as_the_screen_does() -> None:
    (rows,) = tables("land_cards", "law-cards")
    assert [name for name, _does in rows[1:]] == [str(name) for name in LAW_NAMES]
