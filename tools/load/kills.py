"""Moves that are lost when processes are killed: `python -m tools.load.kills [--kills 200] [--at-once]`.

People play at a few tables of a `kk serve` on loopback, as fast as they can; one at each table also has a
terminal open. At random moments a worker is killed with -9, or the hub, which is then restarted. Everybody
who has lost their connection reconnects and continues. The next kill happens at a random moment after a move
has been made at every table, or with `--at-once` regardless of that, even while processes are restarting. At
the end every move that was acknowledged has to be in its table's log, at its ply, and every move in the log
has to be one that was sent for that ply.

With `--databases N`, tables are in a PostgreSQL database with a synchronous standby. N times its primary is
killed, or frozen as if its machine were gone, and the standby promoted; meanwhile moves wait.

With `--nodes N`, N servers are nodes of one cluster on a PostgreSQL database, and people at one table are at
different nodes. Each kill is then that of a node, or freezes it for some seconds; whoever was there
reconnects to another. Both may be given.

With `--evening N` that many others are there, those of `tools.load.evening` who do not play: in the lobby,
where they move the cursor and chat, at tables of bots, and coming and going. They reconnect as well.

Prints how long it took until there had been a move at every table again: since each kill of a node or each
promotion, and, as *connections*, since somebody lost theirs until the next move at their table.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import signal
import tempfile
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol

import asyncssh

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    Done,
    GoTo,
    Hello,
    Notice,
    OpenTable,
    Play,
    ServerMessage,
    Start,
    TakeSeat,
)
from kk_core.registry import game
from kk_core.views import TableView
from kk_server.maintenance.backup import record_from
from kk_server.maintenance.copying import copy_store
from kk_server.ssh.host_keys import FILE, host_key
from kk_server.storage import sqlite
from tests.server.client import Client
from tests.server.ports import free_address, free_port
from tests.server.postgres import Postgres, Replicated, replicated_postgres, running_postgres
from tests.server.remote import RemoteLink, dial
from tools.load.evening import Company, EveningTable, Plan, press, visit
from tools.load.hosted import WIDE_OPEN, Hosted, begin
from tools.load.person import Person

GAME: Final = "land_cards"
SEATS: Final = 3

_PAUSE: Final = 0.02
"""Seconds between two moves at a table."""

_PATIENCE: Final = 30.0
_AGAIN: Final = 0.1
_APART: Final = (0.1, 1.5)
"""Minimum and maximum seconds from one kill to the next."""

HUB: Final = "hub"
WORKER: Final = "worker"
DATABASE: Final = "database"
NODE: Final = "node"

_CONNECTION: Final = "connection"

_FROZEN: Final = (1.0, 20.0)
"""Minimum and maximum seconds for which a node is frozen."""

_HUBS: Final = 0.3
"""The hub's share of the kills."""

_LOST: Final = (asyncssh.Error, OSError, EOFError, KeyError, TimeoutError)


class WrongSeat(Exception):
    """Somebody reconnected and was not given their own seat."""


class SentAway(KeyError):
    """Somebody was sent from their table to the lobby, but is connected; with all that they were told."""


@dataclass
class Journal:
    """The history of one table: moves in the log, and moves sent, by the ply that they were meant for."""

    table: str
    sent: dict[int, list[str]] = field(default_factory=dict)
    acknowledged: dict[int, str] = field(default_factory=dict)


@dataclass
class Tally:
    """The outcome of a run."""

    kills: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    sent_away: Counter[str] = field(default_factory=Counter)
    """How often somebody who was connected was sent from their table to the lobby, by what they were told."""
    returns: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The seconds after which play went on, by what had been killed or lost."""
    pictures: int = 0
    keys: int = 0
    """The number of keys of others that were answered."""

    def lines(self) -> str:
        """Return the outcome as tables."""
        lines = [f"{'':>11} {'kills':>6} {'returns':>8} {'50 %':>6} {'most':>6}"]
        for victim in sorted(self.kills.keys() | self.returns.keys()):
            back = sorted(self.returns[victim])
            half, most = (back[len(back) // 2], back[-1]) if back else (0.0, 0.0)
            lines.append(f"{f'{victim}s':>11} {self.kills[victim]:6} {len(back):8} {half:6.2f} {most:6.2f}")
        lines += [
            f"{'moves':>11} {'lost':>6} {'doubled':>8} {'sent away':>10} {'pictures':>9} {'keys':>7}",
            f"{self.moves:11} {self.lost:6} {self.doubled:8} {self.sent_away.total():10} {self.pictures:9}"
            f" {self.keys:7}",
        ]
        lines += [f"sent away {times} times: {told}" for told, times in self.sent_away.items()]
        return "\n".join(lines)


class Round:
    """Three people at a table of their own."""

    def __init__(self, number: int, ports: list[int], tally: Tally) -> None:
        """Take the ports of the servers that run, which may change."""
        self._users = [f"p{number}x{seat}" for seat in range(SEATS)]
        self._all_ports = ports
        self._tally = tally
        self._clients: list[Client | None] = [None] * SEATS
        self._ports = [0] * SEATS
        """Where everybody is connected."""
        self.gone: float | None = None
        """The time since when somebody has been disconnected."""
        self._journal: Journal | None = None
        """The journal of the table where they are now."""
        self.journals: list[Journal] = []
        self.moved = 0.0
        """The time of the last acknowledged move."""

    async def play(self) -> None:
        """Play one match after the other, whatever happens."""
        while True:
            try:
                await self._come()
                await self._go_on()
            except _LOST as error:
                self.gone = self.gone or monotonic()
                if isinstance(error, SentAway):
                    self._tally.sent_away[error.args[-1] if error.args else ""] += 1
                await asyncio.sleep(_AGAIN)

    async def look(self) -> None:
        """Keep a terminal open, whatever happens."""
        while True:
            with suppress(*_LOST):
                async with asyncio.timeout(_PATIENCE):
                    connection = await dial(random.choice(self._all_ports), self._users[0])
                    terminal: Any = await connection.create_process(
                        encoding=None, term_type="xterm-256color", term_size=(80, 24)
                    )
                    await terminal.stdout.readexactly(1000)
                self._tally.pictures += 1
                while await terminal.stdout.read(65536):
                    terminal.stdin.write(b"\x1b[C")
                    await asyncio.sleep(1)
            await asyncio.sleep(_AGAIN)

    # -- coming ----------------------------------------------------------------------------------------------

    def leave(self, port: int) -> None:
        """Hang up wherever somebody is connected to a server that does not answer."""
        for client, at in zip(self._clients, self._ports, strict=True):
            if client is not None and at == port and isinstance(client.link, RemoteLink):
                client.link.connection.abort()

    async def _come(self) -> None:
        """Have everybody who is missing reconnect to their seat. Raises `WrongSeat`."""
        # all of them to the end, whoever fails
        for error in await asyncio.gather(*map(self._return, range(SEATS)), return_exceptions=True):
            if error is not None:
                raise error
        if self._journal is None:
            await self._begin()

    async def _return(self, seat: int) -> None:
        client = self._clients[seat]
        if client is None or client.goodbye is not None:
            self._ports[seat] = random.choice(self._all_ports)
            self._clients[seat] = client = await greeted(self._ports[seat], self._users[seat])
        if self._journal is not None and not isinstance(client.place, TableView):
            _check(await client.ask(GoTo, self._journal.table))
            if client.table.viewer != seat:
                raise WrongSeat(f"{client} sees through {client.table.viewer}")

    async def _begin(self) -> None:
        """Take seats at a new table; if that is interrupted, at another one."""
        clients = [client for client in self._clients if client is not None]
        _check(await clients[0].ask(OpenTable, GAME, {}, SEATS, ""))
        table = clients[0].table.id
        for seat, client in enumerate(clients):
            _check(await client.ask(GoTo, table))
            _check(await client.ask(TakeSeat, seat))
        _check(await clients[0].ask(Start))
        for client in clients:
            await _until(client, lambda c: c.table.match is not None)
        self._journal = Journal(table)
        self.journals.append(self._journal)

    # -- playing ---------------------------------------------------------------------------------------------

    async def _go_on(self) -> None:
        """Play to the end of the match, or until somebody loses their connection."""
        clients = [client for client in self._clients if client is not None]
        _check_there(clients)
        ply = max(client.match.ply for client in clients)
        while True:
            for client in clients:
                await _until(client, partial(_has_seen, ply))
            _check_there(clients)
            active = clients[0].observation.active
            if not active:
                break
            await self._move(clients[active[0]], active[0], ply)
            ply += 1
            await asyncio.sleep(_PAUSE)
        self._journal = None
        for client in clients:
            _check(await client.ask(GoTo, None))

    async def _move(self, client: Client, seat: int, ply: int) -> None:
        journal, move = self.journals[-1], client.observation.legal_moves[0]
        line = f"{seat} {game(GAME).format_move(move)}"
        # Recorded first: the log may have it even if its acknowledgement is lost.
        journal.sent.setdefault(ply, []).append(line)
        _check(await client.ask(Play, seat, ply, move))
        journal.acknowledged[ply] = line
        self._tally.moves += 1
        self.moved = monotonic()
        if self.gone is not None:
            self._tally.returns[_CONNECTION].append(monotonic() - self.gone)
            self.gone = None


def _check(reply: ServerMessage) -> None:
    """Raise `KeyError` for a refusal, such as that of a table on the way to another node."""
    if not isinstance(reply, Done):
        raise KeyError(str(reply))


async def greeted(port: int, user: str) -> Client:
    """Return the client program of a user who has come to a server and is in the lobby."""
    async with asyncio.timeout(_PATIENCE):
        connection = await dial(port, user)
        process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
        client = Client(RemoteLink(connection, process))
        await client.ask(Hello, PROTOCOL_VERSION)
    await client.until(lambda _: True)
    return client


def _has_seen(ply: int, client: Client) -> bool:
    return client.match.ply >= ply


def _is_there(client: Client) -> bool:
    return client.goodbye is None and isinstance(client.place, TableView)


def _check_there(clients: Iterable[Client]) -> None:
    """Raise `KeyError` for somebody who has lost their connection, and `SentAway` for who is in the lobby."""
    for client in clients:
        if client.goodbye is not None:
            raise KeyError(str(client.goodbye))
        if not _is_there(client):
            raise SentAway(*(str(each.text) for each in client.sent if isinstance(each, Notice)))


async def _until(client: Client, condition: Callable[[Client], bool]) -> None:
    """Wait until a condition holds for somebody at a table. Raises what `_check_there` does."""
    await client.until(lambda c: not _is_there(c) or condition(c))
    _check_there([client])


# -- killing -------------------------------------------------------------------------------------------------


Struck = Callable[[int | None], Awaitable[None]]
"""Called when something has been killed, with the port that does not answer any more, if there is one."""


class Attacked(Protocol):
    """What is killed, except databases."""

    ports: list[int]
    """The ports that answer."""

    async def strike(self, victim: str, struck: Struck) -> None:
        """Kill something, and have it replaced."""
        ...

    def stop(self) -> None:
        """Stop everything, whatever its state."""
        ...


class Target:
    """One server that is attacked, and its successors."""

    def __init__(self, folder: Path, workers: int, store: str | None) -> None:
        self._folder = folder
        self._settings = *WIDE_OPEN, f"workers={workers}", *(() if store is None else (f"store={store}",))
        self._server = begin(folder, *self._settings, port=free_port())
        self.ports = [self._server.port]

    async def strike(self, victim: str, struck: Struck) -> None:
        """Kill the hub, and start another; or one of the workers, which the hub replaces."""
        if victim == HUB:
            await asyncio.to_thread(self._restart)
            return
        while not await asyncio.to_thread(self._kill_worker):  # noqa: ASYNC110
            await asyncio.sleep(_AGAIN)

    def _restart(self) -> None:
        self._server.kill()
        self._server = begin(self._folder, *self._settings, port=self._server.port)

    def _kill_worker(self) -> bool:
        """Kill one of the workers; return False if there is none now."""
        workers = self._server.workers
        with suppress(ProcessLookupError):
            if workers:
                os.kill(random.choice(workers), signal.SIGKILL)
                return True
        return False

    def stop(self) -> None:
        """Stop the server."""
        self._server.stop()


class TargetNodes:
    """Several nodes that are attacked one after the other."""

    def __init__(self, folder: Path, nodes: int, store: str) -> None:
        self._folders = [folder / f"node{number}" for number in range(nodes)]
        self._store = store
        for each in self._folders:
            each.mkdir()
        host_key(self._folders[0])
        for each in self._folders[1:]:
            shutil.copy(self._folders[0] / FILE, each / FILE)
        self._addresses = [free_address() for _ in range(nodes)]
        self.servers = list[Hosted]()
        try:
            for number in range(nodes):
                self.servers.append(self._begin(number, free_port()))
        except BaseException:
            self.stop()
            raise
        self.ports = [server.port for server in self.servers]

    def _begin(self, number: int, port: int) -> Hosted:
        settings = f"store={self._store}", f"node={self._addresses[number]}", "workers=1"
        return begin(self._folders[number], *WIDE_OPEN, *settings, port=port)

    async def strike(self, victim: str, struck: Struck) -> None:
        """Kill a node, and start it again; or freeze it for a while."""
        number = random.randrange(len(self.servers))
        server = self.servers[number]
        self.ports.remove(server.port)
        if random.random() < 0.5:
            with server.frozen():
                await struck(server.port)
                await asyncio.sleep(random.uniform(*_FROZEN))
        else:
            server.kill()
            await struck(server.port)
            self.servers[number] = await asyncio.to_thread(self._begin, number, server.port)
        self.ports.append(server.port)

    def stop(self) -> None:
        """Stop all of them."""
        for server in self.servers:
            server.stop()


async def fail_over(databases: Replicated, struck: Struck) -> None:
    """Kill the primary, or freeze it, promote the standby, and then make the old primary the new standby."""
    await asyncio.to_thread(databases.fail, random.choice((signal.SIGKILL, signal.SIGSTOP)))
    await asyncio.sleep(random.uniform(*_APART))
    await asyncio.to_thread(databases.promote)
    await struck(None)
    await asyncio.to_thread(databases.restore)


async def kill(
    attacked: Attacked, databases: Postgres | Replicated | None, victims: Iterable[str],
    rounds: Sequence[Round], tally: Tally, *, at_once: bool,
) -> None:  # fmt: skip
    """Kill one thing after the other, at random moments."""
    for victim in victims:
        if not at_once:
            await _all_play(rounds)
        await asyncio.sleep(random.uniform(*_APART))
        tally.kills[victim] += 1
        struck = partial(_all_return, rounds, tally.returns[victim])
        if victim == DATABASE:
            assert isinstance(databases, Replicated)
            await fail_over(databases, struck)
        else:
            await attacked.strike(victim, struck)


async def _all_play(rounds: Sequence[Round]) -> None:
    """Wait until a move has been made at every table since the call."""
    since = monotonic()
    async with asyncio.timeout(2 * _PATIENCE):
        while any(each.gone or each.moved < since for each in rounds):  # noqa: ASYNC110
            await asyncio.sleep(_AGAIN)


async def _all_return(rounds: Sequence[Round], returns: list[float], port: int | None) -> None:
    """Note how long it takes until there has been a move at every table; hang up at a port."""
    begun = monotonic()
    if port is not None:
        for each in rounds:
            each.leave(port)
    async with asyncio.timeout(2 * _PATIENCE):
        while any(each.moved <= begun for each in rounds):  # noqa: ASYNC110
            await asyncio.sleep(_AGAIN)
    returns.append(monotonic() - begun)


# -- an evening around them ----------------------------------------------------------------------------------


class Others:
    """People of an evening who do not play, and continue whatever happens."""

    def __init__(self, ports: list[int], people: int, seed: int) -> None:
        self._ports = ports
        self._plan = Plan(people, levels=("easy", "medium"), seed=seed)
        self._company = Company(self._plan, ports[0])

    @property
    def keys(self) -> int:
        """The number of keys that were answered."""
        return len(self._company.seen.keys)

    @property
    def tables(self) -> list[str]:
        """The tables of bots."""
        return [each.table for each in self._company.rounds if each.has_begun]

    def work(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Return the activities of each of them."""
        company = self._company
        for person in (*company.talkers, *company.others):
            yield self._again(partial(self._sit, person))
        for person in company.visitors:
            dice = company.dice(person.name)
            yield self._again(partial(self._visit, person, dice))
        for each in company.rounds:
            if each.is_watched:
                yield self._again(partial(self._watch, each))

    async def _again(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            with suppress(*_LOST, RuntimeError):  # there may be neither picture nor answer
                await work()
            await asyncio.sleep(_AGAIN)

    async def _visit(self, person: Person, dice: random.Random) -> None:
        await visit(person, random.choice(self._ports), self._plan, dice, self._company.seen)

    async def _sit(self, person: Person) -> None:
        """Be in the lobby."""
        await person.come(random.choice(self._ports))
        await person.look(None, self._plan.size)
        await self._press(person)

    async def _watch(self, table: EveningTable) -> None:
        """Open a table of bots, which continue by themselves, and watch."""
        (person,) = table.people
        await person.come(random.choice(self._ports))
        if not table.has_begun:  # a table whose setup was interrupted stays empty
            await table.sit()
            await table.begin()
        await table.look(person, self._plan.size)
        await self._press(person)

    async def _press(self, person: Person) -> None:
        company = self._company
        keys, dice = company.keys_of(person), company.dice(person.name)
        await press(person, keys, self._plan.every, dice, company.seen)


async def check(file: Path, journals: list[Journal], tally: Tally) -> None:
    """Count moves that were acknowledged and are missing, and moves that were not sent for their ply."""
    for journal in journals:
        stored = (await record_from(file, journal.table)).moves
        tally.lost += sum(
            ply >= len(stored) or stored[ply] != line for ply, line in journal.acknowledged.items()
        )
        tally.doubled += sum(line not in journal.sent.get(ply, ()) for ply, line in enumerate(stored))


async def measure(
    folder: Path,
    victims: Sequence[str],
    tables: int = 4,
    workers: int = 2,
    *,
    at_once: bool = False,
    evening: int = 0,
    seed: int = 1,
    nodes: int = 0,
    databases: Postgres | Replicated | None = None,
) -> Tally:
    """Play, kill and check; at several nodes, which need a database, or at one server. Raises `WrongSeat`."""
    tally, store = Tally(), None if databases is None else databases.new_database()
    attacked: Attacked
    if nodes:
        assert store is not None
        attacked = TargetNodes(folder, nodes, store)
    else:
        attacked = Target(folder, workers, store)
    rounds = [Round(number, attacked.ports, tally) for number in range(tables)]
    others = Others(attacked.ports, evening, seed)
    people = [asyncio.create_task(work) for each in rounds for work in (each.play(), each.look())]
    people += [asyncio.create_task(work) for work in others.work()]
    try:
        killing = kill(attacked, databases, victims, rounds, tally, at_once=at_once)
        await _play_through(killing, people, rounds)
    finally:
        await asyncio.to_thread(attacked.stop)
    file = folder / sqlite.DATABASE
    if store is not None:
        await copy_store(store, str(file))
    await check(file, [journal for each in rounds for journal in each.journals], tally)
    for table in others.tables:  # raises an error if it cannot be replayed from its log
        await record_from(file, table)
    tally.keys = others.keys
    return tally


async def _play_through(
    kills: Coroutine[Any, Any, None], people: Sequence[asyncio.Task[None]], rounds: Sequence[Round]
) -> None:
    """Wait for the kills, and until everybody plays again."""
    killing = asyncio.create_task(kills)
    try:
        await asyncio.wait([killing, *people], return_when=asyncio.FIRST_COMPLETED)
        for task in people:
            if task.done():
                task.result()
        await killing
        await _all_play(rounds)
    finally:
        for task in (killing, *people):
            task.cancel()
        await asyncio.wait([killing, *people])


def main() -> None:
    """Parse arguments, play, kill and check, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--databases", type=int, default=0)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--evening", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is stopped
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    victims = [NODE] * arguments.kills
    if not arguments.nodes:
        victims = random.choices((HUB, WORKER), (_HUBS, 1 - _HUBS), k=arguments.kills)
    victims += [DATABASE] * arguments.databases
    random.shuffle(victims)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        databases: Postgres | Replicated | None = None
        if arguments.databases:
            databases = stack.enter_context(replicated_postgres())
        elif arguments.nodes:
            databases = stack.enter_context(running_postgres())
        work = measure(
            Path(folder), victims, arguments.tables, arguments.workers,
            at_once=arguments.at_once, evening=arguments.evening, seed=arguments.seed,
            nodes=arguments.nodes, databases=databases,
        )  # fmt: skip
        tally = asyncio.run(work)
    print(f"seed {arguments.seed}\n{tally.lines()}")  # noqa: T201


if __name__ == "__main__":
    main()
