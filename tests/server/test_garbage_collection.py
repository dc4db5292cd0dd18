"""What sessions leave behind is found, and what is there is not looked at again and again."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from time import thread_time
from typing import Any, cast
from unittest.mock import Mock

import pytest
from textual.dom import DOMNode
from textual.widget import Widget
from textual.widgets import Static

from kk_server.frontend import garbage_collection
from kk_server.frontend.driver import Terminal
from kk_server.frontend.garbage_collection import GarbageCollection, freeze_survivors, sweep
from kk_server.frontend.terminal import HostedApp
from kk_server.limits import ServerLimits
from kk_server.serve.server import start
from kk_tui.app import KkApp
from kk_tui.terminal.capabilities import kind_of
from kk_tui.terminal.driver import PaintedApp
from kk_tui.terminal.hosted import nodes_of
from kk_tui.terminal.painted_screen import PaintedScreen
from tests.server.hosting import here
from tests.server.remote import screen, wait_for
from tests.waiting import Clock, rest
from tools.bench.arrive import Bare, Paper


class Busy:
    """A process in which so much goes on."""

    def __init__(self, present: int, ended: int, heard: float = 0.0) -> None:
        self.present, self.ended, self.heard = present, ended, heard


class Ring:
    """Something that only the collector can find."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
async def _as_before() -> AsyncIterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.parametrize(
    ("present", "ended", "expected"), [(0, 499, False), (0, 500, True), (600, 599, False), (600, 600, True)]
)
def test_a_full_look_is_worth_it_once_as_many_have_gone_as_are_there(
    present: int, ended: int, expected: bool
) -> None:
    assert GarbageCollection(Busy(present, ended)).is_time(100.0) == expected


def test_what_has_gone_counts_once() -> None:
    busy = Busy(0, 530)
    watching = GarbageCollection(busy)
    assert watching.is_time(100.0)
    assert not watching.is_time(200.0)
    busy.ended += 500
    assert watching.is_time(300.0)


def test_a_full_look_waits_for_a_moment_in_which_nobody_types_but_not_for_ever() -> None:
    watching = GarbageCollection(Busy(0, 530, heard=99.9))
    assert not watching.is_time(100.0)
    assert watching.is_time(101.0)
    restless = Busy(0, 530)
    watching = GarbageCollection(restless)
    looks = []
    for now in range(100, 170):
        restless.heard = now
        looks.append(watching.is_time(now))
    assert looks.index(True) == 60


def test_a_full_look_comes_now_and_then_though_nobody_has_left() -> None:
    watching = GarbageCollection(Busy(5, 0))
    looks = [now for now in range(0, 4000, 100) if watching.is_time(now)]
    assert looks == [1800, 3600]


def test_what_was_put_aside_is_found_by_a_full_look_alone() -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    freeze_survivors()
    del ring
    freeze_survivors()
    assert gone() is not None
    sweep()
    assert gone() is None


async def test_it_looks_from_time_to_time_and_leaves_python_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(garbage_collection, "_TICK", 0.005)
    monkeypatch.setattr(garbage_collection, "_EVERY", 0.01)
    before = gc.get_threshold()
    busy = Busy(0, 0)
    watching = GarbageCollection(busy)
    watching.start()
    assert gc.get_freeze_count() > 0
    ring = Ring()
    gone = weakref.ref(ring)
    look = Mock(side_effect=freeze_survivors)
    monkeypatch.setattr(garbage_collection, "freeze_survivors", look)
    await wait_for(lambda: look.called)
    del ring
    busy.ended = 500
    await wait_for(lambda: gone() is None)
    await watching.stop()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


async def test_after_much_work_it_looks_at_what_is_new_though_the_count_tells_of_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(garbage_collection, "_TICK", 0.005)
    monkeypatch.setattr(garbage_collection, "_EVERY", 1_000_000.0)
    look = Mock(side_effect=freeze_survivors)
    monkeypatch.setattr(garbage_collection, "freeze_survivors", look)
    watching = GarbageCollection(Busy(0, 0))
    watching.start()
    old = [[number] for number in range(100)]
    for _ in range(3):
        looks, begun = look.call_count, thread_time()
        while thread_time() - begun < garbage_collection._WORK:
            old = [[number] for number in range(len(old))]  # each goes with one that was there
        await wait_for(lambda looks=looks: look.call_count > looks)  # type: ignore[misc]
    await watching.stop()


async def test_an_idle_watch_does_not_keep_the_app_of_somebody_who_has_gone(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    others = weakref.WeakSet(_apps())  # of tests before, which may end meanwhile
    guest = await screen(server)
    await guest.until("anna")
    assert sum(app not in others for app in _apps()) == 1
    await guest.close()
    await wait_for(lambda: not server.connections)
    loop: Any = asyncio.get_running_loop()
    await wait_for(lambda: not server.traffic.present)
    held = [timer for timer in loop._scheduled if not timer.cancelled() and timer.when() > loop.time() + 30]
    assert [timer for timer in held if "Session" in repr(timer)] == []
    await server.close()


async def test_sessions_that_have_ended_leave_no_app(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    others = weakref.WeakSet(_apps())  # of tests before, which may end meanwhile
    guests = [await screen(server, user) for user in ("anna", "beate", "carla", "dora")]
    for guest in guests:
        await guest.until("here")
        guest.type("\x1b[B?")
        await guest.until("Esc")
        guest.type("\x1b")
    apps = weakref.WeakSet(app for app in _apps() if app not in others)
    assert len(apps) == len(guests)
    for guest in guests[::2]:
        guest.connection.abort()
    for guest in guests[1::2]:
        await guest.close()
    await wait_for(lambda: not server.connections and not server.traffic.present)
    gc.unfreeze()
    await wait_for(lambda: gc.collect() >= 0 and not apps)
    await server.close()


def _apps() -> list[KkApp]:
    return [thing for thing in gc.get_objects() if isinstance(thing, KkApp)]


async def test_closed_screens_and_ended_apps_leave_no_widgets_to_the_collector(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    before = _widgets()
    gc.disable()
    try:
        guest = await screen(server)
        await guest.until("anna")
        lobby = _widgets() - before
        guest.type("?")
        await guest.until("Esc")
        dialog = _widgets() - before - lobby
        assert dialog
        guest.type("\x1b")
        await wait_for(lambda: not any(map(_holds, dialog)))
        assert any(map(_holds, lobby))
        await guest.close()
        await wait_for(lambda: not any(map(_holds, lobby)))
    finally:
        gc.enable()
    await server.close()


def _widgets() -> set[Widget]:
    return {thing for thing in gc.get_objects() if isinstance(thing, Widget)}


async def test_an_app_is_taken_apart_once_it_has_ended_though_nobody_has_waited_for_that() -> None:
    app = SlowToEnd(terminal=Terminal(cast("Any", Paper()), "xterm-256color", (80, 24), {}, ServerLimits()))

    async def session() -> None:
        try:
            await app.run_async(size=(80, 24))
        finally:
            app.take_apart()

    running = asyncio.create_task(session())
    await app.terminal.has_painted.wait()
    screen = app.screen
    app.exit()
    await app.is_ending.wait()
    running.cancel()
    await wait_for(running.done)
    assert _holds(screen)
    app.may_end.set()
    await wait_for(lambda: not _holds(screen))


class SlowToEnd(Bare):
    """Takes its time to close its screens."""

    is_ending, may_end = asyncio.Event(), asyncio.Event()

    async def _close_all(self) -> None:
        self.is_ending.set()
        await self.may_end.wait()
        await super()._close_all()


class Waiting(Static):
    """Closes when it may, and starts something that ends when it may."""

    def __init__(self) -> None:
        super().__init__("here")
        self.is_closing, self.may_close, self.may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def on_mount(self) -> None:
        """Start it."""
        self.run_worker(self._go_on())

    async def _go_on(self) -> None:
        while not self.may_end.is_set():
            with suppress(asyncio.CancelledError):
                await self.may_end.wait()

    async def on_unmount(self) -> None:
        """Wait."""
        self.is_closing.set()
        await self.may_close.wait()


class Small(HostedApp, PaintedApp):
    """Has a screen, above which others come and go."""

    HORIZONTAL_BREAKPOINTS = KkApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = KkApp.VERTICAL_BREAKPOINTS

    def get_default_screen(self) -> PaintedScreen:
        """The screen."""
        return PaintedScreen()

    async def opened(self) -> tuple[PaintedScreen, Waiting]:
        """One more above it, and what is on it."""
        above, waiting = PaintedScreen(), Waiting()
        await self.push_screen(above)
        await above.mount(waiting)
        return above, waiting


@pytest.fixture
async def small() -> AsyncIterator[Small]:
    terminal = Terminal(cast("Any", Paper()), "xterm-256color", (80, 24), {}, ServerLimits())
    app = Small(terminal=terminal, kind=kind_of("xterm-256color", {}))

    async def session() -> None:
        try:
            await app.run_async(size=(80, 24))
        finally:
            app.take_apart()

    running = asyncio.create_task(session())
    await terminal.has_painted.wait()
    yield app
    running.cancel()
    await asyncio.wait([running])


async def test_a_closed_screen_is_taken_apart_when_all_of_it_has_ended_however_late_that_is(
    small: Small,
) -> None:
    above, waiting = await small.opened()
    nodes = nodes_of(above)
    clock = Clock(stands=False)
    small.pop_screen()
    await waiting.is_closing.wait()
    await clock.forward(3600)
    assert _holds(waiting)
    assert _holds(above)
    waiting.may_close.set()
    await wait_for(lambda: small.screen is not above and above not in small._registry)
    await clock.forward(3600)
    assert _holds(waiting)  # for what it has started
    assert _holds(above)
    waiting.may_end.set()
    await wait_for(lambda: not any(map(_holds, nodes)))
    assert _holds(small.screen)
    assert not small.has_failed


async def test_an_app_is_taken_apart_when_all_has_ended_that_a_closed_screen_had_started(
    small: Small,
) -> None:
    above, waiting = await small.opened()
    nodes = [small, small.screen_stack[0], above, waiting]
    waiting.may_close.set()
    await small.pop_screen()
    small.exit()
    await wait_for(lambda: small._is_left)
    await rest()
    assert all(map(_holds, nodes))
    waiting.may_end.set()
    await wait_for(lambda: not any(map(_holds, nodes)))


def _holds(node: DOMNode) -> bool:
    """Whether it has anything but plain values."""
    return "_nodes" in vars(node)
