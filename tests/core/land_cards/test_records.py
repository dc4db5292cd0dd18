"""Exported records of the card game hold before somebody else's referee."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from kk_core.record import export, record_of
from kk_core.registry import game
from kk_core.search.arena import play_match, seed_of
from tests.core.contract.tables import Table, tables_of
from tests.core.land_cards.referee import Referee

every_land_table = pytest.mark.parametrize("table", tables_of("land_cards"), ids=str)


def kinds(record: dict[str, Any]) -> set[str]:
    return {event.get("rule") or event["move"]["type"] for event in record["events"]}


@every_land_table
def test_a_referee_has_nothing_to_object_to_in_matches_of_chance(table: Table) -> None:
    seen = set()
    for number in range(12):
        *_, match = table.random_match(number)
        record = json.loads(json.dumps(export(record_of(match))))
        Referee(record).check()
        seen |= kinds(record)
    assert seen == {"take", "give_up", "play_law", "end_taking", "place", "move", "pass", "skip"}


@every_land_table
def test_a_referee_has_nothing_to_object_to_in_matches_of_bots(table: Table) -> None:
    bots = ["greedy", "random", "greedy", "random", "greedy"][: table.seats]
    for number in range(4):
        match = play_match(table.game, dict(table.options), bots, seed_of("referee", number))
        Referee(json.loads(json.dumps(export(record_of(match))))).check()


def _forgeries(record: dict[str, Any]) -> list[dict[str, Any]]:
    swapped, unpaid, doubled, scored = (deepcopy(record) for _ in range(4))
    row = swapped["setup"]["layout"][0]
    row[0], row[13] = row[13], row[0]
    unpaid["events"] = [
        event for event in record["events"] if event.get("move", {}).get("type") != "end_taking"
    ]
    doubled["events"].insert(1, record["events"][0])
    scored["result"]["totals"][0] += 1
    return [swapped, unpaid, doubled, scored]


def test_the_referee_objects_to_forgeries() -> None:
    match = play_match(game("land_cards"), {}, ["greedy"] * 3, seed_of("forged", 0))
    for forged in _forgeries(export(record_of(match))):
        with pytest.raises(AssertionError):
            Referee(forged).check()
