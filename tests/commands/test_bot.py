"""`kk bot`: a program of any language sits at a table of a server."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from select import select
from unittest.mock import AsyncMock

import pytest

from kk_core.protocol.messages import MOST_LINES, LeaveSeat, OpenTable, Propose, Vote
from kk_core.registry import game_ids
from kk_core.text import text
from kk_server.serve.server import Server
from kk_server.tables.place import NotPossible
from kk_server.tables.table import Table
from tests.commands.robots import (
    is_over,
    match_with,
    program,
    sent,
    serving,
    table_for_one_more,
    table_of_who_waits,
)
from tests.server.client import Client
from tests.server.test_accounts import until_told
from tests.waiting import patience, wait_for

EXAMPLE = f"{sys.executable} {Path(__file__).parents[2] / 'docs' / 'random_bot.py'}"

pytestmark = pytest.mark.usefixtures("robots_come_back")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as server:
        yield server


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
async def test_the_program_of_the_documentation_plays_a_whole_match(
    server: Server, tmp_path: Path, game_id: str
) -> None:
    anna = await table_for_one_more(server, game_id)
    robot = await sent(server, tmp_path, EXAMPLE)
    await anna.until(lambda c: c.table.seats[0].owner == "robot")
    await anna.start()
    assert "robot has " in await robot.ended(0)
    await anna.until(is_over)


# -- what is told --------------------------------------------------------------------------------------------


@pytest.mark.e2e
async def test_who_sends_a_program_reads_where_it_is_and_how_the_match_ended(
    server: Server, tmp_path: Path
) -> None:
    robot = await sent(server, tmp_path, program())
    await robot.until("No table has a free seat: waiting for one.")
    anna = Client(server.hub.connect("anna"))
    await table_of_who_waits(anna)
    await robot.until("At table")
    await anna.start()
    lines = (await robot.ended(0)).splitlines()
    await anna.until(is_over)
    points = ", ".join(
        f"{seat.name} {n}" for seat, n in zip(anna.table.seats, anna.observation.points, strict=True)
    )
    assert lines[:4] == [
        f"kk: First visit to 127.0.0.1:{server.port}. Its key is {server.fingerprint}",
        f"kk: Connected to 127.0.0.1:{server.port} as robot.",
        "kk: No table has a free seat: waiting for one.",
        f"kk: At table anna ({anna.table.id}), seat 3 of 3: waiting for the match to begin.",
    ]
    # the others' bots may have called before the program hears of it
    assert re.fullmatch(r"kk: The match (has begun|continues after \d+ moves?)[.]", lines[4])
    assert lines[5].startswith(f"kk: The match is over: {points}. Won by ")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("before", "complaint"),
    [
        ("print('a castle', flush=True)", "answered 'a castle', which is not one of its moves"),
        ("print(99999999, flush=True)", "chose '99999999', which is not possible now"),
        ("print('x' * 2**21, flush=True)", "The program's answer is too long."),
        ("print(next(iter(told['moves'].values())))", "without being asked for a move."),
        ("sys.exit(3)", "The program exited with status 3 in the middle of the match."),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by signal 9 in the middle of the match."),
        ("os.close(1); time.sleep(60)", "has closed its standard output in the middle of the match."),
    ],
)
async def test_what_a_program_does_wrong_is_told_in_a_sentence(
    server: Server, tmp_path: Path, before: str, complaint: str
) -> None:
    _, robot = await match_with(server, tmp_path, program(before))
    words = await robot.ended(1)
    assert complaint in words
    assert "the seat is kept: run kk bot again to play on." in words


@pytest.mark.e2e
async def test_a_program_that_hears_nothing_is_told(server: Server, tmp_path: Path) -> None:
    anna, is_deaf = await table_for_one_more(server), tmp_path / "is deaf"
    deafens = f"os.close(0)\nopen({str(is_deaf)!r}, 'w').close()\ntime.sleep(60)"
    robot = await sent(server, tmp_path, program(at_first=deafens), "--table", anna.table.id)
    await robot.until("At table")
    await wait_for(is_deaf.exists)
    await anna.start()
    assert "has closed its standard input in the middle of the match." in await robot.ended(1)


@pytest.mark.e2e
async def test_a_program_that_does_not_answer_in_time_loses_its_match(server: Server, tmp_path: Path) -> None:
    _, robot = await match_with(server, tmp_path, program("time.sleep(60)"), "--patience", "0.3")
    assert "no answer within 0.3 seconds (--patience)" in await robot.ended(1)


@pytest.mark.e2e
async def test_a_program_that_ends_before_the_match_leaves_its_seat(server: Server, tmp_path: Path) -> None:
    anna = await table_for_one_more(server)
    stop = tmp_path / "stop"
    waits = f"while not os.path.exists({str(stop)!r}): time.sleep(0.05)\nsys.exit(4)"
    robot = await sent(server, tmp_path, program(at_first=waits), "--table", anna.table.id)
    await anna.until(lambda c: c.table.seats[0].owner == "robot")
    stop.touch()
    assert "exited with status 4 before the match began." in await robot.ended(1)
    await anna.until(lambda c: c.table.seats[0].owner is None)


@pytest.mark.e2e
async def test_a_program_that_is_not_told_where_takes_no_seat_of_somebodys_table(
    server: Server, tmp_path: Path
) -> None:
    anna = await table_for_one_more(server)
    robot = await sent(server, tmp_path, EXAMPLE, whither="")
    words = await robot.ended(1)
    assert "You have no seat here. Say where to sit down: --table ID, --join CODE, or --any" in words
    assert anna.table.seats[0].owner is None


@pytest.mark.e2e
async def test_a_seat_that_was_given_up_is_none_to_come_back_to(server: Server, tmp_path: Path) -> None:
    anna, robot = Client(server.hub.connect("anna")), Client(server.hub.connect("robot"))
    await robot.go_to(await anna.open("ku_ka_king", 2))
    await anna.sit(0)
    await robot.sit(1)
    await anna.start()
    await robot.do(Propose, "resign", 1)
    await anna.do(Vote, True)
    await robot.close()
    words = await (await sent(server, tmp_path, EXAMPLE, whither="")).ended(1)
    assert "You have no seat here." in words


@pytest.mark.e2e
async def test_a_seat_that_a_program_could_not_take_is_left_to_another_one_under_its_name(
    server: Server, tmp_path: Path
) -> None:
    anna = await table_for_one_more(server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "take_seat", AsyncMock(side_effect=NotPossible(text("Not now."))))
        first = await sent(server, tmp_path, program())
        await first.until("No table has a free seat")
    second = await sent(server, tmp_path, program(), "--table", anna.table.id)
    await second.until("At table")
    first.process.kill()
    await anna.start()
    assert "The match is over" in await second.ended(0)


@pytest.mark.e2e
async def test_everybody_sees_that_a_program_sits_there(server: Server, tmp_path: Path) -> None:
    anna, _robot = await match_with(server, tmp_path, program("time.sleep(60)"))
    assert [seat.program for seat in anna.table.seats] == [True, False, False]
    await anna.go_to(None)
    assert anna.lobby.programs == ("robot",)


@pytest.mark.e2e
async def test_a_free_seat_is_found_however_many_tables_have_none(server: Server, tmp_path: Path) -> None:
    for number in range(2 * MOST_LINES + 2):
        full = await server.hub.open_table(f"p{number}", OpenTable(0, "ku_ka_king", {}, 2))
        for seat in range(2):
            await full.take_seat(f"p{number}", seat, "")
    robot = await sent(server, tmp_path, EXAMPLE)
    await robot.until("No table has a free seat: waiting for one.")
    free = await server.hub.open_table("anna", OpenTable(0, "ku_ka_king", {}, 2))
    await robot.until(f"At table anna ({free.id}), seat 2 of 2")


@pytest.mark.e2e
async def test_a_table_without_a_free_seat_is_told(server: Server, tmp_path: Path) -> None:
    anna = await table_for_one_more(server)
    await anna.sit(0)
    robot = await sent(server, tmp_path, EXAMPLE, "--table", anna.table.id)
    assert "has no free seat" in await robot.ended(1)


@pytest.mark.e2e
async def test_the_code_of_an_invitation_leads_a_program_to_its_table(server: Server, tmp_path: Path) -> None:
    anna = Client(server.hub.connect("anna"))
    await anna.do(OpenTable, "ku_ka_king", {}, 3, "Friday", False, True)
    await anna.seat_bots(1, 2)
    assert anna.table.code is not None
    assert "code" in await (await sent(server, tmp_path, EXAMPLE, "--join", "AAAAAA")).ended(1)
    robot = await sent(server, tmp_path, EXAMPLE, "--join", anna.table.code)
    await anna.until(lambda c: c.table.seats[0].owner == "robot")
    await anna.start()
    assert "robot has " in await robot.ended(0)


@pytest.mark.e2e
async def test_an_invitation_and_another_table_at_once_are_refused(server: Server, tmp_path: Path) -> None:
    robot = await sent(server, tmp_path, EXAMPLE, "--join", "AAAAAA", "--table", "abc")
    assert "--table and --join" in await robot.ended(2)


@pytest.mark.e2e
async def test_a_program_that_is_not_there_is_told_before_anything_begins(
    server: Server, tmp_path: Path
) -> None:
    words = await (await sent(server, tmp_path, "/nowhere/robot")).ended(1)
    assert "/nowhere/robot" in words
    assert "Connected" not in words


@pytest.mark.e2e
async def test_whose_seat_is_freed_is_told_by_whom(server: Server, tmp_path: Path) -> None:
    anna = await table_for_one_more(server)
    robot = await sent(server, tmp_path, program())
    await robot.until("At table")
    await anna.do(LeaveSeat, 0)
    assert "anna has freed your seat at anna." in await robot.ended(1)


@pytest.mark.e2e
async def test_when_its_table_is_closed_it_looks_for_another_one(server: Server, tmp_path: Path) -> None:
    anna = await table_for_one_more(server)
    robot = await sent(server, tmp_path, program())
    await robot.until("At table")
    await anna.do(Propose, "close")
    await robot.until("anna has closed the table.")
    await table_of_who_waits(anna)
    await robot.until(anna.table.id)
    await anna.start()
    await robot.ended(0)


@pytest.mark.e2e
async def test_it_agrees_to_begin_and_to_break_off_where_nothing_is_at_stake(
    server: Server, tmp_path: Path
) -> None:
    anna = Client(server.hub.connect("anna"))
    await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    robot = await sent(server, tmp_path, program())
    await robot.until("At table")
    await anna.do(Propose, "start")
    await robot.until("The match has begun.")
    await anna.do(Propose, "abort")
    assert "The match was aborted" in await robot.ended(1)


@pytest.mark.e2e
async def test_a_rated_match_is_played_to_its_end_whatever_the_others_would_like(
    server: Server, tmp_path: Path
) -> None:
    anna = Client(server.hub.connect("anna"))
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, False, True, None, True)
    await anna.sit(0)
    robot = await sent(server, tmp_path, program(), "--table", anna.table.id)
    await robot.until("At table")
    await anna.start()
    await robot.until("The match has begun.")
    await anna.do(Propose, "abort")
    await until_told(anna, "robot does not agree.")
    while anna.table.phase == "playing":
        await anna.until(lambda c: is_over(c) or 0 in c.observation.active)
        if not is_over(anna):
            await anna.play(0, anna.observation.legal_moves[-1])
    assert "The match is over" in await robot.ended(0)


# -- coming to the end ---------------------------------------------------------------------------------------


def flood(pid: Path) -> str:
    """Lines of a program that tells its number in a file, and never stops writing."""
    return f"open({str(pid)!r}, 'w').write(str(os.getpid()))\nwhile True: print('x' * 9999)"


@pytest.mark.e2e
async def test_a_program_that_floods_its_output_at_the_end_comes_to_its_end(
    server: Server, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    _, robot = await match_with(server, tmp_path, program(at_last=flood(pid)))
    await robot.ended(0)
    assert is_gone(pid)


@pytest.mark.e2e
@pytest.mark.parametrize("said", ["print('hello debugging', flush=True)", "flood"])
async def test_a_program_that_writes_before_its_match_leaves_its_seat(
    server: Server, tmp_path: Path, said: str
) -> None:
    anna, pid = await table_for_one_more(server), tmp_path / "pid"
    robot = await sent(server, tmp_path, program(at_first=flood(pid) if said == "flood" else said))
    assert "without being asked for a move." in await robot.ended(1)
    await anna.until(lambda c: c.table.seats[0].owner is None)
    assert said != "flood" or is_gone(pid)


@pytest.mark.e2e
@pytest.mark.usefixtures("usual_interrupts")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_who_stops_the_command_ends_the_program_and_all_it_has_started(
    server: Server, tmp_path: Path, number: signal.Signals
) -> None:
    pid = tmp_path / "pid"
    stubborn = f'trap "" HUP INT TERM; echo $$ > {pid}; echo stubborn >&2; while :; do sleep 60; done'
    anna = await table_for_one_more(server)
    robot = await sent(server, tmp_path, shlex.join(["sh", "-c", f"sh -c '{stubborn}' & wait"]))
    await robot.until("At table")
    await robot.until("stubborn")
    robot.process.send_signal(number)
    await anna.until(lambda c: c.table.seats[0].owner is None)
    with suppress(ProcessLookupError):
        robot.process.send_signal(number)  # a second time: at once
    words = await robot.ended(128 + number)
    assert "Traceback" not in words
    assert is_gone(pid)


def is_gone(file: Path) -> bool:
    """Whether the process whose number is in a file ends."""
    try:
        process = os.pidfd_open(int(file.read_text()))
    except ProcessLookupError:
        return True
    try:
        return bool(select([process], [], [], patience())[0])
    finally:
        os.close(process)
