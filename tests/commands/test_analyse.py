"""`kk record analyse`: for people and for programs, in as much time as there is."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path

import pytest

from kk_core.match import Match, Replay
from kk_core.record import format_record, record_of
from kk_core.registry import game
from kk_core.search.analysis import MatchAnalysis
from kk_core.views import Analysis as Found
from kk_core.views import Forecast
from kk_server.cli import analyse
from tests.commands.calling import interrupt_at, kk, refused


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short match: two bots at Ku-Ka-King."""
    folder = tmp_path_factory.mktemp("records")
    kk("simulate", "ku_ka_king", "--seats", "greedy,random", "--games", "1", "--records", str(folder))
    (file,) = folder.iterdir()
    return file


def test_a_program_reads_the_expected_results_the_decisive_turn_and_the_costliest_moves(record: Path) -> None:
    found = json.loads(kk("record", "analyse", str(record), "--seconds", "3", "--json").out)
    assert (found["game"], found["seats"]) == ("ku_ka_king", ["bot:greedy", "bot:random"])
    assert found["expected"][0]["after"] == 0
    assert found["expected"][-1]["after"] == found["plies"]
    assert sum(found["expected"][-1]["chances"]) == pytest.approx(1, abs=0.02)
    assert 0 < found["done"] <= 1
    turn = found["decisive"]
    assert 0 <= turn["from"] < turn["to"] <= found["plies"]
    assert turn["before"] < turn["after"]
    assert found["expected"][-1]["chances"][turn["seat"]] > 0, "it was decisive for somebody who has won"
    for point in found["costly_moves"]:
        gain = point["better"]["margin"] - point["played"]["margin"]
        assert point["cost"] == pytest.approx(gain, abs=0.02)
    assert len(found["costly_moves"]) <= 3
    for seat, points in enumerate(found["of_each_seat"]):
        assert {point["seat"] for point in points} <= {seat}


def test_people_read_a_line_for_every_turn_and_why_other_moves_were_better(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = count()
    monkeypatch.setattr(analyse, "monotonic", lambda: next(looks) / 1000)  # a second is too little anywhere
    ended = kk("record", "analyse", str(record), "--seconds", "1")
    told = ended.out
    assert ended.err == (
        "kk: Each move had less time than usual; without --seconds, the results may differ.\n"
    )
    assert "after 0 plies: bot:greedy" in told
    assert re.search(
        r"^The decisive moment: .+\n(bot:\w+) calls row \d\. Gain for \1: .+ \+\d+", told, re.MULTILINE
    )
    assert "Ku-Ka-King" in told
    points = [line for line in told.splitlines() if " Better (" in line]
    assert all(
        re.search(r"calls row \d\. Better \(\d+\.\d points\): call row \d\. .*\w.*$", line) for line in points
    )


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_record_is_gone_through_only_once(
    options: tuple[str, ...], record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = list[Match]()

    class Counted(Replay):
        def __init__(self, match: Match) -> None:
            replays.append(match)
            super().__init__(match)

    monkeypatch.setattr(analyse, "Replay", Counted)
    kk("record", "analyse", str(record), "--seconds", "1", *options)
    assert len(replays) == 1


def test_two_bots_of_one_kind_are_told_apart(tmp_path: Path) -> None:
    kk(
        "simulate",
        "ku_ka_king",
        "--seats",
        "random,random,random",
        "--games",
        "1",
        "--records",
        str(tmp_path),
    )
    (file,) = tmp_path.iterdir()
    names = ["bot:random", "bot:random 2", "bot:random 3"]
    record = json.loads(file.read_text())
    assert record["seats"] == names
    for seats in (names, ["bot:random"] * 3):
        file.write_text(format_record(record_of(match_named(seats))))
        assert json.loads(kk("record", "analyse", str(file), "--json").out)["seats"] == names
        told = kk("record", "analyse", str(file)).out
        assert re.search(
            r"^after 0 plies: bot:random: .+, bot:random 2: .+, bot:random 3: ", told, re.MULTILINE
        )
        shown = kk("record", "show", str(file)).out
        assert "Players: bot:random, bot:random 2, bot:random 3\n" in shown
        assert re.search(r"^bot:random 3: \d+ points?$", shown, re.MULTILINE)


def match_named(seats: list[str]) -> Match:
    """A match of nobody's moves, whose seats are called so."""
    return Match(game("ku_ka_king"), {}, tuple(seats), bytes(32))


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_margin_that_is_next_to_nothing_has_no_minus(
    options: tuple[str, ...], record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = Found(1.0, (Forecast(1, (-0.001, 0.001), (0.5, 0.5)),), ())
    monkeypatch.setattr(MatchAnalysis, "question", None)
    monkeypatch.setattr(MatchAnalysis, "found", lambda _: level)
    told = kk("record", "analyse", str(record), *options).out
    assert "0.0" in told
    assert "-0.0" not in told


def test_who_interrupts_it_gets_what_was_found_so_far(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        interrupt_at(patch, analyse, "answer", 3)
        stopped = kk("record", "analyse", str(record))
    assert stopped.code == 130
    assert stopped.out.count("\nafter ") == 1 + 2, "before the first move nothing is looked for"
    assert re.search(r"^Only \d+ % of the analysis was done\.$", stopped.out, re.MULTILINE)
    interrupt_at(monkeypatch, analyse, "answer", 1)
    assert kk("record", "analyse", str(record)) == (130, "", "")


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    refused(kk("record", "analyse", str(tmp_path / "missing")), 1, "missing", "No such file")
