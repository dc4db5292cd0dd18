"""Several processes, and one of them hangs: the others notice, and people are told or come back."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import SimpleNamespace

import pytest

from kk_server.workers import workers
from tests.server.client import Client
from tests.server.hosting import probing
from tests.server.remote import dial, screen, wait_for
from tests.server.test_kill import Process, greeted, running
from tests.server.test_workers import pids, play, seated, workers_of
from tests.waiting import rest

pytestmark = pytest.mark.e2e

GAME = "ku_ka_king"

PROGRAM = """
import asyncio, sys
from kk_server.serve.server import serve
from kk_server.workers import workers
from kk_server.serve.settings import Settings
workers.LOOK = {look}
asyncio.run(serve(Settings(data=sys.argv[1], workers=int(sys.argv[2]), port=int(sys.argv[3]))))
"""


def hub(data: Path, look: float) -> AbstractAsyncContextManager[Process]:
    """A server whose processes look after each other every so many seconds; after 60 looks they give up."""
    return running(data, workers=2, program=PROGRAM.format(look=look))


async def at_table(port: int) -> Client:
    """Anna, in a match for herself."""
    anna = await greeted(port, "anna")
    await anna.open(GAME, 2)
    await anna.sit(0, 1)
    await anna.start()
    await move(anna)
    return anna


async def move(anna: Client) -> None:
    seat = anna.observation.active[0]
    await anna.look(seat)
    await anna.play(seat, anna.observation.legal_moves[0])


def told(client: Client, words: str) -> bool:
    return any(words in str(message) for message in client.sent)


def has_ended(pid: int) -> bool:
    """Whether a process has come to its end, which nobody may have noticed yet."""
    asked = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return asked.stdout.strip()[:1] in ("", "Z")


async def test_while_the_hub_hangs_people_are_told_so_and_then_play_on(tmp_path: Path) -> None:
    async with hub(tmp_path, 0.5) as server:
        anna = await at_table(server.port)
        terminal = await screen(SimpleNamespace(port=server.port), "beate")  # type: ignore[arg-type]
        await terminal.until("you are beate")
        server.send(signal.SIGSTOP)
        await anna.until(lambda c: told(c, "isn't responding"))
        await terminal.until("isn't responding")
        server.send(signal.SIGCONT)
        await anna.until(lambda c: told(c, "is responding again"))
        await terminal.until("is responding again")
        await move(anna)
        assert anna.match.ply == 2
        await terminal.close()
        await anna.close()


async def test_a_hub_that_hangs_for_long_is_given_up_and_goes_on_with_other_workers(tmp_path: Path) -> None:
    async with hub(tmp_path, 0.1) as server:
        anna = await at_table(server.port)
        table, before = anna.table.id, server.children
        server.send(signal.SIGSTOP)
        await anna.until_closed()
        assert "has stopped responding" in str(anna.goodbye)
        await wait_for(lambda: all(map(has_ended, before)))
        server.send(signal.SIGCONT)
        await wait_for(lambda: not set(before) & set(server.children))
        again = await greeted(server.port, "anna")
        await again.go_to(table)
        assert again.match.ply == 1
        await move(again)
        await again.close()


async def test_a_worker_that_hangs_is_noticed_and_another_one_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "LOOK", 0.1)
    async with probing(tmp_path, workers=2) as server:
        _, clients = await seated(server, "anna", "beate", "carla", "dora")
        await play(clients, 2)
        hangs, well = pids(server)
        os.kill(hangs, signal.SIGSTOP)
        await wait_for(lambda: len(pids(server)) == 2 and hangs not in pids(server))
        assert well in pids(server)
        await wait_for(lambda: sum(client.goodbye is not None for client in clients) == 2)
        assert server.connections == 2
        assert sum(worker.load for worker in workers_of(server).workers.values()) == 2
        for client in clients:
            await client.close()


async def test_a_worker_that_has_been_silent_gets_nobody_whom_another_one_can_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "LOOK", 3600)
    async with probing(tmp_path, workers=2) as server:
        silent, other = workers_of(server).workers.values()
        os.kill(silent.pid, signal.SIGSTOP)
        await rest()
        silent.silence = workers._WELL
        people = [await dial(server.port, user) for user in ("anna", "beate", "carla")]
        assert (silent.load, other.load) == (0, 3)
        os.kill(silent.pid, signal.SIGCONT)
        for connection in people:
            connection.close()
