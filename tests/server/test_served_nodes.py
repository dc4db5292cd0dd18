"""Servers that are nodes of one cluster, as a host starts them; and nodes that die, or freeze and wake."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo, Play, Refused
from kk_core.registry import game_ids
from kk_server.frontend.terminal import MakeApp
from kk_server.serve.server import Server, start
from kk_server.serve.settings import BadSettings, Sources
from kk_server.ssh.host_keys import FILE, host_key
from kk_server.storage.entries import Created, SeatHolder, Started
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import SCHEMA
from kk_server.storage.summaries import PLAYING
from kk_tui import press_guard
from tests.server.client import Client
from tests.server.emulator import emulator
from tests.server.hosting import PLENTY, here, probing
from tests.server.ports import free_address
from tests.server.postgres import Postgres
from tests.server.probe import make_probe
from tests.server.test_accounts import told
from tests.server.test_kill import Process, greeted, running
from tests.server.test_over_ssh import at_table, begun, play_by_keys
from tests.waiting import patience, wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.storage.postgres import open_postgres

GAME = "land_cards"

TEN_SECONDS = 0.2
"""As a part of the patience of tests: where that is more, machines are slower."""

PROGRAM = """
import asyncio, sys
from kk_server.limits import ServerLimits
from kk_server.serve.server import serve
from kk_server.serve.settings import Settings
from tests.server.hosting import PLENTY
folder, workers, port, store, node = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), {store!r}, {node!r}
asyncio.run(serve(Settings(data=folder, workers=workers, port=port, store=store, node=node, limits=PLENTY)))
"""


def folders(path: Path, number: int) -> list[Path]:
    """Data folders with the same host key."""
    made = [path / f"node{n}" for n in range(number)]
    for folder in made:
        folder.mkdir()
    host_key(made[0])
    for folder in made[1:]:
        shutil.copy(made[0] / FILE, folder / FILE)
    return made


@asynccontextmanager
async def processes(
    path: Path, store: str, number: int = 2, workers: int = 1
) -> AsyncIterator[list[Process]]:
    """Nodes in processes of their own."""
    async with AsyncExitStack() as stack:
        begun = []
        for folder in folders(path, number):
            program = PROGRAM.format(store=store, node=free_address())
            begun.append(await stack.enter_async_context(running(folder, workers, program=program)))
        yield begun


@asynccontextmanager
async def servers(
    path: Path, store: str, make_app: MakeApp | None = make_probe
) -> AsyncIterator[tuple[Server, Server]]:
    """Two nodes in this process."""
    one, other = [
        await start(here(folder, store=store, node=free_address(), limits=PLENTY, bot_pause=0.0), make_app)
        for folder in folders(path, 2)
    ]
    try:
        await wait_for(lambda: other.hub.nodes.has_room)
        yield one, other
    finally:
        await other.close()
        await one.close()


async def opened_at(client: Client) -> str:
    """A table with three of the client's seats, at its node."""
    async with asyncio.timeout(patience()):
        while True:
            try:
                table = await client.open(GAME, 3)
                break
            except AssertionError:
                await asyncio.sleep(0.1)
    await client.sit(0, 1, 2)
    await client.start()
    return table


async def move(client: Client) -> None:
    """The next move at the client's table."""
    (seat,) = client.observation.active
    await client.look(seat)
    await client.play(seat, client.observation.legal_moves[0])


async def until_there(client: Client, table: str) -> None:
    async with asyncio.timeout(patience()):
        while isinstance(await client.ask(GoTo, table), Refused):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)


@pytest.mark.e2e
@pytest.mark.parametrize("workers", [1, 2])
async def test_when_a_tables_node_is_killed_people_elsewhere_play_on_within_ten_seconds(
    tmp_path: Path, postgres: Postgres, workers: int
) -> None:
    async with processes(tmp_path, postgres.new_database(), workers=workers) as (one, other):
        anna, beate = await greeted(one.port, "anna"), await greeted(other.port, "beate")
        table = await opened_at(beate)
        await until_there(anna, table)
        await move(beate)
        await anna.until(lambda client: client.match.ply == 1)
        await other.end(signal.SIGKILL)
        async with asyncio.timeout(TEN_SECONDS * patience()):
            again = await greeted(one.port, "beate")
            await until_there(again, table)
            await move(again)
            await anna.until(lambda client: client.match.ply == 2)


@pytest.mark.e2e
async def test_a_home_that_was_frozen_sends_its_people_after_their_tables(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with processes(tmp_path, postgres.new_database()) as (one, other):
        anna, beate = await greeted(one.port, "anna"), await greeted(other.port, "beate")
        table = await opened_at(beate)
        await until_there(anna, table)
        await move(beate)
        other.send(signal.SIGSTOP)
        again = await greeted(one.port, "beate")
        async with asyncio.timeout(TEN_SECONDS * patience()):
            await until_there(again, table)
            await move(again)
            await move(again)
            await anna.until(lambda client: client.match.ply == 3)
        other.send(signal.SIGCONT)
        await beate.until(lambda client: client.match.ply == 3)
        await move(beate)
        for client in (anna, again):
            await client.until(lambda client: client.match.ply == 4)


@pytest.mark.e2e
async def test_a_move_that_a_home_has_only_read_after_twenty_seconds_is_refused(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with processes(tmp_path, postgres.new_database()) as (one, other):
        anna, beate = await greeted(one.port, "anna"), await greeted(other.port, "beate")
        table = await opened_at(beate)
        await until_there(anna, table)
        (seat,) = beate.observation.active
        await beate.look(seat)
        other.send(signal.SIGSTOP)
        awake = asyncio.get_running_loop().time() + 20
        late = asyncio.create_task(beate.ask(Play, seat, 0, beate.observation.legal_moves[-1]))
        again = await greeted(one.port, "beate")
        await until_there(again, table)
        while again.match.ply == 0 or asyncio.get_running_loop().time() < awake:
            await move(again)
            await asyncio.sleep(0.5)
        other.send(signal.SIGCONT)
        assert isinstance(await late, Refused)
        clients = anna, beate, again
        for client in clients:
            await client.until(lambda client: client.match.ply == again.match.ply)
            await client.look(None)
        assert anna.match == beate.match == again.match


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
async def test_a_move_made_by_keys_at_one_node_is_seen_by_terminals_at_both(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch, game_id: str
) -> None:
    monkeypatch.setattr(press_guard, "SEEN", 0.0)
    monkeypatch.setattr(press_guard, "BURST", 0.0)
    async with (
        servers(tmp_path, postgres.new_database(), make_app=None) as (one, other),
        AsyncExitStack() as stack,
    ):
        table = await begun(other, game_id)
        await wait_for(lambda: is_known_to_play(one, table.id))
        match = table.state.match
        assert match is not None
        actor = match.game.active_seats(match.state)[0]
        terminals = [
            await at_table(await stack.enter_async_context(emulator(server, holder.name)), table)
            for server, holder in zip((one, other, one), table.state.seats, strict=False)
        ]
        before = [await terminal.settled() for terminal in terminals]
        await play_by_keys(terminals[actor], table)
        for terminal, shown in zip(terminals, before, strict=True):
            await terminal.until_unlike(shown)


def is_known_to_play(server: Server, table: str) -> bool:
    unloaded = server.hub.table_cache.unloaded.get(table)
    return unloaded is not None and unloaded.summary.phase == PLAYING


async def test_nodes_need_addresses_of_their_own(tmp_path: Path, postgres: Postgres) -> None:
    store, node = postgres.new_database(), free_address()
    one, other = folders(tmp_path, 2)
    async with probing(one, store=store, node=node):
        with pytest.raises(KkError, match="Other nodes can't reach port"):
            await start(here(other, store=store, node=node))


@pytest.mark.parametrize("node", ["192.0.2.1:8023", "[2001:db8::1]:8023", "node1.invalid:8023"])
async def test_a_nodes_address_is_one_of_its_own_machine(
    tmp_path: Path, postgres: Postgres, node: str
) -> None:
    with pytest.raises(KkError) as refused:
        await start(here(tmp_path, store=postgres.new_database(), node=node))
    assert str(refused.value) == (
        f"node is {node}, but this machine has no such address: use one of its own."
    )


async def test_a_node_whose_name_cannot_be_looked_up_now_says_so(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo

    def unanswered(host: Any, *given: Any, **more: Any) -> Any:
        if host == "node1.invalid":
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return look_up(host, *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", unanswered)
    with pytest.raises(KkError) as refused:
        await start(here(tmp_path, store=postgres.new_database(), node="node1.invalid:8023"))
    assert str(refused.value) == (
        "Other nodes can't reach port 8023 here: Temporary failure in name resolution"
    )


async def test_a_server_alone_and_nodes_refuse_each_other(tmp_path: Path, postgres: Postgres) -> None:
    store = postgres.new_database()
    one, other = folders(tmp_path, 2)
    async with probing(one, store=store):
        with pytest.raises(KkError, match="Another server is using"):
            await start(here(other, store=store, node=free_address()))
    async with probing(one, store=store, node=free_address()):
        with pytest.raises(KkError, match="Another server is using"):
            await start(here(other, store=store))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"node": "a:1"}, "node is set, but not store: nodes share a PostgreSQL database."),
        ({"node": "a", "store": "postgresql://h/kk"}, "node is 'a': write HOST:PORT."),
        (
            {"node": "a:8022", "store": "postgresql://h/kk"},
            "node is 'a:8022', with the same port as people's: choose another.",
        ),
        *(
            (
                {"node": node, "store": "postgresql://h/kk"},
                f"node is '{node}', to which other nodes can't connect: write an address that leads here.",
            )
            for node in ("0.0.0.0:8023", "[::]:8023", "[0:0:0:0:0:0:0:0]:8023", "0:8023")
        ),
        (
            {"node": f"{'a' * 50}:1", "store": "postgresql://h/kk"},
            f"node is '{'a' * 50}:1': at most 51 characters are allowed.",
        ),
    ],
)
def test_a_nodes_address_is_one_that_others_can_use(settings: dict[str, str], reason: str) -> None:
    with pytest.raises(BadSettings) as refused:
        Sources(typed=settings).read()
    assert str(refused.value) == reason


async def test_a_node_that_drains_hands_its_tables_over(tmp_path: Path, postgres: Postgres) -> None:
    async with servers(tmp_path, postgres.new_database()) as (one, other):
        anna, beate = await greeted(one.port, "anna"), await greeted(other.port, "beate")
        table = await opened_at(beate)
        await until_there(anna, table)
        other.drain(5)
        await wait_for(lambda: table in one.hub.tables)
        await move(beate)
        await anna.until(lambda client: client.match.ply == 1)


async def test_a_guests_name_is_theirs_at_all_nodes(tmp_path: Path, postgres: Postgres) -> None:
    async with servers(tmp_path, postgres.new_database()) as (one, other):
        assert one.hub.guests is not None
        assert one.hub.guests.name_for("Anna", "192.0.2.1") == "~Anna"
        await wait_for(lambda: other.hub.guests is not None and other.hub.guests.reserved())
        assert other.hub.guests is not None
        assert other.hub.guests.name_for("Anna", "192.0.2.2") == "~Anna 2"
        assert other.hub.guests.name_for("anna", "192.0.2.1") == "~anna"


async def test_a_node_that_meets_a_newer_schema_drains_and_says_so_while_its_matches_go_on(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch, journal: StringIO
) -> None:
    store, (one, other) = postgres.new_database(), folders(tmp_path, 2)
    async with probing(one, store=store, node=free_address()) as older:
        anna = await greeted(older.port, "anna")
        table = await opened_at(anna)
        await move(anna)
        postgres.ask("psql", "-d", urlsplit(store).path[1:], "-c", "UPDATE schema SET version = version + 1")
        monkeypatch.setattr("kk_server.storage.postgres.SCHEMA", SCHEMA + 1)
        monkeypatch.setattr("kk_core.__version__", "99.0.0")
        async with probing(other, store=store, node=free_address()) as newer:
            await wait_for(lambda: table in newer.hub.tables)
            await anna.until(lambda client: "will stop in" in told(client))
            await move(anna)
            await anna.until(lambda client: client.match.ply == 2)
            assert older.is_draining
            assert not newer.is_draining
            assert journal.getvalue().count("database of a newer version") == 1
            await anna.close()
            await wait_for(older.stopping.is_set)


async def test_a_match_by_newer_rules_is_left_to_the_nodes_that_know_them(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, (one, other) = postgres.new_database(), folders(tmp_path, 2)
    async with probing(one, store=store, node=free_address()) as older:
        log = SqlLog(await open_postgres(store))
        anna = SeatHolder("anna", owner="anna")
        begun = Started("00" * 32, "99-new", (anna, anna, anna), await log.keep_data({}))
        await log.append("0" * 8, 0, Created("New", "anna", GAME, {}, 3))
        await log.append("0" * 8, 1, begun)
        await log.close()
        await older.hub.table_cache.refresh()
        client = await greeted(older.port, "anna")
        assert "can't be continued here" in await client.refused(GoTo, "0" * 8)
        monkeypatch.setattr("kk_core.__version__", "99.0.0")
        async with probing(other, store=store, node=free_address()) as newer:
            await wait_for(lambda: newer.hub.nodes.is_home("0" * 8))
            # it knows them no better than this one, but is asked
            assert "can't be continued here" in await client.refused(GoTo, "0" * 8)
            assert older.hub.nodes.has_room
