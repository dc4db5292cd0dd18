"""Paces work that grows with the number of people: not too often, and not too much at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_WORK: Final = 0.002
"""Seconds of work before the event loop is yielded."""

_PAUSE: Final = 0.004
"""Minimum seconds to yield for."""

_LATE: Final = 0.004
"""Seconds of delay from which the previous batch counts as too large."""

_FEWEST: Final = 2
_MOST: Final = 8
"""The limits of a batch's size: this many screens are drawn in a few milliseconds."""


class Throttle:
    """Calls `do` at most once per pause, but at once after a quiet time."""

    def __init__(self, do: Callable[[], None], pause: Callable[[], float]) -> None:
        """Wrap `do`; `pause` returns the seconds to wait, and is called each time."""
        self._do = do
        self._pause = pause
        self._free = 0.0
        self._waiting: asyncio.TimerHandle | None = None

    def want(self) -> None:
        """Call it now, or after the pause."""
        if self._waiting is not None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() >= self._free:
            self._now()
        else:
            self._waiting = loop.call_at(self._free, self._now)

    def _now(self) -> None:
        self._waiting = None
        self._free = asyncio.get_running_loop().time() + self._pause()
        self._do()


class Batches(Generic[T]):
    """Calls `do` for each queued item once, a few at a time with input handled in between.

    What `do` causes in this process, such as drawing a screen, shows in how late the next batch runs.
    """

    def __init__(self, do: Callable[[T], None]) -> None:
        self._do = do
        self._first: dict[T, None] = {}
        self._then: dict[T, None] = {}
        self._most = _FEWEST
        self._due = 0.0
        self._next: asyncio.TimerHandle | None = None

    def add(self, some: Iterable[T], *, first: bool = False) -> None:
        """Queue these, at the front if `first`."""
        if first:
            for one in some:
                self._then.pop(one, None)
                self._first[one] = None
        else:
            self._then.update((one, None) for one in some if one not in self._first)
        if self._next is None:
            self._run()

    def drop(self, one: T) -> None:
        """Remove an item that is still queued."""
        self._first.pop(one, None)
        self._then.pop(one, None)

    def _run_next(self) -> None:
        # drawing happens after `_do` returns, so only the loop's delay shows what a batch cost
        late = asyncio.get_running_loop().time() - self._due
        # halve the size if the batch held up the loop, else grow it slowly
        self._most = max(_FEWEST, self._most // 2) if late > _LATE else min(_MOST, self._most + 1)
        self._run()

    def _run(self) -> None:
        begun, done = perf_counter(), 0
        while (waiting := self._first or self._then) and done < self._most and perf_counter() - begun < _WORK:
            one = next(iter(waiting))
            del waiting[one]
            self._do(one)
            done += 1
        self._next = None
        if self._first or self._then:
            loop = asyncio.get_running_loop()
            self._due = loop.time() + _PAUSE
            self._next = loop.call_at(self._due, self._run_next)
