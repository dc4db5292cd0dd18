"""What the move under the cursor would change: asked of the engine when the cursor has come to rest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from textual.timer import Timer

from kk_core.errors import KkError
from kk_core.types import Ends, Move, Seat, Sheet
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
        self.ends: Ends | None = None
        """What the move ends for good; None while it is not known."""

    def consider(self, seat: Seat | None, move: Move | None) -> None:
        """The cursor stands on what would make this move of a seat, or on nothing that would make one."""
        about = None if seat is None or move is None else (self._screen.kk.revision, seat, move)
        if about == self._about:
            return
        self._about, self.sheet, self.ends = about, None, None
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
                self.sheet, self.ends = reply.sheet, reply.ends
                self._changed()

    def known(self, seat: Seat, move: Move) -> Ends | None:
        """What a move ends, where it has been asked for already."""
        return self.ends if self._about == (self._screen.kk.revision, seat, move) else None
