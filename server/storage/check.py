"""Whether all that a server has stored can be read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kk_core.errors import KkError, UnknownRules
from kk_core.record import check_written, parse_record, replay
from kk_core.text import Text, quoted, text, texts
from server.hub.replays import match_of
from server.hub.table_state import restore
from server.storage.archive import Archive
from server.storage.copy import copy_database
from server.storage.database import DATABASE, FAULTS, Damaged, Database, open_database, unreadable
from server.storage.entries import Ended
from server.storage.last_writes import are_lost, last_writes
from server.storage.reading import readable, reading
from server.storage.records import RECORDS
from server.storage.repair import missing_results
from server.storage.sqlite import SqliteLog
from server.storage.summaries import Summary
from server.storage.table_log import StorageFailed, told_host
from server.storage.tallies import Loss, losses


class What(Enum):
    """What is not as it should be."""

    UNREAD = "unread"
    FILE = "file"
    ROWS = "rows"
    TABLE = "table"
    MATCH = "match"
    SUMMARY = "summary"
    RESULT = "result"
    GONE = "gone"
    WRITES = "writes"
    RECORD = "record"
    RULES = "rules"


_ADVICE: Final = {
    What.UNREAD: text("Nothing is known of what is stored: do away with the reason, and check again."),
    What.FILE: text("Restore a backup, or let --repair save what can be read."),
    What.ROWS: text("Restore a backup, or let --repair save the rest."),
    What.TABLE: text("Restore a backup, or let --repair set the table aside."),
    What.MATCH: text("Restore a backup, or let --repair set the match aside; its record is in records/."),
    What.SUMMARY: text("Let --repair forget it: the next start makes it again."),
    What.RESULT: text("Let --repair put it there."),
    What.WRITES: text("Restore a backup, or let --repair go on without that."),
    What.GONE: text("Restore a newer backup, or let --repair put it into the histories."),
    What.RECORD: text("Take it from a backup."),
    What.RULES: text("The version that it was begun with plays it on."),
}


_IS_KNOWN: Final = """
    SELECT ?2 <= (SELECT count(*) FROM entries WHERE table_id = ?1 AND kind = 'started')
        OR EXISTS (SELECT 1 FROM archive WHERE table_id = ?1 AND match = ?2)
"""
"""Whether moves of a match are kept: those of a match before them went nowhere else."""

_MOST_NAMES: Final = 20


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
        """Whether nothing is lost: another version reads it, or it is made again."""
        return self.what in (What.RULES, What.RESULT)


async def faults_of(folder: Path) -> AsyncGenerator[Fault, None]:
    """All that is wrong in a data folder, which stays as it is."""
    path = folder / DATABASE
    if are_lost(path):
        said = text("{file} is damaged: of what was written last, some is lost.", file=str(last_writes(path)))
        yield Fault(What.WRITES, str(path), said)
    try:
        for loss in _losses(path):
            for said in told(loss):
                yield Fault(What.ROWS, loss.table, said)
        async with _opened(path) as database:
            try:
                async for fault in _in_database(database, str(path)):
                    yield fault
                for ended in await missing_results(database, folder / RECORDS):
                    yield await _not_in_histories(database, ended)
            except StorageFailed as error:
                yield Fault(What.FILE, str(path), error.for_host)
    except StorageFailed as error:
        yield Fault(What.FILE if isinstance(error, Damaged) else What.UNREAD, str(path), error.for_host)
    for record in sorted((folder / RECORDS).glob("*.json")):
        fault_or_none = _in_record(record)
        if fault_or_none is not None:
            yield fault_or_none


def _losses(path: Path) -> list[Loss]:
    """What is lost of a file that can be opened. Raises `StorageFailed`."""
    with readable(path) as address:
        try:
            return losses(address)
        except FAULTS as error:
            raise unreadable(path, error) from None


def told(loss: Loss) -> list[Text]:
    """What is lost of an SQL table, in sentences."""
    said, rows, strange, table = [], loss.rows, loss.strange, loss.table
    names = ", ".join(loss.names[:_MOST_NAMES]) + ", ..." * (len(loss.names) > _MOST_NAMES)
    if rows is None:
        said.append(text("Nobody can tell how many rows of {table} are lost.", table=table))
    elif rows and names:
        said.append(texts("{n} row of {table} is lost: of {names}.",
                          "{n} rows of {table} are lost: of {names}.",
                          rows, table=table, names=names))  # fmt: skip
    elif rows:
        said.append(texts("{n} row of {table} is lost.", "{n} rows of {table} are lost.", rows, table=table))
    if strange:
        said.append(texts("{n} row of {table} is not what was stored.",
                          "{n} rows of {table} are not what was stored.", strange, table=table))  # fmt: skip
    return said


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[Database]:
    """A file to read; of one from an earlier version a copy, brought up to date in a spare folder."""
    async with reading(path) as database:
        if database.is_current:
            yield database
            return
    with TemporaryDirectory() as spare:
        copy_database(path, Path(spare) / DATABASE)
        copy = await open_database(Path(spare) / DATABASE)
        try:
            yield copy
        finally:
            await copy.close()


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


async def _not_in_histories(database: Database, ended: Ended) -> Fault:
    name = quoted(f"{ended.table}-{ended.match}")
    ((is_known,),) = await database.rows(_IS_KNOWN, (ended.table, ended.match))
    if is_known:
        said = text("Match {match} is over, but not in the history of all who played it.", match=name)
        return Fault(What.RESULT, ended.table, said, ended.match)
    said = text("Match {match} is in records/ alone: what else was known of it is lost.", match=name)
    return Fault(What.GONE, ended.table, said, ended.match)


def _fault(what: What, table: str, error: Exception, number: int = 0) -> Fault:
    """What is to be said of a table, or a match of it, that could not be replayed."""
    name = f"{table}-{number}" if number else table
    if isinstance(error, UnknownRules):
        said = text("Table {table} cannot go on here: {reason}", table=quoted(name), reason=error.reason)
        return Fault(What.RULES, table, said)
    # other errors come where the engine has met something it never writes
    reason: Text | str = told_host(error) if isinstance(error, KkError) else type(error).__name__
    said = text("Table {table}: {reason}", table=quoted(name), reason=reason)
    return Fault(what, table, said, number)


def _in_record(file: Path) -> Fault | None:
    try:
        content = file.read_bytes()
        record = parse_record(content)
        replay(record)
        check_written(record, content)
    except KkError as error:
        reason: Text | str = error.reason
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        return None
    return Fault(What.RECORD, str(file), text("{file}: {reason}", file=str(file), reason=reason))
