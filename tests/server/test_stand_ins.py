"""A bot keeps the seat of who is away: which one, and what is told to who comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.config import digest
from kk_core.protocol.messages import Notice, OpenTable, Propose, Vote
from kk_core.registry import game
from kk_server.bots.pool import Chooser
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.entries import (
    Created,
    Moved,
    Seated,
    SeatHolder,
    Started,
    Undone,
    decode_entry,
    encode_entry,
)
from kk_server.storage.sql_log import open_log
from kk_server.storage.sqlite import DATABASE
from kk_server.storage.table_log import TableLog
from kk_server.tables.bots import SLOW
from kk_server.tables.state import replayed
from kk_server.tables.table import Table
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.waiting import Clock

GAME = "land_cards"


@pytest.fixture
async def hub(log: TableLog) -> AsyncIterator[Hub]:
    """A hub that counts whoever goes as gone at once."""
    hub = Hub(log, bot_pause=0, limits=PLENTY, times=Timeouts(vote=0))
    await hub.load()
    yield hub
    await hub.close()


async def begun(hub: Hub, stand_in: str = "easy") -> tuple[Client, Client, Table]:
    """Anna, whose turn it is, Beate after her, and a bot."""
    anna, beate = Client(hub.connect("anna")), Client(hub.connect("beate"))
    await anna.do(OpenTable, GAME, {}, 3, "At the inn", False, False, True, None, False, stand_in)
    await beate.go_to(anna.table.id)
    await anna.sit(0)
    await beate.sit(1)
    await anna.seat_bots(2)
    table = hub.tables[anna.table.id]
    await table.start("anna", bytes(32))
    await beate.until(lambda c: c.table.match is not None)
    return anna, beate, table


async def let_a_bot_play(anna: Client, beate: Client, table: Table) -> int:
    """Beate goes, and a bot makes all of her next turn; gives how many moves these are."""
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Propose, "bot", 1)
    await anna.until(lambda c: c.table.seats[1].stand_in is not None)
    assert table.match is not None
    while 0 in anna.observation.active:
        await anna.play(0, anna.observation.legal_moves[0])
    await anna.until(lambda c: 0 in c.observation.active)
    return sum(ply.seat == 1 for ply in table.match.plies)


def notices(client: Client) -> list[str]:
    return [str(message.text) for message in client.sent if isinstance(message, Notice)]


def test_at_tables_that_were_opened_before_it_could_be_chosen_a_medium_bot_stands_in() -> None:
    stored = b'{"entry":"created","title":"t","host":"anna","game":"land_cards","options":{},"seats":2}'
    old = decode_entry(stored)
    assert isinstance(old, Created)
    assert old.stand_in == "medium"
    assert encode_entry(old) == stored


async def test_whoever_opens_a_table_chooses_who_stands_in_and_all_there_see_it(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    assert anna.table.stand_in == "medium"
    await anna.do(OpenTable, GAME, {}, 3, "", False, False, True, None, False, "hard")
    assert anna.table.stand_in == "hard"
    refusal = await anna.refused(OpenTable, GAME, {}, 3, "", False, False, True, None, False, "deep-blue")
    assert "Unknown bot 'deep-blue'" in refusal


async def test_the_bot_that_was_chosen_takes_the_seat_also_of_who_gives_up(hub: Hub) -> None:
    anna, beate, _table = await begun(hub, "greedy")
    await beate.do(Propose, "resign", 1)
    await anna.do(Vote, True)
    assert anna.table.seats[1].stand_in == "greedy"


async def test_a_bot_that_plays_for_somebody_is_told_apart_from_them_while_it_thinks(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Chooser, "choose", endless)
    anna, beate, _table = await begun(hub)
    await beate.do(Propose, "resign", 1)
    await anna.do(Vote, True)
    clock = Clock(stands=False)
    while 0 in anna.observation.active:
        await anna.play(0, anna.observation.legal_moves[0])
    await clock.forward(SLOW)
    await anna.until(lambda c: "The bot that plays for beate is still thinking." in notices(c))


async def test_who_comes_back_is_told_how_much_was_done_until_the_first_move_of_his_own(hub: Hub) -> None:
    anna, beate, table = await begun(hub)
    moves = await let_a_bot_play(anna, beate, table)
    assert moves > 0
    assert anna.table.seats[1].stood_in == moves
    assert anna.table.seats[0].stood_in == 0
    back = Client(hub.connect("beate"))
    unit = "move" if moves == 1 else "moves"
    said = f"You're back in your seat at At the inn; the bot made {moves} {unit} for you."
    await back.until(lambda c: said in notices(c))
    await back.go_to(table.id)
    assert back.table.seats[1].stood_in == moves
    while 0 in anna.observation.active:
        await anna.play(0, anna.observation.legal_moves[0])
    await back.until(lambda c: 1 in c.observation.active)
    assert back.table.seats[1].stood_in == moves
    await back.play(1, back.observation.legal_moves[0])
    assert back.table.seats[1].stood_in == 0


async def test_who_comes_back_before_the_bot_has_moved_is_told_that_nothing_was_done(hub: Hub) -> None:
    anna, beate, _table = await begun(hub)
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Propose, "bot", 1)
    back = Client(hub.connect("beate"))
    said = "You're back in your seat at At the inn; the bot made no moves for you."
    await back.until(lambda c: said in notices(c))


async def test_what_was_done_for_somebody_is_known_after_a_restart_and_in_the_lobby(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0, limits=PLENTY, times=Timeouts(vote=0))
    await hub.load()
    moves = await let_a_bot_play(*await begun(hub))
    await hub.close()
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0, limits=PLENTY)
    await hub.load()
    assert not hub.tables, "it is unloaded"
    (line,) = hub.lobby.lines("eve")
    assert [seat.stood_in for seat in line.seats] == [0, moves, 0]
    assert (await hub.table(line.id)).state.stood_in == {1: moves}
    await hub.close()


def test_a_step_of_the_bot_that_its_owner_takes_back_was_not_made_for_him() -> None:
    anna, beate = SeatHolder("anna", "anna"), SeatHolder("beate", "beate")
    rules, seats = game("ku_ka_king"), (anna, SeatHolder("beate", "beate", stand_in="easy"))
    begun = Started("00" * 32, rules.rules_version, seats, digest(rules.rules_data))
    state = replayed([Created("t", "anna", "ku_ka_king", {}, 2), begun, Moved("1 call 3")])
    assert state.stood_in == {1: 1}
    state.apply(Seated((anna, beate)))
    assert state.stood_in == {1: 1}
    state.apply(Undone(1))
    assert not state.stood_in
    state.apply(Moved("1 call 2"))
    assert not state.stood_in
