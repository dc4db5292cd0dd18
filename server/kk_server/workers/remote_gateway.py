"""The gateway in a worker process, which forwards everything to the hub."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from itertools import count
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.protocol.frames import (
    MAX_SERVER_FRAME,
    FrameReader,
    decode_server_message,
    encode_message,
    frame,
)
from kk_core.protocol.messages import Goodbye
from kk_core.protocol.stream import ClientLink, LinkClosed, StreamLink, Writer
from kk_core.text import Text, text
from kk_server.background import retrieve, spawn
from kk_server.gateway import SUBSYSTEM, Admission, Caller, CommandRequest, SessionRequest, nobody
from kk_server.workers.channel import (
    AdmitSession,
    Answer,
    Channel,
    CheckKey,
    ClientIdentity,
    FindLanguage,
    FromHub,
    FromWorker,
    KeepSettings,
    KeyChecked,
    LanguageFound,
    PassedStream,
    RequestDone,
    RequestRefused,
    RunCommand,
    ServeApp,
    ServeSubsystem,
    SessionAdmitted,
    SessionClosed,
    SessionOpened,
    SocketPasser,
    StopServing,
    open_stream,
)

GONE: Final = text("The server has stopped; please connect again.")

_CHUNK: Final = 64 * 1024
_TRIES: Final = 100  # at passing a stream, five seconds in total
_BREATH: Final = 0.05

Ask = Callable[[int], FromWorker]
"""Creates a request with a number."""


class RemoteGateway:
    """The gateway of a worker, which asks the hub over a channel."""

    def __init__(self, channel: Channel[FromWorker, FromHub], passer: SocketPasser) -> None:
        self.channel = channel
        self._passer = passer
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Answer]] = {}
        self._visits: dict[str, RemoteVisit] = {}
        self._streams: set[asyncio.StreamWriter] = set()
        self._lost: Text | None = None
        """Why the hub is gone, once it is."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Return why a caller's key is not accepted (they may have others); None if it is."""
        try:
            answer = await self.ask(lambda number: CheckKey(number, _shown(caller), key.public_data))
        except KkError as error:
            return error.reason
        assert isinstance(answer, KeyChecked), "that is the answer"
        return answer.reason

    def visit(self, session: str, caller: Caller, end: Callable[[Text], None]) -> RemoteVisit:
        """Begin a session; `end` asks it to end, with a reason."""
        self.channel.tell(SessionOpened(session, _shown(caller)))
        self._visits[session] = visit = RemoteVisit(self, session, end)
        return visit

    def leave(self, session: str) -> None:
        """Note that a session has ended."""
        if self._visits.pop(session, None) is not None:
            self.channel.tell(SessionClosed(session))

    # -- asking ----------------------------------------------------------------------------------------------

    async def ask(self, make: Ask) -> Answer:
        """Send a request and return its answer. Raises `KkError` for a refusal, or if the hub is gone."""
        return await self._answer(self._ask(make)[1])

    async def open(
        self, make: Ask
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Task[Answer]]:
        """Send a request with a stream; returns the stream and the pending answer. Raises `LinkClosed`."""
        try:
            ours, theirs = socket.socketpair()
        except OSError:
            raise LinkClosed(text("The server is too busy for this; please try again later.")) from None
        reader, writer = await open_stream(ours)
        # nothing reports the end of a stream, so closed ones are dropped when the next one is added
        self._streams = {stream for stream in self._streams if not stream.is_closing()} | {writer}
        number, asked = self._ask(make)
        answer = asyncio.create_task(self._answer(asked))
        answer.add_done_callback(retrieve)
        # the hub may be too busy to take descriptors right now
        for _ in range(_TRIES):
            if self._passer.hand(PassedStream(number), theirs):
                return reader, writer, answer
            if self._lost is not None:
                break
            await asyncio.sleep(_BREATH)
        theirs.close()
        writer.close()
        raise LinkClosed(self._lost or GONE)

    def _ask(self, make: Ask) -> tuple[int, asyncio.Future[Answer]]:
        if self._lost is not None:
            raise LinkClosed(self._lost)
        number = next(self._numbers)
        self._asked[number] = asked = asyncio.get_running_loop().create_future()
        self.channel.tell(make(number))
        return number, asked

    async def _answer(self, asked: asyncio.Future[Answer]) -> Answer:
        answer = await asked
        if isinstance(answer, RequestRefused):
            raise KkError(answer.reason)
        return answer

    # -- what the hub says -----------------------------------------------------------------------------------

    def answered(self, answer: Answer) -> None:
        """Handle an answer."""
        asked = self._asked.pop(answer.number, None)
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def end(self, session: str, reason: Text) -> None:
        """End a session at the hub's request."""
        visit = self._visits.get(session)
        if visit is not None:
            visit.end(reason)

    def lose(self, reason: Text) -> None:
        """Give up on the hub, and fail everything that waits for it."""
        self._lost = reason
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(LinkClosed(reason))
        self._asked.clear()
        for stream in self._streams:
            stream.transport.abort()


class RemoteVisit:
    """One session, handled by the hub."""

    def __init__(self, gateway: RemoteGateway, session: str, end: Callable[[Text], None]) -> None:
        self.end = end
        self._gateway = gateway
        self._session = session

    async def enter(self, request: SessionRequest) -> Admission:
        """Log in. Raises `KkError`."""
        answer = await self._gateway.ask(lambda number: AdmitSession(number, self._session, request))
        assert isinstance(answer, SessionAdmitted), "that is the answer"
        return answer.admitted

    async def link(self) -> ClientLink:
        """Return a link for an app. Raises `LinkClosed`."""
        reader, writer, _ = await self._gateway.open(lambda number: ServeApp(number, self._session))
        return StreamLink(reader, writer, decode_server_message, MAX_SERVER_FRAME)

    async def serve(self, subsystem: str, reader: asyncio.StreamReader, writer: Writer) -> int:
        """Have a subsystem served until it ends; returns the exit status. Raises `KkError`."""
        down, up, answer = await self._gateway.open(lambda n: ServeSubsystem(n, self._session, subsystem))
        passing = spawn(_pass_on(reader, up), "program")
        try:
            await _pass_frames_on(down, writer)
            done = await answer
        except LinkClosed as error:
            if subsystem == SUBSYSTEM:
                writer.write(frame(encode_message(Goodbye(error.reason))))
            raise
        finally:
            passing.cancel()
        assert isinstance(done, RequestDone), "that is the answer"
        return done.status

    async def run(self, request: CommandRequest, writer: Writer) -> None:
        """Have a command run. Raises `KkError` if it is refused."""
        reader, up, answer = await self._gateway.open(
            lambda number: RunCommand(number, self._session, request)
        )
        try:
            while data := await reader.read(_CHUNK):
                await writer.drain()
                writer.write(data)
        except OSError:
            pass  # the answer is more specific
        finally:
            up.close()
        await answer

    async def language(self) -> str | None:
        """Return the language that the caller has chosen for their account, if any, and if it can be read.

        Raises `LinkClosed`.
        """
        answer = await self._gateway.ask(lambda number: FindLanguage(number, self._session))
        assert isinstance(answer, LanguageFound), "that is the answer"
        return answer.language

    async def keep(self, settings: str, before: str | None) -> None:
        """Store what differs from the settings `before`, or if there were none, all. Raises `KkError`."""
        await self._gateway.ask(lambda number: KeepSettings(number, self._session, settings, before))

    def send_away(self, reason: Text) -> None:
        """End anything served there, with a reason."""
        self._gateway.channel.tell(StopServing(self._session, reason))

    def leave(self) -> None:
        """Note that the session has ended; may be called more than once."""
        self._gateway.leave(self._session)
        self.end = nobody


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass  # the reader is gone
    finally:
        writer.close()


async def _pass_frames_on(reader: asyncio.StreamReader, writer: Writer) -> None:
    # whole frames only, so that a goodbye can follow the last one
    frames = FrameReader(MAX_SERVER_FRAME)
    try:
        while data := await reader.read(_CHUNK):
            await writer.drain()
            for packed in frames.feed(data):
                writer.write(frame(packed))
    except OSError:
        pass  # the answer is more specific


def _shown(caller: Caller) -> ClientIdentity:
    key = None if caller.key is None else caller.key.public_data
    return ClientIdentity(caller.address, caller.name, key, caller.refusal, caller.origin)
