"""Python's garbage collector, kept from stopping everybody for the sake of what nobody has thrown away.

A full collection looks at every object there is, 11 ms of it for each session, and with many sessions one
comes every few seconds. Nearly all that it looks at lives as long as its session. So what has survived is put
aside (`gc.freeze`), every two seconds and whenever there may be much of it, and only what is new is looked
at. Sessions that end and screens that are closed are taken apart, and free what they held. The rest is found
by a full look at all: once for as many sessions as are still there, and now and then, when nobody types.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from time import thread_time
from typing import Final, Protocol

_TICK: Final = 0.05
"""Seconds between two looks at how much is new."""

_MUCH: Final = 10_000
"""New objects that are worth to be put aside, which takes some milliseconds; an arrival makes 30,000."""

_WORK: Final = 0.02
"""Seconds of work after which much may be new, whatever the count says: it goes down with every old object
that nobody needs any more, so that screens which are drawn anew leave it where it was."""

_EVERY: Final = 2.0
"""Seconds between two looks at what is new, however little it is."""

_FEWEST: Final = 500
"""Ended sessions that are worth a full look; of each, some 0.2 MiB may be left."""

_SELDOM: Final = 1800.0
"""Seconds after which a full look is worth it however few have ended."""

_QUIET: Final = 0.3
"""Seconds without a key that make a moment in which nobody types."""

_PATIENCE: Final = 60.0
"""Seconds that a full look waits for such a moment at most."""

_YOUNG: Final = 25_000
"""New objects that Python looks at by itself. With its own 700 an arrival costs a seventh more."""

_NEVER: Final = 1_000_000


class Traffic(Protocol):
    """What goes on in the process."""

    ended: int
    """Sessions that have ended since the start."""

    heard: float
    """When somebody last typed, by the clock of the loop."""

    @property
    def present(self) -> int:
        """Sessions that are there."""
        ...


class Collector:
    """For a whole process: begin it once, and stop it to have Python's own ways back."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._thresholds = gc.get_threshold()
        self._swept = 0
        self._swept_at: float | None = None
        self._waiting_since: float | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Put aside all that is there, and go on so from time to time."""
        _, middle, _ = self._thresholds
        gc.set_threshold(_YOUNG, middle, _NEVER)
        gc.collect()
        gc.freeze()
        self._task = asyncio.get_running_loop().create_task(self._run(), name="collector")

    async def stop(self) -> None:
        """Leave it to Python again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        last, worked = loop.time(), thread_time()
        while True:
            await asyncio.sleep(_TICK)
            now = loop.time()
            if self.is_time(now):
                sweep()
            elif now - last >= _EVERY or _is_much_new(thread_time() - worked):
                put_aside()
            else:
                continue
            last, worked = loop.time(), thread_time()

    def is_time(self, now: float) -> bool:
        """Whether a full look is worth it, and the moment is right; then it counts as done."""
        traffic = self._traffic
        if self._swept_at is None:
            self._swept_at = now
        has_much_ended = traffic.ended - self._swept >= max(_FEWEST, traffic.present)
        if not has_much_ended and now - self._swept_at < _SELDOM:
            return False
        if self._waiting_since is None:
            self._waiting_since = now
        if now - traffic.heard < _QUIET and now - self._waiting_since < _PATIENCE:
            return False
        self._swept, self._swept_at, self._waiting_since = traffic.ended, now, None
        return True


def _is_much_new(worked: float) -> bool:
    """Whether so much has come, in so many seconds of work, that to look at it later would take long."""
    return gc.get_count()[0] >= _MUCH or worked >= _WORK


def put_aside() -> None:
    """Throw away what can be found among the newest objects, and look at none that are left any more.

    Those that were looked at once, a moment ago, are not looked at again: after many arrivals they are many.
    """
    gc.collect(0)
    gc.freeze()


def sweep() -> None:
    """Look at all there is, and let the system have the memory that is free then."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _give_back()


def _give_back() -> None:
    """Where the C library can."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
