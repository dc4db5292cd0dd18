"""What several nodes cost: `python -m tools.bench.nodes [--only way,takeover,idle,people]`.

Real servers on loopback with one PostgreSQL, which does not wait for the disk. Prints

- *way*: milliseconds from sending a move to its acknowledgement, at a table of the person's own node and at
  one of another node, in turn; and the nodes' milliseconds of processor time for a move of each kind;
- *takeover*: a node with many tables is killed: seconds until the next move at each table with people, who
  are at another node, and milliseconds to go to one of the others afterwards; and what a table takes there;
- *idle*: for one, two and three nodes where nobody is, the share of a processor, transactions a second and
  memory of each, PostgreSQL's own processes aside;
- *people*: transactions for each arrival on a terminal, and the memory for each client program, in the lobby
  and when all have gone to tables of another node.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

from kk_core.protocol.messages import GoTo, OpenTable, Play, Refused, Start, TakeSeat
from tests.server.client import Client
from tests.server.postgres import Postgres, running_postgres
from tools.load.hosted import Hosted, settled
from tools.load.kills import TargetNodes, greeted
from tools.load.person import Person, in_turns

GAME: Final = "ku_ka_king"
SEATS: Final = 2

_PATIENCE: Final = 60.0
_AGAIN: Final = 0.05
_OPENERS: Final = 8
_SIZE: Final = (80, 24)

_BLOCK: Final = 30
"""Moves of one kind whose processor time is measured."""


class Nodes:
    """Nodes on a database of their own."""

    def __init__(self, servers: list[Hosted], postgres: Postgres, store: str) -> None:
        self.servers = servers
        self._postgres = postgres
        self._database = urlsplit(store).path.removeprefix("/")

    @property
    def ports(self) -> list[int]:
        """The ports of the nodes."""
        return [server.port for server in self.servers]

    def transactions(self) -> int:
        """Return the number of transactions so far."""
        query = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{self._database}'"
        return int(self._postgres.ask("psql", "-At", "-d", self._database, "-c", query))

    async def rate(self, seconds: float) -> float:
        """Return the transactions a second, without those that ask for it."""
        before, begun = self.transactions(), time.monotonic()
        await asyncio.sleep(seconds)
        return max(0.0, self.transactions() - before - 1) / (time.monotonic() - begun)


@asynccontextmanager
async def nodes(postgres: Postgres, number: int) -> AsyncIterator[Nodes]:
    """Start nodes, and stop them at the end."""
    store = postgres.new_database()
    with tempfile.TemporaryDirectory() as folder:
        cluster = await asyncio.to_thread(TargetNodes, Path(folder), number, store)
        try:
            yield Nodes(cluster.servers, postgres, store)
        finally:
            await asyncio.to_thread(cluster.stop)


async def until_done(client: Client, request: Any, *given: Any) -> None:
    """Ask until a request is carried out: a node may have no share yet, or not know a table."""
    async with asyncio.timeout(_PATIENCE):
        while isinstance(await client.ask(request, *given), Refused):  # noqa: ASYNC110
            await asyncio.sleep(_AGAIN)


async def opened(owner: Client, player: Client | None = None) -> str:
    """Return a table at the owner's node, where all seats are the player's and the match has begun."""
    await until_done(owner, OpenTable, GAME, {}, SEATS, "")
    table = owner.table.id
    if player is not None:
        await until_done(player, GoTo, table)
    for seat in range(SEATS):
        await until_done(player or owner, TakeSeat, seat)
    await until_done(owner, Start)
    return table


async def move(client: Client) -> float:
    """Make the next move of a client that has all seats; return the seconds until its acknowledgement."""
    await client.until(lambda c: c.table.match is not None)
    seat = client.observation.active[0]
    if client.table.viewer != seat:
        await client.look(seat)
    begun = perf_counter()
    await client.play(seat, client.observation.legal_moves[0])
    return perf_counter() - begun


def shares(took: Sequence[float], *wanted: int) -> list[float]:
    """Return what `wanted` percent of the times were within."""
    return [sorted(took)[min(len(took) - 1, len(took) * share // 100)] for share in wanted]


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)  # noqa: T201


async def measure_way(postgres: Postgres, moves: int) -> None:
    """Print a move's time through one node and through two."""
    async with nodes(postgres, 2) as cluster:
        near, far = [await greeted(cluster.ports[0], "anna") for _ in range(2)]
        owner = await greeted(cluster.ports[1], "beate")
        await opened(near)
        await opened(owner, far)
        await owner.close()  # or they would watch
        for client in (near, far):
            await move(client)
        took = [[await move(client) for client in (near, far)] for _ in range(moves)]
        for name, each in zip(("one node", "two nodes"), zip(*took, strict=True), strict=True):
            half, most = shares(each, 50, 99)
            say(f"{f'a move through {name}, ms':>40}: 50 % {1000 * half:.1f}, 99 % {1000 * most:.1f}")
        for name, client in (("one node", near), ("two nodes", far)):
            spent = sum(server.spent for server in cluster.servers)
            for _ in range(_BLOCK):
                await move(client)
            spent = sum(server.spent for server in cluster.servers) - spent
            say(f"{f'of the processor, {name}, ms':>40}: {1000 * spent / _BLOCK:.1f}")


async def measure_takeover(postgres: Postgres, tables: int, peopled: int) -> None:
    """Print how soon tables of a node that is killed are served again."""
    async with nodes(postgres, 2) as cluster:
        openers = [await greeted(cluster.ports[1], f"p{number}x0") for number in range(_OPENERS)]
        await opened(openers[0])
        await asyncio.to_thread(settled, cluster.servers[1])
        before = cluster.servers[1].resident
        shared = [tables // _OPENERS] * _OPENERS
        found = await asyncio.gather(*map(open_many, openers, shared))
        grown = (cluster.servers[1].resident - before) / sum(shared)
        say(f"{'KiB of a loaded table':>40}: {1024 * grown:.0f}")
        everywhere = [(f"p{number}x0", table) for number, own in enumerate(found) for table in own]
        stride = len(everywhere) // peopled
        here = [await greeted(cluster.ports[0], user) for user, _ in everywhere[::stride]]
        for client, (_, table) in zip(here, everywhere[::stride], strict=True):
            await until_done(client, GoTo, table)
            await client.look(client.observation.active[0])
        await asyncio.to_thread(cluster.servers[1].kill)
        took = await asyncio.gather(*map(moved_again, here))
        half, most = shares(took, 50, 100)
        say(f"{f'{len(here)} tables with people, s':>40}: 50 % {half:.2f}, most {most:.2f}")
        comer = await greeted(cluster.ports[0], "comer")
        took = [await timed(comer, table) for _, table in everywhere[1::stride]]
        half, most = shares(took, 50, 99)
        say(f"{'going to one of the others, ms':>40}: 50 % {1000 * half:.1f}, 99 % {1000 * most:.1f}")


async def open_many(owner: Client, number: int) -> list[str]:
    """Return so many new tables, left by their owner."""
    return [await opened(owner) for _ in range(number)]


async def moved_again(client: Client) -> float:
    """Try to move until that is possible; return the seconds."""
    begun, seat, ply = perf_counter(), client.observation.active[0], client.match.ply
    wanted = client.observation.legal_moves[0]
    async with asyncio.timeout(_PATIENCE):
        while isinstance(await client.ask(Play, seat, ply, wanted), Refused):  # noqa: ASYNC110
            await asyncio.sleep(_AGAIN)
    return perf_counter() - begun


async def timed(client: Client, table: str) -> float:
    """Return the seconds that going to a table takes."""
    begun = perf_counter()
    await until_done(client, GoTo, table)
    return perf_counter() - begun


async def measure_idle(postgres: Postgres, seconds: float) -> None:
    """Print what nodes cost where nobody is."""
    for number in (1, 2, 3):
        async with nodes(postgres, number) as cluster:
            for server in cluster.servers:
                await asyncio.to_thread(settled, server)
            before = sum(server.spent for server in cluster.servers)
            rate = await cluster.rate(seconds)
            spent = (sum(server.spent for server in cluster.servers) - before) / seconds / number
            resident = sum(server.resident for server in cluster.servers) / number
            say(
                f"{f'{number} idle, each':>40}: {100 * spent:.1f} % of a processor,"
                f" {rate / number:.1f} transactions a second, {resident:.0f} MiB"
            )


async def measure_people(postgres: Postgres, people: int) -> None:
    """Print what arrivals ask of the database, and the memory of those who are there."""
    async with nodes(postgres, 2) as cluster:
        owner = await greeted(cluster.ports[1], "doro")
        tables = await open_many(owner, people)
        for server in cluster.servers:
            await asyncio.to_thread(settled, server)
        idle = await cluster.rate(10)
        before, begun = cluster.transactions(), time.monotonic()
        guests = [Person(number) for number in range(people)]
        await in_turns(arrive(guest, cluster.ports[0]) for guest in guests)
        spent = cluster.transactions() - before - idle * (time.monotonic() - begun)
        say(f"{'transactions for an arrival':>40}: {spent / people:.1f}")
        resident = [server.resident for server in cluster.servers]
        programs = [await program(Person(people + number), cluster.ports[0]) for number in range(people)]
        resident.append(cluster.servers[0].resident)
        for client, table in zip(programs, tables, strict=True):
            await until_done(client, GoTo, table)
        near, far = (server.resident for server in cluster.servers)
        for name, grown in (
            ("a program in the lobby", resident[2] - resident[0]),
            ("its visit elsewhere, at its node", near - resident[2]),
            ("its visit elsewhere, at the other", far - resident[1]),
        ):
            say(f"{f'KiB of {name}':>40}: {1024 * grown / people:.0f}")


async def arrive(guest: Person, port: int) -> None:
    """Come on a terminal, and see the lobby."""
    await guest.come(port)
    await guest.look(None, _SIZE)


async def program(guest: Person, port: int) -> Client:
    """Come with a client program."""
    await guest.come(port)
    return await guest.client()


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="way,takeover,idle,people")
    parser.add_argument("--moves", type=int, default=120, help="at each of the two tables")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--peopled", type=int, default=50, help="tables with people")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    parts: dict[str, Callable[[Postgres], Coroutine[Any, Any, None]]] = {
        "way": lambda postgres: measure_way(postgres, given.moves),
        "takeover": lambda postgres: measure_takeover(postgres, given.tables, given.peopled),
        "idle": lambda postgres: measure_idle(postgres, given.seconds),
        "people": lambda postgres: measure_people(postgres, given.people),
    }
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is stopped
    with running_postgres() as postgres:
        for name in given.only.split(","):
            asyncio.run(parts[name](postgres))


if __name__ == "__main__":
    main()
