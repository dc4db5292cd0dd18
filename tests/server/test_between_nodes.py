"""Matches of people at different nodes, with the programs that they use: OpenSSH and `kk connect`."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, Join, OpenTable, Play, Refused, TakeSeat
from kk_core.record import parse_record, replay
from kk_core.registry import game, game_ids
from kk_server.ssh.host_keys import FILE, host_key
from kk_tui import press_guard
from tests.server.client import Client
from tests.server.nodes import free_address
from tests.server.postgres import Postgres
from tests.server.programs import Guest, Host
from tests.server.remote import remote_link
from tests.terminal import Terminal
from tests.waiting import patience

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no OpenSSH on this machine"),
]

TAB, ENTER = "\t", "\r"

A_MOVE = 2.0
"""Seconds after which a press has not made a move."""

A_FEW = 3
"""Presses after which something is pointed at anew."""

PLAYERS = ("anna", "beate", "carla")
"""Those at the first node, at the second, and again at the first, as far as the game has seats."""


@pytest.fixture(scope="module")
def store(postgres: Postgres) -> str:
    return postgres.new_database()


@pytest.fixture(scope="module")
def hosts(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, Host]]:
    """Two nodes."""
    one, other = (tmp_path_factory.mktemp(name) for name in ("one", "other"))
    host_key(one)
    shutil.copy(one / FILE, other / FILE)
    with ExitStack() as stack:
        begun = [
            stack.enter_context(
                Host(folder, "--store", store, "--set", f"node={free_address()}",
                     "--set", "limits.requests_at_once=9999").serving()
            )
            for folder in (one, other)
        ]  # fmt: skip
        yield begun[0], begun[1]


@pytest.fixture
def guests(tmp_path: Path) -> Iterator[tuple[Guest, Guest]]:
    anna, beate = Guest(tmp_path, "anna"), Guest(tmp_path, "beate")
    yield anna, beate
    for guest in (anna, beate):
        guest.leave()


class Players:
    """Everybody's programs at one table, each at their own node."""

    def __init__(self, clients: list[Client], code: str) -> None:
        self.clients = clients
        self.code = code

    @property
    def ply(self) -> int:
        return self.clients[0].match.ply

    async def play_one(self) -> None:
        """The next move: by a program, unless a press at a terminal that came late has made it."""
        first, ply = self.clients[0], self.ply
        seat = first.observation.active[0]
        client = self.clients[seat]
        await client.until(lambda client: client.match.ply >= ply)
        if seat in client.observation.active:
            await client.ask(Play, seat, client.match.ply, client.observation.legal_moves[0])
        await first.until(lambda first: first.match.ply > ply)

    async def play_to_the_end(self) -> None:
        while self.clients[0].observation.outcome is None:
            await self.play_one()
        for client in self.clients:
            await client.until(lambda client: client.table.phase == "finished")


async def begun(hosts: tuple[Host, Host], game_id: str) -> Players:
    """A match that has begun, at a table by invitation that the second node serves."""
    users = PLAYERS[: game(game_id).meta.min_seats]
    clients = []
    for seat, user in enumerate(users):
        client = Client(await remote_link(hosts[seat % 2].port, user))
        await client.ask(Hello, PROTOCOL_VERSION)
        clients.append(client)
    host = clients[1]
    await until_done(host, OpenTable, game_id, {}, len(users), "", False, True)
    code = host.table.code
    assert code is not None
    for seat, client in enumerate(clients):
        if client is not host:
            await until_done(client, Join, code)
        await client.do(TakeSeat, seat)
    await host.start()
    for client in clients:
        await client.until(lambda c: c.table.match is not None)
    return Players(clients, code)


async def until_done(client: Client, request: Any, *given: Any) -> None:
    """Ask until a node has its share of the tables, or knows one that another has just opened."""
    async with asyncio.timeout(patience()):
        while isinstance(await client.ask(request, *given), Refused):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def play_by_keys(players: Players, seat: int, terminal: Terminal) -> None:
    """The next move of a seat, made at its terminal; others' before it are made by their programs."""
    while seat not in players.clients[0].observation.active:
        await players.play_one()
    before, presses = players.ply, count()
    async with asyncio.timeout(patience()):
        while players.ply == before:
            if next(presses) % A_FEW == 0:  # the first may have come before the turn was seen there
                terminal.type(TAB)
            # a press counts only for what has stood there for a moment
            await asyncio.to_thread(terminal.read_for, press_guard.BURST)
            terminal.type(ENTER)
            pressed = asyncio.get_running_loop().time()
            while players.ply == before and asyncio.get_running_loop().time() < pressed + A_MOVE:
                await asyncio.to_thread(terminal.read_for, 0.1)


@pytest.mark.parametrize("game_id", game_ids())
def test_people_at_different_nodes_play_a_whole_match_by_ssh_and_by_kk_connect(
    hosts: tuple[Host, Host], guests: tuple[Guest, Guest], game_id: str
) -> None:
    plies = asyncio.run(play(hosts, guests, game_id))
    (one, other), (anna, beate) = hosts, guests
    ended = next(
        each for each in json.loads(anna.asks(one.port, "history", "--json")) if each["game"] == game_id
    )
    record = beate.asks(other.port, "record", ended["id"])
    assert record == anna.asks(one.port, "record", ended["id"])
    match = replay(parse_record(record.decode()))
    assert (match.is_over, len(match.plies)) == (True, plies)


async def play(hosts: tuple[Host, Host], guests: tuple[Guest, Guest], game_id: str) -> int:
    """A match with a move by keys at each terminal; returns the number of all moves."""
    (one, other), (anna, beate) = hosts, guests
    players = await begun(hosts, game_id)
    annas, beates = (
        anna.ssh(one.port, "join", players.code),
        beate.connect(other.port, "--join", players.code),
    )
    await asyncio.to_thread(beates.until, "First visit")
    beates.type(ENTER)
    for terminal in (annas, beates):
        await asyncio.to_thread(terminal.until, "? help")
    await play_by_keys(players, 0, annas)
    await play_by_keys(players, 1, beates)
    await players.play_to_the_end()
    for terminal in (annas, beates):
        # scorings are shown step by step first
        await asyncio.to_thread(terminal.until_typed, " ", "rematch")
    for client in players.clients:
        await client.close()
    return players.ply
