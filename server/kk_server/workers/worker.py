"""The process that speaks SSH and HTTP, and draws: `python -m kk_server.workers.worker CHANNEL PASSER`.

Both arguments are numbers of inherited file descriptors. The process knows no tables, accounts or rules. It
ends with the hub that started it, however that ended: after a farewell to everybody, or without one if it
hangs itself. If the hub hangs, users are notified; after a minute the worker gives up.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Final, NoReturn

import asyncssh

from kk_core.protocol.stream import LinkClosed
from kk_core.text import Text, text
from kk_server.background import spawn
from kk_server.counts import counts, watch_lag
from kk_server.frontend import listener
from kk_server.frontend.garbage_collection import GarbageCollection
from kk_server.frontend.listener import CannotServe, CountedConnection
from kk_server.frontend.session import SessionHost
from kk_server.frontend.terminal import MakeApp, make_app
from kk_server.limits import WebSettings
from kk_server.log import get_logger, log_as, log_to, take_in_others
from kk_server.ssh.server import SshFrontend
from kk_server.web.certificate import Certificate
from kk_server.workers.channel import (
    Channel,
    Configure,
    ConnectionAuthenticated,
    ConnectionClosed,
    CountPerson,
    EndSession,
    FromHub,
    FromWorker,
    Handed,
    HubHeartbeat,
    KeyChecked,
    LanguageFound,
    PassedConnection,
    PersonCounted,
    RequestDone,
    RequestRefused,
    SessionAdmitted,
    Shutdown,
    SocketPasser,
    UseSettings,
    WorkerHeartbeat,
    WorkerReady,
    open_stream,
)
from kk_server.workers.remote_gateway import GONE, RemoteGateway

if TYPE_CHECKING:
    from kk_server.web.server import WebFrontend

_DEAF: Final = 5
"""Missed heartbeats of the hub after which users are notified."""

_GONE: Final = 60
"""Missed heartbeats after which the worker gives up."""

_HANGS: Final = text("The server isn't responding; play goes on once it does.")
_BACK: Final = text("The server is responding again.")
_SILENT: Final = text("The server has stopped responding; please connect again.")

_LAST_RESORT: Final = 10.0
"""Seconds after the end of the hub at which the process ends itself, whatever it is doing."""

_logger = get_logger()


class Worker:
    """Frontends for SSH and for browsers that get their connections from a hub."""

    def __init__(self, channel: Channel[FromWorker, FromHub], passer_end: socket.socket) -> None:
        self._channel = channel
        self._passer = SocketPasser(passer_end, self._handed)
        self._gateway = RemoteGateway(channel, self._passer)
        self._over: asyncio.Future[Text] = asyncio.get_running_loop().create_future()
        """The reason why it ends, once that is known."""
        self._frontend: SshFrontend
        self._pages: WebFrontend | None = None
        self._certificate: Certificate | None = None
        self._silence = -1
        """Missed heartbeats of the hub; negative before the first one."""

    async def run(self, make_app: MakeApp) -> None:
        """Serve until the hub ends it or is gone."""
        begin = await self._channel.receive()
        if not isinstance(begin, Configure):
            return
        if begin.has_log:
            log_to(sys.stderr, begin.settings.log, begin.worker)
            take_in_others()
        key = asyncssh.import_private_key(begin.key)
        host = SessionHost(self._gateway, make_app, begin.settings)
        self._frontend = SshFrontend(host, key, begin.settings)
        if begin.settings.web is not None:
            await self._serve_pages(host, key.get_fingerprint(), begin.settings.web)
        collection = GarbageCollection(host)
        collection.start()
        self._channel.tell(WorkerReady())
        for work in (self._listen(), self._tell(begin.look), watch_lag()):
            spawn(work, "worker")
        reason = await self._over
        if self._pages is not None:
            self._pages.is_stopping = True
        await self._frontend.close(reason)
        if self._pages is not None:
            await self._pages.close()

    async def _serve_pages(self, host: SessionHost, fingerprint: str, settings: WebSettings) -> None:
        from kk_server.web.server import WebFrontend  # imported here: aiohttp is an extra

        if settings.certificate is not None:
            self._certificate = Certificate(*settings.certificate)
            self._load_certificate()
        tls = None if self._certificate is None else self._certificate.context
        self._pages = WebFrontend(host, self._count_person, fingerprint, settings, tls)
        await self._pages.start()

    def _load_certificate(self) -> None:
        try:
            if self._certificate is not None:
                self._certificate.load()
        except CannotServe as error:  # the hub could read it: it is being replaced, and SSH goes on
            _logger.error("certificate not loaded", reason=str(error))

    async def _listen(self) -> None:
        try:
            while True:
                self._take(await self._channel.receive())
        except LinkClosed:
            _logger.error("the hub is gone")
            self._give_up(GONE)

    def _give_up(self, reason: Text) -> None:
        self._gateway.lose(reason)
        self._end(reason)

    def _take(self, message: FromHub) -> None:
        match message:
            case HubHeartbeat():
                if self._silence >= _DEAF:
                    self._frontend.host.tell_all(_BACK)
                self._silence = 0
            case UseSettings(settings):
                log_as(settings.log)
                self._frontend.use(settings)
                if self._pages is not None and settings.web is not None:
                    self._load_certificate()
                    self._pages.use(settings.web)
            case EndSession(session, reason):
                self._gateway.end(session, reason)
            case Shutdown(reason):
                self._end(reason)
            case (
                KeyChecked()
                | PersonCounted()
                | SessionAdmitted()
                | LanguageFound()
                | RequestDone()
                | RequestRefused()
            ):
                self._gateway.answered(message)

    def _end(self, reason: Text) -> None:
        if not self._over.done():
            self._over.set_result(reason)

    def _handed(self, what: Handed, given: socket.socket | None) -> None:
        if not isinstance(what, PassedConnection):
            return
        counted = self._counted(what.number, what.address, what.refusal)
        if given is None:
            counted.end()
            return
        # a passed descriptor does not carry Python's socket settings
        given.setblocking(False)
        if not what.is_page:
            self._frontend.take(given, counted)
        elif self._pages is not None:
            self._pages.take(given, counted)
        else:
            given.close()
            counted.end()

    async def _count_person(self, address: str) -> CountedConnection:
        asking = spawn(self._ask_to_count(address), "count a person")
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            # the hub counts them even if they have left meanwhile
            asking.add_done_callback(_uncount)
            raise

    async def _ask_to_count(self, address: str) -> CountedConnection:
        answer = await self._gateway.ask(lambda number: CountPerson(number, address))
        assert isinstance(answer, PersonCounted), "that is the answer"
        return self._counted(answer.connection, address, None)

    def _counted(self, number: int, address: str, refusal: str | None) -> CountedConnection:
        tell = self._channel.tell
        return CountedConnection(
            address, refusal, lambda name: tell(ConnectionAuthenticated(number, name)),
            partial(tell, ConnectionClosed(number)),
        )  # fmt: skip

    async def _tell(self, look: float) -> None:
        while not self._over.done():
            self._channel.tell(WorkerHeartbeat(counts))
            await asyncio.sleep(look)
            if self._silence >= 0:
                self._miss()

    def _miss(self) -> None:
        self._silence += 1
        if self._silence == _DEAF:
            _logger.error("the hub does not answer")
            self._frontend.host.tell_all(_HANGS)
        elif self._silence == _GONE:
            _logger.error("the hub is given up")
            self._give_up(_SILENT)


def _uncount(asking: asyncio.Task[CountedConnection]) -> None:
    if not asking.cancelled() and asking.exception() is None:
        asking.result().end()


async def _serve(channel_end: socket.socket, passer_end: socket.socket, make_app: MakeApp) -> None:
    asyncio.get_running_loop().set_exception_handler(listener.LoopFaults())
    channel: Channel[FromWorker, FromHub] = Channel(*await open_stream(channel_end), FromHub)
    with suppress(LinkClosed):
        await Worker(channel, passer_end).run(make_app)


def _end_with_hub() -> NoReturn:
    # nothing is ever written to this pipe: the read returns when the hub has ended
    os.read(0, 1)
    sleep(_LAST_RESORT)
    # not `sys.exit`, which would only end this thread
    os._exit(1)


def main(make_app: MakeApp = make_app) -> None:
    """Serve until the hub ends it or is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # a service manager may signal all processes, but the hub decides
        signal.signal(number, signal.SIG_IGN)
    ends = [socket.socket(fileno=int(number)) for number in sys.argv[1:]]
    # a thread, since the loop may be hanging when the hub ends
    Thread(target=_end_with_hub, daemon=True).start()
    asyncio.run(_serve(ends[0], ends[1], make_app))


if __name__ == "__main__":
    main()
