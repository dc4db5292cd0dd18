"""One SSH channel: finds out what it is for, and has it handled."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

import asyncssh

from kk_core.errors import KkError, where
from kk_core.text import Text, printable, text
from kk_core.wire.people import is_guest
from server.accounts.accounts import Login, NotLetIn
from server.accounts.guests import network_of
from server.counts import counts
from server.front.connections import Connections
from server.front.console.desk import Asker, Desk
from server.front.console.handler import ConsoleHandler
from server.front.console.parser import JOIN, LINK, NEEDS_TERMINAL, parse
from server.front.door import Caller
from server.front.driver import Terminal
from server.front.files.folder import OwnRecords
from server.front.files.sftp import SFTP, SftpHandler
from server.front.subsystem import SUBSYSTEM, SubsystemHandler
from server.front.terminal import AccountSettings, TerminalHandler, asks_for_a_language, translate
from server.front.writer import CHANNEL, CONNECTION, ChannelWriter
from server.hub.hub import News
from server.hub.place import Place
from server.hub.tasks import spawn
from server.log import get_logger, log_session

_log = get_logger("front")

_NO_TERMINAL: Final = (None, "dumb")

SHELL: Final = "shell"
COMMAND: Final = "command"
_KEY_ADDED: Final = text("A further SSH key opens your account from now on, by the code from here.")


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


class SshSession(asyncssh.SSHServerSession[bytes]):
    """One channel: finds out what it is for, and has it handled."""

    def __init__(
        self, connections: Connections, caller: Caller, on_end: Callable[[SshSession], None]
    ) -> None:
        self.id = secrets.token_hex(4)
        """What the log calls it."""
        self.task: asyncio.Task[None] | None = None
        self.user: str | None = None
        """Who it is, once that is known."""
        self._heard = 0.0
        self._idleness: asyncio.TimerHandle | None = None
        self._connections = connections
        self.caller = caller
        self._on_end = on_end
        self._purpose = SHELL
        self._command = ""
        self._early = bytearray()
        self._size = (0, 0)
        self._term: str | None = None
        self._handler: ChannelHandler | None = None
        self._writer: ChannelWriter
        self._channel: asyncssh.SSHServerChannel[bytes]

    # -- what the client asks for ----------------------------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """The channel is there."""
        self._channel = chan
        limits = self._connections.limits
        chan.set_write_buffer_limits(high=limits.queued_bytes)
        self._writer = ChannelWriter(chan, limits.patience)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], _modes: Any) -> bool:
        """There is a terminal on the other side."""
        self._term, self._size = term_type, term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """A shell is the game."""
        return True

    def exec_requested(self, command: str) -> bool:
        """A command."""
        self._purpose, self._command = COMMAND, command
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """A client program."""
        self._purpose = subsystem
        return subsystem in (SUBSYSTEM, SFTP)

    def session_started(self) -> None:
        """Begin to serve."""
        self._connections.sessions.add(self)
        self.task = spawn(self._serve(), f"ssh session of {self.caller.name}")
        self._heard = asyncio.get_running_loop().time()
        self._watch_idleness()

    async def _serve(self) -> None:
        log_session(self.id)
        status = 1
        try:
            status = await self._served()
        except KkError as error:
            counts.refused_logins += isinstance(error, NotLetIn)
            _log.info("refused", user=self.caller.name, purpose=self._purpose, reason=str(error))
            self._say(error.reason)
            status = 2
        except Exception as error:  # one user's fault is nobody else's
            _log.error("session failed", user=self.caller.name, error=where(error))
        finally:
            self._connections.sessions.discard(self)
            self._connections.ended += 1
            self._close(status)

    async def _served(self) -> int:
        """Find out who is there, and serve him; gives the exit status. Raises `KkError` with a refusal."""
        self._check_purpose()
        word, code = _words_of(self._command)
        if self._purpose == COMMAND and word not in (LINK, JOIN):
            return await self._answered()
        if self._purpose == SFTP:
            return await self._read_from()
        linked = await self._link(code) if word == LINK else None
        if linked is not None and self._term in _NO_TERMINAL:
            self._connections.hub.tell(linked.user, _KEY_ADDED)
            self._channel.write(self._line(linked.notice or _KEY_ADDED))
            return 0
        login = linked or await self._connections.door.enter(self.caller)
        self._take_place(login.user)
        _log.info("connect", user=login.user, purpose=self._purpose)
        news = News(login.notice, None if linked is None else _KEY_ADDED)
        place = await self._connections.hub.join(login.user, code) if word == JOIN else None
        self._handler = handler = await self._make_handler(login.user, news, place)
        if self._writer.is_closed:
            return 0
        return await self._run(handler)

    async def _read_from(self) -> int:
        """Let somebody read his own records; gives the exit status. Raises `KkError` with a refusal."""
        user = await self._connections.door.recognise(self.caller)
        self._take_place(user)
        _log.info("files", user=user)
        records = OwnRecords(self._connections.hub, user)
        self._handler = handler = SftpHandler(records, self._writer, self._connections.limits)
        return await self._run(handler)

    async def _run(self, handler: ChannelHandler) -> int:
        """Serve the channel, with what has come already; gives the exit status."""
        handler.feed(bytes(self._early))
        self._early.clear()
        self._channel.resume_reading()
        return await handler.run()

    def _check_purpose(self) -> None:
        """Refuse what cannot be served to anybody, before a name is claimed for it. Raises `NoTerminal`."""
        word, _ = _words_of(self._command)
        if (self._purpose == SHELL or word == JOIN) and self._term in _NO_TERMINAL:
            raise NoTerminal(NEEDS_TERMINAL)

    async def _answered(self) -> int:
        """Carry a command out; gives the exit status. Raises `KkError` where it is refused."""
        work, door = parse(self._command), self._connections.door
        user, is_admin = await door.recognise(self.caller), door.is_admin(self.caller)
        self._take_place(user)
        _log.info("command", user=user, command=self._command)
        asker = Asker(user, self.caller.fingerprint, self.caller.address, is_admin)
        newline = b"\n" if self._term is None else b"\r\n"
        desk = Desk(self._connections.house, asker, self._writer, self._translate, newline)
        self._handler = handler = ConsoleHandler(desk, self._command, work)
        return await handler.run()

    def _take_place(self, user: str) -> None:
        """Be one of the sessions of a user. Raises `TooManySessions`."""
        n = len(self._connections.sessions_of(user))
        if n >= self._connections.limits.sessions_per_user:
            raise TooManySessions(text("You are here {n} times already: leave one session first.", n=n))
        self.user = user

    async def _link(self, code: str) -> Login:
        """Link the caller's key by a code. Raises `KkError`."""
        account = await self._connections.door.link(self.caller, code)
        _log.info("key linked", user=account)
        return Login(account, text("This key opens the account {name} from now on.", name=account))

    def _say(self, sentence: Text) -> None:
        """A line beside what is sent, in the language of the other side."""
        if not self._channel.is_closing():
            self._channel.write_stderr(self._line(sentence))

    def _line(self, sentence: Text) -> bytes:
        return f"{printable(self._translate(sentence))}\r\n".encode()

    def _translate(self, sentence: Text) -> str:
        return translate(sentence, self._environment())

    def _environment(self) -> Mapping[str, str]:
        """What the other side says of itself; a language of the host's where it asks for none."""
        language, said = self._connections.language, self._channel.get_environment()
        return said if language is None or asks_for_a_language(said) else {**said, "LANG": language}

    def _close(self, status: int) -> None:
        self._on_end(self)
        self._writer.close()
        if not self._channel.is_closing():
            self._channel.exit(status)

    async def _make_handler(self, user: str, news: News, place: Place | None) -> ChannelHandler:
        hub, accounts = self._connections.hub, self._connections.door.accounts
        limits, network = self._connections.limits, network_of(self.caller.address)
        if self._purpose == SUBSYSTEM:
            return SubsystemHandler(hub, user, network, news, self._writer, limits)
        terminal = Terminal(self._writer, self._term or "", self._size, self._environment(), limits)
        settings = None
        if not is_guest(user):
            kept = await accounts.settings_of(user)
            settings = AccountSettings(kept, partial(accounts.keep_settings, user))
        make_app, arrivals = self._connections.make_app, self._connections.arrivals
        return TerminalHandler(
            hub, user, network, news, terminal, make_app, settings, place, limits, arrivals
        )

    # -- what happens on the channel -------------------------------------------------------------------------

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        """Bytes for the handler; the first ones wait until it is known who has sent them."""
        self._heard = self._connections.heard = asyncio.get_running_loop().time()
        if self._handler is not None:
            self._handler.feed(data)
        else:
            self._early += data
            self._channel.pause_reading()

    def eof_received(self) -> bool:
        """The other side has nothing more to say, and so leaves; but who has asked waits for the answer."""
        if self._purpose != COMMAND or self._term is not None:
            self.connection_lost(None)
        return True

    def terminal_size_changed(self, width: int, height: int, *_pixels: int) -> None:
        """The window has a new size."""
        self._size = (width, height)
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
        self._writer.close()
        if self._idleness is not None:  # it would keep all of this for hours
            self._idleness.cancel()
        if self._handler is not None:
            spawn(self._handler.leave(), "leave")

    def end(self, reason: Text) -> None:
        """The server stops."""
        if self._handler is not None:
            self._handler.end(reason)

    def _watch_idleness(self) -> None:
        """End the session when nothing was heard for long; look again when that may be so."""
        if self.task is None or self.task.done():
            return
        loop, idle = asyncio.get_running_loop(), self._connections.limits.idle_seconds
        if loop.time() - self._heard >= idle:
            _log.info("disconnected", user=self.user, reason="idle")
            self.end(text("Nothing was heard from you for a long time. Your seats are kept: come again."))
        else:
            self._idleness = loop.call_at(self._heard + idle, self._watch_idleness)


class TooManySessions(KkError):
    """Somebody is here more often than is borne."""


class NoTerminal(KkError):
    """Somebody asks for what needs a terminal, without one."""


def _words_of(command: str) -> tuple[str, str]:
    """A command and its code; nothing for what has not this form."""
    words = command.split()
    return (words[0], words[1]) if len(words) == 2 and not words[1].startswith("-") else ("", "")
