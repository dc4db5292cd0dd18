"""Moves and events as text."""

from __future__ import annotations

import pytest

from kk_core.errors import InvalidMove
from kk_core.games.ku_ka_king.notation import describe_event, describe_move

from .positions import EVA, GAME, LINUS, NAMES, SARAH, TIM, call, position, random_states


def log(*calls: tuple[int, int], rows: str = "sheep king church / horse pig knight / 3 cow") -> list[str]:
    seats = len({seat for seat, _ in calls})
    after = call(position(rows, collections=[""] * seats), *calls)
    return [str(describe_event(NAMES, event)) for event in GAME.events(after)]


def test_every_call_has_its_notation() -> None:
    assert GAME.format_move(3) == "call 3"
    for row in range(1, 9):
        assert GAME.parse_move(GAME.format_move(row)) == row


@pytest.mark.parametrize(
    "line", ["", "call", "call 0", "call 9", "call 03", "call  3", "CALL 3", "take 3", "call ３"]
)
def test_anything_else_is_no_move(line: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        GAME.parse_move(line)
    assert repr(line) in str(refused.value)


def test_the_log_tells_a_call_only_to_who_may_know_it() -> None:
    assert str(describe_move(NAMES, SARAH, None)) == "Sarah has called."
    assert str(describe_move(NAMES, SARAH, 2)) == "Sarah calls row 2."


def test_the_log_tells_a_reveal_with_the_cards() -> None:
    assert log((TIM, 1), (SARAH, 2), (LINUS, 2)) == [
        "Ku-Ka-King!",
        "Tim takes row 1: sheep, king, church.",
        "Sarah and Linus both call row 2. Into the box: knight.",
    ]


def test_the_log_tells_a_clash_of_more_than_two() -> None:
    assert log((TIM, 2), (SARAH, 2), (LINUS, 2), (EVA, 2)) == [
        "Ku-Ka-King!",
        "Tim, Sarah, Linus and Eva all call row 2. Into the box: knight.",
    ]


def test_the_log_tells_who_went_empty_handed() -> None:
    assert log((TIM, 1), (SARAH, 1), rows="king / 3 sheep")[2:] == [
        "The round is over: too few rows have cards left. No cards for Tim and Sarah.",
        "3 cards are laid out.",
    ]


def test_the_log_has_a_sentence_for_every_event_of_a_match() -> None:
    told = " ".join(
        str(describe_event(NAMES, event)) for state in random_states(4, 2) for event in GAME.events(state)
    )
    for part in (
        "The round is over.",
        "First scoring.",
        "cards are laid out.",
        "this is the last round",
        "shuffled",
    ):
        assert part in told
