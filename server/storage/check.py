"""Whether all that a server has stored can be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from kk_core.errors import KkError, UnknownRules
from kk_core.record import parse_record, replay
from kk_core.text import Text, quoted, text
from server.hub.table_state import restore
from server.storage.database import DATABASE, Database, open_database
from server.storage.sqlite import SqliteLog
from server.storage.summaries import Summary
from server.storage.table_log import StorageFailed


class What(Enum):
    """What is not as it should be."""

    FILE = "file"
    TABLE = "table"
    SUMMARY = "summary"
    RECORD = "record"
    RULES = "rules"


_ADVICE: Final = {
    What.FILE: text("Restore a backup, or let --repair save what can be read."),
    What.TABLE: text("Restore a backup, or let --repair set the table aside."),
    What.SUMMARY: text("Let --repair forget it: the next start makes it again."),
    What.RECORD: text("Take it from a backup."),
    What.RULES: text("The version that it was begun with plays it on."),
}


@dataclass(frozen=True)
class Fault:
    """What is wrong; `name` is that of the table, or of the file."""

    what: What
    name: str
    said: Text

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
    try:
        database = await open_database(path, read_only=True)
    except StorageFailed as error:
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


async def _in_table(log: SqliteLog, table: str, known: Summary | None) -> Fault | None:
    try:
        state = await restore(log, await log.read(table))
        if known is None or state.summary(known.at, is_kept=known.is_kept) == known:
            return None
        said = text("What is known of table {table} is not what its entries say.", table=quoted(table))
        return Fault(What.SUMMARY, table, said)
    except UnknownRules as error:
        said = text("Table {table} cannot go on here: {reason}", table=quoted(table), reason=error.reason)
        return Fault(What.RULES, table, said)
    except KkError as error:
        reason: Text | str = error.reason
    except Exception as error:  # the engine met something it never writes
        reason = type(error).__name__
    return Fault(What.TABLE, table, text("Table {table}: {reason}", table=quoted(table), reason=reason))


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
