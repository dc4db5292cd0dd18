"""Backups: a complete copy of a server's SQLite file, made while the server writes to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from kk_core.reasons import system_reason
from kk_core.record import Record, record_of
from kk_core.text import Text, quoted, text
from kk_server.storage.archive import Archive
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import CHECK, FAULTS, kind, readable, reading, reason_of, unfinished_copy
from kk_server.storage.table_log import StorageFailed, StoredTable
from kk_server.storage.tallies import losses
from kk_server.tables.state import restore
from kk_tui.disk import sync


def copy_database(source: Path, target: Path) -> None:
    """Copy a file as of one moment, and check the copy.

    Raises `StorageFailed`; then there is no copy.
    """
    unfinished = unfinished_copy(target)
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            _copy(source, unfinished)
            unfinished.replace(target)
        except BaseException:
            unfinished.unlink()
            raise
    except FileExistsError:
        raise StorageFailed(
            text("{file} already exists: either another backup is running, or one was killed; "
                 "if so, delete it.", file=str(unfinished))
        ) from None  # fmt: skip
    except OSError as error:
        raise StorageFailed(_cannot(source, target, system_reason(error))) from None
    except FAULTS as error:
        raise kind(error)(_cannot(source, target, reason_of(error))) from None


def _cannot(source: Path, target: Path, reason: Text) -> Text:
    return text(
        "{source} cannot be copied to {target}: {reason}",
        source=str(source), target=str(target), reason=reason,
    )  # fmt: skip


def _copy(source: Path, target: Path) -> None:
    with (
        readable(source) as address,
        closing(sqlite3.connect(address, uri=True)) as ours,
        closing(sqlite3.connect(target)) as theirs,
    ):
        ours.backup(theirs)
        theirs.execute("PRAGMA journal_mode = DELETE")  # so that the copy is a single file
        # a damaged source is copied without an error
        ((verdict,),) = theirs.execute("PRAGMA integrity_check(1)")
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
    if losses(target.absolute().as_uri()):
        raise sqlite3.DatabaseError(f"rows are lost or altered; `{CHECK}` says which")
    with target.open("rb") as file:
        sync(file.fileno())


async def record_from(database: Path, table: str) -> Record:
    """Return the record of a table's last match, even unfinished. Raises `KkError` if there is none.

    It reveals hands and seed, so it must not be shown to people who are still playing.
    """
    async with reading(database) as file:
        log, archive = SqlLog(file), Archive(file)
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
