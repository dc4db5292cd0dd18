"""Whether all that a server has stored can be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kk_core.errors import KkError, UnknownRules
from kk_core.record import parse_record, replay
from kk_core.text import Text, quoted, text
from server.hub.replays import match_of
from server.hub.table_state import restore
from server.storage.archive import Archive
from server.storage.copy import CopyFailed, copy_database
from server.storage.database import DATABASE, Database, open_database
from server.storage.sqlite import SqliteLog
from server.storage.summaries import Summary
from server.storage.table_log import StorageFailed


class What(Enum):
    """What is not as it should be."""

    FILE = "file"
    TABLE = "table"
    MATCH = "match"
    SUMMARY = "summary"
    RECORD = "record"
    RULES = "rules"


_ADVICE: Final = {
    What.FILE: text("Restore a backup, or let --repair save what can be read."),
    What.TABLE: text("Restore a backup, or let --repair set the table aside."),
    What.MATCH: text("Restore a backup, or let --repair set the match aside; its record is in records/."),
    What.SUMMARY: text("Let --repair forget it: the next start makes it again."),
    What.RECORD: text("Take it from a backup."),
    What.RULES: text("The version that it was begun with plays it on."),
}


@dataclass(frozen=True)
class Fault:
    """What is wrong; `name` is that of the table, or of the file, `number` that of a match of it."""

    what: What
    name: str
    said: Text
    number: int = 0

    @property
    def advice(self) -> Text:
        """What can be done."""
        return _ADVICE[self.what]

    @property
    def is_harmless(self) -> bool:
        """Whether nothing is lost: another version reads it."""
        return self.what is What.RULES


async def faults_of(folder: Path) -> AsyncIterator[Fault]:
    """All that is wrong in a data folder, which stays as it is."""
    path = folder / DATABASE
    with TemporaryDirectory() as spare:
        try:
            database = await _opened(path, Path(spare))
        except (StorageFailed, CopyFailed) as error:
            yield Fault(What.FILE, str(path), error.reason)
            return
        try:
            async for fault in _in_database(database, str(path)):
                yield fault
        except StorageFailed as error:
            yield Fault(What.FILE, str(path), error.reason)
        finally:
            await database.close()
    for record in sorted((folder / "records").glob("*.json")):
        fault_or_none = _in_record(record)
        if fault_or_none is not None:
            yield fault_or_none


async def _opened(path: Path, spare: Path) -> Database:
    """A file to read; of one from an earlier version a copy in a spare folder, brought up to date there."""
    database = await open_database(path, read_only=True)
    if database.is_current:
        return database
    await database.close()
    copy_database(path, spare / DATABASE)
    return await open_database(spare / DATABASE)


async def _in_database(database: Database, path: str) -> AsyncIterator[Fault]:
    for (line,) in await database.rows("PRAGMA integrity_check(10)"):
        if line != "ok":
            yield Fault(What.FILE, path, text("{file} is damaged: {reason}", file=path, reason=str(line)))
    log = SqliteLog(database)
    known = {table.id: table.summary for table in await log.listed()}
    for (table,) in await database.rows("SELECT DISTINCT table_id FROM entries"):
        fault = await _in_table(log, str(table), known.get(table))
        if fault is not None:
            yield fault
    archive = Archive(database)
    for table, number in await archive.matches():
        fault = await _in_match(log, archive, table, number)
        if fault is not None:
            yield fault


async def _in_table(log: SqliteLog, table: str, known: Summary | None) -> Fault | None:
    try:
        state = await restore(log, await log.read(table))
    except Exception as error:
        return _fault(What.TABLE, table, error)
    if known is None or state.summary(known.at, is_kept=known.is_kept) == known:
        return None
    said = text("What is known of table {table} is not what its entries say.", table=quoted(table))
    return Fault(What.SUMMARY, table, said)


async def _in_match(log: SqliteLog, archive: Archive, table: str, number: int) -> Fault | None:
    try:
        await match_of(log, await archive.entries(table, number))
    except Exception as error:
        return _fault(What.MATCH, table, error, number)
    return None


def _fault(what: What, table: str, error: Exception, number: int = 0) -> Fault:
    """What is to be said of a table, or a match of it, that could not be replayed."""
    name = f"{table}-{number}" if number else table
    if isinstance(error, UnknownRules):
        said = text("Table {table} cannot go on here: {reason}", table=quoted(name), reason=error.reason)
        return Fault(What.RULES, table, said)
    # other errors come where the engine has met something it never writes
    reason: Text | str = error.reason if isinstance(error, KkError) else type(error).__name__
    said = text("Table {table}: {reason}", table=quoted(name), reason=reason)
    return Fault(what, table, said, number)


def _in_record(file: Path) -> Fault | None:
    try:
        replay(parse_record(file.read_bytes()))
    except KkError as error:
        reason: Text | str = error.reason
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        return None
    return Fault(What.RECORD, str(file), text("{file}: {reason}", file=str(file), reason=reason))
