"""The order in which the apps of a process get their turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final, TypeAlias

_IN_A_ROW: Final = 8
"""Keys that go before anything else that waits."""

_Work: TypeAlias = tuple[Context, Callable[[], None]]


class RunQueue:
    """Lets apps that share a loop take turns: one in each of its rounds, keys first.

    In a round, asyncio runs whatever was ready when it began, and a move takes about ten rounds to be
    checked, stored and sent. If all keys, news and frames of a busy second were in these rounds, it would
    wait for them ten times. They wait here instead, and frames that wait take in what changes meanwhile.
    """

    def __init__(self) -> None:
        self._keys: deque[_Work] = deque()
        self._others: deque[_Work] = deque()
        self._in_a_row = 0
        self._next: asyncio.Handle | None = None
        """The next round, if a turn was taken in this one."""

    def key(self, handle: Callable[[], None]) -> None:
        """Handle a key, now or in one of the next rounds."""
        self._keys.append((copy_context(), handle))
        self._take()

    def other(self, do: Callable[[], None]) -> None:
        """Do what no key has asked for, now or in one of the next rounds."""
        self._others.append((copy_context(), do))
        self._take()

    def _take(self) -> None:
        if self._next is not None or not (self._keys or self._others):
            return
        # in an empty context, which keeps no app alive
        self._next = asyncio.get_running_loop().call_soon(self._round, context=Context())
        is_key = self._keys and (self._in_a_row < _IN_A_ROW or not self._others)
        self._in_a_row = self._in_a_row + 1 if is_key else 0
        context, work = (self._keys if is_key else self._others).popleft()
        context.run(work)

    def _round(self) -> None:
        self._next = None
        self._take()
