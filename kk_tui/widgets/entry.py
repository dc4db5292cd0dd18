"""A line to fill in."""

from __future__ import annotations

from textual.events import Paste
from textual.reactive import reactive
from textual.widgets import Input


class Entry(Input):
    """Takes the beginning of a paste that is too long for it: Textual's takes nothing of it.

    Its cursor stands still: one that blinks sends to a terminal where nothing happens, day and night.
    """

    cursor_blink = reactive(False, init=False)

    def _on_paste(self, event: Paste) -> None:
        """Cut what Textual is about to take."""
        if self.max_length:
            line = next(iter(event.text.splitlines()), "")
            event.text = line[: max(0, self.max_length - len(self.value) + len(self.selected_text))]
