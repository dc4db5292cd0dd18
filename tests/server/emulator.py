"""A terminal emulator at the end of an SSH connection: what a player has before the eyes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pyte

from kk_server.serve.server import Server
from tests.server.remote import dial
from tests.waiting import patience, rest


class Emulator:
    """Draws what it is sent; `text` is the screen as lines."""

    def __init__(self, process: Any, size: tuple[int, int]) -> None:
        self._process = process
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Condition()
        self._is_closed = False
        self.received = bytearray()
        """All that it was sent."""

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def type(self, keys: str) -> None:
        self._process.stdin.write(keys.encode())

    async def follow(self) -> None:
        """Draw until the channel is closed."""
        while data := await self._process.stdout.read(65536):
            async with self._changed:
                self.received += data
                self._stream.feed(data)
                self._changed.notify_all()
        async with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    async def until(self, condition: Callable[[str], bool]) -> str:
        """Wait until something is true of the screen; gives the screen."""
        try:
            async with asyncio.timeout(patience()), self._changed:
                await self._changed.wait_for(lambda: self._is_closed or condition(self.text))
        except TimeoutError:
            raise AssertionError(f"never shown; the screen stayed:\n{self.text}") from None
        assert not self._is_closed, f"closed by the server; the last screen was:\n{self.text}"
        return self.text

    async def until_unlike(self, shown: str) -> None:
        """Wait until the screen is another than that one."""
        await self.until(lambda screen: screen != shown)

    async def settled(self) -> str:
        """Wait until app and server, which run in this process, have done and drawn all; gives the screen."""
        await rest()
        return self.text


@asynccontextmanager
async def emulator(
    server: Server, user: str, size: tuple[int, int] = (120, 40), language: str = "C.UTF-8"
) -> AsyncIterator[Emulator]:
    """The terminal of a user who has called `ssh`."""
    connection = await dial(server.port, user)
    process = await connection.create_process(
        encoding=None, term_type="xterm-256color", term_size=size, env={"LANG": language}
    )
    terminal = Emulator(process, size)
    following = asyncio.create_task(terminal.follow())
    try:
        yield terminal
    finally:
        connection.close()
        await connection.wait_closed()
        await following
