"""A server that knows little of its tables, as after an upgrade, serves at once and finds out meanwhile."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from errno import ENOSPC
from pathlib import Path

import pytest
from msgspec.structs import replace

from kk_core.config import digest
from kk_core.protocol.messages import GetHistory, History
from kk_core.registry import game
from kk_core.views import ClockRule
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.maintenance.backup import copy_database
from kk_server.storage.entries import (
    Created,
    Entry,
    HandedOn,
    Invited,
    Moved,
    Reopened,
    Seated,
    SeatHolder,
    Started,
)
from kk_server.storage.files import RecordFolder
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import open_database
from kk_server.storage.summaries import outlined
from kk_server.storage.table_log import StoredTable
from kk_server.storage.tallies import watch
from kk_server.tables import state as table_state
from kk_server.tables.state import CooperativeYield, replayed, restore
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.remote import wait_for
from tests.server.test_clocks import timed
from tests.server.test_table_cache import begun

GAME = "ku_ka_king"


class Gated(SqlLog):
    """A log in which tables are read only while the gate is open, but for those that are let through."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.gate = asyncio.Event()
        self.through: set[str] = set()
        self.read_tables: list[str] = []

    async def read(self, table: str) -> StoredTable:
        if table not in self.through:
            await self.gate.wait()
        self.read_tables.append(table)
        return await super().read(table)


class Host:
    """Starts a hub over a file; the one before is stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "log.sqlite"
        self.log: Gated
        self.hub: Hub | None = None

    async def start(self, *, is_open: bool = True, times: Timeouts | None = None) -> Hub:
        await self.stop()
        self.log = Gated(await open_database(self.path))
        keep = RecordFolder(self.folder / "records").keep
        self.hub = Hub(self.log, bot_pause=0, limits=PLENTY, keep_record=keep, times=times)
        if is_open:
            self.log.gate.set()
        await self.hub.load()
        return self.hub

    async def stop(self) -> None:
        if self.hub is not None:
            await self.hub.close()
        self.hub = None

    async def upgraded(self, *, times: Timeouts | None = None) -> Hub:
        """A hub with an older file, that can read no table yet."""
        await self.stop()
        with closing(sqlite3.connect(self.path)) as connection, connection:
            watch(connection)
            for name in ("summaries", "results"):
                connection.execute(f"DELETE FROM {name}")
        for record in (self.folder / "records").glob("*"):
            record.unlink()
        return await self.start(is_open=False, times=times)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    host = Host(tmp_path)
    yield host
    await host.stop()


async def finished(hub: Hub, user: str) -> str:
    """A match that is over, at a table at which its user stays to the end."""
    client = Client(hub.connect(user))
    table = await client.open(GAME, 2)
    await client.sit(0, 1)
    await client.start()
    await client.play_to_the_end()
    return table


async def test_tables_are_listed_before_they_are_replayed_and_then_with_their_points(host: Host) -> None:
    table = await begun(await host.start())
    hub = await host.start()
    (before,) = hub.lobby.lines("eve")
    hub = await host.upgraded()
    eve = Client(hub.connect("eve"))
    await eve.until(lambda c: [line.id for line in c.lobby.tables] == [table])
    (line,) = eve.lobby.tables
    assert (line.title, line.phase, line.points) == (before.title, "playing", ())
    assert [seat.name for seat in line.seats] == [seat.name for seat in before.seats]
    host.log.gate.set()
    await hub.table_cache.backfilled()
    await eve.until(lambda c: c.lobby.tables == (replace(before, at=0),))


def test_what_is_told_of_a_table_before_it_is_replayed_is_so() -> None:
    rules, seats = game(GAME), (SeatHolder("Anna", "anna"), SeatHolder("Beate", "beate"))
    begun = Started("00" * 32, rules.rules_version, seats, digest(rules.rules_data))
    created = Created("Ours", "anna", GAME, {}, 2, code="K3RTZW")
    entries: list[Entry] = [
        created, Seated(seats), Invited("carl"), HandedOn("beate"), Invited("anna"), begun,
        Moved("0 call 3"), Reopened(seats[::-1]), HandedOn("anna"), begun,
    ]  # fmt: skip
    for number in range(1, len(entries) + 1):
        told = outlined(entries[:number], 7)
        known = replayed(entries[:number]).summary(7, is_kept=False)
        assert told == replace(known, round=0, points=(), active=(), stood_in={}), entries[number - 1]


async def test_what_a_match_came_to_is_kept_afterwards(host: Host) -> None:
    await finished(await host.start(), "anna")
    hub = await host.upgraded(times=Timeouts(reconnect=0))
    anna = Client(hub.connect("anna"))
    await hub.expiry_task.expire()
    assert len(hub.table_cache) == 1
    host.log.gate.set()
    await hub.table_cache.backfilled()
    reply = await anna.ask(GetHistory)
    assert isinstance(reply, History)
    assert len(reply.matches) == 1
    assert len(list((host.folder / "records").iterdir())) == 1
    await hub.expiry_task.expire()
    assert len(hub.table_cache) == 0


async def test_a_table_whose_record_cannot_be_written_stays_until_it_can(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    await finished(await host.start(), "anna")
    hub = await host.upgraded(times=Timeouts(reconnect=0))
    monkeypatch.setattr(hub, "_keep_record", refuse)
    host.log.gate.set()
    await hub.table_cache.backfilled()
    await hub.expiry_task.expire()
    assert len(hub.table_cache) == 1
    hub = await host.start(times=Timeouts(reconnect=0))
    await hub.table_cache.backfilled()
    assert len(list((host.folder / "records").iterdir())) == 1
    await hub.expiry_task.expire()
    assert len(hub.table_cache) == 0


async def test_who_asks_for_a_table_does_not_wait_for_the_others(host: Host) -> None:
    hub = await host.start()
    tables = [await begun(hub, plies) for plies in (1, 2, 3)]
    hub = await host.upgraded()
    host.log.through.add(tables[2])
    anna = Client(hub.connect("anna"))
    await anna.go_to(tables[2])
    assert anna.match.ply == 3
    seat = anna.observation.active[0]
    await anna.look(seat)
    await anna.play(seat, anna.observation.legal_moves[0])
    host.log.gate.set()
    await hub.table_cache.backfilled()
    assert host.log.read_tables.count(tables[2]) == 1
    assert [line.id for line in hub.lobby.lines("anna")] == tables


async def test_the_tables_of_those_who_are_here_come_first(host: Host) -> None:
    hub = await host.start()
    others = [await finished(hub, user) for user in ("beate", "carla", "dora", "emil")]
    hub = await host.upgraded()
    await wait_for(lambda: others[0] in hub.table_cache._backfill)
    Client(hub.connect("emil"))
    await wait_for(lambda: hub.presence.has("emil"))
    host.log.gate.set()
    await hub.table_cache.backfilled()
    assert host.log.read_tables[:2] == [others[0], others[3]]


async def test_what_was_found_out_before_a_kill_is_not_found_out_again(host: Host, tmp_path: Path) -> None:
    hub = await host.start()
    tables = [await finished(hub, user) for user in ("anna", "beate", "carla")]
    hub = await host.upgraded()
    host.log.through.update(tables[:2])
    await wait_for(lambda: host.log.read_tables == tables[:2])
    await wait_for(lambda: len(hub.table_cache._found) == 2)
    await hub.table_cache.tidy()
    copy_database(host.path, tmp_path / "killed.sqlite")  # as a kill would leave it
    await host.stop()
    host.path = tmp_path / "killed.sqlite"
    hub = await host.start()
    await hub.table_cache.backfilled()
    assert host.log.read_tables == tables[2:]


async def test_a_bot_that_is_waited_for_plays_on_when_that_is_found_out(host: Host) -> None:
    hub = await host.start()
    hub.pace.seconds = 3600
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 2)
    await anna.sit(1)
    await anna.seat_bots(0)
    await anna.start()
    hub = await host.upgraded()
    host.log.gate.set()
    await wait_for(lambda: table in hub.tables and 1 in hub.tables[table].summary().active)


async def test_a_clock_runs_at_a_table_of_which_little_is_known(host: Host) -> None:
    hub = await host.start()
    await timed(lambda user: Client(hub.connect(user)), ClockRule(1))
    hub = await host.upgraded()
    await wait_for(lambda: hub.uptime.now() > 1)
    host.log.gate.set()
    await wait_for(lambda: any(seat.stand_in for line in hub.lobby.lines("eve") for seat in line.seats))


async def test_others_have_their_turn_while_a_table_is_replayed(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_state, "_WORK", 0)
    monkeypatch.setattr(table_state, "_PAUSE", 0)
    table = await begun(await host.start(), plies=20)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    stored = await host.log.read(table)
    running = asyncio.create_task(others())
    state = await restore(host.log, stored, CooperativeYield())
    running.cancel()
    assert state.match is not None
    assert len(state.match.plies) == 20
    assert turns >= 20
