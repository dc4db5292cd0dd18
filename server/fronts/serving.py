"""What a front asks of the hub for the people that it speaks with."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from typing import Final

from asyncssh.public_key import decode_ssh_public_key

from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_core.wire.link import LinkClosed
from kk_core.wire.stream import CLOSED
from server.front.reception import Caller
from server.front.visits import HubVisit, Visits
from server.fronts.channel import open_stream
from server.fronts.messages import (
    Answer,
    Come,
    Done,
    End,
    Enter,
    Entered,
    FromHub,
    Keep,
    Left,
    Reason,
    Refused,
    Request,
    Run,
    SendAway,
    Serve,
    ServeApp,
    Shown,
    WhyNot,
)
from server.hub.tasks import spawn
from server.log import get_logger, log_session

_HANDING: Final = 10.0
"""Seconds after which a stream that was announced is taken to be lost."""

_FAULT: Final = text("The server could not do this because of a fault of its own.")

_log = get_logger()


class Serving:
    """The visits of one front, and the streams that it has handed over for them."""

    def __init__(self, visits: Visits, tell: Callable[[FromHub], None]) -> None:
        self._visits = visits
        self._tell = tell
        self._sessions: dict[str, HubVisit] = {}
        self._streams: dict[int, asyncio.Future[socket.socket]] = {}

    def take(self, message: Come | SendAway | Left | Request) -> None:
        """Do what a front says; what takes time is answered later."""
        match message:
            case Come(session, shown):
                end = partial(self._end, session)
                self._sessions[session] = self._visits.visit(session, _caller(shown), end)
            case SendAway(session, reason):
                if session in self._sessions:
                    self._sessions[session].send_away(reason)
            case Left(session):
                self._sessions.pop(session).leave()
            case _:
                spawn(self._answer(message), "front's request")

    def forget(self) -> None:
        """The front is gone: so is everybody whom it spoke with."""
        for visit in self._sessions.values():
            visit.leave()
        for stream in self._streams.values():
            _drop(stream)
        self._sessions.clear()

    def _end(self, session: str, reason: Text) -> None:
        self._tell(End(session, reason))

    # -- requests --------------------------------------------------------------------------------------------

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
            self._tell(answer)

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

    async def _served(self, request: ServeApp | Serve | Run) -> int:
        """Serve a stream to its end; gives the exit status."""
        reader, writer = await open_stream(await self._stream(request.request))
        try:
            visit = self._visit(request.session)
            match request:
                case ServeApp():
                    await visit.serve_app(reader, writer)
                case Serve():
                    return await visit.serve(request.subsystem, reader, writer)
                case Run():
                    await visit.run(request.order, writer)
            return 0
        finally:
            writer.close()

    def _visit(self, session: str) -> HubVisit:
        if session not in self._sessions:
            raise LinkClosed(CLOSED)
        return self._sessions[session]

    # -- streams ---------------------------------------------------------------------------------------------

    def handed(self, number: int, given: socket.socket | None) -> None:
        """A stream for a request is there, or lost."""
        stream = self._expected(number)
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
