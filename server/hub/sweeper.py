"""Looks from time to time for tables that nobody comes back to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from server.hub.tasks import spawn

_EVERY: Final = 600.0
"""Seconds between two looks."""


class Sweeper:
    """Ends tables when their time is over; `sweep` does it once."""

    def __init__(self, sweep: Callable[[], Awaitable[None]]) -> None:
        self.sweep = sweep
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look now, and then again and again."""
        self._task = spawn(self._run(), "sweeper")

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(_EVERY)
