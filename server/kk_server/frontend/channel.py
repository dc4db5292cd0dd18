"""A channel of bytes between a session and its client, whatever carries it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from fcntl import ioctl
from termios import TIOCOUTQ
from typing import Any, Final, Literal, Protocol

from kk_core.errors import KkError
from kk_core.text import text
from kk_server.log import get_logger

CHANNEL: Final = "channel"
CONNECTION: Final = "connection"
Source = Literal["channel", "connection"]

FAILED: Final = text("Something went wrong in the program. Your seat is kept: please connect again.")
"""Why a session ends whose handler has failed."""

_logger = get_logger()


class SessionFailed(KkError):
    """A session that neither its user nor the server has ended; they have read why, which is the sentence."""


class ByteChannel(Protocol):
    """A channel as its session uses it. Nothing here waits, and everything written is queued."""

    @property
    def queued(self) -> int:
        """Number of bytes that were written and not yet sent."""
        ...

    @property
    def socket(self) -> Any:
        """The socket it is carried over, or None."""
        ...

    def write(self, data: bytes, /) -> None:
        """Send bytes to the client's terminal or program."""
        ...

    def write_error(self, data: bytes, /) -> None:
        """Send the reason of a refusal."""
        ...

    def note_place(self, place: str, /) -> None:
        """Tell a client that may come back which table or replay its user is at; "" is the lobby."""
        ...

    def note_typing(self, on: bool, /) -> None:
        """Tell a client whose keyboard is on the screen whether text is typed."""
        ...

    def pause_reading(self) -> None:
        """Take no input until `resume_reading`."""
        ...

    def resume_reading(self) -> None:
        """Take input again."""
        ...

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        ...

    def exit(self, status: int, reason: str = "", /) -> None:
        """Close the channel with an exit status, once everything written is sent.

        `reason` is why it ends without its user wanting that, which they have read if they have a terminal.
        """
        ...

    def abort(self) -> None:
        """Drop the connection at once, with everything still queued."""
        ...


class ChannelWriter:
    """Writes to one channel; channels queue everything, so this class says when to stop.

    Both the channel's window and the connection's socket can be full. A client that stays full for `patience`
    seconds is disconnected.
    """

    def __init__(self, channel: ByteChannel, patience: float) -> None:
        self.channel = channel
        self._patience = patience
        self._paused: set[Source] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self.is_closed = False
        self.on_resume: Callable[[], None] = lambda: None

    @property
    def is_paused(self) -> bool:
        """True while the client has not read what was written."""
        return bool(self._paused)

    @property
    def has_drained(self) -> bool:
        """True once the client has received everything written, or if the system cannot say."""
        if self.is_paused or self.channel.queued:
            return False
        # a connection may be slow long before it is full: the kernel buffers a great deal
        try:
            return not any(ioctl(self.channel.socket, TIOCOUTQ, bytes(4)))
        except (OSError, TypeError):
            return True

    def write(self, data: bytes) -> None:
        """Queue bytes, unless the channel is closed."""
        if not self.is_closed and not self.channel.is_closing():
            self.channel.write(data)

    def note_place(self, place: str) -> None:
        """Tell a client that may come back where its user is, unless the channel is closed."""
        if not self.is_closed and not self.channel.is_closing():
            self.channel.note_place(place)

    def note_typing(self, on: bool) -> None:
        """Tell a client whose keyboard is on the screen whether text is typed, likewise."""
        if not self.is_closed and not self.channel.is_closing():
            self.channel.note_typing(on)

    def is_closing(self) -> bool:
        """Return whether the writer is closed."""
        return self.is_closed

    async def drain(self) -> None:
        """Wait until the client reads, or is gone."""
        await self._writable.wait()

    def set_paused(self, source: Source, paused: bool) -> None:
        """Note that the channel or the connection is full, or no longer is."""
        was_paused = self.is_paused
        (self._paused.add if paused else self._paused.discard)(source)
        if self.is_paused and not was_paused:
            self._writable.clear()
            # in an empty context: a cancelled timer keeps its context alive until it would have fired
            self._timer = asyncio.get_running_loop().call_later(
                self._patience, self._give_up, context=Context()
            )
        elif was_paused and not self.is_paused:
            self._stop_timer()
            self._writable.set()
            self.on_resume()

    def stop_reading(self, seconds: float) -> None:
        """Read nothing from the client for a while."""
        self.channel.pause_reading()
        asyncio.get_running_loop().call_later(seconds, self.channel.resume_reading)

    def close(self) -> None:
        """Write nothing more, and release all waiters."""
        self.is_closed = True
        self._stop_timer()
        self._writable.set()

    def _give_up(self) -> None:
        _logger.info("disconnected", reason="does not read")
        # not `close`, which would wait for everything still queued
        self.channel.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
