"""Wakes tables whose clock runs out while they sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from heapq import heappop, heappush


class Alarms:
    """`now` gives the seconds in which clocks are counted; `ring` wakes the table that is named."""

    def __init__(self, now: Callable[[], float], ring: Callable[[str], Awaitable[object]]) -> None:
        self._now = now
        self._ring = ring
        self._set: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}
        self._sooner = asyncio.Event()

    def set(self, table: str, at: float | None) -> None:
        """Wake a table then, and no more when it was to be before; with None not at all."""
        self._at.pop(table, None)
        if at is not None:
            self._at[table] = at
            heappush(self._set, (at, table))
            self._sooner.set()

    async def run(self) -> None:
        """Wait for one after the other."""
        while True:
            self._sooner.clear()
            rest = max(0.0, self._set[0][0] - self._now()) if self._set else None
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._sooner.wait()
            while self._set and self._set[0][0] <= self._now():
                at, table = heappop(self._set)
                if self._at.get(table) == at:
                    del self._at[table]
                    await self._ring(table)
