"""A log that goes on in memory where its file fails, for play at home."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from typing import TypeVar

from kk_core.text import Text
from kk_core.types import Tree
from server.storage.entries import Ended, Entry
from server.storage.memory import MemoryLog
from server.storage.summaries import Summary
from server.storage.table_log import ListedTable, StorageFailed, StoredTable, TableLog

T = TypeVar("T")


class ForgivingLog:
    """A `TableLog` over another one, which is asked and told no more once it has failed.

    `failed` is then called once, with the reason. All that was read or appended here is in memory, too.
    """

    def __init__(self, log: TableLog, failed: Callable[[Text], None]) -> None:
        self._file: TableLog | None = log
        self._memory = MemoryLog()
        self._failed = failed

    async def append(self, table: str, expected_revision: int, entry: Entry) -> None:
        """Keep an entry. Raises `Conflict`."""
        if self._file is not None:
            await self._tried(self._file.append(table, expected_revision, entry))
        await self._memory.append(table, expected_revision, entry)

    async def keep_data(self, data: Tree) -> str:
        """Keep rules data or a drawing; the digest of it."""
        if self._file is not None:
            await self._tried(self._file.keep_data(data))
        return await self._memory.keep_data(data)

    async def read_data(self, key: str) -> Tree:
        """The data of a digest. Raises `StorageFailed`."""
        if self._file is not None:
            return await self._file.read_data(key)
        return await self._memory.read_data(key)

    async def read(self, table: str) -> StoredTable:
        """One table, which is in memory from then on. Raises `StorageFailed`."""
        if self._file is None:
            return await self._memory.read(table)
        stored = await self._file.read(table)
        known = await self._memory.read(table)
        for revision, entry in enumerate(stored.entries[len(known.entries) :], len(known.entries)):
            await self._memory.append(table, revision, entry)
        return stored

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """These tables without their moves; none where the file cannot be read."""
        return {} if self._file is None else await self._tried(self._file.outlines(tables)) or {}

    async def listed(self) -> list[ListedTable]:
        """All tables that were not closed, oldest first; none where the file cannot be read."""
        return [] if self._file is None else await self._tried(self._file.listed()) or []

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Keep the summaries of tables."""
        if self._file is not None:
            await self._tried(self._file.keep_summaries(summaries))

    async def keep_result(self, ended: Ended) -> None:
        """Keep what a match came to."""
        if self._file is not None:
            await self._tried(self._file.keep_result(ended))
        await self._memory.keep_result(ended)

    async def results_of(self, user: str) -> list[Ended]:
        """What the matches of a user came to. Raises `StorageFailed`."""
        return await (self._file or self._memory).results_of(user)

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Leave a match out of what is told to a user."""
        if self._file is not None:
            await self._tried(self._file.forget_result(user, table, match))
        await self._memory.forget_result(user, table, match)

    async def keep_clock(self, table: str, clock: str) -> None:
        """Keep how the clocks of a table stand, in memory: at home there are none."""
        await self._memory.keep_clock(table, clock)

    async def clock_of(self, table: str) -> str | None:
        """How the clocks of a table stood."""
        return await self._memory.clock_of(table)

    async def clocks(self) -> dict[str, str]:
        """How the clocks of all tables stood."""
        return await self._memory.clocks()

    async def keep_uptime(self, seconds: float) -> None:
        """Keep how long the hub has run, in memory."""
        await self._memory.keep_uptime(seconds)

    async def uptime(self) -> float:
        """Seconds that the hub has run."""
        return await self._memory.uptime()

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Keep something that a user is to be told, in memory: at home nobody is away."""
        await self._memory.leave_word(user, sentence)

    async def take_words(self, user: str) -> list[Text]:
        """What a user is to be told, once."""
        return await self._memory.take_words(user)

    async def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            await self._file.close()

    async def _tried(self, work: Awaitable[T]) -> T | None:
        """What the file says; None once it fails, and from then on it is left alone."""
        try:
            return await work
        except StorageFailed as error:
            failed, self._file = self._file, None
            if failed is not None:
                with suppress(StorageFailed):
                    await failed.close()
                self._failed(error.for_host)
            return None
