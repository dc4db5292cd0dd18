"""Whatever a file or a database holds, the command line answers with one short line, never a traceback."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kk_core.record import format_record, record_of
from kk_core.registry import game
from kk_core.search.arena import play_match, seed_of
from kk_server.maintenance.backup import copy_database
from kk_server.storage.sqlite import DATABASE
from tests.commands.calling import Answer, kk, kk_process, refused
from tests.commands.test_unfinished import begun, fill

LONGEST = 200


def is_answer(answer: Answer) -> bool:
    """All went well and nothing was said on stderr, or one short line was, that steers no terminal."""
    lines = (answer.out + answer.err).splitlines()
    assert all(line.isprintable() for line in lines), lines
    assert "Internal error" not in answer.err
    if answer.code:
        assert answer.code == 1
        assert answer.out == ""
        assert answer.err.startswith("kk: ")
        assert answer.err.count("\n") == 1
        assert len(answer.err) <= LONGEST + 1
    else:
        assert answer.err == ""
    return True


COMMANDS = cycle(("show", "verify", "export"))


def told(file: Path, content: bytes) -> Answer:
    """What one of the three commands says of a file; they take turns."""
    file.write_bytes(content)
    answer = kk("record", next(COMMANDS), str(file))
    assert is_answer(answer)
    return answer


@pytest.fixture(scope="module")
def record() -> bytes:
    match = play_match(game("ku_ka_king"), {}, ["greedy", "random"], seed_of("strange", 1))
    return format_record(record_of(match)).encode()


def test_the_record_that_is_spoilt_below_is_good(record: bytes, tmp_path: Path) -> None:
    for _ in range(3):
        assert told(tmp_path / "record", record).code == 0


def test_files_of_noise_are_refused(tmp_path: Path) -> None:
    random = Random(1)
    for _ in range(60):
        content = random.randbytes(random.choice((0, 1, 2, 50, 5000)))
        assert told(tmp_path / "noise", content).code == 1


OTHERS = {
    "the format, an older one": (
        (b'"version": 2,', b'"version": 1,'),
        "This record has version 1; only version 2 can be read.",
    ),
    "the format, a newer one": (
        (b'"version": 2,', b'"version": 3,'),
        "This record has version 3; only version 2 can be read.",
    ),
    "the rules": (
        (b'"rules_version": "1-', b'"rules_version": "2-'),
        "This version knows only rules 1 of ku_ka_king, not '2-6ae3f202'.",
    ),
}


@pytest.mark.parametrize("command", ["show", "verify", "export", "analyse"])
@pytest.mark.parametrize(("change", "sentence"), OTHERS.values(), ids=list(OTHERS))
def test_a_record_of_another_version_is_refused_by_its_name_and_both_numbers(
    record: bytes, tmp_path: Path, change: tuple[bytes, bytes], sentence: str, command: str
) -> None:
    file, (found, instead) = tmp_path / "record", change
    assert record.count(found) == 1
    file.write_bytes(record.replace(found, instead))
    answer = kk("record", command, str(file))
    assert is_answer(answer)
    assert answer.err == f"kk: {file}: {sentence}\n"


def test_records_that_were_cut_or_overwritten_in_places_are_refused(record: bytes, tmp_path: Path) -> None:
    random = Random(2)
    for _ in range(40):
        stop = random.randrange(len(record) - 1)
        assert told(tmp_path / "cut", record[:stop]).code == 1
        start = random.randrange(len(record) - 8)
        noise = random.randbytes(random.randrange(4, 8))
        spoilt = record[:start] + noise + record[start + len(noise) :]
        assert told(tmp_path / "over", spoilt).code == 1


def test_values_of_any_kind_in_any_place_are_refused(record: bytes, tmp_path: Path) -> None:
    tree = json.loads(record)
    strange: list[Any] = [
        None,
        True,
        -1,
        2**70,
        1.5,
        "",
        "\x1b[2J",
        "9" * 5000,
        "\ud800",
        [],
        {},
        [[]],
        {"a": {}},
        ["x"] * 500,
    ]
    for key in tree:
        for value in strange:
            if tree[key] == value:
                continue
            content = json.dumps(tree | {key: value}).encode()
            assert told(tmp_path / "strange", content).code == 1, (key, value)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 1_000_000, b'{"a":' * 200_000, b"9" * 1_000_000, b" " * 1_000_000, b" " * 5_000_000,
        b'{"a":' + b"9" * 5000 + b"}", b'{"a":"' + b"\\ud800" * 1000 + b'"}', b"\xef\xbb\xbf{}",
        '{"format": "kk-match"}'.encode("utf-16"), b"\x00" * 1000, b"\xff" * 1000, b"1e999999999",
    ],
    ids=lambda content: content[:12],
)  # fmt: skip
def test_files_that_are_huge_deep_or_of_another_encoding_are_refused(content: bytes, tmp_path: Path) -> None:
    assert told(tmp_path / "huge", content).code == 1


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    for name in ("", "missing", "loop", "gone", "loop/x", "x" * 300, "\x1b[31m", "line\nbreak"):
        for command in ("show", "verify", "export"):
            answer = kk("record", command, str(tmp_path / name))
            assert is_answer(answer)
            assert answer.code == 1


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, command: str) -> None:
    """Nobody ever writes to the pipe; a command that waited for it would never end."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for file in (tmp_path / "pipe", tmp_path / "socket", tmp_path, Path("/dev/zero"), Path("/dev/null")):
            answer = kk("record", command, str(file))
            assert is_answer(answer)
            assert answer.code == 1
            assert str(file) in answer.err


def test_a_signature_that_is_no_regular_file_is_refused_at_once(record: bytes, tmp_path: Path) -> None:
    (tmp_path / "record.json").write_bytes(record)
    os.mkfifo(tmp_path / "record.json.sig")
    answer = kk("record", "verify", str(tmp_path / "record.json"))
    assert is_answer(answer)
    assert answer.code == 1
    assert answer.err.endswith("record.json.sig is not a regular file.\n")


def test_a_signature_that_leads_nowhere_is_not_taken_for_none(record: bytes, tmp_path: Path) -> None:
    (tmp_path / "record.json").write_bytes(record)
    (tmp_path / "record.json.sig").symlink_to(tmp_path / "gone")
    answer = kk("record", "verify", str(tmp_path / "record.json"))
    assert is_answer(answer)
    assert answer.code == 1
    assert answer.err.endswith("record.json.sig: No such file or directory\n")


def test_a_signature_of_noise_is_refused(record: bytes, tmp_path: Path) -> None:
    random = Random(3)
    file = tmp_path / "record.json"
    file.write_bytes(record)
    for _ in range(20):
        (tmp_path / "record.json.sig").write_bytes(random.randbytes(random.choice((0, 1, 300, 5000))))
        answer = kk("record", "verify", str(file))
        assert is_answer(answer)
        assert answer.code == 1


def test_names_with_letters_that_the_terminal_lacks_are_told_all_the_same(tmp_path: Path) -> None:
    match = play_match(game("ku_ka_king"), {}, ["greedy", "random"], seed_of("strange", 1))
    match.seats = ("Анна", "王")
    (tmp_path / "record").write_text(format_record(record_of(match)), encoding="utf-8")
    shown = kk_process("record", "show", str(tmp_path / "record"), PYTHONIOENCODING="latin-1")
    assert shown.code == 0, shown.err
    assert "\\u0410\\u043d\\u043d\\u0430" in shown.out
    exported = kk_process("record", "export", str(tmp_path / "record"), PYTHONIOENCODING="latin-1")
    assert "Анна" in exported.out


def test_letters_that_no_terminal_shows_are_exported_as_escapes(tmp_path: Path) -> None:
    match = play_match(game("ku_ka_king"), {}, ["greedy", "random"], seed_of("strange", 1))
    match.seats = ("A\u0378", "B\U0003fffd")  # no Unicode has these yet
    (tmp_path / "record").write_text(format_record(record_of(match)), encoding="utf-8")
    answer = kk("record", "export", str(tmp_path / "record"))
    assert is_answer(answer)
    assert json.loads(answer.out)["seats"] == list(match.seats)


# -- databases -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of tables with a match going on at table "land_cards"."""
    folder = tmp_path_factory.mktemp("database")
    asyncio.run(fill(folder / "written", "land_cards", begun(14)))
    copy_database(folder / "written", folder / "copied")  # all of it in one file
    return (folder / "copied").read_bytes()


def schema_of(database: bytes) -> range:
    """Where the schema tells of the entries, to the end of its page."""
    begin, page = database.index(b"tableentries"), int.from_bytes(database[16:18], "big")
    return range(begin, begin // page * page + page)


def asked(folder: Path, content: bytes) -> Answer:
    for path in folder.iterdir():
        path.unlink()
    (folder / DATABASE).write_bytes(content)
    answer = kk("record", "export", "--unfinished", str(folder / "land_cards"))
    assert is_answer(answer)
    return answer


def test_a_match_can_be_had_from_a_database_and_not_from_one_that_is_spoilt(
    database: bytes, tmp_path: Path
) -> None:
    assert asked(tmp_path, database).code == 0
    schema = schema_of(database)
    codes = []
    for place in (*range(0, 100, 4), *schema[::4]):
        flipped = bytearray(database)
        flipped[place] ^= 0x80
        codes.append(asked(tmp_path, bytes(flipped)).code)
    assert codes.count(1) > len(schema) // 8
    for content in (
        b"",
        b"\x00" * 4096,
        b"no database" * 1000,
        database[:100],
        database[:5000],
        database[:-4096],
    ):
        assert asked(tmp_path, content).code == 1


def spoilt(database: bytes) -> dict[str, bytes]:
    """Databases that no server can start with."""
    flipped = bytearray(database)
    flipped[schema_of(database)[20]] ^= 0x80
    return {
        "one byte of the schema": bytes(flipped),
        "no database": b"this is no database at all" * 300,
    }


def test_a_server_does_not_start_on_a_database_that_is_spoilt(database: bytes, tmp_path: Path) -> None:
    for name, content in spoilt(database).items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / DATABASE).write_bytes(content)
        refused(kk_process("serve", "--port", "0", "--data", str(folder)), 1, DATABASE)
