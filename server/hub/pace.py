"""How long bots wait before each move, so that people can follow."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

BOT_PAUSE: Final = 0.6
"""Seconds, unless somebody wants another pace."""


class Pace:
    """Seconds before each move of a bot; whoever is in a hurry skips them until it is a person's turn."""

    def __init__(self, seconds: float = BOT_PAUSE) -> None:
        self.seconds = seconds
        self._hurry = asyncio.Event()

    async def wait(self, begun: float) -> None:
        """Let the time before one move go by, which has begun then, by the clock of the loop."""
        until = begun + self.seconds
        if not self._hurry.is_set() and asyncio.get_running_loop().time() < until:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._hurry.wait()

    def hurry(self) -> None:
        """Skip this wait and the next ones."""
        self._hurry.set()

    def rest(self) -> None:
        """It is a person's turn: what bots do next is worth waiting for again."""
        self._hurry.clear()
