"""What is done for many: together for all that has happened meanwhile, and a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_WORK: Final = 0.002
"""Seconds of work after which others have the loop."""

_PAUSE: Final = 0.004
"""Seconds that they have it for, at least."""

_LATE: Final = 0.004
"""Seconds: a portion that comes so late has followed one that was too large, with all that came of it."""

_FEWEST: Final = 2
_MOST: Final = 8
"""For so many it is done in one portion: as many screens are drawn in a few milliseconds."""


class Gathered:
    """Does it at once after a quiet time, and then again after a pause in which more may have happened."""

    def __init__(self, do: Callable[[], None], pause: Callable[[], float]) -> None:
        """`pause` gives seconds, asked for whenever it was done."""
        self._do = do
        self._pause = pause
        self._free = 0.0
        self._waiting: asyncio.TimerHandle | None = None

    def want(self) -> None:
        """Something has happened."""
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


class Portions(Generic[T]):
    """Does something for each of many, once for what is added twice, and gives way to keys in between.

    What follows in this process, such as the drawing of a screen, is seen by how late the next portion comes.
    """

    def __init__(self, do: Callable[[T], None]) -> None:
        self._do = do
        self._first: dict[T, None] = {}
        self._then: dict[T, None] = {}
        self._most = _FEWEST
        self._due = 0.0
        self._next: asyncio.TimerHandle | None = None

    def add(self, some: Iterable[T], *, first: bool = False) -> None:
        """Do it for these, too; some of them `first`."""
        if first:
            for one in some:
                self._then.pop(one, None)
                self._first[one] = None
        else:
            self._then.update((one, None) for one in some if one not in self._first)
        if self._next is None:
            self._portion()

    def drop(self, one: T) -> None:
        """Do it no more for one."""
        self._first.pop(one, None)
        self._then.pop(one, None)

    def _come(self) -> None:
        """The next portion, larger or smaller than the one before by what that has led to."""
        late = asyncio.get_running_loop().time() - self._due
        self._most = max(_FEWEST, self._most // 2) if late > _LATE else min(_MOST, self._most + 1)
        self._portion()

    def _portion(self) -> None:
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
            self._next = loop.call_at(self._due, self._come)
