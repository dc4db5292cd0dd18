"""The order in which the apps of a process get their turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final

_IN_A_ROW: Final = (8, 3)
"""Keys that go before anything else that waits, and turns of matches that go before one of the lobby."""

_APART: Final = (1, 2, 2)
"""Rounds of the loop from a turn of each lane to the next one: keys are short, and somebody waits."""


class QueuedTurn:
    """Work that waits for its turn, until it is done or cancelled."""

    def __init__(self, do: Callable[[], None]) -> None:
        self._do: Callable[[], None] | None = do
        self._context = copy_context()

    @property
    def is_waiting(self) -> bool:
        """True until the work is done or cancelled."""
        return self._do is not None

    def take(self) -> None:
        """Do the work, in the context of whoever wanted it."""
        do, self._do = self._do, None
        if do is not None:
            self._context.run(do)

    def cancel(self) -> None:
        """Give the turn up."""
        self._do = None


class RunQueue:
    """Lets apps that share a loop take turns: one in a few of its rounds, keys first, then matches.

    In a round, asyncio runs whatever was ready when it began. A move takes about ten rounds to be checked,
    stored and sent, a login more. If all keys, news and frames of a busy second were in these rounds, they
    would wait for them ten times. Those wait here instead, and frames that wait take in what changes
    meanwhile. On a full processor not all can be drawn: of the turns that keys leave matches get three in
    four, since people wait there for each other's moves.
    """

    def __init__(self) -> None:
        self._lanes: tuple[deque[QueuedTurn], ...] = deque(), deque(), deque()
        """The turns that wait, the most urgent lane first; those that are cancelled are passed over."""
        self._in_a_row = [0] * len(_IN_A_ROW)
        """Turns that each lane has had since one behind it had one."""
        self._rest = 0
        """Rounds until the next turn."""

    def key(self, handle: Callable[[], None]) -> QueuedTurn:
        """Handle a key, now or in one of the next rounds."""
        return self._add(0, handle)

    def match(self, do: Callable[[], None], *, is_next: bool = False) -> QueuedTurn:
        """Do at a match what no key has asked for, now or in one of the next rounds.

        It goes before all that waits there if it `is_next`, since it comes of a turn.
        """
        return self._add(1, do, is_next=is_next)

    def other(self, do: Callable[[], None], *, is_next: bool = False) -> QueuedTurn:
        """Do anything else, now or in one of the next rounds."""
        return self._add(2, do, is_next=is_next)

    def _add(self, lane: int, do: Callable[[], None], *, is_next: bool = False) -> QueuedTurn:
        turn = QueuedTurn(do)
        if is_next:
            self._lanes[lane].appendleft(turn)
        else:
            self._lanes[lane].append(turn)
        self._take()
        return turn

    def _take(self) -> None:
        if self._rest:
            return
        for waiting in self._lanes:
            while waiting and not waiting[0].is_waiting:
                waiting.popleft()
        if not any(self._lanes):
            return
        lane = self._lane()
        self._rest = _APART[lane]
        self._wait()
        self._lanes[lane].popleft().take()

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
