"""The loop that the app runs on in tests: when it is at rest, and a machine that holds it back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final
from unittest.mock import patch

import textual.app
import textual.pilot
from textual.message_pump import MessagePump

from kk_tui.client import Client
from tests.waiting import patience

SOON: Final = 0.02
"""Seconds: a timer that was set for less is part of the work, as drawing is; any other is a later event."""

_LONGEST: Final = 0.3
_RARE, _OFTEN = 0.005, 0.05

_call_at = asyncio.BaseEventLoop.call_at


def _noting(
    loop: asyncio.BaseEventLoop, when: float, callback: Callable[..., object], *args: Any, context: Any = None
) -> asyncio.TimerHandle:
    """Set a timer, and keep in mind that it is part of the work, whenever one asks."""
    timer = _call_at(loop, when, callback, *args, context=context)
    if when <= loop.time() + SOON:
        vars(loop)["working"] = [*_working(loop), timer]
    return timer


def _working(loop: Any) -> list[asyncio.TimerHandle]:
    return [timer for timer in vars(loop).get("working", ()) if timer._scheduled and not timer.cancelled()]


async def _rest(min_sleep: float = 0, max_sleep: float = 0) -> None:
    """Wait until nothing is left to do but what comes from elsewhere or was set for later.

    Textual waits until the process has slept, which takes long, and on a busy machine says nothing.
    """
    loop: Any = asyncio.get_running_loop()
    end = loop.time() + patience()
    await asyncio.sleep(0)
    while loop._ready or (timers := _working(loop)):
        assert loop.time() < end, f"never at rest: {loop._ready} {_working(loop)}"
        await asyncio.sleep(0 if loop._ready else max(0, min(timer.when() for timer in timers) - loop.time()))


asyncio.BaseEventLoop.call_at = _noting  # type: ignore[method-assign, assignment]
textual.app.wait_for_idle = textual.pilot.wait_for_idle = _rest  # type: ignore[attr-defined]


@contextmanager
def held_back(random: Random) -> Iterator[None]:
    """Hold back at random, for up to 0.3 s, the whole app, one of its widgets, or what the hub tells it."""
    run_once, dispatch, take = (
        asyncio.BaseEventLoop._run_once,  # type: ignore[attr-defined]
        MessagePump._dispatch_message,
        Client._take,
    )

    def late(loop: object) -> None:
        if random.random() < _RARE:
            time.sleep(random.uniform(0, _LONGEST))
        run_once(loop)

    async def dispatched_late(pump: MessagePump, message: Any) -> None:
        if random.random() < _RARE:
            await asyncio.sleep(random.uniform(0, _LONGEST))
        await dispatch(pump, message)

    async def taken_late(client: Client, message: Any) -> None:
        if random.random() < _OFTEN:
            await asyncio.sleep(random.uniform(0, _LONGEST))
        await take(client, message)

    with (
        patch.object(asyncio.BaseEventLoop, "_run_once", late),
        patch.object(MessagePump, "_dispatch_message", dispatched_late),
        patch.object(Client, "_take", taken_late),
    ):
        yield
