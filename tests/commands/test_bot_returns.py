"""`kk bot` goes back to a match of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.protocol.messages import OpenTable, Propose
from kk_core.views import ClockRule
from kk_server.limits import Timeouts
from kk_server.serve.server import Server
from tests.commands.robots import is_over, match_with, program, sent, serving
from tests.server.client import Client
from tests.server.ports import free_port

pytestmark = pytest.mark.usefixtures("robots_come_back")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as server:
        yield server


@pytest.mark.e2e
@pytest.mark.parametrize("is_named", [False, True])
async def test_a_program_that_was_killed_plays_on_in_its_own_match(
    server: Server, tmp_path: Path, *, is_named: bool
) -> None:
    beate = Client(server.hub.connect("beate"))
    await beate.open("ku_ka_king", 3)  # where a seat is free
    await beate.sit(0)
    anna, robot = await match_with(
        server,
        tmp_path,
        program("if told['ply'] > 6: print('thinking', file=sys.stderr); sys.exit(sys.stdin.read())"),
    )
    await robot.until("thinking")
    robot.process.kill()
    await robot.process.communicate()
    await anna.until(lambda c: not c.table.seats[0].online)
    whither = ["--table", anna.table.id] if is_named else []
    robot = await sent(server, tmp_path, program(), *whither, whither="")
    words = await robot.ended(0)
    assert f"({anna.table.id})" in words
    assert "The match continues after" in words
    await anna.until(is_over)
    assert beate.table.seats[1].owner is None


@pytest.mark.e2e
async def test_a_program_plays_on_when_the_server_was_stopped_and_started_again(tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    wait = f"print('thinking', file=sys.stderr)\nwhile not os.path.exists({str(go_on)!r}): time.sleep(0.05)"
    port = free_port()
    async with serving(tmp_path, port=port) as server:
        anna, robot = await match_with(server, tmp_path, program(wait))
        await robot.until("thinking")
        table = anna.table.id
    await robot.until("The server is shutting down; everything is saved. Trying again for 10 minutes.")
    async with serving(tmp_path, port=port) as server:
        await robot.until("Connected again.")
        anna = Client(server.hub.connect("anna"))
        await anna.go_to(table)
        go_on.touch()
        await robot.ended(0)
        await anna.until(is_over)


@pytest.mark.e2e
async def test_two_programs_under_one_name_play_for_a_seat_each(server: Server, tmp_path: Path) -> None:
    anna = Client(server.hub.connect("anna"))
    await anna.open("ku_ka_king", 2)
    robots = [await sent(server, tmp_path, program()) for _ in range(2)]
    await anna.until(lambda c: [seat.owner for seat in c.table.seats] == ["robot", "robot"])
    for robot in robots:
        await robot.until("At table")
    await anna.start()
    for robot in robots:
        assert "Won by" in await robot.ended(0)
    await anna.until(is_over)


@pytest.mark.e2e
async def test_who_comes_back_takes_the_seat_from_the_bot_that_the_others_have_asked_for(
    tmp_path: Path,
) -> None:
    # the bot is still waiting when the program is back, however long that takes to start
    async with serving(tmp_path, bot_pause=3600, times=Timeouts(vote=0)) as server:
        anna = Client(server.hub.connect("anna"))
        await anna.open("ku_ka_king", 2)
        await anna.sit(1)
        robot = await sent(server, tmp_path, program())
        await robot.until("At table")
        await anna.start()
        await anna.until(lambda c: 0 not in c.observation.active)
        robot.process.terminate()
        await robot.ended(143)
        await anna.until(lambda c: not c.table.seats[0].online)
        await anna.do(Propose, "bot", 0)
        assert anna.table.seats[0].stand_in is not None
        robot = await sent(server, tmp_path, program(), whither="")
        await robot.until("The match continues after 1 move.")
        await anna.until(lambda c: c.table.seats[0].stand_in is None)
        await anna.play(1, anna.observation.legal_moves[0])
        await anna.until(lambda c: c.match.ply > 2)
        robot.process.terminate()
        await robot.ended(143)


@pytest.mark.e2e
async def test_a_program_that_was_too_late_takes_its_seat_back(tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    waits = f"while not os.path.exists({str(go_on)!r}): time.sleep(0.05)"
    async with serving(tmp_path, bot_pause=2) as server:
        anna = Client(server.hub.connect("anna"))
        await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, False, True, ClockRule(1))
        await anna.seat_bots(1)
        robot = await sent(server, tmp_path, program(waits))
        await robot.until("At table")
        await anna.start()
        await anna.until(lambda c: c.table.seats[0].stand_in is not None)
        go_on.touch()
        await anna.until(lambda c: c.table.seats[0].stand_in is None)
        robot.process.terminate()
        assert "the seat is kept" in await robot.ended(143)
