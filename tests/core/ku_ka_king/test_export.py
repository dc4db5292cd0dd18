"""Exported records, checked by a referee that shares no code with the rules."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from kk_core.errors import BadRecord
from kk_core.match import Match
from kk_core.record import export, format_record, parse_record, record_of

from .positions import GAME, LINUS, SARAH, TIM, seed
from .referee import Referee

NAMES = ("Tim", "Sarah", "Linus", "bot:greedy")


def played(seats: int, number: int, *, rows: int = 8, plies: int = 1000) -> Match:
    """A random match, the calls of each choice in any order; few rows make many clashes."""
    random = Random(number)
    match = Match(GAME, {}, NAMES[:seats], seed(number))
    while not match.is_over and len(match.plies) < plies:
        seat = random.choice(GAME.active_seats(match.state))
        match.play(seat, random.choice(GAME.legal_moves(match.state, seat)[:rows]))
    return match


def as_json(match: Match, *, unfinished: bool = False) -> dict[str, Any]:
    record = parse_record(format_record(record_of(match)))
    exported: dict[str, Any] = json.loads(json.dumps(export(record, unfinished=unfinished)))
    return exported


def kinds(record: dict[str, Any]) -> set[str]:
    return {event.get("rule") or event.get("chance") or "move" for event in record["events"]}


@pytest.mark.parametrize("rows", [8, 3, 2])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_referee_agrees_with_every_event_and_the_result_of_random_matches(seats: int, rows: int) -> None:
    seen = set()
    for number in range(15):
        record = as_json(played(seats, number, rows=rows))
        Referee(record).check()
        seen |= kinds(record)
    assert seen == {"move", "reveal", "round_over", "first_scoring", "fill", "last_round", "box_shuffle"}


def test_the_referee_refuses_a_record_with_another_deal() -> None:
    record = as_json(played(3, 1))
    pile = record["setup"]["draw_pile"]
    pile.reverse()
    with pytest.raises(AssertionError):
        Referee(record).check()


def test_calls_stand_in_seat_order_with_the_reveal_behind_them_however_they_were_made() -> None:
    match = Match(GAME, {}, NAMES[:3], seed(5))
    for seat, row in ((LINUS, 2), (TIM, 6), (SARAH, 2), (LINUS, 1)):
        match.play(seat, row)
    events = as_json(match, unfinished=True)["events"]
    assert [event.get("seat") for event in events[:3]] == [TIM, SARAH, LINUS]
    assert [event["ply"] for event in events[:3]] == [1, 2, 3]
    assert events[3]["rule"] == "reveal"
    assert events[3]["taken"] == [[TIM, 6]]


def test_calls_not_yet_revealed_are_left_out_of_an_unfinished_match() -> None:
    match = played(3, 4, plies=0)
    match.play(SARAH, 2)
    record = as_json(match, unfinished=True)
    assert record["events"] == []
    assert record["seed"] is None
    assert "winners" not in record["result"]


def test_an_unfinished_match_is_exported_only_on_demand() -> None:
    with pytest.raises(BadRecord):
        as_json(played(3, 4, plies=5))


def test_a_match_in_which_all_calls_clash_comes_to_an_end_without_cards_for_anybody() -> None:
    match = Match(GAME, {}, NAMES[:2], seed(8))
    while not match.is_over:
        for seat in (SARAH, TIM):
            match.play(seat, GAME.legal_moves(match.state, seat)[0])
    record = as_json(match)
    Referee(record).check()
    assert [event for event in record["events"] if event.get("taken")] == []
    assert record["result"]["totals"] == [0, 0]
    assert record["result"]["winners"] == [TIM, SARAH]
