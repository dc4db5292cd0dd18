"""`kk store check` reads all that a server has stored, and sets aside what is damaged."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kk_core.errors import KkError
from kk_core.protocol.messages import GetRecord, RecordText
from kk_core.text import text
from kk_server.accounts.names import AT_HOME
from kk_server.cli.play import home_hub
from kk_server.hub.hub import Hub
from kk_server.maintenance.repair import strays
from kk_server.serve.server import start
from kk_server.ssh.host_keys import host_key, signer_of
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Closed
from kk_server.storage.files import RecordFolder
from kk_server.storage.folder import hold_folder
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.sqlite import DATABASE, open_database, reading
from kk_server.storage.tallies import watch
from kk_server.tables.expiry import Purger
from kk_tui.saving import SaveState
from tests.commands.calling import Answer, kk, kk_process, refused
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.waiting import patience, wait_for
from tools.trials.damages import PAGE, matches_of, pages_of, rows_in

GAME = "ku_ka_king"


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, str]:
    """A data folder with a match that goes on, and one that is finished."""
    return asyncio.run(fill(tmp_path))


async def fill(folder: Path) -> tuple[str, str]:
    hub = Hub(
        await open_log(folder / DATABASE),
        bot_pause=0,
        limits=PLENTY,
        keep_record=RecordFolder(folder / "records").keep,
    )
    await hub.load()
    found = []
    for plays_on in (False, True):
        anna = Client(hub.connect("anna"))
        found.append(await anna.open(GAME, 2))
        await anna.sit(0, 1)
        await anna.start()
        if plays_on:
            await anna.play_to_the_end()
    await hub.close()
    return found[0], found[1]


def change(folder: Path, statement: str, *values: str) -> int:
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        return connection.execute(statement, values).rowcount


def check(folder: Path, *more: str) -> Answer:
    return kk("store", "check", "--data", str(folder), *more)


@pytest.mark.usefixtures("tables")
def test_a_store_in_which_nothing_is_wrong_is_good(tmp_path: Path) -> None:
    said = check(tmp_path)
    assert (said.code, said.out) == (0, "Everything stored can be read.\n")


def hinder(folder: Path) -> None:
    """Let SQLite lay nothing beside the file, as on a read-only file system; root is hindered, too."""
    (folder / f"{DATABASE}-shm").mkdir()


@pytest.mark.usefixtures("tables")
def test_where_nothing_can_be_written_a_good_file_is_good_and_can_be_copied(tmp_path: Path) -> None:
    hinder(tmp_path)
    said = check(tmp_path)
    assert (said.code, said.out) == (0, "Everything stored can be read.\n")
    assert kk("backup", str(tmp_path / "saved"), "--data", str(tmp_path)).code == 0


def test_there_what_a_killed_server_has_written_last_is_read_too(tmp_path: Path) -> None:
    killed, other, saved = tmp_path / "killed", tmp_path / "other", tmp_path / "saved"
    for folder in (killed, other, saved):
        folder.mkdir()
    asyncio.run(fill(killed))
    with closing(sqlite3.connect(killed / DATABASE, isolation_level=None)) as connection:
        watch(connection)
        connection.execute("UPDATE uptime SET seconds = 12345.0")
        for name in (DATABASE, f"{DATABASE}-wal"):
            shutil.copyfile(killed / name, other / name)
    shutil.copytree(killed / "records", other / "records")
    hinder(other)
    assert check(other).code == 0
    assert kk("backup", str(saved / DATABASE), "--data", str(other)).code == 0
    with closing(sqlite3.connect(saved / DATABASE)) as connection:
        assert connection.execute("SELECT seconds FROM uptime").fetchall() == [(12345.0,)]


def be_of_version(folder: Path, version: int) -> None:
    """Give a file the number of another version, and a table as that one has it."""
    change(folder, "ALTER TABLE words ADD COLUMN at INTEGER")
    change(folder, f"PRAGMA user_version = {version}")


OTHER_VERSIONS = {
    8: "was written before the first release (version 8) and cannot be read: move it away to start over.",
    99: "was written by a newer version (99).",
}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("version", OTHER_VERSIONS)
def test_a_file_of_another_version_is_not_called_damaged_and_stays_as_it_is(
    tmp_path: Path, version: int
) -> None:
    be_of_version(tmp_path, version)
    said, stored = check(tmp_path), (tmp_path / DATABASE).read_bytes()
    assert said.code == 1
    assert f"{tmp_path / DATABASE} {OTHER_VERSIONS[version]}" in said.out
    assert "--repair" not in said.out
    repaired = check(tmp_path, "--repair")
    assert (repaired.code, repaired.err) == (1, said.err)
    assert (tmp_path / DATABASE).read_bytes() == stored
    assert not list(tmp_path.glob(f"{DATABASE}.damaged-*"))


@pytest.mark.parametrize("version", OTHER_VERSIONS)
def test_whoever_needs_a_file_of_another_version_reads_why_it_is_refused(
    tmp_path: Path, tables: tuple[str, str], version: int
) -> None:
    be_of_version(tmp_path, version)
    stored, sentence = (tmp_path / DATABASE).read_bytes(), f"{tmp_path / DATABASE} {OTHER_VERSIONS[version]}"
    refused(kk("backup", str(tmp_path / "saved"), "--data", str(tmp_path)), 1, sentence)
    refused(kk("record", "export", "--unfinished", str(tmp_path / tables[0])), 1, sentence)
    refused(kk_process("serve", "--port", "0", "--data", str(tmp_path)), 1, sentence)
    assert (tmp_path / DATABASE).read_bytes() == stored
    assert not (tmp_path / "saved").exists()


@pytest.mark.usefixtures("tables")
def test_a_process_ends_that_leaves_the_file_open_by_a_fault(tmp_path: Path) -> None:
    opening = (
        "import asyncio, sys; from pathlib import Path; from kk_server.storage.sqlite import open_database;"
        "asyncio.run(open_database(Path(sys.argv[1]))); raise SystemExit(7)"
    )
    command = [sys.executable, "-c", opening, str(tmp_path / DATABASE)]
    assert subprocess.run(command, timeout=patience(), check=False).returncode == 7


def test_a_damaged_table_is_named_and_set_aside_and_its_rows_are_kept(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    bad, good = tables
    assert (
        change(tmp_path, "UPDATE entries SET entry = 'burnt' WHERE revision = 2 AND table_id = ?", bad) == 1
    )
    said = check(tmp_path)
    assert said.code == 1
    assert bad in said.out
    assert "--repair" in said.out
    assert good not in said.out
    assert "faults were found" in said.err
    repaired = check(tmp_path, "--repair")
    assert repaired.code == 1
    assert f"1 row of entries is lost ({bad})." in repaired.out
    assert "1 row of entries differs from what was stored." in repaired.out
    assert "Nothing is lost" not in repaired.out
    assert check(tmp_path).code == 0
    rows = "SELECT entry FROM set_aside WHERE table_id = ? AND revision = 2"
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        assert connection.execute(rows, (bad,)).fetchall() == [("burnt",)]
        assert connection.execute("SELECT DISTINCT table_id FROM entries").fetchall() == [(good,)]


def test_a_repair_that_sets_a_table_aside_of_which_no_row_is_lost_is_no_success_either(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    bad, good = tables
    with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as connection:
        watch(connection)
        connection.execute("UPDATE entries SET entry = 'odd' WHERE revision = 2 AND table_id = ?", (bad,))
    repaired = check(tmp_path, "--repair")
    assert f"The rows of table {bad} are now in the table set_aside" in repaired.out
    assert good not in repaired.out
    assert (repaired.code, "it is no longer complete" in repaired.err) == (1, True)
    assert check(tmp_path).code == 0


def test_a_damaged_match_of_a_table_that_was_purged_is_named_and_set_aside(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    goes_on, finished = tables
    asyncio.run(let_go(tmp_path, finished))
    assert check(tmp_path).code == 0
    assert change(tmp_path, "UPDATE archive SET entries = substr(entries, 1, 99)") == 1
    said = check(tmp_path)
    assert said.code == 1
    assert f"{finished}-1" in said.out
    assert goes_on not in said.out
    repaired = check(tmp_path, "--repair")
    assert repaired.code == 1
    assert f"1 row of archive is lost ({finished}-1)." in repaired.out
    assert check(tmp_path).code == 0
    rows = "SELECT table_id, revision, length(entry) FROM set_aside"
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        assert connection.execute(rows).fetchall() == [(finished, 1, 99)]


async def let_go(folder: Path, table: str) -> None:
    """Close a table, and purge it."""
    database = await open_database(folder / DATABASE)
    log = SqlLog(database)
    await log.append(table, len((await log.read(table)).entries), Closed())
    await database.write("UPDATE entries SET at = '2001-02-03T04:05:06+00:00'", {})
    await Purger(log, Archive(database), 1).purge()
    await database.close()


def test_a_summary_that_is_not_what_the_entries_say_is_made_anew(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    bad, _ = tables
    change(
        tmp_path, "UPDATE summaries SET summary = json_set(summary, '$.owner', 'eve') WHERE table_id = ?", bad
    )
    said = check(tmp_path)
    assert said.code == 1
    assert f"The summary of table '{bad}' disagrees" in said.out
    assert check(tmp_path, "--repair").code == 0


@pytest.mark.usefixtures("tables")
def test_a_record_that_was_changed_is_named(tmp_path: Path) -> None:
    (record,) = (tmp_path / "records").glob("*.json")
    record.write_text(record.read_text().replace('"seed"', '"sed"'))
    said = check(tmp_path)
    assert said.code == 1
    assert record.name in said.out


@pytest.mark.usefixtures("tables")
def test_a_record_that_says_the_same_in_other_bytes_is_named(tmp_path: Path) -> None:
    (record,) = (tmp_path / "records").glob("*.json")
    record.write_bytes(record.read_bytes()[:-1])
    said = check(tmp_path)
    assert said.code == 1
    assert f"{record.name}: Line" in said.out


def records_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "records").iterdir()}


def play_twice(folder: Path) -> tuple[str, str]:
    """Two matches that are over, and nothing else; gives their tables."""
    return asyncio.run(fill(folder))[1], asyncio.run(fill(folder))[1]


def test_records_that_are_not_there_are_missed_and_made_anew_byte_for_byte(tmp_path: Path) -> None:
    first, second = play_twice(tmp_path)
    asyncio.run(let_go(tmp_path, first))
    before = records_in(tmp_path)
    assert len(before) == 2
    for name in before:
        (tmp_path / "records" / name).unlink()
    said = check(tmp_path)
    assert said.code == 1
    for table in (first, second):
        assert f"The record of match '{table}-1' is missing." in said.out
    assert "2 faults were found." in said.err
    repaired = check(tmp_path, "--repair")
    assert (repaired.code, "2 records were rebuilt from the tables." in repaired.out) == (0, True)
    assert records_in(tmp_path) == before
    assert check(tmp_path).code == 0


def test_records_that_stand_in_each_others_place_are_told_and_kept_aside(tmp_path: Path) -> None:
    play_twice(tmp_path)
    before = records_in(tmp_path)
    one, other = (tmp_path / "records" / name for name in before)
    one.write_bytes(before[other.name])
    other.write_bytes(before[one.name])
    said = check(tmp_path)
    assert said.code == 1
    for file in (one, other):
        assert f"{file}: This is the record of another match." in said.out
    assert check(tmp_path, "--repair").code == 0
    after = records_in(tmp_path)
    assert {name: after[name] for name in before} == before
    aside = [content for name, content in after.items() if ".json.damaged-" in name]
    assert sorted(aside) == sorted(before.values())


def test_a_record_that_is_damaged_is_made_anew_where_the_tables_have_its_match(tmp_path: Path) -> None:
    play_twice(tmp_path)
    before = records_in(tmp_path)
    name = min(before)
    (tmp_path / "records" / name).write_bytes(b"burnt")
    assert "Let --repair rebuild it." in check(tmp_path).out
    assert check(tmp_path, "--repair").code == 0
    assert records_in(tmp_path)[name] == before[name]


def change_rightly(folder: Path, *statements: str) -> None:
    """Change a file as the server does, whose tallies know of it."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        watch(connection)
        with connection:
            for statement in statements:
                assert connection.execute(statement).rowcount


def test_a_record_that_the_tables_cannot_tell_again_is_missed_all_the_same(tmp_path: Path) -> None:
    table, _ = play_twice(tmp_path)
    (file,) = (tmp_path / "records").glob(f"*-{table}.json")
    gone = f"WHERE table_id = '{table}'"
    change_rightly(tmp_path, f"DELETE FROM entries {gone}", f"DELETE FROM summaries {gone}")
    assert check(tmp_path).code == 0
    plies = "UPDATE results SET result = json_set(result, '$.plies', json_extract(result, '$.plies') + {})"
    change_rightly(tmp_path, f"{plies.format(1)} {gone}")
    said = check(tmp_path)
    assert f"{file}: This is the record of another match.\n    Take it from a backup." in said.out
    assert said.code == 1
    assert check(tmp_path, "--repair").code == 1
    change_rightly(tmp_path, f"{plies.format(-1)} {gone}")
    file.unlink()
    said = check(tmp_path)
    assert f"The record of match '{table}-1' is missing.\n    Take it from a backup." in said.out
    assert said.code == 1


def test_of_a_copy_of_the_database_alone_records_were_not_looked_at(tmp_path: Path) -> None:
    play_twice(tmp_path)
    alone = tmp_path / "alone"
    alone.mkdir()
    kk("backup", str(alone / DATABASE), "--data", str(tmp_path))
    said = check(alone)
    assert said.code == 1
    assert f"There is no {alone / 'records'}: the records of 2 matches were not checked." in said.out
    told = check(alone, "--without-records")
    assert (told.code, told.out) == (0, "Everything stored can be read; records/ was left out.\n")
    assert check(alone, "--repair").code == 0
    assert records_in(alone) == records_in(tmp_path)


def test_where_the_key_of_the_server_is_there_records_made_anew_are_signed(tmp_path: Path) -> None:
    play_twice(tmp_path)
    key = host_key(tmp_path)
    shutil.rmtree(tmp_path / "records")
    assert check(tmp_path, "--repair").code == 0
    files = sorted((tmp_path / "records").glob("*.json"))
    assert len(files) == 2
    for file in files:
        signer = signer_of(file.read_bytes(), Path(f"{file}.sig").read_bytes())
        assert signer.get_fingerprint() == key.get_fingerprint()


@pytest.mark.parametrize(("change", "reason"), [
    (lambda one, _other: one.unlink(), "It has no signature file."),
    (lambda one, other: one.write_bytes(other.read_bytes()), "The signature is not for this record."),
    (lambda one, _other: one.write_bytes(b"burnt"), "This is not a signature"),
])  # fmt: skip
def test_a_signature_that_is_missing_or_of_another_record_is_told_and_made_anew(
    tmp_path: Path, change: Callable[[Path, Path], object], reason: str
) -> None:
    play_twice(tmp_path)
    host_key(tmp_path)
    shutil.rmtree(tmp_path / "records")
    check(tmp_path, "--repair")
    assert check(tmp_path).code == 0
    before = records_in(tmp_path)
    one, other = sorted((tmp_path / "records").glob("*.sig"))
    change(one, other)
    said = check(tmp_path)
    assert (said.code, f"{one.with_suffix('').name}: {reason}" in said.out) == (1, True)
    assert check(tmp_path, "--repair").code == 0
    assert {name: content for name, content in records_in(tmp_path).items() if name in before} == before
    assert check(tmp_path).code == 0


def test_a_record_that_the_next_start_writes_is_nothing_lost(tmp_path: Path) -> None:
    _, table = asyncio.run(fill(tmp_path))
    change(tmp_path, "DELETE FROM summaries")  # as when the server was killed at the end of the match
    (file,) = (tmp_path / "records").iterdir()
    file.unlink()
    said = check(tmp_path)
    assert (said.code, "The server writes it at its next start." in said.out) == (0, True)
    asyncio.run(start_and_stop(tmp_path))
    assert file.exists()
    assert check(tmp_path).out == "Everything stored can be read.\n"
    assert table in file.name


async def start_and_stop(folder: Path) -> None:
    hub = Hub(
        await open_log(folder / DATABASE), limits=PLENTY, keep_record=RecordFolder(folder / "records").keep
    )
    await hub.load()
    await wait_for(lambda: list((folder / "records").glob("*.json")))
    await hub.close()


def test_a_match_of_which_nothing_is_left_but_its_record_is_lost_and_goes_into_histories_again(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        watch(connection)
        with connection:
            connection.execute("INSERT INTO account_settings (account, settings) VALUES ('anna', '{}')")
            for name in ("entries", "summaries", "results"):
                connection.execute(f"DELETE FROM {name} WHERE table_id = ?", (tables[1],))
    match = f"Match '{tables[1]}-1' is only in records/"
    assert (match in (said := check(tmp_path)).out, said.code) == (True, 1)
    assert said.out.count(match) == 1
    repaired = check(tmp_path, "--repair")
    assert ("1 match was put back into the histories." in repaired.out, repaired.code) == (True, 1)
    assert "Nothing is lost." not in repaired.out
    assert check(tmp_path).code == 0


def spoil_index(folder: Path) -> None:
    """Damage a page with no rows, so that nothing is lost, but entries cannot be found any more."""
    path = folder / DATABASE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    page = pages_of(path)["sqlite_autoindex_entries_1"][0]
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(bytes(PAGE))


def forget(folder: Path, table: str) -> None:
    """Leave an older copy of the database beside newer records: from before a table was opened."""
    for name in ("entries", "summaries", "results"):
        change_rightly(folder, f"DELETE FROM {name} WHERE table_id = '{table}'")


OLDER = {
    "and goes on in its table": (
        lambda folder, table: forget_last(folder, table, 5),
        "is over in records/, but still",
    ),
    "of which nothing else is left": (forget, "is only in records/: what else was known of it is lost"),
}


@pytest.mark.parametrize(("make_older", "said"), OLDER.values(), ids=list(OLDER))
def test_a_match_that_is_over_in_its_record_is_lost_though_an_unreadable_file_hides_it_at_first(
    tmp_path: Path, tables: tuple[str, str], make_older: Callable[[Path, str], None], said: str
) -> None:
    change_rightly(tmp_path, "INSERT INTO account_settings (account, settings) VALUES ('anna', '{}')")
    make_older(tmp_path, tables[1])
    spoil_index(tmp_path)
    checked = check(tmp_path)
    assert (checked.code, said in checked.out) == (1, False)
    repaired = check(tmp_path, "--repair")
    assert (repaired.code, repaired.out.count(f"Match '{tables[1]}-1' {said}")) == (1, 1)
    assert "Nothing is lost." not in repaired.out
    assert "1 match was put back into the histories." in repaired.out
    assert check(tmp_path).code == 0


def test_of_an_unreadable_file_beside_which_nothing_is_newer_nothing_is_lost(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    spoil_index(tmp_path)
    repaired = check(tmp_path, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert tables[1] not in repaired.out


def test_a_file_of_which_a_record_is_lost_as_well_has_not_lost_nothing(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    """Of the match, neither the entries nor the record is there any more: only its result."""
    for name in ("entries", "summaries"):
        change_rightly(tmp_path, f"DELETE FROM {name} WHERE table_id = '{tables[1]}'")
    (record,) = (tmp_path / "records").iterdir()
    record.unlink()
    spoil_index(tmp_path)
    repaired = check(tmp_path, "--repair")
    assert f"The record of match '{tables[1]}-1' is missing." in repaired.out
    assert (repaired.code, "Nothing is lost." in repaired.out) == (1, False)


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_match_in_records_alone_is_lost_though_the_database_knows_nobody_who_played_it(
    tmp_path: Path, tables: tuple[str, str], *, is_damaged: bool
) -> None:
    forget(tmp_path, tables[1])
    said = f"Match '{tables[1]}-1' is only in records/, and none of its players is known here."
    for more in ((), ("--repair",)):
        if is_damaged:
            spoil_index(tmp_path)
        answer = check(tmp_path, *more)
        assert (answer.code, "Nothing is lost" in answer.out) == (1, False)
    assert said in answer.out
    assert "put back into the histories" not in answer.out
    (record,) = (tmp_path / "records").iterdir()
    record.unlink()
    assert check(tmp_path).out == "Everything stored can be read.\n"


async def test_a_match_that_its_table_knows_is_not_in_records_alone_though_it_is_in_no_history(
    tmp_path: Path,
) -> None:
    await fill(tmp_path)
    change_rightly(tmp_path, "DELETE FROM results")
    async with reading(tmp_path / DATABASE) as database:
        assert await strays(database, tmp_path / "records") == []


def test_a_match_whose_rows_were_set_aside_is_not_in_records_alone(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    change_rightly(tmp_path, f"UPDATE entries SET entry = '[]' WHERE table_id = '{tables[1]}'")
    change_rightly(tmp_path, "DELETE FROM results")
    assert "are now in the table set_aside" in check(tmp_path, "--repair").out
    assert check(tmp_path).code == 0


def forget_last(folder: Path, table: str, n: int) -> None:
    """Leave an older copy of the database beside newer records: without the last moves of a match."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        watch(connection)
        with connection:
            for name in ("results", "summaries"):
                connection.execute(f"DELETE FROM {name} WHERE table_id = ?", (table,))
            connection.execute(
                "DELETE FROM entries WHERE rowid IN"
                " (SELECT rowid FROM entries WHERE table_id = ? ORDER BY revision DESC LIMIT ?)",
                (table, n),
            )


@pytest.mark.parametrize("lost", [1, 5])
def test_a_match_that_ends_in_its_record_alone_is_lost_and_is_finished_as_the_record_does(
    tmp_path: Path, tables: tuple[str, str], lost: int
) -> None:
    before = rows_in(tmp_path / DATABASE)
    forget_last(tmp_path, tables[1], lost)
    said = check(tmp_path)
    assert (
        said.code,
        said.out.count(f"Match '{tables[1]}-1' is over in records/, but still running in its"),
    ) == (
        1,
        1,
    )
    repaired = check(tmp_path, "--repair")
    for line in (
        "1 match was played to its end from its record.",
        "1 match was put back into the histories.",
    ):
        assert line in repaired.out
    assert repaired.code == 1
    assert moves_in(before) == moves_in(rows_in(tmp_path / DATABASE))
    assert matches_of(before["results"]) == matches_of(rows_in(tmp_path / DATABASE)["results"])
    assert check(tmp_path).code == 0


def test_a_match_is_finished_as_its_record_does_though_its_rules_data_were_lost_too(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    forget_last(tmp_path, tables[1], 5)
    assert change(tmp_path, "DELETE FROM rules")
    assert "1 match was played to its end from its record." in check(tmp_path, "--repair").out
    assert check(tmp_path).code == 0


def moves_in(rows: dict[str, Counter[tuple[Any, ...]]]) -> set[tuple[str, int, str]]:
    return {(table, revision, entry) for _, table, revision, _, _, entry in rows["entries"]}


def test_a_match_that_went_on_in_another_way_than_its_record_stays_as_its_table_has_it(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    forget_last(tmp_path, tables[1], 20)

    async def play_on() -> None:
        hub = Hub(await open_log(tmp_path / DATABASE), limits=PLENTY)
        await hub.load()
        anna = Client(hub.connect("anna"))
        await anna.go_to(tables[1])
        seat = anna.observation.active[0]
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[-1])
        await hub.close()

    asyncio.run(play_on())
    change_rightly(tmp_path, "INSERT INTO account_settings (account, settings) VALUES ('anna', '{}')")
    moves = moves_in(rows_in(tmp_path / DATABASE))
    assert "continued differently in its table" in check(tmp_path).out
    assert "was played to its end" not in check(tmp_path, "--repair").out
    assert moves_in(rows_in(tmp_path / DATABASE)) == moves


@pytest.mark.parametrize("lost", [1, 5])
def test_at_home_a_match_needs_no_record_but_one_that_was_saved_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    monkeypatch.setattr("kk_server.cli.play._LIMITS", PLENTY)

    async def play() -> str:
        async with home_hub(tmp_path, 0) as hub:
            client = Client(hub.connect(AT_HOME))
            table = await client.open(GAME, 2)
            await client.sit(0, 1)
            await client.start()
            await client.play_to_the_end()
            saved = await client.ask(GetRecord)
            assert isinstance(saved, RecordText)
            (tmp_path / "saved.json").write_text(saved.text)
            return table

    table = asyncio.run(play())
    whole = rows_in(tmp_path / DATABASE)
    assert check(tmp_path).out == "Everything stored can be read.\n"
    forget_last(tmp_path, table, lost + 1)  # closed as well
    assert check(tmp_path).code == 0
    (tmp_path / "records").mkdir()
    (tmp_path / "saved.json").rename(tmp_path / "records" / "ku_ka_king-of-mine.json")
    said = check(tmp_path)
    assert (said.code, "is over in records/, but still running in its table" in said.out) == (1, True)
    repaired = check(tmp_path, "--repair")
    assert "1 match was put back into the histories." in repaired.out
    assert matches_of(rows_in(tmp_path / DATABASE)["results"]) == matches_of(whole["results"]) != set()
    assert check(tmp_path).code == 0


def with_last_writes(folder: Path, *more: str) -> Path:
    """A data folder as a killed server leaves it, with three finished transactions beside the file."""
    killed = folder / "killed"
    shutil.copytree(folder / "records", killed / "records")
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        watch(connection)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        for person in ("anna", "beate", "carla"):
            with connection:
                connection.execute("INSERT INTO words (user, words) VALUES (?, '[]')", (person,))
        for beside in {"", "-wal", *more}:
            shutil.copyfile(folder / f"{DATABASE}{beside}", killed / f"{DATABASE}{beside}")
    return killed


FRAME = 24 + 4096


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("place", [9, 32 + 24 + 100, 32 + FRAME - 1])
def test_last_writes_that_are_damaged_before_others_are_told_as_lost(tmp_path: Path, place: int) -> None:
    killed = with_last_writes(tmp_path)
    assert check(killed).code == 0
    wal = killed / f"{DATABASE}-wal"
    content = bytearray(wal.read_bytes())
    content[place] ^= 1
    wal.write_bytes(content)
    said = check(killed)
    assert (said.code, "some of the last writes are lost" in said.out) == (1, True)
    assert wal.read_bytes() == content
    repaired = check(killed, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (1, False)
    (kept,) = killed.glob(f"{DATABASE}-wal.damaged-*")
    assert kept.read_bytes() == content
    assert check(killed).code == 0


def flip_in_last_writes(killed: Path, place: int) -> bytes:
    wal = killed / f"{DATABASE}-wal"
    content = bytearray(wal.read_bytes())
    content[place] ^= 1
    wal.write_bytes(content)
    return bytes(content)


PLACES_IN_LAST = {"its page": 24 - FRAME, "its size": 4 - FRAME, "its salt": 8 - FRAME, "its sum": 16 - FRAME}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("place", PLACES_IN_LAST.values(), ids=list(PLACES_IN_LAST))
@pytest.mark.parametrize("has_index", [True, False])
def test_a_damage_in_what_was_written_last_of_all_is_told(
    tmp_path: Path, place: int, *, has_index: bool
) -> None:
    killed = with_last_writes(tmp_path, "-shm" if has_index else "")
    content = flip_in_last_writes(killed, place)
    is_sure = has_index or place == PLACES_IN_LAST["its salt"]  # salts are not summed up
    told = "some of the last writes are lost" if is_sure else "the last writes may be lost"
    for _ in range(2):  # looking at it changes nothing of what tells so
        said = check(killed)
        assert (said.code, told in said.out) == (1, True), said
        assert "Everything stored can be read" not in said.out
    repaired = check(killed, "--repair")
    assert (repaired.code, "it is no longer complete" in repaired.err) == (1, True)
    (kept,) = killed.glob(f"{DATABASE}-wal.damaged-*")
    assert kept.read_bytes() == content
    assert check(killed).code == 0


@pytest.mark.usefixtures("tables")
def test_last_writes_that_a_killed_server_never_finished_are_no_fault(tmp_path: Path) -> None:
    """Where the WAL began anew, they stand over older ones: only its index tells that nobody was told."""
    killed = tmp_path / "killed"
    shutil.copytree(tmp_path / "records", killed / "records")
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        watch(connection)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        insert = "INSERT INTO words (user, words) VALUES ('anna', '[]')"
        for _ in range(4):
            with connection:
                connection.execute(insert)
        connection.execute("PRAGMA wal_checkpoint(FULL)")
        with connection:
            connection.execute(insert)
        before = (tmp_path / f"{DATABASE}-wal").read_bytes()
        shutil.copyfile(tmp_path / f"{DATABASE}-shm", tmp_path / "index")
        with connection:
            connection.execute(insert)
        after = (tmp_path / f"{DATABASE}-wal").read_bytes()
    first = next(at for at in range(32, len(after), FRAME) if before[at : at + 24] != after[at : at + 24])
    shutil.copyfile(tmp_path / DATABASE, killed / DATABASE)
    (killed / f"{DATABASE}-wal").write_bytes(
        before[:first] + after[first : first + 24] + before[first + 24 :]
    )
    assert check(killed).code == 1  # without the index, it may as well be damage
    shutil.copyfile(tmp_path / "index", killed / f"{DATABASE}-shm")
    assert check(killed).code == 0


@pytest.mark.usefixtures("tables")
async def test_a_server_that_starts_where_nothing_tells_whether_last_writes_are_lost_keeps_a_copy(
    tmp_path: Path,
) -> None:
    """A power cut leaves such an end, and nobody may be there to decide."""
    killed = with_last_writes(tmp_path)
    content = flip_in_last_writes(killed, PLACES_IN_LAST["its page"])
    await (await start(here(killed))).close()
    (kept,) = killed.glob(f"{DATABASE}-wal.damaged-*")
    assert kept.read_bytes() == content


def damaged_writes(folder: Path) -> tuple[Path, bytes]:
    """A file of last writes that is damaged before what was finished, and what it has."""
    wal = with_last_writes(folder) / f"{DATABASE}-wal"
    content = bytearray(wal.read_bytes())
    content[156] ^= 1
    wal.write_bytes(content)
    return wal, bytes(content)


@pytest.mark.usefixtures("tables")
async def test_a_server_does_not_start_over_last_writes_that_it_would_lose(tmp_path: Path) -> None:
    wal, content = damaged_writes(tmp_path)
    with pytest.raises(KkError) as refused_start:
        await start(here(wal.parent))
    for part in (str(wal), "the last writes would be lost", "kk store check --repair"):
        assert part in str(refused_start.value)
    assert wal.read_bytes() == content
    refused(kk("backup", str(tmp_path / "saved"), "--data", str(wal.parent)), 1, str(wal))
    assert wal.read_bytes() == content
    await asyncio.to_thread(check, wal.parent, "--repair")
    await (await start(here(wal.parent))).close()


@pytest.mark.usefixtures("tables")
async def test_a_server_starts_over_last_writes_whose_end_was_torn_off(tmp_path: Path) -> None:
    wal = with_last_writes(tmp_path) / f"{DATABASE}-wal"
    wal.write_bytes(wal.read_bytes()[:-100])
    await (await start(here(wal.parent))).close()


@pytest.mark.usefixtures("tables")
async def test_at_home_nothing_is_kept_over_last_writes_that_would_be_lost_and_it_is_said(
    tmp_path: Path,
) -> None:
    wal, content = damaged_writes(tmp_path)
    save_state = SaveState()
    async with home_hub(wal.parent, 1, save_state):
        assert f"not being saved: {wal} is damaged, and the last writes would be lost" in str(
            save_state.sentence
        )
    assert wal.read_bytes() == content


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("left", [0, 32, 32 + FRAME // 2, 32 + FRAME])
def test_last_writes_that_were_not_finished_are_no_fault(tmp_path: Path, left: int) -> None:
    killed = with_last_writes(tmp_path)
    wal = killed / f"{DATABASE}-wal"
    wal.write_bytes(wal.read_bytes()[:left])
    assert check(killed).code == 0


def test_of_a_file_with_a_damaged_page_all_is_saved_that_can_be_read(
    tmp_path: Path, tables: tuple[str, str]
) -> None:
    path = tmp_path / DATABASE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        where = "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf' ORDER BY pageno"
        pages = [page for (page,) in connection.execute(where)]
        ((size,),) = connection.execute("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((pages[1] - 1) * size)
        file.write(b"\xff" * size)
    assert check(tmp_path).code == 1
    repaired = check(tmp_path, "--repair")
    assert repaired.code == 1
    assert re.search(r"\d+ rows of entries are lost \(", repaired.out)
    assert "Nothing is lost" not in repaired.out
    assert check(tmp_path).code == 0
    (damaged,) = tmp_path.glob(f"{DATABASE}.damaged-*")
    assert damaged.stat().st_size >= size


@pytest.mark.usefixtures("tables")
def test_nothing_is_repaired_while_a_server_runs(tmp_path: Path) -> None:
    lock = hold_folder(tmp_path, text("busy"))
    refused(check(tmp_path, "--repair"), 1, "stop it first")
    os.close(lock)


def test_there_has_to_be_something_to_check(tmp_path: Path) -> None:
    refused(check(tmp_path), 2, "There is no")
