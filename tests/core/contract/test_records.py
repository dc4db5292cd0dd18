"""Records of every game."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kk_core.chance import commitment, mix_seed
from kk_core.errors import BadRecord
from kk_core.match import Match
from kk_core.record import Record, export, format_record, parse_record, record_of, replay
from tests.core.contract.tables import Table, every_table, tables_of

Tree = dict[str, Any]

SMALL = tables_of("ku_ka_king")[0]

RECORDS = Path(__file__).parents[2] / "golden" / "records"


def finished(table: Table, number: int) -> Match:
    return list(table.random_match(number))[-1]


def unfinished(table: Table, number: int) -> Match:
    """A match after half of its moves."""
    half = len(finished(table, number).plies) // 2
    return next(match for match in table.random_match(number) if len(match.plies) == half)


def tree_of(match: Match) -> Tree:
    """The stored form, as somebody with an editor has it."""
    tree: Tree = json.loads(format_record(record_of(match)))
    return tree


def check(tree: object) -> Match:
    return replay(parse_record(json.dumps(tree)))


# -- a match and its record ----------------------------------------------------------------------------------


@every_table
def test_a_record_replays_to_the_same_match(table: Table) -> None:
    for number, match in enumerate(table.random_match()):
        if number % 25 and not match.is_over:
            continue
        record = record_of(match)
        again = replay(parse_record(format_record(record)))
        assert again.state == match.state
        assert sorted(again.plies) == sorted(match.plies)
        assert record_of(again) == record


@every_table
def test_what_several_seats_do_at_the_same_time_stands_in_seat_order(table: Table) -> None:
    match = finished(table, 5)
    again = replay(record_of(match))
    assert again.turns == sorted(match.turns)
    order = list(zip(again.turns, (ply.seat for ply in again.plies), strict=True))
    assert order == sorted(order)


@every_table
def test_a_step_taken_back_leaves_no_trace(table: Table) -> None:
    before = record_of(table.match(9))
    found = []
    for match in table.random_match(9):
        seat, move = match.plies[-1] if match.plies else (0, 0)
        if match.may_undo(seat):
            match.undo(seat)
            found.append((record_of(match), before))
            match.play(seat, move)
        before = record_of(match)
    assert all(without == earlier for without, earlier in found)


@every_table
def test_a_seed_may_be_mixed_from_what_the_host_and_the_seats_drew(table: Table) -> None:
    added = [(0, bytes(32)), (table.seats - 1, bytes(range(32)))]
    match = Match(table.game, dict(table.options), tuple("ABCDE"[: table.seats]), b"h" * 32, added)
    record = record_of(match)
    assert record.seed == mix_seed(b"h" * 32, added).hex()
    assert record.commitment == commitment(b"h" * 32).hex()
    again = replay(parse_record(format_record(record)))
    assert again.state == match.state
    assert (again.contributions, again.commitment) == (match.contributions, match.commitment)


# -- the public form -----------------------------------------------------------------------------------------


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
    assert exported["seed"] == exported["host_seed"] == match.seed.hex()
    assert exported["contributions"] == []


@every_table
def test_an_unfinished_match_is_exported_only_on_demand_and_without_its_seed(table: Table) -> None:
    match = unfinished(table, 2)
    record = record_of(match)
    with pytest.raises(BadRecord):
        export(record)
    exported = export(record, unfinished=True)
    assert exported["seed"] is None
    assert exported["host_seed"] is None
    assert "chain" not in exported
    assert exported["result"]["finished"] is False
    assert "winners" not in exported["result"]
    assert match.seed.hex() not in json.dumps(exported)


def test_what_seats_added_to_the_seed_is_a_secret_until_the_end() -> None:
    table = SMALL
    added = [(0, b"x" * 32), (1, b"y" * 32)]
    match = Match(table.game, {}, ("A", "B"), b"h" * 32, added)
    exported = export(record_of(match), unfinished=True)
    assert exported["contributions"] == [{"seat": 0, "bytes": None}, {"seat": 1, "bytes": None}]


# -- what is refused -----------------------------------------------------------------------------------------


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
def test_a_match_that_is_cut_short_is_not_the_one_that_was_sealed(table: Table) -> None:
    record = record_of(finished(table, 3))
    with pytest.raises(BadRecord, match="not finished after ply"):
        replay(msgspec.structs.replace(record, moves=record.moves[:-1]))
    with pytest.raises(BadRecord, match="The chain does not fit"):
        replay(msgspec.structs.replace(record, moves=record.moves[:-1], result=None))


@every_table
def test_another_legal_match_is_not_the_one_that_was_sealed(table: Table) -> None:
    record, other = record_of(finished(table, 4)), record_of(finished(table, 5))
    assert record.result is not None
    better = tuple(points + 1 for points in record.result.totals)
    for changes in (
        {"result": msgspec.structs.replace(record.result, totals=better)},
        {"chain": other.chain},
        {"seats": ("Z", *record.seats[1:])},
        {"result": None},
    ):
        with pytest.raises(BadRecord):
            replay(msgspec.structs.replace(record, **changes))


@every_table
def test_a_forged_seed_or_commitment_is_found(table: Table) -> None:
    record = record_of(finished(table, 4))
    forged = ("00" * 32, "0f", "no hex", record.seed.upper(), record.seed + "\n")
    for field in ("seed", "host_seed", "commitment", "chain"):
        for value in forged:
            with pytest.raises(BadRecord, match=f"(?i){field.removeprefix('host_')}"):
                replay(msgspec.structs.replace(record, **{field: value}))
    with pytest.raises(BadRecord, match="not '0'"):
        replay(msgspec.structs.replace(record, rules_version="0"))


def test_what_the_deal_follows_from_is_checked_before_any_move() -> None:
    """With other cards the first moves would not be legal: that would be said, and not what is wrong."""
    tree = json.loads((RECORDS / "land_cards-1-3-exposed_at_start-v2.json").read_bytes())
    commitment_fault = re.escape("The commitment is not the SHA-256 of host_seed.")
    for field in ("commitment", "host_seed"):
        with pytest.raises(BadRecord, match=commitment_fault):
            check(tree | {field: "00" * 32})


def test_a_seed_that_was_mixed_from_something_else_is_told_before_any_move() -> None:
    tree = json.loads((RECORDS / "land_cards-1-3-exposed_at_start-v2.json").read_bytes())
    for changes in ({"seed": "00" * 32}, contribute(0)(tree)):
        with pytest.raises(BadRecord, match="The seed does not follow from host_seed and contributions"):
            check(tree | changes)


def test_what_seats_have_added_stands_in_their_order_and_once_for_each() -> None:
    added = [(0, bytes(32)), (1, bytes(range(32)))]
    tree = tree_of(Match(SMALL.game, {}, ("A", "B"), b"h" * 32, added))
    first, second = tree["contributions"]
    for wrong in ([second, first], [first, first], [first, second, second]):
        with pytest.raises(BadRecord, match="each once and in order"):
            check(tree | {"contributions": wrong})


@every_table
def test_a_record_is_played_by_the_rules_data_in_it_and_by_no_other(table: Table) -> None:
    tree = tree_of(finished(table, 6))
    assert tree["rules_data"] == json.loads(json.dumps(table.game.rules_data))
    wrongs: list[Any] = [{}, [], None, 3, "x", tree["rules_data"] | {"more": 1}]
    for wrong in wrongs:
        with pytest.raises(BadRecord):
            check(tree | {"rules_data": wrong})


def contribute(seat: object, digits: object = "00" * 32) -> Callable[[Tree], Tree]:
    return lambda tree: tree | {"contributions": [{"seat": seat, "bytes": digits}]}


def seat_named(name: str) -> Callable[[Tree], Tree]:
    return lambda tree: tree | {"seats": ["A", name]}


FAULTS: list[tuple[Callable[[Tree], Any], str]] = [
    (lambda tree: {key: tree[key] for key in tree if key != "format"}, "format"),
    (lambda tree: {key: tree[key] for key in tree if key != "version"}, "version"),
    (lambda tree: tree | {"rules_data": None}, "rules_data.*object"),
    (lambda tree: tree | {"format": "kk-record"}, "format"),
    (lambda tree: tree | {"version": 3}, "has version 3; only version 2"),
    (lambda tree: tree | {"version": 1}, "has version 1; only version 2"),
    (lambda tree: tree | {"version": True}, "version"),
    (lambda tree: tree | {"version": "2"}, "version"),
    (lambda tree: {key: tree[key] for key in tree if key != "chain"}, "chain"),
    (lambda tree: tree | {"note": "x"}, "note"),
    (lambda tree: tree | {"rng": "kk-2"}, "rng"),
    (lambda tree: tree | {"game": "chess"}, "Unknown game 'chess'"),
    (lambda tree: tree | {"options": {"take": "all"}}, "so there is no 'take'"),
    (lambda tree: tree | {"seats": ["A"]}, "2 to 4 players"),
    (lambda tree: tree | {"seats": ["A", ""]}, r"seats\[1\]"),
    (lambda tree: tree | {"seats": ["A", "  "]}, r"seats\[1\]"),
    (lambda tree: tree | {"seats": ["A", "B\x1b[31m"]}, r"seats\[1\].*control character"),
    (lambda tree: tree | {"seats": ["A", "B\x85"]}, r"seats\[1\].*control character"),
    (lambda tree: tree | {"seats": ["A", "B\ud800"]}, r"seats\[1\].*unpaired surrogate"),
    *(
        (seat_named(name), r"seats\[1\].*invisible character")
        for name in ("B\u202e", "\u200bB", "B\u2028C", "B\uffff", "B\ue000", "B\xa0C", "B\u3164", "B\ufe0f")
    ),
    *((seat_named(name), r"seats\[1\].*name is missing") for name in ("\u3000", "\u0301\u0301", " \u0301")),
    (seat_named("\u200b\u200b"), r"seats\[1\]"),
    (seat_named("B" * 61), r"seats\[1\].*at most 60 characters"),
    (seat_named("B" * 300_000), r"seats\[1\].*at most 60 characters"),
    (lambda tree: tree | {"seats": ["A", 7]}, r"seats\[1\]"),
    (lambda tree: tree | {"seats": "AB"}, "seats"),
    (contribute(2), "contributions"),
    (contribute(-1), "contributions"),
    (contribute("0"), r"contributions\[0\].seat"),
    (contribute(True), r"contributions\[0\].seat"),
    (contribute(0, "00"), r"contributions\[0\].bytes"),
    (contribute(0), "seed"),
    (lambda tree: tree | {"contributions": contribute(0)(tree)["contributions"] * 2}, "contributions"),
    (lambda tree: tree | {"moves": [f"0{line}" for line in tree["moves"]]}, "Ply 1 "),
    (lambda tree: tree | {"moves": ["9" * 5000 + " call 1", *tree["moves"][1:]]}, "Ply 1 .*no seat"),
    (lambda tree: tree | {"moves": ["² call 1", *tree["moves"][1:]]}, "Ply 1 .*no seat"),
    (lambda tree: tree | {"moves": ["", *tree["moves"][1:]]}, "Ply 1 "),
    (lambda tree: tree | {"moves": [1]}, r"moves\[0\]"),
    (lambda tree: tree | {"moves": {}}, "moves"),
    (lambda tree: tree | {"result": {}}, "result"),
    (lambda tree: tree | {"result": tree["result"] | {"finished": False}}, "result"),
    (lambda tree: tree | {"result": tree["result"] | {"totals": [1, 1]}}, "result"),
    (lambda tree: tree | {"result": tree["result"] | {"winners": [0.5]}}, "not a whole number"),
    (lambda tree: tree | {"result": tree["result"] | {"totals": [10**30, 0]}}, "too many digits"),
    (lambda tree: [tree], "format"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_every_fault_is_told_in_one_short_sentence_that_names_the_place(number: int) -> None:
    spoil, words = FAULTS[number]
    tree = tree_of(finished(SMALL, 7))
    assert check(tree).is_over
    with pytest.raises(BadRecord, match=words) as refused:
        check(spoil(tree))
    assert len(str(refused.value)) < 200
    assert str(refused.value).isprintable()


REPEATS = [
    ('"format"', '"format": "kk-match", "format"', "'format'"),
    ('"finished"', '"finished": true, "finished"', "'finished'"),
    ('"item"', '"item": "x", "item"', "'item'"),
    ('"rules_data": {', '"rules_data": {"x": {"cards": 1, "cards": 2}, ', "'cards'"),
]


@pytest.mark.parametrize(("found", "instead", "words"), REPEATS)
def test_a_key_that_is_there_twice_is_refused_however_deep(found: str, instead: str, words: str) -> None:
    content = json.dumps(tree_of(finished(SMALL, 7)))
    assert found in content
    with pytest.raises(BadRecord, match=f"Duplicate key {words}"):
        parse_record(content.replace(found, instead, 1))


@pytest.mark.parametrize(
    "content",
    [
        "", "{}", "[]", "\x00", '{"format": "kk-match"}', b"\xff\xfe", "null", "\ufeff{}", "NaN",
        "[" * 100_000, '{"a":' * 100_000, "[" * 50 + "]" * 50, "1" * 100_000, b'"\xed\xa0\x80"',
        json.dumps({"format": "kk-match", "version": 2}).encode("utf-16"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused(content: str | bytes) -> None:
    with pytest.raises(BadRecord, match="not a record") as refused:
        parse_record(content)
    assert len(str(refused.value)) < 200


def test_a_record_without_its_last_moves_is_good_as_far_as_it_goes() -> None:
    record = record_of(unfinished(SMALL, 8))
    assert record.result is None
    assert not replay(record).is_over
    with pytest.raises(BadRecord, match="There is a result, but the match is not finished"):
        replay(msgspec.structs.replace(record, result=record_of(finished(SMALL, 8)).result))


def test_a_chain_tells_nothing_to_who_does_not_know_the_seed() -> None:
    match = SMALL.match()
    other = Match(match.game, {}, match.seats, b"another seed of thirty-two bytes")
    chains = {record_of(match).chain, record_of(other).chain}
    match.play(0, 1)
    other.play(0, 1)
    assert len(chains | {record_of(match).chain, record_of(other).chain}) == 4


def test_a_record_is_a_struct_that_says_what_it_is() -> None:
    record: Record = record_of(SMALL.match())
    assert (record.format, record.version, record.rng) == ("kk-match", 2, "kk-1")
