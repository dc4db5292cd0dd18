"""First pictures are made one after the other: each costs as much as hundreds of keys."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary

from server.front.limits import ServerLimits
from server.hub.limits import TokenBuckets
from server.hub.tasks import spawn

_LONGEST: Final = 2.0
"""Seconds after which the next one begins, whatever became of the one before."""

_SHARE: Final = 0.25
"""After each, others have this part of the time that it took, in which nobody arrives."""

_REST: Final = 0.2
"""Seconds that this lasts at most."""


class Arrivals:
    """Gives turns, in which the networks that people come from alternate.

    A network from which many have come of late gets one now and then only.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self._turn = asyncio.Lock()
        self._networks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def use(self, limits: ServerLimits) -> None:
        """Have these limits count for whoever comes from now on."""
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    async def wait(self, network: str, is_done: asyncio.Event) -> None:
        """Wait for a turn, which lasts until `is_done`."""
        begun = asyncio.Event()
        spawn(self._hold(network, begun, is_done), "arrival")
        await begun.wait()

    async def _hold(self, network: str, begun: asyncio.Event, is_done: asyncio.Event) -> None:
        loop, own = asyncio.get_running_loop(), self._networks.setdefault(network, asyncio.Lock())
        async with own:
            while pause := self._rates.wait_for(network):  # noqa: ASYNC110 - time alone fills it
                await asyncio.sleep(pause)
            async with self._turn:
                begun.set()
                since = loop.time()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST):
                        await is_done.wait()
                await asyncio.sleep(min(_SHARE * (loop.time() - since), _REST))
