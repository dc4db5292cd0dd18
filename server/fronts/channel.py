"""The way between the hub and a front process: messages over one socket, file descriptors over another."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

import msgspec

from kk_core.wire.frames import frame
from kk_core.wire.link import LinkClosed
from kk_core.wire.stream import CLOSED
from server.fronts.messages import Handed

Out = TypeVar("Out")
In = TypeVar("In")

_LENGTH: Final = 4

_RECORD: Final = 512
"""Bytes that go along with a file descriptor, always as many: so none is taken for that of another."""

_AT_ONCE: Final = 32

_STREAM_LIMIT: Final = 32 * 1024
"""Bytes of a stream that wait to be read, twice over, before the other side has to wait."""


async def open_stream(end: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Reader and writer of one end of a socket pair."""
    loop = asyncio.get_running_loop()
    end.setblocking(False)
    reader = asyncio.StreamReader(_STREAM_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(lambda: protocol, end)
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


class Channel(Generic[Out, In]):
    """Messages to the other process and from it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shape: Any) -> None:
        """`shape` is what comes from there."""
        self._reader = reader
        self._writer = writer
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[In] = msgspec.msgpack.Decoder(shape)

    def tell(self, message: Out) -> None:
        """Send a message, if the other process is there."""
        if not self._writer.is_closing():
            self._writer.write(frame(self._encoder.encode(message)))

    async def receive(self) -> In:
        """The next message. Raises `LinkClosed` when the other process is gone."""
        try:
            head = await self._reader.readexactly(_LENGTH)
            return self._decoder.decode(await self._reader.readexactly(int.from_bytes(head, "big")))
        except (asyncio.IncompleteReadError, OSError):
            raise LinkClosed(CLOSED) from None

    def close(self) -> None:
        """Say nothing more."""
        self._writer.close()


class Hatch:
    """Hands file descriptors to the other process and takes some from it."""

    def __init__(self, end: socket.socket, taken: Callable[[Handed, socket.socket | None], None]) -> None:
        """`taken` is given what belongs to a descriptor, and the socket; None where that is lost."""
        end.setblocking(False)
        self._end = end
        self._taken = taken
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[Handed] = msgspec.json.Decoder(Handed)
        asyncio.get_running_loop().add_reader(end, self._take)

    def hand(self, what: Handed, given: socket.socket) -> bool:
        """Hand a socket over, which is closed here then; False where that is not possible now."""
        record = self._encoder.encode(what).ljust(_RECORD)
        try:
            socket.send_fds(self._end, [record], [given.fileno()])
        except OSError:
            return False
        given.close()
        return True

    def close(self) -> None:
        """Take and hand nothing more."""
        asyncio.get_running_loop().remove_reader(self._end)
        self._end.close()

    def _take(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                record, descriptors, _, _ = socket.recv_fds(self._end, _RECORD, 1)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                record = b""
            if not record:  # the other process is gone, which is noticed elsewhere
                asyncio.get_running_loop().remove_reader(self._end)
                return
            given = socket.socket(fileno=descriptors[0]) if descriptors else None
            self._taken(self._decoder.decode(record), given)


def close_all(*ends: socket.socket) -> None:
    """Close sockets."""
    for end in ends:
        with suppress(OSError):
            end.close()
