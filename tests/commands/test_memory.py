"""What is played at home is still there after the process was killed; a store that fails ends no match."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kk_core.record import record_of
from kk_core.registry import game_ids
from kk_server.cli.play import home_hub
from kk_server.storage.sqlite import DATABASE
from tests.chance import VARIABLE
from tests.core.contract.tables import people_at
from tests.server.outside_bots import Diary, install
from tests.server.test_thinking import is_running
from tests.terminal import KK, Terminal
from tests.waiting import patience


@contextmanager
def playing(environment: dict[str, str], *arguments: str) -> Iterator[Terminal]:
    """`kk play` on a terminal; killed at the end, as nobody can expect it."""
    screen = Terminal([*KK, "play", *arguments], environment)
    try:
        yield screen
    finally:
        os.kill(screen.pid, signal.SIGKILL)
        assert screen.status() == -signal.SIGKILL


def moves(data: Path) -> list[str]:
    """The moves in the log, of all tables."""
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as connection:
        query = "SELECT json_extract(entry, '$.line') FROM entries WHERE kind = 'moved' ORDER BY number"
        return [row[0] for row in connection.execute(query)]


def tables(data: Path) -> set[str]:
    """The tables in the log."""
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as connection:
        return {row[0] for row in connection.execute("SELECT table_id FROM entries")}


def act(screen: Terminal, data: Path) -> list[str]:
    """Make a move at seat 0 by keys; gives all moves as soon as it is stored."""
    before = sum(line.startswith("0 ") for line in moves(data))
    end = time.monotonic() + patience()
    while sum(line.startswith("0 ") for line in moves(data)) == before:
        assert time.monotonic() < end, screen.words[-500:]
        # the harmless answer of a question is lit, and a step that ends the turn is asked about: the keys
        # that choose would go back for ever; and where no card can be taken but a law card can be played,
        # Enter has nothing to do
        keys = {"(y)": "y", "e end taking": "e", "This ends your turn": "\r"}
        screen.type(next((key for words, key in keys.items() if words in screen.text), " \t\r"))
        screen.read_for(0.4)
    return moves(data)


def match_kept(data: Path) -> list[str]:
    """The moves of the one match that goes on, replayed by the hub that `kk play` would set up."""

    async def read() -> list[str]:
        async with home_hub(data) as hub:
            (table,) = [await hub.table(table) for table in hub.table_cache.ids()]
            assert table.state.match is not None
            return list(record_of(table.state.match).moves)

    return asyncio.run(read())


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
def test_a_match_that_was_killed_stands_first_in_the_menu_and_goes_on_where_it_stood(
    game_id: str, environment: dict[str, str], tmp_path: Path
) -> None:
    data, seats = tmp_path / "kk", ",".join(["me", *["greedy"] * (people_at(game_id, 2) - 1)])
    with playing(environment, game_id, "--seats", seats) as screen:
        screen.until("anna")
        act(screen, data)
    kept = moves(data)
    assert sorted(match_kept(data)) == sorted(kept)
    with playing(environment) as screen:
        screen.until("Continue")
        screen.until("anna")
        screen.type("\r")
        screen.until("  |  ")
        after = act(screen, data)
    assert after[: len(kept)] == kept
    with playing(environment, "--continue") as screen:
        screen.until("  |  ")
        assert act(screen, data)[: len(after)] == after


@pytest.mark.e2e
def test_a_second_window_plays_without_memory_and_says_so(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with playing(environment, "ku_ka_king", "--seats", "me,random") as first:
        first.until("anna")
        kept = act(first, tmp_path / "kk")
        with playing(environment) as second:
            second.until("Matches are not being saved: kk is already running on this machine.")
            second.type("n")
            second.until("Players")
            second.type("g")
            second.until("  |  ")
            second.until("Not saved")
            second.type("q")
            second.until("You can come back until you quit; then the match")
        assert moves(tmp_path / "kk")[: len(kept)] == kept
    assert len(tables(tmp_path / "kk")) == 1


@pytest.mark.e2e
def test_when_the_first_window_is_closed_the_match_in_the_second_is_kept(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with playing(environment, "ku_ka_king", "--seats", "me,random") as first:
        first.until("anna")
        others = environment | {VARIABLE: "the second window"}  # whose table is another one
        second = Terminal([*KK, "play", "land_cards"], others)
        second.until("kk is already running on this machine.")
        assert len(tables(tmp_path / "kk")) == 1
    second.until("Matches are being saved again.")
    assert "Not saved" not in second.text
    os.kill(second.pid, signal.SIGKILL)
    second.status()
    with playing(environment) as screen:
        screen.until("Learn by playing")
        assert len(tables(tmp_path / "kk")) == 2


@pytest.mark.e2e
def test_a_name_on_the_command_line_is_that_of_the_next_match_like_one_in_the_form(
    environment: dict[str, str],
) -> None:
    with playing(environment, "ku_ka_king", "--seats", "Cleo,random") as screen:
        screen.until("Cleo ")
    with playing(environment) as screen:
        screen.until("Learn by playing")
        screen.type("n")
        screen.until("Players")
        screen.until("Cleo")
    with playing(environment, "ku_ka_king") as screen:
        screen.until("Cleo ")


@pytest.mark.e2e
def test_a_damaged_file_is_told_and_left_as_it_is_and_one_plays_in_memory(
    environment: dict[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "kk"
    data.mkdir()
    (data / DATABASE).write_bytes(b"no database at all" * 300)
    with playing(environment) as screen:
        screen.until("not being saved")
        screen.type("n")
        screen.until("Players")
        screen.type("g")
        screen.until("  |  ")
    assert (data / DATABASE).read_bytes() == b"no database at all" * 300


def test_a_folder_that_cannot_be_made_is_told_and_one_plays_in_memory(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "kk").write_text("a file where the folder should be")
    with playing(environment, "land_cards") as screen:
        screen.until("Not saved")
        screen.until("Matches are not being saved")
        assert "the card game" in screen.lines[0]
        screen.type("q")
        screen.until("then the match")


def test_nothing_to_go_on_with_is_said_before_the_screen_is_taken(environment: dict[str, str]) -> None:
    screen = Terminal([*KK, "play", "--continue"], environment)
    assert screen.status() == 1
    assert screen.words.strip() == "kk: There is no match to continue."


@pytest.mark.e2e
def test_a_record_on_a_terminal_is_a_replay_and_leaving_it_ends_the_command(
    environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "records"
    command = [*KK, "simulate", "ku_ka_king", "--seats", "random,random", "--games", "1"]
    subprocess.run([*command, "--records", str(folder)], check=True, capture_output=True, timeout=patience())
    (record,) = folder.iterdir()
    screen = Terminal([*KK, "record", "show", str(record)], environment)
    screen.until("Move 0 of")
    screen.type("\x1b[C")
    screen.until("Move 1 of")
    screen.type("q")
    assert screen.status() == 0


@pytest.mark.e2e
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_when_the_app_at_home_ends_no_process_of_its_bots_is_left(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    install(tmp_path)
    told = environment | {"PYTHONPATH": str(tmp_path), "DIARY": str(tmp_path / "diary")}
    screen = Terminal([*KK, "play", "ku_ka_king", "--seats", "me,stuck"], told)
    diary = Diary(tmp_path / "diary")
    screen.until("anna")
    wait_until(lambda: diary.count("begun") > 0)
    (_, worker) = diary.lines[0]
    os.kill(screen.pid, number)
    screen.status()
    wait_until(lambda: not is_running(worker))


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + patience()
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
