"""A log that lives as long as the process: for hot-seat play and tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from time import time

import msgspec

from kk_core.data import canonical_json, digest
from kk_core.text import Text, text
from kk_core.types import Tree
from server.storage.entries import Closed, Ended, Entry, Moved, Undone
from server.storage.summaries import Summary
from server.storage.table_log import PAGE, Conflict, ListedTable, StoredTable, unknown_rules


class MemoryLog:
    """A `TableLog` in memory."""

    def __init__(self) -> None:
        self._tables: dict[str, list[Entry]] = {}
        self._at: dict[str, int] = {}
        self._rules: dict[str, bytes] = {}
        self._forgotten: set[tuple[str, str, int]] = set()
        self._summaries: dict[str, tuple[int, Summary]] = {}
        self._uptime = 0.0
        self._clocks: dict[str, str] = {}
        self._words: dict[str, list[Text]] = {}
        self._results: dict[tuple[str, int], Ended] = {}

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Keep an entry. Raises `Conflict`."""
        entries = self._tables.get(table, [])
        if len(entries) != expected_revision:
            raise Conflict(text("The table has changed meanwhile; please look again."))
        entries.append(entry)
        self._tables[table] = entries
        self._at[table] = int(time()) if at is None else at

    async def keep_data(self, data: Tree) -> str:
        """Keep rules data or a drawing; the digest of it."""
        key = digest(data)
        self._rules[key] = canonical_json(data)
        return key

    async def read_data(self, key: str) -> Tree:
        """The data of a digest. Raises `StorageFailed`."""
        if key not in self._rules:
            raise unknown_rules(key)
        return msgspec.json.decode(self._rules[key])

    async def read(self, table: str) -> StoredTable:
        """One table."""
        return StoredTable(table, tuple(self._tables.get(table, ())), at=self._at.get(table, 0))

    def take(self, stored: StoredTable) -> None:
        """Know a table as it is stored elsewhere."""
        if stored.entries:
            self._tables[stored.id], self._at[stored.id] = list(stored.entries), stored.at

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """These tables without their moves."""
        return {
            table: StoredTable(
                table,
                tuple(entry for entry in self._tables[table] if not isinstance(entry, Moved | Undone)),
                at=self._at[table],
            )
            for table in tables
        }

    async def listed(self) -> list[ListedTable]:
        """All tables that were not closed, oldest first."""
        return [
            ListedTable(table, len(entries), self._summary(table, len(entries)))
            for table, entries in self._tables.items()
            if not isinstance(entries[-1], Closed)
        ]

    def _summary(self, table: str, entries: int) -> Summary | None:
        revision, summary = self._summaries.get(table, (0, None))
        return summary if revision == entries else None

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Keep the summaries of tables with their numbers of entries."""
        self._summaries.update(summaries)

    async def keep_result(self, ended: Ended) -> None:
        """Keep what a match came to."""
        self._results.setdefault((ended.table, ended.match), ended)

    async def results_of(self, user: str, skip: int = 0, most: int | None = PAGE) -> list[Ended]:
        """What matches of a user came to, the newest first, after the first `skip`; with None all others."""
        own = (ended for ended in reversed(self._results.values()) if self._is_of(user, ended))
        end = None if most is None else skip + most
        return sorted(own, key=lambda ended: -ended.at)[skip:end]

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """What one of these matches came to; None where it is none of them."""
        ended = self._results.get((table, match))
        return ended if ended is not None and self._is_of(user, ended) else None

    def _is_of(self, user: str, ended: Ended) -> bool:
        has_seat = any(holder.owner == user for holder in ended.seats)
        return has_seat and not self.has_forgotten(user, ended.table, ended.match)

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Leave a match out of what is told to a user."""
        self._forgotten.add((user, table, match))

    def has_forgotten(self, user: str, table: str, match: int) -> bool:
        """Whether a match is left out of what is told to a user."""
        return (user, table, match) in self._forgotten

    async def keep_clock(self, table: str, clock: str) -> None:
        """Keep how the clocks of a table stand."""
        self._clocks[table] = clock

    async def clock_of(self, table: str) -> str | None:
        """How the clocks of a table stood."""
        return self._clocks.get(table)

    async def clocks(self) -> dict[str, str]:
        """How the clocks of all tables stood."""
        return dict(self._clocks)

    async def keep_uptime(self, seconds: float) -> None:
        """Keep how long hubs have run over this log."""
        self._uptime = seconds

    async def uptime(self) -> float:
        """Seconds that hubs have run over this log."""
        return self._uptime

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Keep something that a user is to be told."""
        self._words.setdefault(user, []).append(sentence)

    async def take_words(self, user: str) -> list[Text]:
        """What a user is to be told, once."""
        return self._words.pop(user, [])

    async def close(self) -> None:
        """Nothing is held open."""
