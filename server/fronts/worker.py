"""The process that speaks SSH and draws: `python -m server.fronts.worker CHANNEL HATCH`, two descriptors.

It knows neither tables nor accounts, and no rules. It ends with the hub that has started it, however that
came to its end: after a farewell to those who are here, and without one if it should hang by then.
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
from typing import Final, NoReturn

import asyncssh

from kk_core.text import Text
from kk_core.wire.link import LinkClosed
from server.counts import counts
from server.front import open_files
from server.front.collector import Collector
from server.front.counting import Counted
from server.front.front import Front
from server.front.terminal import MakeApp, make_app
from server.fronts.channel import Channel, Hatch, open_stream
from server.fronts.far import GONE, FarReception
from server.fronts.messages import (
    Begin,
    Close,
    Connection,
    Done,
    End,
    Entered,
    FromFront,
    FromHub,
    Handed,
    Known,
    Over,
    Ready,
    Reason,
    Refused,
    Tally,
    Use,
)
from server.hub.tasks import spawn
from server.lag import watch_lag
from server.log import get_logger, log_as, log_to

_TELL: Final = 1.0
"""Seconds between two times that the hub is told what was counted."""

_LAST_RESORT: Final = 10.0
"""Seconds after the end of the hub after which the process ends from within, whatever it does."""

_log = get_logger("fronts")


class Worker:
    """A front that is fed by a hub."""

    def __init__(self, channel: Channel[FromFront, FromHub], hatch_end: socket.socket) -> None:
        self._channel = channel
        self._hatch = Hatch(hatch_end, self._handed)
        self._reception = FarReception(channel, self._hatch)
        self._over: asyncio.Future[Text] = asyncio.get_running_loop().create_future()
        """Why it ends, once that is known."""
        self._front: Front

    async def run(self, make_app: MakeApp) -> None:
        """Serve until the hub wants it to end, or is gone."""
        begin = await self._channel.receive()
        if not isinstance(begin, Begin):
            return
        if begin.has_log:
            log_to(sys.stderr, begin.settings.log, begin.front)
        key = asyncssh.import_private_key(begin.key)
        self._front = Front(self._reception, make_app, key, begin.settings)
        collector = Collector(self._front)
        collector.start()
        self._channel.tell(Ready())
        for work in (self._listen(), self._tell(), watch_lag()):
            spawn(work, "front")
        await self._front.close(await self._over)

    async def _listen(self) -> None:
        """Do what the hub says, until it is gone."""
        try:
            while True:
                self._take(await self._channel.receive())
        except LinkClosed:
            _log.error("the hub is gone")
            self._reception.lose()
            self._end(GONE)

    def _take(self, message: FromHub) -> None:
        match message:
            case Use(settings):
                log_as(settings.log)
                self._front.use(settings)
            case End(session, reason):
                self._reception.end(session, reason)
            case Close(reason):
                self._end(reason)
            case Reason() | Entered() | Done() | Refused():
                self._reception.answered(message)

    def _end(self, reason: Text) -> None:
        if not self._over.done():
            self._over.set_result(reason)

    def _handed(self, what: Handed, given: socket.socket | None) -> None:
        if not isinstance(what, Connection):
            return
        tell, number = self._channel.tell, what.number
        counted = Counted(
            what.address, what.refusal, partial(tell, Known(number)), partial(tell, Over(number))
        )
        if given is None:
            counted.end()
        else:
            given.setblocking(False)
            self._front.take(given, counted)

    async def _tell(self) -> None:
        """Tell the hub what was counted, and so that all is well."""
        while True:
            self._channel.tell(Tally(counts))
            await asyncio.sleep(_TELL)


async def _serve(channel_end: socket.socket, hatch_end: socket.socket, make_app: MakeApp) -> None:
    asyncio.get_running_loop().set_exception_handler(open_files.LoopFaults())
    channel: Channel[FromFront, FromHub] = Channel(*await open_stream(channel_end), FromHub)
    with suppress(LinkClosed):
        await Worker(channel, hatch_end).run(make_app)


def _end_with_hub() -> NoReturn:
    """Wait for the end of the hub, whose pipe nothing is ever written to."""
    os.read(0, 1)
    sleep(_LAST_RESORT)
    os._exit(1)


def main(make_app: MakeApp = make_app) -> None:
    """Serve until the hub says that it is enough, or is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a service manager may mean all processes, but the hub decides
    ends = [socket.socket(fileno=int(number)) for number in sys.argv[1:]]
    Thread(target=_end_with_hub, daemon=True).start()
    asyncio.run(_serve(ends[0], ends[1], make_app))


if __name__ == "__main__":
    main()
