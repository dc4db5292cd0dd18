"""A link inside one process: for hot-seat play and for the apps that the server runs for ssh users."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Generic, TypeVar

from kk_core.text import text
from kk_core.wire.link import ClientLink, LinkClosed, ServerLink
from kk_core.wire.messages import ClientMessage, ServerMessage

T = TypeVar("T")
Out = TypeVar("Out")
In = TypeVar("In")

_SIZE: Final = 64
"""How many messages may wait in one direction before the sender waits too."""


class _Queue(Generic[T]):
    """One direction of a link."""

    def __init__(self) -> None:
        self._waiting: deque[T] = deque()
        self._closed = False
        self._wanted: list[asyncio.Future[None]] = []
        """Those who wait for a change."""

    async def put(self, message: T) -> None:
        while not self.offer(message):
            await self._change()

    def offer(self, message: T) -> bool:
        """Put it if there is room for it; whether it was put."""
        if self._closed:
            raise _closed()
        if len(self._waiting) >= _SIZE:
            return False
        self._waiting.append(message)
        self._changed()
        return True

    async def get(self) -> T:
        while not self._waiting:
            if self._closed:
                raise _closed()
            await self._change()
        message = self._waiting.popleft()
        self._changed()
        return message

    def close(self) -> None:
        self._closed = True
        self._changed()

    async def _change(self) -> None:
        """Wait until a message has come or gone, or the link is closed."""
        self._wanted.append(change := asyncio.get_running_loop().create_future())
        await change

    def _changed(self) -> None:
        for change in self._wanted:
            if not change.done():
                change.set_result(None)
        self._wanted.clear()


class _End(Generic[Out, In]):
    """One end: a queue each way."""

    def __init__(self, outgoing: _Queue[Out], incoming: _Queue[In]) -> None:
        self._outgoing = outgoing
        self._incoming = incoming

    async def send(self, message: Out) -> None:
        await self._outgoing.put(message)

    def offer(self, message: Out) -> bool:
        return self._outgoing.offer(message)

    async def receive(self) -> In:
        return await self._incoming.get()

    async def close(self) -> None:
        self._outgoing.close()
        self._incoming.close()


def pipe() -> tuple[ClientLink, ServerLink]:
    """The two ends of a new link: the client's and the hub's."""
    up: _Queue[ClientMessage] = _Queue()
    down: _Queue[ServerMessage] = _Queue()
    return _End(up, down), _End(down, up)


def _closed() -> LinkClosed:
    return LinkClosed(text("The connection is closed."))
