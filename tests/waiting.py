"""How tests wait: for conditions, for a loop that is at rest, and by a clock that they set forward."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Any, Final

SOON: Final = 0.02
"""Seconds: a timer that was set for less is part of the work, as drawing is; any other is a later event."""

ROUNDS: Final = 4
"""Rounds in which a loop has nothing to do before it is at rest."""

_call_at = asyncio.BaseEventLoop.call_at
_times = 1.0


def patience() -> float:
    """Seconds until a test gives up; on a machine that does its work, nothing takes a tenth of it."""
    return 50 * _times


def be_patient(times: float) -> None:
    """Wait so many times as long."""
    global _times
    _times = times


async def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is true that nobody tells."""
    async with asyncio.timeout(patience()):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def rest() -> None:
    """Wait until the loop has nothing left to do but what comes from elsewhere or was set for later.

    What this process sends to itself over a socket does not come from elsewhere: each round looks for it.
    "Later" is told by how long a timer was set for, and not by how soon it is due: the same on any machine.
    """
    loop: Any = asyncio.get_running_loop()
    end, quiet = loop.time() + patience(), 0
    while quiet < ROUNDS:
        assert loop.time() < end, f"never at rest: {loop._ready} {_working(loop)}"
        await asyncio.sleep(0)
        timers = _working(loop)
        quiet = 0 if loop._ready or timers else quiet + 1
        if timers and not loop._ready:
            await asyncio.sleep(max(0, min(timer.when() for timer in timers) - loop.time()))


async def work(seconds: float) -> None:
    """Sleep as one who works: nothing is at rest meanwhile, however long it lasts."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    _note(loop, loop.call_later(seconds, done.set_result, None))
    await done


def _noting(
    loop: asyncio.BaseEventLoop, when: float, callback: Callable[..., object], *args: Any, context: Any = None
) -> asyncio.TimerHandle:
    """Set a timer, and note it where it is part of the work."""
    timer = _call_at(loop, when, callback, *args, context=context)
    if when <= loop.time() + SOON:
        _note(loop, timer)
    return timer


def _note(loop: asyncio.AbstractEventLoop, timer: asyncio.TimerHandle) -> None:
    vars(loop)["working"] = [*_working(loop), timer]


def _working(loop: Any) -> list[asyncio.TimerHandle]:
    return [timer for timer in vars(loop).get("working", ()) if timer._scheduled and not timer.cancelled()]


asyncio.BaseEventLoop.call_at = _noting  # type: ignore[method-assign, assignment]


class Clock:
    """The clock of the running loop in the hands of a test: it stands still until it is set forward.

    Where it does not stand, time goes on by itself as well, for programs that draw or wait for each other.
    """

    def __init__(self, *, stands: bool = True) -> None:
        self._loop: Any = asyncio.get_running_loop()
        self._stands = stands
        real = self._loop.time
        self._ahead, self._now = 0.0, real()
        vars(self._loop)["time"] = lambda: self._now if stands else real() + self._ahead

    def time(self) -> float:
        """The seconds that have passed on it, counted from anywhere."""
        now: float = self._loop.time()
        return now

    async def forward(self, seconds: float) -> None:
        """Let time pass, and all be done that is due by then; from one timer to the next where it stands."""
        end = self._now + seconds
        await self._do_what_is_due()
        while self._stands and (due := self._next()) <= end:
            self._now = due
            await self._do_what_is_due()
        self._now = end
        self._ahead += seconds
        await self._do_what_is_due()

    def stand_still(self, seconds: float) -> None:
        """Let time pass in which the loop does nothing, as in a process that is stopped."""
        self._now += seconds
        self._ahead += seconds

    async def _do_what_is_due(self) -> None:
        await asyncio.sleep(0)
        while self._loop._ready or self._next() <= self._loop.time():  # noqa: ASYNC110
            await asyncio.sleep(0)

    def _next(self) -> float:
        return min((timer.when() for timer in self._loop._scheduled if not timer.cancelled()), default=inf)
