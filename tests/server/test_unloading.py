"""A table at which nobody is any more is unloaded, and who comes back finds everything as it was."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from time import time

import pytest

from kk_core.protocol.messages import Contribute, Join, OpenTable, Propose, Report, Say
from kk_core.text import text
from kk_core.views import ClockRule
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.table_log import StorageFailed
from kk_server.tables import cache as table_cache
from kk_server.tables.chat import Complaint
from kk_server.tables.place import Viewpoint
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.remote import wait_for
from tests.server.test_clocks import turns as turns
from tests.waiting import Clock

GAME = "ku_ka_king"


@pytest.fixture
def times() -> Timeouts:
    return Timeouts()


@pytest.fixture
async def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: Timeouts) -> AsyncIterator[Hub]:
    """One whose tables are quiet at once."""
    monkeypatch.setattr(table_cache, "UNLOADED_AFTER", 0)
    hub = Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, limits=PLENTY, times=times)
    await hub.load()
    yield hub
    await hub.close()


async def at_table(connect: Connect, *wishes: object) -> tuple[Client, Client]:
    """Anna at a table of her own for two, with Beate on the other seat."""
    anna, beate = connect("anna"), connect("beate")
    await anna.do(OpenTable, GAME, {}, 2, "Ours", *wishes)
    await (beate.go_to(anna.table.id) if anna.table.code is None else beate.do(Join, anna.table.code))
    for seat, client in enumerate((anna, beate)):
        await client.sit(seat)
    return anna, beate


async def play(*clients: Client, plies: int) -> None:
    for ply in range(plies):
        for client in clients:
            await client.until(lambda c, ply=ply: c.match.ply == ply)
        seat = clients[0].observation.active[0]
        await clients[seat].play(seat, clients[seat].observation.legal_moves[0])


async def all_leave(hub: Hub, *clients: Client) -> None:
    for client in clients:
        await client.go_to(None)
    await hub.table_cache.tidy()
    assert not hub.tables


async def test_who_comes_back_to_a_match_finds_it_as_it_was_left(hub: Hub, connect: Connect) -> None:
    anna, beate = await at_table(connect, False, False, True, ClockRule(600, 60))
    await anna.start()
    await play(anna, beate, plies=5)
    await anna.do(Say, "Good evening")
    await anna.do(Propose, "abort")
    before = anna.table
    lines = hub.lobby.view(Viewpoint("anna"))
    await all_leave(hub, beate, anna)
    assert hub.lobby.view(Viewpoint("anna")).tables == lines.tables
    await anna.go_to(before.id)
    assert anna.table == before
    assert anna.match.ply == 5
    assert next(line.words for line in anna.table.chat.recent()) == "Good evening"
    assert anna.table.proposal is not None


async def test_a_waiting_room_keeps_its_shuffle_and_its_guests(hub: Hub, connect: Connect) -> None:
    anna, beate = await at_table(connect, False, True)
    guest = connect("~carl")
    await guest.do(Join, anna.table.code)
    await beate.do(Contribute, b"b" * 32)
    await anna.until(lambda c: "beate" in c.table.shuffle.added)
    before = anna.table.shuffle
    await all_leave(hub, guest, beate, anna)
    await guest.until(lambda c: len(c.lobby.tables) == 1)
    assert [line.id for line in hub.lobby.view(Viewpoint("~carl")).tables] == hub.table_cache.ids()
    await guest.go_to(hub.table_cache.ids()[0])
    assert guest.table.shuffle == before


@pytest.mark.parametrize("clock", [None, ClockRule(600)])
async def test_tables_that_were_visited_leave_nothing_behind(
    hub: Hub, connect: Connect, clock: ClockRule | None
) -> None:
    anna, beate = await at_table(connect, False, False, True, clock)
    await anna.start()
    table = anna.table.id
    gone = weakref.ref(hub.tables[table].state)
    await all_leave(hub, anna, beate)
    await wait_for(lambda: gc.collect() >= 0 and gone() is None)
    for _ in range(2):
        await anna.go_to(table)
        await all_leave(hub, anna)
    assert hub.table_cache.ids() == [table]


async def test_a_table_stays_loaded_while_somebody_is_there_or_a_bot_moves(
    hub: Hub, connect: Connect
) -> None:
    anna, beate = await at_table(connect)
    await beate.go_to(None)
    await hub.table_cache.tidy()
    assert list(hub.tables) == [anna.table.id]
    hub.pace.seconds = 3600
    clara = connect("clara")
    thinking = await clara.open(GAME, 2)
    await clara.sit(1)
    await clara.seat_bots(0)
    await clara.start()
    await clara.go_to(None)
    await anna.go_to(None)
    await hub.table_cache.tidy()
    assert list(hub.tables) == [thinking]


@pytest.mark.parametrize("what", ["keep_clock", "keep_summaries", "keep_transients"])
async def test_a_table_stays_loaded_while_its_clock_and_what_is_known_of_it_cannot_be_stored(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    async def refuse(*_: object) -> None:
        raise StorageFailed(text("The disk is full."))

    anna, beate = await at_table(connect, False, False, True, ClockRule(600))
    with monkeypatch.context() as full:
        full.setattr(SqlLog, what, refuse)
        await anna.start()
        for client in (anna, beate):
            await client.go_to(None)
        (table,) = hub.tables.values()
        await wait_for(lambda: table.timekeeper.is_saved is (what != "keep_clock"))
        await hub.table_cache.tidy()
        assert list(hub.tables) == [table.id]
    await anna.go_to(table.id)
    await anna.play(0, anna.observation.legal_moves[0])
    await wait_for(lambda: table.timekeeper.is_saved)
    await all_leave(hub, anna)


async def test_a_table_is_not_quiet_as_soon_as_it_is_left(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, beate = await at_table(connect)
    for client in (anna, beate):
        await client.go_to(None)
    monkeypatch.setattr(table_cache, "UNLOADED_AFTER", 600.0)
    await hub.table_cache.tidy()
    assert len(hub.tables) == 1


async def test_a_clock_runs_out_at_a_table_that_was_unloaded(
    turns: Clock, hub: Hub, connect: Connect
) -> None:
    anna, beate = await at_table(connect, False, False, True, ClockRule(60))
    await anna.start()
    table = anna.table.id
    await all_leave(hub, anna, beate)
    await turns.forward(61)
    await wait_for(lambda: late_at(hub, table))


def late_at(hub: Hub, table: str) -> bool:
    """Whether a table is loaded where a bot plays for somebody."""
    return table in hub.tables and any(holder.stand_in for holder in hub.tables[table].state.seats)


async def test_a_clock_that_was_moved_on_is_not_looked_at_before_its_time(hub: Hub, connect: Connect) -> None:
    came_due: list[str] = []
    timers = hub.table_cache._timers
    load = timers._due

    async def due(table: str) -> None:
        came_due.append(table)
        await load(table)

    timers._due = due
    timers.set("moved on", 0.0)
    timers.set("moved on", 1e9)
    timers.set("over", hub.uptime.now())
    await wait_for(lambda: bool(came_due))
    assert came_due == ["over"]


async def test_who_leaves_the_server_is_asked_no_more_what_is_proposed_at_an_unloaded_table(
    hub: Hub, connect: Connect
) -> None:
    anna, beate = await at_table(connect)
    await anna.start()
    await play(anna, beate, plies=1)
    await anna.do(Propose, "abort")
    table = anna.table.id
    await all_leave(hub, anna, beate)
    await beate.close()
    await wait_for(lambda: any(line.id == table and line.phase == "open" for line in hub.lobby.lines("anna")))


async def test_somebody_is_reported_with_what_is_in_memory_while_the_database_is_away(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise StorageFailed(text("The database is away."))

    taken: list[Complaint] = []
    hub.take_complaint = taken.append
    anna, beate = await at_table(connect)
    await beate.do(Say, "Your mother")
    table = anna.table.id
    await all_leave(hub, anna, beate)
    await beate.do(Say, "is slow")
    monkeypatch.setattr(SqlLog, "transients", refuse)
    await anna.do(Report, "beate", "rude")
    said = {heard.place: [str(line.words) for line in heard.lines] for heard in taken[0].heard}
    assert said == {None: ["is slow"], table: ["Your mother"]}


@pytest.mark.parametrize("times", [Timeouts(handover=0.2)], ids=["soon"])
async def test_a_table_that_was_unloaded_is_handed_on_when_its_owner_is_gone(
    hub: Hub, connect: Connect
) -> None:
    anna, beate = await at_table(connect)
    await all_leave(hub, anna, beate)
    await anna.close()
    await beate.until(lambda c: c.lobby.tables[0].owner == "beate")


@pytest.mark.parametrize("times", [Timeouts(handover=3600)], ids=["an-hour"])
async def test_a_table_that_is_unloaded_after_its_owner_has_gone_is_handed_on_like_any_other(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed, clock = 0, Clock(stands=False)
    monkeypatch.setattr(hub.presence, "_now", lambda: time() + passed)
    anna, beate = await at_table(connect)
    await anna.close()
    await all_leave(hub, beate)
    assert [line.owner for line in beate.lobby.tables] == ["anna"]
    passed = 3601
    await clock.forward(passed)
    await beate.until(lambda c: c.lobby.tables[0].owner == "beate")
