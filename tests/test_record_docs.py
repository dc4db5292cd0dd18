"""docs/records.md and docs/records/ tell what the engine does: tables, vectors and programs are run here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.record import DEEPEST, export, format_record, parse_record, record_of, replay
from kk_core.registry import game, game_ids
from kk_server.cli.record import LARGEST
from kk_server.ssh.host_keys import signer_of
from tests.core.contract.tables import Table, every_table, tables_of
from tests.records_page import DOC, DOCS, PAGE, SEED, Json, page, rows

EXAMPLE = DOCS / "records" / "example.json"


# -- the stream ----------------------------------------------------------------------------------------------


def test_the_vector_of_the_stream_is_what_the_program_of_the_page_and_the_engine_make() -> None:
    vector = dict(rows(PAGE, "The seed"))
    assert vector["commitment"] == DOC.sha256(SEED).hexdigest()
    stream = DOC.words(SEED)
    chance = Chance(SEED)
    assert vector["the first words"].split() == [str(next(stream)) for _ in range(8)]
    assert vector["the first words"].split() == [str(chance.word()) for _ in range(8)]
    stream, chance = DOC.words(SEED), Chance(SEED)
    drawn = vector["below(6)` from the beginning, ten times"].split()
    assert drawn == [str(DOC.below(6, stream)) for _ in range(10)]
    assert drawn == [str(chance.below(6)) for _ in range(10)]
    shuffled = [int(n) for n in vector["0 1 2 ... 9 shuffled, from the beginning"].split()]
    cards = list(range(10))
    Chance(SEED).shuffle(cards)
    assert shuffled == cards == DOC.shuffled(range(10), DOC.words(SEED))


# -- the deals -----------------------------------------------------------------------------------------------


def deal_of(game_id: str) -> Any:
    """How a game is dealt by its page: a module beside its tests."""
    return import_module(f"tests.core.{game_id}.deal")


@every_table
def test_a_deal_made_by_the_words_of_the_page_is_the_one_that_the_engine_makes(table: Table) -> None:
    state = table.game.setup(dict(table.options), table.seats, SEED)
    exported = json.loads(json.dumps(table.game.export_setup(state)))
    assert deal_of(table.game_id).dealt(table.seats) == exported


@pytest.mark.parametrize("game_id", game_ids())
def test_the_deal_on_a_page_is_the_one_that_its_words_make(game_id: str) -> None:
    (shown,) = re.findall(r"```deal\n(.*?)```", page(game_id), re.DOTALL)
    assert shown.strip() == deal_of(game_id).written()


# -- moves, events, results ----------------------------------------------------------------------------------


def fits(template: Any, value: Any, found: Json) -> bool:
    """Whether a move has the shape of a row; capital letters are filled in."""
    if isinstance(template, str) and re.fullmatch("[A-Z]", template):
        return bool(found.setdefault(template, value) == value)
    if isinstance(template, dict):
        return (
            isinstance(value, dict)
            and template.keys() == value.keys()
            and all(fits(template[key], value[key], found) for key in template)
        )
    if isinstance(template, list):
        return (
            isinstance(value, list)
            and len(template) == len(value)
            and all(fits(*pair, found) for pair in zip(template, value, strict=True))
        )
    return bool(template == value)


def filled_in(found: Json, letter: re.Match[str]) -> str:
    return str(found[letter[0]])


def notation(game_id: str, move: Json) -> str:
    """A move as the table of the page writes it."""
    for template, written in rows(page(game_id), "Moves"):
        found: Json = {}
        if fits(json.loads(template), move, found):
            return re.sub(r"\b[A-Z]\b", partial(filled_in, found), written)
    raise AssertionError(f"no row for {move}")


def finished(table: Table) -> Iterator[Any]:
    for number in range(3):
        *_, match = table.random_match(number)
        yield match


@every_table
def test_the_chain_follows_from_an_export_by_the_words_of_the_pages_alone(table: Table) -> None:
    for match in finished(table):
        exported = json.loads(json.dumps(export(record_of(match))))
        moves = [event for event in exported["events"] if "move" in event]
        lines = [f"{event['seat']} {notation(table.game_id, event['move'])}" for event in moves]
        assert tuple(lines) == record_of(match).moves
        assert DOC.chain(exported, lines) == exported["chain"]


@pytest.mark.parametrize("game_id", game_ids())
def test_every_event_has_a_row_with_its_shape(game_id: str) -> None:
    listed = {event.partition(",")[0].rstrip("}"): event for event, _ in rows(page(game_id), "Events")}
    seen = set()
    for table in tables_of(game_id):
        for match in finished(table):
            for event in export(record_of(match))["events"]:
                kind = next((key for key in ("rule", "chance") if key in event), None)
                if kind is None:
                    continue
                start = f'{{"{kind}": "{event[kind]}"'
                seen.add(start)
                assert all(f'"{key}":' in listed[start] for key in event)
                assert listed[start].count('":') >= len(event)
    assert set(listed) - deal_of(game_id).RARE <= seen <= set(listed)


@every_table
def test_the_sheet_has_the_items_that_the_page_lists_in_this_order(table: Table) -> None:
    *_, match = table.random_match()
    items = [line["item"] for line in export(record_of(match))["result"]["sheet"]]
    assert items == deal_of(table.game_id).sheet()


# -- the example ---------------------------------------------------------------------------------------------


def test_the_example_is_a_good_record_with_a_good_signature() -> None:
    content = EXAMPLE.read_bytes()
    assert replay(parse_record(content)).is_over
    key = signer_of(content, Path(f"{EXAMPLE}.sig").read_bytes())
    assert key.get_fingerprint() in PAGE


def test_the_chain_of_the_example_is_worked_out_on_the_page() -> None:
    exported = json.loads(json.dumps(export(parse_record(EXAMPLE.read_bytes()))))
    lines = json.loads(EXAMPLE.read_bytes())["moves"]
    shown = dict(rows(PAGE, "The chain"))
    assert f"the header has {len(DOC.header(exported))} bytes" in PAGE
    assert shown["c(0)"] == DOC.chain(exported, [])
    assert shown[f"c(1), after `{lines[0]}"] == DOC.chain(exported, lines[:1])
    assert shown[f"the last, after {len(lines)} lines"] == DOC.chain(exported, lines) == exported["chain"]


def test_the_text_of_a_record_is_the_one_that_the_page_tells() -> None:
    content = EXAMPLE.read_bytes()
    (told,) = re.findall(r"in Python, `(.*?)`", PAGE)
    assert eval(told, {"json": json, "record": json.loads(content)}).encode() == content


def test_the_limits_of_reading_are_those_that_the_page_tells() -> None:
    assert LARGEST == 1024**2
    assert f"more than {DEEPEST} levels of nesting" in PAGE.replace("\n", " ")


def test_a_seed_is_mixed_as_the_page_tells() -> None:
    added = [(0, bytes(32)), (1, SEED)]
    table = tables_of("ku_ka_king")[0]
    match = table.match()
    mixed = type(match)(match.game, {}, match.seats, SEED, added)
    stored = json.loads(format_record(record_of(mixed)))
    assert stored["contributions"] == [{"seat": 0, "bytes": "00" * 32}, {"seat": 1, "bytes": SEED.hex()}]
    assert mixed.seed == DOC.mix(bytes.fromhex(stored["host_seed"]), stored["contributions"])
    assert DOC.mix(SEED, []) == SEED


def test_the_numbers_of_the_rules_are_those_that_the_page_tells() -> None:
    numbers = {game_id: game(game_id).rules_version.partition("-")[0] for game_id in game_ids()}
    assert {game_id: number for game_id, number in numbers.items() if number != "1"} == {"web_of_power": "2"}
    assert "The rules number is 2 for the board game and 1 for the others." in PAGE
