"""Tables of which too little is known: replayed one after the other, while people play."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

_PAUSE: Final = 0.01
"""Seconds between two tables."""


class Settling:
    """After an upgrade that can be all there are. `settle` makes known what is to be known of one."""

    def __init__(self, settle: Callable[[str], Awaitable[None]]) -> None:
        self._settle = settle
        self._waiting: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, table: str) -> bool:
        return table in self._waiting

    def add(self, table: str) -> None:
        """One more."""
        self._waiting[table] = None

    def first(self, table: str) -> None:
        """Somebody has come whom it concerns: it does not wait for the others."""
        if table in self._waiting:
            self._waiting.move_to_end(table, last=False)

    def discard(self, table: str) -> None:
        """All is known of it."""
        self._waiting.pop(table, None)

    async def run(self) -> None:
        """Go through all of them."""
        while self._waiting:
            table = next(iter(self._waiting))
            await self._settle(table)
            self.discard(table)
            await asyncio.sleep(_PAUSE)
