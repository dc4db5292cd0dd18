"""First pictures are made one after the other, and those of one address do not keep others waiting."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from kk_core.protocol.stream import ClientLink
from kk_server.background import spawn
from kk_server.frontend.driver import Terminal
from kk_server.frontend.terminal import _LONGEST, _REST, FirstPaintQueue, make_app
from kk_server.hub.hub import Hub
from kk_server.limits import ServerLimits
from tests.waiting import Clock, patience


async def test_one_comes_after_the_other_and_networks_take_turns() -> None:
    arrivals, order = FirstPaintQueue(ServerLimits()), list[str]()

    async def come(name: str, network: str) -> None:
        is_done = asyncio.Event()
        await arrivals.wait(network, is_done)
        order.append(name)
        is_done.set()

    crowd = [asyncio.create_task(come(f"eve{n}", "there")) for n in range(20)]
    await asyncio.sleep(0)
    async with asyncio.timeout(patience()):
        await come("anna", "here")
        assert len(order) <= 3
        await asyncio.gather(*crowd)
    assert len(order) == 21


async def test_nobody_begins_before_the_one_before_has_painted() -> None:
    clock, painted, begun = Clock(), asyncio.Event(), asyncio.Event()
    arrivals = FirstPaintQueue(ServerLimits())
    await arrivals.wait("here", painted)

    async def second() -> None:
        await arrivals.wait("there", begun)
        begun.set()

    task = asyncio.create_task(second())
    await clock.forward(_LONGEST - 0.1)
    assert not begun.is_set()
    painted.set()
    await clock.forward(_REST)
    assert begun.is_set()
    await task


async def test_between_two_that_come_others_have_a_quarter_of_the_time_that_the_first_took() -> None:
    clock, painted, begun = Clock(), asyncio.Event(), asyncio.Event()
    arrivals = FirstPaintQueue(ServerLimits())
    await arrivals.wait("here", painted)

    async def second() -> None:
        await arrivals.wait("there", asyncio.Event())
        begun.set()

    spawn(second(), "second")
    await clock.forward(0.4)
    painted.set()
    await clock.forward(0.09)
    assert not begun.is_set()
    await clock.forward(0.02)
    assert begun.is_set()


async def test_a_network_from_which_many_have_come_waits_while_others_come_in() -> None:
    arrivals, painted = (
        FirstPaintQueue(ServerLimits(connections_per_second=0.01, connections_at_once=3)),
        asyncio.Event(),
    )
    painted.set()
    async with asyncio.timeout(patience()):
        for _ in range(3):
            await arrivals.wait("there", painted)
        fourth = asyncio.create_task(arrivals.wait("there", painted))
        await arrivals.wait("here", painted)
        assert not fourth.done()
    fourth.cancel()


class Paper:
    """Takes what is written to a terminal."""

    is_paused = is_closed = False

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    def note_place(self, place: str) -> None:
        pass

    def note_typing(self, on: bool) -> None:
        pass

    def on_resume(self) -> None:
        pass


async def test_a_turn_lasts_until_there_is_a_picture_and_not_only_a_title(hub: Hub) -> None:
    paper = Paper()
    terminal = Terminal(cast("Any", paper), "xterm-256color", (80, 24), {}, ServerLimits())

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = make_app(connect, terminal, None)
    running = asyncio.create_task(app.run_async(size=terminal.size))
    async with asyncio.timeout(patience()):
        await terminal.has_painted.wait()
    assert b"1 here: anna" in paper.written
    app.exit()
    await running
