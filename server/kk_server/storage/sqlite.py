"""One SQLite file. When a write call returns, the data is on disk."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from errno import EACCES
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias, TypeVar

import aiosqlite

from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.log import get_logger
from kk_server.storage.files import set_aside_as
from kk_server.storage.sql import Values
from kk_server.storage.table_log import NOT_KEPT, NOT_READ, Damaged, FileGone, StorageFailed
from kk_server.storage.tallies import COUNTED, WATCH, row_checksum
from kk_server.storage.wal import are_lost, wal_of, with_wal

T = TypeVar("T")

DATABASE: Final = "tables.sqlite"
"""The name of the file in a data folder."""

LOCK: Final = "lock"
"""The name of the lock file beside it."""

AIOSQLITE_PRIVATE: Final = {
    "aiosqlite.core.Connection._conn": "what is read and then written goes to the thread of the file once,",
    "aiosqlite.core.Connection._execute": "which saves a round of the loop for each statement in between",
    "aiosqlite.core.Connection._thread": "a process that ends by a fault waits for no file",
}
"""The private names of aiosqlite that are used (only here), and why."""

SCHEMA: Final = 15
"""The `user_version` of files that this module writes."""

TABLES: Final = """
    CREATE TABLE entries (
        number INTEGER PRIMARY KEY,
        table_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        entry TEXT NOT NULL,
        checksum INTEGER,
        UNIQUE (table_id, revision)
    );
    CREATE INDEX closed ON entries (table_id) WHERE kind = 'closed';
    CREATE INDEX closed_at ON entries (at) WHERE kind = 'closed';
    CREATE INDEX started ON entries (table_id) WHERE kind = 'started';
    CREATE TABLE summaries (table_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, summary TEXT NOT NULL);
    CREATE TABLE rules (
        digest TEXT PRIMARY KEY, data TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0, checksum INTEGER
    );
    CREATE TABLE clocks (table_id TEXT PRIMARY KEY, clock TEXT NOT NULL, checksum INTEGER);
    CREATE TABLE bans (
        number INTEGER PRIMARY KEY, list TEXT NOT NULL, ban TEXT NOT NULL, checksum INTEGER
    );
    CREATE TABLE transients (
        table_id TEXT PRIMARY KEY, term INTEGER NOT NULL, state TEXT NOT NULL, checksum INTEGER
    );
    CREATE TABLE uptime (number INTEGER PRIMARY KEY, seconds REAL NOT NULL, checksum INTEGER);
    CREATE TABLE archive (
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        rules TEXT,
        drawing TEXT,
        entries BLOB NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (table_id, match)
    );
    CREATE TABLE set_aside (
        number INTEGER,
        table_id TEXT,
        revision INTEGER,
        at TEXT,
        kind TEXT,
        entry TEXT,
        checksum INTEGER
    );
    CREATE TABLE results (
        owner TEXT NOT NULL,
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        at INTEGER NOT NULL,
        result TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (owner, table_id, match)
    );
    CREATE INDEX newest ON results (owner, at);
    CREATE TABLE ratings (
        number INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        account TEXT NOT NULL,
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        at INTEGER NOT NULL,
        mean REAL NOT NULL,
        deviation REAL NOT NULL,
        played INTEGER NOT NULL,
        won REAL NOT NULL,
        checksum INTEGER,
        UNIQUE (table_id, match, account)
    );
    CREATE INDEX rating_of ON ratings (game, account, number);
    CREATE TABLE account_keys (
        fingerprint TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        claims TEXT UNIQUE,
        at INTEGER NOT NULL,
        name TEXT NOT NULL DEFAULT '',
        used INTEGER NOT NULL DEFAULT 0,
        told INTEGER NOT NULL DEFAULT 1,
        checksum INTEGER
    );
    CREATE INDEX keys_of ON account_keys (account);
    CREATE TABLE account_settings (account TEXT PRIMARY KEY, settings TEXT NOT NULL, checksum INTEGER);
    CREATE TABLE account_lessons (
        account TEXT NOT NULL,
        game TEXT NOT NULL,
        step INTEGER NOT NULL,
        learnt INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, game)
    );
    CREATE TABLE account_calls (
        account TEXT PRIMARY KEY, address TEXT NOT NULL, at INTEGER NOT NULL, checksum INTEGER
    );
    CREATE TABLE called_turns (
        account TEXT NOT NULL,
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, table_id)
    );
    CREATE TABLE words (
        number INTEGER PRIMARY KEY, user TEXT NOT NULL, words TEXT NOT NULL, checksum INTEGER
    );
    CREATE INDEX words_for ON words (user);
    CREATE TABLE link_codes (
        account TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, ends INTEGER NOT NULL, checksum INTEGER
    );
    CREATE TABLE welcomed (account TEXT PRIMARY KEY, digest TEXT NOT NULL, checksum INTEGER);
    CREATE TABLE daily_deals (
        day TEXT NOT NULL,
        game TEXT NOT NULL,
        seed TEXT NOT NULL,
        seats INTEGER NOT NULL,
        bot TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (day, game)
    );
    CREATE TABLE daily_tries (
        day TEXT NOT NULL,
        game TEXT NOT NULL,
        account TEXT NOT NULL,
        table_id TEXT NOT NULL,
        at INTEGER,
        points INTEGER,
        won REAL,
        signs TEXT,
        checksum INTEGER,
        PRIMARY KEY (day, game, account)
    );
    CREATE INDEX days_of ON daily_tries (account, day);
    CREATE TABLE tallies (
        name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL, checksum INTEGER NOT NULL
    ) WITHOUT ROWID;
"""
"""The layout of the tables."""

CREATE: Final = f"{TABLES} {COUNTED} PRAGMA user_version = {SCHEMA};"
"""The script that sets up an empty file; it needs `row_checksum` as an SQL function."""

_VERSION: Final = "PRAGMA user_version"
_LAYOUT: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master"

_Layout: TypeAlias = frozenset[tuple[Any, ...]]
"""The layout of tables and indexes: the rows of SQLite's schema table."""

CHECK: Final = "kk store check"
"""The command that diagnoses a file."""

_ADVICE: Final = {
    sqlite3.SQLITE_FULL: "free up disk space",
    sqlite3.SQLITE_READONLY: "give the server write access",
    sqlite3.SQLITE_CANTOPEN: "give the server write access",
}
"""The advice to the host, by SQLite's error code; `CHECK` for all others."""

_PUT_BACK: Final = "put it back where it was, or restart"


_logger = get_logger()

_SETTINGS: Final = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304;
    PRAGMA secure_delete = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
"""
"""The last two are for macOS, where `fsync` leaves everything in the cache of the drive."""

_WRITE_VERSION: Final = 18
_WAL_VERSION: Final = b"\2"
"""The header byte that says how to write to a file, and its largest known value.

SQLite opens a file with a larger one, and only reports it as read-only when written to.
"""

INCREMENTAL: Final = 2
"""The `auto_vacuum` mode in which free pages can be returned a few at a time."""

FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""The errors raised when reading a damaged file; the latter if an SQLite message quotes it."""


class WritesLost(Damaged):
    """Opening the file with SQLite would drop finished writes for good."""


class FileMoved(sqlite3.OperationalError):
    """An open file is no longer at its path: nobody would find what is written to it."""

    sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED

    def __init__(self, path: Path) -> None:
        super().__init__("it was deleted, moved or replaced")
        self.path = path


class _Identity:
    """The identity of an open file and its WAL; SQLite keeps using them even if they are deleted or moved."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _inode(path)
        self._wal: tuple[int, int] | None = None  # SQLite creates it when it needs it

    def check(self) -> None:
        """Raise `FileMoved` if the path leads to another file or to none."""
        wal = _inode(wal_of(self._path))
        if _inode(self._path) != self._file or (self._wal is not None and wal != self._wal):
            raise FileMoved(self._path)
        self._wal = wal


def _inode(path: Path) -> tuple[int, int] | None:
    # not opened: closing it would release SQLite's locks
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class SqliteDatabase:
    """An open file; created by `open_database`."""

    def __init__(self, connection: aiosqlite.Connection, identity: _Identity | None = None) -> None:
        self._connection = connection
        self._identity = identity
        self.fault: Text | None = None
        """Why it could last not be written; None since something was."""
        self._logged: Text | None = None  # the last fault in the log, until something is written
        self._writing = asyncio.Lock()

    async def write(self, statement: str, values: Values) -> int:
        """Run a statement; returns the number of rows added or changed. Raises `StorageFailed`."""
        async with self._changing():
            return await self._in_one_go(_change, statement, values)

    async def write_all(self, statements: Iterable[tuple[str, Values]]) -> list[int]:
        """Run several statements atomically; returns the number of rows that each added or changed.

        Raises `StorageFailed`.
        """
        async with self._changing():
            return await self._in_one_go(_change_all, list(statements))

    async def settled(self) -> None:
        """Do nothing: a file answers everything."""

    async def give_back(self, pages: int) -> bool:
        """Return up to `pages` free pages to the disk; True if there are more.

        Raises `StorageFailed`.
        """
        ((before,),) = await self.rows("PRAGMA freelist_count")
        async with self._changing():  # as a script: run as a statement, it stops after the first page
            await self._connection.executescript(f"PRAGMA incremental_vacuum({pages})")
        ((free,),) = await self.rows("PRAGMA freelist_count")
        if before and not free:
            await self.rows("PRAGMA wal_checkpoint")  # the file only shrinks at a checkpoint
        return 0 < int(free) < int(before)

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        async with self._writing:
            try:
                yield
            except FAULTS as error:
                self._tell_host(error)
                self.fault = reason_of(error)
                raise not_kept(error) from None
        self.fault = self._logged = None

    async def _in_one_go(self, change: Callable[..., T], *values: Any) -> T:
        """Run a function in the file's thread."""
        connection: Any = self._connection
        # in a single call, since each trip to that thread takes rounds of the loop
        changed: T = await connection._execute(self._changed, change, connection._conn, *values)
        return changed

    def _changed(self, change: Callable[..., T], *values: Any) -> T:
        if self._identity is not None:
            self._identity.check()
        return change(*values)

    async def rows(self, query: str, values: Sequence[str | int] = ()) -> list[Any]:
        """Return the rows of a query. Raises `StorageFailed`."""
        try:
            return list(await self._connection.execute_fetchall(query, values))
        except FAULTS as error:
            self._tell_host(error)
            raise not_read(error) from None

    def json_field(self, column: str, field: str) -> str:
        """Return the expression for a field of the JSON object in a column."""
        return f"CASE WHEN json_valid({column}) THEN json_extract({column}, '$.{field}') END"

    def _tell_host(self, error: Exception) -> None:
        # once, until a write succeeds: on a full disk every move fails
        if (reason := reason_of(error)) != self._logged:
            self._logged = reason
            advice = _PUT_BACK if isinstance(error, FileMoved) else _ADVICE.get(code_of(error), CHECK)
            _logger.error("file not written or read", reason=str(reason), do=advice)

    async def close(self) -> None:
        """Close the file."""
        await self._connection.close()


def _change(connection: sqlite3.Connection, statement: str, values: Values) -> int:
    with closing(connection.execute(statement, values)) as cursor:
        return cursor.rowcount


def _change_all(connection: sqlite3.Connection, statements: Iterable[tuple[str, Values]]) -> list[int]:
    # takes the write lock now: upgrading a read lock later can fail
    connection.execute("BEGIN IMMEDIATE")
    try:
        changed = [_change(connection, statement, values) for statement, values in statements]
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return changed


async def open_database(path: Path, *, read_at: str | None = None) -> SqliteDatabase:
    """Open a file, creating it if needed; with `read_at`, open that URI read-only. Raises `StorageFailed`."""
    if read_at is None:
        refuse_unfinished(path)
        refuse_emptied(path)
        refuse_lost_writes(path)
        _keep_doubtful_writes(path)
        # opening for writing gives better errors, but would change a file of another version
        with suppress(*FAULTS):
            _check_version(path, _read_only(path))
        _make_private(path)
    connecting = aiosqlite.connect(read_at or _address(path), uri=True, isolation_level=None)
    connecting._thread.daemon = True  # a crashing process must not wait for it
    try:
        connection = await connecting
    except BaseException as error:
        connecting._thread.join()  # its last callback needs this loop, which may close soon
        if isinstance(error, sqlite3.Error):
            raise unreadable(path, error, to_write=read_at is None) from None
        raise
    try:
        await _prepare(connection, path, is_read_only=read_at is not None)
    except BaseException as error:
        await connection.close()
        if isinstance(error, FAULTS):
            raise unreadable(path, error, to_write=read_at is None) from None
        raise
    return SqliteDatabase(connection, _Identity(path) if read_at is None else None)


def refuse_emptied(path: Path) -> None:
    """Raise `StorageFailed` for a file that has been emptied: SQLite would treat it as new."""
    try:
        is_empty = path.is_file() and not path.stat().st_size
    except OSError:
        return  # opening it gives the reason
    if is_empty and _was_used(path):
        raise StorageFailed(
            text(
                "{file} is empty, although its folder was used before: restore a backup, or delete "
                "the file to start over.",
                file=str(path),
            )
        )


def unfinished_copy(path: Path) -> Path:
    """Return the file that is filled before it becomes the one at a path."""
    return path.with_name(f"{path.name}.part")


def refuse_unfinished(path: Path) -> None:
    """Raise `StorageFailed` where a copy was begun and there is no file yet: it would be taken for new."""
    unfinished = unfinished_copy(path)
    if unfinished.exists() and not path.exists():
        raise StorageFailed(
            text("The copy to {file} is not finished: repeat it, or delete {unfinished}.",
                 file=str(path), unfinished=unfinished.name)
        )  # fmt: skip


def refuse_empty(path: Path) -> None:
    """Raise `StorageFailed` for any file of 0 bytes: there is nothing in it to check or to copy."""
    refuse_emptied(path)
    try:
        is_empty = not path.stat().st_size
    except OSError:
        return  # opening it gives the reason
    if is_empty:
        raise Damaged(
            text(
                "{file} is empty (0 bytes): nothing was ever stored in it, or it was cut off.", file=str(path)
            )
        )


def refuse_lost_writes(path: Path) -> None:
    """Raise `WritesLost` if the WAL is damaged, and not just torn at its end."""
    if are_lost(path):
        command = f"{CHECK} --repair --data {shlex.quote(str(path.parent))}"
        raise WritesLost(
            text(
                "{file} is damaged, and the last writes would be lost: restore a backup, or keep it "
                "aside and continue with `{command}`.",
                file=str(wal_of(path)), command=command,
            )
        )  # fmt: skip


def _keep_doubtful_writes(path: Path) -> None:
    """Copy a WAL if it cannot be determined whether its last write was finished."""
    # SQLite drops such an end when it opens the file
    if are_lost(path) is None:
        wal = wal_of(path)
        kept = set_aside_as(wal)
        try:
            shutil.copy2(wal, kept)
        except OSError as error:
            raise unreadable(kept, error, to_write=True) from None
        # a power cut leaves such an end, and nobody may be there to decide, so the server starts anyway
        _logger.warning("the last write was not finished, or is damaged", copy=str(kept), do=CHECK)


def _was_used(path: Path) -> bool:
    # all that a first start leaves behind if it is killed at once
    first, lock = {path.name, f"{path.name}-journal", LOCK}, path.with_name(LOCK)
    if not path.parent.is_dir():
        return False
    # at home there may be nothing else, but there the lock file is marked later
    is_marked = lock.is_file() and lock.stat().st_size > 0
    return is_marked or any(other.name not in first for other in path.parent.iterdir())


def _address(path: Path) -> str:
    return f"{path.absolute().as_uri()}?mode=rwc"


def _read_only(path: Path) -> str:
    return f"{path.absolute().as_uri()}?mode=ro"


def _make_private(path: Path) -> None:
    if path.exists():
        if not path.stat().st_size:  # from a first start that was killed, or a copy that failed
            _logger.warning("an empty file is begun anew", file=str(path))
    elif _was_used(path):
        _logger.warning("no tables here, a new file is begun", file=str(path))
    # it holds hands and seeds; SQLite gives the files beside it the same mode
    with suppress(OSError):  # opening it gives better errors
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)


async def _prepare(connection: aiosqlite.Connection, path: Path, *, is_read_only: bool) -> None:
    ((version,),) = await connection.execute_fetchall(_VERSION)
    layout = frozenset(map(tuple, await connection.execute_fetchall(_LAYOUT)))
    is_new = _is_new(path, version, layout)
    if is_read_only:
        if is_new:  # so that it reads as empty tables
            await connection.executescript(TABLES.replace("CREATE TABLE", "CREATE TEMP TABLE"))
        return
    if is_new:
        # only works before anything is written
        await connection.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
    await connection.executescript(_SETTINGS)
    await connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    if is_new:
        await connection.executescript(f"BEGIN IMMEDIATE; {CREATE} COMMIT;")
    await connection.executescript(WATCH)


def _is_new(path: Path, version: int, layout: _Layout) -> bool:
    """Return whether a file is new. Raises `StorageFailed` for one of another version."""
    if not version and not layout:
        return True
    own = _own_layout()
    if version == SCHEMA:
        if not own <= layout:  # a host may have added tables
            raise Damaged(_cannot_be_read(path, text("its tables have another layout")))
        return False
    if layout == own:  # every schema number has different tables
        raise Damaged(
            text(
                "{file} claims to be of another version ({version}), but its tables are those of "
                "this one ({own}): it is damaged.",
                file=str(path), version=version, own=SCHEMA,
            )
        )  # fmt: skip
    if version > SCHEMA:
        raise StorageFailed(
            text("{file} was written by a newer version ({version}).", file=str(path), version=version)
        )
    if version > 0:
        raise StorageFailed(
            text(
                "{file} was written before the first release (version {version}) and cannot be read: "
                "move it away to start over.",
                file=str(path), version=version,
            )
        )  # fmt: skip
    raise StorageFailed(text("{file} was not written by this program.", file=str(path)))


@cache
def _own_layout() -> _Layout:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        return frozenset(connection.execute(_LAYOUT))


def _check_version(path: Path, address: str) -> None:
    with suppress(OSError), path.open("rb") as file:
        if file.read(_WRITE_VERSION + 1)[_WRITE_VERSION:] > _WAL_VERSION:
            raise Damaged(_cannot_be_read(path, text("its header is damaged")))
    with closing(sqlite3.connect(address, uri=True)) as connection:
        ((version,),) = connection.execute(_VERSION)
        _is_new(path, version, frozenset(connection.execute(_LAYOUT)))


def _cannot_be_read(path: Path, reason: Text) -> Text:
    return text("{file} cannot be read: {reason}", file=str(path), reason=reason)


def not_kept(error: Exception) -> StorageFailed:
    """Return the error for a failed write."""
    if isinstance(error, FileMoved):
        said = text("{file} was deleted, moved or replaced while it was in use.", file=str(error.path))
        return FileGone(NOT_KEPT, said)
    return kind(error)(NOT_KEPT, text("The file cannot be written: {reason}", reason=reason_of(error)))


def not_read(error: Exception) -> StorageFailed:
    """Return the error for a failed read."""
    if is_of_writing(error):
        return kind(error)(NOT_READ, not_kept(error).for_host)
    return kind(error)(NOT_READ, text("The file cannot be read: {reason}", reason=reason_of(error)))


def unreadable(path: Path, error: Exception, *, to_write: bool = False) -> StorageFailed:
    """Return the error for a file that could not be opened, to read or (`to_write`) also to write it."""
    reason, is_written = reason_of(error), is_of_writing(error)
    if code_of(error) == sqlite3.SQLITE_CANTOPEN:  # SQLite gives no reason
        for mode in ("rb", "r+b") if to_write else ("rb",):
            try:
                path.open(mode).close()
            except OSError as denied:
                is_new = isinstance(denied, FileNotFoundError) and to_write
                reason, is_written = system_reason(denied), is_new or mode == "r+b"
                if is_new and path.parent.is_dir() and not os.access(path.parent, os.W_OK):
                    reason = system_reason(EACCES)
                break
    if is_written:
        return kind(error)(text("{file} cannot be written: {reason}", file=str(path), reason=reason))
    return kind(error)(_cannot_be_read(path, reason))


def content_of(path: Path) -> bytes:
    """Return a file's content including its latest writes, without SQLite. Raises `StorageFailed`."""
    try:
        content, wal = path.read_bytes(), wal_of(path)
        return with_wal(content, wal.read_bytes() if wal.exists() else b"")
    except OSError as error:
        raise unreadable(path, error) from None


def not_written(path: Path, error: Exception) -> StorageFailed:
    """Return the error for a new file that could not be written."""
    reason = reason_of(error)
    if code_of(error) == sqlite3.SQLITE_CANTOPEN and not os.access(path.parent, os.W_OK):
        reason = system_reason(EACCES)
    return StorageFailed(text("{file} cannot be written: {reason}", file=str(path), reason=reason))


_WRITING: Final = (
    sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_DELETE, sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)  # fmt: skip


def is_of_writing(error: Exception) -> bool:
    """Return whether it was a write that failed: in WAL mode even reading writes to files."""
    return (
        code_of(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
        or getattr(error, "sqlite_errorcode", None) in _WRITING
    )


# the last one if the format is unknown, or tables are not as the statements expect
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def kind(error: Exception) -> type[StorageFailed]:
    """Return `Damaged` if an error means that the file is damaged, otherwise `StorageFailed`."""
    return Damaged if code_of(error) in _DAMAGED else StorageFailed


def code_of(error: Exception) -> int:
    """Return SQLite's error code; errors without one come from reading a damaged file, or from the system."""
    if isinstance(error, OSError):
        return sqlite3.SQLITE_IOERR
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


_OF_SQLITE: Final[Mapping[int, Text]] = {
    sqlite3.SQLITE_BUSY: text("database is locked"),
    sqlite3.SQLITE_CANTOPEN: text("unable to open database file"),
    sqlite3.SQLITE_CORRUPT: text("database disk image is malformed"),
    sqlite3.SQLITE_FULL: text("database or disk is full"),
    sqlite3.SQLITE_IOERR: text("disk I/O error"),
    sqlite3.SQLITE_NOMEM: text("out of memory"),
    sqlite3.SQLITE_NOTADB: text("file is not a database"),
    sqlite3.SQLITE_READONLY: text("attempt to write a readonly database"),
}
"""What SQLite says of the errors that are not ours."""


def reason_of(error: Exception) -> Text:
    """Return the description of an error by SQLite or the system, translatable unless that is a rare one."""
    if isinstance(error, OSError):
        return system_reason(error)
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return _OF_SQLITE[sqlite3.SQLITE_FULL]  # SQLite only reports a disk I/O error
    if not isinstance(error, sqlite3.Error):
        return text("the file is damaged")
    known = _OF_SQLITE.get(code_of(error))
    # SQLite may know more than its code says, such as which table has gone
    return known if known is not None and str(known) == str(error) else Text(str(error))


_CANNOT_LAY: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@asynccontextmanager
async def reading(path: Path) -> AsyncIterator[SqliteDatabase]:
    """Open a file for reading, without changing it. Raises `StorageFailed`."""
    with readable(path) as address:
        database = await open_database(path, read_at=address)
        try:
            yield database
        finally:
            await database.close()


@contextmanager
def readable(path: Path) -> Iterator[str]:
    """Yield the URI at which SQLite can read a file as it is.

    Raises `StorageFailed`, also for a file of another version.
    """
    refuse_emptied(path)
    address = _read_only(path)
    # reading a damaged WAL would rebuild its index, which is what shows the losses
    if are_lost(path) is False:
        try:
            _check_version(path, address)
        except FAULTS as error:
            if code_of(error) not in _CANNOT_LAY:
                raise unreadable(path, error) from None
        else:
            yield address
            return
    with _unwritten(path, address) as other:
        try:
            _check_version(path, other)
        except FAULTS as error:
            raise unreadable(path, error) from None
        yield other


@contextmanager
def _unwritten(path: Path, address: str) -> Iterator[str]:
    """Yield the URI of a file that nobody writes to, or of a copy of it."""
    last = wal_of(path)
    try:
        path.open("rb").close()
        has_last_writes = last.exists() and last.stat().st_size
    except OSError as error:
        file, reason = str(error.filename or path), system_reason(error)
        raise StorageFailed(text("{file} cannot be read: {reason}", file=file, reason=reason)) from None
    # without write access SQLite cannot read a WAL, so such a file is copied first
    if not has_last_writes:
        yield address + "&immutable=1"
        return
    with ExitStack() as spare:
        try:
            folder = Path(spare.enter_context(TemporaryDirectory()))
            for each in (path, last):
                shutil.copyfile(each, folder / each.name)
        except OSError as error:
            raise StorageFailed(
                text(
                    "{file} cannot be copied, which is needed to read it: {reason}",
                    file=str(path), reason=system_reason(error),
                )
            ) from None  # fmt: skip
        yield f"{(folder / path.name).as_uri()}?mode=rw"
