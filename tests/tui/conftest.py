"""A hub in this process and the app on it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
import textual.app
import textual.pilot
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from kk_core.protocol.messages import PROTOCOL_VERSION, ClientMessage, Done, Hello, Snapshot, Welcome
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.types import Tree
from kk_server.hub.hub import Hub
from kk_server.hub.session import pipe
from kk_server.storage.memory_log import MemoryLog
from kk_tui import press_guard
from kk_tui.app import KkApp
from kk_tui.client.client import Client
from kk_tui.games import faces
from kk_tui.screens.base import KkScreen
from kk_tui.settings import AppSettings, SessionSettings
from kk_tui.widgets import bars
from kk_tui.widgets.bars import TextLine
from tests.tui.plain import plain_faces
from tests.waiting import patience, rest, work

Running = Pilot[None]
LONGEST = 0.3
"""Seconds for which a busy machine holds the app back."""

RARE, OFTEN = 0.005, 0.05

BREATH = 0.003
"""Seconds between two looks at something that comes from elsewhere."""


textual.app.wait_for_idle = textual.pilot.wait_for_idle = lambda *_: rest()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _quick_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests mean what they press and click at, however short it has stood there."""
    monkeypatch.setattr(bars, "STOOD", 0.0)
    monkeypatch.setattr(press_guard, "SEEN", 0.0)
    monkeypatch.setattr(press_guard, "BURST", 0.0)


@contextmanager
def held_back(random: Random) -> Iterator[None]:
    """Hold back at random the whole app, one of its widgets, or what the hub tells it."""
    run_once, dispatch, take = (
        asyncio.BaseEventLoop._run_once,  # type: ignore[attr-defined]
        MessagePump._dispatch_message,
        Client._take,
    )

    def late(loop: object) -> None:
        if random.random() < RARE:
            time.sleep(random.uniform(0, LONGEST))
        run_once(loop)

    async def dispatched_late(pump: MessagePump, message: Any) -> None:
        if random.random() < RARE:
            await work(random.uniform(0, LONGEST))
        await dispatch(pump, message)

    async def taken_late(client: Client, message: Any) -> None:
        if random.random() < OFTEN:
            await asyncio.sleep(random.uniform(0, LONGEST))
        await take(client, message)

    with (
        patch.object(asyncio.BaseEventLoop, "_run_once", late),
        patch.object(MessagePump, "_dispatch_message", dispatched_late),
        patch.object(Client, "_take", taken_late),
    ):
        yield


@pytest.fixture(autouse=True)
def _busy_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    seed = request.config.getoption("--lag-seed")
    if seed is None:
        yield
        return
    with held_back(Random(f"{seed} {request.node.nodeid}")):
        yield


async def _caught_up(pilot: Running) -> bool:
    """Wait for the app, the screen and those widgets that have something to do: Textual asks all of them."""
    app = pilot.app
    busy = [pump for pump in app.screen.walk_children() if not pump._message_queue.empty()]
    left, all_handled = 0, asyncio.Event()

    def handled() -> None:
        nonlocal left
        left -= 1
        if not left:
            all_handled.set()

    left = sum([pump.call_later(handled) for pump in (app, app.screen, *busy)])
    if not left:
        return True
    tasks = [asyncio.create_task(event.wait()) for event in (all_handled, app._exception_event)]
    await asyncio.wait(tasks, timeout=patience(), return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    return not left


Pilot._wait_for_screen = _caught_up  # type: ignore[method-assign, assignment]


@pytest.fixture(autouse=True)
def _changing_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the screen in front drawn again at random, as if at its place something had changed."""
    seed = request.config.getoption("--redraw-seed")
    if seed is None:
        return
    random = Random(f"{seed} {request.node.nodeid}")

    async def redrawn(pilot: Running) -> bool:
        app = pilot.app
        if isinstance(app, KkApp) and app.shows_something and random.random() < 0.5:
            app.post_message(app.PlaceChanged())
        return await _caught_up(pilot)

    monkeypatch.setattr(Pilot, "_wait_for_screen", redrawn)


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until all that the app was asked to do is done and drawn.

    What comes from elsewhere (from a worker, from a timer) may be still to come: wait for that by `until`.
    """
    await pilot.pause()


async def until(pilot: Running, condition: Callable[[], Any]) -> None:
    """Wait until something is so, however busy the machine is."""
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        await at_rest(pilot)
        if condition():
            return
        await asyncio.sleep(BREATH)
    screen = pilot.app.screen
    drawn = "\n".join(strip.text.rstrip() for strip in screen._compositor.render_strips())
    raise AssertionError(f"never came true; on {screen!r} stands:\n{drawn}")


def shown(app: KkApp, name: str) -> str:
    """The words of a line of the screen in front."""
    return str(app.screen.query_one(f"#{name}", TextLine).content)


def renewed(app: KkApp) -> None:
    """Have the screen in front drawn again, as it is when somebody comes or goes."""
    assert isinstance(app.screen, KkScreen)
    app.screen.renew()


class Stage:
    """Starts apps on one hub; `game` is one that it has, and `seats` how many it needs."""

    def __init__(self, hub: Hub, records: Path) -> None:
        self.hub = hub
        self.records = records
        self.game, face = next(iter(faces().items()))
        self.seats = face.meta.min_seats

    @asynccontextmanager
    async def play(
        self,
        user: str = "anna",
        *,
        local: bool = True,
        secrets: bool = False,
        size: tuple[int, int] = (80, 24),
        **more: Any,
    ) -> AsyncIterator[tuple[KkApp, Running]]:
        """An app of a user, connected and showing its first screen."""

        async def connect() -> ClientLink:
            return self.hub.connect(user)

        still = SessionSettings(AppSettings(motion="off", confirm=False))
        options = {"records": self.records, "games": plain_faces(secrets=secrets), "settings": still, **more}
        app = KkApp(connect, local=local, **options)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.store.place is not None and app.user)
            yield app, pilot


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """A fresh hub whose bots do not pause."""
    hub = Hub(MemoryLog(), bot_pause=0)
    await hub.load()
    yield Stage(hub, tmp_path / "records")
    await hub.close()


class Elsewhere:
    """A server that shows what the test wants, and answers every request with `Done`."""

    def __init__(self) -> None:
        self.link, self._server = pipe()
        self._revision = 0
        self.asked: list[ClientMessage] = []

    async def connect(self) -> ClientLink:
        """The client's end."""
        return self.link

    async def answer(self) -> None:
        """Answer until the link ends."""
        try:
            while True:
                message = await self._server.receive()
                self.asked.append(message)
                if isinstance(message, Hello):
                    await self._server.send(Welcome(message.request, "anna", PROTOCOL_VERSION, "elsewhere"))
                else:
                    await self._server.send(Done(message.request))
        except LinkClosed:
            return

    async def show(self, tree: Tree) -> None:
        """Let the client see a place."""
        self._revision += 1
        await self._server.send(Snapshot(self._revision, tree))


@pytest.fixture
async def elsewhere() -> AsyncIterator[Elsewhere]:
    """A server that is not ours."""
    server = Elsewhere()
    answering = asyncio.create_task(server.answer())
    yield server
    answering.cancel()
