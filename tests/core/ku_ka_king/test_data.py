"""The data file is checked when it is read."""

from __future__ import annotations

from typing import Any

import pytest

from kk_core import config
from kk_core.config import Source
from kk_core.errors import BadData, InvalidOptions
from kk_core.games.ku_ka_king.data import FILE
from kk_core.games.ku_ka_king.game import create

from .positions import GAME, seed

PRINTED = config.read(FILE).text


def changed(old: str, new: str) -> Source:
    assert old in PRINTED
    return Source("x.toml", PRINTED.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("count = 12", "count = 13", "x.toml: $.cards: There must be 112 cards in all, not 113."),
        ("count = 5", "count = 4", "x.toml: $.cards[0]: Each animal must have 5 cards; sheep has 4."),
        ('"king"', '"kin"', "x.toml: $.cards[8]: Unknown type 'kin'; known types: sheep, "),
        ('"king"', '"knight"', "x.toml: $.cards[9]: Type knight is listed twice."),
        ("kept = true", "kept = 1", "x.toml: $.cards[0].kept: Expected `bool`, got `int`"),
        ("count = 12", "count = 0", "x.toml: $.cards[8].count: Expected `int` >= 1"),
        ("knight = 1 ", "knigth = 1 ", "x.toml: $.points: Object contains unknown field `knigth`"),
        ("seats = 4", "seats = 3", "x.toml: $.tables: There must be one table for each seat count"),
        ("cards = 80", "cards = 17", "x.toml: $.tables[0].cards: 17 cards cannot fill 6 rows: 18 are"),
        ("cards = 112", "cards = 113", "x.toml: $.tables[2].cards: Expected `int` <= 112"),
        ("rows = 8", "rows = 9", "x.toml: $.tables[2].rows: Expected `int` <= 8"),
        ("[points]", "[points", "x.toml: line "),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_by_file_key_and_reason(old: str, new: str, error: str) -> None:
    with pytest.raises(BadData) as refused:
        create(changed(old, new))
    assert str(refused.value).startswith(error)


def test_a_missing_type_is_refused() -> None:
    first, _, rest = PRINTED.partition('[[cards]]\ntype = "king"')
    with pytest.raises(BadData, match="Card type king is missing"):
        create(Source("x.toml", first + rest[rest.index("[[cards]]") :]))


def test_an_owner_may_correct_the_split_of_reconstructed_cards_and_gets_another_rules_version() -> None:
    corrected = PRINTED.replace("count = 12 # R", "count = 11 # R").replace(
        "count = 10 # R", "count = 11 # R"
    )
    game: Any = create(Source("x.toml", corrected))
    assert sum(game.printed.counts) == 112
    assert game.rules_version != GAME.rules_version


@pytest.mark.parametrize(
    ("options", "seats", "reason"),
    [
        ({}, 1, "Ku-Ka-King is for 2 to 4 players, not 1."),
        ({}, 5, "Ku-Ka-King is for 2 to 4 players, not 5."),
        ({"take": "x"}, 3, "Ku-Ka-King has no options, so there is no 'take'."),
    ],
)
def test_unknown_seats_and_options_are_refused(options: dict[str, str], seats: int, reason: str) -> None:
    with pytest.raises(InvalidOptions) as refused:
        GAME.setup(options, seats, seed(0))
    assert str(refused.value) == reason
