"""How long a table stays, and whose it is, while people come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from kk_core.errors import KkError
from server.hub.presence import Presence
from server.hub.publisher import Subscriber
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.hub.tasks import spawn
from server.hub.times import Times
from server.log import get_logger
from server.storage.entries import Holder
from server.storage.summaries import FINISHED, OPEN

_log = get_logger()


class LivingTable(Protocol):
    """What is kept alive."""

    id: str
    state: TableState
    subscribers: set[Subscriber]

    @property
    def at(self) -> int:
        """When the table last changed, in seconds since 1970."""
        ...

    @property
    def is_kept(self) -> bool:
        """Whether the result and the record of the match that is over were kept."""
        ...

    async def close_if_left(self) -> None:
        """Close a table that nobody needs. Raises `KkError`."""
        ...

    async def hand_on_if_left(self) -> None:
        """Make somebody the owner who is here, if the owner is gone. Raises `KkError`."""
        ...


class Standing(Protocol):
    """How a table stands."""

    @property
    def owner(self) -> str:
        """Whose table it is."""
        ...

    @property
    def seats(self) -> tuple[Holder, ...]:
        """Who sits there."""
        ...

    @property
    def phase(self) -> str:
        """Open, playing or finished."""
        ...


def is_needed(table: Standing) -> bool:
    """Whether somebody needs a table at which nobody is."""
    if table.phase == OPEN:
        return any(holder.owner is not None for holder in table.seats)
    return table.phase != FINISHED


def is_forsaken(table: Standing, at: int, presence: Presence, times: Times, now: float) -> bool:
    """Whether a table at which nobody is ends: none of its people has come since, and nothing has happened.

    `at` is when it last changed, in seconds since 1970, as is `now`.
    """
    if table.phase == FINISHED or now - presence.since < times.empty:
        return False  # nobody could come while the server was down
    people = {table.owner, *(holder.owner for holder in table.seats if holder.owner is not None)}
    last = max(at, *(presence.last_seen(user) for user in people))
    return now - last >= (times.empty if table.phase == OPEN else times.unplayed)


class Lifetime:
    """Waits for those who are gone."""

    def __init__(self, table: LivingTable, context: TableContext) -> None:
        self._table = table
        self._context = context
        self._closing: asyncio.Task[None] | None = None
        self._handing_on: asyncio.Task[None] | None = None

    def is_left(self) -> bool:
        """Whether nobody is here, and nobody needs the table: what was finished there is kept."""
        table = self._table
        if table.subscribers or table.state.is_closed or is_needed(table.state):
            return False
        return table.state.phase != FINISHED or table.is_kept

    def is_forsaken(self, now: float) -> bool:
        """Whether none of its people has come, and nothing has happened, for so long that it ends."""
        if self._table.subscribers or self._table.state.is_closed:
            return False
        return is_forsaken(
            self._table.state, self._table.at, self._context.presence, self._context.times, now
        )

    def wait_for_somebody(self) -> None:
        """Close the table after a while from now, if nobody comes back to it."""
        if self.is_left():
            if self._closing is not None:
                self._closing.cancel()
            self._closing = spawn(self._close_later(), f"wait at {self._table.id}")

    def wait_for_owner(self) -> None:
        """Hand the table on after a while, if its owner does not come back."""
        if self._is_owner_gone() and not _is_running(self._handing_on):
            self._handing_on = spawn(self._hand_on_later(), f"wait for the owner of {self._table.id}")

    def _is_owner_gone(self) -> bool:
        return not self._context.presence.has(self._table.state.owner)

    def stop(self) -> None:
        """Wait for nobody."""
        for task in (self._closing, self._handing_on):
            if task is not None:
                task.cancel()

    async def _close_later(self) -> None:
        await asyncio.sleep(self._context.times.grace)
        await self._try(self._table.close_if_left)

    async def _hand_on_later(self) -> None:
        presence, handover = self._context.presence, self._context.times.handover
        while self._is_owner_gone():  # who was back meanwhile has as much time again
            rest = handover - presence.gone_for(self._table.state.owner)
            if rest <= 0:
                await self._try(self._table.hand_on_if_left)
                return
            await asyncio.sleep(rest)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except KkError as error:
            _log.warning("table not changed", table=self._table.id, error=type(error).__name__)


def _is_running(task: asyncio.Task[None] | None) -> bool:
    return task is not None and not task.done()
