"""The channel between the hub and a worker: messages over one socket, file descriptors over another.

Commands are named in the imperative, events by what has happened. A `_Request` gets an answer with the same
number.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from kk_core.protocol.frames import frame
from kk_core.protocol.stream import CLOSED, LinkClosed
from kk_core.text import Text
from kk_server.counts import Counts
from kk_server.gateway import Admission, CommandRequest, SessionRequest
from kk_server.limits import FrontendSettings


# as arrays, so that field names are not sent; tagged by class name
class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    pass


class _Request(_Message, frozen=True):
    """A message with a number, answered by one with the same number; or that answer."""

    number: int


# -- from the hub --------------------------------------------------------------------------------------------


class Configure(_Message, frozen=True):
    """The first message: the worker's number, the server's private key, and the settings.

    Both sides send a heartbeat every `look` seconds.
    """

    worker: int
    key: bytes
    settings: FrontendSettings
    has_log: bool
    look: float


class HubHeartbeat(_Message, frozen=True):
    """The hub is alive; sent periodically."""


class UseSettings(_Message, frozen=True):
    """New settings."""

    settings: FrontendSettings


class KeyChecked(_Request, frozen=True):
    """The answer to `CheckKey`: why a key is not accepted, or None."""

    reason: Text | None


class SessionAdmitted(_Request, frozen=True):
    """The answer to `AdmitSession`."""

    admitted: Admission


class PersonCounted(_Request, frozen=True):
    """The answer to `CountPerson`: they count as the connection with this number."""

    connection: int


class LanguageFound(_Request, frozen=True):
    """The answer to `FindLanguage`."""

    language: str | None


class RequestDone(_Request, frozen=True):
    """The answer to all other requests: done, with an exit status if that applies."""

    status: int = 0


class RequestRefused(_Request, frozen=True):
    """The answer to a request that is refused."""

    reason: Text


class EndSession(_Message, frozen=True):
    """End a session."""

    session: str
    reason: Text


class Shutdown(_Message, frozen=True):
    """Disconnect everybody and end the process."""

    reason: Text


Answer: TypeAlias = (
    KeyChecked | PersonCounted | SessionAdmitted | LanguageFound | RequestDone | RequestRefused
)
FromHub: TypeAlias = Configure | HubHeartbeat | UseSettings | Answer | EndSession | Shutdown


# -- from a worker -------------------------------------------------------------------------------------------


class WorkerReady(_Message, frozen=True):
    """The worker accepts connections."""


class ConnectionAuthenticated(_Message, frozen=True):
    """The user of a connection has logged in, with the name they gave."""

    connection: int
    name: str


class ConnectionClosed(_Message, frozen=True):
    """A connection has ended."""

    connection: int


class ClientIdentity(msgspec.Struct, frozen=True, array_like=True):
    """A client before login; `key` is the public key it has proved to own, `origin` that of its page."""

    address: str
    name: str
    key: bytes | None
    refusal: Text | None
    origin: str


class CheckKey(_Request, frozen=True):
    """Ask whether a public key is accepted."""

    caller: ClientIdentity
    key: bytes


class CountPerson(_Request, frozen=True):
    """Ask whether there is room for somebody who comes through a proxy, and count them."""

    address: str


class SessionOpened(_Message, frozen=True):
    """A session has begun."""

    session: str
    caller: ClientIdentity


class AdmitSession(_Request, frozen=True):
    """Log a session in."""

    session: str
    request: SessionRequest


class ServeApp(_Request, frozen=True):
    """Serve an app over the stream with this number."""

    session: str


class ServeSubsystem(_Request, frozen=True):
    """Serve a client of a subsystem over the stream with this number."""

    session: str
    subsystem: str


class RunCommand(_Request, frozen=True):
    """Run a command; its output goes to the stream with this number."""

    session: str
    command: CommandRequest


class FindLanguage(_Request, frozen=True):
    """Ask for the language that somebody has chosen for their account."""

    session: str


class KeepSettings(_Request, frozen=True):
    """Store what differs between settings and those before."""

    session: str
    settings: str
    before: str | None


class StopServing(_Message, frozen=True):
    """End anything served in a session."""

    session: str
    reason: Text


class SessionClosed(_Message, frozen=True):
    """A session has ended."""

    session: str


class WorkerHeartbeat(_Message, frozen=True):
    """The worker's counters since it started; sent periodically, to show that it is alive."""

    counts: Counts


Request: TypeAlias = (
    CheckKey | AdmitSession | ServeApp | ServeSubsystem | RunCommand | FindLanguage | KeepSettings
)
FromWorker: TypeAlias = (
    WorkerReady
    | ConnectionAuthenticated
    | ConnectionClosed
    | CountPerson
    | SessionOpened
    | Request
    | StopServing
    | SessionClosed
    | WorkerHeartbeat
)


# -- sent with a file descriptor -----------------------------------------------------------------------------


class PassedConnection(_Message, frozen=True):
    """A client's connection, its number, the reason if there is no room for it, and what is spoken on it."""

    number: int
    address: str
    refusal: str | None
    is_page: bool


class PassedStream(_Message, frozen=True):
    """A stream for the request with this number."""

    number: int


Handed: TypeAlias = PassedConnection | PassedStream


Out = TypeVar("Out")
In = TypeVar("In")

_LENGTH: Final = 4  # bytes before each message

_RECORD: Final = 512
"""Bytes sent along with a file descriptor: a fixed size, so that records and descriptors match up."""

_AT_ONCE: Final = 32  # descriptors taken in one round of the loop

_STREAM_LIMIT: Final = 32 * 1024
"""Half the bytes of a stream that may be buffered before the sender has to wait."""


async def open_stream(end: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return the reader and writer for one end of a socket pair."""
    loop = asyncio.get_running_loop()
    end.setblocking(False)
    reader = asyncio.StreamReader(_STREAM_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(lambda: protocol, end)
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


class Channel(Generic[Out, In]):
    """Messages to and from the other process."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shape: Any) -> None:
        """Take a stream; `shape` is the type of the messages received."""
        self._reader = reader
        self._writer = writer
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[In] = msgspec.msgpack.Decoder(shape)

    def tell(self, message: Out) -> None:
        """Send a message, if the other process is still there."""
        if not self._writer.is_closing():
            self._writer.write(frame(self._encoder.encode(message)))

    async def receive(self) -> In:
        """Return the next message. Raises `LinkClosed` when the other process is gone."""
        try:
            head = await self._reader.readexactly(_LENGTH)
            return self._decoder.decode(await self._reader.readexactly(int.from_bytes(head, "big")))
        except (asyncio.IncompleteReadError, OSError):
            raise LinkClosed(CLOSED) from None

    def close(self) -> None:
        """Send nothing more."""
        self._writer.close()


class SocketPasser:
    """Passes file descriptors to and from the other process."""

    def __init__(self, end: socket.socket, taken: Callable[[Handed, socket.socket | None], None]) -> None:
        """Take a socket; `taken` is called with each record and its socket, or None if that was lost."""
        end.setblocking(False)
        self._end = end
        self._taken = taken
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[Handed] = msgspec.json.Decoder(Handed)
        asyncio.get_running_loop().add_reader(end, self._take)

    def hand(self, what: Handed, given: socket.socket) -> bool:
        """Pass a socket, and close it here; False if that is not possible now."""
        # padded with spaces, which JSON ignores
        record = self._encoder.encode(what).ljust(_RECORD)
        try:
            socket.send_fds(self._end, [record], [given.fileno()])
        except OSError:
            return False
        # the other process now has its own descriptor
        given.close()
        return True

    def close(self) -> None:
        """Pass nothing more."""
        asyncio.get_running_loop().remove_reader(self._end)
        self._end.close()

    def _take(self) -> None:
        # bounded, so that many connections at once do not hold up the loop
        for _ in range(_AT_ONCE):
            try:
                record, descriptors, _, _ = socket.recv_fds(self._end, _RECORD, 1)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                record = b""
            if not record:  # the other process is gone, which is handled elsewhere
                asyncio.get_running_loop().remove_reader(self._end)
                return
            given = socket.socket(fileno=descriptors[0]) if descriptors else None
            self._taken(self._decoder.decode(record), given)


def close_all(*ends: socket.socket) -> None:
    """Close sockets."""
    for end in ends:
        with suppress(OSError):
            end.close()
