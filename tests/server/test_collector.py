"""What sessions leave behind is found, and what is there is not looked at again and again."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
from textual.widget import Widget

from kk_tui.app import KkApp
from server.front import collector
from server.front.collector import Collector, put_aside, sweep
from server.front.driver import Terminal
from server.front.limits import ServerLimits
from server.front.serve import start
from tests.bench.arrive import Bare, Paper
from tests.server.hosting import here
from tests.server.remote import screen, wait_for


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
    assert Collector(Busy(present, ended)).is_time(100.0) == expected


def test_what_has_gone_counts_once() -> None:
    busy = Busy(0, 530)
    watching = Collector(busy)
    assert watching.is_time(100.0)
    assert not watching.is_time(200.0)
    busy.ended += 500
    assert watching.is_time(300.0)


def test_a_full_look_waits_for_a_moment_in_which_nobody_types_but_not_for_ever() -> None:
    watching = Collector(Busy(0, 530, heard=99.9))
    assert not watching.is_time(100.0)
    assert watching.is_time(101.0)
    restless = Busy(0, 530)
    watching = Collector(restless)
    looks = []
    for now in range(100, 170):
        restless.heard = now
        looks.append(watching.is_time(now))
    assert looks.index(True) == 60


def test_a_full_look_comes_now_and_then_though_nobody_has_left() -> None:
    watching = Collector(Busy(5, 0))
    looks = [now for now in range(0, 4000, 100) if watching.is_time(now)]
    assert looks == [1800, 3600]


def test_what_was_put_aside_is_found_by_a_full_look_alone() -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    put_aside()
    del ring
    put_aside()
    assert gone() is not None
    sweep()
    assert gone() is None


async def test_it_looks_from_time_to_time_and_leaves_python_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collector, "_TICK", 0.005)
    monkeypatch.setattr(collector, "_EVERY", 0.01)
    before = gc.get_threshold()
    busy = Busy(0, 0)
    watching = Collector(busy)
    watching.start()
    assert gc.get_freeze_count() > 0
    ring = Ring()
    gone = weakref.ref(ring)
    look = Mock(side_effect=put_aside)
    monkeypatch.setattr(collector, "put_aside", look)
    await wait_for(lambda: look.called)
    del ring
    busy.ended = 500
    await wait_for(lambda: gone() is None)
    await watching.stop()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


async def test_an_idle_watch_does_not_keep_the_app_of_somebody_who_has_gone(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    gc.collect()
    others = _apps()  # of tests before
    guest = await screen(server)
    await guest.until("anna")
    assert _apps() == others + 1
    await guest.close()
    await wait_for(lambda: not server.connections)
    loop: Any = asyncio.get_running_loop()
    await wait_for(lambda: not server.traffic.present)
    held = [timer for timer in loop._scheduled if not timer.cancelled() and timer.when() > loop.time() + 30]
    assert [timer for timer in held if "Session" in repr(timer)] == []
    await server.close()


async def test_sessions_that_have_ended_leave_no_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.front.hosted._LATE", 1000.0)
    server = await start(here(tmp_path))
    gc.collect()
    others = _apps()  # of tests before
    guests = [await screen(server, user) for user in ("anna", "beate", "carla", "dora")]
    for guest in guests:
        await guest.until("here")
        guest.type("\x1b[B?")
        await guest.until("Esc")
        guest.type("\x1b")
    assert _apps() == others + len(guests)
    for guest in guests[::2]:
        guest.connection.abort()
    for guest in guests[1::2]:
        await guest.close()
    await wait_for(lambda: not server.connections and not server.traffic.present)
    gc.unfreeze()
    gc.collect()
    await wait_for(lambda: _apps() == others)
    await server.close()


def _apps() -> int:
    return sum(isinstance(thing, KkApp) for thing in gc.get_objects())


async def test_closed_screens_and_ended_apps_leave_no_widgets_to_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.front.hosted._LATE", 0.05)
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


def _holds(widget: Widget) -> bool:
    """Whether it has anything but plain values."""
    return "_nodes" in vars(widget)


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
