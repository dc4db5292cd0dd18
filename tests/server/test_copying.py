"""A database is copied whole, into one of the other kind or of the same, or it cannot be used."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kk_core.errors import KkError
from kk_core.text import Text
from kk_server.accounts.accounts import AccountStore
from kk_server.accounts.bans import BANS, MUTES, BanFile, parse_ban
from kk_server.maintenance import copying
from kk_server.maintenance.copying import copy_store
from kk_server.serve.server import start
from kk_server.storage.sql import Database
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.storage.table_log import StorageFailed
from kk_server.storage.tallies import COLUMNS, losses
from tests.commands.calling import kk, refused
from tests.server.client import Client
from tests.server.hosting import here, probing
from tests.server.ports import free_address
from tests.server.postgres import Postgres

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.storage.postgres import PostgresDatabase, open_postgres
from tests.server.test_postgres import forgetful

GAME = "ku_ka_king"
WORD = Text("It broke off.")


async def an_evening(folder: Path) -> str:
    """Leave accounts, a match that is over, and one that goes on; returns the table of that one."""
    async with probing(folder) as server:
        anna = Client(server.hub.connect("anna"))
        for is_over in (True, False):
            table = await anna.open(GAME, 2)
            await anna.sit(0, 1)
            await anna.start()
            if is_over:
                await anna.play_to_the_end()
        await anna.look(0)
        await anna.play(0, anna.observation.legal_moves[0])
    database = await open_database(folder / DATABASE)
    for name in ("anna", "beate"):
        await AccountStore(database).claim(name, name, f"key of {name}", "")
    await SqlLog(database).keep_uptime(12.5)
    await SqlLog(database).leave_word("beate", WORD)
    await database.close()
    return table


def left_of(folder: Path) -> list[str]:
    """What is left of a copy in a folder."""
    return [file.name for file in folder.glob("copy.sqlite*")]


async def stored(database: Database) -> dict[str, list[Any]]:
    """Everything in a database, in the order in which it was stored."""
    found = {}
    for name in COLUMNS:
        found[name] = [row async for rows in copying._batches(database, name) for row in rows]
    return found


async def in_file(path: Path) -> dict[str, list[Any]]:
    database = await open_database(path)
    found = await stored(database)
    await database.close()
    return found


async def test_an_evening_is_copied_to_postgresql_and_back_and_the_match_goes_on_there(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_AT_ONCE", 7)
    address = postgres.new_database()
    table = await an_evening(tmp_path / "one")
    file, back = tmp_path / "one" / DATABASE, tmp_path / "two" / DATABASE
    back.parent.mkdir()
    copied = await copy_store(str(file), address)
    assert await copy_store(address, f"sqlite:{back}") == copied
    before = await in_file(file)
    assert await in_file(back) == before
    assert copied == sum(map(len, before.values()))
    assert all(before[name] for name in ("entries", "rules", "results", "account_keys", "words", "uptime"))
    assert not losses(back.absolute().as_uri())
    async with probing(tmp_path / "three", store=address) as server:
        anna = Client(server.hub.connect("anna"))
        await anna.go_to(table)
        assert anna.match.ply == 1
        # new entries are numbered after those that were copied
        await anna.play_to_the_end()


async def test_a_data_folder_stands_for_the_database_in_it(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    await an_evening(one)
    two.mkdir()
    await copy_store(str(one), f"sqlite:{two}")
    assert await in_file(two / DATABASE) == await in_file(one / DATABASE)
    with pytest.raises(StorageFailed, match=f"{two / DATABASE} already exists"):
        await copy_store(str(one), str(two))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(StorageFailed, match=f"There is no {empty / DATABASE} to copy"):
        await copy_store(str(empty), str(tmp_path / "copy.sqlite"))


async def test_what_is_there_already_is_not_written_over(postgres: Postgres, tmp_path: Path) -> None:
    await an_evening(tmp_path)
    file, address = str(tmp_path / DATABASE), postgres.new_database()
    await copy_store(file, address)
    for target, reason in ((address, "not empty"), (file, "already exists")):
        with pytest.raises(StorageFailed, match=reason):
            await copy_store(file, target)
    with pytest.raises(StorageFailed, match="There is no"):
        await copy_store(str(tmp_path / "nothing"), postgres.new_database())


async def test_bans_beside_the_target_are_neither_replaced_nor_taken_for_those_of_the_copy(
    postgres: Postgres, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    await an_evening(one)
    two.mkdir()
    await BanFile(one / BANS).keep((parse_ban("eve", "root"),))
    for name in (BANS, MUTES):
        await BanFile(two / name).keep((parse_ban("carl", "root"),))
        with pytest.raises(StorageFailed, match=f"{name} already exists"):
            await copy_store(str(one / DATABASE), str(two / DATABASE))
        assert [ban.what for ban in await BanFile(two / name).read()] == ["carl"]
        (two / name).unlink()
        assert list(two.iterdir()) == []
    await copy_store(str(one / DATABASE), str(two / DATABASE))
    assert [ban.what for ban in await BanFile(two / BANS).read()] == ["eve"]
    # in the same folder they are those of both
    await copy_store(str(one / DATABASE), str(one / "copy.sqlite"))
    assert [ban.what for ban in await BanFile(one / BANS).read()] == ["eve"]


async def test_after_a_copy_that_was_killed_the_next_one_succeeds_with_the_bans_that_it_has_left(
    tmp_path: Path,
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    await an_evening(one)
    two.mkdir()
    await BanFile(one / BANS).keep((parse_ban("eve", "root"),))
    shutil.copy(one / BANS, two / BANS)
    (two / f"{DATABASE}.part").write_bytes(b"half of it")
    await copy_store(str(one / DATABASE), str(two / DATABASE))
    assert [ban.what for ban in await BanFile(two / BANS).read()] == ["eve"]


IN_USE = "is in use, by a server or by another copy: stop it first"


async def test_two_copies_to_one_database_do_not_get_in_each_others_way(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (tmp_path / folder / DATABASE for folder in ("one", "two"))
    address, compare = postgres.new_database(), copying._compare
    await an_evening(one.parent)
    shutil.copytree(one.parent, two.parent)

    async def copy_again(source: Database, target: Database, name: str) -> None:
        for other in (one, two):
            with pytest.raises(KkError, match=IN_USE):
                await copy_store(str(other), address)
        await compare(source, target, name)

    monkeypatch.setattr(copying, "_compare", copy_again)
    await copy_store(str(one), address)


async def test_a_copy_is_whole_although_the_answer_to_its_last_statement_is_lost(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, address, end_filling = tmp_path / DATABASE, postgres.new_database(), PostgresDatabase.end_filling
    await an_evening(tmp_path)
    async with forgetful(address) as link:

        async def lose_the_answer(database: PostgresDatabase) -> None:
            link.answer, link.cuts = b"UPDATE 1", "answer"
            await end_filling(database)

        monkeypatch.setattr(PostgresDatabase, "end_filling", lose_the_answer)
        await copy_store(str(one), link.address)
        assert link.lost == 1
    database = await open_postgres(address)
    assert await stored(database) == await in_file(one)
    await database.close()


async def test_a_database_that_a_server_uses_is_not_copied(postgres: Postgres, tmp_path: Path) -> None:
    address, other = postgres.new_database(), postgres.new_database()
    one = str(tmp_path / "one" / DATABASE)
    async with probing(tmp_path / "one"):
        with pytest.raises(KkError, match=IN_USE):
            await copy_store(one, other)
    for node in (None, free_address()):
        async with probing(tmp_path / "two", store=address, node=node):
            for source, target in ((address, other), (one, address)):
                with pytest.raises(KkError, match=r"postgresql://.*" + IN_USE):
                    await copy_store(source, target)


async def test_a_copy_that_breaks_off_is_not_taken_for_a_whole_one(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await an_evening(tmp_path)
    address, file = postgres.new_database(), tmp_path / "copy.sqlite"

    async def break_off(*_: object) -> None:
        raise StorageFailed(WORD)

    monkeypatch.setattr(copying, "_compare", break_off)
    for target in (address, str(file)):
        with pytest.raises(StorageFailed, match="broke off"):
            await copy_store(str(tmp_path / DATABASE), target)
    assert not left_of(tmp_path)
    with pytest.raises(StorageFailed, match="is not finished"):
        await open_postgres(address)


KILLED = """
import asyncio, os, signal, sys
from kk_server.maintenance import copying
from kk_server.storage.postgres import PostgresDatabase

async def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

source, target, moment = sys.argv[1:]
setattr(PostgresDatabase if hasattr(PostgresDatabase, moment) else copying, moment, die)
asyncio.run(copying.copy_store(source, target))
"""
"""A copy that is killed in place of taking a step."""


def killed_copy(source: Path, target: str, moment: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(source), target, moment], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("moment", ["begin_filling", "end_filling"])
async def test_a_database_whose_copy_was_killed_is_not_served_and_the_next_copy_begins_anew(
    postgres: Postgres, tmp_path: Path, moment: str
) -> None:
    one, address = tmp_path / "one" / DATABASE, postgres.new_database()
    await an_evening(one.parent)
    killed_copy(one, address, moment)
    unfinished = r"The copy to postgresql://.* is not finished: repeat it, or drop the database\."
    with pytest.raises(KkError, match=unfinished):
        await start(here(tmp_path / "two", store=address))
    checked = await asyncio.to_thread(kk, "store", "check", "--store", address)
    assert checked.code == 1
    assert "is not finished" in checked.out
    with pytest.raises(StorageFailed, match=unfinished):
        await copy_store(address, str(tmp_path / "copy.sqlite"))
    await copy_store(str(one), address)
    database = await open_postgres(address)
    assert await stored(database) == await in_file(one)
    await database.close()


async def test_a_file_whose_copy_was_killed_is_not_taken_for_new_and_the_next_copy_begins_anew(
    tmp_path: Path,
) -> None:
    one, two = tmp_path / "one" / DATABASE, tmp_path / "two" / DATABASE
    await an_evening(one.parent)
    two.parent.mkdir()
    killed_copy(one, str(two), "_compare")
    assert (two.parent / f"{DATABASE}.part-wal").exists()
    unfinished = f"The copy to {two} is not finished: repeat it, or delete {DATABASE}.part."
    with pytest.raises(KkError) as stopped:
        await start(here(two.parent))
    assert str(stopped.value) == unfinished
    checked = await asyncio.to_thread(kk, "store", "check", "--data", str(two.parent))
    refused(checked, 1, unfinished)
    assert not two.exists()
    await copy_store(str(one), str(two))
    assert await in_file(two) == await in_file(one)
    assert not list(two.parent.glob("*.part*"))


@pytest.mark.parametrize("change", ["UPDATE entries SET entry = '' WHERE revision = 0", "DELETE FROM rules"])
async def test_a_copy_that_differs_from_its_source_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    await an_evening(tmp_path)
    compare = copying._compare

    async def changed(source: Database, target: Database, name: str) -> None:
        await target.write(change, {})
        await compare(source, target, name)

    monkeypatch.setattr(copying, "_compare", changed)
    with pytest.raises(StorageFailed, match="differs from its source"):
        await copy_store(str(tmp_path / DATABASE), str(tmp_path / "copy.sqlite"))
    assert not left_of(tmp_path)
