"""The port of a server: connections are taken from it, counted, and given to who speaks SSH with them."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Final, Protocol

import asyncssh
from asyncssh.packet import Byte, String, UInt32
from msgspec.structs import replace

from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_server.accounts.guests import network_of
from kk_server.counts import Counts
from kk_server.limits import ServerLimits, SshSettings, TokenBuckets
from kk_server.log import get_logger
from kk_server.ssh.collector import Traffic

_CROWDED: Final = text("Too many connections that have not logged in; please try again later.")
_TOO_FAST: Final = text("Too many new connections from your address; please try again in a minute.")


class TurnedAway(KkError):
    """Somebody is not even spoken with; the sentence says why."""


class Counted:
    """A connection that is counted; `refusal` says why there is no room for it."""

    def __init__(
        self, address: str, refusal: str | None, on_known: Callable[[], None], on_over: Callable[[], None]
    ) -> None:
        self.address = address
        self.refusal = refusal
        self._on_known = on_known
        self._on_over = on_over
        self._is_known = self._is_over = False

    def know(self) -> None:
        """It is known whose it is; may be said more than once."""
        if not self._is_known:
            self._is_known = True
            self._on_known()

    def end(self) -> None:
        """It has ended; may be said more than once."""
        self.know()
        if not self._is_over:
            self._is_over = True
            self._on_over()


class Counting:
    """All connections of a server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self.open = 0
        """Connections that were not turned away at once."""
        self._addresses: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def use(self, limits: ServerLimits) -> None:
        """Have these limits count for whoever comes from now on."""
        self._limits = limits
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    def count(self, address: str) -> Counted:
        """Count a connection. Raises `TurnedAway` where that costs too much already."""
        network = network_of(address)
        is_crowd = self._strangers.total() >= self._limits.unauthenticated
        if is_crowd or self._strangers[network] >= self._limits.unauthenticated_per_address:
            raise TurnedAway(_CROWDED)
        if not self._rates.take(network):
            raise TurnedAway(_TOO_FAST)
        refusal = self._refusal(network)
        self._strangers[network] += 1
        self._addresses[network] += refusal is None
        self.open += 1
        on_known = partial(_count_down, self._strangers, network)
        return Counted(address, refusal, on_known, partial(self._end, network, is_counted=refusal is None))

    def _refusal(self, network: str) -> str | None:
        if self._addresses.total() >= self._limits.connections:
            return "This server is full; please try again later."
        if self._addresses[network] >= self._limits.connections_per_address:
            return "There are too many connections from your address."
        return None

    def _end(self, network: str, *, is_counted: bool) -> None:
        self.open -= 1
        if is_counted:
            _count_down(self._addresses, network)


def _count_down(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]


AT_ONCE: Final = 16
"""So many of them keep a file of the process open, at most."""

_READING: Final = 3.0

_VERSION: Final = b"SSH-2.0-kk\r\n"
_BLOCK: Final = 8
_DISCONNECT: Final = 1


class TurningAway:
    """Those who are being turned away.

    They are told by what SSH says when it disconnects, which may come before keys are exchanged: clients show
    that, while lines before the version are shown by none of them. A socket that is closed with something
    unread takes back what was sent, and clients always speak first: so it stays open until that was read, or
    others need the room.
    """

    def __init__(self, seconds: float = _READING) -> None:
        """So many seconds somebody has to read it."""
        self._seconds = seconds
        self._reading: dict[socket.socket, asyncio.TimerHandle] = {}

    def tell(self, connection: socket.socket, reason: str) -> None:
        """Tell somebody, and let him go."""
        try:
            connection.send(_VERSION + _farewell(reason))
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # he does not wait for it
            connection.close()
            return
        if len(self._reading) >= AT_ONCE:
            self._let_go(next(iter(self._reading)))
        loop = asyncio.get_running_loop()
        self._reading[connection] = loop.call_later(self._seconds, self._let_go, connection)

    def close(self) -> None:
        """Wait for none of them."""
        for connection in list(self._reading):
            self._let_go(connection)

    def _let_go(self, connection: socket.socket) -> None:
        self._reading.pop(connection).cancel()
        connection.close()


def _farewell(reason: str) -> bytes:
    """A packet that disconnects, as it is before keys are exchanged."""
    code = UInt32(asyncssh.DISC_TOO_MANY_CONNECTIONS)
    said = Byte(_DISCONNECT) + code + String(reason) + String("en")
    padding = _BLOCK + -(5 + len(said)) % _BLOCK  # at least four bytes, until whole blocks are full
    return UInt32(1 + len(said) + padding) + Byte(padding) + said + bytes(padding)


INFINITY: Final = resource.RLIM_INFINITY

BACKLOG: Final = 100
"""Connections that may wait to be accepted, which is done with all of them at once."""

_OWN: Final = 64 + AT_ONCE
"""Files that the server needs for itself: tables, log, records, processes of bots, and whom it turns away."""

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_SAID_APART: Final = 60.0

_log = get_logger()


def raise_limit() -> None:
    """Have as many files as the system lets this process have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # some systems call a number infinite that they do not allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def allowed() -> int:
    """How many files this process may open now."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def backlog_of(files: int) -> int:
    """How many connections may wait to be accepted where there are so many files."""
    return BACKLOG if files == INFINITY else max(1, min(BACKLOG, files // 8))


def fitting(limits: ServerLimits, files: int) -> ServerLimits:
    """As many connections as so many files suffice for."""
    room = files - _OWN - backlog_of(files)
    if files == INFINITY or limits.connections + limits.unauthenticated <= room:
        return limits
    strangers = max(1, min(limits.unauthenticated, room // 4))
    connections = max(1, min(limits.connections, room - strangers))
    if (connections, strangers) != (limits.connections, limits.unauthenticated):
        _log.warning("fewer connections", files=files, connections=connections, unauthenticated=strangers)
    return replace(limits, connections=connections, unauthenticated=strangers)


class LoopFaults:
    """Says in a line what goes wrong in the event loop and nobody waits for; asyncio writes tracebacks."""

    def __init__(self) -> None:
        self._said = -_SAID_APART

    def __call__(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What `set_exception_handler` asks for."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED:
            self._say_exhausted(error)
        else:
            message = context.get("message")
            _log.error("fault", message=message, error=None if error is None else where(error))

    def _say_exhausted(self, error: OSError) -> None:
        if monotonic() - self._said >= _SAID_APART:
            self._said = monotonic()
            _log.error("cannot accept connections", reason=error.strerror, tried_again="every second")


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


class CannotServe(KkError):
    """The server cannot start; the sentence says why."""


class Speakers(Protocol):
    """Those who speak SSH: a frontend in this process, or several processes."""

    @property
    def traffic(self) -> Traffic:
        """What goes on in this process."""
        ...

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Speak with somebody from now on; False where nobody can now."""
        ...

    def use(self, settings: SshSettings) -> None:
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
        self._backlog = backlog_of(allowed())
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
