"""The port of a server: connections are taken from it, counted, and given to who speaks SSH with them."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

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

_EVERYBODY: Final = ("0.0.0.0", "::")
_NAMES: Final = {"all": _EVERYBODY, "": _EVERYBODY, "*": _EVERYBODY, "localhost": ("127.0.0.1", "::1")}
"""Hosts that are known by both families, whatever the machine's own list of names has."""

_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)

_Place = tuple[socket.AddressFamily, Any]
"""A family and an address of it, as sockets have them."""

_TRIES: Final = 20
"""How often a port is sought that is free for both families."""

_log = get_logger()


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
    """Sockets at all addresses of a host, which nobody can connect to yet; port 0 is a free one.

    Each takes one family alone: an IPv4 address is never one that looks like IPv6. Raises `CannotServe`.
    """
    reason = ""
    for _ in range(_TRIES if port == 0 else 1):
        try:
            return _bound(await _places(host, port))
        except UnicodeError:
            reason = os.strerror(errno.EINVAL)  # nothing that could be the name of a machine
            break
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno != errno.EADDRINUSE:
                break
    raise CannotServe(
        text("Cannot listen on {host} port {port}: {reason}", host=host, port=port, reason=reason)
    )


async def _places(host: str, port: int) -> list[_Place]:
    """The addresses of a host, those of IPv4 first. Raises OSError."""
    loop, places = asyncio.get_running_loop(), set[_Place]()
    for name in _NAMES.get(host, (host,)):
        found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        places |= {(family, address) for family, _, _, _, address in found if family in _FAMILIES}
    return sorted(places, key=lambda place: (_FAMILIES.index(place[0]), place[1]))


def _bound(places: Sequence[_Place]) -> list[socket.socket]:
    """A socket at each of these addresses that this machine has, all with one port. Raises OSError."""
    sockets: list[socket.socket] = []
    missing = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    try:
        for family, (address, port, *more) in places:
            try:
                one = socket.socket(family, socket.SOCK_STREAM)
            except OSError as error:  # a kernel without IPv6
                missing = error
                continue
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family is socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                one.bind((address, port or (sockets[0].getsockname()[1] if sockets else 0), *more))
            except OSError as error:
                one.close()
                if error.errno != errno.EADDRNOTAVAIL:
                    raise
                missing = error  # IPv6 is switched off, say
                continue
            sockets.append(one)
    except OSError:
        for one in sockets:
            one.close()
        raise
    if not sockets:
        raise missing
    return sockets


def format_place(listening: socket.socket) -> str:
    """The address that a socket listens on, as in "[::1]"."""
    address = str(listening.getsockname()[0])
    return f"[{address}]" if ":" in address else address


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
        self.places = tuple(map(format_place, sockets))
        """The addresses that it is at."""
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
