"""The subsystem `kk-sync`: messages of the protocol over an SSH channel."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from kk_core.text import Text
from server.counts import counts
from server.front.reception import Visit
from server.front.writer import ChannelWriter

SUBSYSTEM: Final = "kk-sync"

_WAITING: Final = 8 * 1024
"""Bytes that may wait to be looked at, twice over, before no more are read."""


class _Counting:
    """Writes to a channel, and counts what."""

    def __init__(self, writer: ChannelWriter) -> None:
        self._writer = writer
        self.drain = writer.drain
        self.is_closing = writer.is_closing
        self.close = writer.close

    def write(self, data: bytes) -> None:
        counts.delta_bytes += len(data)
        self._writer.write(data)


class SubsystemHandler:
    """A client program on the subsystem, which is served by the house."""

    def __init__(self, visit: Visit, writer: ChannelWriter) -> None:
        self._visit = visit
        self._writer = writer
        self._reader = asyncio.StreamReader(_WAITING)
        channel: Any = writer.channel  # it stops and goes on reading like a transport
        self._reader.set_transport(channel)
        self._is_over = False

    async def run(self) -> int:
        """Serve until the link ends; gives the exit status."""
        return await self._visit.serve(self._reader, _Counting(self._writer))

    def feed(self, data: bytes) -> None:
        """Take bytes of the client."""
        if not self._is_over:
            self._reader.feed_data(data)

    def resize(self, width: int, height: int) -> None:
        """Programs have no window."""

    async def leave(self) -> None:
        """The connection is lost."""
        self._is_over = True
        self._reader.feed_eof()

    def end(self, reason: Text) -> None:
        """The session is to end."""
        self._visit.send_away(reason)
