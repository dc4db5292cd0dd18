"""Stored tables are there without being replayed, and loaded when they are needed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import Browse, CloseTable, GoTo, Join, LeaveSeat, OpenTable, Say
from kk_core.text import text
from kk_core.views import ClockRule
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.entries import Seated, SeatHolder
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.place import Viewpoint
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.remote import wait_for
from tests.server.test_clocks import timed
from tests.server.test_clocks import turns as turns
from tests.waiting import Clock

GAME = "ku_ka_king"

Host = Callable[..., Any]


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    """Starts a hub over the same file again and again; the one before is stopped."""
    hubs: list[Hub] = []

    async def start(**others: Any) -> Hub:
        while hubs:
            await hubs.pop().close()
        hubs.append(hub := Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, limits=PLENTY, **others))
        await hub.load()
        return hub

    yield start
    while hubs:
        await hubs.pop().close()


async def begun(hub: Hub, plies: int = 3) -> str:
    """A match of Anna's, with moves."""
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 2)
    await anna.sit(0, 1)
    await anna.start()
    for _ in range(plies):
        seat = anna.observation.active[0]
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[0])
    await anna.close()
    return table


async def test_that_summaries_and_chat_cannot_be_stored_is_in_the_log_once_and_once_that_they_can(
    host: Host, journal: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise StorageFailed(text("The disk is full."))

    hub = await host()
    anna = Client(hub.connect("anna"))
    await anna.open(GAME, 2)
    for word in ("one", "two"):
        with monkeypatch.context() as full:
            for name in ("keep_summaries", "keep_transients"):
                full.setattr(SqlLog, name, fail)
            await anna.sit(0, 1) if word == "one" else await anna.do(LeaveSeat, 1)
            await anna.do(Say, word)
            for _ in range(3):
                await hub.table_cache.tidy()
        await hub.table_cache.tidy()
    for what in ("summaries", "chat"):
        lines = [line for line in journal.getvalue().splitlines() if f'"what": "{what}"' in line]
        assert [json.loads(line)["event"] for line in lines] == ["not kept", "kept again"] * 2
    await anna.close()


async def test_a_table_stays_unloaded_after_a_restart_until_somebody_goes_there(host: Host) -> None:
    table = await begun(await host())
    hub = await host()
    assert (hub.table_cache.ids(), list(hub.tables)) == ([table], [])
    anna = Client(hub.connect("anna"))
    await anna.go_to(table)
    assert list(hub.tables) == [table]
    assert anna.match.ply == 3


async def test_its_line_is_the_same_loaded_or_not(host: Host) -> None:
    table = await begun(await host())
    hub = await host()
    (unloaded,) = hub.lobby.lines("eve")
    await hub.table(table)
    assert hub.lobby.lines("eve") == [unloaded]
    assert (unloaded.phase, unloaded.round, len(unloaded.points)) == ("playing", 1, 2)


async def test_a_table_that_is_loaded_still_stands_once_in_the_lobby_of_who_sits_there(host: Host) -> None:
    table = await begun(await host())
    hub = await host()
    (unloaded,) = hub.lobby.view(Viewpoint("anna")).tables
    await hub.table(table)
    assert hub.lobby.view(Viewpoint("anna")).tables == (unloaded,)


async def test_who_come_together_load_a_table_once(host: Host) -> None:
    table = await begun(await host())
    hub = await host()
    anna, beate = Client(hub.connect("anna")), Client(hub.connect("beate"))
    await anna.link.send(OpenTable(100, GAME, {}, 2))
    await beate.go_to(table)
    await anna.go_to(table)
    assert anna.table.watchers == ("beate",)


async def test_a_summary_that_is_older_than_the_log_does_not_count(host: Host, tmp_path: Path) -> None:
    table = await begun(await host())
    await (await host()).close()
    log = await open_log(tmp_path / "log.sqlite")
    (before,) = await log.listed()
    assert before.summary is not None
    await log.append(table, before.revision, Seated((SeatHolder("Zoe", "zoe"), SeatHolder("Anna", "anna"))))
    await log.close()
    hub = await host()
    (line,) = hub.lobby.lines("eve")
    assert [seat.name for seat in line.seats] == ["Zoe", "Anna"]


async def test_a_summary_of_another_release_is_made_anew(host: Host, tmp_path: Path) -> None:
    await begun(await host())
    (before,) = (await host()).lobby.lines("eve")
    await host()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
        connection.execute("UPDATE summaries SET summary = json_set(summary, '$.colour', 'red')")
    hub = await host()
    await hub.table_cache.backfilled()
    (after,) = hub.lobby.lines("eve")
    assert replace(after, at=before.at) == before, "all but the second of its last entry"


async def test_a_clock_runs_out_at_an_unloaded_table(turns: Clock, host: Host) -> None:
    hub = await host()
    anna, beate = await timed(lambda user: Client(hub.connect(user)), ClockRule(60))
    await anna.close()
    await beate.close()
    hub = await host()
    assert not hub.tables
    await turns.forward(61)
    await wait_for(lambda: bool(hub.tables))
    (table,) = hub.tables.values()
    await wait_for(lambda: any(holder.stand_in for holder in table.state.seats))


async def test_a_match_at_an_unloaded_table_that_nobody_comes_back_to_ends(host: Host) -> None:
    await begun(await host())
    hub = await host(times=Timeouts(unplayed=0, empty=0))
    await wait_for(lambda: not hub.table_cache.ids())
    anna = Client(hub.connect("anna"))
    await anna.until(lambda c: any("ended without a result" in str(message) for message in c.sent))


async def test_an_unloaded_table_that_nobody_needs_is_closed_without_being_read(host: Host) -> None:
    hub = await host()
    anna = Client(hub.connect("anna"))
    await anna.open(GAME, 2)
    await anna.close()
    hub = await host(times=Timeouts(reconnect=0))
    await wait_for(lambda: not hub.table_cache.ids())
    assert (await host()).table_cache.ids() == []


async def test_who_comes_back_gets_the_seat_at_an_unloaded_table_from_the_bot(
    host: Host, tmp_path: Path
) -> None:
    table = await begun(await host())
    hub = await host()
    seats = (await hub.table(table)).state.seats
    await hub.close()
    log = await open_log(tmp_path / "log.sqlite")
    (found,) = await log.listed()
    absent = tuple(
        replace(holder, stand_in="random", has_given_up=holder is not seats[0]) for holder in seats
    )
    await log.append(table, found.revision, Seated(absent))
    await log.close()
    hub = await host(times=Timeouts())
    anna = Client(hub.connect("anna"))
    await anna.until(lambda c: c.lobby.tables[0].seats[0].stand_in is None)


async def test_an_unloaded_table_is_handed_on_when_its_owner_is_gone(host: Host) -> None:
    hub = await host()
    anna, beate = await timed(lambda user: Client(hub.connect(user)), ClockRule(600))
    await anna.close()
    await beate.close()
    hub = await host(times=Timeouts(handover=0))
    beate = Client(hub.connect("beate"))
    await beate.until(lambda c: c.lobby.tables[0].owner == "beate")


async def test_the_code_of_an_invitation_leads_to_an_unloaded_table(host: Host) -> None:
    hub = await host()
    anna = Client(hub.connect("anna"))
    await anna.do(OpenTable, GAME, {}, 2, "", False, True)
    await anna.sit(0)
    code, table = anna.table.code, anna.table.id
    hub = await host()
    eve = Client(hub.connect("eve"))
    await eve.until(lambda c: c.lobby.tables == ())
    await eve.do(Join, code)
    assert eve.table.id == table


async def test_the_lobby_shows_ones_own_tables_and_a_window_of_the_others_and_counts_them(host: Host) -> None:
    hub = await host()
    anna = Client(hub.connect("anna"))
    own = await anna.open(GAME, 2)
    await anna.sit(0)
    others = []
    for name in ("ben", "carla", "dora", "emil"):
        client = Client(hub.connect(name))
        others.append(await client.open(GAME, 2))
        await client.sit(0)
    for restarted in (False, True):
        hub = await host() if restarted else hub
        seen = Client(hub.connect("anna"))
        await seen.until(lambda c: [line.id for line in c.lobby.own] == [own])
        assert [line.id for line in seen.lobby.others] == others
        await seen.do(Browse, 1, 2)
        assert [line.id for line in seen.lobby.tables] == [own, *others[1:3]]
        assert (seen.lobby.first, seen.lobby.total) == (1, 4)
        stranger = Client(hub.connect("zoe"))
        await stranger.do(Browse, 0, 2)
        assert [line.id for line in stranger.lobby.tables] == [own, others[0]]
        assert stranger.lobby.total == 5
        assert [line.id for line in hub.lobby.lines("zoe")] == [own, *others]


async def test_a_match_under_rules_that_are_not_known_stays_in_the_lobby_until_its_owner_closes_it(
    host: Host, tmp_path: Path
) -> None:
    table = await begun(await host())
    await (await host()).close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
        rules = "UPDATE entries SET entry = json_set(entry, '$.rules_version', '99-0') WHERE kind = 'started'"
        assert connection.execute(rules).rowcount == 1
    for lost in (False, True):
        await (await host()).close()
        with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
            newer = "UPDATE summaries SET summary = json_set(summary, '$.rules[0]', '99-0')"
            connection.execute("DELETE FROM summaries" if lost else newer)
        hub = await host()
        (line,) = hub.lobby.lines("eve")
        assert "not '99-0'" in str(line.unplayable)
    anna, eve = Client(hub.connect("anna")), Client(hub.connect("eve"))
    for _ in range(2):
        assert "not '99-0'" in await anna.refused(GoTo, table)
        assert [line.id for line in anna.lobby.tables] == [table]
    assert "Only anna" in await eve.refused(CloseTable, table)
    await anna.do(CloseTable, table)
    await eve.until(lambda c: c.lobby.tables == ())
    assert (await host()).table_cache.ids() == []
