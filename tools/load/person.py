"""People who play by ssh: their connection, their screen, and the time that a key takes to reach it."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import asyncssh

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    Delta,
    Goodbye,
    GoTo,
    Hello,
    Join,
    OpenTable,
    ServerMessage,
    Snapshot,
)
from kk_core.protocol.stream import LinkClosed
from kk_core.registry import game
from kk_core.text import text
from kk_core.tree import patch
from kk_core.types import Tree
from tests.server.client import Client
from tests.server.remote import RemoteLink, dial, key_of
from tests.terminal import KK

PATIENCE: Final = 30.0
"""Seconds after which a key counts as lost."""

AT_ONCE: Final = 20
"""Number of concurrent logins."""

_ARRIVAL: Final = 200.0
"""Seconds for which somebody waits at most for their first picture."""

_A_PICTURE: Final = 800
"""Minimum number of bytes of a first picture."""


class Program(Client):
    """A client program that is one of many, and keeps no more than it is asked for.

    Deltas are applied only when somebody reads the tree, since most are never looked at.
    """

    def __init__(self, link: RemoteLink) -> None:
        self._patches: list[Delta] = []
        super().__init__(link)

    async def _follow(self) -> None:
        while True:
            try:
                message = await self.link.receive()
            except LinkClosed:
                message = Goodbye(self.goodbye or text("closed"))
            async with self._changed:
                self._take(message)
                self._changed.notify_all()
            if isinstance(message, Goodbye):
                return

    def _take(self, message: ServerMessage) -> None:
        if isinstance(message, Delta):
            self._patches.append(message)
        elif isinstance(message, Snapshot):
            self._patches.clear()
            self.trees = [(message.revision, message.tree)]
        else:
            super()._take(message)
            self.sent.clear()

    @property
    def tree(self) -> Tree:
        """The newest copy of the place."""
        for each in self._patches:
            self.trees = [(each.revision, patch(self.trees[0][1], each.patch))]
        self._patches.clear()
        return self.trees[0][1]


class Terminal(asyncssh.SSHClientSession[bytes]):
    """A terminal that only counts the bytes sent to it."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self.is_lost = False
        """True once the other side has closed it."""

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        self._take(data)

    def connection_lost(self, _error: Exception | None) -> None:
        self.is_lost = True
        self._take(b"")


class Person:
    """One connection: at first a client program that takes a seat, then a terminal."""

    def __init__(self, number: int, address: str | None = None) -> None:
        """Take a name by number, and an address of one's own if none is given."""
        self.name = f"p{number:04}"
        # All of 127/8 is loopback, and a server's limits count per address.
        self.address = address or f"127.{1 + number // 250}.{1 + number % 250}.1"
        self.received = 0
        self._looking_since = 0
        self._first = b""
        self._port = 0
        self._connection: asyncssh.SSHClientConnection
        self._program: Any = None
        self._channel: asyncssh.SSHClientChannel[bytes]
        self._terminal = Terminal(self._take)
        self._seen = asyncio.Event()
        self._expected: tuple[float, list[float]] | None = None

    async def come(self, port: int) -> None:
        """Log in."""
        self._port = port
        self._connection = await dial(port, self.name, address=self.address)

    async def client(self) -> Program:
        """Start a client program over the same connection."""
        self._program = await self._connection.create_process(subsystem="kk-sync", encoding=None)
        client = Program(RemoteLink(self._connection, self._program))
        await client.ask(Hello, PROTOCOL_VERSION)
        return client

    async def end_program(self) -> None:
        """Have the client program leave; the connection stays open."""
        self._program.close()
        await self._program.wait_closed()

    async def look(self, code: str | None, size: tuple[int, int]) -> None:
        """Open a terminal, in the lobby or at the table with a code, and wait for its first picture."""
        command = None if code is None else f"join {code}"
        self._look_on()
        self._terminal = terminal = Terminal(self._take)
        self._channel, _ = await self._connection.create_session(
            lambda: terminal, command or (), encoding=None, term_type="xterm-256color", term_size=size
        )
        await self._first_picture()

    def _look_on(self) -> None:
        """Prepare for the first picture."""
        self._looking_since, self._first = self.received, b""

    async def _first_picture(self) -> None:
        try:
            async with asyncio.timeout(_ARRIVAL):
                while self.received < self._looking_since + _A_PICTURE and not self._terminal.is_lost:
                    self._seen.clear()
                    await self._seen.wait()
        except TimeoutError:
            raise RuntimeError(f"{self.name} sees no picture, only {self._first!r}") from None
        self._check_here()

    def _check_here(self) -> None:
        """Raise `EOFError` if the other side has closed the terminal."""
        if self._terminal.is_lost:
            raise EOFError(f"{self.name} was left alone: {self._first!r}")

    def _take(self, data: bytes) -> None:
        self.received += len(data)
        if len(self._first) < _A_PICTURE:
            self._first = (self._first + data)[:_A_PICTURE]
        if self._expected is not None:
            begun, times = self._expected
            times.append(perf_counter() - begun)
            self._expected = None
        self._seen.set()

    def expect(self, times: list[float]) -> None:
        """Record the seconds from now to the next bytes on the screen, unless some are expected already."""
        if self._expected is None:
            self._expected = perf_counter(), times

    def _type(self, keys: bytes) -> None:
        self._channel.write(keys)

    async def press(self, key: str) -> float:
        """Return the seconds from a key to the next bytes on the screen. Raises `EOFError` if it is gone."""
        self._check_here()
        self._seen.clear()
        begun = perf_counter()
        self._type(key.encode())
        try:
            async with asyncio.timeout(PATIENCE):
                await self._seen.wait()  # for any bytes: unrelated updates count as the answer
        except TimeoutError:
            return PATIENCE
        self._check_here()
        return perf_counter() - begun

    async def go(self) -> None:
        """Hang up."""
        self._connection.close()
        await self._connection.wait_closed()


class Apart(Person):
    """A person whose app is a process of its own, `kk connect`, as if every login started one."""

    def __init__(self, number: int, home: Path) -> None:
        super().__init__(number)
        self._home = home / self.name
        self._process: subprocess.Popen[bytes] | None = None
        self._end = -1

    @property
    def pid(self) -> int:
        """The process id of the app."""
        assert self._process is not None, "it has been started"
        return self._process.pid

    async def look(self, code: str | None, size: tuple[int, int]) -> None:
        self._look_on()
        await self._know_the_server()
        self._start([] if code is None else ["--join", code], size)
        asyncio.get_running_loop().add_reader(self._end, self._pull)
        await self._first_picture()

    async def _know_the_server(self) -> None:
        """Store the server's key, since a first visit begins with another screen."""
        key = await asyncssh.get_server_host_key("127.0.0.1", self._port)
        assert key is not None, "it has one"
        known = self._home / "kk" / "known_hosts"
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(f"[127.0.0.1]:{self._port} {key.export_public_key().decode().strip()}\n")

    def _start(self, words: Sequence[str], size: tuple[int, int]) -> None:
        keys = self._home / ".ssh"
        keys.mkdir(parents=True)
        key_of(self.name).write_private_key(keys / "id_ed25519")
        (keys / "id_ed25519").chmod(0o600)
        environment = os.environ | {
            "HOME": str(self._home), "XDG_DATA_HOME": str(self._home), "XDG_CONFIG_HOME": str(self._home),
            "TERM": "xterm-256color", "SSH_AUTH_SOCK": "",  # no agent: its keys would be offered as well
        }  # fmt: skip
        host = f"{self.name}@127.0.0.1:{self._port}"
        self._end, theirs = pty.openpty()
        columns, rows = size
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._process = subprocess.Popen(
            [*KK, "connect", host, *words], env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def _pull(self) -> None:
        try:
            self._take(os.read(self._end, 65536))
        except OSError:  # the app has ended
            asyncio.get_running_loop().remove_reader(self._end)

    def _type(self, keys: bytes) -> None:
        os.write(self._end, keys)

    async def go(self) -> None:
        if self._process is not None:
            asyncio.get_running_loop().remove_reader(self._end)
            self._process.kill()
            self._process.wait()
            os.close(self._end)
        await super().go()


async def in_turns(work: Iterable[Awaitable[None]]) -> None:
    """Wait for all of it, with a limit on how much runs concurrently."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(each: Awaitable[None]) -> None:
        async with gate:
            await each

    await asyncio.gather(*(one(each) for each in work))


async def seat(people: Sequence[Person], game_id: str, *, stays: bool = False) -> str:
    """Seat people at a new table by programs, begin the match, and return the table's code.

    Then the programs leave, or stay in the lobby.
    """
    clients = [await person.client() for person in people]
    first = clients[0]
    await first.do(OpenTable, game_id, {}, len(people), "", False, True)
    code = first.table.code
    assert code is not None, "it is by invitation"
    for number, client in enumerate(clients):
        if number:
            await client.do(Join, code)
        await client.sit(number)
    await first.start()
    for person, client in zip(people, clients, strict=True):
        await (client.do(GoTo, None) if stays else person.end_program())
    return code


def tables_of(people: Sequence[Person], game_id: str) -> list[Sequence[Person]]:
    """Divide people into groups of a size that the game allows."""
    meta = game(game_id).meta
    per_table = min(4, meta.max_seats)
    groups = [people[first : first + per_table] for first in range(0, len(people), per_table)]
    return [group for group in groups if len(group) >= meta.min_seats]
