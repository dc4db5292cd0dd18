"""One session, by whatever door somebody came: finds out what it is for, and passes it to a handler."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Final, Protocol, cast

from kk_core.errors import KkError, where
from kk_core.protocol.frames import encode_message, frame
from kk_core.protocol.messages import Notice
from kk_core.text import Text, printable, text
from kk_server.accounts.guests import network_of
from kk_server.accounts.names import says_taken
from kk_server.background import spawn
from kk_server.counts import counts
from kk_server.frontend.channel import FAILED, ChannelWriter, SessionFailed
from kk_server.frontend.driver import Resizes, Terminal
from kk_server.frontend.plain import PlainHandler
from kk_server.frontend.run_queue import RunQueue
from kk_server.frontend.terminal import AccountSettings, FirstPaintQueue, TerminalHandler, prepare
from kk_server.gateway import (
    JOIN,
    LINK,
    MATCH,
    PLAIN,
    SFTP,
    SHELL,
    SUBSYSTEM,
    TABLE,
    Admission,
    Caller,
    CommandRequest,
    Gateway,
    SessionRequest,
    Visit,
)
from kk_server.limits import FrontendSettings
from kk_server.log import get_logger, log_session
from kk_tui.languages import language_of, settled_language, translate

if TYPE_CHECKING:
    from kk_server.frontend.terminal import MakeApp

_WAITING: Final = 8 * 1024
"""Half the bytes that may be buffered before reading pauses."""


# counts what is sent to client programs; what goes to terminals is counted where it is painted
class _Counting:
    def __init__(self, writer: ChannelWriter) -> None:
        self._writer = writer
        self.drain = writer.drain
        self.is_closing = writer.is_closing
        self.close = writer.close

    def write(self, data: bytes) -> None:
        counts.delta_bytes += len(data)
        self._writer.write(data)


class SubsystemHandler:
    """A client of a subsystem, served by the hub."""

    def __init__(self, subsystem: str, visit: Visit, writer: ChannelWriter) -> None:
        self._subsystem = subsystem
        self._visit = visit
        self._writer = writer
        self._reader = asyncio.StreamReader(_WAITING)
        # it can pause and resume reading like a transport, and nothing else is asked of it
        self._reader.set_transport(cast("asyncio.Transport", writer.channel))
        self._is_over = False

    async def run(self) -> int:
        """Serve until the client leaves; returns the exit status. Raises `KkError`."""
        writer = _Counting(self._writer) if self._subsystem == SUBSYSTEM else self._writer
        return await self._visit.serve(self._subsystem, self._reader, writer)

    def feed(self, data: bytes) -> None:
        """Take bytes from the client."""
        if not self._is_over:
            self._reader.feed_data(data)

    def resize(self, width: int, height: int) -> None:
        """Do nothing: programs have no window."""

    async def leave(self) -> None:
        """Handle a lost connection."""
        self._is_over = True
        self._reader.feed_eof()

    def tell(self, sentence: Text) -> None:
        """Send a notice between two frames, if the client speaks the protocol."""
        if self._subsystem == SUBSYSTEM and not self._writer.is_closed:
            self._writer.write(frame(encode_message(Notice(sentence))))

    def end(self, reason: Text) -> None:
        """End the service."""
        self._visit.send_away(reason)


class ConsoleHandler:
    """One command. It reads no input, and ignores the end of input too."""

    def __init__(self, visit: Visit, request: CommandRequest, writer: ChannelWriter) -> None:
        self._visit = visit
        self._request = request
        self._writer = writer

    async def run(self) -> int:
        """Run the command; returns the exit status. Raises `KkError` if it is refused."""
        await self._visit.run(self._request, self._writer)
        return 0

    def feed(self, data: bytes) -> None:
        """Ignore input."""

    def resize(self, width: int, height: int) -> None:
        """Do nothing: plain lines have no window."""

    async def leave(self) -> None:
        """Handle a lost connection."""
        self._visit.leave()

    def tell(self, sentence: Text) -> None:
        """Do nothing: the sentence is not part of the answer."""

    def end(self, reason: Text) -> None:
        """End the command."""
        self._visit.send_away(reason)


_logger = get_logger()

# Emacs and many editors call a terminal "dumb" if its cursor cannot be moved
_NO_TERMINAL: Final = (None, "dumb")

_WRAPPED: Final = 20
"""Sentences are wrapped between words if the terminal has at least this many columns."""

COMMAND: Final = "command"


class ChannelHandler(Protocol):
    """Uses a channel: for the app on a terminal, or the protocol on a subsystem."""

    async def run(self) -> int:
        """Serve the channel until it ends; returns the exit status."""
        ...

    def feed(self, data: bytes) -> None:
        """Handle bytes from the client."""
        ...

    def resize(self, width: int, height: int) -> None:
        """Handle a new window size."""
        ...

    async def leave(self) -> None:
        """Handle a lost connection."""
        ...

    def tell(self, sentence: Text) -> None:
        """Show a sentence that the client has not asked for."""
        ...

    def end(self, reason: Text) -> None:
        """End, because the server stops or the session must."""
        ...


_CLOSING: Final = 3.0
"""Seconds that sessions have to end when the server stops."""


class SessionHost:
    """Everything that the sessions of one process share, by whatever door they came."""

    def __init__(self, gateway: Gateway, make_app: MakeApp, settings: FrontendSettings) -> None:
        self.gateway = gateway
        self.make_app = make_app
        self.limits = settings.limits
        self.language = settings.language
        self.has_motion = settings.motion
        self.sessions: set[ClientSession] = set()
        self.arrivals = FirstPaintQueue(settings.limits)
        self.resizes = Resizes()
        self.run_queue = RunQueue()
        self.ended = 0
        """Number of sessions that have ended since the start."""
        self.heard = 0.0
        """Time of anybody's last key press, by the loop's clock."""
        spawn(prepare(), "load what games look like")  # in the background: the server need not wait

    @property
    def present(self) -> int:
        """Number of current sessions."""
        return len(self.sessions)

    def use(self, settings: FrontendSettings) -> None:
        """Apply these settings to sessions begun from now on."""
        self.limits, self.language = settings.limits, settings.language
        self.has_motion = settings.motion
        self.arrivals.use(settings.limits)

    def tell_all(self, sentence: Text) -> None:
        """Show a sentence to everybody."""
        for session in self.sessions:
            session.tell(sentence)

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        tasks = [session.task for session in self.sessions]
        for session in list(self.sessions):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING)


@dataclass(frozen=True)
class ChannelRequest:
    """The request that a client has opened a channel with: its purpose, and its terminal.

    `purpose` is `SHELL`, `COMMAND` with the command, or the name of a subsystem; `term` is None without a
    terminal, and `size` is in columns and lines. `place` is the table or replay that the user was at before
    the client came back.
    """

    purpose: str = SHELL
    command: str = ""
    term: str | None = None
    size: tuple[int, int] = (0, 0)
    environment: Mapping[str, str] = field(default_factory=dict)
    place: str = ""


class ClientSession:
    """One session over one channel: finds out what it is for, and passes it to a handler."""

    def __init__(
        self,
        host: SessionHost,
        caller: Caller,
        writer: ChannelWriter,
        request: ChannelRequest,
        on_end: Callable[[], None],
    ) -> None:
        """Take a channel and what is asked of it; `on_end` is called before it is closed."""
        self.id = secrets.token_hex(4)
        """Its name in the log."""
        self.user: str | None = None
        """The user, once known."""
        self.leads_nowhere = False
        """True once it is refused since the place that was asked for does not exist, or not for the user."""
        self.is_name_taken = False
        """True once it is refused since the name is that of an account, which may be the user's own."""
        self._host = host
        self._caller = caller
        self._writer = writer
        self._channel = writer.channel
        self._request = request
        self._on_end = on_end
        self._size = request.size
        self._chosen: str | None = None
        """The language of the user's settings, once known."""
        self._early = bytearray()
        self._is_at_end = False
        """True once the client will send nothing more."""
        self._handler: ChannelHandler | None = None
        self._reason: Text | None = None
        """Why it must end, once that is known."""
        self._visit: Visit
        self._heard = asyncio.get_running_loop().time()
        self._idleness: asyncio.TimerHandle | None = None
        host.sessions.add(self)
        self.task = spawn(self._serve(), f"session of {caller.name}")
        self._watch_idleness()

    async def _serve(self) -> None:
        log_session(self.id)
        self._visit = self._host.gateway.visit(self.id, self._caller, self.end)
        status = 1
        try:
            status = await self._served()
        except SessionFailed as error:
            self._reason = error.reason
        except KkError as error:
            _logger.info("refused", **self._who, purpose=self._request.purpose, reason=str(error))
            self.is_name_taken = says_taken(error.reason)
            if not self._channel.is_closing():
                self._channel.write_error(self._line(error.reason))
            status = 2
        except Exception as error:  # one session's failure must not affect others
            _logger.error("session failed", **self._who, error=where(error))
            self._reason = FAILED
            if self._request.term is not None:
                self._writer.write(self._line(FAILED))
        finally:
            self._visit.leave()
            self._host.sessions.discard(self)
            self._host.ended += 1
            self._close(status)

    @property
    def _who(self) -> dict[str, str]:
        """The address and user, for the log."""
        return {"address": self._caller.address, "user": self.user or self._caller.name}

    async def _served(self) -> int:
        """Identify the user and serve them; returns the exit status. Raises `KkError` if they are refused."""
        purpose, (word, code) = self._request.purpose, _words_of(self._request.command)
        has_terminal = self._request.term not in _NO_TERMINAL
        # commands claim no name and take no seat, so they do not log in
        if purpose == COMMAND and not word:
            return await self._answered()
        if purpose == SFTP:
            return await self._handled(SubsystemHandler(SFTP, self._visit, self._writer))
        admitted = await self._visit.enter(SessionRequest(purpose, has_terminal, word, code))
        if admitted.said is not None:
            self._writer.write(self._line(admitted.said))
            return 0
        self.user = admitted.user
        if admitted.nowhere is not None:
            self.leads_nowhere = True
            raise KkError(admitted.nowhere)
        return await self._handled(self._handler_for(admitted))

    async def _answered(self) -> int:
        newline = self._newline.encode()
        self._chosen = await self._visit.language()
        request = CommandRequest(self._request.command, self._language, newline)
        self._handler = handler = ConsoleHandler(self._visit, request, self._writer)
        return await handler.run()

    async def _handled(self, handler: ChannelHandler) -> int:
        self._handler = handler
        if self._writer.is_closed:
            return 0
        if self._reason is not None:
            handler.end(self._reason)  # it was ended before it had a handler
        handler.feed(bytes(self._early))
        self._early.clear()
        if self._is_at_end:
            self.end_input()
        self._channel.resume_reading()
        return await handler.run()

    def _handler_for(self, admitted: Admission) -> ChannelHandler:
        if self._request.purpose == SUBSYSTEM:
            return SubsystemHandler(SUBSYSTEM, self._visit, self._writer)
        self._chosen = admitted.language
        host, request = self._host, self._request
        settings = AccountSettings(admitted.settings, self._visit.keep) if admitted.has_account else None
        if request.purpose == PLAIN:
            return PlainHandler(
                self._visit, self._writer, host.limits, self._language, self._environment(), request.term,
                self._size[0], settings, request.place,
                has_title=bool(self._caller.origin),  # in a terminal, screen readers say each new one aloud
            )  # fmt: skip
        terminal = Terminal(
            self._writer, request.term or "", self._size, self._environment(), host.limits, host.resizes,
            host.run_queue, has_motion=host.has_motion, place=request.place,
        )  # fmt: skip
        network = network_of(self._caller.address)
        return TerminalHandler(
            self._visit, network, terminal, host.make_app, settings, host.limits, host.arrivals
        )

    def _words(self, sentence: Text) -> str:
        return printable(translate(sentence, self._language))

    def _line(self, sentence: Text) -> bytes:
        words = self._words(sentence)
        columns = self._size[0] if self._request.term is not None else 0
        lines = wrap(words, columns - 1) if columns >= _WRAPPED else [words]
        return "".join(f"{line}{self._newline}" for line in lines).encode()

    @property
    def _newline(self) -> str:
        # with a pty the client's own terminal is in raw mode, and a line feed alone would keep the cursor's
        # column
        return "\n" if self._request.term is None else "\r\n"

    @property
    def _language(self) -> str | None:
        return settled_language(self._environment(), self._chosen)

    def _environment(self) -> Mapping[str, str]:
        """Return the client's environment, with the host's language if it does not choose one."""
        language, said = self._host.language, self._request.environment
        return said if language is None or language_of(said) is not None else {**said, "LANG": language}

    def _close(self, status: int) -> None:
        self._on_end()
        self._writer.close()
        if not self._channel.is_closing():
            self._channel.exit(status, "" if self._reason is None else self._words(self._reason))

    # -- what happens on the channel -------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        """Pass bytes to the handler; the first ones wait until the user is known."""
        self._heard = self._host.heard = asyncio.get_running_loop().time()
        if self._handler is not None:
            self._handler.feed(data)
        else:
            self._early += data
            self._channel.pause_reading()

    def end_input(self) -> None:
        """Treat the end of input as leaving, except for a command awaiting its answer, or lines of a pipe."""
        self._is_at_end = True
        if self._request.term is None and self._request.purpose == PLAIN:
            if isinstance(self._handler, PlainHandler):
                self._handler.feed_eof()
        elif self._request.purpose != COMMAND or self._request.term is not None:
            self.leave()

    def resize(self, width: int, height: int) -> None:
        """Handle a new window size."""
        self._size = (width, height)
        if self._handler is not None:
            self._handler.resize(width, height)

    def leave(self) -> None:
        """Clean up: the client is gone."""
        self._writer.close()
        if self._idleness is not None:  # the timer would keep the session object alive for hours
            self._idleness.cancel()
        if self._handler is not None:
            spawn(self._handler.leave(), "leave")

    def tell(self, sentence: Text) -> None:
        """Show a sentence, if there is a handler."""
        if self._handler is not None:
            self._handler.tell(sentence)

    def end(self, reason: Text) -> None:
        """End the session, because the server stops or somebody ends it."""
        self._reason = reason
        if self._handler is not None:
            self._handler.end(reason)

    def _watch_idleness(self) -> None:
        if self.task.done():
            return
        loop, idle = asyncio.get_running_loop(), self._host.limits.idle_seconds
        if loop.time() - self._heard >= idle:
            _logger.info("disconnected", **self._who, reason="idle")
            self.end(text("You were inactive for a long time. Your seats are kept: come back any time."))
        else:
            self._idleness = loop.call_at(self._heard + idle, self._watch_idleness)


def _words_of(command: str) -> tuple[str, str]:
    """Split a command into word and code; both empty for any other form."""
    word, *pieces = command.split() or [""]
    # a code may be typed in pieces, the way it was read out
    is_code = bool(pieces) and not any(piece.startswith("-") for piece in pieces)
    return (word, "".join(pieces)) if is_code and word in (LINK, JOIN, TABLE, MATCH) else ("", "")
