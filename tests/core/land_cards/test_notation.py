"""Moves as text and as parts of an exported record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from kk_core.errors import InvalidMove
from kk_core.games.land_cards.model import (
    END_TAKING,
    GIVE_UP_SUPPLY,
    LAWS,
    MOVE,
    MOVES_END,
    PASS,
    PLAY_LAW,
    SKIP,
    SKIPPED,
    EndTaking,
    GiveUp,
    MoveStone,
    Observation,
    Pass,
    PlaceStone,
    PlayLaw,
    Skip,
    Skipped,
    Take,
    read,
    read_event,
)
from kk_core.games.land_cards.notation import describe_event, describe_move
from kk_core.tree import pack, to_tree, unpack
from kk_core.views import MatchView, encode_match
from tests.core.land_cards.positions import RULES, play, position

CELL_MOVES = [base + cell for base in (64, 128, 192) for cell in range(56)]
WORD_MOVES = [END_TAKING, PASS, SKIP, GIVE_UP_SUPPLY, *(PLAY_LAW + kind for kind in range(len(LAWS)))]


every_move = st.sampled_from([*WORD_MOVES, *CELL_MOVES]) | st.integers(MOVE, MOVES_END - 1)


@given(every_move)
def test_what_a_move_is_read_as_knows_its_number(move: int) -> None:
    assert read(move).move == move


def test_a_move_is_read_as_what_it_does() -> None:
    lines = (
        "take 1 14",
        "give supply",
        "give 2 1",
        "law minus_two",
        "end",
        "place 1 2",
        "move 1 1 4 14",
        "pass",
    )
    assert [read(RULES.parse_move(line)) for line in lines] == [
        Take(13), GiveUp(None), GiveUp(14), PlayLaw(3), EndTaking(), PlaceStone(1), MoveStone(0, 55), Pass(),
    ]  # fmt: skip
    assert read(RULES.parse_move("skip")) == Skip()


def test_an_event_is_read_as_what_happened() -> None:
    assert read_event((SKIPPED, 2)) == Skipped(2)


@given(every_move)
def test_every_move_is_read_back_from_its_notation(move: int) -> None:
    assert RULES.parse_move(RULES.format_move(move)) == move


@pytest.mark.parametrize(
    "line",
    ["", "take", "take 0 1", "take 5 1", "take 1 15", "take 1 0", "take 1 1 1", "take  1 1", "Take 1 1",
     "take 1 ١", "give", "law", "law minus_three", "move 1 1", "move 1 1 4 15", "place 1", "end ", "64"],
)  # fmt: skip
def test_what_is_no_move_is_refused_and_quoted(line: str) -> None:
    with pytest.raises(InvalidMove) as error:
        RULES.parse_move(line)
    assert repr(line) in str(error.value)


@pytest.mark.parametrize("move", [-1, 3, 9, 63, 120, 127, 184, 248, MOVES_END, True, 64.0, "take 1 1", None])
def test_what_is_no_move_has_no_notation(move: Any) -> None:
    with pytest.raises(InvalidMove, match=f"There is no move {move!r}."):
        RULES.format_move(move)


@pytest.mark.parametrize(
    ("line", "exported"),
    [
        ("take 1 14", {"type": "take", "row": 1, "column": 14}),
        ("give supply", {"type": "give_up", "from": "supply"}),
        ("give 2 3", {"type": "give_up", "from": {"row": 2, "column": 3}}),
        ("law three_symbols", {"type": "play_law", "law": "three_symbols"}),
        ("place 4 2", {"type": "place", "row": 4, "column": 2}),
        ("move 1 2 3 4", {"type": "move", "from": {"row": 1, "column": 2}, "to": {"row": 3, "column": 4}}),
        ("end", {"type": "end_taking"}),
        ("pass", {"type": "pass"}),
        ("skip", {"type": "skip"}),
    ],
)
def test_moves_are_exported_by_name_and_place(line: str, exported: dict[str, Any]) -> None:
    state = position("FrK")
    assert RULES.export_move(state, 0, RULES.parse_move(line), state) == exported


def test_the_layout_is_exported_with_what_is_on_every_card() -> None:
    rows = RULES.export_setup(position("FrKF+s SaK+k*d Un-"))["layout"]
    assert [len(row) for row in rows] == [14, 14, 14, 14]
    assert rows[0][:3] == [
        {"country": "Frankreich", "symbols": ["K", "F"], "route": "ship", "law": None},
        {"country": "Sachsen", "symbols": ["K"], "route": "carriage", "law": "different_colours"},
        {"country": "Ungarn", "symbols": [], "route": None, "law": None},
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("take 1 1", "Anna takes Frankreich (cross, fan) from row 1."),
        ("take 1 2", "Anna takes Sachsen (cross, ship) from row 1."),
        ("take 2 1", "Anna takes Ungarn (carriage) from row 2."),
        ("give supply", "Anna gives up a stone from the supply."),
        ("give 1 1", "Anna gives up the stone on Frankreich (cross, fan)."),
        ("law take_back_stone", "Anna plays the law “Take back a stone”."),
        ("place 1 1", "Anna places a stone on Frankreich (cross, fan)."),
        ("move 1 1 1 2", "Anna moves a stone from Frankreich (cross, fan) to Sachsen (cross, ship)."),
        ("end", "Anna takes no more cards."),
        ("pass", "Anna leaves the stones as they are."),
        ("skip", "Anna skips the turn."),
    ],
)
def test_a_move_is_told_in_a_sentence(line: str, sentence: str) -> None:
    observation = RULES.observe(position("FrKF SaK+s / Un-+k"), None)
    assert str(describe_move(observation, "Anna", RULES.parse_move(line))) == sentence


def test_being_passed_over_is_told_in_a_sentence() -> None:
    assert (
        str(describe_event((SKIPPED, 1), ("Anna", "Beate", "Claus")))
        == "Beate can't take a card and must skip."
    )


def test_a_number_that_is_no_move_is_not_told() -> None:
    with pytest.raises(InvalidMove):
        describe_move(RULES.observe(position("FrK"), None), "Anna", 3)


def test_an_observation_survives_the_wire() -> None:
    state = play(position("FrKF*3 SaK+s@B / Un-+k", hands="A:m"), "take 1 1")
    for viewer in (0, 1, None):
        observation = RULES.observe(state, viewer)
        printed = to_tree(RULES.printed)
        sent = MatchView("land_cards", "1", (), b"", None, printed, None, 0, False, observation, ())
        view = convert(unpack(pack(encode_match(sent))), MatchView, builtin_types=(bytes,))
        assert view.observed(Observation) == observation
