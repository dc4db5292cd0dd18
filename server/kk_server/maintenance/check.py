"""Checks that everything a server has stored can be read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from kk_core.errors import KkError, UnknownRules
from kk_core.match import Match
from kk_core.match_name import match_name
from kk_core.reasons import system_reason
from kk_core.record import check_written, format_record, parse_record, record_of, replay
from kk_core.text import Text, quoted, text, texts
from kk_core.types import totals
from kk_server.accounts.names import AT_HOME
from kk_server.hub.history import match_of
from kk_server.maintenance.repair import can_be_saved, endings, missing_results, strays
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Ended
from kk_server.storage.files import RECORDS, Number, match_named
from kk_server.storage.sql import Database
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import (
    DATABASE,
    FAULTS,
    SqliteDatabase,
    readable,
    reading,
    refuse_empty,
    unreadable,
)
from kk_server.storage.summaries import FINISHED
from kk_server.storage.table_log import Damaged, ListedTable, StorageFailed, data_for, told_host
from kk_server.storage.tallies import Loss, losses
from kk_server.storage.wal import are_lost, wal_of
from kk_server.tables.state import TableState, replay_states


class Damage(Enum):
    """The kinds of faults."""

    UNREAD = "unread"
    FILE = "file"
    NOTHING = "nothing"
    ROWS = "rows"
    TABLE = "table"
    MATCH = "match"
    SUMMARY = "summary"
    RESULT = "result"
    GONE = "gone"
    STRAY = "stray"
    ENDED = "ended"
    WRITES = "writes"
    RECORD = "record"
    ANEW = "anew"
    UNWRITTEN = "unwritten"
    UNSEEN = "unseen"
    RULES = "rules"


_ADVICE: Final = {
    Damage.UNREAD: text("What is stored could not be examined: fix the cause, and check again."),
    Damage.FILE: text("Restore a backup, or let --repair save what can be read."),
    Damage.NOTHING: text("Restore a backup: nothing can be saved."),
    Damage.ROWS: text("Restore a backup, or let --repair save what is left."),
    Damage.TABLE: text("Restore a backup, or let --repair set the table aside."),
    Damage.MATCH: text("Restore a backup, or let --repair set the match aside; its record is in records/."),
    Damage.SUMMARY: text("Let --repair drop it: the next start rebuilds it."),
    Damage.RESULT: text("Let --repair add it."),
    Damage.WRITES: text("Restore a backup, or let --repair continue without them."),
    Damage.GONE: text("Restore a newer backup, or let --repair put it into the histories."),
    Damage.ENDED: text("Restore a newer backup, or let --repair finish it from its record."),
    Damage.STRAY: text("Restore the database that it belongs to, or take its record out of records/."),
    Damage.RECORD: text("Take it from a backup."),
    Damage.ANEW: text("Let --repair rebuild it."),
    Damage.UNWRITTEN: text("The server writes it at its next start."),
    Damage.UNSEEN: text(
        "Copy records/ there, let --repair rebuild them, or leave them out with --without-records."
    ),
    Damage.RULES: text("Continue it with the version it was begun with."),
}


_ADVICE_SHARED: Final = {
    Damage.TABLE: text("Restore a backup of the database."),
    Damage.MATCH: text("Restore a backup of the database."),
    Damage.SUMMARY: text("Delete its row in the table summaries: the next start rebuilds it."),
}

OLDER: Final = (Damage.GONE, Damage.ENDED, Damage.STRAY)
"""What the files of records alone tell: the database is an older copy, or another one."""

_IS_KNOWN: Final = """
    SELECT ?2 <= (SELECT count(*) FROM entries WHERE table_id = ?1 AND kind = 'started')
        OR EXISTS (SELECT 1 FROM archive WHERE table_id = ?1 AND match = ?2)
"""
"""True if the moves of a match are stored. Counting starts is enough: a log has all matches of its table."""

_RESULTS: Final = "SELECT table_id, match, result FROM results WHERE owner <> ?"

_MOST_NAMES: Final = 20  # in one sentence


@dataclass(frozen=True)
class Fault:
    """A fault; `name` is the table or file it is in, `number` the match."""

    what: Damage
    name: str
    said: Text
    number: int = 0
    is_shared: bool = False
    """True if it is in a database that servers share, which is repaired by its own means."""

    @property
    def advice(self) -> Text:
        """The sentence about what to do."""
        return _ADVICE_SHARED.get(self.what, _ADVICE[self.what]) if self.is_shared else _ADVICE[self.what]

    @property
    def is_harmless(self) -> bool:
        """True if nothing is lost: another version can read it, or it can be rebuilt."""
        return self.what in (Damage.RULES, Damage.RESULT, Damage.UNWRITTEN)


@dataclass
class _Over:
    """The finished matches in the file."""

    written: dict[Number, str] = field(default_factory=dict)
    """The digests of their records as built from the tables, by match."""
    outlines: dict[Number, Ended | None] = field(default_factory=dict)
    """Their results; None if everybody has hidden them."""
    to_write: set[Number] = field(default_factory=set)
    """Matches whose missing records will be written at the next start."""
    going_on: dict[Number, Match] = field(default_factory=dict)
    """Unfinished matches, as their tables have them."""

    def add(self, number: Number, match: Match | None) -> None:
        """Add a match that the tables have completely, if it is over."""
        if number not in self.written and match is not None and match.is_over:
            self.written[number] = _digest_of(match)


Verify: TypeAlias = Callable[[Path, bytes], Text | None]
"""Returns what is wrong with the signature beside a record file with this content."""


async def faults_of(
    folder: Path, verify: Verify, *, with_records: bool = True
) -> AsyncGenerator[Fault, None]:
    """Yield all faults of a data folder, without changing it."""
    path, over = folder / DATABASE, _Over()
    if (lost := are_lost(path)) is not False:
        yield Fault(Damage.WRITES, str(path), _of_last_writes(str(wal_of(path)), is_sure=bool(lost)))
    try:
        refuse_empty(path)
        is_damaged = False
        for said in told(_losses(path)):
            is_damaged = True
            yield Fault(Damage.ROWS, str(path), said)
        async with reading(path) as database:
            try:
                async for fault in _in_database(database, str(path), over):
                    is_damaged = is_damaged or fault.what is Damage.FILE
                    yield fault
                async for fault in _in_records_alone(database, folder / RECORDS, over):
                    yield fault
            except StorageFailed as error:
                yield Fault(Damage.FILE, str(path), error.for_host)
            except Exception:
                if not is_damaged:
                    raise  # a bug of ours
                # a damaged index has values that were never stored
                said = text("{file} is damaged: it contains data that was never stored.", file=str(path))
                yield Fault(Damage.FILE, str(path), said)
    except StorageFailed as error:
        yield Fault(_unread(path, error), str(path), error.for_host)
    for fault in _in_records(folder / RECORDS, over, verify) if with_records else ():
        yield fault


async def faults_of_store(address: str) -> AsyncGenerator[Fault, None]:
    """Yield all faults of a PostgreSQL database, which servers may use meanwhile."""
    # imported here: asyncpg is an extra
    from kk_server.storage.postgres import open_postgres, shown_address

    try:
        database = await open_postgres(address, may_create=False)
        try:
            async for fault in _in_tables(database, _Over()):
                yield replace(fault, is_shared=True)
        finally:
            await database.close()
    except StorageFailed as error:
        yield Fault(Damage.UNREAD, shown_address(address), error.for_host)


def _unread(path: Path, error: StorageFailed) -> Damage:
    """Return the kind of damage of an unreadable file; it decides whether repair is suggested."""
    if not isinstance(error, Damaged):
        return Damage.UNREAD
    return Damage.FILE if can_be_saved(path) else Damage.NOTHING


def _of_last_writes(file: str, *, is_sure: bool) -> Text:
    if is_sure:
        return text("{file} is damaged: some of the last writes are lost.", file=file)
    return text("{file} is damaged at its end: the last writes may be lost.", file=file)


def _losses(path: Path) -> list[Loss]:
    with readable(path) as address:
        try:
            return losses(address)
        except FAULTS as error:
            raise unreadable(path, error) from None


def told(losses: Sequence[Loss]) -> list[Text]:
    """Return sentences about losses."""
    said = [line for loss in losses for line in _told_of(loss)]
    if unknown := [loss.table for loss in losses if loss.rows is None]:
        said.append(texts("An unknown number of rows of {tables} is lost.",
                          "An unknown number of rows of {n} tables is lost: {tables}.",
                          len(unknown), tables=", ".join(unknown)))  # fmt: skip
    if hidden := [loss.table for loss in losses if not loss.is_real]:
        said.append(texts("All rows of {tables} are there, but SQLite does not find them.",
                          "All rows of {n} tables are there, but SQLite does not find them: {tables}.",
                          len(hidden), tables=", ".join(hidden)))  # fmt: skip
    return said


def _told_of(loss: Loss) -> Iterator[Text]:
    rows, strange, table = loss.rows, loss.strange, loss.table
    names = ", ".join(loss.names[:_MOST_NAMES]) + ", ..." * (len(loss.names) > _MOST_NAMES)
    if rows and names:
        yield texts("{n} row of {table} is lost ({names}).", "{n} rows of {table} are lost ({names}).",
                    rows, table=table, names=names)  # fmt: skip
    elif rows:
        yield texts("{n} row of {table} is lost.", "{n} rows of {table} are lost.", rows, table=table)
    if loss.doubtful:
        yield texts(
            "{n} row of {table} was found that may have been deleted before.",
            "{n} rows of {table} were found that may have been deleted before.",
            loss.doubtful, table=table,
        )  # fmt: skip
    if strange:
        yield texts("{n} row of {table} differs from what was stored.",
                    "{n} rows of {table} differ from what was stored.", strange, table=table)  # fmt: skip


async def _in_database(database: SqliteDatabase, path: str, over: _Over) -> AsyncIterator[Fault]:
    for (line,) in await database.rows("PRAGMA integrity_check(10)"):
        if line != "ok":
            yield Fault(Damage.FILE, path, text("{file} is damaged: {reason}", file=path, reason=str(line)))
    async for fault in _in_tables(database, over):
        yield fault


async def _in_tables(database: Database, over: _Over) -> AsyncIterator[Fault]:
    log = SqlLog(database)
    known = {table.id: table for table in await log.listed()}
    for (table,) in await database.rows("SELECT DISTINCT table_id FROM entries"):
        fault = await _in_table(log, str(table), known.get(table), over)
        if fault is not None:
            yield fault
    archive = Archive(database)
    for table, number in await archive.matches():
        fault = await _in_match(log, archive, table, number, over)
        if fault is not None:
            yield fault
    for table, number, result in await database.rows(_RESULTS, (AT_HOME,)):
        over.outlines.setdefault((str(table), int(number)), None)
        with suppress(msgspec.MsgspecError, TypeError):  # the user has hidden it
            over.outlines[str(table), int(number)] = msgspec.json.decode(result, type=Ended)


async def _in_table(log: SqlLog, table: str, listed: ListedTable | None, over: _Over) -> Fault | None:
    try:
        stored = await log.read(table)
        if stored.damage is not None:
            raise stored.damage
        if not stored.entries:
            return None  # purged in the meantime
        state: TableState
        # replayed as when the server starts, so that whatever would fail there fails here
        for state in replay_states(stored.entries, await data_for(log, stored.entries)):
            if _has_record(state):
                over.add((table, state.matches), state.match)
    except Exception as error:
        return _fault(Damage.TABLE, table, error)
    if state.match is not None and not state.match.is_over:
        over.going_on[table, state.matches] = state.match
    # unless a server has gone on meanwhile
    known = listed.summary if listed is not None and listed.revision == len(stored.entries) else None
    # the server writes missing records of open tables when it loads them
    is_written = known is not None and known.is_kept
    if _has_record(state) and not state.is_closed and state.phase == FINISHED and not is_written:
        over.to_write.add((table, state.matches))
    if known is None or state.summary(known.at, is_kept=known.is_kept) == known:
        return None
    said = text("The summary of table {table} disagrees with its entries.", table=quoted(table))
    return Fault(Damage.SUMMARY, table, said)


def _has_record(state: TableState) -> bool:
    """Return whether finished matches of a table are written to records/."""
    return not state.created.lesson and state.created.host != AT_HOME


async def _in_match(log: SqlLog, archive: Archive, table: str, number: int, over: _Over) -> Fault | None:
    try:
        over.add((table, number), await match_of(log, await archive.entries(table, number)))
    except Exception as error:
        return _fault(Damage.MATCH, table, error, number)
    return None


async def _in_records_alone(database: SqliteDatabase, records: Path, over: _Over) -> AsyncIterator[Fault]:
    """Yield what records tell of matches and the database does not."""
    ends = endings(records, over.going_on)
    for table, number in ends:
        yield Fault(Damage.ENDED, table, _of_ending(table, number), number)
    missing = {(ended.table, ended.match): ended for ended in await missing_results(database, records)}
    for match, ended in missing.items():
        if match not in ends:
            yield await _not_in_histories(database, ended, over)
    for table, number in await strays(database, records):
        if (table, number) not in missing:
            said = text(
                "Match {match} is only in records/, and none of its players is known here.",
                match=quoted(match_name(table, number)),
            )
            yield Fault(Damage.STRAY, table, said, number)


def _of_ending(table: str, number: int) -> Text:
    # happens if an older copy of the database is used with newer records
    return text(
        "Match {match} is over in records/, but still running in its table: its last moves "
        "there, and what else was known of its end, are lost.",
        match=quoted(match_name(table, number)),
    )


async def _not_in_histories(database: SqliteDatabase, ended: Ended, over: _Over) -> Fault:
    name = quoted(match_name(ended.table, ended.match))
    if (ended.table, ended.match) in over.going_on:
        said = text("Match {match} is over in records/, but continued differently in its table.", match=name)
        return Fault(Damage.GONE, ended.table, said, ended.match)
    ((is_known,),) = await database.rows(_IS_KNOWN, (ended.table, ended.match))
    if is_known:
        said = text("Match {match} is over, but missing from some players' histories.", match=name)
        return Fault(Damage.RESULT, ended.table, said, ended.match)
    said = text("Match {match} is only in records/: what else was known of it is lost.", match=name)
    return Fault(Damage.GONE, ended.table, said, ended.match)


def _fault(what: Damage, table: str, error: Exception, number: int = 0) -> Fault:
    name = match_name(table, number) if number else table
    if isinstance(error, UnknownRules):
        said = text(
            "Table {table} cannot be continued here: {reason}", table=quoted(name), reason=error.reason
        )
        return Fault(Damage.RULES, table, said)
    # any other error means that the log has something the engine never writes
    reason: Text | str = told_host(error) if isinstance(error, KkError) else type(error).__name__
    said = text("Table {table}: {reason}", table=quoted(name), reason=reason)
    return Fault(what, table, said, number)


# -- records -------------------------------------------------------------------------------------------------


def _in_records(folder: Path, over: _Over, verify: Verify) -> Iterator[Fault]:
    if not folder.is_dir():
        if n := len(over.written.keys() | over.outlines.keys()):
            said = texts("There is no {folder}: the record of {n} match was not checked.",
                         "There is no {folder}: the records of {n} matches were not checked.",
                         n, folder=str(folder))  # fmt: skip
            yield Fault(Damage.UNSEEN, str(folder), said)
        return
    seen: set[Number] = set()
    for file in sorted(folder.glob("*.json")):
        number = match_named(file)
        fault = _in_record(file, number, over, verify)
        if number is not None:
            seen.add(number)
        if fault is not None:
            yield fault
    for number in sorted((over.written.keys() | over.outlines.keys()) - seen):
        name = quoted("{}-{}".format(*number))
        what = Damage.UNWRITTEN if number in over.to_write else _lacking(number, over)
        yield Fault(what, number[0], text("The record of match {match} is missing.", match=name), number[1])


def _in_record(file: Path, number: Number | None, over: _Over, verify: Verify) -> Fault | None:
    reason: Text | str | None
    try:
        content = file.read_bytes()
        record = parse_record(content)
        match = replay(record)
        check_written(record, content)
        reason = verify(file, content)
    except KkError as error:
        reason = error.reason
    except OSError as error:
        reason = system_reason(error)
    else:
        if number is not None and not _is_of(match, number, over):
            reason = text("This is the record of another match.")
        if reason is None:
            return None
    said = text("{file}: {reason}", file=str(file), reason=reason)
    if number is None or _lacking(number, over) is Damage.RECORD:
        return Fault(Damage.RECORD, str(file), said)
    return Fault(Damage.ANEW, number[0], said, number[1])


def _lacking(number: Number, over: _Over) -> Damage:
    return Damage.ANEW if number in over.written else Damage.RECORD


def _is_of(match: Match, number: Number, over: _Over) -> bool:
    """Return whether a match is the one that its record file is named after, as far as that is known."""
    if number in over.written:
        return over.written[number] == _digest_of(match)
    ended = over.outlines.get(number)
    outcome = match.game.outcome(match.state)
    return ended is None or (
        outcome is not None
        and (ended.game, ended.plies, ended.points, ended.winners)
        == (match.game.meta.id, len(match.plies), totals(match.game.score(match.state)), outcome.winners)
    )


def _digest_of(match: Match) -> str:
    return sha256(format_record(record_of(match)).encode()).hexdigest()
