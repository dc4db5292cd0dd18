"""Whose a table is, who may come there, and what that allows."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import Any

import pytest

from kk_core.protocol.messages import (
    CloseTable,
    GoTo,
    HandOn,
    Invite,
    Join,
    LeaveSeat,
    Notice,
    OpenTable,
    Propose,
    Resync,
    SetBot,
    Start,
    TakeSeat,
)
from kk_core.views import LobbyView
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import open_log
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.waiting import Clock, rest

GAME = "ku_ka_king"


async def table_of(connect: Connect, *names: str) -> list[Client]:
    """These people at a table of the first one, each on a seat."""
    clients = [connect(name) for name in names]
    table = await clients[0].open(GAME, max(2, len(names)))
    for seat, client in enumerate(clients):
        await client.go_to(table)
        await client.sit(seat)
    return clients


def told(client: Client) -> list[str]:
    """The notices that somebody was sent."""
    return [str(message.text) for message in client.sent if isinstance(message, Notice)]


async def private(client: Client, seats: int = 2) -> str:
    """Open a table by invitation; gives its code."""
    await client.do(OpenTable, GAME, {}, seats, "Friday", False, True)
    assert client.table.code is not None
    return client.table.code


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ((SetBot, 0, "random"), "Only anna, who owns the table"),
        ((Start,), "Only anna, who owns the table"),
        ((HandOn, "beate"), "Only anna, who owns the table"),
        ((LeaveSeat, 0), "This is not your seat."),
    ],
)
async def test_only_the_owner_changes_seats_of_others_begins_and_hands_on(
    connect: Connect, request_: tuple[Any, ...], reason: str
) -> None:
    _, beate = await table_of(connect, "anna", "beate")
    assert reason in await beate.refused(*request_)


async def test_only_the_owner_takes_the_seat_of_a_bot(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    await beate.go_to(await anna.open(GAME, 2))
    await anna.seat_bots(1)
    assert "Only anna" in await beate.refused(TakeSeat, 1, "")
    await anna.sit(1)


async def test_the_owner_frees_a_seat_and_who_sat_there_is_told(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.do(LeaveSeat, 1)
    await beate.until(lambda c: c.table.seats[1].owner is None)
    await beate.until(lambda c: "anna has freed your seat at anna." in told(c))


async def test_a_table_is_handed_on_to_somebody_who_sits_there(connect: Connect, log: MemoryLog) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    assert "isn't seated" in await anna.refused(HandOn, "eve")
    await anna.do(HandOn, "beate")
    await beate.until(lambda c: c.table.owner == "beate")
    await beate.until(lambda c: told(c) == ["You now own the table anna."])
    await anna.until(lambda c: told(c) == ["beate now owns the table."])
    assert "Only beate" in await anna.refused(Start)
    again = Hub(log)
    await again.load()
    assert (await again.table(beate.table.id)).state.owner == "beate"
    await beate.do(Start)


async def test_a_table_is_handed_on_when_its_owner_is_gone() -> None:
    hub = Hub(MemoryLog(), limits=PLENTY, times=Timeouts(handover=0))
    anna, beate = await table_of(lambda user: Client(hub.connect(user)), "anna", "beate")
    await anna.close()
    await beate.until(lambda c: c.table.owner == "beate")
    await beate.until(lambda c: "You now own the table anna." in told(c))
    await hub.close()


async def test_a_table_stays_with_an_owner_who_is_back_in_time(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.close()
    await beate.until(lambda c: not c.table.seats[0].online)
    assert beate.table.seats[0].away > 0
    again = connect("anna")
    await beate.until(lambda c: c.table.seats[0].online)
    assert (beate.table.owner, beate.table.seats[0].away) == ("anna", 0)
    await again.close()


async def test_only_the_owner_closes_a_table_and_only_where_nobody_else_sits_or_is(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    table = anna.table.id
    for client in (anna, beate):
        await client.go_to(None)
    assert "beate sits at this table" in await anna.refused(CloseTable, table)
    await beate.go_to(table)
    await beate.do(LeaveSeat, 1)
    assert "Somebody is at this table now" in await anna.refused(CloseTable, table)
    await beate.go_to(None)
    assert "Only anna, who owns the table" in await beate.refused(CloseTable, table)
    await anna.do(CloseTable, table)
    await beate.until(lambda c: c.lobby.tables == ())


async def test_an_owner_who_leaves_once_more_has_as_much_time_again_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, passed = Clock(stands=False), 0
    hub = Hub(MemoryLog(), limits=PLENTY, times=Timeouts(handover=300))
    monkeypatch.setattr(hub.presence, "_now", lambda: time() + passed)
    anna, beate = await table_of(lambda user: Client(hub.connect(user)), "anna", "beate")
    await anna.close()
    await beate.until(lambda c: not c.table.seats[0].online)
    passed = 200
    await clock.forward(200)
    anna = Client(hub.connect("anna"))
    await beate.until(lambda c: c.table.seats[0].online)
    await anna.close()
    await beate.until(lambda c: not c.table.seats[0].online)
    passed = 400
    await clock.forward(200)
    await rest()
    await beate.do(Resync)
    assert beate.table.owner == "anna"
    passed = 501
    await clock.forward(101)
    await beate.until(lambda c: c.table.owner == "beate")
    await hub.close()


# -- by invitation -------------------------------------------------------------------------------------------


async def test_a_private_table_is_seen_by_nobody_else_and_not_entered_without_its_code(
    connect: Connect,
) -> None:
    anna, eve = connect("anna"), connect("eve")
    code = await private(anna)
    table = anna.table.id
    assert "by invitation" in await eve.refused(GoTo, table)
    assert "No table here has this code" in await eve.refused(Join, "AAAAAA")
    assert not eve.lobby.tables
    await eve.do(Join, f" {code[:3].lower()}-{code[3:]} ")
    assert eve.table.id == table
    await eve.go_to(None)
    assert eve.lobby.tables[0].id == table


async def test_who_tries_many_codes_has_to_wait(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    code = await private(anna)
    for _ in range(10):
        assert "No table here" in await eve.refused(Join, "AAAAAA")
    assert "Too many codes" in await eve.refused(Join, code)


async def test_a_right_code_is_no_try_however_often_it_is_used(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    code = await private(anna)
    for _ in range(30):
        await beate.do(Join, code)
        await beate.go_to(None)


async def test_a_guest_is_invited_without_his_mark_and_a_name_in_any_case(connect: Connect) -> None:
    anna, beate, guest = connect("anna"), connect("Beate"), connect("~carl")
    await private(anna)
    for client, name in ((beate, "beate"), (guest, "Carl")):
        await anna.do(Invite, name)
        await client.until(lambda c: told(c) == ["anna invites you to the table Friday."])


async def test_who_is_invited_by_name_is_told_and_may_come(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    await private(anna)
    assert "zoe is not online" in await anna.refused(Invite, "zoe")
    await anna.do(Invite, "beate")
    await beate.until(lambda c: told(c))
    (notice,) = (message for message in beate.sent if isinstance(message, Notice))
    assert str(notice.text) == "anna invites you to the table Friday."
    assert notice.table == anna.table.id
    await beate.go_to(notice.table)


async def test_owner_code_and_bar_to_watchers_outlast_a_restart(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna = Client(hub.connect("anna"))
    await anna.do(OpenTable, GAME, {}, 2, "", False, True, False)
    await anna.sit(0, 1)
    before = anna.table
    await hub.close()
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna = Client(hub.connect("anna"))
    await anna.go_to(before.id)
    assert (anna.table.owner, anna.table.code, anna.table.watched) == ("anna", before.code, False)
    await hub.close()


async def test_who_was_let_in_may_come_after_a_restart_but_a_name_without_a_key_proves_nothing(
    tmp_path: Path,
) -> None:
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna, *others = [Client(hub.connect(user)) for user in ("anna", "beate", "carla", "~dora")]
    code = await private(anna)
    table = anna.table.id
    await anna.sit(0)
    for client in (others[0], others[2]):
        await client.do(Join, code)
    await anna.do(Invite, "carla")
    await hub.close()
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    for user in ("beate", "carla"):
        again = Client(hub.connect(user))
        await again.go_to(table)
    assert "by invitation" in await Client(hub.connect("~dora")).refused(GoTo, table)
    await hub.close()


async def test_an_invitation_leaves_what_is_proposed_as_it_is(connect: Connect) -> None:
    anna, beate, carla = connect("anna"), connect("beate"), connect("carla")
    code = await private(anna)
    await anna.sit(0)
    await beate.do(Join, code)
    await beate.sit(1)
    await beate.do(Propose, "start")
    await carla.do(Join, code)
    assert carla.table.proposal is not None


async def test_where_nobody_may_look_on_others_leave_when_the_match_begins(connect: Connect) -> None:
    anna, eve, late = connect("anna"), connect("eve"), connect("late")
    await anna.do(OpenTable, GAME, {}, 2, "", False, False, False)
    table = anna.table.id
    await eve.go_to(table)
    await anna.until(lambda c: c.table.watchers == ("anna", "eve"))
    await anna.sit(0, 1)
    await anna.start()
    await eve.until(lambda c: isinstance(c.place, LobbyView))
    assert [line.watched for line in eve.lobby.tables] == [False]
    await eve.until(lambda c: told(c) == ["The match has begun; this table does not admit spectators."])
    assert "does not admit spectators" in await late.refused(GoTo, table)
    assert anna.table.watchers == ()


async def test_who_looks_on_is_named_to_all(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    await anna.open(GAME, 2)
    await anna.sit(0, 1)
    await anna.start()
    await eve.go_to(anna.table.id)
    await anna.until(lambda c: c.table.watchers == ("eve",))
    await eve.go_to(None)
    await anna.until(lambda c: c.table.watchers == ())


async def test_everybody_ready_begins_the_match_without_the_owners_word(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await beate.do(Propose, "start")
    await anna.until(lambda c: c.table.proposal is not None)
    assert anna.table.proposal is not None
    assert (anna.table.proposal.agreed, anna.table.proposal.waits) == (("beate",), ("anna",))
    await anna.do(Propose, "start")
    await beate.until(lambda c: c.table.phase == "playing")
