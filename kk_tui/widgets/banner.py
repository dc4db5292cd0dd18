"""The name of the player whose turn it is, in their colour."""

from __future__ import annotations

from typing import Any, Final

from textual.content import Content
from textual.geometry import Region
from textual.timer import Timer
from textual.widgets import Static

from kk_core.types import Seat
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_STAYS: Final = 1.2
"""Seconds until it goes; any key ends it earlier, and still does what it does."""


def seat_chip(scene: Scene[Any], seat: Seat, glyphs: Glyphs, room: int) -> Content:
    """Return sign and name of a seat on its colour; the sign alone where there is no room for both."""
    sign, style = glyphs.owner(seat), f"bold $seat-ink on $seat-{seat}"
    whole = Content.styled(f" {sign} {scene.name(seat)} ", style)
    return whole if whole.cell_length <= room else Content.styled(f" {sign} ", style)


class TurnBanner(Static):
    """A name over the board when the turn passes to another person at one screen."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="banner", markup=False)
        self._glyphs = glyphs
        self._timer: Timer | None = None

    def greet(self, seat: Seat, name: str, board: Region) -> None:
        """Show a seat's name in the middle of the board for a moment."""
        self.clear()
        words = _("{sign}  {name}, it is your turn", sign=self._glyphs.owner(seat), name=name)
        line = Content(words)
        self.set_classes(f"plate seat-{seat}")
        self.update(line)
        self.styles.offset = (
            max(0, board.x + (board.width - line.cell_length - 6) // 2),
            board.y + max(0, board.height // 2 - 2),
        )
        self.display = True
        self._timer = self.set_timer(_STAYS, self.clear)

    def clear(self) -> None:
        """Hide the banner."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self.display = False
