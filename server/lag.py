"""How late the event loop of a process is, looked at all the time."""

from __future__ import annotations

import asyncio
from typing import Final

from server.counts import counts

_LOOK: Final = 0.25
"""Seconds between two looks."""


async def watch_lag() -> None:
    """Count how late it is, until this is cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LOOK
        await asyncio.sleep(_LOOK)
        counts.loop_lag.add(max(0.0, loop.time() - due))
