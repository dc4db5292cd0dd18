"""The order in which the apps of a process get their turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final, TypeAlias

_IN_A_ROW: Final = (8, 1)
"""Keys that go before anything else that waits, and matches that go before the lobby."""

_APART: Final = (1, 2, 2)
"""Rounds of the loop from a turn of each lane to the next one: keys are short, and somebody waits."""

_Work: TypeAlias = tuple[Context, Callable[[], None]]


class RunQueue:
    """Lets apps that share a loop take turns: one in a few of its rounds, keys first, then matches.

    In a round, asyncio runs whatever was ready when it began. A move takes about ten rounds to be checked,
    stored and sent, a login more. If all keys, news and frames of a busy second were in these rounds, they
    would wait for them ten times. Those wait here instead, and frames that wait take in what changes
    meanwhile. On a full processor not all can be drawn: matches get half of what keys leave, since there
    are fewer of them than screens in the lobby.
    """

    def __init__(self) -> None:
        self._lanes: tuple[deque[_Work], ...] = deque(), deque(), deque()
        """What waits, the most urgent first."""
        self._in_a_row = [0] * len(_IN_A_ROW)
        """Turns that each lane has had since one behind it had one."""
        self._rest = 0
        """Rounds until the next turn."""

    def key(self, handle: Callable[[], None]) -> None:
        """Handle a key, now or in one of the next rounds."""
        self._add(0, handle)

    def match(self, do: Callable[[], None], *, is_next: bool = False) -> None:
        """Do at a match what no key has asked for, now or in one of the next rounds.

        It goes before all that waits there if it `is_next`, since it comes of a turn.
        """
        self._add(1, do, is_next=is_next)

    def other(self, do: Callable[[], None], *, is_next: bool = False) -> None:
        """Do anything else, now or in one of the next rounds."""
        self._add(2, do, is_next=is_next)

    def _add(self, lane: int, do: Callable[[], None], *, is_next: bool = False) -> None:
        work = copy_context(), do
        if is_next:
            self._lanes[lane].appendleft(work)
        else:
            self._lanes[lane].append(work)
        self._take()

    def _take(self) -> None:
        if self._rest or not any(self._lanes):
            return
        lane = self._lane()
        self._rest = _APART[lane]
        self._wait()
        context, work = self._lanes[lane].popleft()
        context.run(work)

    def _wait(self) -> None:
        # in an empty context, which keeps no app alive
        asyncio.get_running_loop().call_soon(self._round, context=Context())

    def _lane(self) -> int:
        """Return the lane whose turn it is."""
        for lane, most in enumerate(_IN_A_ROW):
            if self._lanes[lane] and (self._in_a_row[lane] < most or not any(self._lanes[lane + 1 :])):
                self._in_a_row[lane] += 1
                return lane
            self._in_a_row[lane] = 0
        return len(_IN_A_ROW)

    def _round(self) -> None:
        self._rest -= 1
        if self._rest:
            self._wait()
        else:
            self._take()
