"""The bell and the window's title: what waits for people who look elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from kk_core.text import Text, text
from kk_core.views import TableView
from kk_tui.games import Face
from kk_tui.scene import Scene

QUIET: Final = 3.0
"""Seconds that others must have been on turn before the bell rings: it is for people who are not watching."""


@dataclass(frozen=True)
class Signal:
    """A bell or none, and the window's title; None restores the old one."""

    rings: bool
    title: Text | None


class TurnSignal:
    """Decides when to ring the bell and how to title the window; `now` is a monotonic clock."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._was_mine = True
        self._since = 0.0
        self._was_asked = True

    def follow_table(
        self, table: TableView | None, scene: Scene[Any] | None, face: Face[Any] | None, user: str
    ) -> Signal:
        """Take in a new state of the table that a user sees, if there is one, and of the match there."""
        holders = [] if scene is None else [scene.table.seats[seat] for seat in scene.observation.active]
        is_mine = any(holder.owner == user and holder.stand_in is None for holder in holders)
        game = None if table is None or face is None else face.meta.name
        signal = self.follow(game, is_mine=is_mine, is_over=scene is None or scene.is_over)
        proposal = None if table is None else table.proposal
        is_asked = proposal is not None and user in proposal.waits
        # whoever comes to a table where they are asked is looking
        rings, self._was_asked = is_asked and not self._was_asked, is_asked or table is None
        if game is None or not is_asked or is_mine:
            return signal
        return Signal(rings, text("Others wait for your answer: {game}", game=game))

    def follow(self, game: Text | None, *, is_mine: bool, is_over: bool = False) -> Signal:
        """Take in whose turn it is; `game` is None without a table, and `is_over` true without a match."""
        # The game's title stays after the end: not all terminals can restore the old one.
        if game is None or is_over:
            self._was_mine = True
            return Signal(False, game)
        rings = is_mine and not self._was_mine and self._now() - self._since >= QUIET
        if self._was_mine and not is_mine:
            self._since = self._now()
        self._was_mine = is_mine
        return Signal(rings, text("Your turn: {game}", game=game) if is_mine else game)
