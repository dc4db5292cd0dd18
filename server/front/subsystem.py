"""The subsystem `kk-sync`: messages of the protocol over an SSH channel."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.wire.frames import (
    BadFrame,
    FrameReader,
    decode_client_message,
    encode_message,
    frame,
)
from kk_core.wire.link import LinkClosed
from kk_core.wire.messages import ClientMessage, Goodbye, Hello, ServerMessage
from server.counts import counts
from server.front.limits import ServerLimits
from server.front.writer import ChannelWriter
from server.hub.hub import Hub, News
from server.hub.requests import check_version

SUBSYSTEM: Final = "kk-sync"

_GREETING_TIME: Final = 10.0
"""Seconds in which a client has to say hello."""

_WAITING: Final = 64
"""Messages that may wait to be looked at before reading stops for a moment."""

_BREATH: Final = 0.1


class SentAway(KkError):
    """The server wants a client to leave, and says why."""


class SubsystemLink:
    """The hub's end of a link over a channel."""

    def __init__(self, writer: ChannelWriter, frame_bytes: int) -> None:
        self._writer = writer
        self._reader = FrameReader(frame_bytes)
        self._waiting: deque[ClientMessage] = deque()
        self._bad: KkError | None = None
        self._arrived = asyncio.Event()

    def feed(self, data: bytes) -> None:
        """Take bytes of the client."""
        if self._bad is not None:
            return
        try:
            for packed in self._reader.feed(data):
                self._waiting.append(decode_client_message(packed))
        except BadFrame as error:
            self._bad = error
        if len(self._waiting) > _WAITING:
            self._writer.stop_reading(_BREATH)
        self._arrived.set()

    def end(self, reason: Text) -> None:
        """Take nothing more from the client, who is told why."""
        self._bad = SentAway(reason)
        self._waiting.clear()
        self._arrived.set()

    def put_back(self, message: ClientMessage) -> None:
        """Have a message received once more."""
        self._waiting.appendleft(message)
        self._arrived.set()

    async def send(self, message: ServerMessage) -> None:
        """Send a message; waits while the client does not read. Raises `LinkClosed`."""
        await self._writer.drain()
        self._check_open()
        data = frame(encode_message(message))
        counts.delta_bytes += len(data)
        self._writer.write(data)

    async def receive(self) -> ClientMessage:
        """The next message. Raises `LinkClosed`, `BadFrame` for what is no message, or `SentAway`."""
        while not self._waiting:
            if self._bad is not None:
                raise self._bad
            self._check_open()
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()

    async def close(self) -> None:
        """End the link."""
        self._writer.close()
        self._arrived.set()

    def _check_open(self) -> None:
        if self._writer.is_closed:
            raise LinkClosed(text("The connection is closed."))


class SubsystemHandler:
    """A client program on the subsystem: says hello first, and is then served by the hub."""

    def __init__(
        self, hub: Hub, user: str, network: str, news: News, writer: ChannelWriter, limits: ServerLimits
    ) -> None:
        self._hub = hub
        self._network = network
        self._user = user
        self._news = news
        self._link = SubsystemLink(writer, limits.frame_bytes)
        self.feed = self._link.feed
        self.end = self._link.end

    async def run(self) -> int:
        """Serve until the link ends; gives the exit status."""
        try:
            async with asyncio.timeout(_GREETING_TIME):
                first = await self._link.receive()
            _check_greeting(first)
        except LinkClosed:
            return 0
        except (KkError, TimeoutError) as error:
            reason = error.reason if isinstance(error, KkError) else text("Nobody has said hello.")
            await self._link.send(Goodbye(reason))
            return 1
        self._link.put_back(first)
        await self._hub.serve(self._user, self._link, self._news, self._network)
        return 0

    def resize(self, width: int, height: int) -> None:
        """Programs have no window."""

    async def leave(self) -> None:
        """The connection is lost."""
        await self._link.close()


def _check_greeting(message: ClientMessage) -> None:
    if not isinstance(message, Hello):
        raise BadFrame(text("The first message has to be a hello."))
    check_version(message)
