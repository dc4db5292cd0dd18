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
        self._changed = asyncio.Condition()

    async def put(self, message: T) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or len(self._waiting) < _SIZE)
            if self._closed:
                raise _closed()
            self._waiting.append(message)
            self._changed.notify_all()

    async def get(self) -> T:
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or bool(self._waiting))
            if not self._waiting:
                raise _closed()
            message = self._waiting.popleft()
            self._changed.notify_all()
            return message

    async def close(self) -> None:
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


class _End(Generic[Out, In]):
    """One end: a queue each way."""

    def __init__(self, outgoing: _Queue[Out], incoming: _Queue[In]) -> None:
        self._outgoing = outgoing
        self._incoming = incoming

    async def send(self, message: Out) -> None:
        await self._outgoing.put(message)

    async def receive(self) -> In:
        return await self._incoming.get()

    async def close(self) -> None:
        await self._outgoing.close()
        await self._incoming.close()


def pipe() -> tuple[ClientLink, ServerLink]:
    """The two ends of a new link: the client's and the hub's."""
    up: _Queue[ClientMessage] = _Queue()
    down: _Queue[ServerMessage] = _Queue()
    return _End(up, down), _End(down, up)


def _closed() -> LinkClosed:
    return LinkClosed(text("The connection is closed."))
