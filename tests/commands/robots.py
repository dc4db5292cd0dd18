"""Programs that `kk bot` sends to a server, and what they meet there."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import indent
from typing import Any

from msgspec.structs import replace

from kk_server.serve.server import Server, start
from tests.core.contract.tables import people_at
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.terminal import KK
from tests.waiting import patience


def program(before: str = "", *, at_first: str = "", at_last: str = "") -> str:
    """The command of a program that plays the first of its moves; `before` each it does something else."""
    script = f"""
import json, os, signal, sys, time
{at_first}
for line in sys.stdin:
    told = json.loads(line)
    if told["is_over"]:
        break
{indent(before, "    ")}
    print(next(iter(told["moves"].values())), flush=True)
{at_last}
"""
    return shlex.join([sys.executable, "-c", script])


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncIterator[Server]:
    settings = {"limits": PLENTY, "bot_pause": 0, **settings}
    server = await start(replace(here(folder / "data"), **settings), make_probe)
    try:
        yield server
    finally:
        await server.close()


class Sent:
    """A program on its way to the server, as its owner sees it."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.words = ""

    async def until(self, words: str) -> None:
        """Wait until it is told on standard error."""
        assert self.process.stderr is not None
        async with asyncio.timeout(patience()):
            while words not in self.words:
                line = await self.process.stderr.readline()
                assert line, f"never told {words!r}, but {self.words!r}"
                self.words += line.decode()

    async def ended(self, status: int) -> str:
        """All that it has told; standard output stays empty."""
        async with asyncio.timeout(patience()):
            out, rest = await self.process.communicate()
        self.words += rest.decode()
        assert (self.process.returncode, out) == (status, b""), self.words
        return self.words


async def sent(server: Server, home: Path, command: str, *more: str, whither: str = "--any") -> Sent:
    """A program that goes where it is told; where that is nowhere, whither it likes."""
    if whither and not {"--table", "--join"}.intersection(more):
        more = (*more, whither)
    address = f"robot@127.0.0.1:{server.port}"
    environment = os.environ | {"XDG_DATA_HOME": str(home), "HOME": str(home), "LANG": "C.UTF-8"}
    process = await asyncio.create_subprocess_exec(
        *KK, "bot", "--connect", address, "--command", command, *more,
        stdout=PIPE, stderr=PIPE, env=environment,
    )  # fmt: skip
    _away.append(process)
    return Sent(process)


_away: list[Process] = []


async def call_back() -> None:
    """End all programs that were sent and are still on their way, before the loop ends that hears of them."""
    while _away:
        process = _away.pop()
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(patience()):
            await process.communicate()


async def table_for_one_more(server: Server, game_id: str = "ku_ka_king") -> Client:
    """Anna's table, with bots on all seats but the first."""
    anna = Client(server.hub.connect("anna"))
    seats = people_at(game_id)
    await anna.open(game_id, seats)
    await anna.seat_bots(*range(1, seats))
    return anna


async def table_of_who_waits(anna: Client) -> None:
    """A table of Anna's, with the program that waits for any on its last seat and bots on all others."""
    seats = people_at("ku_ka_king")
    await anna.open("ku_ka_king", seats)
    await anna.until(lambda c: c.table.seats[-1].owner == "robot")
    await anna.seat_bots(*range(seats - 1))


async def match_with(server: Server, home: Path, command: str, *more: str) -> tuple[Client, Sent]:
    """A match of a program against bots that has begun."""
    anna = await table_for_one_more(server)
    robot = await sent(server, home, command, "--table", anna.table.id, *more)
    await robot.until("At table")
    await anna.start()
    return anna, robot


def is_over(client: Client) -> bool:
    return client.table.phase == "finished"
