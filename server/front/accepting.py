"""The port of a server: connections are taken from it, counted, and given to who speaks SSH with them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from kk_core.errors import KkError
from kk_core.text import text
from server.front import open_files
from server.front.counting import Counted, Counting
from server.log import get_logger

_AGAIN: Final = 1.0
"""Seconds until connections are accepted again where there was no file for one."""

_CROWDED: Final = b"Too many connections that have not logged in; please try again later.\r\n"
"""What is sent in place of the protocol: to those who only hold the door open nothing more is given."""

_log = get_logger("front")


class CannotServe(KkError):
    """The server cannot start; the sentence says why."""


class Speaker(Protocol):
    """Speaks SSH with those who come."""

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Speak with somebody from now on; False where there is no way to."""
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

    def __init__(self, sockets: Sequence[socket.socket], counting: Counting, speaker: Speaker) -> None:
        self._sockets = sockets
        self._counting = counting
        self._speaker = speaker
        self._backlog = open_files.backlog_of(open_files.allowed())
        self._again: asyncio.TimerHandle | None = None
        for each in sockets:
            each.listen(self._backlog)
        self.number: int = sockets[0].getsockname()[1]
        """What it is called."""
        self.open()

    def open(self) -> None:
        """Accept."""
        self._stop_waiting()
        for each in self._sockets:
            asyncio.get_running_loop().add_reader(each, self._accept, each)

    def shut(self) -> None:
        """Accept nothing for now; who comes waits."""
        self._stop_waiting()
        for each in self._sockets:
            asyncio.get_running_loop().remove_reader(each)

    def close(self) -> None:
        """Accept nothing more."""
        self.shut()
        for each in self._sockets:
            each.close()

    def _stop_waiting(self) -> None:
        if self._again is not None:
            self._again.cancel()
            self._again = None

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
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "cannot accept connections", "exception": error})
        self.shut()
        self._again = loop.call_later(_AGAIN, self.open)

    def _let_in(self, connection: socket.socket, address: str) -> None:
        counted = self._counting.count(address)
        if counted is None:
            _log.info("turned away", address=address, reason="too many that have not logged in")
            with suppress(OSError):
                connection.send(_CROWDED)
            connection.close()
            return
        if counted.refusal is not None:
            _log.info("turned away", address=address, reason=counted.refusal)
        if not self._speaker.take(connection, counted):
            _log.warning("turned away", address=address, reason="nobody could take the connection")
            connection.close()
            counted.end()
