"""The figures in docs/rules/land_cards.md are those of the game."""

from __future__ import annotations

import tomllib

from kk_core import config
from kk_core.games.land_cards.model import ROUTES, SYMBOLS
from kk_core.games.land_cards.notation import LAW_NAMES, ROUTE_NAMES, SYMBOL_NAMES
from kk_core.games.land_cards.scoring import chain_points, land_points, law_points, symbol_points
from kk_tui.games.land_cards.theme import GLYPHS
from tests.rules_page import figures, tables

DATA = tomllib.loads(config.read("land_cards.toml").text)


def test_the_page_lists_the_cards_of_the_deck_in_the_order_of_scoring() -> None:
    rows, _signs = tables("land_cards", "the-cards")
    assert [(name, int(count), cards.split()) for name, count, cards in rows[1:]] == [
        (name, len(cards), cards) for name, cards in DATA["cards"].items()
    ]


def test_the_page_tells_the_letter_and_the_sign_of_each_symbol_and_route() -> None:
    _cards, rows = tables("land_cards", "the-cards")
    signs = [f"land_cards-symbol-{letter}" for letter in SYMBOLS]
    signs += [f"land_cards-route-{name}" for name in ROUTES[1:]]
    names = [*map(str, SYMBOL_NAMES), *map(str, ROUTE_NAMES[1:])]
    said = [(name, GLYPHS[sign][0]) for name, sign in zip(names, signs, strict=True)]
    assert [(name, sign) for name, _letter, sign in rows[1:]] == said
    assert [letter for _name, letter, _sign in rows[1:]] == [*SYMBOLS, "s", "k"]


def test_the_worked_example_is_scored_as_the_page_says() -> None:
    shown, points = tables("land_cards", "example")
    held = {name: cells for name, *cells in shown[1:]}
    expected = figures(points)
    for country in ("Sachsen", "England"):
        cards = [cell.split() for cell in held[country]]
        assert sorted(card for own in cards for card in own) == sorted(DATA["cards"][country])
        counts = [len(own) for own in cards]
        assert land_points(counts, sum(counts)) == expected[f"{country}, land"]
        signs = ["".join(card.partition("+")[0] for card in own) for own in cards]
        symbols = [[own.count(letter) for letter in SYMBOLS] for own in signs]
        assert symbol_points(symbols) == expected[f"{country}, symbols"]
    routes = figures(shown[:1] + shown[3:])
    assert chain_points(routes["all ships"]) == expected["Ships"]
    assert chain_points(routes["all carriages"]) == expected["Carriages"]
    assert law_points([b"\x03" * count for count in routes["-2 points"]]) == expected["-2 points"]


def test_the_page_calls_every_law_card_as_the_screen_does() -> None:
    (rows,) = tables("land_cards", "law-cards")
    assert [name for name, _does in rows[1:]] == [str(name) for name in LAW_NAMES]
