"""Widgets whose changes a screen can take at once."""

from __future__ import annotations

from textual.geometry import Size
from textual.messages import Layout, Update
from textual.widget import Widget


class Handed(Widget):
    """Textual tells a screen of a change by two messages; where the screen asks for it itself, by none."""

    is_held = False
    """Whether the screen looks by itself for what changes."""

    def check_idle(self) -> None:
        """Have it told that something has changed."""
        if not self.is_held:
            super().check_idle()

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = False,  # noqa: ARG002
    ) -> bool:
        """Take the size that a layout gives; nothing lies in it that would ask for a second one."""
        return super()._size_updated(size, virtual_size, container_size, layout=False)

    def take_change(self) -> tuple[bool, bool]:
        """Whether it is to be drawn again, and whether all is to be laid out; both are left to the asker."""
        is_changed = self._repaint_required and self.display, self._layout_required
        with self.screen.prevent(Update, Layout):
            self._check_refresh()
        return is_changed
