"""The port of a server: connections are taken from it, counted, and given to who speaks SSH with them."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.counts import Counts
from server.front import open_files
from server.front.collector import Traffic
from server.front.counting import Counted, Counting, TurnedAway
from server.front.settings import FrontSettings
from server.front.turning_away import TurningAway
from server.log import get_logger

_AGAIN: Final = 1.0
"""Seconds until connections are accepted again where there was no file or nobody for one."""

_NOTED_APART: Final = 10.0
"""Seconds in which the log tells once that an address was turned away for the same reason."""

_log = get_logger("front")


class CannotServe(KkError):
    """The server cannot start; the sentence says why."""


class Speakers(Protocol):
    """Those who speak SSH: a front in this process, or several processes."""

    @property
    def traffic(self) -> Traffic:
        """What goes on in this process."""
        ...

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Speak with somebody from now on; False where nobody can now."""
        ...

    def use(self, settings: FrontSettings) -> None:
        """Have these settings count for whoever comes from now on."""
        ...

    def counted(self) -> Mapping[str, Counts]:
        """What was counted in other processes, by their names."""
        ...

    async def close(self, reason: Text) -> None:
        """Let everybody go."""
        ...


async def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets at the addresses of a host, which nobody can connect to yet. Raises `CannotServe`."""
    loop = asyncio.get_running_loop()
    try:
        bound = await loop.create_server(asyncio.Protocol, host, port, start_serving=False)
    except OSError as error:
        reason = str(error.strerror)
        raise CannotServe(
            text("Cannot listen on {host} port {port}: {reason}", host=host, port=port, reason=reason)
        ) from None
    sockets = [each.dup() for each in bound.sockets]
    bound.close()
    return sockets


class Port:
    """Accepts connections from sockets that are bound; closes them in the end."""

    def __init__(self, sockets: Sequence[socket.socket], counting: Counting, speakers: Speakers) -> None:
        self._sockets = sockets
        self._counting = counting
        self._speakers = speakers
        self._held: deque[tuple[socket.socket, Counted]] = deque()
        """Connections that nobody could take yet."""
        self._backlog = open_files.backlog_of(open_files.allowed())
        self._again: asyncio.TimerHandle | None = None
        self._noted: dict[tuple[str, str], float] = {}
        self._turning_away = TurningAway()
        for each in sockets:
            each.listen(self._backlog)
        self.number: int = sockets[0].getsockname()[1]
        """What it is called."""
        self.open()

    def open(self) -> None:
        """Accept, if those who wait can be taken."""
        self._shut()
        while self._held:
            if not self._speakers.take(*self._held[0]):
                self._rest()
                return
            self._held.popleft()
        for each in self._sockets:
            asyncio.get_running_loop().add_reader(each, self._accept, each)

    def close(self) -> None:
        """Accept nothing more."""
        self._shut()
        self._turning_away.close()
        for each in (*self._sockets, *(connection for connection, _ in self._held)):
            each.close()

    def _shut(self) -> None:
        if self._again is not None:
            self._again.cancel()
            self._again = None
        for each in self._sockets:
            asyncio.get_running_loop().remove_reader(each)

    def _rest(self) -> None:
        """Accept nothing for a while; who comes waits."""
        self._shut()
        self._again = asyncio.get_running_loop().call_later(_AGAIN, self.open)

    def _accept(self, listening: socket.socket) -> None:
        """Take all who wait, but not more at once than may wait."""
        for _ in range(self._backlog):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._cannot(error)
                return
            connection.setblocking(False)
            self._let_in(connection, str(address[0]))

    def _cannot(self, error: OSError) -> None:
        what = {"message": "cannot accept connections", "exception": error}
        asyncio.get_running_loop().call_exception_handler(what)
        self._rest()

    def _let_in(self, connection: socket.socket, address: str) -> None:
        try:
            counted = self._counting.count(address)
        except TurnedAway as error:
            self._note(address, str(error))
            self._turning_away.tell(connection, str(error))
            return
        if counted.refusal is not None:
            self._note(address, counted.refusal)
        if not self._speakers.take(connection, counted):
            self._held.append((connection, counted))
            self._rest()

    def _note(self, address: str, reason: str) -> None:
        """Log that somebody was turned away; whoever comes again and again does not fill the log."""
        now = asyncio.get_running_loop().time()
        self._noted = {said: since for said, since in self._noted.items() if now - since < _NOTED_APART}
        if (address, reason) not in self._noted:
            self._noted[address, reason] = now
            _log.info("turned away", address=address, reason=reason)
