"""PostgreSQL alone: answers that are lost, a database that is away, and one that is not ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from random import Random
from urllib.parse import urlsplit

import pytest

from kk_server.storage.entries import Created, Moved
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import SCHEMA
from kk_server.storage.table_log import AnswerLost, Conflict, StorageFailed
from tests.server.postgres import Postgres, require_postgres, running_postgres

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.storage.postgres import open_postgres

OPENED = Created(title="t", host="anna", game="land_cards", options={}, seats=3)

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
        self.lost = 0
        self.address = ""

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
                if self.cuts == "statement" and b"0 end" in data:
                    self._cut()
                    break
                writer.write(data)

    async def _to_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held = b""
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                held += data
                if self.cuts == "answer" and STORED in held:
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


async def test_while_the_database_is_away_nothing_is_stored_and_then_all_goes_on(journal: StringIO) -> None:
    with running_postgres() as server:
        log = SqlLog(await open_postgres(server.new_database()))
        await log.append("a", 0, OPENED)
        server.control("stop", "-m", "immediate")
        for _ in range(5):
            with pytest.raises(StorageFailed, match="couldn't read"):
                await log.read("a")
        # the host is told when the connection breaks, and why there is no other: each once
        assert journal.getvalue().count("database not written or read") <= 2
        assert journal.getvalue().count("Connection refused") == 1
        server.control("start")
        await log.append("a", 1, Moved("0 end"))
        assert (await log.read("a")).entries == (OPENED, Moved("0 end"))
        await log.close()


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
        ("DROP TABLE schema", "not written by this program"),
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


async def test_two_nodes_that_start_at_once_create_the_tables_once(postgres: Postgres) -> None:
    address = postgres.new_database()
    opened = await asyncio.gather(*(open_postgres(address) for _ in range(4)))
    assert [await each.rows("SELECT version FROM schema") for each in opened] == [[(SCHEMA,)]] * 4
    for each in opened:
        await each.close()


def test_the_tests_run_a_server_of_their_own() -> None:
    assert (require_postgres() / "postgres").exists()
