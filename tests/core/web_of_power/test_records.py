"""An exported record can be refereed by somebody who knows nothing of the engine."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.export import export
from kk_core.games.web_of_power import greedy
from kk_core.match import Match
from kk_core.record import format_record, parse_record, record_of
from tests.core.web_of_power.positions import GAME
from tests.core.web_of_power.referee import Referee


def exported(seats: int, option: str, number: int, *, greedily: bool) -> dict[str, Any]:
    """A whole match through the stored record to JSON and back."""
    random = Random(number)
    chance = Chance(random.randbytes(32))
    names = tuple(f"player {seat}" for seat in range(seats))
    match = Match(GAME, {"interim_scoring": option}, names, random.randbytes(32))
    while not match.is_over:
        (seat,) = GAME.active_seats(match.state)
        if greedily:
            match.play(seat, greedy.choose(GAME.observe(match.state, seat), chance))
        else:
            match.play(seat, random.choice(GAME.legal_moves(match.state, seat)))
    record = parse_record(format_record(record_of(match)))
    result: dict[str, Any] = json.loads(json.dumps(export(record)))
    return result


def kinds(record: dict[str, Any]) -> set[str]:
    """What has happened: rules, draws of chance, pieces placed, other moves."""
    return {
        event.get("rule") or event.get("chance") or event["move"].get("piece") or event["move"]["type"]
        for event in record["events"]
    }


@pytest.mark.parametrize("greedily", [False, True])
@pytest.mark.parametrize("option", ["immediate", "end_of_round"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_referee_finds_the_deal_the_moves_and_the_points_right(
    seats: int, option: str, greedily: bool
) -> None:
    seen = set()
    for number in range(3):
        record = exported(seats, option, number, greedily=greedily)
        Referee(record).referee()
        seen |= kinds(record)
    assert seen >= {"cloister", "advisor", "end_placing", "draw"}
    assert seen >= {"face_up", "reshuffle", "interim_scoring", "last_round"}


def reverse_the_pile(record: dict[str, Any]) -> None:
    record["setup"]["draw_pile"].reverse()


def end_at_once(record: dict[str, Any]) -> None:
    record["events"][0]["move"] = {"type": "end_placing"}


def reverse_the_totals(record: dict[str, Any]) -> None:
    record["result"]["totals"].reverse()


def lose_an_event(record: dict[str, Any]) -> None:
    del record["events"][20]


@pytest.mark.parametrize("tamper", [reverse_the_pile, end_at_once, reverse_the_totals, lose_an_event])
def test_the_referee_objects_to_a_record_that_was_tampered_with(
    tamper: Callable[[dict[str, Any]], None],
) -> None:
    record = exported(4, "immediate", 1, greedily=True)
    tamper(record)
    with pytest.raises(AssertionError):
        Referee(record).referee()
