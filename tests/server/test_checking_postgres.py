"""`kk store check` reads a PostgreSQL database, also while servers use it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kk_server.maintenance.copying import copy_store
from kk_server.storage.sqlite import DATABASE
from kk_server.storage.table_log import Damaged, StorageFailed, told_host
from tests.commands.calling import Answer, kk, refused
from tests.server.hosting import probing
from tests.server.postgres import Postgres
from tests.server.test_copying import an_evening

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.storage.postgres import open_postgres
from kk_server.storage.sql_log import SqlLog

WHOLE = "Everything stored can be read; records/ was left out.\n"


async def check(store: str, *more: str) -> Answer:
    return await asyncio.to_thread(kk, "store", "check", "--store", store, *more)


def change(postgres: Postgres, store: str, statement: str) -> None:
    postgres.ask("psql", "-d", urlsplit(store).path[1:], "-c", statement)


async def test_what_cannot_be_read_is_named_with_what_to_do(tmp_path: Path, postgres: Postgres) -> None:
    store = postgres.new_database()
    table = await an_evening(tmp_path)
    await copy_store(str(tmp_path / DATABASE), store)
    assert await check(store) == (0, WHOLE, "")
    async with probing(tmp_path / "node", store=store):
        assert await check(store) == (0, WHOLE, "")
    change(postgres, store, f"UPDATE summaries SET summary = '{{}}' WHERE table_id = '{table}'")
    assert (await check(store)).code == 0, "the next start makes it again"
    change(postgres, store, f"UPDATE entries SET entry = '{{' WHERE table_id = '{table}' AND revision = 3")
    answer = await check(store)
    assert answer.code == 1
    assert f"Table '{table}'" in answer.out
    assert "Restore a backup of the database." in answer.out
    assert "--repair" not in answer.out


async def test_a_row_that_cannot_be_read_is_no_damage_to_a_file(tmp_path: Path, postgres: Postgres) -> None:
    store = postgres.new_database()
    async with probing(tmp_path, store=store):
        pass
    log = SqlLog(await open_postgres(store))
    change(postgres, store, "INSERT INTO results VALUES (DEFAULT, 'anna', 't', 1, 1, '{')")
    with pytest.raises(Damaged) as damage:
        await log.results_of("anna")
    assert str(told_host(damage.value)) == "What is stored has a row that cannot be read."
    await log.close()


async def test_a_database_that_no_server_has_used_is_refused_and_stays_empty(
    tmp_path: Path, postgres: Postgres
) -> None:
    store = postgres.new_database()
    with pytest.raises(StorageFailed, match="is empty: no server has used it"):
        await copy_store(store, str(tmp_path / "copy.sqlite"))
    answer = await check(store)
    assert answer.code == 1
    assert "is empty: no server has used it" in answer.out
    found = postgres.ask("psql", "-d", urlsplit(store).path[1:], "-At", "-c", "SELECT to_regclass('schema')")
    assert found.strip() == ""


async def test_a_shared_database_is_not_repaired_by_kk(postgres: Postgres) -> None:
    refused(await check(postgres.new_database(), "--repair"), 2, "tables.sqlite alone")
