"""One front process as the hub sees it."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from typing import Final

from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_core.wire.link import LinkClosed
from server.child import command_of, environment
from server.counts import Counts
from server.front.counting import Counted
from server.front.visits import Visits
from server.fronts.channel import Channel, Hatch, close_all, open_stream
from server.fronts.messages import (
    Begin,
    Close,
    Connection,
    FromFront,
    FromHub,
    Handed,
    Known,
    Over,
    Ready,
    Stream,
    Tally,
)
from server.fronts.serving import Serving
from server.log import get_logger

PROGRAM: Final = "server.fronts.worker"

STARTING: Final = 60.0
"""Seconds that a front has to be ready in: much, since the machine may be busy."""

LEAVING: Final = 6.0
"""Seconds that a front has to say goodbye to everybody."""

_log = get_logger()


class FrontLost(KkError):
    """A front that has not started."""


class FrontProcess:
    """A running front; `start` makes one. It is lost when `run` returns."""

    def __init__(
        self,
        number: int,
        visits: Visits,
        process: asyncio.subprocess.Process,
        channel: Channel[FromHub, FromFront],
        hatch_end: socket.socket,
    ) -> None:
        self.number = number
        self.counts = Counts()
        """What it has counted."""
        self.silence = 0
        """How often the hub has looked since it was heard of; see `Fronts`."""
        self._is_open = False
        """Whether it takes connections."""
        self._process = process
        self._channel = channel
        self._hatch = Hatch(hatch_end, self._handed)
        self._serving = Serving(visits, channel.tell)
        self._last = 0
        self._counted: dict[int, Counted] = {}
        self.tell = channel.tell

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
        if not self._is_open or not self._hatch.hand(what, connection):
            return False
        self._counted[self._last] = counted
        return True

    # -- what it says ----------------------------------------------------------------------------------------

    async def be_ready(self) -> None:
        """Wait until it takes connections. Raises `FrontLost`."""
        try:
            async with asyncio.timeout(STARTING):
                message = await self._channel.receive()
        except (LinkClosed, TimeoutError):
            message = None
        if not isinstance(message, Ready):
            raise FrontLost(text("A front process does not start."))
        self._is_open = True

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

    def _take(self, message: FromFront) -> None:
        match message:
            case Known(number):
                if number in self._counted:
                    self._counted[number].know()
            case Over(number):
                if number in self._counted:
                    self._counted.pop(number).end()
            case Tally(counts):
                self.counts, self.silence = counts, 0
            case Ready():
                pass
            case _:
                self._serving.take(message)

    def _handed(self, what: Handed, given: socket.socket | None) -> None:
        if isinstance(what, Stream):
            self._serving.handed(what.number, given)

    # -- its end ---------------------------------------------------------------------------------------------

    async def close(self, reason: Text) -> None:
        """Have it say goodbye to everybody and end."""
        self._is_open = False
        self.tell(Close(reason))
        await self._gone()

    async def end(self) -> None:
        """Forget what was there: that is there no more, however it came to its end; and see to that."""
        self._is_open = False
        self._channel.close()
        self._hatch.close()
        for counted in self._counted.values():
            counted.end()
        self._counted.clear()
        self._serving.forget()
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
