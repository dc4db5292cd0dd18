"""What a service manager sees of a server: a real process, a real socket for its notices, real signals."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello
from kk_server.visits.audit import AUDIT
from tests.server.client import Client
from tests.server.outside_bots import installed
from tests.server.remote import remote_link, wait_for
from tests.terminal import KK, Terminal
from tests.waiting import patience

pytestmark = pytest.mark.e2e


class Service:
    """A server as a service manager starts it."""

    def __init__(self, process: asyncio.subprocess.Process, channel: socket.socket) -> None:
        self.process = process
        self._channel = channel
        self.log = b""

    async def notice(self) -> list[str]:
        """The next thing that it tells its manager, a line each."""
        async with asyncio.timeout(patience()):
            said = await asyncio.get_running_loop().sock_recv(self._channel, 1000)
        return said.decode().splitlines()

    async def port(self) -> int:
        """Where it listens, as it says once."""
        assert self.process.stdout is not None
        said = (await self.process.stdout.readline()).decode()
        return int(said.partition(" port ")[2].partition(".")[0])

    async def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        async with asyncio.timeout(patience()):
            _, self.log = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def service(
    folder: Path, *options: str, abstract: bool = False, without: int | None = None
) -> AsyncIterator[Service]:
    """Serve, with one of the standard streams closed if that is asked for."""
    address = f"\0kk-test-{os.getpid()}" if abstract else str(folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(address)
        channel.setblocking(False)
        closing_first = () if without is None else ("sh", "-c", f'exec "$@" {without}>&-', "sh")
        process = await asyncio.create_subprocess_exec(
            *closing_first, *KK, "serve", "--port", "0", "--data", str(folder / "data"), *options,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "NOTIFY_SOCKET": address.replace("\0", "@")},
        )  # fmt: skip
        try:
            yield Service(process, channel)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has abstract sockets")
@pytest.mark.parametrize("abstract", [False, True])
async def test_the_manager_is_told_when_a_server_listens_and_when_it_stops(
    tmp_path: Path, abstract: bool
) -> None:
    async with service(tmp_path, abstract=abstract) as server:
        assert await server.notice() == ["READY=1"]
        ending = asyncio.create_task(server.end(signal.SIGTERM))
        assert await server.notice() == ["STOPPING=1"]
        assert await ending == 0


async def test_a_hangup_has_the_settings_read_again_and_the_manager_told(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("")
    async with service(tmp_path, "--config", str(file)) as server:
        await server.notice()
        for content, outcome in (('guests = "no"', "done"), ("port = 'x'\nsheep = 3", "refused: ")):
            file.write_text(content)
            server.process.send_signal(signal.SIGHUP)
            reloading, since = await server.notice()
            assert reloading == "RELOADING=1"
            assert since.startswith("MONOTONIC_USEC=")
            assert await server.notice() == ["READY=1"]
            line = json.loads((tmp_path / "data" / AUDIT).read_text().splitlines()[-1])
            assert (line["who"], line["command"]) == ("SIGHUP", "reload")
            assert line["outcome"].startswith(outcome)
        assert await server.end(signal.SIGTERM) == 0
        assert b"guests is now no." in server.log
        assert server.log.count(b"not reloaded") == 2
        assert "port is 'x': Expected a whole number" in line["outcome"]
        assert "sheep: no such setting" in line["outcome"]


async def ended(pid: int) -> int:
    """The exit status of a process, once it has ended."""
    status = list[int]()

    def has_ended() -> bool:
        found, code = os.waitpid(pid, os.WNOHANG)
        status.append(code)
        return found == pid

    try:
        await wait_for(has_ended)
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise
    return os.waitstatus_to_exitcode(status[-1])


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_a_server_ends_with_the_terminal_in_which_it_was_started(tmp_path: Path, workers: str) -> None:
    """Otherwise it would serve on out of sight, and keep its port and its folder from the next one."""
    with closing(Terminal([*serve(tmp_path), "--workers", workers], {})) as terminal:
        terminal.until("started, with 0 tables")
        os.kill(terminal.pid, signal.SIGHUP)
        terminal.until("reloaded")  # the terminal is still there
        terminal.hang_up()
        assert await ended(terminal.pid) == 0


def serve(folder: Path) -> list[str]:
    return [*KK, "serve", "--port", "0", "--data", str(folder / "data")]


async def test_a_server_that_ignores_hangups_serves_on_when_its_terminal_is_closed(tmp_path: Path) -> None:
    """As one that `nohup` has started."""
    audit = tmp_path / "data" / AUDIT
    with closing(Terminal(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *serve(tmp_path)], {})) as terminal:
        terminal.until("started, with 0 tables")
        terminal.hang_up()
        await wait_for(lambda: audit.exists() and "reload" in audit.read_text())
        os.kill(terminal.pid, signal.SIGTERM)
        assert await ended(terminal.pid) == 0


async def test_a_server_that_its_terminal_has_left_behind_reloads_on_a_hangup(tmp_path: Path) -> None:
    """As one in the background that the shell was told to disown: no hangup reaches it then."""
    log = tmp_path / "log"
    behind = f'set -m; "$@" 2>{shlex.quote(str(log))} & echo "number $!."; wait'
    with closing(Terminal(["sh", "-c", behind, "sh", *serve(tmp_path)], {})) as terminal:
        terminal.until("Serving on")
        pid = int(re.findall(r"number (\d+)\.", terminal.words)[0])
        try:
            terminal.hang_up()
            await wait_for(lambda: "serving on without its terminal" in log.read_text())
            os.kill(pid, signal.SIGHUP)
            await wait_for(lambda: "reloaded" in log.read_text())
        finally:
            os.kill(pid, signal.SIGTERM)
        await wait_for(lambda: "stopped" in log.read_text())


@pytest.mark.parametrize("stream", [1, 2])
async def test_a_server_serves_and_ends_as_always_without_an_output_or_a_log(
    tmp_path: Path, stream: int
) -> None:
    async with service(tmp_path, without=stream) as server:
        await server.notice()
        assert await server.end(signal.SIGTERM) == 0


async def test_a_manager_that_is_gone_is_no_reason_not_to_serve(tmp_path: Path) -> None:
    async with service(tmp_path) as server:
        (tmp_path / "notify").unlink()
        await wait_for(lambda: (tmp_path / "data" / "lock").exists())
        assert server.process.stdout is not None
        assert b"Serving on" in await server.process.stdout.readline()
        assert await server.end(signal.SIGTERM) == 0


@pytest.mark.parametrize(("style", "begins"), [("json", b'{"'), ("text", b"20")])
async def test_the_log_is_json_lines_or_words(tmp_path: Path, style: str, begins: bytes) -> None:
    async with service(tmp_path, "--set", f"log={style}") as server:
        await server.notice()
        assert await server.end(signal.SIGTERM) == 0
        lines = server.log.splitlines()
        assert len(lines) >= 2
        assert all(line.startswith(begins) for line in lines)
        assert b"started" in lines[0]


async def test_what_is_wrong_with_bots_of_other_packages_and_what_they_log_are_events_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with installed(tmp_path, monkeypatch, "hard") as diary:
        async with service(tmp_path) as server:
            await server.notice()
            anna = Client(await remote_link(await server.port(), "anna"))
            await anna.ask(Hello, PROTOCOL_VERSION)
            await anna.open("ku_ka_king", 2)
            await anna.sit(0)
            await anna.seat_bots(1, bot="grumbling")
            await anna.start()
            await wait_for(lambda: diary.count("begun") > 0)
            await anna.close()
            await server.end(signal.SIGTERM)
    lines = [json.loads(line) for line in server.log.splitlines()]
    assert {line["message"] for line in lines if line.get("name") == "grumbling"} == {"Again?"}
    (refused,) = (line["reason"] for line in lines if line["event"] == "bot not used")
    assert refused.startswith("Ignoring bot 'hard' from package outside_bots: ")


async def test_lines_of_one_session_have_its_name_and_those_of_another_one_another(tmp_path: Path) -> None:
    async with service(tmp_path) as server:
        await server.notice()
        port = await server.port()
        for user in ("anna", "beate"):
            link = await remote_link(port, user)
            client = Client(link)
            await client.ask(Hello, PROTOCOL_VERSION)
            await client.open("land_cards", 3)
            await client.close()
        await server.end(signal.SIGTERM)
    lines = [json.loads(line) for line in server.log.splitlines()]
    named = {event: [line["session"] for line in lines if line["event"] == event]
             for event in ("connect", "session opened", "table opened", "session closed")}  # fmt: skip
    assert len({tuple(names) for names in named.values()}) == 1
    assert len(set(named["connect"])) == 2
