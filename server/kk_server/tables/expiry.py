"""Expiry: unneeded tables are closed, tables of absent owners handed on, and old closed ones purged.

`Expiry` waits at a loaded table, `ExpiryTask` checks all tables periodically, and `Purger` deletes tables
that were closed long ago from the file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import time
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from kk_core.errors import KkError
from kk_server.background import spawn
from kk_server.limits import Timeouts
from kk_server.log import get_logger
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Created, Entry, Moved, SeatHolder, Started, Undone
from kk_server.storage.summaries import FINISHED, OPEN
from kk_server.storage.table_log import StorageFailed, StoredTable, TableLog, data_for
from kk_server.tables.context import TableContext
from kk_server.tables.presence import Presence
from kk_server.tables.state import CooperativeYield, replay_states

if TYPE_CHECKING:
    from kk_server.tables.table import Table

_logger = get_logger()

Days: TypeAlias = int | Literal["never"]
"""How many days closed tables are kept."""

_EXPIRED_EVERY: Final = 600.0
"""Seconds between two checks of all tables."""

_DAY: Final = 24 * 3600.0

_PAGES: Final = 64
"""Pages vacuumed at a time: other writes wait a few milliseconds."""

_PAUSE: Final = 0.05
"""Seconds between two changes of the file."""


class ExpiringTable(Protocol):
    """A table, loaded or not, as far as its expiry depends on it."""

    @property
    def owner(self) -> str:
        """The user who owns it."""
        ...

    @property
    def seats(self) -> tuple[SeatHolder, ...]:
        """The holders of its seats."""
        ...

    @property
    def phase(self) -> str:
        """Open, playing or finished."""
        ...


def is_needed(table: ExpiringTable) -> bool:
    """Return whether an empty table must be kept."""
    if table.phase == OPEN:
        return any(holder.owner is not None for holder in table.seats)
    return table.phase != FINISHED


def is_expired(table: ExpiringTable, at: int, presence: Presence, times: Timeouts, now: float) -> bool:
    """Return whether an empty table expires: for a long time nobody has come and nothing has happened.

    `at` is when it last changed, in seconds since 1970, as is `now`.
    """
    if table.phase == FINISHED or now - presence.since < times.empty:
        return False  # while the server was down nobody could come
    people = {table.owner, *(holder.owner for holder in table.seats if holder.owner is not None)}
    last = max(at, *(presence.last_seen(user) for user in people))
    return now - last >= (times.empty if table.phase == OPEN else times.unplayed)


class Expiry:
    """Waits at a table for people who have left."""

    def __init__(self, table: Table, context: TableContext) -> None:
        self._table = table
        self._context = context
        self._closing: asyncio.Task[None] | None = None
        self._missing: asyncio.Task[None] | None = None
        self._handing_on: asyncio.Task[None] | None = None

    def is_left(self) -> bool:
        """Return whether the table is empty and no longer needed, with any finished match stored."""
        table = self._table
        if table.subscribers or table.state.is_closed or table.is_needed:
            return False
        return table.state.phase != FINISHED or table.is_kept

    def is_expired(self, now: float) -> bool:
        """Return whether nobody has come, and nothing has happened, for so long that the table expires."""
        if self._table.subscribers or self._table.state.is_closed:
            return False
        return is_expired(self._table.state, self._table.at, self._context.presence, self._context.times, now)

    def wait_for_somebody(self) -> None:
        """Close the table after a while unless somebody comes back."""
        if self.is_left():
            if self._closing is not None:
                # the last to leave restarts the wait
                self._closing.cancel()
            self._closing = spawn(self._close_later(), f"wait at {self._table.id}")

    def wait_for_voters(self) -> None:
        """Go on after a while without those who were asked something before the table came here."""
        presence = self._context.presence
        if not all(map(presence.has, self._table.proposals.voters)):
            if self._missing is not None:
                self._missing.cancel()
            self._missing = spawn(self._miss_later(), f"wait for votes at {self._table.id}")

    def wait_for_owner(self) -> None:
        """Hand the table on after a while unless its owner comes back."""
        if self._is_owner_gone() and (self._handing_on is None or self._handing_on.done()):
            self._handing_on = spawn(self._hand_on_later(), f"wait for the owner of {self._table.id}")

    def _is_owner_gone(self) -> bool:
        return not self._context.presence.has(self._table.state.owner)

    def stop(self) -> None:
        """Stop waiting."""
        for task in (self._closing, self._missing, self._handing_on):
            if task is not None:
                task.cancel()

    async def _close_later(self) -> None:
        # gives people time to reconnect
        await asyncio.sleep(self._context.times.reconnect)
        await self._try(self._table.close_if_left)

    async def _miss_later(self) -> None:
        await asyncio.sleep(self._context.times.vote)
        await self._try(self._table.miss_voters)

    async def _hand_on_later(self) -> None:
        presence, handover = self._context.presence, self._context.times.handover
        while self._is_owner_gone():  # if they came back in between, the wait restarts
            rest = handover - presence.gone_for(self._table.state.owner)
            if rest <= 0:
                await self._try(self._table.hand_on_if_left)
                return
            await asyncio.sleep(rest)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except KkError as error:
            _logger.warning("table not changed", table=self._table.id, error=type(error).__name__)


class ExpiryTask:
    """Calls `expire`, which closes expired tables, every ten minutes."""

    def __init__(self, expire: Callable[[], Awaitable[None]]) -> None:
        self.expire = expire
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run it now, and then periodically."""
        self._task = spawn(self._run(), "expiry")

    def stop(self) -> None:
        """Stop running it."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self.expire()
            await asyncio.sleep(_EXPIRED_EVERY)


class Purger:
    """Deletes tables that were closed `days` ago from the file, and archives their finished matches."""

    def __init__(self, log: TableLog, archive: Archive, days: Days) -> None:
        self._log = log
        self._archive = archive
        self.days = days
        self._spared: set[str] = set()
        """Tables that cannot be read, or replayed by this version; a later version may be able to."""

    async def purge(self) -> None:
        """Purge what is old enough; what fails is left for the next time."""
        if self.days == "never":
            return
        try:
            await self._purge(time() - self.days * _DAY)
        except StorageFailed as error:
            _logger.warning("not purged", reason=str(error))

    async def _purge(self, before: float) -> None:
        closed = await self._archive.closed_before(before)
        for table in closed:
            if table not in self._spared:
                await self._purge_table(table)
                await asyncio.sleep(_PAUSE)
        # after the tables, since a purged table may have been the last user of the data
        await self._archive.forget_data(before)
        is_left = True
        while is_left:
            await asyncio.sleep(_PAUSE)
            is_left = await self._archive.give_back(_PAGES)

    async def _purge_table(self, table: str) -> None:
        stored = await self._log.read(table)
        try:
            matches = await _finished(self._log, stored)
        except KkError as error:
            reason = str(error)
        except Exception as error:  # the log has something the engine never writes
            reason = type(error).__name__
        else:
            await self._archive.purge(table, matches)
            _logger.info("table purged", table=table, matches=len(matches))
            return
        self._spared.add(table)
        _logger.warning("table not purged", table=table, reason=reason)


async def _finished(log: TableLog, stored: StoredTable) -> dict[int, tuple[Entry, ...]]:
    if stored.damage is not None:
        raise stored.damage
    created, yielding = stored.entries[0], CooperativeYield()
    entries: list[Entry] = []
    found: dict[int, tuple[Entry, ...]] = {}
    if isinstance(created, Created) and created.lesson:
        return found
    states = replay_states(stored.entries, await data_for(log, stored.entries))
    for entry, state in zip(stored.entries, states, strict=True):
        match entry:
            case Started():
                entries = [created, entry]
            case Moved() | Undone():
                entries.append(entry)
        if state.match is not None and state.match.is_over and state.matches not in found:
            found[state.matches] = tuple(entries)
        await yielding.pause()
    return found
