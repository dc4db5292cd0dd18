"""`kk bot`: a program of any language sits at a table of a server."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.registry import game_ids
from server.front.serve import Server, start
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.terminal import KK

EXAMPLE = f"{sys.executable} {Path(__file__).parents[2] / 'docs' / 'random_bot.py'}"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path / "data", limits=PLENTY, bot_pause=0), make_probe)
    yield server
    await server.close()


async def sent(server: Server, home: Path, command: str, *more: str) -> Process:
    """A program on its way to the server."""
    address = f"robot@127.0.0.1:{server.port}"
    environment = os.environ | {"XDG_DATA_HOME": str(home), "HOME": str(home), "LANG": "C.UTF-8"}
    return await asyncio.create_subprocess_exec(
        *KK, "bot", "--connect", address, "--command", command, *more, stderr=PIPE, env=environment
    )


async def table_for_one_more(server: Server, game_id: str) -> Client:
    """Anna's table, with bots on all seats but the first."""
    anna = Client(server.hub.connect("anna"))
    await anna.open(game_id, 3)
    await anna.seat_bots(1, 2)
    return anna


async def said(program: Process) -> str:
    assert program.stderr is not None
    async with asyncio.timeout(30):
        words = (await program.stderr.read()).decode()
        await program.wait()
    return words


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
async def test_the_program_of_the_documentation_plays_a_whole_match(
    server: Server, tmp_path: Path, game_id: str
) -> None:
    anna = await table_for_one_more(server, game_id)
    program = await sent(server, tmp_path, EXAMPLE)
    await anna.until(lambda c: c.table.seats[0].owner == "robot")
    await anna.start()
    words = await said(program)
    assert "robot has " in words
    assert program.returncode == 0
    await anna.until(lambda c: c.table.phase == "finished")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (f"{sys.executable} -c \"print('a castle', flush=True); input()\"", "which is no move"),
        (f'{sys.executable} -c "print(99999999, flush=True); input()"', "not possible now"),
        (f'{sys.executable} -c "input()"', "ended before the match"),
    ],
)
async def test_what_a_program_does_wrong_is_told_in_a_sentence(
    server: Server, tmp_path: Path, command: str, complaint: str
) -> None:
    anna = await table_for_one_more(server, "ku_ka_king")
    program = await sent(server, tmp_path, command, "--table", anna.table.id)
    await anna.until(lambda c: c.table.seats[0].owner == "robot")
    await anna.start()
    assert complaint in await said(program)
    assert program.returncode == 1


@pytest.mark.e2e
async def test_a_table_without_a_free_seat_is_told(server: Server, tmp_path: Path) -> None:
    anna = await table_for_one_more(server, "ku_ka_king")
    await anna.sit(0)
    assert "no seat is free" in await said(await sent(server, tmp_path, EXAMPLE, "--table", anna.table.id))


@pytest.mark.e2e
async def test_a_program_that_is_not_there_is_told_before_anything_begins(
    server: Server, tmp_path: Path
) -> None:
    assert "/nowhere/robot" in await said(await sent(server, tmp_path, "/nowhere/robot"))
