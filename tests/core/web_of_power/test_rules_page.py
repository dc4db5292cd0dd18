"""The figures in docs/rules/web_of_power.md are those of the game."""

from __future__ import annotations

import tomllib

from kk_core import config
from tests.core.web_of_power.positions import GAME, position
from tests.rules_page import figures, tables

DATA = tomllib.loads(config.read("web_of_power.toml").text)


def test_the_page_lists_the_cards_for_each_number_of_players() -> None:
    (rows,) = tables("web_of_power", "set-up")
    players = [int(head.split()[0]) for head in rows[0][1:]]
    assert figures(rows) == {
        name: tuple(count - DATA["removed"][str(seats)] for seats in players)
        for name, count in DATA["cards"].items()
    }


def test_the_page_lists_the_alliances_in_scoring_order() -> None:
    (rows,) = tables("web_of_power", "the-map")
    assert rows[1:] == [
        [str(number), pair.replace("-", ", ")] for number, pair in enumerate(DATA["alliances"], 1)
    ]


def test_the_page_lists_all_spaces_and_roads() -> None:
    countries, borders = tables("web_of_power", "spaces-and-roads")
    for head, spaces, roads in countries[1:]:
        name, code = head.split()
        country = DATA["countries"].pop(name)
        assert len(country["spaces"]) == int(spaces)
        assert [road.replace(code, "") for road in country["roads"]] == roads.split()
    assert not DATA["countries"]
    listed = [road for _, roads in borders[1:] for road in roads.split()]
    assert listed == DATA["border_roads"]


def test_the_worked_example_is_scored_as_the_page_says() -> None:
    built, courts, points = tables("web_of_power", "example")
    cloisters = {space: seat for seat, (_, spaces) in enumerate(built[1:]) for space in spaces.split()}
    advisors = {
        country: [seat for seat, count in enumerate(counts) for _ in range(count)]
        for country, counts in figures(courts).items()
    }
    state = position(cloisters=cloisters, advisors=advisors)
    sheet = dict(zip(GAME.sheet, GAME.score(state), strict=True))
    expected = figures(points)
    assert sum(map(sum, sheet.values())) == sum(expected.pop("Sum"))
    for line, scored in expected.items():
        item = "chains" if line == "Chains" else f"final:cloisters:{line}"
        assert sheet[line.lower().replace(" ", ":") if line.startswith("Alliance") else item] == scored


def test_the_advisors_of_the_worked_example_are_within_their_limits() -> None:
    built, courts, _ = tables("web_of_power", "example")
    for country, counts in figures(courts).items():
        code = {"England": "EN", "Frankreich": "FR", "Lothringen": "LO", "Schwaben": "SW"}[country]
        assert sum(counts) <= max(spaces.count(code) for _, spaces in built[1:])
