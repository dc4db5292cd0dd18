"""One PostgreSQL database: what differs from an SQLite file is here, and nothing else knows it.

The statements of `kk_server` are those that both databases understand. Types, the numbers of values in a
statement, fields of JSON, and errors are this module's own.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, lru_cache, partial
from math import ceil, inf
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.sql import Values
from kk_server.storage.sqlite import SCHEMA, TABLES
from kk_server.storage.table_log import AWAY, NOT_KEPT, NOT_READ, AnswerLost, StorageFailed, Unreachable
from kk_server.storage.tallies import COLUMNS, NUMBERED

_CONNECTIONS: Final = 8
"""Connections of a node, besides those that hold what it is home to."""

_PATIENCE: Final = 5.0
"""Seconds until a statement without an answer counts as lost."""

_WAIT: Final = 5.0
"""Seconds until a connection that is not established counts as refused."""

_LATE: Final = 1.0
"""Seconds without any answer, though there are statements, after which the database is away."""

_CREATING: Final = 0x6B6B0001
"""The advisory lock of who creates the tables."""

SERVING: Final = 0x6B6B0002
"""The advisory lock of who uses them: one server alone, or several nodes that share it."""

_UNFINISHED: Final = 0
"""The schema number of a database that is being filled."""

_BEAT: Final = 2.0
"""Seconds between two signs of life of the server that uses a database."""

_SILENT: Final = 10
"""Seconds of silence after which PostgreSQL lets another server have it."""

_IS_OWN: Final = """
    SELECT to_regclass('entries') IS NOT NULL AND array_agg(attname::text) = ARRAY['version']
    FROM pg_attribute WHERE attrelid = to_regclass('schema') AND attnum > 0 AND NOT attisdropped
"""
"""Whether a database has kk's tables, of whatever version."""

_IS_TAKEN: Final = """
    SELECT EXISTS (
        SELECT FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
            AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
            AND NOT EXISTS (
                SELECT FROM pg_depend
                WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
            )
    )
"""
"""Whether there is anything, besides what extensions have, where kk's tables would be created."""

_LACKED: Final = """
    SELECT current_user, privilege, name
    FROM unnest($1::text[]) AS name, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS privilege
    WHERE NOT has_table_privilege(quote_ident(name), privilege) LIMIT 1
"""
"""A privilege that the role of the server lacks, and the table."""

_HOLDERS: Final = """
    SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE datname = current_database() AND locktype = 'advisory' AND granted
        AND classid = 0 AND objid::bigint = $1 AND objsubid = 1
"""
"""The sessions that hold a lock."""

FAULTS: Final = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
"""Whatever a database that is away, full or not ours raises."""

_LOST: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # such as shutting down
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that PostgreSQL is just ending
    asyncpg.StatementCompletionUnknownError,
    OSError,
    TimeoutError,
)
"""The errors after which a statement may have been executed."""

_PASSING: Final = (
    *_LOST,
    asyncpg.LockNotAvailableError,
    asyncpg.TransactionRollbackError,  # such as a deadlock, or what a standby cancels to follow its primary
    asyncpg.PostgresSystemError,  # such as a disk that does not answer
    asyncpg.InsufficientResourcesError,  # such as a full disk
    asyncpg.ReadOnlySQLTransactionError,  # a standby that is about to be promoted
)
"""The errors after which the same statement may succeed in a moment."""

_OF_WRITES: Final = (
    TimeoutError,  # a primary without its standby answers all but writes
    asyncpg.PostgresSystemError,
    asyncpg.DiskFullError,
    asyncpg.ReadOnlySQLTransactionError,
)
"""The passing errors of a write that only another write can show to be over."""

_ADVICE: Final = {
    asyncpg.DiskFullError: "free up disk space on the database's machine",
    asyncpg.ReadOnlySQLTransactionError: "connect to the primary: target_session_attrs=read-write",
    asyncpg.InsufficientPrivilegeError: "give the role of the server access to its tables",
    asyncpg.TooManyConnectionsError: "raise max_connections, or start fewer nodes",
}
"""The advice to the host, by asyncpg's error."""

_NO_ANSWER: Final = text("no answer")

_logger = get_logger()

_TYPES: Final = (
    # a checksum for each row is SQLite's lack: PostgreSQL has those of its pages, and its log
    (r"CREATE TABLE tallies .*? WITHOUT ROWID;", ""),
    (r",\s+checksum INTEGER( NOT NULL)?", ""),
    (r"\bnumber INTEGER PRIMARY KEY\b", "number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
    # the order of insertion, which every table of SQLite has
    (
        r"CREATE TABLE (\w+) \((?!\s*number BIGINT GENERATED)",
        r"CREATE TABLE \1 (rowid BIGINT GENERATED ALWAYS AS IDENTITY, ",
    ),
    (r"\bINTEGER\b", "BIGINT"),
    (r"\bREAL\b", "DOUBLE PRECISION"),
    (r"\bBLOB\b", "BYTEA"),
    # names and times sort by their characters, as in SQLite, whatever the language of the database
    (r"\bTEXT\b", 'TEXT COLLATE "C"'),
    (r"\buser\b", '"user"'),
)
"""What SQLite's layout of the tables is in PostgreSQL: patterns and what they are replaced by, in order."""

_Connection: TypeAlias = asyncpg.pool.PoolConnectionProxy


class _PoolConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection of a pool, which closes some of them in tasks that nobody waits for."""

    async def close(self, **limits: Any) -> None:
        """Close it; if PostgreSQL doesn't answer, cut it off."""
        with suppress(*FAULTS):
            await super().close(**limits)


_VALUE: Final = re.compile(r"(?<![:\w]):([a-z]\w*)|\?")


class _Numbered(NamedTuple):
    """A statement with numbered values; `names` are theirs, in order, if they have any."""

    statement: str
    names: tuple[str, ...]


@lru_cache(maxsize=1000)
def _numbered(statement: str) -> _Numbered:
    """Number the values of a statement, in which they have names or are marked by `?`."""
    names = list[str]()
    count = 0

    def number(found: re.Match[str]) -> str:
        nonlocal count
        if found[1] is None:
            count += 1
            return f"${count}"
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    return _Numbered(_VALUE.sub(number, statement), tuple(names))


@cache
def layout() -> str:
    """Return the script that creates the tables in an empty database."""
    made = TABLES
    for pattern, new in _TYPES:
        made = re.sub(pattern, new, made, flags=re.DOTALL)
    return made


class PostgresDatabase:
    """A PostgreSQL database; made by `open_postgres`."""

    def __init__(self, pool: asyncpg.Pool, address: str) -> None:
        self._pool = pool
        self._address = address
        self._shown = shown_address(address)
        self._fault: Text | None = None
        self._is_away = False
        """True if any answer shows that the fault is over, such as a lost connection or a deadlock."""
        self._begun: dict[object, float] = {}
        """When each statement was begun that has no answer yet, the first one first."""
        self._answered = -inf
        """When the last answer came, to whichever statement."""
        self._logged: Text | None = None  # the last fault in the log, until something is written
        self._lock: asyncpg.Connection | None = None
        self._holding: asyncio.Task[None] | None = None
        self._session: int | None = None
        """The session that has held the lock, by its process."""

    @property
    def fault(self) -> Text | None:
        """Why it can't be written, as far as is known; None if it can."""
        # one alone may wait for a lock, for a connection, or for much to be read
        is_late = monotonic() - max(next(iter(self._begun.values()), inf), self._answered) > _LATE
        return _NO_ANSWER if self._fault is None and is_late else self._fault

    async def write(self, statement: str, values: Values) -> int:
        """Run a statement; returns the number of rows added or changed.

        Raises `StorageFailed`, which is `AnswerLost` if it may have been run nevertheless.
        """
        async with self._changing() as connection:
            return await _change(connection, statement, values)

    async def write_all(self, statements: Iterable[tuple[str, Values]]) -> list[int]:
        """Run several statements atomically; returns the number of rows that each added or changed.

        Raises `StorageFailed`, which is `AnswerLost` if they may have been run nevertheless.
        """
        async with self._changing() as connection, _transaction(connection):
            return [await _change(connection, statement, values) for statement, values in statements]

    async def settled(self) -> None:
        """Return once everything sent before is either stored or never will be. Raises `StorageFailed`."""
        # what a standby has not confirmed is not to be read yet; it is, once it has confirmed a later change
        await self.write("UPDATE schema SET version = version", {})

    async def rows(self, query: str, values: Sequence[str | int] = ()) -> list[Any]:
        """Return the rows of a query. Raises `StorageFailed`."""
        try:
            async with self._acquired() as connection:
                found = await connection.fetch(_numbered(query).statement, *values)
        except FAULTS as error:
            if isinstance(error, _LOST):
                self._note_away(error)
            why = self._tell_host(error)
            raise (Unreachable(AWAY, why) if is_passing(error) else StorageFailed(NOT_READ, why)) from None
        if self._is_away:  # what is there again takes writes, too, but perhaps nobody has any
            self._fault, self._is_away = None, False
        return [tuple(row) for row in found]

    @asynccontextmanager
    async def _acquired(self) -> AsyncIterator[_Connection]:
        begun = object()
        self._begun[begun] = monotonic()
        try:
            try:
                connection = await self._pool.acquire(timeout=_WAIT)
            except FAULTS as error:
                # whatever the reason: it could be used before, and nothing was sent to it
                self._note_away(error)
                raise Unreachable(AWAY, self._tell_host(error)) from None
            try:
                yield connection
                self._answered = monotonic()
            except asyncio.CancelledError:
                # otherwise PostgreSQL is asked to cancel the statement, too, and its answer waited for
                connection.terminate()
                raise
            except _LOST:
                # the others lead to the same machine, which may be gone without a word
                await self._pool.expire_connections()
                connection.terminate()
                raise
            finally:
                await self._pool.release(connection)
        finally:
            del self._begun[begun]

    def _note_away(self, error: Exception) -> None:
        # what only a write can show to be over stays until one succeeds
        if self._fault is None or self._is_away:
            self._fault, self._is_away = reason_of(error), True

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[_Connection]:
        try:
            async with self._acquired() as connection:
                yield connection
        except FAULTS as error:
            why = self._tell_host(error)
            if isinstance(error, _OF_WRITES) or not is_passing(error):
                self._fault, self._is_away = reason_of(error), False
            else:
                self._note_away(error)
            if not is_passing(error):
                raise StorageFailed(NOT_KEPT, why) from None
            raise (AnswerLost if isinstance(error, _LOST) else Unreachable)(AWAY, why) from None
        self._fault, self._is_away, self._logged = None, False, None

    def json_field(self, column: str, field: str) -> str:
        """Return the expression for a field of the JSON object in a column."""
        return f"(CAST(NULLIF({column}, '') AS JSON) ->> '{field}')"

    def _tell_host(self, error: Exception) -> Text:
        """Log an error, and return it as the host is told."""
        # once, until a write succeeds: while the database is away every move fails
        if (reason := reason_of(error)) != self._logged:
            self._logged = reason
            advice = _ADVICE.get(type(error), "look whether the database runs and can be reached")
            _logger.error("database not written or read", reason=str(reason), do=advice)
        return text("The database cannot be used: {reason}", reason=reason)

    async def give_back(self, pages: int) -> bool:  # noqa: ARG002
        """Do nothing: autovacuum does it. Returns False."""
        return False

    # -- copies ----------------------------------------------------------------------------------------------

    async def begin_filling(self) -> None:
        """Mark the database as unfinished, and remove what an earlier copy has left in it.

        Raises `StorageFailed`, also for one that has anything else in it.
        """
        ((version,),) = await self.rows("SELECT version FROM schema")
        for name in COLUMNS if version != _UNFINISHED else ():
            if await self.rows(f"SELECT 1 FROM {name} LIMIT 1"):
                raise StorageFailed(text("{file} is not empty; name an empty one.", file=self._shown))
        await self.write("UPDATE schema SET version = :version", {"version": _UNFINISHED})
        await self.rows(f"TRUNCATE {', '.join(COLUMNS)}")

    async def end_filling(self) -> None:
        """Mark the database as whole; new rows are numbered after those in it. Raises `StorageFailed`."""
        for name in NUMBERED:
            last = f"SELECT coalesce(max(number), 0) + 1 FROM {name}"
            await self.rows(f"SELECT setval(pg_get_serial_sequence('{name}', 'number'), ({last}), false)")
        try:
            await self.write("UPDATE schema SET version = :version", {"version": SCHEMA})
        except AnswerLost:
            await self.settled()
            if await self.rows("SELECT version FROM schema") != [(SCHEMA,)]:
                raise

    # -- who uses it -----------------------------------------------------------------------------------------

    async def hold(self, on_lost: Callable[[], None], refusal: Text | None = None) -> None:
        """Use the database as the only server, until it is closed.

        If the connection breaks and another server has taken over meanwhile, `on_lost` is called. Until then
        nothing is stored twice either way, as each entry is appended to what is really there. Raises
        `StorageFailed` if another server uses it, with the `refusal` if there is one.
        """
        try:
            lock = await self._take_over()
        except FAULTS as error:
            raise StorageFailed(cannot_be_opened(self._shown, reason_of(error))) from None
        if lock is None:
            raise StorageFailed(refusal or in_use(self._shown))
        self._lock = lock
        self._holding = spawn(self._keep(lock, on_lost), "hold the database")

    async def _take_over(self) -> asyncpg.Connection | None:
        """Return a connection that has the lock; None if another server has it.

        Raises one of `FAULTS`, also while PostgreSQL has not ended this server's own last session.
        """
        # of its own, and not of the pool, which closes what is idle
        connection = await connect(
            self._address,
            timeout=_WAIT,
            command_timeout=_BEAT,
            # a server that hangs does not close its connection: PostgreSQL does
            server_settings={"application_name": "kk lock", "idle_session_timeout": f"{_SILENT}s"},
        )
        try:
            is_ours = await connection.fetchval("SELECT pg_try_advisory_lock($1)", SERVING)
            holders = () if is_ours else await connection.fetch(_HOLDERS, SERVING)
            # none at all if it has ended since the lock was tried
            if not is_ours and all(holder == self._session for (holder,) in holders):
                raise asyncpg.InterfaceError("the last session has not ended yet")
        except BaseException:
            connection.terminate()
            raise
        if not is_ours:
            await connection.close()
            return None
        self._session = connection.get_server_pid()
        return connection

    async def _keep(self, lock: asyncpg.Connection, on_lost: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            try:
                if lock.is_closed():
                    again = await self._take_over()
                    if again is None:
                        _logger.error("another server uses the database", database=self._shown)
                        on_lost()
                        return
                    self._lock = lock = again
                await lock.execute("SELECT 1")
            except FAULTS:
                lock.terminate()

    async def close(self) -> None:
        """Close all connections; whoever comes next may hold the database."""
        if self._holding is not None:
            self._holding.cancel()
            await asyncio.wait([self._holding])
        if self._lock is not None:
            await _release(self._lock)
        try:
            await asyncio.wait_for(self._pool.close(), _WAIT)
        except FAULTS:  # nobody answers any more
            self._pool.terminate()


async def _release(lock: asyncpg.Connection) -> None:
    """Close the connection that has the lock, and wait until PostgreSQL has ended its session."""
    try:
        await lock.close(timeout=_BEAT)
    except FAULTS:  # nobody answers any more
        lock.terminate()


@asynccontextmanager
async def _transaction(connection: _Connection) -> AsyncIterator[None]:
    """Do all or nothing. What is cut off anyway is not rolled back, as it is by asyncpg's own."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield
    except _LOST:
        raise
    except Exception:
        await transaction.rollback()
        raise
    await transaction.commit()


async def _change(connection: _Connection, statement: str, values: Values) -> int:
    numbered = _numbered(statement)
    done = await connection.execute(numbered.statement, *(values[name] for name in numbered.names))
    # such as "INSERT 0 1"
    return int(done.rpartition(" ")[2])


async def open_postgres(address: str, *, may_create: bool = True, to_fill: bool = False) -> PostgresDatabase:
    """Open the database at an address, as libpq writes them; with `to_fill`, to copy another one into it.

    If it is empty, its tables are created, or it is refused. Raises `StorageFailed`.
    """
    shown, pool = shown_address(address), None
    try:
        # connected when needed: a pool that must have a connection complains in the log by itself
        pool = await asyncpg.create_pool(
            address,
            connect=connect,
            connection_class=_PoolConnection,
            min_size=0,
            max_size=_CONNECTIONS,
            timeout=_WAIT,
            command_timeout=_PATIENCE,
            # PgBouncer lets in nobody who brings other settings
            server_settings={"application_name": "kk"},
            init=partial(be_patient, seconds=_PATIENCE),
            reset=_keep,
        )
        async with pool.acquire() as connection, connection.transaction():
            # two nodes may start at once
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _CREATING)
            await _prepare(connection, shown, may_create=may_create, to_fill=to_fill)
    except BaseException as error:
        if pool is not None:
            pool.terminate()
        if isinstance(error, (*FAULTS, ValueError)):
            raise StorageFailed(cannot_be_opened(shown, reason_of(error))) from None
        raise
    return PostgresDatabase(pool, address)


async def be_patient(connection: _Connection, seconds: float) -> None:
    """Have PostgreSQL give up a statement that waits for a lock once nobody waits for it any longer.

    It does not notice that somebody who waits has gone after so many seconds, and whoever tries again leaves
    one such session after the other.
    """
    await connection.execute(f"SET lock_timeout = {ceil(1000 * (seconds + 1))}")


async def _keep(_connection: _Connection) -> None:
    """Leave a connection as it is: nothing here changes its session, and a reset is another round trip."""


async def connect(address: str, **settings: Any) -> asyncpg.Connection:
    """Connect to whichever machine of an address answers first as it should.

    asyncpg asks one after another, and would wait for a machine that is gone until the time is over.
    """
    ways = [asyncio.ensure_future(asyncpg.connect(each, **settings)) for each in _machines(address)]
    pending, found = set(ways), None
    try:
        while pending and found is None:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            found = next((way for way in done if way.exception() is None), None)
        if found is None:  # that one is a standby is no reason beside what another one says
            standby = asyncpg.TargetServerAttributeNotMatched
            found = next((way for way in ways if not isinstance(way.exception(), standby)), ways[-1])
        return await found
    finally:
        for way in ways:
            if way is not found:
                way.cancel()
                way.add_done_callback(_let_go)


def _let_go(way: asyncio.Future[asyncpg.Connection]) -> None:
    if not way.cancelled() and way.exception() is None:
        way.result().terminate()


def _machines(address: str) -> list[str]:
    """Return an address for each machine that one address names."""
    parts = urlsplit(address)
    user, at, machines = parts.netloc.rpartition("@")
    return [urlunsplit(parts._replace(netloc=user + at + machine)) for machine in machines.split(",")]


async def _prepare(connection: _Connection, shown: str, *, may_create: bool, to_fill: bool) -> None:
    """Create the tables of an empty database. Raises `StorageFailed` for one of another version."""
    if not await connection.fetchval(_IS_OWN):
        if await connection.fetchval(_IS_TAKEN):
            raise StorageFailed(
                text("{file} has tables of another program: give kk a database of its own.", file=shown)
            )
        if not may_create:
            raise StorageFailed(text("{file} is empty: no server has used it.", file=shown))
        await connection.execute(f"CREATE TABLE schema (version BIGINT NOT NULL); {layout()}")
        # from the start: a copy may be killed as soon as there are tables
        first = _UNFINISHED if to_fill else SCHEMA
        await connection.execute("INSERT INTO schema (version) VALUES ($1)", first)
    version = await connection.fetchval("SELECT version FROM schema")
    if version == _UNFINISHED:
        if to_fill:
            return
        raise StorageFailed(
            text("The copy to {file} is not finished: repeat it, or drop the database.", file=shown)
        )
    if version > SCHEMA:
        raise StorageFailed(
            text("{file} was written by a newer version ({version}).", file=shown, version=version)
        )
    if version < SCHEMA:
        raise StorageFailed(
            text(
                "{file} was written before the first release (version {version}) and cannot be read: "
                "move it away to start over.",
                file=shown, version=version,
            )
        )  # fmt: skip
    # a node that may only read would take its share of the tables, and nobody could move there
    if may_create and (lacked := await connection.fetchrow(_LACKED, _table_names())) is not None:
        role, privilege, table = lacked
        raise StorageFailed(
            cannot_be_opened(
                shown,
                text(
                    "the role {role} lacks the {privilege} privilege on the table {table}: "
                    "give it access to all of kk's tables.",
                    role=role, privilege=privilege, table=table,
                ),
            )
        )  # fmt: skip


def _table_names() -> list[str]:
    return ["schema", *re.findall(r"CREATE TABLE (\w+)", layout())]


def shown_address(address: str) -> str:
    """Return where a database is, without who uses it and how."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def in_use(shown: str) -> Text:
    """Return that another server uses a database."""
    return text("Another server is using {folder}.", folder=shown)


def cannot_be_opened(shown: str, reason: Text) -> Text:
    """Return that a database cannot be used, with the reason."""
    return text("{folder} cannot be used: {reason}", folder=shown, reason=reason)


def is_passing(error: Exception) -> bool:
    """Return whether the statement that raised an error may succeed in a moment."""
    # a value that does not fit was never sent, and never will be
    return isinstance(error, _PASSING) and not isinstance(error, ValueError)


def reason_of(error: BaseException) -> Text:
    """Return the description of an error by PostgreSQL or the system."""
    if isinstance(error, TimeoutError):
        return _NO_ANSWER
    if isinstance(error, ssl.SSLCertVerificationError):
        return text("its certificate isn't trusted: {reason}", reason=error.verify_message)
    if isinstance(error, ssl.SSLError):  # its number is none of the system's
        return Text(str(error))
    if isinstance(error, OSError) and error.errno is not None:
        return system_reason(error)
    return Text(str(error))
