"""Garbage collection without the long pauses in which Python inspects objects still in use.

A full collection inspects every object, which takes 11 ms per session, and with many sessions one happens
every few seconds. Nearly all objects live as long as their session. So survivors are frozen (`gc.freeze`)
every two seconds, or sooner if much may have accumulated, and only new objects are inspected. Ended sessions
and closed screens are taken apart, which frees what they held. A full collection finds the rest: once as many
sessions have ended as are still open, and occasionally when nobody types.
"""

from __future__ import annotations

import asyncio
import gc
from time import thread_time
from typing import Final, Protocol

_TICK: Final = 0.05
"""Seconds between two checks of how much is new."""

_MUCH: Final = 10_000
"""New objects that are worth freezing, which takes some milliseconds; an arrival makes 30,000."""

_WORK: Final = 0.02
"""Seconds of work after which much may be new, whatever the count says: every old object that is freed lowers
it, so that redrawing screens leaves it unchanged.
"""

_EVERY: Final = 2.0
"""Seconds between two collections of new objects, however few there are."""

_FEWEST: Final = 500
"""Ended sessions that are worth a full collection; each may leave about 0.2 MiB."""

_SELDOM: Final = 1800.0
"""Seconds after which a full collection is worthwhile, however few have ended."""

_QUIET: Final = 0.3
"""Seconds without a key after which nobody counts as typing."""

_PATIENCE: Final = 60.0
"""Maximum seconds that a full collection waits for such a moment."""

YOUNG: Final = 25_000
"""Python's threshold for new objects. With the default of 700 an arrival costs a seventh more."""

_NEVER: Final = 1_000_000  # the middle generation never gets that many collections


class Traffic(Protocol):
    """The activity of a process."""

    ended: int
    """Number of sessions that have ended since the start."""

    heard: float
    """Time of the last key press, by the loop's clock."""

    @property
    def present(self) -> int:
        """Number of current sessions."""
        ...


class GarbageCollection:
    """The garbage collection of a process: start it once; stopping it restores Python's own behaviour."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._thresholds = gc.get_threshold()
        self._swept = 0
        self._swept_at: float | None = None
        self._waiting_since: float | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Freeze all objects now, and then periodically."""
        _, middle, _ = self._thresholds
        # full collections are only run by `sweep`
        gc.set_threshold(YOUNG, middle, _NEVER)
        gc.collect()
        gc.freeze()
        self._task = asyncio.get_running_loop().create_task(self._run(), name="garbage collection")

    async def stop(self) -> None:
        """Restore Python's own behaviour."""
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
                freeze_survivors()
            else:
                continue
            last, worked = loop.time(), thread_time()

    def is_time(self, now: float) -> bool:
        """Return whether a full collection is worthwhile now; then it counts as done."""
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
    return gc.get_count()[0] >= _MUCH or worked >= _WORK


def freeze_survivors() -> None:
    """Collect the newest objects and freeze the rest.

    Objects that survive once are never inspected again: after many arrivals there are many of them.
    """
    gc.collect(0)
    gc.freeze()


def sweep() -> None:
    """Run a full collection, and return free memory to the system."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _give_back()


def _give_back() -> None:
    import ctypes  # not at the top: the app at home needs only the threshold

    try:
        # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
