"""Programs that say what they are, are marked as programs wherever they are seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, GetHistory, Hello, History, OpenReplay, Play, Propose
from kk_server.hub.hub import Hub
from kk_server.serve.server import Server, start
from kk_server.storage.sql_log import open_log
from kk_server.storage.sqlite import DATABASE
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.test_console import ask
from tests.server.test_watch import watching

GAME = "ku_ka_king"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0), make_probe)
    yield server
    await server.close()


async def program(connect: Connect, user: str = "robot") -> Client:
    client = connect(user)
    await client.ask(Hello, PROTOCOL_VERSION, True)
    return client


async def match_of(connect: Connect) -> tuple[Client, Client]:
    """Anna at her table, and a program on its second seat, before the match."""
    anna, robot = connect("anna"), await program(connect)
    await anna.open(GAME, 2, title="At the inn")
    await robot.go_to(anna.table.id)
    await anna.sit(0)
    await robot.sit(1)
    return anna, robot


def marks(client: Client) -> list[bool]:
    return [seat.program for seat in client.table.seats]


async def test_the_seat_of_a_program_is_marked_at_the_table_and_in_the_lobby(connect: Connect) -> None:
    anna, _ = await match_of(connect)
    assert marks(anna) == [False, True]
    eve = connect("eve")
    await eve.until(lambda c: [seat.program for seat in c.lobby.tables[0].seats] == [False, True])
    assert eve.lobby.programs == ("robot",)


async def test_who_is_here_as_a_person_too_is_no_program(connect: Connect) -> None:
    eve, robot = connect("eve"), await program(connect)
    await eve.until(lambda c: c.lobby.programs == ("robot",))
    person = connect("robot")
    await eve.until(lambda c: c.lobby.programs == ())
    await person.close()
    await eve.until(lambda c: c.lobby.programs == ("robot",))
    await robot.close()
    await eve.until(lambda c: "robot" not in c.lobby.users)
    person = connect("robot")
    await eve.until(lambda c: "robot" in c.lobby.users)
    assert eve.lobby.programs == ()


async def test_who_says_twice_to_be_a_program_is_one_until_it_leaves(connect: Connect) -> None:
    eve, robot = connect("eve"), await program(connect)
    await robot.ask(Hello, PROTOCOL_VERSION, True)
    person = connect("robot")
    await robot.close()
    await eve.until(lambda c: c.lobby.users == ("eve", "robot") and c.lobby.programs == ())
    await person.close()


async def test_a_program_that_plays_on_a_seat_that_a_person_took_is_marked_with_its_first_move(
    connect: Connect,
) -> None:
    anna = connect("anna")
    await anna.open(GAME, 2)
    await anna.sit(0, 1)
    await anna.start()
    robot = await program(connect, "anna")
    await robot.go_to(anna.table.id)
    await robot.look(1)
    assert await robot.refused(Play, 1, 0, 99)
    assert marks(robot) == [False, False]
    await robot.play(1, 2)
    assert marks(robot) == [False, True]


async def test_the_mark_stays_with_a_person_who_moves_on_in_a_rematch(connect: Connect) -> None:
    anna, robot = await match_of(connect)
    await anna.start()
    await anna.do(Propose, "abort")
    await robot.until(lambda c: c.table.proposal is not None)
    await robot.do(Propose, "abort")
    assert [(seat.name, seat.program) for seat in anna.table.seats] == [("robot", True), ("anna", False)]


async def test_after_a_restart_a_program_is_still_marked_and_so_it_is_in_the_history(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0, limits=PLENTY)
    await hub.load()
    anna, robot = await match_of(lambda user: Client(hub.connect(user)))
    await anna.start()
    table = anna.table.id
    await hub.close()
    hub = Hub(await open_log(tmp_path / DATABASE), bot_pause=0, limits=PLENTY)
    await hub.load()
    anna, robot = (Client(hub.connect(user)) for user in ("anna", "robot"))
    for client in (anna, robot):
        await client.go_to(table)
    assert marks(anna) == [False, True]
    while anna.table.phase == "playing":
        for seat, client in ((0, anna), (1, robot)):
            if client.observation.legal_moves:
                legal = client.observation.legal_moves
                await client.play(seat, legal[(seat + client.match.ply) % len(legal)])
        await anna.until(lambda c: c.table.phase != "playing" or 0 in c.observation.active)
        await robot.until(lambda c: c.revision >= anna.revision)
    history = await anna.ask(GetHistory)
    assert isinstance(history, History)
    (line,) = history.matches
    assert [line.names[seat] for seat in line.programs] == ["robot"]
    await anna.do(OpenReplay, line.table, line.match)
    assert marks(anna) == [False, True]
    await hub.close()


async def test_commands_mark_programs_in_words_and_in_json(server: Server) -> None:
    anna, robot = await match_of(lambda user: Client(server.hub.connect(user)))
    await anna.start()
    assert "*anna 0, *robot (program) 0" in (await ask(server, "tables", "eve")).out
    (table,) = (await ask(server, "tables --json", "eve")).json
    assert [seat["program"] for seat in table["seats"]] == [False, True]
    assert f"robot (program)  {table['id']}\n" in (await ask(server, "who", "eve")).out
    people = (await ask(server, "who --json", "eve")).json
    assert {one["user"]: one["program"] for one in people} == {"anna": False, "robot": True}
    zoe = await watching(server, f"watch {table['id']}")
    await zoe.until("At the inn: Ku-Ka-King, round 1: *anna 0, *robot (program) 0")
    zoe.connection.close()
    await anna.close()
    await robot.close()
