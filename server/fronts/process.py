"""One front process as the hub sees it."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from functools import partial
from typing import Final

from asyncssh.public_key import decode_ssh_public_key

from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_core.wire.link import LinkClosed
from kk_core.wire.stream import CLOSED
from server.child import command_of, environment
from server.counts import Counts
from server.front.counting import Counted
from server.front.reception import Caller
from server.front.visits import HubVisit, Visits
from server.fronts.channel import Channel, Hatch, close_all, open_stream
from server.fronts.messages import (
    Answer,
    Begin,
    Close,
    Come,
    Connection,
    Done,
    End,
    Enter,
    Entered,
    FromFront,
    FromHub,
    Handed,
    Keep,
    Known,
    Left,
    Over,
    Ready,
    Reason,
    Refused,
    Request,
    Run,
    SendAway,
    ServeApp,
    ServeProgram,
    Shown,
    Stream,
    Tally,
    WhyNot,
)
from server.hub.tasks import spawn
from server.log import get_logger, log_session

PROGRAM: Final = "server.fronts.worker"

STARTING: Final = 60.0
"""Seconds that a front has to be ready in: much, since the machine may be busy."""

_HANDING: Final = 10.0
"""Seconds after which a stream that was announced is taken to be lost."""

LEAVING: Final = 6.0
"""Seconds that a front has to say goodbye to everybody."""

_FAULT: Final = text("The server could not do this because of a fault of its own.")

_log = get_logger("fronts")


class FrontLost(KkError):
    """A front that has not started."""


class FrontProcess:
    """A running front; `start` makes one. It is lost when `run` returns."""

    def __init__(
        self, number: int, visits: Visits, process: asyncio.subprocess.Process,
        channel: Channel[FromHub, FromFront], hatch_end: socket.socket,
    ) -> None:  # fmt: skip
        self.number = number
        self.counts = Counts()
        """What it has counted."""
        self.silence = 0
        """How often the hub has looked since it was heard of; see `Fronts`."""
        self.is_open = False
        """Whether it takes connections."""
        self._visits = visits
        self._process = process
        self._channel = channel
        self._hatch = Hatch(hatch_end, self._handed)
        self._last = 0
        self._counted: dict[int, Counted] = {}
        self._sessions: dict[str, HubVisit] = {}
        self._streams: dict[int, asyncio.Future[socket.socket]] = {}

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def load(self) -> int:
        """How many connections it has."""
        return len(self._counted)

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Let it speak SSH on a connection; False where it cannot be handed over."""
        self._last += 1
        what = Connection(self._last, counted.address, counted.refusal)
        if not self.is_open or not self._hatch.hand(what, connection):
            return False
        self._counted[self._last] = counted
        return True

    def tell(self, message: FromHub) -> None:
        """Tell it something."""
        self._channel.tell(message)

    # -- life ------------------------------------------------------------------------------------------------

    async def be_ready(self) -> None:
        """Wait until it takes connections. Raises `FrontLost`."""
        try:
            async with asyncio.timeout(STARTING):
                message = await self._channel.receive()
        except (LinkClosed, TimeoutError):
            message = None
        if not isinstance(message, Ready):
            raise FrontLost(text("A front process does not start."))
        self.is_open = True

    async def run(self) -> int:
        """Do what it asks for, until it is gone; gives its exit status."""
        try:
            while True:
                self._take(await self._channel.receive())
        except LinkClosed:
            pass
        except Exception as error:  # it says what cannot be understood: another one does better
            _log.error("front failed", front=self.number, error=where(error))
        finally:
            await self.end()
        return self._process.returncode or 0

    async def close(self, reason: Text) -> None:
        """Have it say goodbye to everybody and end."""
        self.is_open = False
        self.tell(Close(reason))
        await self._gone()

    async def end(self) -> None:
        """Forget what was there: that is there no more, however it came to its end; and see to that."""
        self.is_open = False
        self._channel.close()
        self._hatch.close()
        for counted in self._counted.values():
            counted.end()
        for visit in self._sessions.values():
            visit.leave()
        for stream in self._streams.values():
            _drop(stream)
        self._counted.clear()
        self._sessions.clear()
        await self._gone()

    async def _gone(self) -> None:
        """Wait until it has ended, which it does by itself when nobody speaks with it; if not, end it."""
        try:
            async with asyncio.timeout(LEAVING):
                await self._process.wait()
        except TimeoutError:
            _log.error("front does not end", front=self.number)
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self._process.kill()

    # -- what it says ----------------------------------------------------------------------------------------

    def _take(self, message: FromFront) -> None:
        match message:
            case Known(number):
                if number in self._counted:
                    self._counted[number].know()
            case Over(number):
                if number in self._counted:
                    self._counted.pop(number).end()
            case Come(session, shown):
                end = partial(self._end, session)
                self._sessions[session] = self._visits.visit(session, _caller(shown), end)
            case SendAway(session, reason):
                if session in self._sessions:
                    self._sessions[session].send_away(reason)
            case Left(session):
                self._sessions.pop(session).leave()
            case Tally(counts):
                self.counts, self.silence = counts, 0
            case WhyNot() | Enter() | ServeApp() | ServeProgram() | Run() | Keep():
                spawn(self._answer(message), "front's request")

    def _end(self, session: str, reason: Text) -> None:
        self.tell(End(session, reason))

    def _visit(self, session: str) -> HubVisit:
        if session not in self._sessions:
            raise LinkClosed(CLOSED)
        return self._sessions[session]

    async def _answer(self, request: Request) -> None:
        """Do what was asked for, and say what came of it."""
        answer: Answer = Refused(request.request, CLOSED)
        try:
            answer = await self._done(request)
        except KkError as error:
            answer = Refused(request.request, error.reason)
        except OSError:
            pass  # who was to hear it is gone
        except Exception as error:  # a fault of ours must not end the front
            _log.error("request failed", kind=type(request).__name__, error=where(error))
            answer = Refused(request.request, _FAULT)
        finally:
            self.tell(answer)

    async def _done(self, request: Request) -> Answer:
        number = request.request
        if isinstance(request, WhyNot):
            key = decode_ssh_public_key(request.key)
            return Reason(number, await self._visits.why_not(_caller(request.caller), key))
        log_session(request.session)
        match request:
            case Enter():
                return Entered(number, await self._visit(request.session).enter(request.errand))
            case Keep():
                await self._visit(request.session).keep(request.settings)
                return Done(number)
            case _:
                return Done(number, await self._served(request))

    async def _served(self, request: ServeApp | ServeProgram | Run) -> int:
        """Serve a stream to its end; gives the exit status."""
        reader, writer = await open_stream(await self._stream(request.request))
        try:
            visit = self._visit(request.session)
            match request:
                case ServeApp():
                    await visit.serve_app(reader, writer)
                case ServeProgram():
                    return await visit.serve(reader, writer)
                case Run():
                    await visit.run(request.order, writer)
            return 0
        finally:
            writer.close()

    # -- what it hands over ----------------------------------------------------------------------------------

    def _handed(self, what: Handed, given: socket.socket | None) -> None:
        if not isinstance(what, Stream):
            return
        stream = self._expected(what.number)
        if given is not None and not stream.done():
            stream.set_result(given)
        else:
            _drop(stream)

    def _expected(self, number: int) -> asyncio.Future[socket.socket]:
        return self._streams.setdefault(number, asyncio.get_running_loop().create_future())

    async def _stream(self, number: int) -> socket.socket:
        """The stream of a request. Raises `LinkClosed` where it does not come."""
        try:
            async with asyncio.timeout(_HANDING):
                return await self._expected(number)
        except (TimeoutError, asyncio.CancelledError):
            raise LinkClosed(CLOSED) from None
        finally:
            self._streams.pop(number, None)


def _drop(stream: asyncio.Future[socket.socket]) -> None:
    """Nobody waits for it, or it is lost."""
    if not stream.cancel() and not stream.cancelled():
        stream.result().close()


def _caller(shown: Shown) -> Caller:
    key = None if shown.key is None else decode_ssh_public_key(shown.key)
    return Caller(shown.address, shown.name, key, shown.refusal)


async def start(visits: Visits, begin: Begin, program: str = PROGRAM) -> FrontProcess:
    """A new front, ready for connections. Raises `FrontLost`."""
    (ours, theirs), (our_hatch, their_hatch) = socket.socketpair(), socket.socketpair()
    handed = theirs.fileno(), their_hatch.fileno()
    try:
        process = await asyncio.create_subprocess_exec(
            *command_of(program, *map(str, handed)), pass_fds=handed, stdin=PIPE, stdout=DEVNULL,
            start_new_session=True,  # what is typed or hung up at the terminal is not for it
            env=environment(),
        )  # fmt: skip
    except OSError as error:
        close_all(ours, our_hatch)
        reason = error.strerror or ""
        raise FrontLost(text("A front process does not start: {reason}", reason=reason)) from None
    finally:
        close_all(theirs, their_hatch)
    channel: Channel[FromHub, FromFront] = Channel(*await open_stream(ours), FromFront)
    front = FrontProcess(begin.front, visits, process, channel, our_hatch)
    front.tell(begin)
    try:
        await front.be_ready()
    except BaseException:
        await front.end()
        raise
    return front
