"""What a damaged file has lost is told as it is: counted, named, and made again where that can be."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from kk_core.text import text
from kk_server.accounts.accounts import AccountStore
from kk_server.maintenance.backup import copy_database
from kk_server.storage.archive import Archive
from kk_server.storage.files import RECORDS
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.storage.table_log import Damaged
from kk_server.storage.tallies import COLUMNS, NUMBERED, REALS, Census, Loss, losses, row_checksum, watch
from tests.commands.test_store import be_of_version, change_rightly, check, forget_last
from tools.trials.damages import damage, faults, good_folder, matches_of, pages_of, rows_in


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after an evening of six matches, of which three are purged."""
    return good_folder(tmp_path_factory.mktemp("evening"), 6)


@pytest.fixture
def data(good: Path, tmp_path: Path) -> Path:
    return shutil.copytree(good, tmp_path / "data")


def change(folder: Path, statement: str) -> int:
    """Change a file behind the back of its tallies, as damage does."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        return connection.execute(statement).rowcount


def flip(folder: Path, found: bytes, instead: bytes) -> None:
    """Write over bytes of the file, where they stand for the first time."""
    content = (folder / DATABASE).read_bytes()
    assert found in content
    assert len(found) == len(instead)
    (folder / DATABASE).write_bytes(content.replace(found, instead, 1))


def overwrite(folder: Path, at: int, content: bytes) -> None:
    with (folder / DATABASE).open("r+b") as file:
        file.seek(at)
        file.write(content)


def lost(folder: Path) -> list[Loss]:
    return losses((folder / DATABASE).as_uri())


# -- tallies -------------------------------------------------------------------------------------------------


def test_every_column_of_every_table_counts_but_those_of_summaries_and_tallies(good: Path) -> None:
    with closing(sqlite3.connect(good / DATABASE)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        columns = {
            name: tuple(row[1] for row in connection.execute(f"PRAGMA table_info({name})"))
            for (name,) in found
        }
    assert set(columns) - set(COLUMNS) == {"summaries", "tallies"}
    for name, counted in COLUMNS.items():
        assert columns[name] == (*counted, "checksum")


def test_which_columns_sqlite_stores_otherwise_than_it_reads_them_is_known(good: Path) -> None:
    with closing(sqlite3.connect(good / DATABASE)) as connection:
        rows = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in COLUMNS}
    reals = {name: tuple(row[1] for row in each if row[2] == "REAL") for name, each in rows.items()}
    assert {name: each for name, each in reals.items() if each} == REALS
    numbered = {name for name, each in rows.items() if each[0][2] == "INTEGER" and each[0][5]}
    assert numbered == set(NUMBERED)


def test_after_evenings_with_purging_the_tallies_are_what_is_there(good: Path) -> None:
    filled = {name for name, rows in rows_in(good / DATABASE).items() if rows}
    assert filled == COLUMNS.keys() - {"set_aside"}
    assert lost(good) == []


async def test_whatever_is_stored_replaced_changed_or_let_go_is_tallied(tmp_path: Path) -> None:
    database = await open_database(tmp_path / DATABASE)
    log, accounts = SqlLog(database), AccountStore(database)
    for seconds in (1.5, 2.0, 3.0):
        await log.keep_uptime(seconds)
        await log.keep_clock("t", f'{{"at": {seconds}}}')
        await accounts.keep_settings("anna", f'{{"n": {seconds}}}')
        await log.leave_word("anna", text("Hello."))
    await log.keep_data({"a": 1})
    await database.write("UPDATE rules SET at = 0", {})
    await log.keep_data({"a": 1})
    assert await log.take_words("anna")
    await Archive(database).forget_data(2**40)
    await database.close()
    assert {name: len(rows) for name, rows in rows_in(tmp_path / DATABASE).items() if rows} == {
        "account_settings": 1, "clocks": 1, "uptime": 1,
    }  # fmt: skip
    assert lost(tmp_path) == []


async def test_what_is_written_is_tallied_in_the_same_transaction_or_not_at_all(tmp_path: Path) -> None:
    database = await open_database(tmp_path / DATABASE)
    await SqlLog(database).leave_word("anna", text("Hello."))
    insert = "INSERT INTO words (number, user, words) VALUES (:n, 'beate', '')"
    with pytest.raises(Exception, match="couldn't save this"):
        await database.write_all([(insert, {"n": 7}), (insert, {"n": 7})])
    await database.close()
    assert lost(tmp_path) == []


async def test_a_server_that_writes_meanwhile_is_no_reason_to_miss_rows(tmp_path: Path) -> None:
    database = await open_database(tmp_path / DATABASE)
    many = "INSERT INTO words (user, words) SELECT 'beate', value FROM json_each(:all)"
    await database.write(many, {"all": str([*range(5000)])})
    log = SqlLog(database)
    async with asyncio.TaskGroup() as group:
        checking = group.create_task(asyncio.to_thread(lambda: [lost(tmp_path) for _ in range(20)]))
        while not checking.done():
            await log.leave_word("anna", text("Hello."))
    assert checking.result() == [[]] * 20
    await log.close()


# -- what is told --------------------------------------------------------------------------------------------


def spoil(folder: Path) -> None:
    """Leave a row without a checksum, and without one that could be computed."""
    statement = "UPDATE entries SET at = CAST(x'32ff33' AS TEXT), checksum = NULL WHERE number = 5"
    assert change(folder, statement) == 1


SILENT = {
    "a text that is none, and the checksum": (spoil, "1 row of entries is lost"),
    "a byte of a text": (
        lambda data: flip(data, b'"30-2"', b'"30-3"'),
        "1 row of words is lost (guest24).",
    ),
    "rows": ("DELETE FROM words WHERE number IN (39, 41)", "2 rows of words are lost"),
    "the last rows of tables": ("DELETE FROM entries WHERE revision > 40", "rows of entries are lost."),
    "a value": ("UPDATE archive SET rules = NULL", "rows of archive are lost ("),
    "an account": ("DELETE FROM account_keys WHERE account = 'guest7'", "2 rows of account_keys are lost"),
}


@pytest.mark.parametrize(("damage", "said"), SILENT.values(), ids=list(SILENT))
def test_what_sqlite_does_not_notice_is_told_by_all_who_read_the_file(
    data: Path, damage: str | Callable[[Path], None], said: str
) -> None:
    if isinstance(damage, str):
        assert change(data, damage)
    else:
        damage(data)
    checked = check(data)
    assert (checked.code, said in checked.out) == (1, True), checked.out
    with pytest.raises(Damaged, match="rows are lost or altered"):
        copy_database(data / DATABASE, data / "saved")
    assert not (data / "saved").exists()
    repaired = check(data, "--repair")
    assert (repaired.code, said in repaired.out, "Nothing is lost" in repaired.out) == (1, True, False)
    assert "it is no longer complete" in repaired.err
    assert check(data).code == 0


def zero(folder: Path, name: str, number: int) -> None:
    """Have a disk forget a page of a table or an index."""
    overwrite(folder, (pages_of(folder / DATABASE)[name][number] - 1) * 4096, bytes(4096))


def test_lost_accounts_are_named_by_what_an_index_still_knows(data: Path, good: Path) -> None:
    zero(data, "account_keys", 1)
    said = check(data, "--repair").out
    gone = rows_in(good / DATABASE)["account_keys"] - rows_in(data / DATABASE)["account_keys"]
    names = sorted({account for _, account, *_ in gone})
    assert len(gone) > 10
    told = ", ".join(names[:20]) + ", ..." * (len(names) > 20)
    assert f"{len(gone)} rows of account_keys are lost ({told})." in said


def test_where_a_tally_is_damaged_nobody_can_tell(data: Path) -> None:
    assert change(data, "UPDATE tallies SET rows = rows + 1 WHERE name = 'words'") == 1
    for more in ((), ("--repair",)):
        said = check(data, *more)
        assert said.code == 1
        assert "An unknown number of rows of words is lost." in said.out
        assert "Nothing is lost" not in said.out
    assert check(data).code == 0


@pytest.mark.parametrize(
    ("byte", "bit"),
    [(60, 7), (61, 0), (63, 7), (63, 0)],
    ids=["negative", "very large", "newer", "the one before"],
)
def test_a_flip_in_the_number_of_the_schema_is_called_damage_and_mended(
    data: Path, good: Path, byte: int, bit: int
) -> None:
    overwrite(data, byte, bytes([(good / DATABASE).read_bytes()[byte] ^ 1 << bit]))
    checked = check(data)
    assert (checked.code, "its tables are those of this one" in checked.out) == (1, True)
    assert "version (" in checked.out
    assert "let --repair save what can be read" in checked.out
    with pytest.raises(Damaged, match="it is damaged"):
        asyncio.run(open_database(data / DATABASE))
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert rows_in(data / DATABASE) == rows_in(good / DATABASE)


UNNOTICED = {
    "a file that can be read, but not written to": lambda data: overwrite(data, 18, b"\x0a"),
    "a format that is not known": lambda data: overwrite(data, 47, b"\x05"),
    "rows with a number that is no number of a row": lambda data: flip(
        data, b"entries (\n        number INTEGER P", b"entries (\n        number INTEGER Q"
    ),
    "a text that may be missing": lambda data: flip(
        data, b"entry TEXT NOT NULL", b"entry TEXT NOU NULL"
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", UNNOTICED.values(), ids=list(UNNOTICED))
def test_a_flip_in_header_or_schema_that_sqlite_reads_over_is_damage_to_all_who_read_the_file(
    data: Path, good: Path, damage: Callable[[Path], None]
) -> None:
    damage(data)
    with pytest.raises(Damaged):
        asyncio.run(open_database(data / DATABASE))
    checked = check(data)
    assert (checked.code, "let --repair save what can be read" in checked.out) == (1, True)
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert rows_in(data / DATABASE) == rows_in(good / DATABASE)


def test_an_index_that_a_host_has_added_is_no_damage(data: Path) -> None:
    change(data, "CREATE INDEX words_by_length ON words (length(words))")
    change(data, "ANALYZE")
    assert check(data).out == "Everything stored can be read.\n"


@pytest.mark.parametrize("number", [0, 3, 13])
def test_rows_are_saved_where_neither_the_schema_nor_its_number_can_be_read(
    data: Path, good: Path, number: int
) -> None:
    overwrite(data, 60, number.to_bytes(4, "big"))
    for page in pages_of(good / DATABASE)["sqlite_schema"][1:]:
        overwrite(data, (page - 1) * 4096, bytes(4096))
    assert "let --repair save what can be read" in check(data).out
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert rows_in(data / DATABASE) == rows_in(good / DATABASE)


def test_a_damaged_file_of_a_newer_version_with_another_table_stays_as_it_is(data: Path) -> None:
    change(data, "PRAGMA user_version = 99")
    change(data, f"INSERT INTO tallies VALUES ('medals', 1, 2, {row_checksum('tallies', 'medals', 1, 2)})")
    for page in pages_of(data / DATABASE)["sqlite_schema"][1:]:
        overwrite(data, (page - 1) * 4096, bytes(4096))
    before = (data / DATABASE).read_bytes()
    for more in ((), ("--repair",)):
        said = check(data, *more)
        assert said.code == 1
        assert "Nothing is lost" not in said.out
    assert (data / DATABASE).read_bytes() == before
    assert not list(data.glob(f"{DATABASE}.*"))


def test_tables_of_which_the_same_is_to_be_said_are_named_in_one_line(data: Path) -> None:
    zero(data, "tallies", 0)
    for more in ((), ("--repair",)):
        said = check(data, *more)
        assert said.code == 1
        assert said.out.count("An unknown number") == 1 + bool(more)
        names = ", ".join(COLUMNS)
        assert f"An unknown number of rows of {len(COLUMNS)} tables is lost: {names}." in said.out


def test_rows_that_sqlite_does_not_find_are_not_called_lost(data: Path, good: Path) -> None:
    zero(data, "words", 0)
    zero(data, "account_keys", 0)
    said = check(data)
    assert said.code == 1
    hidden = "All rows of 2 tables are there, but SQLite does not find them: account_keys, words."
    assert hidden in said.out
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert rows_in(data / DATABASE) == rows_in(good / DATABASE)


def test_values_in_a_damaged_index_that_nobody_stored_stop_neither_check_nor_repair(
    data: Path, good: Path
) -> None:
    pages = pages_of(good / DATABASE)["sqlite_autoindex_archive_1"]
    end = (pages[0] - 1) * 4096 + 4096
    overwrite(data, end - 220, bytes(220))  # its cells stand at the end of the page
    checked = check(data)
    assert (checked.code, "Internal error in kk" in checked.err) == (1, False)
    assert "is damaged: it contains data that was never stored." in checked.out
    repaired = check(data, "--repair")
    assert (repaired.code, "Nothing is lost." in repaired.out) == (0, True)
    assert rows_in(data / DATABASE) == rows_in(good / DATABASE)


def test_a_damaged_file_of_another_version_is_not_repaired_but_stays_as_it_is(data: Path) -> None:
    be_of_version(data, 8)
    zero(data, "keys_of", 0)
    before = (data / DATABASE).read_bytes()
    said = check(data, "--repair")
    assert said.code == 1
    assert "was written before the first release (version 8)" in said.out
    assert (data / DATABASE).read_bytes() == before
    assert not list(data.glob(f"{DATABASE}.*"))


def zero_sectors(folder: Path, first: int, count: int = 10) -> None:
    """Have a disk forget a run of sectors."""
    overwrite(folder, first * 512, bytes(count * 512))


@pytest.mark.parametrize("first", [0, 1, 4, 7, 8, 11, 15, 16, 21, 24])
def test_rows_are_saved_though_the_way_to_them_is_zeroed(data: Path, good: Path, first: int) -> None:
    """The header, the schema, the map of pages and the tables' first pages stand at the beginning."""
    before, path = rows_in(good / DATABASE), data / DATABASE
    pages = pages_of(path)
    hit = set(range(first // 8 + 1, (first + 9) // 8 + 2))
    zero_sectors(data, first)
    assert check(data).code == 1
    said = check(data, "--repair")
    after = rows_in(path)
    lost_rows = {name: n for name in COLUMNS if (n := (before[name] - after[name]).total())}
    assert lost_rows.keys() <= {name for name in COLUMNS if hit.intersection(pages[name])}
    assert ("Nothing is lost." in said.out) is (not lost_rows)
    for name, n in lost_rows.items():
        assert f"{n} row" in said.out
        assert f"of {name} " in said.out
    assert (before["account_keys"], before["results"]) == (after["account_keys"], after["results"])
    assert check(data).code == 0


def test_rows_are_saved_where_no_entries_can_be_read_and_the_loss_is_counted(data: Path, good: Path) -> None:
    before, path = rows_in(good / DATABASE), data / DATABASE
    for page in pages_of(path)["entries"]:
        zero_sectors(data, (page - 1) * 8, 8)
    said = check(data, "--repair")
    assert (said.code, f"{before['entries'].total()} rows of entries are lost" in said.out) == (1, True)
    after = rows_in(path)
    assert {name for name in COLUMNS if before[name] - after[name]} == {"entries"}
    assert check(data).code == 0


def leave_deleted_rows(path: Path) -> None:
    """Store Zoe's words and delete them: they still stand on pages that are free."""
    many = "INSERT INTO words (user, words) SELECT 'zoe', value FROM json_each(?)"
    values = str([*range(10**9, 10**9 + 2000)])
    for statement, more in ((many, (values,)), ("DELETE FROM words WHERE user = 'zoe'", ())):
        with closing(sqlite3.connect(path)) as connection, connection:
            watch(connection)
            connection.execute("PRAGMA secure_delete = OFF")  # some systems have it on
            connection.execute(statement, more)


def test_deleted_rows_do_not_come_back_from_pages_that_were_freed(data: Path) -> None:
    path = data / DATABASE
    leave_deleted_rows(path)
    assert b"1000001999" in path.read_bytes()
    before = rows_in(path)
    with closing(sqlite3.connect(path)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'words'")
    for first in ((root - 1) * 8, 1):
        zero_sectors(data, first, 8 if first > 1 else 7)
    check(data, "--repair")
    assert not any(user == "zoe" for _, user, _ in rows_in(path)["words"])
    assert before["words"] & rows_in(path)["words"] == rows_in(path)["words"]


def test_where_nothing_tells_whether_rows_were_deleted_they_are_saved_and_counted(data: Path) -> None:
    path = data / DATABASE
    leave_deleted_rows(path)
    change(data, "UPDATE tallies SET rows = rows + 1 WHERE name = 'words'")
    zero_sectors(data, 0, 16)  # with the list and the map of free pages
    for more in ((), ("--repair",)):
        said = check(data, *more)
        assert said.code == 1
    assert "rows of words were found that may have been deleted before." in said.out
    assert "Nothing is lost" not in said.out
    assert any(user == "zoe" for _, user, _ in rows_in(path)["words"])


def test_rows_read_without_sqlite_are_those_that_it_reads(good: Path) -> None:
    connection = sqlite3.connect(good / DATABASE)
    with closing(connection):
        census = Census(connection)
        for name, rows in rows_in(good / DATABASE).items():
            assert Counter(found.values for found in census._without_sqlite[name].values()) == rows
            assert all(found.is_sure for found in census._without_sqlite[name].values())


def change_schema(folder: Path, statement: str) -> None:
    """Have an index not know what is done to its table meanwhile."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)


def test_rows_that_went_long_ago_do_not_stand_for_those_that_are_lost(data: Path) -> None:
    """A page of before is back, with a row that was let go, in the place of one with two others."""
    with closing(sqlite3.connect(data / DATABASE)) as connection, connection:
        watch(connection)
        went = connection.execute("SELECT * FROM words WHERE number = 39").fetchone()
        connection.execute("DELETE FROM words WHERE number = 39")
    forget = "CREATE TABLE kept AS SELECT * FROM sqlite_master WHERE name = 'words_for'"
    change(data, forget)
    change_schema(data, "DELETE FROM sqlite_master WHERE name = 'words_for'")
    change(data, "DELETE FROM words WHERE number IN (41, 42)")
    with closing(sqlite3.connect(data / DATABASE)) as connection, connection:
        connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", went)
    change_schema(data, "INSERT INTO sqlite_master SELECT * FROM kept")
    (loss,) = lost(data)
    assert (loss.table, loss.rows, loss.strange) == ("words", 2, 1)


# -- what is made again --------------------------------------------------------------------------------------

SOURCES = {
    "the other people of a match": "DELETE FROM results WHERE rowid % 3 <> 0",
    "the entries of tables": "DELETE FROM results WHERE table_id IN (SELECT table_id FROM entries)",
    "the matches of purged tables": "DELETE FROM results WHERE table_id IN (SELECT table_id FROM archive)",
}


@pytest.mark.parametrize("statement", SOURCES.values(), ids=list(SOURCES))
def test_results_are_made_again_of(data: Path, good: Path, statement: str) -> None:
    gone = change(data, statement)
    assert gone > 3
    shutil.rmtree(data / RECORDS)
    said = check(data, "--repair")
    assert f"{gone} rows of results are lost" in said.out
    assert "put back into the histories" in said.out
    assert matches_in(data) == matches_in(good)
    assert check(data).out == "Everything stored can be read.\n"


def test_where_count_and_checksums_prove_that_all_is_there_again_nothing_is_lost(
    data: Path, good: Path
) -> None:
    assert change(data, "DELETE FROM results WHERE table_id IN (SELECT table_id FROM entries)") > 3
    said = check(data, "--repair")
    assert (said.code, "All rows of results are restored." in said.out) == (0, True)
    assert rows_in(data / DATABASE)["results"] == rows_in(good / DATABASE)["results"]


def test_results_that_are_made_again_otherwise_are_not_proven(data: Path) -> None:
    """When a match of a purged table ended, nothing tells but its result."""
    change_rightly(data, "UPDATE results SET at = at - 77 WHERE table_id IN (SELECT table_id FROM archive)")
    assert change(data, "DELETE FROM results WHERE table_id IN (SELECT table_id FROM archive)") > 3
    said = check(data, "--repair")
    assert "put back into the histories" in said.out
    assert (said.code, "are restored." in said.out) == (1, False)


def test_results_are_made_again_of_the_files_of_records_where_nothing_else_is_left(
    data: Path, good: Path
) -> None:
    for name in ("results", "archive", "entries WHERE kind <> 'created'"):
        change(data, f"DELETE FROM {name}")
    assert check(data, "--repair").code == 1
    assert {line[:3] for line in matches_in(data)} == {line[:3] for line in matches_in(good)}


def matches_in(folder: Path) -> set[tuple[object, ...]]:
    return matches_of(rows_in(folder / DATABASE)["results"])


def test_a_match_that_was_forgotten_stays_forgotten(data: Path) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as connection, connection:
        watch(connection)
        forgotten = "UPDATE results SET result = '' WHERE owner = 'beate'"
        assert connection.execute(forgotten).rowcount
    change(data, "DELETE FROM results WHERE owner <> 'beate'")
    check(data, "--repair")
    assert all(owner != "beate" for owner, *_ in matches_in(data))


def test_a_record_of_a_match_that_is_in_no_history_is_told_and_harmless(data: Path) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as connection, connection:
        watch(connection)
        connection.execute("DELETE FROM results")
    said = check(data)
    assert said.code == 0
    assert "is over, but missing from some players' histories" in said.out
    repaired = check(data, "--repair")
    assert repaired.code == 0
    assert "6 matches were put back into the histories." in repaired.out


def test_rules_data_are_made_again_so_that_no_match_is_lost_with_them(data: Path, good: Path) -> None:
    assert change(data, "DELETE FROM rules") > 3
    said = check(data, "--repair")
    assert "rows of rules are lost" in said.out
    assert "set_aside" not in said.out
    assert rows_in(data / DATABASE)["entries"] == rows_in(good / DATABASE)["entries"]
    assert rows_in(data / DATABASE)["archive"] == rows_in(good / DATABASE)["archive"]
    assert check(data).code == 0


# -- at random -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(16))
def test_what_is_told_of_a_damage_at_random_is_what_is_lost(good: Path, tmp_path: Path, number: int) -> None:
    what, wrong = faults(good, tmp_path / "spare", pages_of(good / DATABASE), Random(f"suite {number}"))
    assert not wrong, what


@pytest.fixture(scope="module")
def older(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an older copy of the database: one match goes on there, another is not there yet."""
    folder = shutil.copytree(good, tmp_path_factory.mktemp("older") / "data")
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        over = "SELECT table_id FROM entries WHERE table_id IN (SELECT table_id FROM results) GROUP BY 1"
        goes_on, absent, *_ = (table for (table,) in connection.execute(over).fetchall())
    forget_last(folder, goes_on, 5)
    for name in ("entries", "results"):
        change_rightly(folder, f"DELETE FROM {name} WHERE table_id = '{absent}'")
    copy_database(folder / DATABASE, folder / "copy")
    (folder / "copy").rename(folder / DATABASE)
    return folder


@pytest.mark.parametrize("number", range(12))
def test_beside_newer_records_no_damage_at_random_hides_what_is_lost(
    older: Path, tmp_path: Path, number: int
) -> None:
    data = shutil.copytree(older, tmp_path / "data")
    done = damage(data / DATABASE, pages_of(older / DATABASE), Random(f"older {number}"))
    said = check(data, "--repair")
    assert (said.code, "Nothing is lost." in said.out) == (1, False), (done, said)
