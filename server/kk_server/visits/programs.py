"""A client program, or an app in another process, as served by the hub."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from kk_core.errors import KkError
from kk_core.protocol.frames import decode_client_message
from kk_core.protocol.messages import ClientMessage, Goodbye, Hello, ServerMessage
from kk_core.protocol.stream import LinkClosed, StreamLink, Writer
from kk_core.text import Text, text
from kk_core.tree import BadFrame
from kk_server.hub.requests import check_version

_GREETING_TIME: Final = 10.0
"""Seconds that a client has to say hello."""


class SentAway(KkError):
    """The server disconnects a client; the sentence says why."""


class ProgramLink(StreamLink[ServerMessage, ClientMessage]):
    """The hub's end of a link over a stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: Writer, longest: int) -> None:
        """Open the link; `longest` is the largest size of a client's message in bytes."""
        super().__init__(reader, writer, decode_client_message, longest)
        self._stream = reader

    def end(self, reason: Text) -> None:
        """Take nothing more from the client, and tell it the reason."""
        self._ready.clear()
        self._stream.set_exception(SentAway(reason))

    async def close(self) -> None:
        """Close the link."""
        await super().close()
        # wakes any pending read
        self._stream.set_exception(LinkClosed(text("The connection is closed.")))

    async def is_greeted(self) -> bool:
        """Wait for a hello, which can then be received again; say goodbye if there is no valid one."""
        try:
            async with asyncio.timeout(_GREETING_TIME):
                first = await self.receive()
            _check_greeting(first)
        except (KkError, TimeoutError) as error:
            reason = error.reason if isinstance(error, KkError) else text("No hello was received.")
            with suppress(LinkClosed):
                await self.send(Goodbye(reason))
            return False
        # the session answers it like any other request
        self.put_back(first)
        return True


def _check_greeting(message: ClientMessage) -> None:
    if not isinstance(message, Hello):
        raise BadFrame(text("The first message has to be a hello."))
    check_version(message)
