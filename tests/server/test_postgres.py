"""PostgreSQL alone: answers that are lost, a database that is away, and one that is not ours."""

from __future__ import annotations

import asyncio
import gc
import re
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from kk_core.errors import KkError
from kk_server.hub.hub import Hub
from kk_server.maintenance.copying import copy_store
from kk_server.serve.settings import BadSettings, Sources
from kk_server.storage.entries import Created, Moved
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import SCHEMA
from kk_server.storage.table_log import AnswerLost, Conflict, StorageFailed, Unreachable
from tests.server.client import Client
from tests.server.hosting import probing
from tests.server.postgres import Postgres, replicated_postgres, running_postgres, self_signed
from tests.server.test_kill import greeted, running
from tests.waiting import patience, rest, wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

import asyncpg

from kk_server.storage.postgres import PostgresDatabase, connect, is_passing, open_postgres

RIGHTS = """
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role};
"""
"""As docs/server.md has them."""

OPENED = Created(title="t", host="anna", game="land_cards", options={}, seats=3)

STARTUP = b"\x00\x03\x00\x00"
"""How a client begins, after the length of what it says."""

STORED = b"INSERT 0 1"
READY = b"Z\x00\x00\x00\x05I"
"""What PostgreSQL sends once it has committed."""


class Forgetful:
    """A link to a server that breaks when told so: before a statement arrives, or before its answer does."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.port is not None
        self._port, self._path = parts.port, parts.path
        self.cuts = ""
        """What gets lost next: "statement", "answer", or nothing."""
        self.answer = STORED
        self.lost = 0
        self.address = ""
        self.settings = set[str]()
        """What clients have set from the start, by name."""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Link a client to the server."""
        there, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        ways = [
            asyncio.create_task(self._to_server(reader, to_server)),
            asyncio.create_task(self._to_client(there, writer)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (to_server, writer):
            end.transport.abort()

    async def _to_server(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                if data[4:].startswith(STARTUP):
                    self.settings |= set(data[4 + len(STARTUP) :].decode().split("\0")[:-2:2])
                if self.cuts == "statement" and b"0 end" in data:
                    self._cut()
                    break
                writer.write(data)

    async def _to_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held = b""
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                held += data
                if self.cuts == "answer" and self.answer in held:
                    if READY in held:
                        self._cut()
                        break
                    continue
                writer.write(held)
                held = b""

    def _cut(self) -> None:
        self.cuts = ""
        self.lost += 1


@asynccontextmanager
async def forgetful(address: str) -> AsyncIterator[Forgetful]:
    link = Forgetful(address)
    server = await asyncio.start_server(link.meet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    link.address = f"postgresql://kk@127.0.0.1:{port}{urlsplit(address).path}"
    yield link
    server.close()


async def test_no_entry_is_doubled_or_missing_whatever_gets_lost_on_the_way(postgres: Postgres) -> None:
    async with forgetful(postgres.new_database()) as link:
        log, chance = SqlLog(await open_postgres(link.address)), Random(29)
        await log.append("a", 0, OPENED)
        moves = [Moved(f"{n} 0 end") for n in range(200)]
        for revision, move in enumerate(moves, 1):
            link.cuts = chance.choice(("statement", "answer"))
            await log.append("a", revision, move)
        assert link.lost == 200
        assert (await log.read("a")).entries == (OPENED, *moves)
        await log.close()


async def test_an_answer_that_is_lost_is_not_taken_for_the_same_entry_of_others(postgres: Postgres) -> None:
    address = postgres.new_database()
    async with forgetful(address) as link:
        log, other = SqlLog(await open_postgres(link.address)), SqlLog(await open_postgres(address))
        await log.append("a", 0, OPENED)
        await other.append("a", 1, Moved("1 0 end"))
        link.cuts = "statement"
        with pytest.raises(Conflict):
            await log.append("a", 1, Moved("0 0 end"))
        assert (await other.read("a")).entries == (OPENED, Moved("1 0 end"))
        await log.close()
        await other.close()


async def test_a_statement_that_was_never_sent_is_told_apart_from_a_lost_answer(postgres: Postgres) -> None:
    async with forgetful(postgres.new_database()) as link:
        database = await open_postgres(link.address)
        add = 'INSERT INTO words ("user", words) VALUES (:user, :words)'
        link.cuts = "answer"
        with pytest.raises(AnswerLost):
            await database.write(add, {"user": "anna", "words": "0 end"})
        assert await database.rows("SELECT words FROM words") == [("0 end",)]
        with pytest.raises(StorageFailed) as refused:
            await database.write("INSERT INTO nowhere VALUES (1)", {})
        assert not isinstance(refused.value, AnswerLost)
        await database.close()


async def test_a_statement_is_one_round_trip(postgres: Postgres) -> None:
    address = postgres.new_database()
    database = await open_postgres(address)
    query = "SELECT version FROM schema"
    await database.rows(query)
    connection = await asyncpg.connect(address)
    last = "SELECT query FROM pg_stat_activity WHERE application_name = 'kk' AND datname = current_database()"
    assert [found["query"] for found in await connection.fetch(last)] == [query]
    await connection.close()
    await database.close()


async def test_a_pooler_lets_connections_in_and_nobody_waits_for_a_lock_much_longer_than_for_an_answer(
    postgres: Postgres,
) -> None:
    async with forgetful(postgres.new_database()) as link:
        database = await open_postgres(link.address)
        assert await database.rows("SHOW lock_timeout") == [("6s",)]
        await database.close()
    # all others are refused by PgBouncer unless it is told otherwise
    known = {"application_name", "client_encoding", "database", "user"}
    assert link.settings == known


async def test_while_the_database_is_away_nothing_is_stored_and_then_all_goes_on(journal: StringIO) -> None:
    with running_postgres() as server:
        log = SqlLog(await open_postgres(server.new_database()))
        await log.append("a", 0, OPENED)
        server.control("stop", "-m", "immediate")
        for _ in range(5):
            with pytest.raises(StorageFailed, match="isn't answering"):
                await log.read("a")
        # the host is told when the connection breaks, and why there is no other: each once
        assert journal.getvalue().count("database not written or read") <= 2
        assert journal.getvalue().count("Connection refused") == 1
        server.control("start")
        await log.append("a", 1, Moved("0 end"))
        assert (await log.read("a")).entries == (OPENED, Moved("0 end"))
        await log.close()


async def test_whatever_keeps_the_server_from_connecting_again_is_waited_for(postgres: Postgres) -> None:
    """As with a standby that does not have the database yet, or refuses the role while it starts."""
    address = postgres.new_database()
    name = urlsplit(address).path[1:]
    log = SqlLog(await open_postgres(address))
    await log.append("a", 0, OPENED)
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    for change in (end, f"ALTER DATABASE {name} RENAME TO {name}_away"):
        postgres.ask("psql", "-d", "postgres", "-c", change)
    with pytest.raises(Unreachable):
        await log.read("a")
    waiting = asyncio.create_task(log.append("a", 1, Moved("0 end")))
    await asyncio.sleep(0)
    assert not waiting.done()
    postgres.ask("psql", "-d", "postgres", "-c", f"ALTER DATABASE {name}_away RENAME TO {name}")
    await waiting
    assert (await log.read("a")).entries == (OPENED, Moved("0 end"))
    await log.close()


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.CannotConnectNowError, asyncpg.AdminShutdownError, asyncpg.CrashShutdownError,
        asyncpg.IdleSessionTimeoutError, asyncpg.ConnectionDoesNotExistError, asyncpg.InterfaceError,
        asyncpg.InternalClientError, asyncpg.TargetServerAttributeNotMatched, asyncpg.DeadlockDetectedError,
        asyncpg.LockNotAvailableError, asyncpg.SerializationError, asyncpg.PostgresIOError,
        asyncpg.TooManyConnectionsError, asyncpg.DiskFullError, asyncpg.ReadOnlySQLTransactionError,
        ConnectionResetError, TimeoutError,
    ],
)  # fmt: skip
def test_what_passes_by_itself_is_waited_for(error: type[Exception]) -> None:
    assert is_passing(error("why"))


@pytest.mark.parametrize(
    "error", [asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError, asyncpg.DataError]
)
def test_what_stays_as_it_is_is_refused(error: type[Exception]) -> None:
    assert not is_passing(error("why"))


async def test_two_writers_that_wait_for_each_other_are_told_to_try_again(postgres: Postgres) -> None:
    address = postgres.new_database()
    database, other = await open_postgres(address), await asyncpg.connect(address)
    log = SqlLog(database)
    await log.keep_transients({"a": (1, "1"), "b": (1, "1")})
    change = "UPDATE transients SET state = '2' WHERE table_id = '{}'"
    async with other.transaction():
        await other.execute(change.format("b"))
        waiting = asyncio.create_task(log.keep_transients({"a": (1, "3"), "b": (1, "3")}))
        while not await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        results = await asyncio.gather(waiting, other.execute(change.format("a")), return_exceptions=True)
        assert [type(each) for each in results if isinstance(each, Exception)] in (
            [Unreachable], [asyncpg.DeadlockDetectedError],
        )  # fmt: skip
    await other.close()
    await database.close()


@pytest.mark.parametrize(
    ("error", "is_over"),
    [
        (asyncpg.DeadlockDetectedError, True),
        (asyncpg.SerializationError, True),
        (asyncpg.LockNotAvailableError, True),
        (asyncpg.TooManyConnectionsError, True),
        (asyncpg.DiskFullError, False),
        (asyncpg.PostgresIOError, False),
        (asyncpg.ReadOnlySQLTransactionError, False),
        (asyncpg.InsufficientPrivilegeError, False),
    ],
)
async def test_a_read_shows_that_a_write_may_succeed_again_unless_only_a_write_can(
    postgres: Postgres, error: type[asyncpg.PostgresError], is_over: bool
) -> None:
    database = await open_postgres(postgres.new_database())
    fail = f"DO $$ BEGIN RAISE 'why' USING ERRCODE = '{error.sqlstate}'; END $$"
    with pytest.raises(StorageFailed):
        await database.write(fail, {})
    assert str(database.fault) == "why"
    await database.rows("SELECT 1")
    assert (database.fault is None) == is_over
    await database.settled()
    assert database.fault is None
    await database.close()


async def test_a_database_is_away_if_nothing_at_all_is_answered_but_not_because_one_statement_waits(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("kk_server.storage.postgres.monotonic", lambda: now)
    address = postgres.new_database()
    database, other = await open_postgres(address), await asyncpg.connect(address)
    lock = "SELECT pg_advisory_xact_lock(1)"
    async with other.transaction():
        await other.execute(lock)
        waiting = asyncio.create_task(database.rows(lock))
        while not await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert database.fault is None
        for later in (3.0, 6.0):
            now = later
            assert str(database.fault) == "no answer"
            await database.rows("SELECT 1")
            assert database.fault is None
    await waiting
    now = 9.0
    assert database.fault is None
    await other.close()
    await database.close()


@asynccontextmanager
async def frozen(database: Postgres) -> AsyncIterator[None]:
    """Let the database fall silent until the block ends."""
    database.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        database.signal(signal.SIGCONT)


async def test_a_database_that_does_not_answer_is_closed_without_a_complaint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    complaints = list[str]()
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: complaints.append(context["message"])
    )
    with running_postgres() as server:
        address = server.new_database()
        await (await open_postgres(address)).close()  # its tables are created
        for seconds in ("_PATIENCE", "_WAIT"):
            monkeypatch.setattr(f"kk_server.storage.postgres.{seconds}", 1.0)
        database = await open_postgres(address)
        await asyncio.gather(*(database.rows("SELECT 1") for _ in range(4)))
        async with frozen(server):
            for _ in range(4):
                with pytest.raises(Unreachable):
                    await database.rows("SELECT 1")
            await database.close()
            await wait_for(lambda: len(asyncio.all_tasks()) == 1)
            gc.collect()
    assert complaints == []


@pytest.mark.parametrize("asking", ["rows", "write", "write_all"])
async def test_whoever_gives_up_a_question_does_so_at_once_although_the_database_does_not_answer(
    asking: str,
) -> None:
    change = "DELETE FROM transients"
    with running_postgres() as server:
        database = await open_postgres(server.new_database())
        await database.rows("SELECT 1")
        questions: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
            "rows": partial(database.rows, "SELECT 1"),
            "write": partial(database.write, change, {}),
            "write_all": partial(database.write_all, [(change, {})]),
        }
        async with frozen(server):
            asked = asyncio.create_task(questions[asking]())
            await rest()
            asked.cancel()
            await rest()
            assert asked.cancelled()
        await questions[asking]()
        await database.close()


async def test_a_database_that_cannot_be_used_is_refused_with_the_reason(postgres: Postgres) -> None:
    address = postgres.new_database()
    there = urlsplit(address)
    for wrong, reason in (
        (address.replace(f":{there.port}", ":1"), "Connection refused"),
        (address + "0", "does not exist"),
        (address.replace("kk@", "nobody:secret@"), 'role "nobody" does not exist'),
        ("postgresql://kk@127.0.0.1:port/kk", "port"),
    ):
        with pytest.raises(StorageFailed, match=reason) as refused:
            await open_postgres(wrong)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (f"UPDATE schema SET version = {SCHEMA + 1}", "written by a newer version"),
        (f"UPDATE schema SET version = {SCHEMA - 1}", "before the first release"),
        ("DROP TABLE schema", "has tables of another program"),
    ],
)
async def test_a_database_of_another_version_is_left_alone(
    postgres: Postgres, change: str, reason: str
) -> None:
    address = postgres.new_database()
    database = await open_postgres(address)
    await database.rows(change)
    await database.close()
    with pytest.raises(StorageFailed, match=reason):
        await open_postgres(address)


def dumped(postgres: Postgres, name: str) -> str:
    """Everything in a database, without the word that each dump has of its own."""
    return re.sub(r"restrict \S+", "", postgres.ask("pg_dump", name))


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE customers (name TEXT)",
        "CREATE TABLE results (owner TEXT)",
        "CREATE TABLE schema (version BIGINT); INSERT INTO schema VALUES (3)",
        "CREATE TABLE schema (version BIGINT, name TEXT); CREATE TABLE entries (n INT)",
        "CREATE VIEW words AS SELECT 1",
    ],
)
async def test_a_database_with_tables_of_another_program_is_refused_and_left_as_it_was(
    postgres: Postgres, tmp_path: Path, other: str
) -> None:
    address = postgres.new_database()
    name = urlsplit(address).path[1:]
    postgres.ask("psql", "-d", name, "-c", other)
    before = dumped(postgres, name)
    async with probing(tmp_path):
        pass
    for attempt in (
        open_postgres(address),
        open_postgres(address, may_create=False),
        copy_store(str(tmp_path), address),
    ):
        with pytest.raises(
            StorageFailed, match="has tables of another program: give kk a database of its own"
        ):
            await attempt
    assert dumped(postgres, name) == before


async def test_tables_that_others_add_later_disturb_nobody(postgres: Postgres) -> None:
    address = postgres.new_database()
    await (await open_postgres(address)).close()
    name = urlsplit(address).path[1:]
    postgres.ask("psql", "-d", name, "-c", "CREATE TABLE customers (name TEXT)")
    database = await open_postgres(address)
    assert await database.rows("SELECT version FROM schema") == [(SCHEMA,)]
    await database.close()


@pytest.mark.parametrize("schema", ["kk", '"Kk"'])
async def test_in_a_database_of_others_kk_can_have_a_schema_of_its_own(
    postgres: Postgres, schema: str
) -> None:
    address = postgres.new_database()
    name = urlsplit(address).path[1:]
    for statement in ("CREATE TABLE results (owner TEXT)", f"CREATE SCHEMA {schema}"):
        postgres.ask("psql", "-d", name, "-c", statement)
    log = SqlLog(await open_postgres(f"{address}?search_path={quote(schema)}"))
    await log.append("a", 0, OPENED)
    await log.close()
    found = postgres.ask("psql", "-d", name, "-At", "-c", f"SELECT count(*) FROM {schema}.entries")
    assert found.strip() == "1"


async def test_two_nodes_that_start_at_once_create_the_tables_once(postgres: Postgres) -> None:
    address = postgres.new_database()
    opened = await asyncio.gather(*(open_postgres(address) for _ in range(4)))
    assert [await each.rows("SELECT version FROM schema") for each in opened] == [[(SCHEMA,)]] * 4
    for each in opened:
        await each.close()


async def test_a_role_that_may_do_no_more_than_change_rows_is_enough(
    postgres: Postgres, tmp_path: Path
) -> None:
    address = postgres.new_database()
    await (await open_postgres(address)).close()
    name = urlsplit(address).path[1:]
    postgres.ask(
        "psql",
        "-v",
        "ON_ERROR_STOP=1",
        "-d",
        name,
        "-c",
        f"CREATE ROLE {name} LOGIN; {RIGHTS.format(role=name)}",
    )
    async with probing(tmp_path, store=address.replace("kk@", f"{name}@")) as server:
        anna, beate = await match_of_two(server.hub)
        await anna.look(None)
        await anna.play_to_the_end()
        await beate.until(lambda c: c.table.phase == "finished")
    database = await open_postgres(address.replace("kk@", f"{name}@"))
    with pytest.raises(StorageFailed):
        await database.write("DROP TABLE words", {})
    await database.close()


@pytest.mark.parametrize(("right", "table"), [("INSERT", "entries"), ("UPDATE", "schema")])
async def test_a_role_that_may_not_change_some_rows_does_not_serve(
    postgres: Postgres, right: str, table: str
) -> None:
    address = postgres.new_database()
    await (await open_postgres(address)).close()
    name = urlsplit(address).path[1:]
    given = f"CREATE ROLE {name} LOGIN; {RIGHTS.format(role=name)} REVOKE {right} ON {table} FROM {name};"
    postgres.ask("psql", "-v", "ON_ERROR_STOP=1", "-d", name, "-c", given)
    served = address.replace("kk@", f"{name}@")
    with pytest.raises(StorageFailed, match=f"{name} lacks the {right} privilege on the table {table}"):
        await open_postgres(served)
    await (await open_postgres(served, may_create=False)).close()  # to be looked at


async def test_a_database_is_reached_by_tls_and_its_certificate_is_checked(tmp_path: Path) -> None:
    with running_postgres() as server:
        certificate = server.encrypt()
        address = server.new_database()
        database = await open_postgres(f"{address}?sslmode=verify-ca&sslrootcert={certificate}")
        assert await database.rows("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [(True,)]
        await database.close()
        other = tmp_path / "other.pem"
        other.write_bytes(self_signed()[1])
        with pytest.raises(StorageFailed, match="its certificate isn't trusted: self-signed certificate"):
            await open_postgres(f"{address}?sslmode=verify-ca&sslrootcert={other}")


# -- a server over it ----------------------------------------------------------------------------------------

SERVING = """
import asyncio, sys
from kk_server.serve.server import serve
from kk_server.serve.settings import Settings
from tests.server.hosting import PLENTY
asyncio.run(serve(Settings(data=sys.argv[1], port=0, limits=PLENTY, store="{store}")))
"""


async def moves(client: Client, until: int) -> None:
    """Play until the match has so many plies."""
    while client.match.ply < until:
        (seat, *_) = client.observation.active
        await client.look(seat)
        await client.play(seat, client.observation.legal_moves[-1])
    await client.look(None)


@pytest.mark.e2e
async def test_after_kill_9_of_a_server_another_one_goes_on_from_all_that_was_acknowledged(
    postgres: Postgres, tmp_path: Path
) -> None:
    program = SERVING.format(store=postgres.new_database())
    async with running(tmp_path / "one", program=program) as server:
        anna = await greeted(server.port, "anna")
        table = await anna.open("ku_ka_king", 2)
        await anna.sit(0, 1)
        await anna.start()
        await moves(anna, 6)
        before = anna.table
        await server.end(signal.SIGKILL)
        await anna.until_closed()
    async with running(tmp_path / "two", program=program) as server:
        again = await greeted(server.port, "anna")
        await again.go_to(table)
        assert again.table == before
        await again.play_to_the_end()
        await again.close()


async def match_of_two(hub: Hub) -> tuple[Client, Client]:
    """Anna in a match, on both seats, and Beate, who watches."""
    anna, beate = Client(hub.connect("anna")), Client(hub.connect("beate"))
    await anna.open("ku_ka_king", 2)
    await anna.sit(0, 1)
    await anna.start()
    await beate.go_to(anna.table.id)
    return anna, beate


async def next_move(client: Client) -> asyncio.Task[None]:
    """Make a move; returns what waits for the answer."""
    (seat, *_) = client.observation.active
    await client.look(seat)
    return asyncio.create_task(client.play(seat, client.observation.legal_moves[0]))


async def test_while_the_database_is_away_a_move_waits_as_everybody_reads_and_then_it_is_made(
    tmp_path: Path,
) -> None:
    with running_postgres() as database:
        async with probing(tmp_path, store=database.new_database()) as server:
            anna, beate = await match_of_two(server.hub)
            for _ in range(3):
                before = anna.match.ply
                database.control("stop", "-m", "immediate")
                playing = await next_move(anna)
                for client in (anna, beate):
                    await client.until(lambda c: c.table.waits)
                    assert client.match.ply == before
                assert not playing.done()
                database.control("start")
                await playing
                for client in (anna, beate):
                    await client.until(lambda c: c.match.ply == before + 1 and not c.table.waits)  # noqa: B023
                await anna.look(None)
            await anna.play_to_the_end()


async def test_while_the_database_takes_no_changes_a_move_waits(tmp_path: Path) -> None:
    with running_postgres() as database:
        address = database.new_database()
        host = await asyncpg.connect(address, server_settings={"default_transaction_read_only": "off"})

        async def take_changes(value: str) -> None:
            name = urlsplit(address).path[1:]
            await host.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            # it goes for new connections
            await host.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kk'"
            )

        async with probing(tmp_path, store=address) as server:
            anna, _ = await match_of_two(server.hub)
            await take_changes("on")
            playing = await next_move(anna)
            await anna.until(lambda c: c.table.waits)
            assert anna.match.ply == 0
            await take_changes("off")
            await playing
            assert anna.match.ply == 1
        await host.close()


async def test_a_server_ends_although_moves_wait_for_the_database(tmp_path: Path) -> None:
    with running_postgres() as database:
        address = database.new_database()
        async with probing(tmp_path, store=address) as server:
            anna, _ = await match_of_two(server.hub)
            table = anna.table.id
            database.control("stop", "-m", "immediate")
            playing = await next_move(anna)
            await anna.until(lambda c: c.table.waits)
        with pytest.raises((KkError, AssertionError)):
            await playing
        database.control("start")
        log = SqlLog(await open_postgres(address))
        assert not [entry for entry in (await log.read(table)).entries if isinstance(entry, Moved)]
        await log.close()


async def test_many_moves_that_wait_are_all_made_once_the_database_is_back() -> None:
    with running_postgres() as server:
        log = SqlLog(await open_postgres(server.new_database()))
        tables = [f"t{n:02}" for n in range(40)]
        for table in tables:
            await log.append(table, 0, OPENED)
        server.control("stop", "-m", "immediate")
        waiting = [asyncio.create_task(log.append(table, 1, Moved("0 end"))) for table in tables]
        await rest()
        server.control("start")
        await asyncio.gather(*waiting)
        for table in tables:
            assert (await log.read(table)).entries == (OPENED, Moved("0 end"))
        await log.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_match_goes_on_at_the_standby_without_a_move_lost_or_doubled(
    tmp_path: Path, number: signal.Signals
) -> None:
    with replicated_postgres() as databases:
        async with probing(tmp_path, store=databases.new_database()) as server:
            anna, beate = await match_of_two(server.hub)
            for _ in range(2):
                for _ in range(3):
                    await (await next_move(anna))
                before = anna.match.ply
                databases.fail(number)
                playing = await next_move(anna)
                await beate.until(lambda c: c.table.waits)
                databases.promote()
                await playing
                await beate.until(lambda c: c.match.ply == before + 1 and not c.table.waits)  # noqa: B023
                databases.restore()
            await anna.look(None)
            table, seen = server.hub.tables[anna.table.id], anna.match.ply
            stored = (await table._context.log.read(table.id)).entries
            assert sum(isinstance(entry, Moved) for entry in stored) == seen
            await anna.play_to_the_end()


HOLDERS = """
    SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE datname = current_database() AND application_name = 'kk lock' AND locktype = 'advisory' AND granted
"""
"""Who holds the database, by process."""


async def silenced(database: PostgresDatabase) -> None:
    """Do what PostgreSQL does to a server that is silent for too long."""
    await database.rows(f"SELECT pg_terminate_backend(pid) FROM ({HOLDERS}) AS holders")


async def takes_over(database: PostgresDatabase) -> bool:
    """Silence the server that holds a database, and return whether this one holds it then."""
    await silenced(database)
    try:
        await database.hold(lambda: None)
    except StorageFailed:
        return False
    return True


async def test_a_second_server_is_refused_and_takes_over_from_one_that_was_silent(
    postgres: Postgres,
) -> None:
    address, lost = postgres.new_database(), asyncio.Event()
    first, second = await open_postgres(address), await open_postgres(address)
    await first.hold(lost.set)
    with pytest.raises(StorageFailed, match="Another server is using"):
        await second.hold(lambda: None)
    async with asyncio.timeout(patience()):
        while not await takes_over(second):  # the first one may have been faster, or has not ended yet
            pass
    await lost.wait()
    await first.close()
    await second.close()


async def test_a_server_that_has_closed_the_database_leaves_it_to_the_next_one_at_once(
    postgres: Postgres,
) -> None:
    address = postgres.new_database()
    second = await open_postgres(address)
    for is_settled in (True, False):
        first = await open_postgres(address)
        await first.hold(lambda: None)
        if is_settled:
            assert await second.rows(HOLDERS)
        await first.close()
        assert await second.rows(HOLDERS) == []
    await second.close()


async def test_a_server_whose_connection_broke_holds_the_database_again(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.storage.postgres._BEAT", 0.05)
    address = postgres.new_database()
    first, second = await open_postgres(address), await open_postgres(address)
    await first.hold(lambda: pytest.fail("nobody has taken over"))
    before = await second.rows(HOLDERS)
    await silenced(second)
    async with asyncio.timeout(patience()):
        while (now := await second.rows(HOLDERS)) in ([], before):
            await rest()
    assert len(now) == 1
    with pytest.raises(StorageFailed, match="Another server is using"):
        await second.hold(lambda: None)
    await first.close()
    await second.close()


@asynccontextmanager
async def deaf(address: str) -> AsyncIterator[tuple[str, Callable[[], None]]]:
    """An address that leads to a database, and what cuts all links there so that only clients notice it."""
    ends, ways = list[asyncio.StreamWriter](), list[asyncio.Task[None]]()

    async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                target.write(data)
        if target not in ends:
            target.close()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_server = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)
        links.append((writer, to_server))
        ways.extend(map(asyncio.create_task, (carry(reader, to_server), carry(there, writer))))

    def cut() -> None:
        for writer, to_server in links:
            ends.append(to_server)
            writer.transport.abort()

    links = list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]]()
    door = await asyncio.start_server(meet, "127.0.0.1", 0)
    port = door.sockets[0].getsockname()[1]
    yield f"postgresql://kk@127.0.0.1:{port}{urlsplit(address).path}", cut
    door.close()
    for way in ways:
        way.cancel()
    for end in ends:
        end.close()


async def test_a_server_does_not_take_its_own_last_session_for_another_server(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.storage.postgres._BEAT", 1.0)
    address, tried, lost = postgres.new_database(), 0, list[str]()
    second = await open_postgres(address)
    async with deaf(address) as (there, cut):
        first = await open_postgres(there)
        await first.hold(lambda: lost.append("to somebody else"))
        take_over = first._take_over

        async def try_again() -> Any:
            nonlocal tried
            tried += 1
            return await take_over()

        monkeypatch.setattr(first, "_take_over", try_again)
        ((before,),) = await second.rows(HOLDERS)
        cut()
        await wait_for(lambda: tried > 2)
        assert await second.rows(HOLDERS) == [(before,)]
        await second.rows(f"SELECT pg_terminate_backend({before})")  # as it does after some seconds
        async with asyncio.timeout(patience()):
            while (await second.rows(HOLDERS)) in ([], [(before,)]):
                assert not lost
                await rest()
        with pytest.raises(StorageFailed, match="Another server is using"):
            await second.hold(lambda: None)
        await first.close()
    await second.close()


@pytest.mark.parametrize("first", [True, False])
async def test_what_the_primary_says_counts_and_not_that_another_machine_is_a_standby(
    monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    async def refused(address: str, **_settings: Any) -> None:
        if "//one" in address:
            raise asyncpg.TooManyConnectionsError("remaining connection slots are reserved")
        raise asyncpg.TargetServerAttributeNotMatched("None of the hosts match")

    monkeypatch.setattr("asyncpg.connect", refused)
    machines = "one,two" if first else "two,one"
    with pytest.raises(asyncpg.TooManyConnectionsError):
        await connect(f"postgresql://{machines}/kk?target_session_attrs=read-write")


def test_a_password_in_the_address_of_a_database_is_refused() -> None:
    for address in ("postgresql://kk:secret@db/kk", "postgresql://db/kk?password=secret"):
        with pytest.raises(BadSettings, match="PGPASSWORD") as refused:
            Sources(None, {"store": address}).read()
        assert "secret" not in str(refused.value)
    for address in ("sqlite:tables", "postgresql://db", "db/kk"):
        with pytest.raises(BadSettings, match="write postgresql://HOST/DATABASE"):
            Sources(None, {"store": address}).read()
    assert Sources(None, {"store": "postgresql://kk@db/kk"}).read().store == "postgresql://kk@db/kk"


def test_a_certificate_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "root.crt"
    store = f"postgresql://kk@db/kk?sslmode=verify-full&sslrootcert={missing}"
    with pytest.raises(BadSettings) as refused:
        Sources(None, {"store": store}).read()
    assert str(refused.value) == (
        f"store has sslrootcert={missing}, which cannot be read: No such file or directory"
    )
    missing.touch()
    assert Sources(None, {"store": store}).read().store == store
    with pytest.raises(BadSettings, match=r"sslrootcert=.*, which cannot be read: embedded null"):
        Sources(None, {"store": "postgresql://kk@db/kk?sslrootcert=%00"}).read()
