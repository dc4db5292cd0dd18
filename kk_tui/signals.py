"""Bell and window title: what tells whoever looks elsewhere that it is his turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kk_core.text import Text, text

QUIET: Final = 3.0
"""Seconds that others had the turn before the bell rings: who plays on at once needs none."""


@dataclass(frozen=True)
class Signal:
    """What to do: ring, and what the window is to be called (None: as it was before)."""

    rings: bool
    title: Text | None


class TurnSignal:
    """Follows whose turn it is; `now` gives seconds of a clock that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._was_mine = True
        self._since = 0.0

    def follow(self, game: Text | None, *, is_mine: bool, is_over: bool = False) -> Signal:
        """The table shows another state; `game` is what is played there, None without a match.

        After the end it is nobody's turn any more; not all terminals can give the window its old name back.
        """
        if game is None or is_over:
            self._was_mine = True
            return Signal(False, game)
        rings = is_mine and not self._was_mine and self._now() - self._since >= QUIET
        if self._was_mine and not is_mine:
            self._since = self._now()
        self._was_mine = is_mine
        return Signal(rings, text("Your turn: {game}", game=game) if is_mine else game)
