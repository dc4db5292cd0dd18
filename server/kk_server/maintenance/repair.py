"""Sets aside what is damaged in a server's file, and rebuilds what follows from the rest."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kk_core.config import digest
from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.reasons import system_reason
from kk_core.record import Record, parse_record, record_of, replay
from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_server.hub.history import holders_of, match_of, until
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Ended, Moved, Started
from kk_server.storage.files import Number, match_named, name_of, record_files, set_aside_as, write_record
from kk_server.storage.sql_log import SqlLog, to_seconds
from kk_server.storage.sqlite import (
    CREATE,
    INCREMENTAL,
    SqliteDatabase,
    content_of,
    not_kept,
    not_read,
    not_written,
    open_database,
)
from kk_server.storage.summaries import PLAYING
from kk_server.storage.table_log import StorageFailed, data_for
from kk_server.storage.tallies import COLUMNS, COUNTED, Census, Loss, row_checksum, watch
from kk_server.storage.wal import wal_of
from kk_server.tables.log_writer import ended_of
from kk_server.tables.state import TableState, replay_states, replayed, restore
from kk_tui.disk import sync

_INTO_ASIDE: Final = "INSERT INTO set_aside (number, table_id, revision, at, kind, entry)"
_MOVED: Final = (
    f"{_INTO_ASIDE} SELECT number, table_id, revision, at, kind, entry FROM entries WHERE table_id = ?",
    "DELETE FROM entries WHERE table_id = ?",
    "DELETE FROM summaries WHERE table_id = ?",
)
_MATCH_MOVED: Final = (
    f"""
    {_INTO_ASIDE}
    SELECT NULL, table_id, match, NULL, 'match', entries FROM archive WHERE table_id = ? AND match = ?
    """,
    "DELETE FROM archive WHERE table_id = ? AND match = ?",
)


def set_aside(
    path: Path, tables: Iterable[str], summaries: Iterable[str], matches: Iterable[tuple[str, int]]
) -> None:
    """Move the entries of tables and matches to `set_aside`, and delete summaries; done atomically.

    Raises `StorageFailed`.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            watch(connection)
            with connection:
                for table in tables:
                    for statement in _MOVED:
                        connection.execute(statement, (table,))
                for match in matches:
                    for statement in _MATCH_MOVED:
                        connection.execute(statement, match)
                for table in summaries:
                    connection.execute("DELETE FROM summaries WHERE table_id = ?", (table,))
    except sqlite3.Error as error:
        raise not_kept(error) from None


def keep_last_writes(path: Path) -> Path:
    """Copy the damaged WAL, and continue without the unreadable part.

    Returns the path of the copy. Raises `StorageFailed`.
    """
    last = wal_of(path)
    kept = set_aside_as(last)
    try:
        kept.write_bytes(last.read_bytes())
        kept.chmod(0o600)
        _give(kept, path)
    except OSError as error:
        raise not_written(kept, error) from None
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return kept


# -- a new file ----------------------------------------------------------------------------------------------


class _Nothing(Exception):
    """Not a single row can be saved."""


def save_readable(path: Path) -> tuple[Path, list[Loss]]:
    """Replace a damaged file with a new one that has every sound row, and new indexes.

    Returns the damaged file's new path, and the real losses. Raises `StorageFailed`.
    """
    # created in the same folder, so that it can be renamed into place
    unfinished = path.with_name(f"{path.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(unfinished)) as new:
            census = Census(old, partial(content_of, path))
            if not census.is_of_this_schema:
                raise _Nothing
            losses = _copied(census, new)
        unfinished.chmod(0o600)
        _give(unfinished, path)
        with unfinished.open("rb") as file:
            sync(file.fileno())
        damaged = set_aside_as(path)
        # the damaged file needs its WAL; the new one must not inherit it
        for beside in ("", "-wal", "-shm"):
            if (other := Path(f"{path}{beside}")).exists():
                other.rename(f"{damaged}{beside}")
        unfinished.replace(path)
    except (OSError, sqlite3.Error, _Nothing) as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        if isinstance(error, _Nothing):
            said = text("Too little of {file} can be read: restore a backup.", file=str(path))
            raise StorageFailed(said) from None
        raise not_written(unfinished, error) from None
    return damaged, losses


def can_be_saved(path: Path) -> bool:
    """Return whether `save_readable` would find anything in a damaged file. Raises `StorageFailed`."""
    with closing(sqlite3.connect(":memory:")) as nothing:
        census = Census(nothing, partial(content_of, path))
        if not census.is_of_this_schema:
            return False
        return any(is_sound for name in COLUMNS for _, is_sound in census.rows(name))


def _give(made: Path, to_owner_of: Path) -> None:
    # root may be running this, and the server must be able to open the file
    with suppress(OSError):  # only root may
        os.chown(made, to_owner_of.stat().st_uid, to_owner_of.stat().st_gid)


def _copied(census: Census, new: sqlite3.Connection) -> list[Loss]:
    new.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
    new.create_function("row_checksum", -1, row_checksum, deterministic=True)
    new.executescript(CREATE)
    with new:
        copied = {name: _copy_rows(census, new, name) for name in COLUMNS}
    # an empty file would look repaired, and lose everything
    if not any(copied.values()) and census.losses:
        raise _Nothing
    new.executescript(f"BEGIN; {COUNTED} COMMIT;")
    return [loss for loss in census.losses if loss.is_real]


def _copy_rows(census: Census, new: sqlite3.Connection, name: str) -> int:
    """Copy a table; returns the number of rows. Altered entries and matches are set aside."""
    columns = COLUMNS[name]
    marks = ", ".join("?" * len(columns))
    keep = f"INSERT OR IGNORE INTO {name} ({', '.join(columns)}) VALUES ({marks})"
    copied = 0
    for values, is_sound in census.rows(name):
        if is_sound:
            new.execute(keep, values)
            copied += 1
        elif name == "entries":
            new.execute(f"{_INTO_ASIDE} VALUES (?, ?, ?, ?, ?, ?)", [*map(_storable, values)])
        elif name == "archive":
            table, match, _, _, entries = map(_storable, values)
            new.execute(f"{_INTO_ASIDE} VALUES (NULL, ?, ?, NULL, 'match', ?)", (table, match, entries))
    return copied


def _storable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # text that is not UTF-8 is stored as the bytes it was read from
    stored = value.encode("utf-8", "surrogateescape")
    return value if stored.decode("utf-8", "replace") == value else stored


def made_whole(path: Path, losses: Iterable[Loss]) -> list[Loss]:
    """Return the losses whose rows are all present again, as proven by count and checksums.

    Raises `StorageFailed`.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("SELECT name, rows, total FROM tallies")
            tallies = {name: (rows, total) for name, rows, total in found}
    except sqlite3.Error as error:
        raise not_read(error) from None
    return [loss for loss in losses if loss.tally is not None and tallies.get(loss.table) == loss.tally]


# -- rebuilding ----------------------------------------------------------------------------------------------

_KNOWN: Final = "SELECT owner, table_id, match, result FROM results"
_TIMES: Final = "SELECT revision, at FROM entries WHERE table_id = ?"
_MISSING_RULES: Final = """
    SELECT json_extract(entry, '$.rules') AS named FROM entries WHERE kind = 'started' AND json_valid(entry)
    UNION SELECT rules FROM archive EXCEPT SELECT digest FROM rules
"""
_ACCOUNTS: Final = """
    SELECT account FROM account_keys UNION SELECT account FROM account_settings
    UNION SELECT account FROM ratings UNION SELECT owner FROM results
    UNION SELECT account FROM daily_tries UNION SELECT account FROM account_lessons
"""
_NOT_CLOSED: Final = """
    SELECT table_id FROM entries EXCEPT SELECT table_id FROM entries WHERE kind = 'closed'
"""
_RATED: Final = "SELECT max(at) FROM ratings WHERE table_id = ? AND match = ?"


async def missing_results(database: SqliteDatabase, records: Path) -> list[Ended]:
    """Return the results of finished matches that are missing from somebody's history.

    Raises `StorageFailed`.
    """
    rows = await database.rows(_KNOWN)
    known = {(str(owner), str(table), match) for owner, table, match, _ in rows}
    told: dict[Number, Ended] = {}
    for _, table, match, result in rows:
        with suppress(msgspec.MsgspecError, TypeError):  # the user has hidden it
            told[str(table), match] = msgspec.json.decode(result, type=Ended)
    files = record_files(records)
    for source in (_of_tables, _of_archive, _of_records):
        async for ended in source(database, files, told.keys()):
            told[ended.table, ended.match] = ended
    return [
        ended
        for (table, match), ended in told.items()
        if any((holder.owner, table, match) not in known for holder in ended.seats if holder.owner)
    ]


_STARTED: Final = "SELECT table_id, count(*) FROM entries WHERE kind = 'started' GROUP BY table_id"
_ELSEWHERE: Final = "SELECT table_id, match FROM archive UNION SELECT table_id, match FROM results"
_ASIDE: Final = "SELECT DISTINCT table_id FROM set_aside"


async def strays(database: SqliteDatabase, records: Path) -> list[Number]:
    """Return the matches that are known only by their record files. Raises `StorageFailed`."""
    # counting starts will do: a log has all matches of its table
    started = {str(table): n for table, n in await database.rows(_STARTED)}
    known = {(str(table), match) for table, match in await database.rows(_ELSEWHERE)}
    aside = {str(table) for (table,) in await database.rows(_ASIDE)}
    return [
        (table, number)
        for table, number in record_files(records)
        if number > started.get(table, 0) and (table, number) not in known and table not in aside
    ]


def endings(records: Path, going_on: Mapping[Number, Match]) -> dict[Number, tuple[Path, tuple[str, ...]]]:
    """Return the missing moves of matches that are over in their records, and the files of these records.

    A record is recognised by its deal, since `kk play` names record files differently.
    """
    begun = {own.seed: (number, own) for number, match in going_on.items() for own in (record_of(match),)}
    found: dict[Number, tuple[Path, tuple[str, ...]]] = {}
    for file in sorted(records.glob("*.json")) if begun else ():
        with suppress(KkError, OSError):  # the record is faulty
            record = parse_record(file.read_bytes())
            number, own = begun.get(record.seed, (None, record))
            n = len(own.moves)
            if number is None or (record.game, record.options) != (own.game, own.options):
                continue
            if record.moves[:n] == own.moves and replay(record).is_over:
                found.setdefault(number, (file, record.moves[n:]))
    return found


async def _finish_matches(database: SqliteDatabase, records: Path) -> int:
    """Finish matches that are unfinished in their tables but over in their records; returns how many."""
    log, tables = SqlLog(database), dict[Number, TableState]()
    for (table,) in await database.rows(_NOT_CLOSED):
        with suppress(Exception):  # the table is faulty, which is reported elsewhere
            state = await restore(log, await log.read(table))
            if state.phase == PLAYING:
                tables[table, state.matches] = state
    going_on = {number: state.match for number, state in tables.items() if state.match is not None}
    ends = endings(records, going_on)
    for (table, number), (file, lines) in ends.items():
        for revision, line in enumerate(lines, tables[table, number].revision):
            await log.append(table, revision, Moved(line), _written(file))
    return len(ends)


async def make_again(path: Path, records: Path) -> tuple[int, int]:
    """Rebuild what follows from other data: ends of matches, and results; call `make_rules` first.

    Returns how many matches were finished, and how many were added to histories. Raises `StorageFailed`.
    """
    database = await open_database(path)
    try:
        finished = await _finish_matches(database, records)
        made = await missing_results(database, records)
        for ended in made:
            await SqlLog(database).keep_result(ended)
    finally:
        await database.close()
    return finished, len(made)


async def make_rules(path: Path, records: Path) -> None:
    """Make again the rules data that matches name and the file lacks. Raises `StorageFailed`."""
    database = await open_database(path)
    try:
        await _make_rules(database, records)
    finally:
        await database.close()


async def _make_rules(database: SqliteDatabase, records: Path) -> None:
    # today's game or a record may have the same data
    missing = {str(key) for (key,) in await database.rows(_MISSING_RULES)}
    for game_id in game_ids() if missing else ():
        if digest(data := game(game_id).rules_data) in missing:
            missing.discard(await SqlLog(database).keep_data(data))
    for file in record_files(records).values() if missing else ():
        with suppress(KkError, OSError):  # the record is faulty
            record = parse_record(file.read_bytes())
            if digest(record.rules_data) in missing:
                missing.discard(await SqlLog(database).keep_data(record.rules_data))


async def _of_tables(
    database: SqliteDatabase, _: Mapping[Number, Path], known: Collection[Number]
) -> AsyncGenerator[Ended, None]:
    """Yield results from the entries of tables, up to the first fault."""
    log = SqlLog(database)
    for (table,) in await database.rows("SELECT DISTINCT table_id FROM entries"):
        stored = await log.read(table)
        seen = {match for other, match in known if other == table}
        if sum(isinstance(entry, Started) for entry in stored.entries) <= len(seen):
            continue  # everything is known, so there is no need to replay
        times = dict(await database.rows(_TIMES, (table,)))
        with suppress(Exception):  # the table is faulty, which is reported elsewhere
            for state in replay_states(stored.entries, await data_for(log, stored.entries)):
                if state.created.lesson:
                    break
                if state.match is not None and state.match.is_over and state.matches not in seen:
                    seen.add(state.matches)
                    at, rated = to_seconds(times[state.revision - 1]), state.created.rated
                    daily = state.created.daily
                    yield ended_of(
                        table, state.matches, state.match, state.seats, at, rated=rated, daily=daily
                    )


async def _of_archive(
    database: SqliteDatabase, files: Mapping[Number, Path], known: Collection[Number]
) -> AsyncGenerator[Ended, None]:
    """Yield results from purged tables, with the people who sat there at the start."""
    log, archive = SqlLog(database), Archive(database)
    for table, number in await archive.matches():
        if (table, number) not in known:
            with suppress(Exception):  # the match is faulty
                entries = await archive.entries(table, number)
                state = replayed(entries, await data_for(log, entries))
                if state.match is not None and state.match.is_over:
                    at = await _when(database, table, number, files.get((table, number)))
                    rated, daily = state.created.rated, state.created.daily
                    yield ended_of(table, number, state.match, state.seats, at, rated=rated, daily=daily)


async def _of_records(
    database: SqliteDatabase, files: Mapping[Number, Path], known: Collection[Number]
) -> AsyncGenerator[Ended, None]:
    """Yield results from records; a seat belongs to the account with the same name, if there is one."""
    accounts = {str(account) for (account,) in await database.rows(_ACCOUNTS)}
    for (table, number), file in files.items():
        if (table, number) not in known:
            with suppress(KkError, OSError):  # the record is faulty
                match = replay(parse_record(file.read_bytes()))
                if match.is_over:
                    seats = tuple(
                        replace(holder, owner=holder.name) if holder.name in accounts else holder
                        for holder in holders_of(match)
                    )
                    at = await _when(database, table, number, file)
                    ((rated,),) = await database.rows(_RATED, (table, number))
                    yield ended_of(table, number, match, seats, at, rated=rated is not None)


async def _when(database: SqliteDatabase, table: str, number: int, file: Path | None) -> int:
    ((rated,),) = await database.rows(_RATED, (table, number))
    if rated is not None:
        return int(rated)
    if file is None:
        return 0
    return _written(file)


def _written(file: Path) -> int:
    if match_named(file) is None:
        return int(file.stat().st_mtime)
    # a copied file has a time later than its name says; then the day has to do
    day = to_seconds(f"{file.name[:10]}T00:00:00+00:00")
    written = int(file.stat().st_mtime)
    return written if day <= written < day + 24 * 3600 else day


# -- records -------------------------------------------------------------------------------------------------


async def make_records(
    path: Path, records: Path, matches: Collection[Number], sign: Callable[[bytes], str] | None
) -> list[Path]:
    """Rebuild the records of matches from the tables; files in their place are renamed.

    Returns the renamed files. Raises `KkError`.
    """
    aside: list[Path] = []
    database = await open_database(path)
    try:
        log, archive = SqlLog(database), Archive(database)
        for table, number in matches:
            entries = await archive.entries(table, number) or until((await log.read(table)).entries, number)
            match = await match_of(log, entries)
            assert match is not None, "it was replayed to its end"
            day = datetime.fromtimestamp(await _ended_at(database, (table, number)), UTC).date()
            try:
                aside += _write_anew(records, (table, number), day, record_of(match), sign)
            except OSError as error:
                raise StorageFailed(
                    text("{file} cannot be written: {reason}", file=str(records), reason=system_reason(error))
                ) from None
    finally:
        await database.close()
    return aside


def _write_anew(
    records: Path, match: Number, day: date, record: Record, sign: Callable[[bytes], str] | None
) -> list[Path]:
    aside: list[Path] = []
    for old in sorted(records.glob("*.json")):
        if match_named(old) == match:
            day = date.fromisoformat(old.name[:10])
            aside.append(old.replace(set_aside_as(old)))
    for made in write_record(records, day, name_of(match), record, sign):
        _give(made, records)
    return aside


_ENDED_AT: Final = """
    SELECT max(at) FROM (
        SELECT at FROM results WHERE table_id = ?1 AND match = ?2
        UNION SELECT at FROM ratings WHERE table_id = ?1 AND match = ?2
    )
"""


async def _ended_at(database: SqliteDatabase, number: Number) -> int:
    ((at,),) = await database.rows(_ENDED_AT, number)
    return int(at or 0)
