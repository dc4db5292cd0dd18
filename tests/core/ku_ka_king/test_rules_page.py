"""The figures in docs/rules/ku_ka_king.md are those of the game."""

from __future__ import annotations

import tomllib

from kk_core import config
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import CARDS
from tests.rules_page import figures, numbered, tables

from .positions import GAME, collection

DATA = tomllib.loads(config.read("ku_ka_king.toml").text)
SCALE = GAME.printed.scale


WHOLE = {"wife": "farmers_wife", "house": "farmhouse"}
"""Cards that the deck calls by their whole names."""


def word(shown: str) -> str:
    """The name of a card in the deck by that on the page."""
    number, _, rest = shown.partition(" ")
    return f"points{number}" if rest == "points" else WHOLE.get(shown, shown)


def test_the_page_lists_the_cards_of_the_deck_and_which_of_them_stay() -> None:
    (rows,) = tables("ku_ka_king", "the-cards")
    listed = [
        (word(name), int(count.split()[0]), mark == "stays")
        for names, count, mark in rows[1:]
        for name in names.split(", ")
    ]
    assert listed == [(kind["type"], kind["count"], kind["kept"]) for kind in DATA["cards"]]


def test_the_page_lists_rows_and_cards_for_each_number_of_players() -> None:
    (rows,) = tables("ku_ka_king", "set-up")
    assert [[*map(int, row[:3])] for row in rows[1:]] == [
        [table["seats"], table["rows"], table["cards"]] for table in DATA["tables"]
    ]
    assert [int(row[3].replace("none", "0")) for row in rows[1:]] == [112 - int(row[2]) for row in rows[1:]]


def test_the_page_has_the_points_of_the_scale() -> None:
    kings, animals = (tuple(map(int, rows[1][1:])) for rows in tables("ku_ka_king", "scoring"))
    assert kings == SCALE.kings[1:]
    assert animals == SCALE.animals[1:]
    points = numbered("ku_ka_king", "scoring")
    assert f"{SCALE.churches} points" in points[2]
    assert f"{SCALE.most_knights} points for each" in points[4]
    assert f"a pair: {SCALE.pair} points" in points[6]
    assert f"a trio: {SCALE.trio} points" in points[6]


def test_the_worked_example_is_scored_as_the_page_says() -> None:
    held, points = tables("ku_ka_king", "example")
    counts = {word(name): cells for name, cells in figures(held).items()}
    assert set(counts) <= set(CARDS)
    collections = [
        collection(" ".join(f"{cells[seat]} {card}" for card, cells in counts.items() if cells[seat]))
        for seat in range(3)
    ]
    expected = figures(points)
    expected.pop("Sum")
    assert scoring.score(collections, SCALE) == tuple(expected.values())
