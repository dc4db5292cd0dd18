"""How many rounds of the loop lie between a move and its answer: they count where each takes long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.frames import (
    MAX_SERVER_FRAME,
    FrameReader,
    decode_server_message,
    encode_message,
    frame,
)
from kk_core.protocol.messages import (
    ClientMessage,
    Done,
    GoTo,
    Look,
    OpenTable,
    Play,
    ServerMessage,
)
from kk_core.protocol.stream import LinkClosed
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Entry, Moved
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import open_log
from kk_server.storage.sqlite import DATABASE
from kk_server.tables.table import Table
from kk_server.visits.programs import ProgramLink
from tests.server.client import Client
from tests.waiting import Clock, patience, rest


class Rounds:
    """Counts the rounds of the running loop."""

    def __init__(self) -> None:
        self.passed = 0
        loop: Any = asyncio.get_running_loop()
        run_once = loop._run_once

        def counted() -> None:
            self.passed += 1
            run_once()

        loop._run_once = counted


class Player:
    """Somebody at a table where they own all seats; what they are sent is noted with the round."""

    def __init__(self, table: Table, rounds: Rounds) -> None:
        self.sent: list[tuple[int, ServerMessage]] = []
        self._table, self._rounds = table, rounds
        self._number = 0
        self._is_answered = asyncio.Event()

    def say(self, message: ClientMessage) -> None:
        """Have it arrive at the hub."""
        raise NotImplementedError

    def take(self, message: ServerMessage) -> None:
        """Note it."""
        self.sent.append((self._rounds.passed, message))
        if isinstance(message, Done):
            self._is_answered.set()

    async def ask(self, make: Callable[[int], ClientMessage]) -> list[tuple[int, str]]:
        """Say something; what came until the answer, after how many rounds."""
        self._number += 1
        await rest()
        self._is_answered.clear()
        begun, already = self._rounds.passed, len(self.sent)
        self.say(make(self._number))
        async with asyncio.timeout(patience()):
            await self._is_answered.wait()  # no look now and then, which would make the loop go round
        return [(passed - begun, type(said).__name__) for passed, said in self.sent[already:]]

    async def move(self) -> list[tuple[int, str]]:
        """Make the first move that can be made."""
        match = self._table.match
        assert match is not None
        seat = match.game.active_seats(match.state)[0]
        move = match.game.legal_moves(match.state, seat)[0]
        ply = len(match.plies)
        return await self.ask(lambda number: Play(number, seat, ply, move))


class Program(Player):
    """By a client program, whose bytes come over a channel or from a worker process."""

    def __init__(self, hub: Hub, table: Table, rounds: Rounds) -> None:
        super().__init__(table, rounds)
        self._reader, self._frames = asyncio.StreamReader(), FrameReader(MAX_SERVER_FRAME)
        self.room = asyncio.Event()
        self.room.set()
        self.serving = asyncio.create_task(hub.serve("anna", ProgramLink(self._reader, self, 64 * 1024)))

    def say(self, message: ClientMessage) -> None:
        """Have its bytes arrive."""
        self._reader.feed_data(frame(encode_message(message)))

    def write(self, data: bytes) -> None:
        """Bytes of the server."""
        for packed in self._frames.feed(data):
            self.take(decode_server_message(packed))

    async def drain(self) -> None:
        """Wait for room."""
        await self.room.wait()

    def is_closing(self) -> bool:
        """Not before the server closes it."""
        return False

    def close(self) -> None:
        """Nothing more is sent."""

    async def leave(self) -> None:
        """End."""
        self._reader.feed_eof()
        await self.serving


class App(Player):
    """By an app in the process of the hub."""

    def __init__(self, hub: Hub, table: Table, rounds: Rounds) -> None:
        super().__init__(table, rounds)
        self._link: Any = hub.connect("anna")  # what a hub can do at once, its other end can as well
        self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        with suppress(LinkClosed):
            while True:
                self.take(await self._link.receive())

    def say(self, message: ClientMessage) -> None:
        """Put it into the queue."""
        assert self._link.offer(message)

    async def leave(self) -> None:
        """End."""
        await self._link.close()
        await self._following


@pytest.fixture(params=[Program, App])
async def player(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Program | App]:
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0)
    await hub.load()
    table = await hub.open_table("anna", OpenTable(0, "land_cards", {}, 3))
    for seat in range(3):
        await table.take_seat("anna", seat, f"n{seat}")
    await table.start("anna", bytes(32))
    player: Program | App = request.param(hub, table, Rounds())
    await player.ask(lambda number: GoTo(number, table.id))
    yield player
    await player.leave()
    await hub.close()


async def test_a_move_is_shown_and_answered_after_few_rounds_of_the_loop(player: Program | App) -> None:
    to_reach_an_app = isinstance(player, App)
    rounds = []
    for _ in range(5):
        (shown, delta), (answered, done) = await player.move()
        assert (delta, done) == ("Delta", "Done")
        assert shown <= answered
        rounds.append(answered)
    assert min(rounds) <= 5 + to_reach_an_app  # a slow disk may make the loop go round once more


async def test_what_stores_nothing_is_answered_in_the_round_in_which_it_is_read(
    player: Program | App,
) -> None:
    to_reach_an_app = isinstance(player, App)
    *_, (answered, done) = await player.ask(lambda number: Look(number, None))
    assert (done, answered) == ("Done", 1 + to_reach_an_app)


@pytest.mark.parametrize("player", [Program], indirect=True)
async def test_what_there_is_no_room_for_is_sent_later_in_its_order(player: Program) -> None:
    player.room.clear()
    already = len(player.sent)
    for number in range(7, 10):
        player.say(Look(number, None))
        await rest()
    assert player.sent[already:] == []
    player.room.set()
    await rest()
    told = [said for _, said in player.sent[already:]]
    assert [said.request for said in told if isinstance(said, Done)] == [7, 8, 9]
    assert not isinstance(told[0], Done)  # the change, which has come before them


class Deeds(MemoryLog):
    """A log in memory that notes for each move the round and the time at which it was stored."""

    def __init__(self, rounds: Rounds) -> None:
        super().__init__()
        self._rounds = rounds
        self.stored: list[tuple[int, float]] = []

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Store an entry."""
        await super().append(table, expected_revision, entry, at)
        if isinstance(entry, Moved):
            self.stored.append((self._rounds.passed, asyncio.get_running_loop().time()))


async def apart(pause: float) -> list[tuple[int, float]]:
    """Rounds, and seconds, from a move of bots among themselves to the next; they wait before each."""
    log, clock = Deeds(Rounds()), Clock()
    hub = Hub(log, bot_pause=pause)
    await hub.load()
    client = Client(hub.connect("anna"))
    await client.open("land_cards", 3)
    await client.seat_bots(0, 1, 2, bot="easy")
    await client.start()
    while len(log.stored) < 10:
        await clock.forward(pause)
    await client.close()
    await hub.close()
    return [(then[0] - before[0], round(then[1] - before[1], 3)) for before, then in pairwise(log.stored)]


async def test_a_bot_that_chooses_at_once_makes_a_move_in_a_few_rounds() -> None:
    assert max(rounds for rounds, _ in await apart(0)) <= 4


async def test_a_bot_waits_before_each_move_for_as_long_as_the_host_wants_it() -> None:
    assert {seconds for _, seconds in await apart(0.6)} == {0.6}
