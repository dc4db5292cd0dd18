"""The listener's side of a connection: who may come in, and through which door."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.front.driver import Terminal
from server.front.outlet import CHANNEL, CONNECTION, Outlet
from server.front.sync import SUBSYSTEM, SyncGuest
from server.hub.hub import Hub
from server.hub.names import clean_name
from server.hub.tasks import spawn
from server.log import get_logger, where

_log = get_logger("front")

_IDLE: Final = 20.0
"""Seconds that a connection may stand without any channel."""

_FAREWELL: Final = 3.0
"""Seconds that guests have to leave when the server stops."""


@dataclass(frozen=True)
class Doors:
    """How many may come in."""

    connections: int = 300
    connections_per_address: int = 20
    channels_per_connection: int = 4
    patience: float = 30.0
    """Seconds that somebody may leave unread what was sent."""


class Guest(Protocol):
    """Whoever is behind one channel."""

    async def run(self) -> int:
        """Be there until the visit is over; gives the exit status."""
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


OpenTerminal = Callable[[Hub, str, Terminal], Guest]
"""Makes the guest who plays on a terminal: hub, user name, terminal."""


Speak = Callable[[Text, Mapping[str, str]], str]
"""A sentence in the language that the environment of a channel asks for."""


class Reception:
    """Counts who is in, and knows where the doors lead."""

    def __init__(self, hub: Hub, open_terminal: OpenTerminal, speak: Speak, doors: Doors) -> None:
        self.hub = hub
        self.open_terminal = open_terminal
        self.speak = speak
        self.doors = doors
        self.visits: set[Visit] = set()
        self.rooms: set[Room] = set()
        self._addresses: Counter[str] = Counter()

    def admit(self, address: str) -> str | None:
        """Count a new connection; gives the reason when there is no room for it."""
        if self._addresses.total() >= self.doors.connections:
            return "This server is full; please try again later."
        if self._addresses[address] >= self.doors.connections_per_address:
            return "There are too many connections from your address."
        self._addresses[address] += 1
        return None

    def depart(self, address: str) -> None:
        """A counted connection has ended."""
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        tasks = [room.task for room in self.rooms if room.task is not None]
        for room in list(self.rooms):
            room.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_FAREWELL)
        for visit in list(self.visits):
            visit.close()


class Visit(asyncssh.SSHServer):
    """One connection. Whoever gives a name comes in under it; accounts would be asked here."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self._address: str | None = None
        self._no_room: str | None = None
        self._user = ""
        self._rooms: set[Room] = set()
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Let the connection in, or turn it away."""
        self._connection = conn
        address = str((conn.get_extra_info("peername") or ("?",))[0])
        self._reception.visits.add(self)
        if len(self._reception.visits) > 2 * self._reception.doors.connections:
            conn.abort()
            return
        self._no_room = self._reception.admit(address)
        if self._no_room is not None:
            _log.info("turned away", address=address, reason=self._no_room)
            return
        self._address = address
        # asyncssh ignores that the socket is full, and would queue without end
        conn.pause_writing = lambda: self._hold(True)  # type: ignore[method-assign]
        conn.resume_writing = lambda: self._hold(False)  # type: ignore[method-assign]
        self._expect_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended, one way or the other."""
        self._reception.visits.discard(self)
        if self._address is not None:
            self._reception.depart(self._address)
            _log.info("disconnect", user=self._user, error=None if exc is None else type(exc).__name__)

    def begin_auth(self, username: str) -> bool:
        """No password: the name is enough. Only now can somebody without room be told why.

        Raises DisconnectError.
        """
        if self._no_room is not None:
            raise asyncssh.DisconnectError(asyncssh.DISC_TOO_MANY_CONNECTIONS, self._no_room)
        self._user = username
        return False

    def session_requested(self) -> Room:
        """Open a channel. Raises ChannelOpenError when there are too many."""
        if len(self._rooms) >= self._reception.doors.channels_per_connection:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "Too many channels.")
        room = Room(self._reception, self._user, self._left)
        self._rooms.add(room)
        return room

    def _left(self, room: Room) -> None:
        self._rooms.discard(room)
        self._expect_room()

    def _expect_room(self) -> None:
        asyncio.get_running_loop().call_later(_IDLE, self._close_if_idle)

    def close(self) -> None:
        """End the connection after what is still being sent."""
        if self._connection is not None:
            self._connection.close()

    def _close_if_idle(self) -> None:
        if not self._rooms:
            self.close()

    def _hold(self, held: bool) -> None:
        for room in self._rooms:
            room.hold(held)


class Room(asyncssh.SSHServerSession[bytes]):
    """One channel: finds out what it is for, and leads the guest in."""

    def __init__(self, reception: Reception, user: str, left: Callable[[Room], None]) -> None:
        self.task: asyncio.Task[None] | None = None
        self._reception = reception
        self._name = user
        self._left = left
        self._wish = "shell"
        self._size = (0, 0)
        self._kind: str | None = None
        self._guest: Guest | None = None
        self._outlet: Outlet
        self._channel: asyncssh.SSHServerChannel[bytes]

    # -- what the client asks for ----------------------------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """The channel is there."""
        self._channel = chan
        self._outlet = Outlet(chan, self._reception.doors.patience)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], _modes: Any) -> bool:
        """There is a terminal on the other side."""
        self._kind, self._size = term_type, term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """A shell is the game."""
        return True

    def exec_requested(self, _command: str) -> bool:
        """A command is answered with a sentence."""
        self._wish = "command"
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """A client program."""
        self._wish = SUBSYSTEM
        return subsystem == SUBSYSTEM

    def session_started(self) -> None:
        """Lead the guest in, or say why not."""
        try:
            self._guest = self._lead_in(clean_name(self._name))
        except KkError as error:
            _log.info("refused", user=self._name, wish=self._wish, reason=str(error))
            self._channel.write_stderr(f"{self._speak(error.reason)}\r\n".encode())
            self._close(2)
            return
        _log.info("connect", user=self._name, wish=self._wish)
        self._reception.rooms.add(self)
        self.task = spawn(self._serve(self._guest), f"guest {self._name}")

    async def _serve(self, guest: Guest) -> None:
        status = 1
        try:
            status = await guest.run()
        except Exception as error:  # one guest's fault is nobody else's
            _log.error("guest failed", user=self._name, error=where(error))
        finally:
            self._reception.rooms.discard(self)
            self._close(status)

    def _close(self, status: int) -> None:
        self._left(self)
        self._outlet.close()
        if not self._channel.is_closing():
            self._channel.exit(status)

    def _lead_in(self, user: str) -> Guest:
        hub = self._reception.hub
        if self._wish == SUBSYSTEM:
            return SyncGuest(hub, user, self._outlet)
        if self._wish == "command":
            raise NoTerminal(text("There are no commands here: connect without one, and play."))
        if self._kind is None or self._kind == "dumb":
            raise NoTerminal(text("The games need a terminal: connect with ssh -t from one."))
        environment = self._channel.get_environment()
        terminal = Terminal(self._outlet, self._kind, self._size, environment, self._speak)
        return self._reception.open_terminal(hub, user, terminal)

    def _speak(self, sentence: Text) -> str:
        return self._reception.speak(sentence, self._channel.get_environment())

    # -- what happens on the channel -------------------------------------------------------------------------

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        """Bytes for the guest."""
        if self._guest is not None:
            self._guest.feed(data)

    def eof_received(self) -> bool:
        """The other side has nothing more to say, and so leaves."""
        self.connection_lost(None)
        return True

    def terminal_size_changed(self, width: int, height: int, *_pixels: int) -> None:
        """The window has a new size."""
        if self._guest is not None:
            self._guest.resize(width, height)

    def pause_writing(self) -> None:
        """The channel's window is full."""
        self._outlet.hold(CHANNEL, True)

    def resume_writing(self) -> None:
        """The channel's window has room again."""
        self._outlet.hold(CHANNEL, False)

    def hold(self, held: bool) -> None:
        """The connection's socket is full, or no longer so."""
        self._outlet.hold(CONNECTION, held)

    def connection_lost(self, _error: Exception | None) -> None:
        """Nobody is there any more."""
        if self._guest is not None:
            spawn(self._guest.leave(), "leave")

    def end(self, reason: Text) -> None:
        """The server stops."""
        if self._guest is not None:
            self._guest.end(reason)


class NoTerminal(KkError):
    """Somebody asks for what needs a terminal, without one."""
