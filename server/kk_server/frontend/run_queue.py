"""The order in which the apps of a process get their turns."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final

_APART: Final = 4
"""Rounds of the loop from any turn to one that no key has asked for; a key is drawn after about as many."""

_LONGEST: Final = 24
"""Rounds after which something else has a turn, however many keys there are."""

_IN_A_ROW: Final = 3
"""Turns of matches after which the lobby has one, if it waits."""


class QueuedTurn:
    """Work that waits for its turn, until it is done or cancelled."""

    def __init__(self, do: Callable[[], None]) -> None:
        self._do: Callable[[], None] | None = do
        self._context: Context | None = copy_context()

    @property
    def is_waiting(self) -> bool:
        """True until the work is done or cancelled."""
        return self._do is not None

    def take(self) -> None:
        """Do the work, in the context of whoever wanted it."""
        do, context = self._do, self._context
        self.cancel()
        if do is not None and context is not None:
            context.run(do)

    def cancel(self) -> None:
        """Give the turn up."""
        # the context would keep the app alive after its end
        self._do = self._context = None


class RunQueue:
    """Lets apps that share a loop take turns: at most one in each of its rounds, keys first, then matches.

    In a round, asyncio runs whatever was ready when it began. A key takes some rounds to be drawn, a move
    about ten to be checked, stored and sent, a login more. If all keys, news and frames of a busy second were
    in these rounds, they would wait for them ten times. Those wait here instead, and what no key has asked
    for also leaves some rounds after every turn to what that has begun. Frames that wait take in what changes
    meanwhile. On a full processor not all can be drawn: of the turns that keys leave matches get three in
    four, since people wait there for each other's moves.
    """

    def __init__(self) -> None:
        self._lanes: tuple[deque[QueuedTurn], ...] = deque(), deque(), deque()
        """The turns that wait, the most urgent lane first; those that are cancelled are passed over."""
        self._is_counting = False
        """True while each round is counted."""
        self._rest = 0
        """Rounds until there may be a turn that no key has asked for."""
        self._held = 0
        """Rounds for which such turns have waited since the last one."""
        self._in_a_row = 0
        """Turns that matches have had since the lobby had one, whether or not it has waited."""

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
        if not self._is_counting:
            self._take()
        return turn

    def _round(self) -> None:
        self._rest = max(0, self._rest - 1)
        self._take()

    def _take(self) -> None:
        """Take the turn of this round, if there is one, and come back in the next while there is a reason."""
        for lane in self._lanes:
            while lane and not lane[0].is_waiting:
                lane.popleft()
        chosen = self._chosen()
        if chosen is not None:
            self._rest = _APART
        self._is_counting = self._rest > 0 or any(self._lanes)
        if self._is_counting:
            # in an empty context, which keeps no app alive
            asyncio.get_running_loop().call_soon(self._round, context=Context())
        if chosen is not None:
            chosen.popleft().take()

    def _chosen(self) -> deque[QueuedTurn] | None:
        """Return the lane whose turn it is; None if all have to wait."""
        keys, matches, others = self._lanes
        self._held = self._held + 1 if matches or others else 0
        is_due = self._held > _LONGEST
        if keys and not is_due:
            return keys
        if not self._held or (self._rest and not is_due):
            return None
        self._held = 0
        if matches and (self._in_a_row < _IN_A_ROW or not others):
            self._in_a_row += 1
            return matches
        self._in_a_row = 0
        return others
