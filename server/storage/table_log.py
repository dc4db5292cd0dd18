"""The log of all tables: append only, and every append says what it builds on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kk_core.errors import KkError
from server.storage.entries import Entry


class Conflict(KkError):
    """Somebody else has appended to the same table; nothing was stored."""


class StorageFailed(KkError):
    """The log cannot be written or read now."""


@dataclass(frozen=True)
class StoredTable:
    """A table as the log keeps it: the entries in order, or the reason why they cannot be read."""

    id: str
    entries: tuple[Entry, ...]
    damage: KkError | None = None


class TableLog(Protocol):
    """Where tables are kept; another store takes its place by having these four."""

    async def append(self, table: str, expected_revision: int, entry: Entry) -> None:
        """Store an entry for good, as number `expected_revision` (from 0) of its table.

        Raises `Conflict` when the table has not exactly that many entries, or `StorageFailed`.
        """
        ...

    async def read(self, table: str) -> StoredTable:
        """One table; without entries when it is unknown. Raises `StorageFailed`."""
        ...

    async def load(self) -> list[StoredTable]:
        """All tables that were not closed, oldest first. Raises `StorageFailed`."""
        ...

    async def close(self) -> None:
        """Give back what the log holds open."""
        ...
