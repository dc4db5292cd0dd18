"""`kk arena`: contests of bots, saved, interrupted and gone on with."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kk_core.registry import game
from kk_server.cli import arena
from tests.commands.calling import interrupt_at, kk, kk_process, refused
from tests.server.outside_bots import installed
from tests.terminal import KK
from tests.waiting import patience


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


def test_two_arenas_do_not_write_into_one_file(tmp_path: Path) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "greedy,random", "--games", "4", "--save", str(save))
    assert kk(*call).code == 0
    whole = save.read_bytes()
    with save.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        told = kk(*call)
    assert (told.code, told.out) == (1, "")
    assert told.err == f"kk: {save} is in use: another arena is writing to it.\n"
    assert save.read_bytes() == whole
    assert kk(*call).code == 0


def test_who_interrupts_an_arena_reads_what_is_kept_and_goes_on_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "ku_ka_king", "--bots", "easy,random", "--games", "4", "--save", str(save))
    with monkeypatch.context() as patch:
        interrupt_at(patch, arena, "play_numbered", 3)
        stopped = kk(*call)
    assert stopped.code == 130
    after = (
        "kk: Interrupted after 2 of 4 matches. Results are saved; the same command continues from there.\n"
    )
    assert stopped.err == after
    assert stopped.out.endswith("\n2 matches\n")
    assert len(save.read_text().splitlines()) == 1 + 2
    whole = kk(*call)
    assert (whole.code, whole.err) == (0, "")
    assert whole.out.endswith("\n4 matches\n")
    assert len(save.read_text().splitlines()) == 1 + 4


def test_an_interrupted_arena_claims_to_keep_nothing_that_it_does_not_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call = ("arena", "ku_ka_king", "--bots", "random,random", "--games", "4", "--json")
    with monkeypatch.context() as patch:
        interrupt_at(patch, arena, "play_numbered", 2)
        stopped = kk(*call)
    lost = "kk: Interrupted after 1 of 4 matches. Without --save FILE, nothing is kept.\n"
    assert (stopped.code, stopped.err) == (130, lost)
    assert [line["games"] for line in json.loads(stopped.out)["table"]] == [1]
    interrupt_at(monkeypatch, arena, "play_numbered", 1)
    assert kk(*call) == (130, "", "kk: Interrupted before any match had ended.\n")


@pytest.mark.usefixtures("usual_interrupts")
def test_an_interrupted_arena_ends_at_once_with_all_its_processes_and_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        installed(tmp_path, monkeypatch) as diary,
        arena_of_two("stuck,random", tmp_path) as playing,
    ):
        while diary.count("begun") < 2:
            time.sleep(0.05)
        os.killpg(playing.pid, signal.SIGINT)
        _, said = playing.communicate(timeout=patience())
    assert (playing.returncode, said) == (130, "kk: Interrupted before any match had ended.\n")
    while is_there(playing.pid):
        time.sleep(0.05)


SLOW_START = """
import os, sys, time
if "--multiprocessing-fork" in sys.orig_argv:
    with open(os.environ["DIARY"], "a") as diary:
        diary.write(f"starting {os.getpid()}\\n")
    while not os.path.exists(os.environ["DIARY"] + ".go"):
        time.sleep(0.02)
"""


@pytest.mark.usefixtures("usual_interrupts")
def test_processes_that_play_leave_an_interrupt_to_the_one_that_gave_the_order_even_while_they_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_START)
    with (
        installed(tmp_path, monkeypatch) as diary,
        arena_of_two("brisk,random", tmp_path) as playing,
    ):
        while diary.count("starting") < 2:
            time.sleep(0.05)
        for _, pid in diary.lines:
            os.kill(pid, signal.SIGINT)
        (tmp_path / "diary.go").touch()
        out, said = playing.communicate(timeout=patience())
    assert (playing.returncode, said) == (0, "")
    assert out.endswith("\n4 matches\n")


def arena_of_two(bots: str, path: Path) -> subprocess.Popen[str]:
    """Four matches in two processes, which find modules on the path, in a group of their own."""
    return subprocess.Popen(
        [*KK, "arena", "ku_ka_king", "--bots", bots, "--games", "4", "--jobs", "2"],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(path)},
    )  # fmt: skip


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
    refused(kk(*call), 1, f"{save}: line 3 is not a result of this contest")
    assert save.read_bytes() == b"".join(lines)


def test_an_arena_refuses_what_it_cannot_play() -> None:
    refused(kk("arena", "ku_ka_king", "--bots", "hard:no,random"), 2, "hard:no", "no style")
    refused(kk("arena", "ku_ka_king", "--bots", "greedy:50,random"), 2, "greedy:50", "does not search")
    refused(kk("simulate", "ku_ka_king", "--seats", "greedy:50,random"), 2, "greedy:50", "does not search")
    refused(kk("arena", "ku_ka_king", "--bots", "clever,random"), 2, "clever")


@pytest.mark.parametrize(
    ("option", "value"), [("--jobs", "0"), ("--jobs", "9999"), ("--games", "0"), ("--games", "1000001")]
)
def test_numbers_out_of_all_bounds_are_refused(option: str, value: str) -> None:
    refused(kk("arena", "ku_ka_king", "--bots", "random,random", option, value), 2, option)


def test_a_file_of_something_else_stays_as_it_is_and_is_named_with_what_it_holds(tmp_path: Path) -> None:
    save = tmp_path / "contest.jsonl"
    call = ("arena", "land_cards", "--bots", "random,random,random", "--games", "3", "--save", str(save))
    assert kk(*call).code == 0
    kept = save.read_bytes()
    for option, words in (("--seed=2", "another contest: --seed 1"), ("--timed", "contest: without --timed")):
        refused(kk(*call, option), 1, str(save), words)
    greedy = ("--bots", "greedy,random,random", "--option", "take=exposed_at_start")
    words = "contest: --bots random,random,random --option take=one_by_one"
    refused(kk(*call[:2], *greedy, *call[4:]), 1, str(save), words)
    assert save.read_bytes() == kept
    version = game("land_cards").rules_version
    save.write_bytes(kept.replace(version.encode(), b"1-00000000"))  # as if played with other cards
    refused(kk(*call), 1, f"{save} holds another contest: rules 1-00000000")
    save.write_text("Dear Anna,\n")
    refused(kk(*call), 1, f"{save} holds no contest")
    assert save.read_text() == "Dear Anna,\n"


def test_matches_that_leave_out_rotations_of_the_last_deal_are_played_and_it_is_said() -> None:
    call = ("arena", "ku_ka_king", "--bots", "greedy,random,random")
    short = kk(*call, "--games", "4")
    assert short.out.endswith("\n4 matches\n")
    assert short.err == (
        "kk: With 4 matches, the last deal lacks some rotations of the seats; 6 would have them all.\n"
    )
    one = kk(*call, "--games", "1")
    assert one.out.endswith("\n1 match\n")
    assert one.err.startswith("kk: With 1 match, the last deal lacks")
    assert kk(*call, "--games", "3").err == ""


def test_without_a_number_all_deals_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "USUAL", 10)
    answer = kk("arena", "ku_ka_king", "--bots", "random,random,random")
    assert answer.out.endswith("\n12 matches\n")
    assert answer.err == ""


def test_a_process_that_dies_ends_an_arena_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch):
        environment = {"PYTHONPATH": str(tmp_path)}
        call = ("arena", "ku_ka_king", "--bots", "dying,random", "--games", "2", "--jobs", "2")
        refused(kk_process(*call, **environment), 1, "A worker process has died.")
