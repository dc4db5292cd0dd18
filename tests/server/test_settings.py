"""The settings of a server: where they come from, which counts, and how mistakes are told."""

from __future__ import annotations

import asyncio
import re
import tomllib
from inspect import signature
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kk_core import config
from kk_server.cli.main import serve
from kk_server.limits import Timeouts
from kk_server.serve.server import start
from kk_server.serve.settings import OPTIONS, SHIPPED, BadSettings, Settings, Sources
from tests.commands.calling import kk, refused
from tests.server.client import Client
from tests.server.hosting import here
from tests.server.ports import free_port


def all_keys() -> list[str]:
    tree = msgspec.to_builtins(Settings())
    tables = [key for key, value in tree.items() if isinstance(value, dict)]
    inner = [f"{table}.{key}" for table in tables for key in tree[table]]
    return [key for key in tree if key not in tables] + inner


def test_the_file_that_the_program_ships_with_says_what_counts_without_it() -> None:
    assert Sources().read() == Settings()


@pytest.mark.parametrize("key", all_keys())
def test_every_setting_stands_in_that_file_with_a_sentence_about_it(key: str) -> None:
    lines = config.read_shipped(SHIPPED).text.splitlines()
    name = key.rpartition(".")[2]
    (number,) = [n for n, line in enumerate(lines) if re.match(rf"(# )?{name} = ", line)]
    paragraph = lines[lines.index("", number) - 1 :: -1] if "" in lines[number:] else lines[::-1]
    above = paragraph[: paragraph.index("")]
    assert "#" in lines[number].removeprefix("#") or any(line.startswith("# ") for line in above)


def settings_file(folder: Path, content: str) -> Path:
    path = folder / "my-server.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_a_file_counts_over_what_is_shipped_and_what_is_typed_over_the_file(tmp_path: Path) -> None:
    file = settings_file(tmp_path, 'port = 2222\nguests = "no"\n[limits]\ntables = 5\ntables_per_user = 2\n')
    settings = Sources(file, {"port": 3333, "limits": {"tables": 6}}).read()
    assert (settings.port, settings.guests, settings.host) == (3333, "no", "localhost")
    assert (settings.limits.tables, settings.limits.tables_per_user) == (6, 2)


def test_a_copy_of_the_shipped_file_in_kk_config_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / SHIPPED).write_text("port = 4444\n")
    monkeypatch.setenv(config.VARIABLE, str(tmp_path))
    assert Sources().read() == Settings(port=4444)


def test_files_that_a_settings_file_names_are_seen_from_its_folder(tmp_path: Path) -> None:
    file = settings_file(tmp_path, 'allow = "keys.txt"\nadmins = "/etc/admins"\n')
    settings = Sources(file, {"data": "here"}).read()
    assert (settings.allow, settings.admins, settings.data) == (
        str(tmp_path / "keys.txt"),
        "/etc/admins",
        "here",
    )


FAULTS = [
    ("prot = 22", "prot: no such setting; did you mean port?"),
    ("colour = 1", "colour: no such setting."),
    ("port = 70000", "port is 70000: Expected int <= 65535"),
    ('port = "ssh"', "port is 'ssh': Expected a whole number"),
    ('guests = "maybe"', "guests is 'maybe': Expected yes or no"),
    ('address = "my.host:70000"', "address is 'my.host:70000': write HOST or HOST:PORT."),
    ("metrics = 8022", "metrics is 8022, the same as port: choose another."),
    ('address = "my host"', "address is 'my host': write HOST or HOST:PORT."),
    ("log = 3", "log is 3: Expected json or text"),
    ("purge_days = 0", "purge_days is 0: Expected int >= 1"),
    ('purge_days = "soon"', "purge_days is 'soon': Expected a number or never"),
    ("limits = 3", "limits is 3: Expected object, got int"),
    ("[limits]\ntables = 0", "limits.tables is 0: Expected int >= 1"),
    ("[limits]\nburst = 1", "limits.burst: no such setting."),
    ("[times]\nreconnect = -1", "times.reconnect is -1: Expected float >= 0.0"),
    ("port = 1\nhost =\n", "Invalid value (at line 2, column 7)"),
    ('guests = "yes"\nallow = "keys"', "leave one out"),
]


@pytest.mark.parametrize(("content", "sentence"), FAULTS)
def test_a_setting_that_cannot_be_is_named_with_its_file_and_the_reason(
    tmp_path: Path, content: str, sentence: str
) -> None:
    file = settings_file(tmp_path, content)
    refused(kk("serve", "--config", str(file), "--check"), 2, sentence)


def test_all_faults_are_told_at_once_a_line_each(tmp_path: Path) -> None:
    file = settings_file(tmp_path, "port = -1\n[limits]\ntables = 0\n")
    answer = kk("serve", "--config", str(file), "--set", "limits.tabels=3", "--check")
    assert answer.code == 2
    assert [line.partition(" is ")[0] for line in answer.err.splitlines()] == [
        f"kk: {file}: port",
        f"kk: {file}: limits.tables",
        "kk: limits.tabels: no such setting; did you mean tables?",
    ]


@pytest.mark.parametrize("given", ["limits.tables", "a.b.c=1", "=3"])
def test_any_setting_can_be_typed_and_what_is_none_is_refused(given: str) -> None:
    refused(kk("serve", "--set", given, "--check"), 2, "KEY=VALUE")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (None, ("", 8022)),
        ("play.example.org", ("play.example.org", 8022)),
        ("play.example.org:22", ("play.example.org", 22)),
        ("[2001:db8::1]", ("[2001:db8::1]", 8022)),
        ("[2001:db8::1]:2222", ("[2001:db8::1]", 2222)),
    ],
)
def test_people_are_told_the_port_of_the_address_and_otherwise_the_one_that_is_listened_on(
    address: str | None, told: tuple[str, int]
) -> None:
    assert Sources(None, {} if address is None else {"address": address}).read().address_at(8022) == told


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    refused(kk("serve", "--config", str(tmp_path / "none.toml")), 2, "none.toml", "No such file")


def test_the_check_of_key_files_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "admins.txt").write_text("nonsense\n")
    refused(kk("serve", "--admins", str(tmp_path / "admins.txt"), "--check"), 2, "admins.txt, line 1")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ((), Settings()),
        (("--port", "0", "--set", "language=de", "--set", "bot_pause=2"), {"port": 0, "bot_pause": 2.0}),
        (("--set", "times.empty=inf"), {"times": msgspec.to_builtins(Timeouts(empty=inf))}),
        (("--set", "data=a # b\\\u00fc", "--set", "limits.rows=50"), {"data": "a # b\\\u00fc"}),
    ],
)
def test_what_the_check_prints_is_a_file_that_says_the_same(
    tmp_path: Path, typed: tuple[str, ...], expected: Any
) -> None:
    answer = kk("serve", *typed, "--check")
    assert answer.code == 0, answer.err
    file = settings_file(tmp_path, answer.out)
    again = Sources(file).read()
    assert answer.out == kk("serve", "--config", str(file), "--check").out.replace(f"{tmp_path}/", "")
    said = tomllib.loads(answer.out)
    # as JSON, since TOML has no tuples either
    is_whole = isinstance(expected, Settings)
    wanted = msgspec.json.decode(msgspec.json.encode(expected)) if is_whole else expected
    assert all(said.get(key) == value for key, value in wanted.items())
    assert again.port == said["port"]


async def test_a_server_listens_on_the_address_of_its_settings_alone(tmp_path: Path) -> None:
    port = free_port()  # where nobody else listens on another address
    server = await start(Settings(data=str(tmp_path), host="127.0.0.9", port=port))
    _, writer = await asyncio.open_connection("127.0.0.9", server.port)
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await server.close()


async def test_bots_wait_as_long_before_a_move_as_the_settings_say(tmp_path: Path) -> None:
    server = await start(here(tmp_path, bot_pause=1000.0))
    anna = Client(server.hub.connect("anna"))
    await anna.open("ku_ka_king", 2)
    await anna.seat_bots(0, 1)
    await anna.start()
    assert anna.match.ply == 0
    server.hub.pace.hurry()
    await anna.until(lambda c: c.table.phase == "finished")
    await anna.close()
    await server.close()


def test_bad_settings_have_a_reason_that_can_be_shown_alone(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="port"):
        Sources(None, {"port": "x"}).read()


def test_a_bad_value_is_named_as_an_option_if_there_is_one_and_otherwise_as_after_set() -> None:
    assert set(OPTIONS) == signature(serve).parameters.keys() - {"config", "setting", "check"}
    with pytest.raises(BadSettings, match=r"^--bot-processes is -1: "):
        Sources(typed={"bot_processes": -1}).read()
    with pytest.raises(BadSettings, match=r"^purge_days is 0: "):
        Sources(typed={"purge_days": 0}).read()


def test_the_document_has_the_number_of_every_limit() -> None:
    text = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    told = {
        name: float(number) for name, number in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", text, re.MULTILINE)
    }
    assert told == msgspec.to_builtins(Settings().limits)
