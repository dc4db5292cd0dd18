"""Long work, a little at a time: whoever plays waits no longer than usual."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Final

_WORK: Final = 0.004
"""Seconds of work after which others have the loop."""

_PAUSE: Final = 0.004
"""Seconds that they have it for, at least."""


class Gently:
    """Work for which nobody waits; say `pause` often."""

    def __init__(self) -> None:
        self._since = perf_counter()

    async def pause(self) -> None:
        """Give way, if it is time."""
        if perf_counter() - self._since >= _WORK:
            await asyncio.sleep(_PAUSE)
            self._since = perf_counter()
