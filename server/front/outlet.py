"""Writing to people over SSH, some of whom do not read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Literal

import asyncssh

from server.log import get_logger

CHANNEL: Final = "channel"
CONNECTION: Final = "connection"
Source = Literal["channel", "connection"]

_log = get_logger("front")


class Outlet:
    """One channel's way out. asyncssh queues whatever is written; this says when to stop.

    Both the channel's window and the connection's socket can be full. Whoever stays so for `patience`
    seconds is disconnected.
    """

    def __init__(self, channel: asyncssh.SSHServerChannel[bytes], patience: float) -> None:
        self._channel = channel
        self._patience = patience
        self._held: set[Source] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._free = asyncio.Event()
        self._free.set()
        self.is_closed = False
        self.on_free: Callable[[], None] = lambda: None

    @property
    def is_held(self) -> bool:
        """Whether the other side has yet to read what was written."""
        return bool(self._held)

    def write(self, data: bytes) -> None:
        """Queue bytes; nothing when the channel is closed."""
        if not self.is_closed and not self._channel.is_closing():
            self._channel.write(data)

    async def free(self) -> None:
        """Wait until the other side reads, or is gone."""
        await self._free.wait()

    def hold(self, source: Source, held: bool) -> None:
        """Take note that one of the two ways is full, or no longer so."""
        was_held = self.is_held
        (self._held.add if held else self._held.discard)(source)
        if self.is_held and not was_held:
            self._free.clear()
            self._timer = asyncio.get_running_loop().call_later(self._patience, self._give_up)
        elif was_held and not self.is_held:
            self._stop_timer()
            self._free.set()
            self.on_free()

    def stop_reading(self, seconds: float) -> None:
        """Take nothing more from the other side for a while."""
        self._channel.pause_reading()
        asyncio.get_running_loop().call_later(seconds, self._channel.resume_reading)

    def close(self) -> None:
        """Write no more, and let go of whoever waits."""
        self.is_closed = True
        self._stop_timer()
        self._free.set()

    def _give_up(self) -> None:
        _log.info("disconnected", reason="does not read")
        self._channel.get_connection().abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
