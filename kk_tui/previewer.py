"""What the move under the cursor would change: asked of the engine when the cursor has come to rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from textual.screen import Screen
from textual.timer import Timer

from kk_core.errors import KkError
from kk_core.types import Move, Sheet

Ask: TypeAlias = Callable[[Move], Awaitable[Sheet | None]]
"""Asks for the score sheet after a move; None where that would show something new. Raises `KkError`."""

_REST: Final = 0.15
"""Seconds that the cursor stands still before anything is asked."""


class Previewer:
    """Keeps the answer for one move at one revision; `changed` is called when there is another one."""

    def __init__(self, screen: Screen[Any], ask: Ask, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._ask = ask
        self._changed = changed
        self._about: tuple[int, Move] | None = None
        self._timer: Timer | None = None
        self.sheet: Sheet | None = None
        """The score sheet after the move; None while it is not known, or cannot be."""

    def consider(self, revision: int, move: Move | None) -> None:
        """The cursor stands on what would make this move, or on nothing that would make one."""
        about = None if move is None else (revision, move)
        if about == self._about:
            return
        self._about, self.sheet = about, None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if about is not None:
            self._timer = self._screen.set_timer(_REST, self._look)

    def _look(self) -> None:
        if self._about is not None:
            self._screen.run_worker(self._answer(self._about), group="preview", exclusive=True)

    async def _answer(self, about: tuple[int, Move]) -> None:
        with suppress(KkError):  # what is no longer possible changes nothing
            sheet = await self._ask(about[1])
            if about == self._about:
                self.sheet = sheet
                self._changed()
