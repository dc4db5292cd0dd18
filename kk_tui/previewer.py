"""What the move under the cursor would change: asked of the engine when the cursor has come to rest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from textual.timer import Timer

from kk_core.errors import KkError
from kk_core.types import Move, Seat, Sheet
from kk_core.wire.messages import Preview
from kk_tui.screens.base import KkScreen

_REST: Final = 0.15
"""Seconds that the cursor stands still before anything is asked."""


class Previewer:
    """Keeps the answer for one move at one revision; `changed` is called when there is another one."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._about: tuple[int, Seat, Move] | None = None
        self._timer: Timer | None = None
        self.sheet: Sheet | None = None
        """The score sheet after the move; None while it is not known, or cannot be."""

    def consider(self, seat: Seat | None, move: Move | None) -> None:
        """The cursor stands on what would make this move of a seat, or on nothing that would make one."""
        about = None if seat is None or move is None else (self._screen.kk.revision, seat, move)
        if about == self._about:
            return
        self._about, self.sheet = about, None
        if self._timer is not None:
            self._timer.stop()
        self._timer = None if about is None else self._screen.set_timer(_REST, self._look)

    def _look(self) -> None:
        if self._about is not None:
            self._screen.run_worker(self._answer(self._about), group="preview", exclusive=True)

    async def _answer(self, about: tuple[int, Seat, Move]) -> None:
        _revision, seat, move = about
        with suppress(KkError):  # what is no longer possible changes nothing
            reply = await self._screen.kk.request(lambda number: Preview(number, seat, move))
            if about == self._about:
                self.sheet = reply.sheet
                self._changed()
