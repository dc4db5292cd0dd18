"""Carries out the changes of a table: append to the log, apply, publish."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from kk_core.match import Match, Ply
from kk_core.record import record_of
from kk_core.types import totals
from kk_server.background import spawn
from kk_server.counts import counts
from kk_server.log import get_logger
from kk_server.storage.entries import Ended, Entry, Moved, SeatHolder
from kk_server.storage.summaries import FINISHED
from kk_server.storage.table_log import Conflict
from kk_server.tables.context import TableContext
from kk_server.tables.state import restore
from kk_server.tables.view import named

if TYPE_CHECKING:
    from kk_server.tables.table import Table

_logger = get_logger()

_SLOW: Final = 1.0
"""Seconds after which people are told that a change waits to be stored."""


class LogWriter:
    """Writes the log of one table; `at` is when it was last written, in seconds since 1970.

    `is_kept` is true if the result and record of the finished match are stored.
    """

    def __init__(self, table: Table, context: TableContext, at: int, *, is_kept: bool) -> None:
        self.at = at
        self.is_kept = is_kept
        self.is_waiting = False
        """True while a change has waited for long to be stored."""
        self.keeping = asyncio.Lock()
        """Held while the result of a match is being stored."""
        self._table = table
        self._context = context

    async def commit(self, entry: Entry, ply: Ply | None = None) -> None:
        """Store a checked entry, apply it and publish it. Raises `Conflict`, `StorageFailed`.

        `ply` is the move of a `Moved`. Once begun, this runs to its end even if the caller is cancelled.
        """
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # a separate task, awaited to its end: a client that leaves must not stop it between log and state
        storing = spawn(self._carry_out(entry, ply, stored), f"store for {self._table.id}")
        try:
            await stored  # awaiting the task would cost another round of the loop
        except asyncio.CancelledError:
            await asyncio.wait([storing])
            raise

    async def _carry_out(self, entry: Entry, ply: Ply | None, stored: asyncio.Future[None]) -> None:
        try:
            await self._store(entry, ply)
        except asyncio.CancelledError:
            stored.cancel()
            raise
        except Exception as error:
            if not stored.done():
                stored.set_exception(error)
            else:  # the caller is gone
                _logger.error("entry not stored", table=self._table.id, error=repr(error))
        else:
            if not stored.done():
                stored.set_result(None)

    async def _store(self, entry: Entry, ply: Ply | None) -> None:
        table, before = self._table, self._table.state.phase
        # the clock that days end by: a deal counts only if this is still the same day
        at = int(self._context.daily.clock())  # before the write, so that log and views have the same time
        try:
            await self._append(entry, at)
        except Conflict:
            await self.read_anew()
            raise
        table.state.apply(entry, ply)
        table.on_applied(entry)
        counts.moves += isinstance(entry, Moved)
        self.at = at
        table.publish()
        self._context.line_changed(table.id)
        if before != FINISHED and table.state.phase == FINISHED:
            self.is_kept = False
            await self.keep_result()
        table.on_stored()

    async def _append(self, entry: Entry, at: int) -> None:
        table, begun = self._table, self._context.now()
        slow = asyncio.get_running_loop().call_later(_SLOW, self._tell_waiting, True)
        try:
            await self._context.log.append(table.id, table.state.revision, entry, at)
        finally:
            slow.cancel()
            if self.is_waiting:
                # nobody's time is up because of the database
                table.timekeeper.give_time(self._context.now() - begun)
                self._tell_waiting(False)

    def _tell_waiting(self, is_waiting: bool) -> None:
        self.is_waiting = is_waiting
        self._table.publish()

    async def keep_result(self) -> None:
        """Store the result and record of the match."""
        async with self.keeping:
            await self._keep_result()

    async def _keep_result(self) -> None:
        table, created = self._table, self._table.state.created
        assert table.match is not None, "it has a record"
        ended = ended_of(table.id, table.state.matches, table.match, table.state.seats, self.at,
                         rated=created.rated, daily=created.daily)  # fmt: skip
        # not the table's own record, which may be a secret yet
        is_kept = not table.is_counted or await self._context.keep(ended, record_of(table.match))
        self.is_kept = await table.count(ended) and is_kept

    async def read_anew(self) -> None:
        """Follow the log, to which another process has written. Raises `StorageFailed`."""
        table = self._table
        _logger.warning("table read anew", table=table.id)
        stored = await self._context.log.read(table.id)
        if stored.entries and stored.damage is None:
            table.state = await restore(self._context.log, stored)
            table.on_applied(None)
            table.publish()
            self._context.line_changed(table.id)


def ended_of(
    table: str, number: int, match: Match, seats: tuple[SeatHolder, ...], at: int, *, rated: bool,
    daily: str = "",
) -> Ended:  # fmt: skip
    """Return the result of match `number` of a table, which is over; `seats` are as at its end."""
    outcome = match.game.outcome(match.state)
    assert outcome is not None, "only of a match that is over"
    return Ended(
        table=table,
        match=number,
        at=at,
        game=match.game.meta.id,
        seats=tuple(replace(holder, stand_in=None) for holder in named(daily or table, seats, number)),
        points=totals(match.game.score(match.state)),
        winners=outcome.winners,
        plies=len(match.plies),
        replayed=match.replayed,
        rated=rated,
        daily=daily,
    )
