"""An exported record can be refereed by somebody who knows nothing of the engine."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.web_of_power.ai import greedy
from kk_core.games.web_of_power.game import restore
from kk_core.games.web_of_power.model import Observation
from kk_core.games.web_of_power.state import State
from kk_core.match import Match
from kk_core.record import export, format_record, parse_record, record_of
from tests.core.web_of_power.maps import MAPS, SMALLEST
from tests.core.web_of_power.positions import GAME
from tests.core.web_of_power.referee import Referee
from tests.records_page import SEED, page

RECORDS = Path(__file__).parents[2] / "golden" / "records"


def exported(
    seats: int, option: str, number: int, *, greedily: bool, game: Game[State, Observation] = GAME
) -> dict[str, Any]:
    """A whole match through the stored record to JSON and back."""
    random = Random(number)
    chance = Chance(random.randbytes(32))
    names = tuple(f"player {seat}" for seat in range(seats))
    match = Match(game, {"interim_scoring": option}, names, random.randbytes(32))
    while not match.is_over:
        (seat,) = game.active_seats(match.state)
        if greedily:
            match.play(seat, greedy.choose(game.observe(match.state, seat), chance))
        else:
            match.play(seat, random.choice(game.legal_moves(match.state, seat)))
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


@pytest.mark.parametrize("greedily", [False, True])
@pytest.mark.parametrize("option", ["immediate", "end_of_round"])
@pytest.mark.parametrize("name", MAPS)
def test_on_a_corrected_map_with_a_corrected_deck_matches_are_right_as_well(
    name: str, option: str, greedily: bool
) -> None:
    game = restore(MAPS[name])
    for seats in (3, 4, 5):
        Referee(exported(seats, option, seats, greedily=greedily, game=game), MAPS[name]).referee()


def test_an_interim_scoring_still_due_when_nobody_can_place_is_part_of_the_record() -> None:
    record = exported(3, "end_of_round", 1023, greedily=False, game=restore(SMALLEST))
    assert record["events"][-2:] == [{"rule": "nobody_can_place"}, {"rule": "interim_scoring"}]
    Referee(record, SMALLEST).referee()


def test_the_record_of_a_match_that_ended_early_has_the_interim_scoring_that_was_due() -> None:
    file = RECORDS / "web_of_power-2-3-nobody_can_place-v2.json"
    record = json.loads(json.dumps(export(parse_record(file.read_bytes()))))
    Referee(record, record["rules_data"]).referee()
    assert record["events"].pop() == {"rule": "interim_scoring"}
    with pytest.raises((AssertionError, IndexError)):
        Referee(record, record["rules_data"]).referee()


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


def test_a_second_shuffle_goes_on_where_the_first_has_ended() -> None:
    state = GAME.setup({}, 3, SEED)
    chance = Chance(SEED, state.position)
    cards = [kind for kind in range(5) for _ in range(5)]
    chance.shuffle(cards)
    assert f"reshuffle: {' '.join(map(str, cards))}" in page("web_of_power")
