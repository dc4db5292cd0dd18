"""Writing to people over SSH, some of whom do not read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Final, Literal

import asyncssh

from server.log import get_logger

CHANNEL: Final = "channel"
CONNECTION: Final = "connection"
Source = Literal["channel", "connection"]

_log = get_logger()


class ChannelWriter:
    """Writes to one channel. asyncssh queues whatever is written; this says when to stop.

    Both the channel's window and the connection's socket can be full. Whoever stays so for `patience`
    seconds is disconnected.
    """

    def __init__(self, channel: asyncssh.SSHServerChannel[bytes], patience: float) -> None:
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
        """Whether the other side has yet to read what was written."""
        return bool(self._paused)

    def write(self, data: bytes) -> None:
        """Queue bytes; nothing when the channel is closed."""
        if not self.is_closed and not self.channel.is_closing():
            self.channel.write(data)

    def is_closing(self) -> bool:
        """Whether nothing more is written."""
        return self.is_closed

    async def drain(self) -> None:
        """Wait until the other side reads, or is gone."""
        await self._writable.wait()

    def set_paused(self, source: Source, paused: bool) -> None:
        """Take note that one of the two ways is full, or no longer so."""
        was_paused = self.is_paused
        (self._paused.add if paused else self._paused.discard)(source)
        if self.is_paused and not was_paused:
            self._writable.clear()
            # apart from whoever writes: a cancelled timer keeps its context until its time has come
            self._timer = asyncio.get_running_loop().call_later(
                self._patience, self._give_up, context=Context()
            )
        elif was_paused and not self.is_paused:
            self._stop_timer()
            self._writable.set()
            self.on_resume()

    def stop_reading(self, seconds: float) -> None:
        """Take nothing more from the other side for a while."""
        self.channel.pause_reading()
        asyncio.get_running_loop().call_later(seconds, self.channel.resume_reading)

    def close(self) -> None:
        """Write no more, and let go of whoever waits."""
        self.is_closed = True
        self._stop_timer()
        self._writable.set()

    def _give_up(self) -> None:
        _log.info("disconnected", reason="does not read")
        self.channel.get_connection().abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
