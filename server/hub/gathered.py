"""Something that is done once for all that has happened meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Gathered:
    """Does it at once after a quiet time, and then again after a pause in which more may have happened."""

    def __init__(self, do: Callable[[], None], pause: Callable[[], float]) -> None:
        """`pause` gives seconds, asked for whenever it was done."""
        self._do = do
        self._pause = pause
        self._free = 0.0
        self._waiting: asyncio.TimerHandle | None = None

    def want(self) -> None:
        """Something has happened."""
        if self._waiting is not None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() >= self._free:
            self._now()
        else:
            self._waiting = loop.call_at(self._free, self._now)

    def _now(self) -> None:
        self._waiting = None
        self._free = asyncio.get_running_loop().time() + self._pause()
        self._do()
