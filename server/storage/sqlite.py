"""The log in one SQLite file: durable before it is acknowledged, readable while the server runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import aiosqlite

from kk_core.text import text
from server.storage.entries import BadEntry, Entry, decode_entry, encode_entry
from server.storage.table_log import Conflict, StorageFailed, StoredTable

DATABASE: Final = "tables.sqlite"
"""The name of the file in a data folder."""

SCHEMA: Final = 1
"""The `user_version` of files that this module writes."""

_CREATE: Final = f"""
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS entries (
        number INTEGER PRIMARY KEY,
        table_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        entry TEXT NOT NULL,
        UNIQUE (table_id, revision)
    );
    CREATE INDEX IF NOT EXISTS closed ON entries (table_id) WHERE kind = 'closed';
    PRAGMA user_version = {SCHEMA};
"""
_APPEND: Final = """
    INSERT INTO entries (table_id, revision, at, kind, entry)
    SELECT :table, :revision, :at, :kind, :entry
    WHERE :revision = (SELECT coalesce(max(revision) + 1, 0) FROM entries WHERE table_id = :table)
"""
_LOAD: Final = """
    SELECT table_id, revision, entry FROM entries
    WHERE table_id NOT IN (SELECT table_id FROM entries WHERE kind = 'closed')
    ORDER BY table_id, revision
"""
_ORDER: Final = "SELECT table_id FROM entries WHERE revision = 0 ORDER BY number"
READ: Final = "SELECT table_id, revision, entry FROM entries WHERE table_id = ? ORDER BY revision"


class SqliteLog:
    """A `TableLog` in a file; made by `open_log`."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def append(self, table: str, expected_revision: int, entry: Entry) -> None:
        """Store an entry; when this returns it is on the disk. Raises `Conflict` or `StorageFailed`."""
        row = {
            "table": table,
            "revision": expected_revision,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "kind": str(entry.__struct_config__.tag),
            "entry": encode_entry(entry).decode(),
        }
        try:
            async with self._connection.execute(_APPEND, row) as cursor:
                stored = cursor.rowcount
        except sqlite3.Error as error:
            raise _failed(error) from None
        if stored != 1:
            raise Conflict(text("The table has changed meanwhile; please look again."))

    async def read(self, table: str) -> StoredTable:
        """One table; without entries when it is unknown. Raises `StorageFailed`."""
        return to_table(table, await self._rows(READ, (table,)))

    async def load(self) -> list[StoredTable]:
        """All tables that were not closed, oldest first. Raises `StorageFailed`."""
        age = {row[0]: age for age, row in enumerate(await self._rows(_ORDER))}
        rows = await self._rows(_LOAD)
        tables = [to_table(table, group) for table, group in groupby(rows, key=lambda row: str(row[0]))]
        return sorted(tables, key=lambda table: age.get(table.id, -1))

    async def close(self) -> None:
        """Close the file."""
        await self._connection.close()

    async def _rows(self, query: str, values: tuple[str, ...] = ()) -> list[Any]:
        try:
            return list(await self._connection.execute_fetchall(query, values))
        except sqlite3.Error as error:
            raise _failed(error) from None


async def open_log(path: Path) -> SqliteLog:
    """Open the log of a file, made if there is none. Raises `StorageFailed`."""
    try:
        connection = await aiosqlite.connect(path, isolation_level=None)
    except sqlite3.Error as error:
        raise _failed(error) from None
    try:
        ((version,),) = await connection.execute_fetchall("PRAGMA user_version")
        if version > SCHEMA:
            raise StorageFailed(
                text("{file} was written by a newer version ({version}).", file=path.name, version=version)
            )
        await connection.executescript(_CREATE)
    except BaseException as error:
        await connection.close()
        if isinstance(error, sqlite3.Error):
            raise _failed(error) from None
        raise
    return SqliteLog(connection)


def to_table(table: str, rows: Iterable[Any]) -> StoredTable:
    """A table from its rows (table, revision, entry) in order; damage is noted, not raised."""
    entries: list[Entry] = []
    try:
        for wanted, (_, revision, entry) in enumerate(rows):
            if revision != wanted:
                raise BadEntry(text("Entry {n} is missing.", n=wanted))
            entries.append(decode_entry(entry if isinstance(entry, bytes) else str(entry).encode()))
    except BadEntry as damage:
        return StoredTable(table, (), damage)
    return StoredTable(table, tuple(entries))


def _failed(error: sqlite3.Error) -> StorageFailed:
    return StorageFailed(text("The table could not be stored or read: {reason}", reason=str(error)))
