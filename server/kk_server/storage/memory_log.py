"""Logs in memory. `kk play` falls back to one while its file fails, and catches up afterwards."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from time import time
from typing import Final

import msgspec

from kk_core.config import canonical_json, digest
from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.types import Tree
from kk_server.storage.entries import Closed, Ended, Entry, Moved, Started, Undone
from kk_server.storage.summaries import Summary
from kk_server.storage.table_log import (
    PAGE,
    Conflict,
    Damaged,
    FileGone,
    ListedTable,
    StorageFailed,
    StoredTable,
    TableLog,
    told_host,
    unknown_rules,
)


class MemoryLog:
    """A `TableLog` in memory."""

    def __init__(self) -> None:
        self._tables: dict[str, list[Entry]] = {}
        self._at: dict[str, int] = {}
        self._rules: dict[str, bytes] = {}
        self._forgotten: set[tuple[str, str, int]] = set()
        self._summaries: dict[str, tuple[int, Summary]] = {}
        self._transients: dict[str, tuple[int, str]] = {}
        self._uptime = 0.0
        self._clocks: dict[str, str] = {}
        self._words: dict[str, list[Text]] = {}
        self._results: dict[tuple[str, int], Ended] = {}

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Keep an entry. Raises `Conflict`."""
        entries = self._tables.get(table, [])
        if len(entries) != expected_revision:
            raise Conflict(text("The table has changed in the meantime; please look again."))
        entries.append(entry)
        self._tables[table] = entries
        self._at[table] = int(time()) if at is None else at

    def stop_waiting(self) -> None:
        """Do nothing, as nothing waits."""

    async def keep_data(self, data: Tree) -> str:
        """Keep rules data or a drawing; returns its digest."""
        key = digest(data)
        self._rules[key] = canonical_json(data)
        return key

    async def read_data(self, key: str) -> Tree:
        """Return the data for a digest. Raises `StorageFailed`."""
        if key not in self._rules:
            raise unknown_rules(key)
        return msgspec.json.decode(self._rules[key])

    async def read(self, table: str) -> StoredTable:
        """Return a table."""
        return StoredTable(table, tuple(self._tables.get(table, ())), at=self._at.get(table, 0))

    def take(self, stored: StoredTable) -> None:
        """Add a table that is stored elsewhere."""
        if stored.entries:
            self._tables[stored.id], self._at[stored.id] = list(stored.entries), stored.at

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """Return these tables without their moves."""
        return {
            table: StoredTable(
                table,
                tuple(entry for entry in self._tables[table] if not isinstance(entry, Moved | Undone)),
                at=self._at[table],
            )
            for table in tables
        }

    async def listed(self) -> list[ListedTable]:
        """Return all tables that are not closed, oldest first."""
        return [
            ListedTable(table, len(entries), self._summary(table, len(entries)))
            for table, entries in self._tables.items()
            if not self._is_closed(table)
        ]

    def _summary(self, table: str, entries: int) -> Summary | None:
        revision, summary = self._summaries.get(table, (0, None))
        return summary if revision == entries else None

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Keep the summaries of tables, each with its number of entries, if they are not older."""
        for table, (revision, summary) in summaries.items():
            if revision >= self._summaries.get(table, (0, None))[0]:
                self._summaries[table] = revision, summary

    async def keep_transients(self, states: Mapping[str, tuple[int, str] | None]) -> None:
        """Keep what is true of tables and not in their entries, unless the term is over; None forgets it."""
        for table, state in states.items():
            if state is None:
                self._transients.pop(table, None)
            elif not self._is_closed(table) and state[0] >= self._transients.get(table, (0, ""))[0]:
                self._transients[table] = state

    def _is_closed(self, table: str) -> bool:
        return isinstance(self._tables.get(table, [None])[-1], Closed)

    async def transients(self, tables: Collection[str]) -> dict[str, str]:
        """Return what is true of these tables and not in their entries."""
        return {table: self._transients[table][1] for table in tables if table in self._transients}

    async def keep_result(self, ended: Ended) -> None:
        """Keep the result of a match."""
        self._results.setdefault((ended.table, ended.match), ended)

    async def results_of(self, user: str, skip: int = 0, most: int | None = PAGE) -> list[Ended]:
        """Return the results of a user's matches, newest first, after `skip`; all if `most` is None."""
        # reversed, since the sort keeps the order of matches that ended in the same second
        own = (ended for ended in reversed(self._results.values()) if self._is_of(user, ended))
        end = None if most is None else skip + most
        return sorted(own, key=lambda ended: -ended.at)[skip:end]

    async def games_of(self, user: str, least: int = 1) -> set[str]:
        """Return the games of which a user has at least `least` results."""
        found = Counter(ended.game for ended in self._results.values() if self._is_of(user, ended))
        return {game for game, results in found.items() if results >= least}

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """Return the result of one of a user's matches, or None."""
        ended = self._results.get((table, match))
        return ended if ended is not None and self._is_of(user, ended) else None

    def _is_of(self, user: str, ended: Ended) -> bool:
        has_seat = any(holder.owner == user for holder in ended.seats)
        return has_seat and not self.has_forgotten(user, ended.table, ended.match)

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Hide a match from a user."""
        self._forgotten.add((user, table, match))

    def has_forgotten(self, user: str, table: str, match: int) -> bool:
        """Return whether a match is hidden from a user."""
        return (user, table, match) in self._forgotten

    async def keep_clock(self, table: str, clock: str) -> None:
        """Keep the clocks of a table."""
        self._clocks[table] = clock

    async def clock_of(self, table: str) -> str | None:
        """Return the clocks of a table."""
        return self._clocks.get(table)

    async def clocks(self) -> dict[str, str]:
        """Return the clocks of all tables."""
        return dict(self._clocks)

    async def keep_uptime(self, seconds: float) -> None:
        """Keep how long hubs have run over this log."""
        self._uptime = seconds

    async def uptime(self) -> float:
        """Return the seconds that hubs have run over this log."""
        return self._uptime

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Keep a sentence for a user."""
        self._words.setdefault(user, []).append(sentence)

    async def take_words(self, user: str) -> list[Text]:
        """Remove and return the sentences left for a user."""
        return self._words.pop(user, [])

    async def close(self) -> None:
        """Do nothing: nothing is held open."""


AGAIN: Final = 3.0
"""Seconds between attempts at using a file that has failed."""


@dataclass(frozen=True)
class _Write:
    """A write that is missing from the file, and the table and entry or result it is about."""

    do: Callable[[TableLog], Awaitable[object]]
    table: str | None = None
    what: Entry | Ended | None = None
    at: int = field(default_factory=lambda: int(time()))


class FallbackLog:
    """A `TableLog` over the file that `open_file` opens, now or later; call `open` first.

    Everything read or appended here is also in memory. While the file cannot be opened or written, missing
    writes wait in order; writing them is retried every `again` seconds, and once more on `close`. A damaged
    file is still read, but no longer written; one that cannot be opened is read by `read_file`, if possible.
    `told` is called whenever the reason why nothing is stored changes; None means that everything is stored.
    """

    def __init__(
        self,
        open_file: Callable[[], Awaitable[TableLog]],
        told: Callable[[Text | None], None],
        again: float | None = None,
        read_file: Callable[[], AbstractAsyncContextManager[TableLog]] | None = None,
    ) -> None:
        self._open_file = open_file
        self._read_file = read_file
        self._to_read: TableLog | None = None
        self._reading = AsyncExitStack()
        self.opened = asyncio.Event()
        """Set once the file has been opened, and has all that was missing."""
        self._told = told
        self._again = AGAIN if again is None else again
        self._file: TableLog | None = None
        self._is_damaged = self._is_gone = False
        self._memory = MemoryLog()
        self._missing: deque[_Write] = deque()
        self._fault: Text | None = None
        self._mending: asyncio.Task[None] | None = None

    # -- the file --------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the file; a failure is reported to `told`."""
        await self._make_up()
        if self._file is None and self._read_file is not None:
            with suppress(KkError):  # the reason is told already
                self._to_read = await self._reading.enter_async_context(self._read_file())

    @property
    def is_unread(self) -> bool:
        """True while nothing is known of what the file has."""
        return self._stored is None

    @property
    def _stored(self) -> TableLog | None:
        """The file, if only to read it."""
        return self._file or self._to_read

    async def close(self) -> None:
        """Try once more to write what is missing from the file, and close it."""
        if self._mending is not None:
            self._mending.cancel()
        if self._fault is not None and not self._is_damaged:
            await self._make_up(is_last=True)
        await self._reading.aclose()
        if self._file is not None:
            with suppress(StorageFailed):
                await self._file.close()

    def unkept(self) -> dict[str, int | None]:
        """Return the tables with moves or results that are only in memory.

        The value is since when, in seconds since 1970; None if it is the whole of the last match.
        """
        found: dict[str, int | None] = {}
        for write in self._missing:
            match write.table, write.what:
                case str(table), Started():
                    found[table] = None
                case str(table), Moved() | Undone() | Ended():
                    # if the file is gone, so is what it had of the match
                    found.setdefault(table, None if self._is_gone else write.at)
                case str(table), Closed() if not self._has_result(table):  # the match was deleted
                    found.pop(table, None)
        return found

    def _has_result(self, table: str) -> bool:
        return any(write.table == table and isinstance(write.what, Ended) for write in self._missing)

    async def _make_up(self, *, is_last: bool = False) -> None:
        try:
            if self._file is None:
                self._file = await self._open_file()
            # changes nothing, but fails if the file cannot be written
            await self._file.keep_uptime(await self._file.uptime())
            while self._missing:
                await self._missing[0].do(self._file)
                self._missing.popleft()
        except KkError as error:
            self._fail(error, is_last=is_last)
        else:
            self._is_gone = False
            self._tell(None)
            self.opened.set()

    async def _mend(self) -> None:
        while self._fault is not None and not self._is_damaged:
            await asyncio.sleep(self._again)
            await self._make_up()

    def _fail(self, error: KkError, *, is_last: bool = False) -> None:
        self._is_damaged = self._is_damaged or isinstance(error, Damaged)
        self._is_gone = isinstance(error, FileGone)
        self._tell(told_host(error))
        if not (is_last or self._is_damaged) and (self._mending is None or self._mending.done()):
            # in an empty context, since the task outlives the request that failed
            self._mending = asyncio.create_task(self._mend(), context=Context())

    def _tell(self, fault: Text | None) -> None:
        if fault != self._fault:
            self._fault = fault
            self._told(fault)

    async def _keep(self, write: _Write) -> None:
        if self._fault is None and self._file is not None:
            try:
                await write.do(self._file)
                return
            except StorageFailed as error:
                self._fail(error)
        # behind everything already waiting: the file needs entries in order
        self._missing.append(write)

    # -- tables ----------------------------------------------------------------------------------------------

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Keep an entry. Raises `Conflict`, or `StorageFailed` if the table must be read and cannot be."""
        at = int(time()) if at is None else at
        known = (await self._memory.read(table)).entries
        if expected_revision and not known:
            known = (await self.read(table)).entries
        if len(known) == expected_revision:  # otherwise memory raises `Conflict`, and nothing must wait
            await self._keep(_Write(partial(_append, table, expected_revision, entry, at), table, entry))
        await self._memory.append(table, expected_revision, entry, at)

    def stop_waiting(self) -> None:
        """Do nothing, as nothing waits."""

    async def keep_data(self, data: Tree) -> str:
        """Keep rules data or a drawing; returns its digest."""
        await self._keep(_Write(lambda file: file.keep_data(data)))
        return await self._memory.keep_data(data)

    async def read_data(self, key: str) -> Tree:
        """Return the data for a digest. Raises `StorageFailed`."""
        with suppress(StorageFailed):
            return await self._memory.read_data(key)
        data = await (self._stored or self._memory).read_data(key)
        await self._memory.keep_data(data)
        return data

    async def read(self, table: str) -> StoredTable:
        """Return a table, which is in memory from then on. Raises `StorageFailed`."""
        known = await self._memory.read(table)
        # while the file fails, it may be behind memory
        if self._stored is None or (self._fault is not None and known.entries):
            return known
        stored = await self._stored.read(table)
        if not known.entries:
            self._memory.take(stored)
        return stored

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """Return these tables without their moves; none if the file cannot be read."""
        if self._stored is not None:
            try:
                return await self._stored.outlines(tables)
            except StorageFailed as error:
                self._fail(error)
        return {}

    async def listed(self) -> list[ListedTable]:
        """Return all tables that are not closed, oldest first; none if the file cannot be read."""
        if self._stored is not None:
            try:
                return await self._stored.listed()
            except StorageFailed as error:
                self._fail(error)
        return []

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Store the summaries of tables, unless the file fails: they can be rebuilt from the entries."""
        if self._fault is None and self._file is not None:
            try:
                await self._file.keep_summaries(summaries)
            except StorageFailed as error:
                self._fail(error)

    # -- results ---------------------------------------------------------------------------------------------

    async def keep_result(self, ended: Ended) -> None:
        """Keep the result of a match."""
        await self._keep(_Write(lambda file: file.keep_result(ended), ended.table, ended))
        await self._memory.keep_result(ended)

    async def results_of(self, user: str, skip: int = 0, most: int = PAGE) -> list[Ended]:
        """Return the results of a user's matches, including those missing from the file.

        Raises `StorageFailed`.
        """
        here = await self._memory.results_of(user, most=None)
        try:
            if self._file is not None and not self._missing:
                return await self._file.results_of(user, skip, most)
            # read more than wanted: some may also be in memory, and others are hidden but still in the file
            stored = (
                []
                if self._stored is None
                else await self._stored.results_of(user, 0, skip + most + len(here) + len(self._missing))
            )
        except StorageFailed:
            if not here:
                raise
            stored = []
        known = {(ended.table, ended.match) for ended in here}
        before = [
            ended
            for ended in stored
            if (ended.table, ended.match) not in known
            and not self._memory.has_forgotten(user, ended.table, ended.match)
        ]
        return sorted((*here, *before), key=lambda ended: -ended.at)[skip : skip + most]

    async def games_of(self, user: str, least: int = 1) -> set[str]:
        """Return the games of which a user has at least `least` results, in memory or in the file.

        Raises `StorageFailed`.
        """
        here = await self._memory.games_of(user, least)
        return here if self._stored is None else here | await self._stored.games_of(user, least)

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """Return the result of one of a user's matches, or None. Raises `StorageFailed`."""
        here = await self._memory.result_of(user, table, match)
        if here is not None or self._stored is None or self._memory.has_forgotten(user, table, match):
            return here
        return await self._stored.result_of(user, table, match)

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Hide a match from a user."""
        await self._keep(_Write(lambda file: file.forget_result(user, table, match)))
        await self._memory.forget_result(user, table, match)

    # -- in memory alone -------------------------------------------------------------------------------------

    async def keep_clock(self, table: str, clock: str) -> None:
        """Keep the clocks of a table in memory: in `kk play` there are none."""
        await self._memory.keep_clock(table, clock)

    async def clock_of(self, table: str) -> str | None:
        """Return the clocks of a table."""
        return await self._memory.clock_of(table)

    async def clocks(self) -> dict[str, str]:
        """Return the clocks of all tables."""
        return await self._memory.clocks()

    async def keep_transients(self, states: Mapping[str, tuple[int, str] | None]) -> None:
        """Keep what is true of tables and not in their entries in memory: in `kk play` nobody talks."""
        await self._memory.keep_transients(states)

    async def transients(self, tables: Collection[str]) -> dict[str, str]:
        """Return what is true of these tables and not in their entries."""
        return await self._memory.transients(tables)

    async def keep_uptime(self, seconds: float) -> None:
        """Keep how long the hub has run, in memory."""
        await self._memory.keep_uptime(seconds)

    async def uptime(self) -> float:
        """Return the seconds that the hub has run."""
        return await self._memory.uptime()

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Keep a sentence for a user in memory: in `kk play` nobody is away."""
        await self._memory.leave_word(user, sentence)

    async def take_words(self, user: str) -> list[Text]:
        """Remove and return the sentences left for a user."""
        return await self._memory.take_words(user)


async def _append(table: str, revision: int, entry: Entry, at: int, file: TableLog) -> None:
    try:
        await file.append(table, revision, entry, at)
    except Conflict:
        # an append that failed may have been stored nevertheless
        if (await file.read(table)).entries[revision : revision + 1] != (entry,):
            raise
