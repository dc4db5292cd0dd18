"""A server that stops soon: nothing new is begun, everybody is told, and it waits for those who are here."""

from __future__ import annotations

import asyncio
from typing import Final

from kk_core.text import Text, texts
from server.hub.hub import Hub

_ALOUD: Final = (10, 5, 2, 1)
"""How many minutes before the end everybody is told again."""


def stops_in(minutes: int) -> Text:
    """What people are told."""
    return texts(
        "This server stops in a minute, and opens no more tables. All is stored.",
        "This server stops in {n} minutes, and opens no more tables. All is stored.",
        minutes,
    )


async def drained(hub: Hub, minutes: int, minute: float = 60.0) -> None:
    """Return when all have left, or when so many minutes, of so many seconds, are over."""
    for left in range(minutes, 0, -1):
        hub.stop_opening(stops_in(left), is_told=left == minutes or left in _ALOUD)
        try:
            async with asyncio.timeout(minute):
                await hub.sessions.nobody_here()
        except TimeoutError:
            continue
        return
