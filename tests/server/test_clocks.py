"""Clocks run for those who are waited for; when one is over, a bot plays; tables nobody comes back to end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kk_core.protocol.messages import OpenTable, Propose, Resync, TakeSeat, Vote
from kk_core.views import ClockRule
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import open_log
from kk_server.tables.clock import Clock, decode_clock, encode_clock, new_clock
from tests import waiting
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.remote import wait_for
from tests.server.test_owners import table_of, told
from tests.server.test_storage import Slow
from tests.waiting import rest

RULE = ClockRule(30, 60)


def left(clock: Clock, now: float) -> list[tuple[float, float]]:
    """What everybody has for the turn and in the bank."""
    return [(side.move, side.bank) for side in clock.now(now).sides]


def test_the_time_of_a_turn_is_used_first_and_then_the_bank_of_those_alone_who_are_waited_for() -> None:
    clock = new_clock(RULE, 1, 2).run({0: 0}, 100)
    assert left(clock, 120) == [(10, 60), (30, 60)]
    assert left(clock, 145) == [(0, 45), (30, 60)]
    assert clock.remaining(145) == 45
    assert not clock.is_over(0, 189)
    assert clock.is_over(0, 190)
    assert not clock.is_over(1, 1000)


def test_each_turn_has_its_own_time_and_the_bank_stays_as_it_was_left() -> None:
    clock = new_clock(RULE, 1, 2).run({0: 0}, 0).run({1: 1}, 40).run({0: 2}, 50)
    assert left(clock, 50) == [(30, 50), (20, 60)]


def test_a_step_or_an_undo_inside_a_turn_brings_no_time_back() -> None:
    clock = new_clock(RULE, 1, 2).run({0: 0}, 0).run({0: 0}, 20).run({}, 25).run({0: 0}, 60)
    assert left(clock, 60)[0] == (5, 60)


def test_in_a_simultaneous_turn_the_clocks_of_all_run_who_have_not_chosen() -> None:
    clock = new_clock(RULE, 1, 3).run({0: 0, 1: 0, 2: 0}, 0).run({0: 0, 2: 0}, 10)
    assert left(clock, 20) == [(10, 60), (20, 60), (10, 60)]


def test_clocks_stand_still_while_the_server_is_down() -> None:
    kept = encode_clock(new_clock(RULE, 1, 2).run({0: 0}, 100).now(110))
    again = decode_clock(kept)
    assert again is not None
    assert left(again, 110) == [(20, 60), (30, 60)]
    assert left(again, 120)[0] == (10, 60)
    assert decode_clock("{") is None


async def timed(connect: Connect, rule: ClockRule) -> tuple[Client, Client]:
    """Anna and Beate in a match with a clock."""
    anna, beate = connect("anna"), connect("beate")
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, False, True, rule)
    await beate.go_to(anna.table.id)
    await anna.sit(0)
    await beate.sit(1)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    return anna, beate


@pytest.fixture
async def turns(monkeypatch: pytest.MonkeyPatch) -> waiting.Clock:
    """What the time of everybody's turns is told by, set forward by a test."""
    clock = waiting.Clock(stands=False)
    monkeypatch.setattr("kk_server.tables.clock.monotonic", clock.time)
    return clock


async def test_a_bot_plays_for_whose_time_is_over_until_he_takes_his_seat_back(
    turns: waiting.Clock, connect: Connect
) -> None:
    anna, beate = await timed(connect, ClockRule(60))
    await anna.play(0, anna.observation.legal_moves[0])
    clock = anna.table.clock
    assert clock is not None
    assert [seat.runs for seat in clock.seats] == [False, True]
    await turns.forward(61)
    await anna.until(lambda c: c.table.seats[1].stand_in is not None)
    said = "beate's time is up; a bot plays until they are back."
    await anna.until(lambda c: said in told(c))
    await beate.do(TakeSeat, 1, "")
    assert beate.table.seats[1].stand_in is None


async def test_who_takes_a_seat_back_has_the_time_of_a_turn_there_and_on_no_other_seat(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.pace.seconds, passed = 3600, 0
    anna, beate = connect("anna"), connect("beate")
    await anna.do(OpenTable, "ku_ka_king", {}, 3, "", False, False, True, RULE)
    await beate.go_to(anna.table.id)
    await anna.sit(0, 1)
    await beate.sit(2)
    table = hub.tables[anna.table.id]
    monkeypatch.setattr(table.timekeeper, "_now", lambda: passed)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    await beate.play(2, 1)
    await anna.until(lambda c: c.match.ply == 1)
    for seat, now in ((0, 0), (1, 85)):
        passed = now
        await anna.look(seat)
        await anna.play(seat, 1)
    passed = 125
    await table.time_is_over((0, 1, 2))
    await anna.until(lambda c: [seat.stand_in is not None for seat in c.table.seats] == [False, True, False])
    await anna.do(TakeSeat, 1, "")
    clock = anna.table.clock
    assert clock is not None
    assert [(seat.move, seat.bank) for seat in clock.seats] == [(0, 50), (30, 0), (0, 50)]


async def test_the_clock_of_a_bot_never_runs(hub: Hub, connect: Connect) -> None:
    hub.pace.seconds = 3600
    anna = connect("anna")
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, False, True, RULE)
    await anna.sit(0)
    await anna.seat_bots(1)
    await anna.start()
    clock = anna.table.clock
    assert clock is not None
    assert [seat.runs for seat in clock.seats] == [True, False]


async def test_who_has_moved_at_the_last_moment_keeps_their_seat(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0
    anna, _ = await timed(connect, RULE)
    table = hub.tables[anna.table.id]
    monkeypatch.setattr(table.timekeeper, "_now", lambda: table.timekeeper._clock.at + passed)  # type: ignore[union-attr]
    passed = 1000
    late = table.timekeeper.over()
    await anna.play(0, anna.observation.legal_moves[0])
    await table.time_is_over(late)
    assert late == (0, 1)
    assert [seat.stand_in is not None for seat in anna.table.seats] == [False, True]


async def test_while_a_move_waits_to_be_stored_nobodys_time_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    passed, log = 0.0, Slow()
    monkeypatch.setattr("kk_server.tables.clock.monotonic", lambda: passed)
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna, _ = await timed(lambda user: Client(hub.connect(user)), RULE)
    table, passed = hub.tables[anna.table.id], 10.0
    log.asked.clear()
    log.is_done.clear()
    playing = asyncio.create_task(anna.play(0, anna.observation.legal_moves[0]))
    await log.asked.wait()
    await anna.until(lambda c: c.table.waits)
    passed = 1000.0
    late = asyncio.create_task(table.time_is_over(table.timekeeper.over()))
    log.is_done.set()
    await playing
    await late
    clock = anna.table.clock
    assert clock is not None
    assert [seat.stand_in for seat in anna.table.seats] == [None, None]
    assert [(seat.move, seat.bank, seat.runs) for seat in clock.seats] == [(20, 60, False), (20, 60, True)]
    await hub.close()


async def test_the_next_match_begins_with_all_of_the_time(
    hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0
    anna, beate = await timed(connect, RULE)
    table = hub.tables[anna.table.id]
    begun = hub.uptime.now()
    monkeypatch.setattr(table.timekeeper, "_now", lambda: begun + passed)
    passed = 50
    await anna.play(0, anna.observation.legal_moves[0])
    await anna.do(Propose, "abort")
    await beate.do(Vote, True)
    await anna.start()
    clock = anna.table.clock
    assert clock is not None
    assert [(seat.move, seat.bank, seat.runs) for seat in clock.seats] == [(30, 60, True)] * 2


async def test_one_watch_alone_is_kept_over_the_clocks_of_a_table(hub: Hub, connect: Connect) -> None:
    anna, beate = await timed(connect, RULE)

    async def tasks_after(plies: int) -> int:
        for _ in range(plies):
            seat = anna.observation.active[0]
            client = (anna, beate)[seat]
            await client.until(lambda c: c.match.ply == anna.match.ply)
            await client.play(seat, client.observation.legal_moves[0])
            await anna.until(lambda c: c.match.ply == client.match.ply)  # noqa: B023
        await rest()
        return len(asyncio.all_tasks())

    few = await tasks_after(2)
    assert await tasks_after(8) == few


async def test_where_a_clock_runs_nobody_votes_for_a_bot(connect: Connect) -> None:
    anna, beate = await timed(connect, ClockRule(600))
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    assert "the clock decides" in await anna.refused(Propose, "bot", 1)


async def test_the_time_that_a_server_has_run_is_kept_when_it_stops() -> None:
    """Clocks are counted in it: what was not kept would be given back to everybody."""
    log = MemoryLog()
    hub = Hub(log, limits=PLENTY)
    await hub.load()
    before = hub.uptime.now()
    await hub.close()
    assert await log.uptime() >= before > 0


async def test_a_stopped_server_goes_on_with_the_time_that_was_left(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna, _ = await timed(lambda user: Client(hub.connect(user)), ClockRule(100, 50))
    table = hub.tables[anna.table.id]
    timekeeper = table.timekeeper
    assert timekeeper._clock is not None
    earlier = timekeeper._clock.run({0: 0, 1: 0}, timekeeper._clock.at - 120)  # two minutes have gone by
    timekeeper._clock = earlier.now(earlier.at + 120)
    await hub.close()
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    clock = (await hub.table(table.id)).timekeeper.view()
    assert clock is not None
    assert [(seat.move, seat.bank, seat.runs) for seat in clock.seats] == [(0, 30, True)] * 2
    await hub.close()


# -- tables that nobody comes back to ------------------------------------------------------------------------


async def test_a_match_that_nobody_comes_back_to_ends_and_its_people_are_told_when_they_come(
    tmp_path: Path,
) -> None:
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY, times=Timeouts(unplayed=0, empty=0))
    await hub.load()
    anna, beate = await timed(lambda user: Client(hub.connect(user)), ClockRule(600))
    await hub.expiry_task.expire()
    assert hub.tables
    await anna.close()
    await hub.expiry_task.expire()
    assert hub.tables  # Beate is here
    await beate.close()
    await wait_for(lambda: not hub.presence.users())
    await hub.expiry_task.expire()
    assert not hub.tables
    await hub.close()
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    sentence = "The match at anna ended without a result: nobody returned."
    back = Client(hub.connect("beate"))
    await back.until(lambda c: told(c) == [sentence])
    again = Client(hub.connect("beate"))
    await again.until(lambda c: "You're already connected" in told(c)[0])
    assert sentence not in told(again)
    await hub.close()


async def test_no_word_is_left_for_guests_as_somebody_else_may_come_under_their_name() -> None:
    hub = Hub(MemoryLog(), limits=PLENTY, times=Timeouts(empty=0))
    anna, carl = await table_of(lambda user: Client(hub.connect(user)), "anna", "~carl")
    for client in (anna, carl):
        await client.close()
    await wait_for(lambda: not hub.presence.users())
    await hub.expiry_task.expire()
    assert not hub.tables
    anna, carl = (Client(hub.connect(user)) for user in ("anna", "~carl"))
    await anna.until(lambda c: told(c) == ["The table anna has closed: nobody returned to it."])
    await carl.do(Resync)
    assert told(carl) == []
    await hub.close()


async def test_an_open_table_without_its_people_goes_after_a_while() -> None:
    hub = Hub(MemoryLog(), limits=PLENTY, times=Timeouts(empty=0))
    anna = Client(hub.connect("anna"))
    await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    await anna.close()
    await wait_for(lambda: not hub.presence.users())
    await hub.expiry_task.expire()
    assert not hub.tables
    await hub.close()
