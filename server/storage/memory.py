"""A log that lives as long as the process: for hot-seat play and tests."""

from __future__ import annotations

import msgspec

from kk_core.data import canonical_json, digest
from kk_core.text import Text, text
from kk_core.types import Tree
from server.storage.entries import Closed, Ended, Entry
from server.storage.table_log import Conflict, StoredTable, unknown_rules


class MemoryLog:
    """A `TableLog` in memory."""

    def __init__(self) -> None:
        self._tables: dict[str, list[Entry]] = {}
        self._rules: dict[str, bytes] = {}
        self._forgotten: set[tuple[str, str, int]] = set()
        self._clocks: dict[str, str] = {}
        self._words: dict[str, list[Text]] = {}
        self._results: dict[tuple[str, int], Ended] = {}

    async def append(self, table: str, expected_revision: int, entry: Entry) -> None:
        """Keep an entry. Raises `Conflict`."""
        entries = self._tables.get(table, [])
        if len(entries) != expected_revision:
            raise Conflict(text("The table has changed meanwhile; please look again."))
        entries.append(entry)
        self._tables[table] = entries

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
        return StoredTable(table, tuple(self._tables.get(table, ())))

    async def load(self) -> list[StoredTable]:
        """All tables that were not closed."""
        open_tables = (
            table for table, entries in self._tables.items() if not isinstance(entries[-1], Closed)
        )
        return [await self.read(table) for table in open_tables]

    async def keep_result(self, ended: Ended) -> None:
        """Keep what a match came to."""
        self._results.setdefault((ended.table, ended.match), ended)

    async def results_of(self, user: str) -> list[Ended]:
        """What the matches of a user came to, the newest first."""
        own = (
            ended
            for (table, match), ended in reversed(self._results.items())
            if any(holder.owner == user for holder in ended.seats)
            and (user, table, match) not in self._forgotten
        )
        return sorted(own, key=lambda ended: -ended.at)

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Leave a match out of what is told to a user."""
        self._forgotten.add((user, table, match))

    async def keep_clock(self, table: str, clock: str) -> None:
        """Keep how the clocks of a table stand."""
        self._clocks[table] = clock

    async def clock_of(self, table: str) -> str | None:
        """How the clocks of a table stood."""
        return self._clocks.get(table)

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Keep something that a user is to be told."""
        self._words.setdefault(user, []).append(sentence)

    async def take_words(self, user: str) -> list[Text]:
        """What a user is to be told, once."""
        return self._words.pop(user, [])

    async def close(self) -> None:
        """Nothing is held open."""
