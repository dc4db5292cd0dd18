"""A server that is killed has lost nothing that was acknowledged."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello
from kk_server.maintenance.backup import record_from
from tests.server.client import Client
from tests.server.outside_bots import installed
from tests.server.ports import free_port
from tests.server.remote import dial, remote_link
from tests.server.test_thinking import is_running, until
from tests.waiting import patience

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GAME = "land_cards"

PROGRAM = """
import asyncio, sys
from kk_server.serve.server import serve
from kk_server.serve.settings import Settings
asyncio.run(serve(Settings(data=sys.argv[1], workers=int(sys.argv[2]), port=int(sys.argv[3]))))
"""


class Process:
    """A server in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, line: str) -> None:
        self._process = process
        self.line = line
        self.port = int(line.partition(" port ")[2].partition(".")[0])

    @property
    def children(self) -> list[int]:
        """The processes that it has started."""
        asked = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(pid) for pid in asked.stdout.split()]

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    async def end(self, number: signal.Signals) -> int:
        """Send a signal; gives the exit status."""
        self.send(number)
        async with asyncio.timeout(patience()):
            return await self._process.wait()


@asynccontextmanager
async def running(
    data: Path, workers: int = 1, port: int = 0, *, program: str = PROGRAM
) -> AsyncIterator[Process]:
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(data), str(workers), str(port),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert started.stdout is not None
    try:
        async with asyncio.timeout(patience()):
            line = (await started.stdout.readline()).decode()
        yield Process(started, line)
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def greeted(port: int, user: str) -> Client:
    client = Client(await remote_link(port, user))
    await client.ask(Hello, PROTOCOL_VERSION)
    return client


@pytest.mark.e2e
@pytest.mark.parametrize("workers", [1, 2])
async def test_after_kill_9_and_a_restart_all_that_was_acknowledged_stands(
    tmp_path: Path, workers: int
) -> None:
    async with running(tmp_path, workers) as server:
        anna = await greeted(server.port, "anna")
        table = await anna.open(GAME, 3)
        await anna.sit(0, 1, 2)
        await anna.start()
        while anna.match.ply < 25:
            (seat,) = anna.observation.active
            await anna.look(seat)
            await anna.play(seat, anna.observation.legal_moves[-1])
        await anna.look(None)
        before = anna.table
        await server.end(signal.SIGKILL)
        await anna.until_closed()
    assert len((await record_from(tmp_path / "tables.sqlite", table)).moves) == 25
    async with running(tmp_path) as server:
        again = await greeted(server.port, "anna")
        await again.go_to(table)
        assert again.table == before
        await again.play_to_the_end()
        await again.close()


@pytest.mark.e2e
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_says_how_to_connect_and_stops_in_peace_on_a_signal(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with running(tmp_path) as server:
        assert f"ssh -p {server.port} NAME@localhost" in server.line
        anna = await greeted(server.port, "anna")
        assert await server.end(number) == 0
        await anna.until_closed()
        assert "shutting down" in str(anna.goodbye)


@pytest.mark.e2e
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("bot", ["patient", "stuck"])
async def test_however_a_server_ends_no_process_of_its_bots_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, bot: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with installed(tmp_path, monkeypatch) as diary:
        async with running(tmp_path / "data") as server:
            anna = await greeted(server.port, "anna")
            await anna.open("ku_ka_king", 2)
            await anna.sit(0)
            await anna.seat_bots(1, bot=bot)
            await anna.start()
            await until(lambda: diary.count("begun"))
            await server.end(number)
            await until(lambda: not is_running(diary.lines[0][1]))


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGKILL, "The server has stopped"), (signal.SIGTERM, "is shutting down")]
)
async def test_however_a_server_ends_its_workers_say_goodbye_and_end_and_another_one_takes_the_port(
    tmp_path: Path, number: signal.Signals, words: str
) -> None:
    async with running(tmp_path, workers=2, port=free_port()) as server:
        workers = server.children
        assert len(workers) == 2
        anna = await greeted(server.port, "anna")
        connection = await dial(server.port, "beate")
        terminal = await connection.create_process(encoding=None, term_type="xterm", term_size=(80, 24))
        seen = await terminal.stdout.read(10)
        await server.end(number)
        async with running(tmp_path, workers=2, port=server.port):
            await anna.until_closed()
            assert words in str(anna.goodbye)
            while data := await terminal.stdout.read(65536):
                seen += data
            assert words.encode() in seen[seen.rfind(b"\x1b[?1049l") :]
            await (await greeted(server.port, "anna")).close()
        await until(lambda: not any(map(is_running, workers)))
        connection.close()
