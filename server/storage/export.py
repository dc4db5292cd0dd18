"""Records out of the log itself, for whoever can read the data folder."""

from __future__ import annotations

from pathlib import Path

from kk_core.record import Record, record_of
from kk_core.text import quoted, text
from server.hub.table_state import restore
from server.storage.archive import Archive
from server.storage.reading import reading
from server.storage.sqlite import SqliteLog
from server.storage.table_log import StorageFailed, StoredTable


async def record_from(database: Path, table: str) -> Record:
    """The record of a table's last match, unfinished ones too. Raises `KkError` when there is none.

    Gives hands and seed away: nothing for those who still play.
    """
    async with reading(database) as file:
        log, archive = SqliteLog(file), Archive(file)
        stored = await log.read(table)
        if stored.damage is None and not stored.entries:
            last = await archive.last(table)
            if last is None:
                raise StorageFailed(text("There is no table {table}.", table=quoted(table)))
            stored = StoredTable(table, await archive.entries(table, last))
        match = (await restore(log, stored)).match
    if match is None:
        raise StorageFailed(text("No match has begun at table {table}.", table=quoted(table)))
    return record_of(match)
