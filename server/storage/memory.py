"""A log that lives as long as the process: for hot-seat play and tests."""

from __future__ import annotations

from kk_core.text import text
from server.storage.entries import Closed, Entry
from server.storage.table_log import Conflict, StoredTable


class MemoryLog:
    """A `TableLog` in memory."""

    def __init__(self) -> None:
        self._tables: dict[str, list[Entry]] = {}

    async def append(self, table: str, expected_revision: int, entry: Entry) -> None:
        """Keep an entry. Raises `Conflict`."""
        entries = self._tables.get(table, [])
        if len(entries) != expected_revision:
            raise Conflict(text("The table has changed meanwhile; please look again."))
        entries.append(entry)
        self._tables[table] = entries

    async def read(self, table: str) -> StoredTable:
        """One table."""
        return StoredTable(table, tuple(self._tables.get(table, ())))

    async def load(self) -> list[StoredTable]:
        """All tables that were not closed."""
        open_tables = (
            table for table, entries in self._tables.items() if not isinstance(entries[-1], Closed)
        )
        return [await self.read(table) for table in open_tables]

    async def close(self) -> None:
        """Nothing is held open."""
