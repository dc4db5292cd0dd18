"""Widgets whose changes a screen can take at once."""

from __future__ import annotations

from textual.widget import Widget


class Handed(Widget):
    """Textual tells a screen of a change by two messages; where the screen asks for it itself, by none."""

    is_held = False
    """Whether the screen looks by itself for what changes."""

    def check_idle(self) -> None:
        """Have it told that something has changed."""
        if not self.is_held:
            super().check_idle()

    def take_change(self) -> bool:
        """Whether it is to be drawn again, which is the asker's business then; anything more is told."""
        if self._layout_required or self._scroll_required or self._refresh_styles_required:
            self.check_idle()
            return False
        is_changed, self._repaint_required = self._repaint_required and self.display, False
        return is_changed
