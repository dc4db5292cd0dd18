"""Where pages of a server's file are damaged, the start says what to do, and a repair saves what is there."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kk_core.errors import KkError
from kk_core.views import PastMatch, TableLine
from kk_server.hub.hub import Hub
from kk_server.log import log_to, silence
from kk_server.serve.server import start
from kk_server.storage.sql_log import open_log
from kk_server.storage.sqlite import DATABASE
from tests.commands.calling import kk, refused
from tests.commands.test_store import check, fill
from tests.server.hosting import here

INDEXES = [
    "sqlite_autoindex_entries_1", "sqlite_autoindex_summaries_1", "sqlite_autoindex_rules_1",
    "sqlite_autoindex_results_1", "closed", "closed_at", "started", "newest", "rating_of",
]  # fmt: skip

Told = tuple[list[TableLine], tuple[PastMatch, ...]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a match that goes on, and one that is finished."""
    folder = tmp_path_factory.mktemp("whole")
    asyncio.run(fill(folder))
    return folder


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "data")


def damage(folder: Path, name: str) -> None:
    """Write over every page of an index or a table, as a disk does that forgets."""
    path = folder / DATABASE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        pages = [n for (n,) in connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (name,))]
        ((size,),) = connection.execute("PRAGMA page_size")
    assert pages
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)


def told(folder: Path) -> Told:
    """What the lobby and Anna's history say."""

    async def ask() -> Told:
        hub = Hub(await open_log(folder / DATABASE))
        await hub.load()
        await hub.table_cache.backfilled()
        lines = hub.lobby.lines("anna"), (await hub.history.lines("anna"))[0]
        await hub.close()
        return lines

    return asyncio.run(ask())


def started(folder: Path) -> str:
    """What is said at the start of a server; nothing where it starts."""

    async def begin() -> str:
        try:
            server = await start(here(folder))
        except KkError as error:
            return str(error.reason)
        await server.close()
        return ""

    return asyncio.run(begin())


@pytest.mark.parametrize(
    "name", ["sqlite_autoindex_entries_1", "closed", "summaries", "clocks", "uptime", "rating_of"]
)
def test_the_start_says_in_a_sentence_what_to_do(data: Path, name: str) -> None:
    damage(data, name)
    assert started(data) == (
        f"{data / DATABASE} is damaged: restore a backup, or save what can be read with "
        "`kk store check --repair`."
    )


def test_a_start_that_cannot_open_the_file_says_what_the_system_says(data: Path) -> None:
    (data / DATABASE).unlink()
    (data / DATABASE).mkdir()
    assert started(data) == f"{data / DATABASE} cannot be read: Is a directory"


def empty(folder: Path) -> str:
    """Leave nothing in the file, as a full disk or a wrong copy does; gives what is said of that."""
    for name in (f"{DATABASE}-wal", f"{DATABASE}-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / DATABASE).write_bytes(b"")
    return (
        f"{folder / DATABASE} is empty, although its folder was used before: restore a backup, "
        "or delete the file to start over."
    )


def test_an_emptied_file_is_not_taken_for_a_new_one(data: Path) -> None:
    said = empty(data)
    assert started(data) == said
    checked = check(data, "--repair")
    assert (checked.code, said in checked.out) == (1, True)
    refused(kk("backup", str(data / "saved"), "--data", str(data)), 1, "is empty")
    assert (data / DATABASE).read_bytes() == b""


def test_what_a_file_holds_that_was_emptied_beside_its_last_writes_is_left_alone(data: Path) -> None:
    (data / "records").rename(data.parent / "records")
    empty(data)
    (data / f"{DATABASE}-wal").write_bytes(b"what was written last")
    assert "is empty" in started(data)
    assert (data / f"{DATABASE}-wal").read_bytes() == b"what was written last"


def test_an_empty_file_of_a_first_start_that_was_killed_is_a_new_one_and_the_log_tells_it(
    tmp_path: Path,
) -> None:
    (tmp_path / DATABASE).touch()
    (tmp_path / "lock").touch()
    lines = io.StringIO()
    log_to(lines)
    assert started(tmp_path) == ""
    silence()
    assert "an empty file is begun anew" in lines.getvalue()


@pytest.mark.parametrize("options", [(), ("--repair",)])
def test_where_nothing_is_stored_nothing_is_said_to_be_readable_nor_copied(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / DATABASE).touch()
    said = f"{tmp_path / DATABASE} is empty (0 bytes): nothing was ever stored in it, or it was cut off."
    checked = check(tmp_path, *options)
    assert (checked.code, said in checked.out, "can be read" in checked.out) == (1, True, False)
    refused(kk("backup", str(tmp_path / "saved"), "--data", str(tmp_path)), 1, "is empty (0 bytes)")
    assert (tmp_path / DATABASE).read_bytes() == b""
    assert not (tmp_path / "saved").exists()


def test_a_file_that_is_gone_from_a_used_folder_is_told_in_the_log(
    data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = io.StringIO()
    log_to(lines)
    for path in data.glob(f"{DATABASE}*"):
        path.unlink()
    assert started(data) == ""
    assert "no tables here, a new file is begun" in lines.getvalue()
    lines.truncate(0)
    assert started(tmp_path_factory.mktemp("fresh")) == ""
    silence()
    assert "no tables here" not in lines.getvalue()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to others")
def test_what_root_repairs_belongs_to_whom_it_belonged_to(data: Path) -> None:
    damage(data, "closed")
    os.chown(data / DATABASE, 65533, 65532)
    assert check(data, "--repair").code == 0
    made = (data / DATABASE).stat()
    assert (made.st_uid, made.st_gid) == (65533, 65532)


def test_where_header_and_schema_are_gone_all_is_saved_all_the_same(data: Path, whole: Path) -> None:
    damage(data, "sqlite_schema")
    assert "restore a backup" in started(data)
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True), repaired
    assert told(data) == told(whole)


def test_where_nothing_can_be_saved_no_advice_leads_to_a_repair(data: Path) -> None:
    size = (data / DATABASE).stat().st_size
    (data / DATABASE).write_bytes(b"\xff" * size)
    assert "restore a backup" in started(data)
    for more in ((), ("--repair",), ()):
        said = check(data, *more)
        assert (said.code, "nothing can be saved" in said.out, "--repair" in said.out) == (
            1,
            True,
            False,
        )
    assert not list(data.glob(f"{DATABASE}.*"))


@pytest.mark.parametrize("name", [*INDEXES, "summaries"])
def test_indexes_and_summaries_are_made_anew_and_nothing_is_lost(data: Path, whole: Path, name: str) -> None:
    damage(data, name)
    assert check(data).code == 1
    repaired = check(data, "--repair")
    assert "Nothing is lost." in repaired.out, repaired
    assert check(data).code == 0
    assert started(data) == ""
    assert told(data) == told(whole)


def test_what_is_lost_is_named_and_the_rest_goes_on(data: Path, whole: Path) -> None:
    damage(data, "results")
    repaired = check(data, "--repair")
    assert "row of results is lost (anna " in repaired.out, repaired
    assert "Nothing is lost" not in repaired.out
    assert "1 match was put back into the histories." in repaired.out
    assert (repaired.code, "All rows of results are restored." in repaired.out) == (0, True)
    assert check(data).code == 0
    assert told(data) == told(whole)
    (damaged,) = data.glob(f"{DATABASE}.damaged-*")
    assert damaged.stat().st_size > 0
