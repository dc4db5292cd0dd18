"""When a screen is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

_SOON: Final = 0.004
"""Seconds from the first change to the drawing of all."""

_APART: Final = 1 / 60
"""Seconds from one drawing to the next, at least."""


class Gather:
    """Draws once for all that a key changes.

    Stands in for the timer of Textual's screen, which sends the screen a message for each drawing and keeps
    it waiting for up to a sixtieth of a second even when nothing has been drawn for long.
    """

    def __init__(self, draw: Callable[[], None]) -> None:
        self._draw = draw
        self._drawn = 0.0
        self._next: asyncio.TimerHandle | None = None

    def resume(self) -> None:
        """Something has changed."""
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.call_at(max(loop.time() + _SOON, self._drawn + _APART), self._fire, loop)

    def at_once(self) -> None:
        """All that a key changes is known: draw it now, unless something has just been drawn."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._drawn + _APART:
            self.resume()
        else:
            self.pause()
            self._fire(loop)

    def pause(self) -> None:
        """All is drawn, or is being drawn."""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _fire(self, loop: asyncio.AbstractEventLoop) -> None:
        self._next, self._drawn = None, loop.time()
        self._draw()
