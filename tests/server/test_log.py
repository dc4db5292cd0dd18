"""The log of a server: nothing but lines of its own form, whoever has something to say."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello
from kk_server.frontend import session
from kk_server.log import get_logger, log_to, silence
from kk_server.ssh import server as ssh_server
from tests.server.client import Client
from tests.server.hosting import probing
from tests.server.remote import remote_link
from tests.server.test_service import service
from tests.waiting import patience

SPEAKERS = """
import logging, sys, threading, warnings
from kk_server.log import log_to, take_in_others

log_to(sys.stderr)
take_in_others()
logging.getLogger("asyncio").warning("Unknown child process pid %d", 7)
logging.getLogger("asyncssh").debug("a key was pressed")
warnings.warn("this is old")

def fail(*_):
    raise ValueError("the seed is known")

try:
    fail()
except ValueError:
    logging.getLogger("asyncio").exception("it went wrong")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
type("Failing", (), {"__del__": fail})()
fail()
"""


class Screen(StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_at_a_terminal_the_log_is_sentences_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    told, at = Screen(), datetime.now().astimezone()
    monkeypatch.setenv("NO_COLOR", "1")
    log_to(told)
    try:
        get_logger().info("table opened", table="t1", user="ada", game="ku_ka_king", host_key="SHA256:x")
        get_logger().warning("bot failed", bot="easy")
    finally:
        silence()
    opened, failed = told.getvalue().splitlines()
    assert opened[5:] == " ada opened table t1 (ku_ka_king)"
    assert failed[5:] == " warning: bot failed: bot easy"
    assert abs(60 * int(opened[:2]) + int(opened[3:5]) - 60 * at.hour - at.minute) in (0, 1, 24 * 60 - 1)


def test_at_a_terminal_a_refusal_is_told_in_full_and_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    told, reason = Screen(), "mute needs NAME. " + "Usage: ssh HOST mute NAME [MINUTES]. " * 3
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    log_to(told)
    try:
        get_logger().info("session opened", user="ada")  # which "connect" has told
        get_logger().info("refused", address="1.2.3.4", user="ada", purpose="command", reason=reason.strip())
        get_logger().info("refused", address="1.2.3.4", reason="no user is known")
    finally:
        silence()
    lines = told.getvalue().splitlines()
    assert all(cell_len(re.sub(r"\x1b\[\d*m", "", line)) < 80 for line in lines)
    assert lines[0].startswith("\x1b[33m")
    words = " ".join(re.sub(r"\x1b\[\d*m|\d\d:\d\d ", "", line).strip() for line in lines)
    assert words == (
        f"ada, from 1.2.3.4, was refused: {reason}refused: address 1.2.3.4, reason no user is known"
    )


def test_whatever_a_library_or_the_interpreter_says_is_an_event_without_values() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SPEAKERS], capture_output=True, timeout=patience(), check=False
    )
    known, old, wrong, thread, unraisable, last = map(json.loads, ended.stderr.splitlines())
    assert (known["level"], known["name"]) == ("warning", "asyncio")
    assert known["message"] == "Unknown child process pid 7"
    assert "this is old" in old["message"]
    assert (wrong["level"], wrong["message"]) == ("error", "it went wrong")
    for line in (wrong, thread, unraisable, last):
        assert line["error"].startswith("ValueError in fail:")
    assert b"seed" not in ended.stderr
    assert ended.stdout == b""


def test_a_line_and_its_end_are_written_at_once_since_workers_write_to_the_same_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    stream = StringIO()
    monkeypatch.setattr(stream, "write", written.append)
    try:
        log_to(stream)
        get_logger().info("first")
        get_logger().info("second")
    finally:
        silence()
    assert len(written) == 2
    assert all(line.endswith("}\n") for line in written)


def test_of_a_long_line_neither_time_nor_address_is_cut_since_programs_go_by_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    address = "2001:db8:1111:2222:3333:4444:5555:6666"
    try:
        log_to(sys.stderr)
        get_logger().warning(
            "admin command", address=address, user="x" * 300, command=f"ban {'y' * 300}", outcome="z" * 300
        )
    finally:
        silence()
    line = json.loads(capsys.readouterr().err)
    assert line["address"] == address
    assert datetime.fromisoformat(line["timestamp"]).year > 2000
    assert line["event"] == "admin command"
    assert line["command"].startswith("ban yyy")
    assert len(line["outcome"]) == len(line["user"]) == 20
    assert len(json.dumps(line)) < 300


# -- connections ---------------------------------------------------------------------------------------------


async def greeted(port: int, user: str) -> None:
    client = Client(await remote_link(port, user))
    await client.ask(Hello, PROTOCOL_VERSION)


def users(lines: list[dict[str, Any]], event: str) -> Counter[str]:
    return Counter(line["user"].removeprefix("~") for line in lines if line["event"] == event)


async def test_a_server_serves_though_its_log_cannot_be_written(tmp_path: Path) -> None:
    """As where the disk of the log is full, or its reader has ended."""
    async with service(tmp_path) as server:
        port = await server.port()
        assert server.process.stderr is not None
        server.process.stderr._transport.close()  # type: ignore[attr-defined]
        for name in ("anna", "carl"):
            await greeted(port, name)
        server.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(patience()):
            assert await server.process.wait() == 0


async def test_every_connection_has_a_line_for_its_end_though_the_server_has_no_time_to_end_them(
    tmp_path: Path, journal: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_CLOSING", 0)
    monkeypatch.setattr(ssh_server, "_ENDING", 0)
    names = [f"anna {number}" for number in range(6)]
    async with probing(tmp_path) as server:
        for name in names:
            await greeted(server.port, name)
    lines = [json.loads(line) for line in journal.getvalue().splitlines()]
    assert users(lines, "connect") == users(lines, "disconnect") == Counter(names)


async def test_where_a_worker_is_killed_its_connections_have_lines_for_their_end_too(tmp_path: Path) -> None:
    names = [f"anna {number}" for number in range(4)]
    async with service(tmp_path, "--workers", "2") as run:
        await run.notice()
        port = await run.port()
        for name in names:
            await greeted(port, name)
        assert run.process.stderr is not None
        first = json.loads(await run.process.stderr.readline())
        assert first["event"] == "worker started"
        os.kill(first["pid"], signal.SIGKILL)
        await run.end(signal.SIGTERM)
    lines = [json.loads(line) for line in run.log.splitlines()]
    assert users(lines, "connect") == users(lines, "disconnect") == Counter(names)
    assert Counter(line.get("error") for line in lines if line["event"] == "disconnect")["worker lost"] == 2
