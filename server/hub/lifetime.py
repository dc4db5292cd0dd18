"""How long a table stays, and whose it is, while people come and go."""

from __future__ import annotations

import asyncio
from typing import Protocol

from kk_core.errors import KkError
from server.hub.publisher import Subscriber
from server.hub.table_context import TableContext
from server.hub.table_state import FINISHED, OPEN, TableState
from server.hub.tasks import spawn
from server.log import get_logger

_log = get_logger("hub.table")


class LivingTable(Protocol):
    """What is kept alive."""

    id: str
    state: TableState
    subscribers: set[Subscriber]

    @property
    def at(self) -> int:
        """When the table last changed, in seconds since 1970."""
        ...

    async def close_if_left(self) -> None:
        """Close a table that nobody needs. Raises `KkError`."""
        ...

    async def hand_on_if_left(self) -> None:
        """Make somebody the owner who is here, if the owner is gone. Raises `KkError`."""
        ...


class Lifetime:
    """Waits for those who are gone."""

    def __init__(self, table: LivingTable, context: TableContext) -> None:
        self._table = table
        self._context = context
        self._closing: asyncio.Task[None] | None = None
        self._handing_on: asyncio.Task[None] | None = None

    def is_left(self) -> bool:
        """Whether nobody is here, and nobody needs the table."""
        return not (self._table.subscribers or self._table.state.is_closed or self._is_needed())

    def _is_needed(self) -> bool:
        state = self._table.state
        if state.phase == OPEN:
            return any(holder.owner is not None for holder in state.seats)
        return state.phase != FINISHED

    def is_forsaken(self, now: float) -> bool:
        """Whether none of its people has come, and nothing has happened, for so long that it ends."""
        table, state, presence = self._table, self._table.state, self._context.presence
        if table.subscribers or state.is_closed or state.phase == FINISHED:
            return False
        times = self._context.times
        if now - presence.since < times.empty:
            return False  # nobody could come while the server was down
        people = {state.owner, *(holder.owner for holder in state.seats if holder.owner is not None)}
        last = max(table.at, *(presence.last_seen(user) for user in people))
        return now - last >= (times.empty if state.phase == OPEN else times.unplayed)

    def wait_for_somebody(self) -> None:
        """Close the table after a while, if nobody comes back to it."""
        if self.is_left() and not _is_running(self._closing):
            work = self._later(self._context.times.grace, self._table.close_if_left)
            self._closing = spawn(work, f"wait at {self._table.id}")

    def wait_for_owner(self) -> None:
        """Hand the table on after a while, if its owner does not come back."""
        if not self._context.presence.has(self._table.state.owner) and not _is_running(self._handing_on):
            gone = self._context.presence.gone_for(self._table.state.owner)
            work = self._later(self._context.times.handover - gone, self._table.hand_on_if_left)
            self._handing_on = spawn(work, f"wait for the owner of {self._table.id}")

    def stop(self) -> None:
        """Wait for nobody."""
        for task in (self._closing, self._handing_on):
            if task is not None:
                task.cancel()

    async def _later(self, seconds: float, work: _Work) -> None:
        await asyncio.sleep(max(0.0, seconds))
        try:
            await work()
        except KkError as error:
            _log.warning("table not changed", table=self._table.id, error=type(error).__name__)


class _Work(Protocol):
    async def __call__(self) -> None: ...


def _is_running(task: asyncio.Task[None] | None) -> bool:
    return task is not None and not task.done()
