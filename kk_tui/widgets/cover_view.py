"""A game's picture beside a form, where there is room for it."""

from __future__ import annotations

from textual.strip import Strip

from kk_tui.cover import Cover, drawn_once
from kk_tui.games import Appearance
from kk_tui.widgets.canvas import Canvas

_SMALLEST = 20
"""Rows of pixels."""


class CoverView(Canvas[Cover | None]):
    """Shown from 120 columns on."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Appearance | None = None

    def show(self, game: Appearance | None) -> None:
        """Show another game's."""
        if game is not self._shown:
            self._shown = game
            self.forget()
            self.refresh()

    def make_painter(self) -> Cover | None:
        """The picture for the present size."""
        width, rows = self.size.width, 2 * self.size.height
        if self._shown is None or self._shown.cover is None or rows < _SMALLEST:
            return None
        return drawn_once(self._shown.cover, width, rows)

    def render_line(self, y: int) -> Strip:
        """Two rows of pixels."""
        picture = self.painter
        if picture is None or 2 * y >= picture.height:
            return Strip.blank(self.size.width, self.ink("ink", on="ground"))
        return Strip(
            picture.segments(y, self.ink, is_ascii=self.glyphs.ascii_only, has_colours=self.has_colours)
        )
