"""The command `kk`, as somebody types it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kk_core import __version__
from kk_core.registry import game_ids
from tests.commands.calling import kk, kk_process, refused
from tests.server.outside_bots import installed
from tests.terminal import KK


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records of bot games, one game of each kind."""
    folder = tmp_path_factory.mktemp("records")
    for game_id in game_ids():
        result = kk(
            "simulate", game_id, "--seats", "random,random,random", "--games", "1", "--records", str(folder)
        )
        assert result.code == 0, result.err
    return folder


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
        (("serve", "--guests", "yes", "--allow", "keys"), ("With allow", "leave one out")),
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


def test_a_seed_may_be_any_text(tmp_path: Path) -> None:
    seats = ("--seats", "random,random,random", "--games", "1")
    result = kk(
        "simulate", "land_cards", *seats, "--seed", "../a b/ü", "--records", str(tmp_path / "records")
    )
    assert result.code == 0, result.err
    assert len(list((tmp_path / "records").iterdir())) == 1


def test_every_record_of_a_simulation_verifies_exports_and_is_told(played: Path) -> None:
    for file in played.iterdir():
        assert "good" in kk("record", "verify", str(file)).out
        assert json.loads(kk("record", "export", str(file)).out)["result"]["finished"] is True
        told = kk("record", "show", str(file))
        assert told.code == 0
        assert "bot:random" in told.out


def test_a_wrong_ply_is_named(played: Path, tmp_path: Path) -> None:
    record = json.loads(next(played.glob("land_cards*")).read_text())
    record["moves"][4] = "0 take 9 99"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(record))
    refused(kk("record", "verify", str(bad)), 1, "Ply 5", "take 9 99")


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
    [("missing", "no such folder"), ("empty", "None of"), ("slip", "landcards.toml is none")],
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


def test_an_arena_rotates_the_seats_over_the_same_deals_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "easy,random,random", "--json")
    first = kk(*call, "--games", "3", "--save", str(save))
    assert first.code == 0, first.err
    three = save.read_text()
    figures = json.loads(kk(*call, "--games", "6", "--save", str(save)).out)
    assert save.read_text().startswith(three)
    assert len(save.read_text().splitlines()) == 7
    whole = json.loads(kk(*call, "--games", "6").out)
    for one, other in zip(figures["table"], whole["table"], strict=True):
        assert one.pop("milliseconds") > 0
        assert other.pop("milliseconds") > 0
        assert one == other
    assert [line["bot"] for line in whole["table"]] == ["easy", "random"]
    shares = [line["share"] * line["seats"] for line in whole["table"]]
    assert sum(shares) == pytest.approx(1)
    assert all(line["low"] <= line["share"] <= line["high"] for line in whole["table"])


def test_an_arena_of_two_processes_comes_to_what_one_comes_to(tmp_path: Path) -> None:
    lines = []
    for jobs in ("1", "2"):
        save = tmp_path / f"{jobs}.jsonl"
        call = ("arena", "ku_ka_king", "--bots", "medium:5,random", "--games", "4", "--jobs", jobs)
        assert kk(*call, "--save", str(save)).code == 0
        matches = [json.loads(line) for line in save.read_text().splitlines()[1:]]
        lines.append(sorted(matches, key=lambda match: match["number"]))
    one, two = ([(match["number"], match["points"], match["wins"]) for match in matches] for matches in lines)
    assert one == two
    assert [number for number, _, _ in one] == [0, 1, 2, 3]


def test_an_interrupted_arena_ends_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    call = ("arena", "ku_ka_king", "--bots", "stuck,random", "--games", "4", "--jobs", "2")
    with installed(tmp_path, monkeypatch) as diary:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs tests in the background ignores it
        request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
        command = [*KK, *call]
        with subprocess.Popen(
            command, start_new_session=True, stderr=subprocess.DEVNULL, env=environment
        ) as playing:
            while diary.count("begun") < 2:
                time.sleep(0.05)
            os.killpg(playing.pid, signal.SIGINT)
            assert playing.wait(20) != 0
    while is_there(playing.pid):
        time.sleep(0.05)


def is_there(group: int) -> bool:
    """Whether any process of a group is."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_match_that_was_not_wholly_written_is_played_anew(tmp_path: Path) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "greedy,random", "--games", "4", "--save", str(save))
    assert kk(*call).code == 0
    table, whole = kk(*call).out, save.read_bytes()
    for lost in (1, 20, len(whole.splitlines()[-1]) + 10):
        save.write_bytes(whole[:-lost])
        again = kk(*call)
        assert again.code == 0
        assert untimed(again.out) == untimed(table)
        numbers = [json.loads(line)["number"] for line in save.read_text().splitlines()[1:]]
        assert numbers == [0, 1, 2, 3]
    save.write_bytes(b"")
    assert untimed(kk(*call).out) == untimed(table)


def untimed(table: str) -> str:
    """What does not depend on how quick the machine was."""
    return re.sub(r"\d+\.\d \S*$", "", table, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "damage", [b"x", b'{"number":1,"points":[1],"wins":[1.0],"seconds":[0.1],"choices":[1]}']
)
def test_a_damaged_line_of_a_contest_is_named_and_nothing_is_lost(damage: bytes, tmp_path: Path) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "greedy,random", "--games", "4", "--save", str(save))
    assert kk(*call).code == 0
    lines = save.read_bytes().splitlines(keepends=True)
    lines[2] = damage + b"\n"
    save.write_bytes(b"".join(lines))
    refused(kk(*call), 1, f"{save}: line 3 is no result of this contest")
    assert save.read_bytes() == b"".join(lines)


def test_an_arena_refuses_what_it_cannot_play(tmp_path: Path) -> None:
    refused(kk("arena", "ku_ka_king", "--bots", "hard:no,random"), 2, "hard:no", "simulations")
    refused(kk("arena", "ku_ka_king", "--bots", "clever,random"), 2, "clever")
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "random,random", "--games", "2", "--save", str(save))
    assert kk(*call).code == 0
    refused(kk(*call, "--seed", "2"), 1, str(save), "another contest")


@pytest.mark.parametrize(
    ("command", "reason"), [("'open", "a quotation mark is not closed"), (" ", "no program")]
)
def test_a_command_that_is_no_program_is_refused(command: str, reason: str) -> None:
    refused(kk("bot", "--connect", "robot@localhost:1", "--command", command), 2, "--command", reason)
