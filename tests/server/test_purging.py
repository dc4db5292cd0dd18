"""Tables that were closed long ago leave the file; what was finished there is told as before."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    GetHistory,
    GoTo,
    Hello,
    OpenReplay,
    OpenTable,
    Propose,
)
from kk_core.record import record_of
from kk_server.hub.hub import Hub
from kk_server.maintenance.backup import record_from
from kk_server.serve.server import Server, start
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Closed, Created, Entry, Invited, encode_entry
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.tables.expiry import Days, Purger
from kk_server.visits.sftp import OwnRecords
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.playing import begin_match, finish
from tests.server.probe import make_probe
from tests.server.remote import remote_link, wait_for
from tests.server.test_console import ask

GAME = "ku_ka_king"
LONG_AGO = "2001-02-03T04:05:06+00:00"

Host = Callable[..., Any]


@asynccontextmanager
async def stored(folder: Path) -> AsyncIterator[tuple[SqlLog, Archive]]:
    """What a data folder has, without a server."""
    database = await open_database(folder / DATABASE)
    yield SqlLog(database), Archive(database)
    await database.close()


async def purge(folder: Path, days: Days = 1) -> None:
    async with stored(folder) as (log, archive):
        await Purger(log, archive, days).purge()


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    """Starts a hub over the same file again and again; the one before is stopped."""
    hubs: list[Hub] = []

    async def begin(days: Days = "never") -> Hub:
        while hubs:
            await hubs.pop().close()
        database = await open_database(tmp_path / DATABASE)
        hub = Hub(SqlLog(database), bot_pause=0, limits=PLENTY, archive=Archive(database), purge_days=days)
        hubs.append(hub)
        await hub.load()
        return hub

    yield begin
    while hubs:
        await hubs.pop().close()


def change(folder: Path, statement: str, *values: Any) -> int:
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        return connection.execute(statement, values).rowcount


def tell(folder: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return [row[0] for row in connection.execute(query)]


def tables(folder: Path) -> set[str]:
    return set(tell(folder, "SELECT table_id FROM entries"))


def age(folder: Path) -> None:
    """All of it was long ago."""
    change(folder, "UPDATE entries SET at = ?", LONG_AGO)
    change(folder, "UPDATE rules SET at = 0")


async def played(hub: Hub, *, rematch: bool = False) -> str:
    """A table of Anna's with a finished match, that is closed now; maybe with another one aborted."""
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 2)
    await anna.sit(0, 1)
    await anna.start()
    await anna.play_to_the_end()
    if rematch:
        await anna.do(Propose, "rematch")
        await anna.look(anna.observation.active[0])
        await anna.play(anna.observation.active[0], anna.observation.legal_moves[0])
    await anna.do(Propose, "close")
    await anna.close()
    return table


# -- what is told afterwards ---------------------------------------------------------------------------------


async def served(folder: Path, **settings: Any) -> Server:
    return await start(here(folder, limits=PLENTY, bot_pause=0, **settings), make_probe)


async def rated_match(server: Server) -> str:
    """A rated match of Anna and Beate, to its end; both leave the table, which is closed then."""
    anna, beate = clients = [Client(await remote_link(server.port, user)) for user in ("anna", "beate")]
    for client in clients:
        await client.ask(Hello, PROTOCOL_VERSION)
    await anna.do(OpenTable, GAME, {}, 2, "", False, False, True, None, True)
    await beate.go_to(table := anna.table.id)
    for seat, client in enumerate(clients):
        await client.sit(seat)
    await begin_match(clients)
    await finish(*clients)
    for client in clients:
        await client.go_to(None)
        await client.close()
    return table


async def answers(server: Server, table: str) -> list[object]:
    """All that can be asked about a match after its end."""
    said = [
        await ask(server, command, user)
        for user in ("anna", "beate", "eve")
        for command in ("history", f"record {table}", f"record {table}-1 --signature", "leaderboard --json")
    ]
    own = OwnRecords(server.hub, "anna")
    files = await own.inside(PurePosixPath("/records")) or []
    anna = Client(server.hub.connect("anna"))
    history = await anna.ask(GetHistory)
    await anna.do(OpenReplay, table, 1)
    return [said, files, [await own.content(file) for file in files], history, anna.match, anna.table.seats]


@pytest.mark.e2e
async def test_what_was_finished_at_a_purged_table_is_told_as_before(tmp_path: Path) -> None:
    server = await served(tmp_path)
    table = await rated_match(server)
    before = await answers(server, table)
    assert '"played": 1' in str(before[0])
    await server.close()
    assert tables(tmp_path) == {table}
    age(tmp_path)
    server = await served(tmp_path, purge_days=1)
    await wait_for(lambda: not tables(tmp_path))
    assert await answers(server, table) == before
    assert await record_from(tmp_path / DATABASE, table) == record_of(
        (await server.hub.history.match("anna", table, 1))[0]
    )
    await server.close()


async def test_a_match_that_was_broken_off_goes_and_those_before_it_stay(host: Host, tmp_path: Path) -> None:
    table = await played(await host(), rematch=True)
    await host()
    age(tmp_path)
    await purge(tmp_path)
    hub = await host()
    anna = Client(hub.connect("anna"))
    await anna.do(OpenReplay, table, 1)
    assert anna.observation.outcome is not None
    assert "haven't played that match" in await anna.refused(OpenReplay, table, 2)
    assert "no table" in await anna.refused(GoTo, table)
    assert tell(tmp_path, "SELECT table_id FROM summaries UNION SELECT table_id FROM clocks") == []


# -- what is purged, and when --------------------------------------------------------------------------------


async def test_only_what_was_closed_so_many_days_ago_is_purged(host: Host, tmp_path: Path) -> None:
    hub = await host()
    old, young = await played(hub), await played(hub)
    anna = Client(hub.connect("anna"))
    runs = await anna.open(GAME, 2)
    await anna.sit(0)
    await host()
    change(tmp_path, "UPDATE entries SET at = ? WHERE table_id <> ?", LONG_AGO, young)
    await host("never")
    assert tables(tmp_path) == {old, young, runs}
    await host(1)
    await wait_for(lambda: tables(tmp_path) == {young, runs})


async def test_a_reload_changes_how_long_tables_are_kept(host: Host, tmp_path: Path) -> None:
    await played(hub := await host())
    age(tmp_path)
    await hub.expiry_task.expire()
    assert tables(tmp_path)
    hub.use(PLENTY, 0, 30)
    await hub.expiry_task.expire()
    assert not tables(tmp_path)


async def test_a_closed_table_under_rules_that_are_not_known_here_is_kept_for_who_knows_them(
    host: Host, tmp_path: Path
) -> None:
    table = await played(await host())
    await host()
    age(tmp_path)
    rules = "UPDATE entries SET entry = json_set(entry, '$.rules_version', '99-0') WHERE kind = 'started'"
    assert change(tmp_path, rules) == 1
    await purge(tmp_path)
    assert tables(tmp_path) == {table}


async def test_a_new_table_never_has_the_name_of_one_that_was_purged(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await played(await host())
    await host()
    age(tmp_path)
    await purge(tmp_path)
    hub = await host()
    drawn = iter((table, "0a0b0c0d"))
    monkeypatch.setattr("kk_server.hub.hub.secrets.token_hex", lambda _: next(drawn))
    assert await Client(hub.connect("anna")).open(GAME, 2) == "0a0b0c0d"
    assert hub.table_cache.ids() == ["0a0b0c0d"]


# -- what is left of the file --------------------------------------------------------------------------------


async def test_rules_data_go_that_no_match_names_and_stay_as_long_as_one_does(
    host: Host, tmp_path: Path
) -> None:
    await played(await host())
    await host()
    named = set(tell(tmp_path, "SELECT digest FROM rules"))
    async with stored(tmp_path) as (log, _):
        unnamed = await log.keep_data(["nobody plays with these"])
        young = await log.keep_data(["somebody is about to begin with these"])
    age(tmp_path)
    change(tmp_path, "UPDATE rules SET at = 4000000000 WHERE digest = ?", young)
    await purge(tmp_path)
    assert named
    assert set(tell(tmp_path, "SELECT digest FROM rules")) == {*named, young}
    change(tmp_path, "DELETE FROM archive")
    change(tmp_path, "UPDATE rules SET at = 0")
    await purge(tmp_path)
    assert tell(tmp_path, "SELECT digest FROM rules") == []
    assert unnamed not in named


async def test_rules_data_that_were_just_asked_for_stay_for_the_match_that_is_about_to_begin(
    tmp_path: Path,
) -> None:
    async with stored(tmp_path) as (log, _):
        key = await log.keep_data(["nobody has played with these for long"])
        await log.keep_data(["nor with these"])
    age(tmp_path)
    async with stored(tmp_path) as (log, _):
        assert await log.keep_data(["nobody has played with these for long"]) == key
    await purge(tmp_path)
    assert tell(tmp_path, "SELECT digest FROM rules") == [key]


async def test_rules_data_stay_while_entries_that_a_repair_has_set_aside_name_them(
    host: Host, tmp_path: Path
) -> None:
    await played(await host())
    await host()
    columns = "number, table_id, revision, at, kind, entry"
    assert change(tmp_path, f"INSERT INTO set_aside ({columns}) SELECT {columns} FROM entries")
    change(tmp_path, "DELETE FROM entries")
    age(tmp_path)
    named = tell(tmp_path, "SELECT digest FROM rules")
    await purge(tmp_path)
    assert named
    assert tell(tmp_path, "SELECT digest FROM rules") == named


def fill(folder: Path, count: int) -> None:
    """So many tables that were closed long ago, of 40 entries each."""
    entries: list[Entry] = [
        Created("Evening", "anna", GAME, {}, 2), *(Invited(f"guest {n} " + "x" * 60) for n in range(38)),
        Closed(),
    ]  # fmt: skip
    rows = [
        (f"{number:08x}", revision, LONG_AGO, entry.__struct_config__.tag, encode_entry(entry).decode())
        for number in range(count)
        for revision, entry in enumerate(entries)
    ]
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        statement = "INSERT INTO entries (table_id, revision, at, kind, entry) VALUES (?, ?, ?, ?, ?)"
        connection.executemany(statement, rows)


async def test_the_disk_has_the_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kk_server.tables.expiry._PAUSE", 0)
    async with stored(tmp_path):
        fill(tmp_path, 120)
    full = (tmp_path / DATABASE).stat().st_size
    async with stored(tmp_path) as (log, archive):
        await Purger(log, archive, 1).purge()
        assert (tmp_path / DATABASE).stat().st_size < full / 4
    assert tell(tmp_path, "PRAGMA integrity_check") == ["ok"]


# -- a crash in the middle -----------------------------------------------------------------------------------

DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from kk_server.tables.expiry import Purger
from kk_server.storage.archive import Archive
from kk_server.storage.sqlite import open_database
from kk_server.storage.sql_log import SqlLog

async def main():
    database = await open_database(Path(sys.argv[1]))
    def watch(statement):
        if statement.strip().startswith(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
    await database._connection.set_trace_callback(watch)
    await Purger(SqlLog(database), Archive(database), 1).purge()
    await database.close()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("dies_before", "is_there"),
    [("INSERT INTO archive", True), ("DELETE FROM clocks", True), ("COMMIT", True),
     ("DELETE FROM rules", False), ("PRAGMA incremental_vacuum", False)],
)  # fmt: skip
async def test_of_a_table_that_is_purged_when_the_server_is_killed_all_is_there_or_nothing(
    host: Host, tmp_path: Path, dies_before: str, is_there: bool
) -> None:
    table = await played(await host())
    await (await host()).close()
    age(tmp_path)
    entries = tell(tmp_path, "SELECT count(*) FROM entries")
    dying = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DYING, str(tmp_path / DATABASE), dies_before
    )
    assert await dying.wait() == -signal.SIGKILL
    assert tell(tmp_path, "SELECT count(*) FROM entries") == (entries if is_there else [0])
    assert tell(tmp_path, "SELECT count(*) FROM archive") == [0 if is_there else 1]
    hub = await host(1)
    await wait_for(lambda: not tables(tmp_path))
    assert (await hub.history.match("anna", table, 1))[0].is_over
    assert tell(tmp_path, "PRAGMA integrity_check") == ["ok"]
