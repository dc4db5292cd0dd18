"""`kk play --plain`: lines through a pipe, and on a terminal."""

from __future__ import annotations

import asyncio
import os
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kk_server.serve.server import Server
from tests.commands.robots import serving
from tests.terminal import KK, Terminal
from tests.waiting import patience

GAME = ("play", "ku_ka_king", "--plain", "--seats", "me,greedy", "--seed", "7")


def piped(typed: str, environment: dict[str, str], *arguments: str) -> list[str]:
    """All lines that are written while these are read."""
    ended = subprocess.run(
        [*KK, *arguments],
        input=typed, capture_output=True, text=True, timeout=patience(), check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


@contextmanager
def on_a_terminal(environment: dict[str, str], *arguments: str) -> Iterator[Terminal]:
    terminal = Terminal([*KK, *arguments], environment)
    try:
        yield terminal
    finally:
        terminal.close()


def status(terminal: Terminal) -> int:
    """How the program ended."""
    return os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])


@pytest.mark.e2e
def test_a_match_is_played_through_a_pipe_without_a_terminal(environment: dict[str, str]) -> None:
    lines = piped("call 3\nwait\nlook\nquit\n", environment, *GAME)
    assert lines[0] == "Ku-Ka-King."
    assert lines[1].startswith("Your turn. Call a row: ")
    assert "anna calls row 3." in lines
    assert any(line.startswith("Row 1: ") for line in lines)
    assert not any("\x1b" in line for line in lines)


@pytest.mark.e2e
def test_the_end_of_the_input_ends_the_session_and_the_match_is_kept(environment: dict[str, str]) -> None:
    assert "anna calls row 3." in piped("call 3\n", environment, *GAME)
    again = piped("log\ncall 2", environment, "play", "--plain", "--continue")
    assert any(line.endswith(". anna calls row 3.") for line in again)
    assert again[-1] == "'call 2' has no end of line and is not carried out."


@pytest.mark.e2e
def test_without_a_game_one_begins_in_the_lobby(environment: dict[str, str]) -> None:
    typed = "open ku_ka_king\nbot easy\nstart\nmoves\n"
    lines = piped(typed, environment, "play", "--plain")
    assert lines[0] == "Lobby: 0 tables."
    assert "The match begins." in lines
    assert any(line.startswith("1. call 1: ") for line in lines)


@pytest.mark.e2e
def test_lines_are_in_the_language_that_was_asked_for(environment: dict[str, str]) -> None:
    lines = piped("sag 3 an\n", environment, "--lang", "de", *GAME)
    assert lines[1].startswith("Du bist dran. Sag eine Reihe an: ")
    assert "anna sagt Reihe 3 an." in lines


@pytest.mark.e2e
def test_a_line_on_a_terminal_is_edited_completed_and_kept_for_later(environment: dict[str, str]) -> None:
    with on_a_terminal(environment, *GAME) as terminal:
        terminal.until("Your turn.")
        terminal.type("cxll 1\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[3~a\r")
        terminal.until("anna calls row 1.")
        terminal.type("sco\t\r")
        terminal.until("As things stand:")
        terminal.type("\x1b[A\x1b[A\r")  # the line before that
        terminal.until("calls row 1.")
        terminal.type("quit\r")
        assert status(terminal) == 0


@pytest.mark.e2e
def test_ctrl_d_ends_it_and_the_terminal_is_as_before(environment: dict[str, str]) -> None:
    with on_a_terminal(environment, *GAME) as terminal:
        terminal.until("Your turn.")
        terminal.type("\x04")
        assert status(terminal) == 0
        assert "\x1b[?1049h" not in terminal.raw


@pytest.mark.e2e
async def test_a_visit_to_a_server_is_made_through_a_pipe_and_adds_to_the_shuffle(
    environment: dict[str, str], tmp_path: Path
) -> None:
    async with serving(tmp_path / "server") as server:
        typed = "open ku_ka_king\nbot easy\nstart\ncall 3\nwait\nquit\n"
        lines, told = await visited(server, typed, environment)
        assert "anna calls row 3." in lines
        assert told.startswith(f"kk: First visit to 127.0.0.1:{server.port}. Its key is ")
        (table,) = server.hub.tables.values()
        assert table.match is not None
        assert [seat for seat, _drawn in table.match.contributions] == [0]
        again, told = await visited(server, "quit\n", environment)
        assert any("Ku-Ka-King" in line for line in again)
        assert told == ""


@pytest.mark.e2e
async def test_lines_of_a_visit_are_in_the_language_of_the_account_unless_this_machine_has_one(
    environment: dict[str, str], tmp_path: Path
) -> None:
    own = {"LANG": "de_DE.UTF-8"}
    async with serving(tmp_path / "server") as server:
        lines, _told = await visited(server, "quit\n", environment | own)
        assert "Lobby: 0 Tische." in lines
        await server.hub.accounts.keep_settings("anna", '{"language": "nl"}')
        typed = "settings language english\nsettings language from the terminal\nquit\n"
        lines, told = await visited(server, typed, environment | own)
        assert lines[0] == "Lobby: 0 tafels."
        assert [line.split(":")[0] for line in lines[-2:]] == ["Language", "Sprache"]
        assert told == ""
        lines, _told = await visited(server, "quit\n", environment | own, "--lang", "es")
        assert lines[0] == "Sala: 0 mesas."
        (tmp_path / "kk" / "settings.json").write_text('{"language": "en"}')
        lines, _told = await visited(server, "quit\n", environment | own)
        assert lines[0] == "Lobby: 0 tables."


async def visited(
    server: Server, typed: str, environment: dict[str, str], *options: str
) -> tuple[list[str], str]:
    """All lines of a visit, and what was said beside them."""
    process = await asyncio.create_subprocess_exec(
        *KK, *options, "connect", f"anna@127.0.0.1:{server.port}", "--plain",
        stdin=PIPE, stdout=PIPE, stderr=PIPE, env={**os.environ, **environment},
    )  # fmt: skip
    async with asyncio.timeout(patience()):
        out, err = await process.communicate(typed.encode())
    assert process.returncode == 0, err
    return out.decode().splitlines(), err.decode()
