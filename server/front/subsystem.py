"""Subsystems over an SSH channel: bytes for the house and from it."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from kk_core.text import Text
from kk_core.wire.frames import encode_message, frame
from kk_core.wire.messages import Notice
from server.counts import counts
from server.front.reception import SUBSYSTEM, Visit
from server.front.writer import ChannelWriter

_WAITING: Final = 8 * 1024
"""Bytes that may wait to be looked at, twice over, before no more are read."""


class _Counting:
    """Writes to a channel, and counts what a client program is sent."""

    def __init__(self, writer: ChannelWriter) -> None:
        self._writer = writer
        self.drain = writer.drain
        self.is_closing = writer.is_closing
        self.close = writer.close

    def write(self, data: bytes) -> None:
        counts.delta_bytes += len(data)
        self._writer.write(data)


class SubsystemHandler:
    """A client of a subsystem, who is served by the house."""

    def __init__(self, subsystem: str, visit: Visit, writer: ChannelWriter) -> None:
        self._subsystem = subsystem
        self._visit = visit
        self._writer = writer
        self._reader = asyncio.StreamReader(_WAITING)
        channel: Any = writer.channel  # it stops and goes on reading like a transport
        self._reader.set_transport(channel)
        self._is_over = False

    async def run(self) -> int:
        """Serve until the client leaves; gives the exit status. Raises `KkError`."""
        writer = _Counting(self._writer) if self._subsystem == SUBSYSTEM else self._writer
        return await self._visit.serve(self._subsystem, self._reader, writer)

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

    def tell(self, sentence: Text) -> None:
        """A notice between two frames, for clients of the protocol."""
        if self._subsystem == SUBSYSTEM and not self._writer.is_closed:
            self._writer.write(frame(encode_message(Notice(sentence))))

    def end(self, reason: Text) -> None:
        """The session is to end."""
        self._visit.send_away(reason)
