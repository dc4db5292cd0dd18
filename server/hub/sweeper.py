"""Looks from time to time for tables that nobody comes back to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from time import time
from typing import Final

from kk_core.errors import KkError
from server.hub.table import Table
from server.hub.tasks import spawn
from server.log import get_logger

_EVERY: Final = 600.0
"""Seconds between two looks."""

_log = get_logger("hub")


class Sweeper:
    """Ends tables when their time is over."""

    def __init__(self, tables: Callable[[], Iterable[Table]]) -> None:
        self._tables = tables
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

    async def sweep(self) -> None:
        """End the tables that nobody comes back to."""
        for table in list(self._tables()):
            try:
                await table.end_if_forsaken(time())
            except KkError as error:
                _log.warning("table not ended", table=table.id, error=type(error).__name__)
