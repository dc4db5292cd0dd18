"""A server's tables are copied while it runs, and the copy takes their place."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from kk_server.maintenance.backup import copy_database
from kk_server.serve.server import start
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.storage.table_log import Damaged
from tests.commands.calling import kk, refused
from tests.server.client import Client
from tests.server.hosting import here


async def test_a_backup_of_a_server_that_runs_goes_on_where_it_stood(tmp_path: Path) -> None:
    data, saved = tmp_path / "data", tmp_path / "saved.sqlite"
    server = await start(here(data))
    anna = Client(server.hub.connect("anna"))
    table = await anna.open("ku_ka_king", 2)
    await anna.sit(0, 1)
    await anna.start()
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    answer = kk("backup", str(saved), "--data", str(data))
    assert (answer.code, answer.err) == (0, "")
    assert "checked" in answer.out
    ply = anna.match.ply
    await anna.look(1)
    await anna.play(1, anna.observation.legal_moves[0])
    await server.close()

    other = tmp_path / "other"
    other.mkdir()
    saved.rename(other / DATABASE)
    server = await start(here(other))
    anna = Client(server.hub.connect("anna"))
    await anna.go_to(table)
    assert anna.match.ply == ply
    await server.close()


def modes_in(folder: Path) -> dict[str, int]:
    """What everybody may do with the files of a folder."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_nobody_else_on_the_machine_reads_tables_or_a_copy(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch(0o644)
    server = await start(here(tmp_path))
    Client(server.hub.connect("anna"))
    kk("backup", str(tmp_path / "saved.sqlite"), "--data", str(tmp_path))
    modes = modes_in(tmp_path)
    assert {"saved.sqlite", DATABASE, f"{DATABASE}-wal"} <= set(modes)
    assert set(modes.values()) <= {0o600, 0o700}
    await server.close()


def test_there_has_to_be_something_to_copy_and_nothing_is_written_over(tmp_path: Path) -> None:
    refused(kk("backup", str(tmp_path / "new"), "--data", str(tmp_path)), 2, "There is no")
    (tmp_path / DATABASE).write_bytes(b"")
    (tmp_path / "old").write_text("precious")
    refused(kk("backup", str(tmp_path / "old"), "--data", str(tmp_path)), 2, "already exists")
    assert (tmp_path / "old").read_text() == "precious"


async def test_what_a_backup_that_was_killed_has_left_is_named_and_kept(tmp_path: Path) -> None:
    await (await open_database(tmp_path / DATABASE)).close()
    left = tmp_path / "saved.part"
    left.write_bytes(b"half of it")
    said = f"{left} already exists: either another backup is running, or one was killed; if so, delete it."
    refused(kk("backup", str(tmp_path / "saved"), "--data", str(tmp_path)), 1, said)
    assert left.read_bytes() == b"half of it"
    left.unlink()
    assert kk("backup", str(tmp_path / "saved"), "--data", str(tmp_path)).code == 0


def test_a_damaged_file_gives_no_copy(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"SQLite format 3\0" + bytes(5000))
    with pytest.raises(Damaged, match="cannot be read"):
        copy_database(tmp_path / DATABASE, tmp_path / "saved")
    assert [path.name for path in tmp_path.iterdir()] == [DATABASE]


async def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    await (await open_database(tmp_path / DATABASE)).close()
    refused(kk("backup", str(tmp_path / "no" / "new"), "--data", str(tmp_path)), 1, "cannot be copied")
