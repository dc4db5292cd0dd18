"""The way between the hub and a worker process: messages over one socket, file descriptors over another."""

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
from kk_server.limits import SshSettings


class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    pass


class _Request(_Message, frozen=True):
    """Has an answer of the same number."""

    number: int


# -- what the hub says ---------------------------------------------------------------------------------------


class Configure(_Message, frozen=True):
    """The first message: the number of the worker, the private key of the server, and what counts there.

    Each tells the other of itself every `look` seconds.
    """

    worker: int
    key: bytes
    settings: SshSettings
    has_log: bool
    look: float


class HubHeartbeat(_Message, frozen=True):
    """The hub is well; comes all the time."""


class UseSettings(_Message, frozen=True):
    """What counts from now on."""

    settings: SshSettings


class KeyChecked(_Request, frozen=True):
    """The answer to `CheckKey`."""

    reason: Text | None


class SessionAdmitted(_Request, frozen=True):
    """The answer to `AdmitSession`."""

    admitted: Admission


class RequestDone(_Request, frozen=True):
    """The answer to all else: it has come to its end, with an exit status where that means something."""

    status: int = 0


class RequestRefused(_Request, frozen=True):
    """The answer to what is not done."""

    reason: Text


class EndSession(_Message, frozen=True):
    """A session is to end."""

    session: str
    reason: Text


class Shutdown(_Message, frozen=True):
    """Everybody is to leave; then the process ends."""

    reason: Text


Answer: TypeAlias = KeyChecked | SessionAdmitted | RequestDone | RequestRefused
FromHub: TypeAlias = Configure | HubHeartbeat | UseSettings | Answer | EndSession | Shutdown


# -- what a worker says --------------------------------------------------------------------------------------


class WorkerReady(_Message, frozen=True):
    """It takes connections."""


class ConnectionAuthenticated(_Message, frozen=True):
    """It is known whose a connection is."""

    connection: int


class ConnectionClosed(_Message, frozen=True):
    """A connection has ended."""

    connection: int


class ClientIdentity(msgspec.Struct, frozen=True, array_like=True):
    """A client before login; `key` is the public one they have proved to be theirs."""

    address: str
    name: str
    key: bytes | None
    refusal: Text | None


class CheckKey(_Request, frozen=True):
    """Why a public key is of no use to somebody."""

    caller: ClientIdentity
    key: bytes


class SessionOpened(_Message, frozen=True):
    """A session has begun."""

    session: str
    caller: ClientIdentity


class AdmitSession(_Request, frozen=True):
    """Somebody wants to be let in."""

    session: str
    request: SessionRequest


class ServeApp(_Request, frozen=True):
    """An app is to be served, over the stream of this number."""

    session: str


class ServeSubsystem(_Request, frozen=True):
    """A client of a subsystem is to be served, over the stream of this number."""

    session: str
    subsystem: str


class RunCommand(_Request, frozen=True):
    """A command is to be carried out; its answer goes to the stream of this number."""

    session: str
    command: CommandRequest


class KeepSettings(_Request, frozen=True):
    """Settings are to be kept."""

    session: str
    settings: str


class StopServing(_Message, frozen=True):
    """What is served in a session is to end."""

    session: str
    reason: Text


class SessionClosed(_Message, frozen=True):
    """A session has ended."""

    session: str


class WorkerHeartbeat(_Message, frozen=True):
    """What it has counted since it began; comes all the time, so that it is known to be well."""

    counts: Counts


Request: TypeAlias = CheckKey | AdmitSession | ServeApp | ServeSubsystem | RunCommand | KeepSettings
FromWorker: TypeAlias = (
    WorkerReady
    | ConnectionAuthenticated
    | ConnectionClosed
    | SessionOpened
    | Request
    | StopServing
    | SessionClosed
    | WorkerHeartbeat
)


# -- what is passed with a file descriptor -------------------------------------------------------------------


class PassedConnection(_Message, frozen=True):
    """A connection of somebody, its number, and why there is no room for it."""

    number: int
    address: str
    refusal: str | None


class PassedStream(_Message, frozen=True):
    """A stream for what was asked for under this number."""

    number: int


Handed: TypeAlias = PassedConnection | PassedStream


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


class SocketPasser:
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
