"""SSH connections and their sessions: how many there may be, and what each is for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.front.driver import Terminal
from server.front.subsystem import SUBSYSTEM, SubsystemHandler
from server.front.terminal import MakeApp, TerminalHandler, translate
from server.front.writer import CHANNEL, CONNECTION, ChannelWriter
from server.hub.hub import Hub
from server.hub.names import clean_name
from server.hub.tasks import spawn
from server.log import get_logger, where

_log = get_logger("front")

_IDLE: Final = 20.0
"""Seconds that a connection may stand without any channel."""

_CLOSING: Final = 3.0
"""Seconds that everybody has to leave when the server stops."""


@dataclass(frozen=True)
class ConnectionLimits:
    """How many may connect, and how long they may be slow."""

    connections: int = 300
    connections_per_address: int = 20
    channels_per_connection: int = 4
    patience: float = 30.0
    """Seconds that somebody may leave unread what was sent."""


class ChannelHandler(Protocol):
    """What happens on one channel: the app on a terminal, or the protocol on the subsystem."""

    async def run(self) -> int:
        """Serve the channel to its end; gives the exit status."""
        ...

    def feed(self, data: bytes) -> None:
        """Bytes from the other side."""
        ...

    def resize(self, width: int, height: int) -> None:
        """The other side's window has a new size."""
        ...

    async def leave(self) -> None:
        """The connection is lost."""
        ...

    def end(self, reason: Text) -> None:
        """The server stops."""
        ...


class Connections:
    """All connections of a server, counted, and what their sessions need."""

    def __init__(self, hub: Hub, make_app: MakeApp, limits: ConnectionLimits) -> None:
        self.hub = hub
        self.make_app = make_app
        self.limits = limits
        self.open: set[SshServer] = set()
        self.sessions: set[SshSession] = set()
        self._addresses: Counter[str] = Counter()

    def admit(self, address: str) -> str | None:
        """Count a new connection; gives the reason when there is no room for it."""
        if self._addresses.total() >= self.limits.connections:
            return "This server is full; please try again later."
        if self._addresses[address] >= self.limits.connections_per_address:
            return "There are too many connections from your address."
        self._addresses[address] += 1
        return None

    def release(self, address: str) -> None:
        """A counted connection has ended."""
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        tasks = [session.task for session in self.sessions if session.task is not None]
        for session in list(self.sessions):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING)
        for connection in list(self.open):
            connection.close()


class SshServer(asyncssh.SSHServer):
    """One connection. Whoever gives a name comes in under it; accounts would be asked here."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._address: str | None = None
        self._refusal: str | None = None
        self._user = ""
        self._sessions: set[SshSession] = set()
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Let the connection in, or turn it away."""
        self._connection = conn
        address = str((conn.get_extra_info("peername") or ("?",))[0])
        self._connections.open.add(self)
        if len(self._connections.open) > 2 * self._connections.limits.connections:
            conn.abort()
            return
        self._refusal = self._connections.admit(address)
        if self._refusal is not None:
            _log.info("turned away", address=address, reason=self._refusal)
            return
        self._address = address
        # asyncssh ignores that the socket is full, and would queue without end
        conn.pause_writing = lambda: self._set_paused(True)  # type: ignore[method-assign]
        conn.resume_writing = lambda: self._set_paused(False)  # type: ignore[method-assign]
        self._expect_session()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended, one way or the other."""
        self._connections.open.discard(self)
        if self._address is not None:
            self._connections.release(self._address)
            _log.info("disconnect", user=self._user, error=None if exc is None else type(exc).__name__)

    def begin_auth(self, username: str) -> bool:
        """No password: the name is enough. Only now can somebody be told why there is no room.

        Raises DisconnectError.
        """
        if self._refusal is not None:
            raise asyncssh.DisconnectError(asyncssh.DISC_TOO_MANY_CONNECTIONS, self._refusal)
        self._user = username
        return False

    def session_requested(self) -> SshSession:
        """Open a channel. Raises ChannelOpenError when there are too many."""
        if len(self._sessions) >= self._connections.limits.channels_per_connection:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "Too many channels.")
        session = SshSession(self._connections, self._user, self._session_ended)
        self._sessions.add(session)
        return session

    def _session_ended(self, session: SshSession) -> None:
        self._sessions.discard(session)
        self._expect_session()

    def _expect_session(self) -> None:
        asyncio.get_running_loop().call_later(_IDLE, self._close_if_idle)

    def close(self) -> None:
        """End the connection after what is still being sent."""
        if self._connection is not None:
            self._connection.close()

    def _close_if_idle(self) -> None:
        if not self._sessions:
            self.close()

    def _set_paused(self, paused: bool) -> None:
        for session in self._sessions:
            session.set_paused(paused)


class SshSession(asyncssh.SSHServerSession[bytes]):
    """One channel: finds out what it is for, and has it handled."""

    def __init__(self, connections: Connections, user: str, on_end: Callable[[SshSession], None]) -> None:
        self.task: asyncio.Task[None] | None = None
        self._connections = connections
        self._name = user
        self._on_end = on_end
        self._purpose = "shell"
        self._size = (0, 0)
        self._term: str | None = None
        self._handler: ChannelHandler | None = None
        self._writer: ChannelWriter
        self._channel: asyncssh.SSHServerChannel[bytes]

    # -- what the client asks for ----------------------------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """The channel is there."""
        self._channel = chan
        self._writer = ChannelWriter(chan, self._connections.limits.patience)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], _modes: Any) -> bool:
        """There is a terminal on the other side."""
        self._term, self._size = term_type, term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """A shell is the game."""
        return True

    def exec_requested(self, _command: str) -> bool:
        """A command is answered with a sentence."""
        self._purpose = "command"
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """A client program."""
        self._purpose = SUBSYSTEM
        return subsystem == SUBSYSTEM

    def session_started(self) -> None:
        """Begin to serve, or say why not."""
        try:
            self._handler = self._make_handler(clean_name(self._name))
        except KkError as error:
            _log.info("refused", user=self._name, purpose=self._purpose, reason=str(error))
            sentence = translate(error.reason, self._channel.get_environment())
            self._channel.write_stderr(f"{sentence}\r\n".encode())
            self._close(2)
            return
        _log.info("connect", user=self._name, purpose=self._purpose)
        self._connections.sessions.add(self)
        self.task = spawn(self._serve(self._handler), f"ssh session of {self._name}")

    async def _serve(self, handler: ChannelHandler) -> None:
        status = 1
        try:
            status = await handler.run()
        except Exception as error:  # one user's fault is nobody else's
            _log.error("session failed", user=self._name, error=where(error))
        finally:
            self._connections.sessions.discard(self)
            self._close(status)

    def _close(self, status: int) -> None:
        self._on_end(self)
        self._writer.close()
        if not self._channel.is_closing():
            self._channel.exit(status)

    def _make_handler(self, user: str) -> ChannelHandler:
        hub = self._connections.hub
        if self._purpose == SUBSYSTEM:
            return SubsystemHandler(hub, user, self._writer)
        if self._purpose == "command":
            raise NoTerminal(text("There are no commands here: connect without one, and play."))
        if self._term is None or self._term == "dumb":
            raise NoTerminal(text("The games need a terminal: connect with ssh -t from one."))
        terminal = Terminal(self._writer, self._term, self._size, self._channel.get_environment())
        return TerminalHandler(hub, user, terminal, self._connections.make_app)

    # -- what happens on the channel -------------------------------------------------------------------------

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        """Bytes for the handler."""
        if self._handler is not None:
            self._handler.feed(data)

    def eof_received(self) -> bool:
        """The other side has nothing more to say, and so leaves."""
        self.connection_lost(None)
        return True

    def terminal_size_changed(self, width: int, height: int, *_pixels: int) -> None:
        """The window has a new size."""
        if self._handler is not None:
            self._handler.resize(width, height)

    def pause_writing(self) -> None:
        """The channel's window is full."""
        self._writer.set_paused(CHANNEL, True)

    def resume_writing(self) -> None:
        """The channel's window has room again."""
        self._writer.set_paused(CHANNEL, False)

    def set_paused(self, paused: bool) -> None:
        """The connection's socket is full, or no longer so."""
        self._writer.set_paused(CONNECTION, paused)

    def connection_lost(self, _error: Exception | None) -> None:
        """Nobody is there any more."""
        if self._handler is not None:
            spawn(self._handler.leave(), "leave")

    def end(self, reason: Text) -> None:
        """The server stops."""
        if self._handler is not None:
            self._handler.end(reason)


class NoTerminal(KkError):
    """Somebody asks for what needs a terminal, without one."""
