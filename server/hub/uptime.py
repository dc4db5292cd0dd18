"""The time in which clocks are counted: it passes only while a server runs."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

from kk_core.errors import KkError
from server.hub.tasks import spawn
from server.log import get_logger
from server.storage.table_log import TableLog

KEPT_EVERY: Final = 60.0
"""Seconds after which it is stored anew: so much is forgiven to all clocks when the server is killed."""

_log = get_logger()


class Uptime:
    """Seconds that servers have run over a log, all together.

    So a clock that was stored once is known at any time, without anybody looking after it.
    """

    def __init__(self, log: TableLog) -> None:
        self._log = log
        self._before = 0.0
        self._since = monotonic()
        self._task: asyncio.Task[None] | None = None

    def now(self) -> float:
        """Seconds so far."""
        return self._before + monotonic() - self._since

    async def start(self) -> None:
        """Go on where the last server has stopped. Raises `StorageFailed`."""
        self._before, self._since = await self._log.uptime(), monotonic()
        self._task = spawn(self._run(), "uptime")

    async def stop(self) -> None:
        """Stand still, and keep how much it was."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            await self._keep()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(KEPT_EVERY)
            await self._keep()

    async def _keep(self) -> None:
        try:
            await self._log.keep_uptime(self.now())
        except KkError as error:
            _log.warning("uptime not kept", error=type(error).__name__)
