"""The command `kk`, as somebody types it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from kk_core import __version__
from kk_core.registry import game_ids
from kk_server.cli import simulate
from kk_server.cli.language import settings_path
from kk_server.cli.main import app, records, stored
from tests.commands.calling import Answer, interrupt_at, kk, kk_process, refused
from tests.core.contract.tables import people_at
from tests.waiting import patience

COMMANDS = [
    (*group, command.name or command.callback.__name__)  # type: ignore[union-attr]
    for group, commands in (((), app), (("record",), records), (("store",), stored))
    for command in commands.registered_commands
]
CAPITALS = re.compile(r"\b[A-Z]{2,}\b")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records of bot games, one game of each kind."""
    folder = tmp_path_factory.mktemp("records")
    for game_id in game_ids():
        bots = ",".join(["random"] * people_at(game_id))
        result = kk("simulate", game_id, "--seats", bots, "--games", "1", "--records", str(folder))
        assert result.code == 0, result.err
    return folder


ON_WINDOWS = """
import sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
from kk_server.cli.main import main
main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("play",), ("play", "land_cards"), ("connect", "anna@host"), ("serve",), ("store", "check"),
        ("bot", "--connect", "host", "--command", "x"),
        ("arena", "ku_ka_king", "--bots", "easy,easy"),
    ],
)  # fmt: skip
def test_where_python_has_no_terminals_of_unix_one_sentence_says_how_to_play(
    arguments: tuple[str, ...],
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ON_WINDOWS, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience(), check=False,
    )  # fmt: skip
    refused(Answer(ended.returncode, ended.stdout, ended.stderr), 1, "WSL", "ssh -t NAME@HOST")


def test_what_needs_no_terminal_of_unix_does_without(played: Path) -> None:
    record = next(played.iterdir())
    for arguments in (("--version",), ("record", "verify", str(record))):
        command = [sys.executable, "-c", ON_WINDOWS, *arguments]
        ended = subprocess.run(command, timeout=patience(), check=False)
        assert ended.returncode == 0


def test_the_version_is_told() -> None:
    assert kk("--version").out == f"kk {__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    result = kk()
    assert result.code == 0
    for command in ("play", "serve", "connect", "simulate", "record"):
        assert command in result.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dance",), ("dance",)),
        (("simulate",), ("GAME",)),
        (("simulate", "land_cards"), ("--seats",)),
        (("simulate", "chess", "--seats", "random,random"), ("chess", "land_cards")),
        (("simulate", "land_cards", "--seats", "random"), ("3 to 5 players", "not 1")),
        (("simulate", "land_cards", "--seats", "random,random,wizard"), ("wizard",)),
        (("simulate", "land_cards", "--seats", "random,random,random", "--option", "x=1"), ("'x'",)),
        (("simulate", "land_cards", "--seats", "random,random,random", "--games", "0"), ("--games",)),
        (("serve", "--port", "70000"), ("--port",)),
        (("serve", "--guests", "maybe"), ("--guests", "'maybe'")),
        (("serve", "--guests", "yes", "--allow", "keys"), ("allow admits only", "leave one out")),
        (("serve", "--allow", "/nowhere/keys"), ("/nowhere/keys", "No such file")),
        (("connect", "host:port:more"), ("host:port:more",)),
        (("connect", "anna@"), ("anna@",)),
        (("record", "verify"), ("FILE",)),
    ],
)  # fmt: skip
def test_a_wrong_call_is_told_in_one_line_and_exits_with_2(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    refused(kk(*arguments), 2, *words)


def test_playing_needs_a_terminal() -> None:
    refused(kk("play"), 2, "terminal")


def test_the_same_seed_gives_the_same_matches(tmp_path: Path) -> None:
    calls = []
    for name in ("first", "second"):
        folder = tmp_path / name
        result = kk(
            "simulate", "land_cards", "--seats", "greedy,random,random", "--games", "3", "--seed", "7",
            "--records", str(folder), "--json",
        )  # fmt: skip
        figures = json.loads(result.out)
        assert figures.pop("seconds") > 0
        assert figures.pop("moves_per_second") > 0
        calls.append((figures, [path.read_text() for path in sorted(folder.iterdir())]))
    assert calls[0] == calls[1]
    assert len(calls[0][1]) == 3
    figures = calls[0][0]
    assert sum(figures["wins"]) + figures["without_winner"] == pytest.approx(3)
    assert len(figures["mean_score"]) == 3


def test_who_interrupts_a_simulation_gets_the_figures_and_records_of_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ("simulate", "ku_ka_king", "--seats", "random,random", "--json")
    two = json.loads(kk(*call, "--games", "2").out)
    with monkeypatch.context() as patch:
        interrupt_at(patch, simulate, "play_match", 3)
        answer = kk(*call, "--games", "9", "--records", str(tmp_path))
    assert (answer.code, answer.err) == (130, "kk: Interrupted after 2 of 9 matches.\n")
    figures = json.loads(answer.out)
    assert (figures["games"], figures["wins"], figures["mean_score"]) == (
        2, two["wins"], two["mean_score"],
    )  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 2
    interrupt_at(monkeypatch, simulate, "play_match", 1)
    answer = kk(*call)
    assert answer == (130, "", "kk: Interrupted before any match had ended.\n")


def test_a_simulation_writes_its_records_anew_but_not_over_those_of_others(tmp_path: Path) -> None:
    call = ("simulate", "ku_ka_king", "--games", "2", "--records", str(tmp_path), "--seats")
    assert kk(*call, "easy,easy").code == 0
    before = [file.read_text() for file in sorted(tmp_path.iterdir())]
    assert kk(*call, "easy,easy").code == 0
    answer = kk(*call, "greedy,random")
    assert (answer.code, answer.out) == (1, "")
    assert "ku_ka_king-1-0.json holds another match; choose another folder or seed." in answer.err
    assert [file.read_text() for file in sorted(tmp_path.iterdir())] == before


def test_what_is_one_is_counted_as_one() -> None:
    assert (
        "\n1 match, 0 without" in kk("simulate", "ku_ka_king", "--seats", "random,random", "--games", "1").out
    )


def test_a_seed_may_be_any_text(tmp_path: Path) -> None:
    seats = ("--seats", "random,random,random", "--games", "1")
    result = kk(
        "simulate", "land_cards", *seats, "--seed", "../a b/ü", "--records", str(tmp_path / "records")
    )
    assert result.code == 0, result.err
    assert len(list((tmp_path / "records").iterdir())) == 1


HAPPENED = {
    "ku_ka_king": "\n    Ku ... Ka ... King! bot:random ",
    "land_cards": " can't take a card and must skip.\n",
    "web_of_power": "\n    The discard pile is shuffled: ",
}
"""What is told of a match besides its moves, of games of which more is looked at than that something is."""


def test_every_record_of_a_simulation_verifies_exports_and_is_told(played: Path) -> None:
    for file in played.iterdir():
        assert "good" in kk("record", "verify", str(file)).out
        assert json.loads(kk("record", "export", str(file)).out)["result"]["finished"] is True
        told = kk("record", "show", str(file))
        assert told.code == 0
        assert "bot:random" in told.out
        assert HAPPENED.get(file.name.partition("-")[0], "\n    ") in told.out


def test_a_wrong_ply_is_named(played: Path, tmp_path: Path) -> None:
    record = json.loads(next(played.glob("land_cards*")).read_text())
    record["moves"][4] = "0 take 9 99"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(record))
    refused(kk("record", "verify", str(bad)), 1, "Ply 5", "take 9 99")


OTHER_BYTES: dict[str, Callable[[bytes], bytes]] = {
    "its last line break cut": lambda content: content[:-1],
    "one line break more": lambda content: content + b"\n",
    "the line breaks of Windows": lambda content: content.replace(b"\n", b"\r\n"),
    "its keys in another order": lambda content: _written(dict(reversed(json.loads(content).items()))),
    "other indents": lambda content: _written(json.loads(content), indent=2),
    "all in one line": lambda content: _written(json.loads(content), indent=None),
    "a letter as an escape": lambda content: content.replace(b"random", b"\\u0072andom", 1),
}


def _written(tree: Any, indent: int | None = 1) -> bytes:
    return (json.dumps(tree, indent=indent, ensure_ascii=False) + "\n").encode()


@pytest.mark.parametrize("change", OTHER_BYTES.values(), ids=list(OTHER_BYTES))
def test_a_record_in_other_bytes_is_shown_but_does_not_verify(
    played: Path, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    good, other = next(played.glob("land_cards*")).read_bytes(), tmp_path / "other.json"
    assert _written(json.loads(good)) == good
    other.write_bytes(change(good))
    assert other.read_bytes() != good
    refused(kk("record", "verify", str(other)), 1, "differs from the record as it was written", "Line")
    assert kk("record", "show", str(other)).code == 0


def test_the_line_is_named_that_is_in_other_bytes(played: Path, tmp_path: Path) -> None:
    lines = next(played.glob("land_cards*")).read_bytes().split(b"\n")
    lines[6] += b" "
    (tmp_path / "other.json").write_bytes(b"\n".join(lines))
    refused(kk("record", "verify", str(tmp_path / "other.json")), 1, "Line 7 differs")


def test_a_file_that_is_no_record_or_not_there_is_a_failure(tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(b"\x00\xff")
    refused(kk("record", "export", str(noise)), 1, "not a record")
    refused(kk("record", "verify", str(tmp_path / "missing")), 1, "missing", "No such file")


STARTS = [
    ("simulate", "land_cards", "--seats", "random,random,random", "--games", "1"),
    ("play",),
    ("serve", "--port", "0"),
]
"""Every command that begins new matches."""

every_start = pytest.mark.parametrize("start", STARTS, ids=lambda start: start[0])


def refused_with(data: Path, home: Path, start: tuple[str, ...], *words: str) -> None:
    """A command does not begin with a folder of data files."""
    refused(kk_process(*start, KK_CONFIG=str(data), XDG_DATA_HOME=str(home)), 2, str(data), *words)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("land_cards.toml", b"cards = 3\n", ("land_cards.toml: $.cards: ", "Expected")),
        ("ku_ka_king.toml", b"cards = [\n1 2]\n", ("ku_ka_king.toml: line 2: ",)),
        ("web_of_power.drawing.toml", b"", ("web_of_power.drawing.toml: ", "missing")),
        ("web_of_power.toml", b"\xff", ("web_of_power.toml: ", "UTF-8")),
    ],
)
def test_a_bad_data_file_is_refused_at_the_start_with_file_key_and_reason(
    tmp_path: Path, file: str, content: bytes, words: tuple[str, ...]
) -> None:
    (tmp_path / file).write_bytes(content)
    refused_with(tmp_path, tmp_path, STARTS[0], *words)


@pytest.mark.parametrize(
    ("folder", "word"),
    [("missing", "No such folder"), ("empty", "none of these files"), ("slip", "landcards.toml is not one")],
)
def test_a_folder_for_data_files_that_is_not_there_or_has_none_is_refused_at_the_start(
    tmp_path: Path, folder: str, word: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "slip").mkdir()
    (tmp_path / "slip" / "landcards.toml").write_text("")
    refused_with(tmp_path / folder, tmp_path, STARTS[0], "KK_CONFIG=", word)


@every_start
def test_no_command_begins_with_data_that_cannot_be_read(tmp_path: Path, start: tuple[str, ...]) -> None:
    (tmp_path / "land_cards.toml").write_text("cards = 3\n")
    refused_with(tmp_path, tmp_path, start, "land_cards.toml: $.cards: ")


@pytest.mark.parametrize(
    ("command", "reason"), [("'open", "missing closing quotation mark"), (" ", "no program")]
)
def test_a_command_that_is_no_program_is_refused(command: str, reason: str) -> None:
    refused(kk("bot", "--connect", "robot@localhost:1", "--command", command), 2, "--command", reason)


def test_help_and_mistakes_are_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "kk"
    folder.mkdir()
    (folder / "settings.json").write_text('{"language": "es"}', encoding="utf-8")
    own = {"XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    for arguments, environment, usage in (
        ((), {}, "Usage:"),
        ((), {"LANG": "nl_NL.UTF-8"}, "Gebruik:"),
        ((), {"LANG": "nl_NL.UTF-8", **own}, "Uso:"),
        ((), {"LANG": "nl_NL.UTF-8", "KK_LANG": "de", **own}, "Aufruf:"),
        (("--lang", "nl"), {"KK_LANG": "de", **own}, "Gebruik:"),
    ):
        said = kk_process(*arguments, "--help", **environment)
        assert said.out.startswith(usage)
        assert ("Options:" in said.out) is (usage == "Usage:")
    assert "unbekannt" in kk_process("plya", LANG="de_DE").err.lower()
    assert "DATEI" in kk_process("record", "verify", LANG="de_DE").err
    assert "gibt es nicht" in kk_process("record", "verify", "/nowhere", LANG="de_DE").err
    assert kk_process("serve", "--set", "guests=maybe", LANG="de_DE").err.strip().endswith("yes oder no.")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (("serve", "--port"), "--port needs a value."),
        (("--lang",), "--lang needs a value."),
        (("serve", "--check=3"), "--check takes no value."),
    ],
)
def test_an_option_is_refused_without_its_value_or_with_one_that_it_does_not_take(
    typed: tuple[str, ...], reason: str
) -> None:
    refused(kk(*typed), 2, reason)


@pytest.mark.parametrize("command", [(), *COMMANDS], ids=" ".join)
def test_help_names_what_is_typed_in_the_language_of_its_reader(command: tuple[str, ...]) -> None:
    english, spanish = (kk_process("--lang", code, *command, "--help").out for code in ("en", "es"))
    assert not re.search(r"<[a-z]", english), "the name of a type"
    typed = set(CAPITALS.findall(english)) - {"HOST", "ID", "BOTS", "JSON", "SSH", "KK"}
    assert typed >= {"OPTIONS"}
    assert typed & set(CAPITALS.findall(spanish)) == set()


def test_a_language_without_a_catalogue_is_refused_with_those_there_are() -> None:
    refused(kk("--lang", "tlh", "play"), 2, "'tlh'", "de", "en", "es", "nl")


@pytest.mark.parametrize("own", [{"XDG_CONFIG_HOME": "/somewhere"}, {"XDG_CONFIG_HOME": ""}, {}])
def test_the_settings_are_where_platformdirs_puts_them(
    own: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    assert settings_path() == platformdirs.user_config_path("kk", appauthor=False) / "settings.json"
