"""What was acknowledged is stored, and stands again after a restart."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import sqlite3
import stat
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from datetime import datetime
from errno import ENOSPC
from itertools import count
from pathlib import Path
from random import Random
from time import time
from typing import Any

import pytest

from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.protocol.messages import CloseTable, GoTo, OpenDaily, OpenTable, Play, Undo
from kk_core.record import parse_record, play_line, replay
from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_server.accounts.bans import Ban, BanFile, BanKind, Bans
from kk_server.accounts.daily import DailyDeals, DailyStore
from kk_server.accounts.ratings import Ratings, RatingStore
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.maintenance.backup import record_from
from kk_server.maintenance.repair import save_readable
from kk_server.ssh.host_keys import host_key
from kk_server.storage import files, sql_log, sqlite
from kk_server.storage.archive import Archive
from kk_server.storage.entries import (
    BadEntry,
    Created,
    Entry,
    Moved,
    Undone,
    decode_entry,
    encode_entry,
)
from kk_server.storage.files import RECORDS, RecordFolder, atomic_write
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.sqlite import (
    DATABASE,
    SCHEMA,
    not_kept,
    not_read,
    open_database,
    readable,
    reading,
    unreadable,
)
from kk_server.storage.table_log import (
    StorageFailed,
    data_for,
    told_host,
)
from kk_server.tables import state as table_state
from kk_server.tables.state import replayed
from kk_server.visits.audit import AuditLog, NotWritten
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.playing import begin_match, finish
from tests.server.remote import wait_for
from tests.waiting import Clock, rest

GAME = "land_cards"
OPENED = Created(title="t", host="anna", game=GAME, options={}, seats=3)


@pytest.mark.parametrize("damage", ["'[]'", "'{'", "x'ff'", "5", "replace(data, '1', '3')"])
async def test_rules_data_that_were_changed_are_not_those_of_their_digest(
    tmp_path: Path, damage: str
) -> None:
    log = await open_log(tmp_path / "log.sqlite")
    key = await log.keep_data({"a": 1})
    await log.close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
        connection.execute(f"UPDATE rules SET data = {damage}")
    log = await open_log(tmp_path / "log.sqlite")
    with pytest.raises(StorageFailed, match="damaged"):
        await log.read_data(key)
    await log.close()


OTHER_VERSIONS = {
    1: "was written before the first release (version 1) and cannot be read: move it away to start over.",
    SCHEMA - 1: f"was written before the first release (version {SCHEMA - 1}) and cannot be read",
    SCHEMA + 1: f"was written by a newer version ({SCHEMA + 1}).",
    0: "was not written by this program.",
    -1: "was not written by this program.",
}


@pytest.mark.parametrize("version", OTHER_VERSIONS)
async def test_a_file_of_another_version_is_refused_and_stays_as_it_is(tmp_path: Path, version: int) -> None:
    """With what was written to it last by a server that was killed."""
    path, files = tmp_path / "log.sqlite", ("log.sqlite", "log.sqlite-wal")
    log = await open_log(path)
    await log.append("a", 0, OPENED)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE words ADD COLUMN at INTEGER")
        connection.execute(f"PRAGMA user_version = {version}")
        before = {name: (tmp_path / name).read_bytes() for name in files}
    await log.close()
    for name in (f"{path.name}-shm", *files):
        (tmp_path / name).unlink(missing_ok=True)
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    assert before["log.sqlite-wal"]
    for opening in (open_log(path), record_from(path, "a")):
        with pytest.raises(StorageFailed) as refused:
            await opening
        assert str(refused.value).startswith(f"{path} {OTHER_VERSIONS[version]}")
        assert {name: (tmp_path / name).read_bytes() for name in files} == before


async def test_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.sqlite").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StorageFailed):
        await open_log(tmp_path / "no.sqlite")


async def test_a_file_that_is_new_is_read_as_one_without_tables_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    path.touch()
    async with reading(path) as database:
        assert await SqlLog(database).listed() == []
        assert await Archive(database).matches() == []
    assert path.read_bytes() == b""


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"entry":"burnt"}', b'{"entry":"moved"}', b"\xff"])
def test_an_entry_that_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(BadEntry):
        decode_entry(data)


async def test_sqlite_is_told_to_have_macos_write_the_cache_of_the_drive(tmp_path: Path) -> None:
    database = await open_database(tmp_path / DATABASE)
    for pragma in ("fullfsync", "checkpoint_fullfsync"):
        assert await database.rows(f"PRAGMA {pragma}") == [(1,)]
    await database.close()


def test_a_file_is_written_as_a_whole_and_is_on_the_disk_before_it_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, left_behind = tmp_path / "file", tmp_path / "file.tmp"
    path.write_bytes(b"before")
    left_behind.write_bytes(b"half of")
    left_behind.chmod(0o666)
    synced: list[tuple[bool, bytes, bool]] = []

    def note(file: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(file).st_mode), path.read_bytes(), left_behind.exists()))

    monkeypatch.setattr(os, "fsync", note)
    atomic_write(path, b"after", mode=0o600)
    assert synced == [(False, b"before", True), (True, b"after", False)]
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not left_behind.exists()


def test_an_entry_survives_being_written(tmp_path: Path) -> None:
    assert decode_entry(encode_entry(OPENED)) == OPENED


@pytest.fixture(autouse=True)
async def all_closed() -> AsyncIterator[None]:
    """Whatever a test leaves open would keep the process from ending."""
    yield
    while hubs:
        await hubs.pop().close()


hubs: list[Hub] = []


async def open_hub(folder: Path, pause: float = 0, times: Timeouts | None = None) -> Hub:
    log = await open_log(folder / "log.sqlite")
    keep = RecordFolder(folder / "records").keep
    hub = Hub(log, bot_pause=pause, limits=PLENTY, keep_record=keep, times=times)
    hubs.append(hub)
    await hub.load()
    return hub


async def begin(hub: Hub, *bots: int) -> Client:
    anna = Client(hub.connect("anna"))
    await anna.open(GAME, 3, title="Ours")
    await anna.sit(*(seat for seat in range(3) if seat not in bots))
    await anna.seat_bots(*bots)
    await anna.start()
    return anna


async def test_after_a_restart_everything_stands_where_it_stood(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path)
    for _ in range(20):
        anna = await begin(hub)
        await anna.look(0)
        for _ in range(2):
            await anna.play(0, anna.observation.legal_moves[0])
        await anna.do(Undo, 0)
        if anna.match.may_undo:  # not in every deal: with the second move the first one is taken back
            break
    before = anna.table
    await hub.close()
    hub = await open_hub(tmp_path)
    again = Client(hub.connect("anna"))
    await again.go_to(before.id)
    await again.look(0)
    assert again.table == before
    assert again.match.may_undo
    await hub.close()


async def test_after_a_restart_bots_go_on(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path, pause=3600)
    anna = await begin(hub, 0, 1, 2)
    table = anna.table.id
    await hub.close()
    hub = await open_hub(tmp_path)
    again = Client(hub.connect("anna"))
    await again.go_to(table)
    await again.until(lambda c: c.table.phase == "finished")
    await hub.close()


async def test_a_finished_match_is_written_to_a_file_of_its_own_and_so_is_the_rematch(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub, 0, 1, 2)
    table = anna.table.id
    await anna.until(lambda c: c.table.phase == "finished")
    await hub.close()
    (file,) = (tmp_path / "records").iterdir()
    assert file.name.endswith(f"-{table}.json")
    record = parse_record(file.read_text())
    assert replay(record).is_over
    assert record == await record_from(tmp_path / "log.sqlite", table)


async def test_a_record_that_could_not_be_written_is_written_after_the_restart(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("in the way")
    hub = await open_hub(tmp_path)
    anna = await begin(hub, 0, 1, 2)
    await anna.until(lambda c: c.table.phase == "finished")
    await hub.close()
    (tmp_path / "records").unlink()
    hub = await open_hub(tmp_path)
    await hub.table_cache.backfilled()
    await hub.close()
    assert len(list((tmp_path / "records").iterdir())) == 1


async def test_a_record_of_another_end_stays_beside_that_of_the_match_as_its_table_has_it(
    tmp_path: Path, journal: io.StringIO
) -> None:
    """An older copy of the database beside newer records, in which people have played on in another way."""
    hub = await open_hub(tmp_path)
    anna = await begin(hub, 0, 1, 2)
    table = anna.table.id
    await anna.until(lambda c: c.table.phase == "finished")
    await hub.close()
    (file,) = (tmp_path / "records").iterdir()
    own = file.read_bytes()
    for other, kept in ((own, 1), (own.replace(b"bot:random", b"bot:greedy", 1), 2)):
        file.write_bytes(other)
        hub = await open_hub(tmp_path)
        await hub.table(table)
        await hub.close()
        files_there = sorted((tmp_path / "records").iterdir())
        assert (files_there[0].read_bytes(), len(files_there)) == (own, kept)
        assert ("set aside" in journal.getvalue()) is (kept == 2)
    assert files_there[1].read_bytes() == other


async def rating_hub(folder: Path) -> Hub:
    """A hub that keeps all that a server keeps of a match."""
    database = await open_database(folder / DATABASE)
    hub = Hub(
        SqlLog(database), limits=PLENTY, keep_record=RecordFolder(folder / RECORDS).keep,
        ratings=Ratings(RatingStore(database)), daily=DailyDeals(DailyStore(database), time),
    )  # fmt: skip
    await hub.load()
    return hub


def kept_of_matches(folder: Path) -> dict[str, list[Any]]:
    """What a server has of finished matches, but for the numbers of rows."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        entries = connection.execute("SELECT count(*) FROM entries")
        results = connection.execute("SELECT owner, table_id, match, result FROM results ORDER BY owner")
        ratings = connection.execute("SELECT account, table_id, match, mean FROM ratings ORDER BY account")
        tries = connection.execute("SELECT account, day, points, won, signs FROM daily_tries")
        tables = {"entries": entries, "results": results, "ratings": ratings, "tries": tries}
        found = {name: rows.fetchall() for name, rows in tables.items()}
    return found | {"records": sorted(file.name for file in (folder / RECORDS).glob("*"))}


def killed_after_each_write(live: Path, copies: Path, monkeypatch: pytest.MonkeyPatch) -> deque[Path]:
    """Keep the data folder as it is after each of the last writes."""
    last: deque[Path] = deque(maxlen=8)
    write_rows, write_file, numbers = sqlite.SqliteDatabase._in_one_go, files.atomic_write, count()

    def copy() -> None:
        last.append(shutil.copytree(live, copies / str(next(numbers))))

    async def writing_rows(self: Any, *change: Any) -> Any:
        written = await write_rows(self, *change)
        copy()
        return written

    def writing_file(path: Path, content: bytes, mode: int = 0o666) -> None:
        write_file(path, content, mode)
        copy()

    monkeypatch.setattr(sqlite.SqliteDatabase, "_in_one_go", writing_rows)
    monkeypatch.setattr(files, "atomic_write", writing_file)
    return last


@pytest.mark.parametrize("kind", ["ratings", "tries"])
async def test_whatever_was_written_last_of_a_match_that_ends_a_restart_makes_up_the_rest_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    live = tmp_path / "live"
    live.mkdir()
    hub = await rating_hub(live)
    anna, beate = (Client(hub.connect(name)) for name in ("anna", "beate"))
    with monkeypatch.context() as patch:
        last = killed_after_each_write(live, tmp_path, patch)
        if kind == "ratings":
            await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, False, True, None, True)
            await beate.go_to(anna.table.id)
            for seat, client in enumerate((anna, beate)):
                await client.sit(seat)
            await finish(*await begin_match([anna, beate]))
        else:
            await anna.do(OpenDaily, "ku_ka_king")
            await anna.play_to_the_end()
        await hub.close()
    whole, made_up = kept_of_matches(live), 0
    assert all(whole[name] for name in ("entries", "results", "records", kind))
    for folder in last:
        if kept_of_matches(folder)["entries"] != whole["entries"]:
            continue  # the match goes on there
        made_up += kept_of_matches(folder) != whole
        hub = await rating_hub(folder)
        await hub.table_cache.backfilled()
        await hub.close()
        assert kept_of_matches(folder) == whole
    assert made_up > 2


async def test_a_table_stays_until_what_was_finished_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("in the way")
    hub = await open_hub(tmp_path, times=Timeouts(reconnect=0))
    anna = await begin(hub, 0, 1, 2)
    await anna.until(lambda c: c.table.phase == "finished")
    await anna.go_to(None)
    await hub.expiry_task.expire()
    assert len(hub.table_cache) == 1
    (tmp_path / "records").unlink()
    await hub.expiry_task.expire()
    await wait_for(lambda: len(hub.table_cache) == 0)
    assert len(list((tmp_path / "records").iterdir())) == 1
    await hub.close()


async def test_an_unfinished_record_can_be_had_from_the_database_while_the_server_runs(
    tmp_path: Path,
) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub)
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    record = await record_from(tmp_path / "log.sqlite", anna.table.id)
    assert len(record.moves) == 1
    assert not replay(record).is_over
    await hub.close()


async def test_a_record_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path)
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 3)
    with pytest.raises(KkError, match="No match"):
        await record_from(tmp_path / "log.sqlite", table)
    with pytest.raises(KkError, match="'nowhere'"):
        await record_from(tmp_path / "log.sqlite", "nowhere")
    with pytest.raises(KkError, match="missing"):
        await record_from(tmp_path / "missing.sqlite", "nowhere")
    await hub.close()


async def test_what_was_taken_back_when_that_was_allowed_stays_taken_back(tmp_path: Path) -> None:
    """The entry is there: whether one may is asked before it is stored, and never again."""
    hub = await open_hub(tmp_path)
    anna = await paid_with_a_hidden_card(hub)
    table, other = anna.table.id, anna.observation.legal_moves[0]
    assert not anna.match.may_undo
    await hub.close()
    log = await open_log(tmp_path / "log.sqlite")
    await log.append(table, len((await log.read(table)).entries), Undone(0))
    await log.close()
    hub = await open_hub(tmp_path)
    anna = Client(hub.connect("anna"))
    await anna.go_to(table)
    assert anna.match.ply == 0
    await anna.look(0)
    assert other not in anna.observation.legal_moves
    await anna.play(0, anna.observation.legal_moves[0])
    await hub.close()


async def paid_with_a_hidden_card(hub: Hub) -> Client:
    """A match after its first move, which nobody may take back."""
    anna = Client(hub.connect("anna"))
    await anna.open("web_of_power", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[-1])
    return anna


async def test_a_piece_paid_for_with_a_hidden_card_can_no_longer_be_taken_back(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path)
    anna = await paid_with_a_hidden_card(hub)
    assert not anna.match.may_undo
    assert "the others have seen what only you knew" in await anna.refused(Undo, 0)
    await hub.close()


LONG = '"\\' * 2000 + "\x1b[2J"

DAMAGE = [
    "UPDATE entries SET entry = 'burnt' WHERE revision = 4",
    "UPDATE entries SET entry = json_set(entry, '$.line', '0 fly away') WHERE kind = 'moved'",
    "UPDATE entries SET entry = json_set(entry, '$.line', '9 end') WHERE kind = 'moved'",
    "UPDATE entries SET entry = json_set(entry, '$.seed', 'xyz') WHERE kind = 'started'",
    "UPDATE entries SET entry = json_set(entry, '$.seed', '00') WHERE kind = 'started'",
    "UPDATE entries SET entry = json_set(entry, '$.rules_version', 'old') WHERE kind = 'started'",
    "UPDATE entries SET entry = json_set(entry, '$.game', 'chess') WHERE kind = 'created'",
    "UPDATE entries SET entry = json_set(entry, '$.rules', '00') WHERE kind = 'started'",
    "UPDATE entries SET entry = json_remove(entry, '$.rules') WHERE kind = 'started'",
    f"UPDATE entries SET entry = json_set(entry, '$.game', '{LONG}') WHERE kind = 'created'",
    f"UPDATE entries SET entry = json_set(entry, '$.rules_version', '{LONG}') WHERE kind = 'started'",
    f"UPDATE entries SET table_id = '{LONG}', entry = '' WHERE revision = 1",
    "DELETE FROM entries WHERE revision = 2",
    "DELETE FROM entries WHERE revision = 0",
]


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_table_is_left_out_in_a_short_line_of_the_log_and_harms_no_other(
    tmp_path: Path, damage: str, journal: io.StringIO
) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub)
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    bad = anna.table.id
    await anna.go_to(None)
    good = await anna.open(GAME, 4)
    await anna.sit(0)
    await hub.close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
        changed = connection.execute(f"{damage} AND table_id = ?", (bad,)).rowcount
    assert changed == 1
    hub = await open_hub(tmp_path)
    again = Client(hub.connect("anna"))
    await again.refused(GoTo, bad)
    await again.ask(CloseTable, bad)
    await again.until(lambda c: [line.id for line in c.lobby.tables] == [good])
    await hub.close()
    lines = journal.getvalue().splitlines()
    assert "table left out" in [json.loads(line)["event"] for line in lines]
    assert all(line.isprintable() and len(line) <= 200 for line in lines)


class Failing(MemoryLog):
    """A log whose disk is full when told so."""

    is_full = False

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        if self.is_full:
            raise StorageFailed(text("The disk is full."))
        await super().append(table, expected_revision, entry, at)


async def test_a_move_that_cannot_be_stored_is_refused_and_nobody_has_seen_it() -> None:
    log = Failing()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = await begin(hub)
    await anna.look(0)
    before, move = anna.tree, anna.observation.legal_moves[0]
    log.is_full = True
    assert "full" in await anna.refused(Play, 0, 0, move)
    assert anna.tree == before
    log.is_full = False
    await anna.play(0, move)
    await hub.close()


async def test_no_move_is_acknowledged_into_a_file_that_is_not_where_it_was(
    tmp_path: Path, journal: io.StringIO
) -> None:
    folder, away = tmp_path / "data", tmp_path / "away"
    folder.mkdir()
    hub = Hub(await open_log(folder / DATABASE), bot_pause=0, limits=PLENTY)
    anna = await begin(hub)
    await anna.look(0)
    before, move = anna.tree, anna.observation.legal_moves[0]
    folder.rename(away)
    for _ in range(2):
        assert "couldn't save this" in await anna.refused(Play, 0, 0, move)
    assert anna.tree == before
    lines = [json.loads(line) for line in journal.getvalue().splitlines()]
    told = [line for line in lines if line["event"] == "file not written or read"]
    assert [(line["reason"], line["do"]) for line in told] == [
        ("it was deleted, moved or replaced", "put it back where it was, or restart")
    ]
    away.rename(folder)
    await anna.play(0, move)
    await hub.close()


async def test_records_do_not_make_a_data_folder_anew_that_is_gone(tmp_path: Path) -> None:
    keep = RecordFolder(tmp_path / "data" / "records").keep
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY)
    anna = await begin(hub)
    (table,) = hub.tables.values()
    await anna.play_to_the_end()
    with pytest.raises(OSError, match="No such file"):
        await keep(table.id, 1, table.record())
    assert not (tmp_path / "data").exists()
    await hub.close()


async def test_a_table_changed_when_its_entry_says_so_however_long_the_disk_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count(1_000_000_000)
    monkeypatch.setattr(sql_log, "time", lambda: float(next(seconds)))
    daily = DailyDeals(clock=lambda: float(next(seconds)))
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0, limits=PLENTY, daily=daily)
    anna = await begin(hub)
    (table,) = hub.tables.values()
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    with closing(sqlite3.connect(tmp_path / DATABASE)) as file:
        ((at,),) = file.execute("SELECT at FROM entries ORDER BY number DESC LIMIT 1")
    assert datetime.fromisoformat(at).timestamp() == table.at
    await hub.close()


class Slow(MemoryLog):
    """A log that takes its time once it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.is_done = asyncio.Event(), asyncio.Event()
        self.is_done.set()

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        self.asked.set()
        await self.is_done.wait()
        await super().append(table, expected_revision, entry, at)


async def test_what_is_being_stored_is_taken_over_even_if_who_asked_for_it_waits_no_longer() -> None:
    log = Slow()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = await begin(hub)
    (table,) = hub.tables.values()
    log.asked.clear()
    log.is_done.clear()
    await anna.look(0)
    playing = asyncio.create_task(table.play("anna", 0, 0, anna.observation.legal_moves[0]))
    await log.asked.wait()
    playing.cancel()
    await rest()
    assert not playing.done()
    log.is_done.set()
    with pytest.raises(asyncio.CancelledError):
        await playing
    await anna.until(lambda c: c.match.ply == 1)
    assert len((await log.read(table.id)).entries) == table.state.revision
    await hub.close()


async def test_a_change_that_waits_to_be_stored_is_told_to_everybody_there_after_a_second() -> None:
    log = Slow()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna, beate = await begin(hub), Client(hub.connect("beate"))
    await beate.go_to(anna.table.id)
    await anna.look(0)
    log.asked.clear()
    log.is_done.clear()
    clock = Clock()
    playing = asyncio.create_task(anna.play(0, anna.observation.legal_moves[0]))
    await log.asked.wait()
    await clock.forward(0.9)
    assert not beate.table.waits
    await clock.forward(0.2)
    for client in (anna, beate):
        await client.until(lambda c: c.table.waits)
        assert client.match.ply == 0
    log.is_done.set()
    await playing
    for client in (anna, beate):
        await client.until(lambda c: c.match.ply == 1 and not c.table.waits)
    await hub.close()


async def test_a_full_disk_is_told_in_the_log_once_until_there_is_room_again(
    tmp_path: Path, journal: io.StringIO
) -> None:
    log = await open_log(tmp_path / "log.sqlite")
    ((pages,),) = await log._database.rows("PRAGMA page_count")
    for number in range(2):
        await log._database.rows(f"PRAGMA max_page_count = {pages}")
        for _ in range(2):
            with pytest.raises(StorageFailed, match="couldn't save this"):
                await log.keep_data(["x" * 100_000])
        await log._database.rows("PRAGMA max_page_count = 100000")
        await log.append("t", number, OPENED)
    await log.close()
    lines = [json.loads(line) for line in journal.getvalue().splitlines()]
    assert [(line["event"], line["reason"], line["do"]) for line in lines] == [
        ("file not written or read", "database or disk is full", "free up disk space")
    ] * 2


DIRECTIONS = {
    sqlite3.SQLITE_FULL: "written", sqlite3.SQLITE_READONLY: "written",
    sqlite3.SQLITE_READONLY_DIRECTORY: "written", sqlite3.SQLITE_IOERR_WRITE: "written",
    sqlite3.SQLITE_IOERR_FSYNC: "written", sqlite3.SQLITE_IOERR_SHMSIZE: "written",
    sqlite3.SQLITE_IOERR_READ: "read", sqlite3.SQLITE_CORRUPT: "read", sqlite3.SQLITE_NOTADB: "read",
    sqlite3.SQLITE_BUSY: "read",
}  # fmt: skip
"""What cannot be done with a file, by the code of the error that even opening it may give."""


@pytest.mark.parametrize("code", DIRECTIONS)
def test_what_is_said_of_a_file_names_what_cannot_be_done_with_it(tmp_path: Path, code: int) -> None:
    error = sqlite3.OperationalError("something")
    error.sqlite_errorcode = code
    for said in (unreadable(tmp_path, error, to_write=True), unreadable(tmp_path, error), not_read(error)):
        assert f"cannot be {DIRECTIONS[code]}: " in str(told_host(said))
    assert "cannot be written: " in str(told_host(not_kept(error)))


def test_a_disk_that_has_no_room_for_what_sqlite_keeps_beside_a_file_is_called_full(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    said = str(unreadable(tmp_path / "f", error, to_write=True))
    assert said == f"{tmp_path / 'f'} cannot be written: database or disk is full"


async def test_a_new_file_that_does_not_fit_is_not_called_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_SETTINGS", f"{sqlite._SETTINGS} PRAGMA max_page_count = 1;")
    with pytest.raises(StorageFailed) as refusal:
        await open_log(tmp_path / DATABASE)
    said = str(told_host(refusal.value))
    assert said == f"{tmp_path / DATABASE} cannot be written: database or disk is full"


def full(*_: object, **__: object) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


@pytest.mark.parametrize("do", [
    lambda folder: host_key(folder),
    lambda folder: asyncio.run(Bans(BanFile(folder / "bans.json")).add(Ban(BanKind.NAME, "eve"))),
    lambda folder: save_readable(folder / DATABASE),
], ids=["the key", "bans", "a repaired file"])  # fmt: skip
async def test_a_full_disk_is_no_reason_to_say_that_something_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: Callable[[Path], object]
) -> None:
    log = await open_log(tmp_path / DATABASE)
    await log.keep_data({"a": 1})
    await log.close()
    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(Path, "chmod", full)
    with pytest.raises(KkError) as refusal:
        await asyncio.to_thread(do, tmp_path)
    said = str(told_host(refusal.value))
    assert "cannot be written: No space left on device" in said
    assert "cannot be read" not in said
    assert (tmp_path / DATABASE).stat().st_size
    assert not (tmp_path / f"{DATABASE}.part").exists()


def test_what_cannot_be_copied_to_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / DATABASE).write_bytes(b"a file")
    (tmp_path / f"{DATABASE}-wal").write_bytes(b"x" * 5000)  # damaged, so that it is not touched
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StorageFailed) as refusal, readable(tmp_path / DATABASE):
        pass
    said = str(told_host(refusal.value))
    assert said.startswith(f"{tmp_path / DATABASE} cannot be copied, which is needed to read it: ")


def test_an_audit_file_that_cannot_be_read_is_not_called_unwritable(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    with pytest.raises(NotWritten, match="cannot be read: Is a directory"):
        AuditLog(tmp_path / "audit").forget_addresses(1)


async def test_what_sqlite_says_is_for_the_host_and_guests_read_that_he_has_to_look(tmp_path: Path) -> None:
    log = await open_log(tmp_path / "log.sqlite")
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection:
        connection.execute("DROP TABLE entries")
    for work in (log.read("t"), log.append("t", 0, OPENED)):
        with pytest.raises(StorageFailed, match="its host must look into it") as refusal:
            await work
        assert "no such table" not in str(refusal.value)
        assert "no such table" in str(told_host(refusal.value))
    await log.close()


async def test_when_somebody_else_has_written_to_a_table_it_is_read_anew() -> None:
    log = MemoryLog()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = await begin(hub)
    await anna.look(0)
    table, move = anna.table.id, anna.observation.legal_moves[0]
    stored = await log.read(table)
    notation = hub.tables[table].state.rules.format_move(move)
    await log.append(table, len(stored.entries), Moved(f"0 {notation}"))
    assert "changed in the meantime" in await anna.refused(Play, 0, 0, move)
    assert anna.match.ply == 1
    await hub.close()


async def test_the_log_holds_moves_in_the_notation_of_records(tmp_path: Path) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub)
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    await hub.close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection:
        ((entry,),) = connection.execute("SELECT entry FROM entries WHERE kind = 'moved'").fetchall()
    assert json.loads(entry)["line"].startswith("0 ")


@pytest.mark.parametrize("game_id", game_ids())
async def test_a_move_is_made_as_it_was_checked_and_its_text_gives_the_same_match(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()

    def noted(match: Match, line: str) -> None:
        read.append(line)
        play_line(match, line)

    monkeypatch.setattr(table_state, "play_line", noted)
    log, random, seats = MemoryLog(), Random(1), game(game_id).meta.min_seats
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    table = await hub.open_table("anna", OpenTable(0, game_id, {}, seats))
    for seat in range(seats):
        await table.take_seat("anna", seat, "")
    await table.start("anna", bytes(32))
    match = table.match
    assert match is not None
    while not match.is_over and len(match.plies) < 60:
        seat = match.game.active_seats(match.state)[0]
        move = random.choice(match.game.legal_moves(match.state, seat))
        await table.play("anna", seat, len(match.plies), move)
    assert read == [], "nothing was parsed"
    stored = await log.read(table.id)
    again = replayed(stored.entries, await data_for(log, stored.entries)).match
    assert again is not None
    assert (again.plies, again.state) == (match.plies, match.state)
    assert len(read) == len(match.plies)
    assert match.is_over or len(read) == 60
    await hub.close()
