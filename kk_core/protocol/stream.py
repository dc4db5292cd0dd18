"""Links between a client and a hub, and one over any byte stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from kk_core.errors import KkError
from kk_core.protocol.frames import FrameReader, encode_message, frame
from kk_core.protocol.messages import ClientMessage, ServerMessage
from kk_core.text import Text, text
from kk_core.tree import BadFrame

Sent = TypeVar("Sent", contravariant=True)
Received = TypeVar("Received", covariant=True)


class LinkClosed(KkError):
    """The other side is gone, or this side has closed the link; nothing more can be sent or received."""


class Link(Protocol[Sent, Received]):
    """One end of a connection: whole, checked messages both ways."""

    async def send(self, message: Sent) -> None:
        """Send a message; waits while the other side is slow. Raises `LinkClosed`."""
        ...

    async def receive(self) -> Received:
        """Return the next message; messages sent before a close still arrive. Raises `LinkClosed`."""
        ...

    async def close(self) -> None:
        """End the connection for both sides; may be called more than once."""
        ...


ClientLink: TypeAlias = Link[ClientMessage, ServerMessage]
"""A client's end of a link."""


class ServerLink(Link[ServerMessage, ClientMessage], Protocol):
    """The hub's end of a link."""

    def offer(self, message: ServerMessage) -> bool:
        """Send a message if that needs no waiting; return whether it was sent. Raises `LinkClosed`."""
        ...


Out = TypeVar("Out", bound=Struct)
In = TypeVar("In")

# bytes read in one go; small, so that other links get their turn
_CHUNK: Final = 16 * 1024

CLOSED: Final = text("The connection is closed.")


class Reader(Protocol):
    """A source of bytes."""

    async def read(self, n: int, /) -> bytes:
        """Read at most `n` bytes; b"" at the end."""
        ...


class Writer(Protocol):
    """A sink of bytes."""

    def write(self, data: bytes, /) -> None:
        """Queue bytes."""
        ...

    def drain(self) -> Coroutine[Any, Any, None]:
        """Wait until there is room for more; return at once if there is."""
        ...

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        ...

    def close(self) -> None:
        """Close the stream; what is queued is still sent."""
        ...


class StreamLink(Generic[Out, In]):
    """One end of a link: frames of the protocol over a byte stream."""

    def __init__(
        self,
        reader: Reader,
        writer: Writer,
        decode: Callable[[bytes], In],
        longest: int,
        *,
        gone: Text = CLOSED,
        faults: tuple[type[Exception], ...] = (OSError,),
    ) -> None:
        """Wrap a stream with messages of at most `longest` bytes.

        The stream's `faults` become `LinkClosed` with the reason `gone`.
        """
        self._reader = reader
        self._writer = writer
        self._decode = decode
        self._frames = FrameReader(longest)
        self._ready: deque[In] = deque()
        self._bad: BadFrame | None = None
        self._gone = gone
        self._faults = faults

    async def send(self, message: Out) -> None:
        """Send a message; waits while the other side does not read. Raises `LinkClosed`."""
        try:
            # draining first bounds the queue: one message beyond the stream's own limit
            await self._writer.drain()
            if self._writer.is_closing():
                raise LinkClosed(self._gone)
            self._writer.write(frame(encode_message(message)))
        except self._faults:
            raise LinkClosed(self._gone) from None

    def offer(self, message: Out) -> bool:
        """Send a message if there is room for it; return whether it was sent. Raises `LinkClosed`."""
        try:
            if self._writer.is_closing():
                raise LinkClosed(self._gone)
            draining = self._writer.drain()
            try:
                # one step of the coroutine: it finishes if there is room, and would wait otherwise
                draining.send(None)
            except StopIteration:
                self._writer.write(frame(encode_message(message)))
                return True
            draining.close()
        except self._faults:
            raise LinkClosed(self._gone) from None
        return False

    async def receive(self) -> In:
        """Return the next message. Raises `LinkClosed`, or `BadFrame` for invalid bytes."""
        while not self._ready:
            if self._bad is not None:
                raise self._bad
            self._take(await self._read())
        return self._ready.popleft()

    def put_back(self, *messages: In) -> None:
        """Make `receive` return these messages again, in this order, before any other."""
        self._ready.extendleft(reversed(messages))

    async def close(self) -> None:
        """End the link."""
        self._writer.close()

    def _take(self, data: bytes) -> None:
        try:
            for packed in self._frames.feed(data):
                self._ready.append(self._decode(packed))
        except BadFrame as error:
            # raised only after the good messages before it have been received
            self._bad = error

    async def _read(self) -> bytes:
        try:
            data = await self._reader.read(_CHUNK)
        except self._faults:
            data = b""
        if not data:
            raise LinkClosed(self._gone)
        return data
