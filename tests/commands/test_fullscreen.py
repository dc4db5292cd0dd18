"""The full-screen commands on a real terminal: a pseudo-terminal of 80x24 with nothing in between."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import asyncssh
import pytest

from kk_server.frontend.garbage_collection import YOUNG
from kk_server.ssh.host_keys import FILE
from tests.terminal import KK, Terminal
from tests.waiting import patience


@contextmanager
def serving(data: Path) -> Iterator[int]:
    """`kk serve` on a free port; gives the port."""
    command = [*KK, "serve", "--port", "0", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"port (\d+)", server.stdout.readline())
            assert found is not None
            yield int(found[1])
        finally:
            server.terminate()


def test_the_game_opens_on_a_terminal_and_gives_it_back(environment: dict[str, str]) -> None:
    screen = Terminal([*KK, "play"], environment)
    screen.until("new game")
    assert "\x1b[?1049h" in screen.raw
    screen.type("q")
    screen.until("No, back")
    screen.type("\x1b[D\r")
    assert screen.status() == 0
    assert screen.raw.rindex("\x1b[?1049l") > screen.raw.rindex("\x1b[?1049h")
    assert "Traceback" not in screen.words


NOT_BEFORE_A_TABLE = re.compile(
    r"pydantic|structlog|asyncssh"
    r"|kk_core\.games\.\w+\.(?!model$)\w+"
    r"|kk_tui\.games\.\w+\.(?!cover$|theme$|colours$|figures$|woodcuts$)\w+"
)
"""Modules that the first screen at home has no need of, nor anything before it."""

FACE_OF_A_GAME = re.compile(r"kk_core\.games\.(\w+)\.notation|kk_tui\.games\.(\w+)\.\w+")
"""What is loaded with the first screen for a game without a cover."""


def is_bare(game: str) -> bool:
    """Whether a game has no cover."""
    return find_spec(f"kk_tui.games.{game}.cover") is None


def words_of(program: str, environment: dict[str, str], folder: Path, *signals: signal.Signals) -> list[str]:
    """What a program around `kk play` has written to a file, after signals that come at its first screen."""
    told = folder / "told"
    screen = Terminal([sys.executable, "-c", program, "play", str(told)], environment)
    screen.until("new game")
    for number in signals:
        os.kill(screen.pid, number)
    assert screen.status() == 0
    return told.read_text().split()


def test_the_first_screen_loads_no_rules_no_boards_and_no_libraries_that_it_has_no_need_of(
    environment: dict[str, str], tmp_path: Path
) -> None:
    program = (
        "import atexit, sys; from pathlib import Path; from kk_server.cli.main import main; "
        "file = sys.argv.pop(); "
        "atexit.register(lambda: Path(file).write_text(' '.join(sys.modules))); main()"
    )
    names = words_of(program, environment, tmp_path, signal.SIGTERM)
    assert "kk_tui.games.land_cards.cover" in names
    parts = {name: FACE_OF_A_GAME.fullmatch(name) for name in names if NOT_BEFORE_A_TABLE.match(name)}
    assert [name for name, part in parts.items() if not (part and is_bare(part[1] or part[2]))] == []


def test_a_command_that_runs_looks_for_no_garbage_before_the_first_screen_and_then_never_long(
    environment: dict[str, str], tmp_path: Path
) -> None:
    program = (
        "import gc, signal, sys; from pathlib import Path; from kk_server.cli.main import main; "
        "file = Path(sys.argv.pop()); looked = lambda: sum(each['collections'] for each in gc.get_stats()); "
        "before = looked(); tell = lambda *_: file.write_text(' '.join(map(str, "
        "(looked() - before, gc.get_freeze_count(), gc.get_threshold()[0])))); "
        "signal.signal(signal.SIGUSR1, tell); main()"
    )
    words = words_of(program, environment, tmp_path, signal.SIGUSR1, signal.SIGTERM)
    looked, frozen, threshold = map(int, words)
    assert looked == 0
    assert frozen > 0
    assert threshold == YOUNG


def test_what_the_terminal_answers_is_no_key_and_changes_the_colours(environment: dict[str, str]) -> None:
    screen = Terminal([*KK, "play"], environment)
    screen.until("new game")
    assert "\x1b[c" in screen.raw
    screen.type("\x1b]11;rgb:ffff/fafa/f0f0\x1b\\\x1bP1$r0;48;2;1;2;3m\x1b\\\x1b[?62;22c")
    screen.until_sent("48;2;242;232;208")
    screen.type("n")
    screen.until("Players")
    os.kill(screen.pid, 9)
    assert screen.status() == -9


def test_a_match_begins_with_two_keys(environment: dict[str, str]) -> None:
    screen = Terminal([*KK, "play"], environment)
    screen.until("new game")
    screen.type("n")
    screen.until("Players")
    screen.type("g")
    screen.until("  |  ")
    os.kill(screen.pid, 9)
    assert screen.status() == -9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_asked_to_end_gives_the_terminal_back(environment: dict[str, str], number: int) -> None:
    screen = Terminal([*KK, "play"], environment)
    screen.until("new game")
    os.kill(screen.pid, number)
    assert screen.status() == 0
    assert "\x1b[?1049l" in screen.raw


def test_the_game_ends_with_its_terminal_even_if_it_was_started_to_outlive_it(
    environment: dict[str, str],
) -> None:
    screen = Terminal(["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *KK, "play"], environment)
    screen.until("new game")
    os.close(screen.fd)
    end = time.monotonic() + patience()
    while os.waitpid(screen.pid, os.WNOHANG) == (0, 0):
        assert time.monotonic() < end, "still running"
        time.sleep(0.1)


def test_the_app_at_home_visits_a_server(environment: dict[str, str], tmp_path: Path) -> None:
    with serving(tmp_path / "data") as port:
        screen = Terminal([*KK, "connect", f"anna@127.0.0.1:{port}"], environment)
        screen.until("First visit")
        key = asyncssh.read_private_key(tmp_path / "data" / FILE)
        screen.until(key.get_fingerprint())
        screen.type("\r")
        screen.until("you are anna")
        os.kill(screen.pid, 9)
        assert screen.status() == -9
    assert "127.0.0.1" in next(tmp_path.rglob("known_hosts")).read_text()


def test_a_server_that_is_not_there_is_told_before_the_screen_is_taken(environment: dict[str, str]) -> None:
    screen = Terminal([*KK, "connect", "anna@127.0.0.1:1"], environment)
    assert screen.status() == 1
    assert screen.words.startswith("kk: Could not connect to 127.0.0.1:1")
    assert "\x1b[?1049h" not in screen.raw


class Gate:
    """A port before that of a server; what is sent there waits until it is opened."""

    def __init__(self, port: int) -> None:
        self._behind = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._is_open = threading.Event()
        self.open = self._is_open.set
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        visitor, _address = self._listening.accept()
        self._is_open.wait()
        if not self._behind:
            visitor.close()
            return
        server = socket.create_connection(("127.0.0.1", self._behind))
        for source, target in ((visitor, server), (server, visitor)):
            threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)


def test_a_server_that_does_not_answer_is_waited_for_in_words_that_go_when_it_does(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with serving(tmp_path / "data") as port:
        gate = Gate(port)
        screen = Terminal([*KK, "connect", f"anna@127.0.0.1:{gate.port}"], environment)
        screen.until(f"Waiting for 127.0.0.1, port {gate.port}...")
        assert "\x1b[?1049h" not in screen.raw
        gate.open()
        screen.until("First visit")
        assert "Waiting" not in screen.text
        screen.type("\r")
        screen.until("you are anna")
        screen.type("q")
        screen.until("Quit kk?")
        screen.type("y")
        assert screen.status() == 0


def test_of_a_server_that_never_answers_only_the_reason_stays(environment: dict[str, str]) -> None:
    gate = Gate(0)
    screen = Terminal([*KK, "connect", f"anna@127.0.0.1:{gate.port}"], environment, size=(40, 24))
    screen.until("Waiting for 127.0.0.1")
    gate.open()
    assert screen.status() == 1
    assert screen.lines[0].startswith("kk: Could not connect to 127.0.0.1")
    assert "Waiting" not in screen.text
