"""Records out of the log itself, for whoever can read the data folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from kk_core.record import Record, record_of
from kk_core.text import text
from server.hub.table_state import restore
from server.storage.sqlite import READ, to_table
from server.storage.table_log import StorageFailed


def record_from(database: Path, table: str) -> Record:
    """The record of a table's last match, unfinished ones too. Raises `KkError` when there is none.

    Gives hands and seed away: nothing for those who still play.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(READ, (table,)).fetchall()
    except sqlite3.Error as error:
        raise StorageFailed(
            text("{file} cannot be read: {reason}", file=str(database), reason=str(error))
        ) from None
    stored = to_table(table, rows)
    if stored.damage is not None:
        raise stored.damage
    if not stored.entries:
        raise StorageFailed(text("There is no table {table}.", table=repr(table)))
    match = restore(stored.entries).match
    if match is None:
        raise StorageFailed(text("No match has begun at table {table}.", table=repr(table)))
    return record_of(match)
