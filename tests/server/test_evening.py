"""A small evening: what happens costs a screen what is seen of it there, in bytes and pieces of work.

Half of the people come by ssh, half with a page. Tables, bots, talk, people who come and go; three look at
the lobby, one at a table. Nothing is timed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import ClientMessage, LeaveSeat, OpenTable, Say, ServerMessage
from kk_core.protocol.stream import ClientLink
from kk_server.frontend.driver import Terminal
from kk_server.frontend.terminal import HostedApp, make_app
from kk_server.hub.hub import Hub
from kk_server.hub.session import Session
from kk_server.serve.server import start
from kk_server.tables import log_writer
from kk_tui.settings import SettingsStore
from kk_tui.terminal.painter import TerminalPainter
from tests.server.hosting import PLENTY, here
from tests.waiting import Clock, rest
from tools.load.browser import Browser
from tools.load.person import Person, Program

pytestmark = pytest.mark.e2e

SIZE = (80, 24)
GAME = "land_cards"

TABLES = 24
"""More than a screen shows, and what is near it."""

SHOWN = 9
"""Tables that a screen shows at most."""

NEAR = 2
"""Tables near what a screen shows, of which it is told as well, at most."""

ROWS_OF_CHAT = 4
"""Of the lobby's screen, once so many lines were said."""

MANY = 400
"""In the lobby."""

FOR_EVER = 1e6
"""Seconds."""

LATER = 10.0
"""Seconds after which all that is told together, or marked for a moment, has been."""


@dataclass(frozen=True)
class Cost:
    """What a screen was sent, how often it was drawn, and how many messages its app was told."""

    bytes: int
    drawn: int
    told: int

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.bytes - other.bytes, self.drawn - other.drawn, self.told - other.told)


class Told(ClientLink):
    """The link of an app, on which is counted what it is told."""

    def __init__(self, link: ClientLink) -> None:
        self._link = link
        self.messages = 0

    async def send(self, message: ClientMessage) -> None:
        await self._link.send(message)

    async def receive(self) -> ServerMessage:
        message = await self._link.receive()
        self.messages += 1
        return message

    async def close(self) -> None:
        await self._link.close()


class Screens:
    """The apps of a server, and what each has done so far."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._apps: dict[str, HostedApp] = {}
        self._links: dict[int, Told] = {}
        self._drawn: Counter[int] = Counter()
        take = TerminalPainter.take

        def counted(painter: TerminalPainter, drawn: Any) -> None:
            self._drawn[id(painter)] += 1
            take(painter, drawn)

        monkeypatch.setattr(TerminalPainter, "take", counted)

    def make(
        self, connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal, settings: SettingsStore | None
    ) -> HostedApp:
        """An app as the server makes it, whose link counts."""

        async def told() -> ClientLink:
            link = self._links[id(app)] = Told(await connect())
            return link

        app = make_app(told, terminal, settings)
        self._apps[str(len(self._apps))] = app
        return app

    @property
    def work(self) -> int:
        """How often anything was drawn or told so far."""
        return self._drawn.total() + sum(link.messages for link in self._links.values())

    def cost(self, person: Person) -> Cost:
        """All that somebody's screen has cost so far."""
        (app,) = (each for each in self._apps.values() if getattr(each, "user", None) == person.name)
        painter: Any = app
        return Cost(person.received, self._drawn[id(painter.painter)], self._links[id(app)].messages)


class Evening:
    """Who is there."""

    def __init__(self, port: int, web: int, screens: Screens) -> None:
        self._port = port
        self._web = web
        self._screens = screens
        self._clock = Clock(stands=False)
        self._numbers = iter(range(100))
        self._people: list[Person] = []
        self.lobby: list[Person] = []
        self.watcher: Person
        self.public: Program
        self.private: Program
        self.beside_bots: Program
        self.talker: Program

    async def come(self) -> Person:
        """Somebody more comes; every other one has a page."""
        number = next(self._numbers)
        person = Person(number) if number % 2 else Browser(number, self._web)
        await person.come(self._port)
        self._people.append(person)
        return person

    async def play(self, *, private: bool = False, bots: int = 0) -> Program:
        """A program opens a table, and a match begins, for it alone or with bots."""
        program = await (await self.come()).client()
        await program.do(OpenTable, GAME, {}, 3, "", False, private)
        await program.sit(*range(3 - bots))
        await program.seat_bots(*range(3 - bots, 3), bot="random")
        await program.start()
        return program

    async def begin(self) -> None:
        """Two public tables, a private one, somebody who watches, and three in the lobby."""
        self.private, self.public = await self.play(private=True), await self.play()
        self.beside_bots = await self.play(bots=2)
        self.talker = await (await self.come()).client()
        self.lobby = [await self.look() for _ in range(3)]
        self.watcher = await self.look()
        await self.watcher.press(f"/watch {self.public.table.title}\r")
        # finding a table asks the database, whose thread is nothing that the loop waits for
        await self.public.until(lambda c: self.watcher.name in c.table.watchers)
        await self.later()

    async def look(self) -> Person:
        """Somebody comes to the lobby, with a terminal."""
        person = await self.come()
        await person.look(None, SIZE)
        return person

    async def later(self) -> None:
        """Let everything be done that follows from what has happened."""
        before = None
        # again until nothing comes any more: a loop that is behind puts off screens nobody has touched
        while before != (before := self._screens.work + sum(person.received for person in self._people)):
            await rest()
            await self._clock.forward(LATER)
            await rest()

    async def cost(self, event: Callable[[], Awaitable[object]], *people: Person) -> list[Cost]:
        """What something costs the screens of these people, or of all in the lobby."""
        await self.later()
        before = [self._screens.cost(person) for person in people or self.lobby]
        await event()
        await self.later()
        after = [self._screens.cost(person) for person in people or self.lobby]
        return [now - then for now, then in zip(after, before, strict=True)]

    async def go(self) -> None:
        """All hang up."""
        for person in self._people:
            await person.go()


@asynccontextmanager
async def an_evening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Evening]:
    """A server with those who are there."""
    # where the disk takes more than a second to store a move, the table tells everybody so, which costs more
    monkeypatch.setattr(log_writer, "_SLOW", FOR_EVER)
    screens = Screens(monkeypatch)
    server = await start(here(folder, web=0, limits=PLENTY, bot_pause=0.0), screens.make)
    assert server.web is not None
    evening = Evening(server.port, server.web.port, screens)
    await evening.begin()
    try:
        yield evening
    finally:
        await evening.go()
        await server.close()


async def move(program: Program) -> None:
    """A program moves for whichever of its seats is to move."""
    ply, seat = program.match.ply, program.observation.active[0]
    await program.look(seat)
    await program.play(seat, program.observation.legal_moves[0])
    await program.until(lambda c: c.match.ply > ply)


def too_dear(costs: Iterable[Cost], most: Cost) -> list[Cost]:
    """Those that are more than something may cost a screen."""
    return [
        cost for cost in costs if cost.bytes > most.bytes or cost.drawn > most.drawn or cost.told > most.told
    ]


async def test_what_happens_elsewhere_costs_a_screen_in_the_lobby_some_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_evening(tmp_path, monkeypatch) as evening:
        talker = evening.talker

        async def bots_move() -> None:
            await move(evening.beside_bots)
            await evening.beside_bots.until(lambda c: c.observation.active == (0,))

        async def come_and_go() -> None:
            visitor = await evening.look()
            await evening.later()
            await visitor.go()

        async def open_and_leave() -> None:
            await talker.open(GAME, 3)
            await talker.sit(0)
            await evening.later()
            await talker.do(LeaveSeat, 0)
            await talker.go_to(None)

        line = Cost(bytes=400, drawn=3, told=2)
        for _ in range(6):
            assert not too_dear(await evening.cost(lambda: move(evening.public)), line)
        before = evening.beside_bots.match.ply
        costs = [cost for _ in range(4) for cost in await evening.cost(bots_move)]
        moves = evening.beside_bots.match.ply - before
        assert moves > 4
        assert not too_dear(costs, Cost(bytes=400, drawn=3 * moves, told=2 * moves))
        for number in range(ROWS_OF_CHAT):  # it grows with the first lines
            await talker.do(Say, f"line {number}")
            await evening.later()
        for words in ("good evening", "who plays a round?"):
            said = await evening.cost(lambda words=words: talker.do(Say, words))  # type: ignore[misc]
            assert not too_dear(said, Cost(bytes=300, drawn=3, told=1))
        assert not too_dear(await evening.cost(come_and_go), Cost(bytes=300, drawn=4, told=2))
        assert not too_dear(await evening.cost(open_and_leave), Cost(bytes=4000, drawn=12, told=8))


async def test_what_somebody_does_not_see_sends_no_byte_to_their_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_evening(tmp_path, monkeypatch) as evening:
        talker = evening.talker
        watcher, nothing = evening.watcher, Cost(0, 0, 0)
        for _ in range(4):
            assert {cost.bytes for cost in await evening.cost(lambda: move(evening.private))} == {0}
        assert await evening.cost(rest, watcher, *evening.lobby) == [nothing] * 4
        assert await evening.cost(lambda: move(evening.private), watcher) == [nothing]
        assert await evening.cost(lambda: move(evening.beside_bots), watcher) == [nothing]
        assert await evening.cost(lambda: talker.do(Say, "good evening"), watcher) == [nothing]


async def test_a_move_costs_who_watches_what_changes_on_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_evening(tmp_path, monkeypatch) as evening:
        for _ in range(6):
            (cost,) = await evening.cost(lambda: move(evening.public), evening.watcher)
            assert 0 < cost.bytes < 2000
            assert cost.drawn <= 4
            assert cost.told <= 2


async def test_a_screen_is_told_of_those_tables_alone_that_it_shows_or_that_are_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_evening(tmp_path, monkeypatch) as evening:
        programs = [await evening.play() for _ in range(TABLES)]
        costs = [await evening.cost(lambda each=each: move(each)) for each in programs]  # type: ignore[misc]
        for screen in zip(*costs, strict=True):
            assert sum(cost.told > 0 for cost in screen) <= SHOWN + NEAR
            assert [cost for cost in screen if cost.drawn and not cost.bytes] == []


async def test_a_move_at_a_private_table_costs_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_evening(tmp_path, monkeypatch) as evening:
        for _ in range(6):
            assert await evening.cost(lambda: move(evening.private)) == [Cost(0, 0, 0)] * 3


async def test_of_many_in_the_lobby_only_some_are_told_in_one_round_of_the_loop(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [hub.connect(f"p{number:03}") for number in range(MANY)]
    clock = Clock(stands=False)
    await rest()
    await clock.forward(LATER)
    await rest()
    loop: Any = asyncio.get_running_loop()
    rounds, told, run_once, changed = [0], Counter[int](), loop._run_once, Session.changed

    def count_round() -> None:
        rounds[0] += 1
        run_once()

    def count_told(session: Session) -> None:
        told[rounds[0]] += 1
        changed(session)

    monkeypatch.setattr(loop, "_run_once", count_round)
    monkeypatch.setattr(Session, "changed", count_told)
    hub.lobby.say("p000", "good evening")
    await rest()
    await clock.forward(LATER)
    await rest()
    assert told.total() >= MANY
    assert max(told.values()) <= MANY // 4
    for link in links:
        await link.close()
