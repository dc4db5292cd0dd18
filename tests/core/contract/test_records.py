"""Records of every game."""

from __future__ import annotations

import json

import msgspec
import pytest

from kk_core.errors import BadRecord
from kk_core.match import Match
from kk_core.record import Record, export, format_record, parse_record, record_of, replay
from tests.core.contract.tables import Table, every_table


def finished(table: Table, number: int) -> Match:
    return list(table.random_match(number))[-1]


@every_table
def test_a_record_replays_to_the_same_match(table: Table) -> None:
    for number, match in enumerate(table.random_match()):
        if number % 25 and not match.is_over:
            continue
        again = replay(parse_record(format_record(record_of(match))))
        assert again.state == match.state
        assert again.plies == match.plies


@every_table
def test_an_export_numbers_its_plies_without_gaps_and_ends_with_the_score(table: Table) -> None:
    match = finished(table, 1)
    exported = json.loads(json.dumps(export(record_of(match))))
    moves = [event for event in exported["events"] if "move" in event]
    assert [event["ply"] for event in moves] == list(range(1, len(match.plies) + 1))
    assert sorted(event["seat"] for event in moves) == sorted(ply.seat for ply in match.plies)
    assert all(event.keys() & {"move", "chance", "rule"} for event in exported["events"])
    assert exported["options"].keys() == {option.name for option in table.game.meta.options}
    result = exported["result"]
    assert result["finished"] is True
    assert result["totals"] == [
        sum(line) for line in zip(*(item["points"] for item in result["sheet"]), strict=True)
    ]
    assert exported["seed"] == match.seed.hex()


@every_table
def test_an_unfinished_match_is_exported_only_on_demand_and_without_its_seed(table: Table) -> None:
    for match in table.random_match(2):
        if len(match.plies) == 20:
            break
    record = record_of(match)
    with pytest.raises(BadRecord):
        export(record)
    exported = export(record, unfinished=True)
    assert exported["seed"] is None
    assert exported["result"]["finished"] is False
    assert "winners" not in exported["result"]
    assert match.seed.hex() not in json.dumps(exported)


@every_table
def test_a_wrong_ply_is_named(table: Table) -> None:
    record = record_of(finished(table, 3))
    wrong = len(record.moves) // 2
    moves = (
        *record.moves[:wrong],
        f"{table.seats} {record.moves[wrong].partition(' ')[2]}",
        *record.moves[wrong + 1 :],
    )
    with pytest.raises(BadRecord, match=f"Ply {wrong + 1} "):
        replay(msgspec.structs.replace(record, moves=moves))
    with pytest.raises(BadRecord, match=f"Ply {len(record.moves) + 1} "):
        replay(msgspec.structs.replace(record, moves=(*record.moves, record.moves[0])))


@every_table
def test_a_forged_seed_or_commitment_is_found(table: Table) -> None:
    record = record_of(finished(table, 4))
    forged = ("00" * 32, "0f", "no hex")
    for changes in [*({"seed": seed} for seed in forged), {"commitment": "00" * 32}, {"rules_version": "0"}]:
        with pytest.raises(BadRecord):
            replay(msgspec.structs.replace(record, **changes))


@pytest.mark.parametrize("content", ["", "{}", "[]", "\x00", '{"format": "kk-match"}', b"\xff\xfe", "null"])
def test_what_is_no_record_is_refused(content: str | bytes) -> None:
    with pytest.raises(BadRecord):
        parse_record(content)


def test_a_record_of_an_unknown_game_is_refused() -> None:
    record = Record("go", "1", {}, ("A", "B"), "00" * 32, "00" * 32, ())
    with pytest.raises(BadRecord, match="no game 'go'"):
        replay(record)
