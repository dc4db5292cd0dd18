"""A port of a server: accepts and counts connections, and hands them to a handler."""

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

from msgspec.structs import replace

from kk_core.errors import KkError, where
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.accounts.guests import network_of
from kk_server.counts import Counts
from kk_server.frontend.garbage_collection import Traffic
from kk_server.limits import FrontendSettings, ServerLimits, TokenBuckets
from kk_server.log import get_logger

CROWDED: Final = text("Too many connections are waiting to log in; please try again later.")
FULL: Final = text("This server is full; please try again later.")
TOO_MANY: Final = text("Too many connections from your address.")
TOO_FAST: Final = text("Too many new connections from your address; please try again in a minute.")


class ConnectionRejected(KkError):
    """A connection that is refused before anything is said; the sentence says why."""


class CountedConnection:
    """A counted connection; `refusal` says why there is no room for it."""

    def __init__(
        self, address: str, refusal: str | None, on_known: Callable[[str], None], on_over: Callable[[], None]
    ) -> None:
        self.address = address
        self.refusal = refusal
        self.name = ""
        """The name that its user logged in with, once they have."""
        self._on_known = on_known
        self._on_over = on_over
        self._is_known = self._is_over = False

    def know(self, name: str) -> None:
        """Note that its user has logged in; may be called more than once."""
        self.name = self.name or name
        if not self._is_known:
            self._is_known = True
            self._on_known(name)

    def end(self) -> None:
        """Note that it has ended; may be called more than once."""
        # a client that leaves without logging in no longer counts as a stranger either
        self.know("")
        if not self._is_over:
            self._is_over = True
            self._on_over()


class ConnectionCounter:
    """Counts the connections of a server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self.open = 0
        """Connections that were not refused at once."""
        self._addresses: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def use(self, limits: ServerLimits) -> None:
        """Apply new limits."""
        self._limits = limits
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    def count(self, address: str) -> CountedConnection:
        """Count a connection. Raises `ConnectionRejected` if even a handshake would be too much."""
        network = network_of(address)
        # a handshake is the most expensive part, so crowds are refused before it
        is_crowd = self._strangers.total() >= self._limits.unauthenticated
        if is_crowd or self._strangers[network] >= self._limits.unauthenticated_per_address:
            raise ConnectionRejected(CROWDED)
        if not self._rates.take(network):
            raise ConnectionRejected(TOO_FAST)
        refusal = self._refusal(network)
        self._strangers[network] += 1
        self._addresses[network] += refusal is None
        self.open += 1
        return CountedConnection(
            address, refusal, lambda _: _count_down(self._strangers, network),
            partial(self._end, network, is_counted=refusal is None),
        )  # fmt: skip

    def count_person(self, address: str) -> CountedConnection:
        """Count somebody who comes through a proxy. Raises `ConnectionRejected` if there is no room."""
        counted = self.count(address)
        if counted.refusal is not None:
            counted.end()
            raise ConnectionRejected(Text(counted.refusal))
        return counted

    def _refusal(self, network: str) -> str | None:
        if self._addresses.total() >= self._limits.connections:
            return str(FULL)
        if self._addresses[network] >= self._limits.connections_per_address:
            return str(TOO_MANY)
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
"""Maximum number of refused connections kept open until the client has read the reason."""

_READING: Final = 3.0  # seconds for the client to read the reason

Farewell = Callable[[str], bytes]
"""Returns what tells a client of some protocol the reason before anything else is said."""


class Rejections:
    """Sends rejected connections the reason.

    Closing a socket with unread data discards what was sent, and clients always speak first: so it stays open
    until the reason was read, or others need the room.
    """

    def __init__(self, farewell: Farewell, seconds: float = _READING) -> None:
        """Give clients `seconds` to read the reason, which `farewell` puts into words of their protocol."""
        self._farewell = farewell
        self._seconds = seconds
        self._reading: dict[socket.socket, asyncio.TimerHandle] = {}

    def tell(self, connection: socket.socket, reason: str) -> None:
        """Send the reason to a client, and close its connection later."""
        try:
            connection.send(self._farewell(reason))
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # the client is gone already
            connection.close()
            return
        if len(self._reading) >= AT_ONCE:
            self._let_go(next(iter(self._reading)))
        loop = asyncio.get_running_loop()
        self._reading[connection] = loop.call_later(self._seconds, self._let_go, connection)

    def close(self) -> None:
        """Close all of them now."""
        for connection in list(self._reading):
            self._let_go(connection)

    def _let_go(self, connection: socket.socket) -> None:
        self._reading.pop(connection).cancel()
        connection.close()


INFINITY: Final = resource.RLIM_INFINITY

BACKLOG: Final = 100
"""Connections that may wait to be accepted; those waiting are all accepted at once."""

_OWN: Final = 64 + AT_ONCE
"""Files that the server needs for itself: tables, log, records, bots, and refused connections."""

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_SAID_APART: Final = 60.0  # seconds between two log lines about the same shortage

_logger = get_logger()


_OPEN_MAX: Final = 10_240
"""Open files that macOS allows a process whose limit it reports as infinite."""


def raise_limit() -> None:
    """Raise the limit on open files as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for files in (hard, max(soft, _OPEN_MAX)):
        with suppress(ValueError, OSError):  # macOS reports an infinite limit that it does not allow
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
            return


def allowed() -> int:
    """Return how many files this process may open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def backlog_of(files: int) -> int:
    """Return how many connections may wait to be accepted, given the limit on open files."""
    return BACKLOG if files == INFINITY else max(1, min(BACKLOG, files // 8))


def fitting(limits: ServerLimits, files: int) -> ServerLimits:
    """Reduce the limits to what the number of open files allows."""
    room = files - _OWN - backlog_of(files)
    if files == INFINITY or limits.connections + limits.unauthenticated <= room:
        return limits
    # at most a quarter for people logging in, the rest for people playing
    strangers = max(1, min(limits.unauthenticated, room // 4))
    connections = max(1, min(limits.connections, room - strangers))
    if (connections, strangers) != (limits.connections, limits.unauthenticated):
        _logger.warning("fewer connections", files=files, connections=connections, unauthenticated=strangers)
    return replace(limits, connections=connections, unauthenticated=strangers)


class LoopFaults:
    """Logs unhandled errors of the event loop in one line; asyncio itself writes tracebacks."""

    def __init__(self) -> None:
        self._said = -_SAID_APART

    def __call__(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error; the signature is that of `set_exception_handler`."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED:
            self._say_exhausted(error)
        else:
            message = context.get("message")
            _logger.error("fault", message=message, error=None if error is None else where(error))

    def _say_exhausted(self, error: OSError) -> None:
        if monotonic() - self._said >= _SAID_APART:
            self._said = monotonic()
            _logger.error("cannot accept connections", reason=error.strerror, tried_again="every second")


_AGAIN: Final = 1.0
"""Seconds without accepting after there were no files, or no handler, for a connection."""

_NOTED_APART: Final = 10.0
"""Seconds in which the log mentions an address and reason of refusal once; then it says how often."""

_EVERYBODY: Final = ("0.0.0.0", "::")
_NAMES: Final = {"all": _EVERYBODY, "": _EVERYBODY, "*": _EVERYBODY, "localhost": ("127.0.0.1", "::1")}
"""Hosts that mean both families, whatever the machine's hosts file says."""

_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)

_Place = tuple[socket.AddressFamily, Any]
"""A family and an address in it, as in `socket`."""

_TRIES: Final = 20
"""Attempts at finding a port that is free in both families."""


class CannotServe(KkError):
    """The server cannot start; the sentence says why."""


Count = Callable[[str], CountedConnection]
"""Counts a connection from an address. Raises `ConnectionRejected`."""

Take = Callable[[socket.socket, CountedConnection], bool]
"""Speaks a protocol on a connection from now on; returns False if that is not possible now."""


class ConnectionHandler(Protocol):
    """Speaks SSH on connections: a frontend in this process, or worker processes."""

    @property
    def traffic(self) -> Traffic:
        """The sessions of this process."""
        ...

    def take(self, connection: socket.socket, counted: CountedConnection) -> bool:
        """Speak SSH on a connection from now on; False if that is not possible now."""
        ...

    def use(self, settings: FrontendSettings) -> None:
        """Apply new settings to connections made from now on."""
        ...

    def counted(self) -> Mapping[str, Counts]:
        """Return the counters of other processes, by name."""
        ...

    async def close(self, reason: Text) -> None:
        """Disconnect everybody."""
        ...


async def bind(host: str, port: int) -> list[socket.socket]:
    """Bind sockets to all addresses of a host, without listening; port 0 means any free one.

    Each has a single family, so that an IPv4 address never looks like IPv6. Raises `CannotServe`.
    """
    reason = Text("")
    for _ in range(_TRIES if port == 0 else 1):
        try:
            return _bound(await _places(host, port))
        except UnicodeError:
            reason = system_reason(errno.EINVAL)  # not a host name
            break
        except OSError as error:
            reason = _reason(error)
            if error.errno != errno.EADDRINUSE:
                break
    raise CannotServe(
        text("Cannot listen on {host} port {port}: {reason}", host=host, port=port, reason=reason)
    )


_UNKNOWN: Final[Mapping[int | None, Text]] = {
    socket.EAI_AGAIN: text("Temporary failure in name resolution"),
    socket.EAI_FAIL: text("Non-recoverable failure in name resolution"),
    socket.EAI_NODATA: text("No address associated with hostname"),
    socket.EAI_NONAME: text("Name or service not known"),
}
"""What gai_strerror(3) says of names; its numbers mean something else to strerror(3)."""


def _reason(error: OSError) -> Text:
    if isinstance(error, socket.gaierror):
        return _UNKNOWN.get(error.errno, Text(str(error.strerror)))
    return system_reason(error)


async def _places(host: str, port: int) -> list[_Place]:
    loop, places = asyncio.get_running_loop(), set[_Place]()
    for name in _NAMES.get(host, (host,)):
        found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        places |= {(family, address) for family, _, _, _, address in found if family in _FAMILIES}
    return sorted(places, key=lambda place: (_FAMILIES.index(place[0]), place[1]))


def _bound(places: Sequence[_Place]) -> list[socket.socket]:
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
            # otherwise a restarted server would find its port taken for a minute (TIME_WAIT)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family is socket.AF_INET6:
                # otherwise it also takes IPv4, and binding that family fails
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                # the port of the first socket, so that both families have the same one
                one.bind((address, port or (sockets[0].getsockname()[1] if sockets else 0), *more))
            except OSError as error:
                one.close()
                if error.errno != errno.EADDRNOTAVAIL:
                    raise
                missing = error  # for example, IPv6 is disabled
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
    """Return the address that a socket listens on, as in "[::1]"."""
    address = str(listening.getsockname()[0])
    return f"[{address}]" if ":" in address else address


class Port:
    """Accepts connections from bound sockets, and closes these in the end."""

    def __init__(
        self,
        sockets: Sequence[socket.socket],
        count: Count,
        take: Take,
        farewell: Farewell,
    ) -> None:
        """Listen on `sockets`; `count` connections, and `take` them or tell them why not (`farewell`)."""
        self._sockets = sockets
        self._count = count
        self._take = take
        self._held: deque[tuple[socket.socket, CountedConnection]] = deque()
        """Connections that could not be handed over yet."""
        self._backlog = backlog_of(allowed())
        self._again: asyncio.TimerHandle | None = None
        self._noted: Counter[tuple[str, str]] = Counter()
        """How often an address was refused again for the same reason, since the log last said so."""
        self._turning_away = Rejections(farewell)
        for each in sockets:
            each.listen(self._backlog)
        self.number: int = sockets[0].getsockname()[1]
        """The port number."""
        self.places = tuple(map(format_place, sockets))
        """The addresses it listens on."""
        self.open()

    def open(self) -> None:
        """Accept connections, once those held back can be handed over."""
        self._shut()
        while self._held:
            if not self._take(*self._held[0]):
                self._rest()
                return
            self._held.popleft()
        for each in self._sockets:
            asyncio.get_running_loop().add_reader(each, self._accept, each)

    def close(self) -> None:
        """Stop accepting."""
        self._shut()
        self._turning_away.close()
        for address, reason in list(self._noted):
            self._note_more(address, reason)
        for each in (*self._sockets, *(connection for connection, _ in self._held)):
            each.close()

    def _shut(self) -> None:
        if self._again is not None:
            self._again.cancel()
            self._again = None
        for each in self._sockets:
            asyncio.get_running_loop().remove_reader(each)

    def _rest(self) -> None:
        self._shut()
        self._again = asyncio.get_running_loop().call_later(_AGAIN, self.open)

    def _accept(self, listening: socket.socket) -> None:
        # bounded, so that a flood of connections does not hold up the loop
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
            counted = self._count(address)
        except ConnectionRejected as error:
            self._note(address, str(error))
            self._turning_away.tell(connection, str(error))
            return
        if counted.refusal is not None:
            self._note(address, counted.refusal)
        if not self._take(connection, counted):
            # it has been accepted already: keep it until it can be handed over
            self._held.append((connection, counted))
            self._rest()

    def _note(self, address: str, reason: str) -> None:
        # repeated attempts must not fill the log: only count them
        if (address, reason) in self._noted:
            self._noted[address, reason] += 1
            return
        self._noted[address, reason] = 0
        _logger.info("turned away", address=address, reason=reason)
        asyncio.get_running_loop().call_later(_NOTED_APART, self._note_more, address, reason)

    def _note_more(self, address: str, reason: str) -> None:
        if more := self._noted.pop((address, reason), 0):
            _logger.info("turned away", address=address, times=more, reason=reason)
