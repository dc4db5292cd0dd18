"""Exporting a match that still goes on, out of a server's data folder."""

from __future__ import annotations

import json
from asyncio import to_thread
from pathlib import Path

import pytest

from kk_core.match import Match
from kk_core.record import record_of
from kk_core.registry import game
from kk_core.search.arena import new_match, plies, seed_of
from kk_server.storage.entries import Created, Entry, Moved, SeatHolder, Started
from kk_server.storage.sql_log import open_log
from kk_server.storage.sqlite import DATABASE
from tests.commands.calling import kk, refused

BOTS = ["greedy", "greedy", "random"]


def begun(moves: int) -> Match:
    """A match of bots after so many moves."""
    match = new_match(game("land_cards"), {}, BOTS, seed_of("unfinished", 1))
    for made in plies(match, BOTS):
        if made == moves:
            break
    return match


async def fill(path: Path, table: str, match: Match) -> None:
    """Make a file with one table, where a match goes on."""
    record = record_of(match)
    seats = tuple(SeatHolder(name=name, bot=bot) for name, bot in zip(match.seats, BOTS, strict=True))
    log = await open_log(path)
    rules = await log.keep_data(record.rules_data)
    entries: list[Entry] = [
        Created(title="", host="anna", game=record.game, options=record.options, seats=3),
        Started(seed=record.seed, rules_version=record.rules_version, seats=seats, rules=rules),
        *(Moved(line) for line in record.moves),
    ]
    for revision, entry in enumerate(entries):
        await log.append(table, revision, entry)
    await log.close()


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A data folder with one table, "a1", where a match goes on."""
    await fill(tmp_path / DATABASE, "a1", begun(25))
    return tmp_path


async def test_whoever_can_read_the_data_folder_exports_an_unfinished_match(data: Path) -> None:
    exported = json.loads((await to_thread(kk, "record", "export", "--unfinished", str(data / "a1"))).out)
    assert [event["ply"] for event in exported["events"] if "ply" in event] == list(range(1, 26))
    assert exported["result"]["finished"] is False
    assert exported["seed"] is None
    assert "winners" not in exported["result"]


async def test_an_unfinished_match_is_not_exported_by_mistake(data: Path) -> None:
    refused(await to_thread(kk, "record", "export", str(data / "a1")), 1, "not finished", "25")


async def test_a_table_that_is_not_there_is_a_failure(data: Path) -> None:
    refused(await to_thread(kk, "record", "export", "--unfinished", str(data / "b2")), 1, "b2")
