"""Somebody who plays by ssh: his connection, his screen, and how long a key takes to reach it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import asyncssh

from kk_core.registry import game
from kk_core.wire.messages import PROTOCOL_VERSION, GoTo, Hello, Join, OpenTable
from tests.server.client import Client
from tests.server.remote import RemoteLink, dial

PATIENCE: Final = 30.0
"""Seconds after which a key counts as lost."""

_ARRIVAL: Final = 60.0
"""Seconds that somebody may wait for his first picture."""

_A_PICTURE: Final = 3000
"""Bytes that a first picture has at least."""


class Person:
    """One connection: at first a client program that takes a seat, then a terminal."""

    def __init__(self, number: int, address: str | None = None) -> None:
        """Without an address, everybody has one of his own."""
        self.name = f"p{number:04}"
        self._address = address or f"127.{1 + number // 250}.{1 + number % 250}.1"
        self.received = 0
        self._first = b""
        self._connection: asyncssh.SSHClientConnection
        self._terminal: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._seen = asyncio.Event()

    async def come(self, port: int) -> None:
        """Log in."""
        self._connection = await dial(port, self.name, address=self._address)

    async def client(self) -> Client:
        """A client program over the same connection."""
        process: Any = await self._connection.create_process(subsystem="kk-sync", encoding=None)
        client = Client(RemoteLink(self._connection, process))
        await client.ask(Hello, PROTOCOL_VERSION)
        return client

    async def look(self, code: str | None, size: tuple[int, int]) -> None:
        """Open a terminal, in the lobby or at the table of a code, and wait for its first picture."""
        command = None if code is None else f"join {code}"
        self._terminal = await self._connection.create_process(
            command, encoding=None, term_type="xterm-256color", term_size=size
        )
        self._reader = asyncio.create_task(self._read())
        try:
            async with asyncio.timeout(_ARRIVAL):
                while self.received < _A_PICTURE:
                    self._seen.clear()
                    await self._seen.wait()
        except TimeoutError:
            raise RuntimeError(f"{self.name} sees no picture, only {self._first!r}") from None

    async def _read(self) -> None:
        while data := await self._terminal.stdout.read(65536):
            self.received += len(data)
            self._first = (self._first + data)[:_A_PICTURE]
            self._seen.set()

    async def press(self, key: str) -> float:
        """Seconds from a key to the next thing on the screen."""
        self._seen.clear()
        begun = perf_counter()
        self._terminal.stdin.write(key.encode())
        try:
            async with asyncio.timeout(PATIENCE):
                await self._seen.wait()
        except TimeoutError:
            return PATIENCE
        return perf_counter() - begun

    async def go(self) -> None:
        """Hang up."""
        if self._reader is not None:
            self._reader.cancel()
        self._connection.close()
        await self._connection.wait_closed()


async def seat(people: Sequence[Person], game_id: str) -> str:
    """Let people sit down at a new table, and begin; gives its code."""
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
    for client in clients:
        await client.do(GoTo, None)
    return code


def tables_of(people: Sequence[Person], game_id: str) -> list[Sequence[Person]]:
    """People in groups that a game allows."""
    meta = game(game_id).meta
    per_table = min(4, meta.max_seats)
    groups = [people[first : first + per_table] for first in range(0, len(people), per_table)]
    return [group for group in groups if len(group) >= meta.min_seats]
