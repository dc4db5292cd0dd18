"""First pictures are made one after the other: each costs as much as hundreds of keys."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary

from server.hub.tasks import spawn

_LONGEST: Final = 2.0
"""Seconds after which the next one begins, whatever became of the one before."""

_SHARE: Final = 0.25
"""After each, others have this part of the time that it took, in which nobody arrives."""

_REST: Final = 0.2
"""Seconds that this lasts at most."""


class Arrivals:
    """Gives turns, in which the networks that people come from alternate."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._networks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def wait(self, network: str, is_done: asyncio.Event) -> None:
        """Wait for a turn, which lasts until `is_done`."""
        begun = asyncio.Event()
        spawn(self._hold(network, begun, is_done), "arrival")
        await begun.wait()

    async def _hold(self, network: str, begun: asyncio.Event, is_done: asyncio.Event) -> None:
        loop, own = asyncio.get_running_loop(), self._networks.setdefault(network, asyncio.Lock())
        async with own, self._turn:
            begun.set()
            since = loop.time()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LONGEST):
                    await is_done.wait()
            await asyncio.sleep(min(_SHARE * (loop.time() - since), _REST))
