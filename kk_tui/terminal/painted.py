"""An app whose screen is painted by our own painter."""

from __future__ import annotations

import os
from typing import Any, Final

from rich.console import RenderableType
from textual import events
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen

from kk_tui.terminal.colour import Colours
from kk_tui.terminal.kinds import Kind, kind_of
from kk_tui.terminal.painter import Painter
from kk_tui.terminal.rows import PartsUpdate

_SYNC: Final = "\x1b[?2026h", "\x1b[?2026l"


class Painted(App[None]):
    """A mix-in for apps. `kind` is that of the terminal; None is that of this process."""

    def __init__(self, *args: Any, kind: Kind | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._filters = []  # the painter knows what to make of each style, once and not for each line
        self.kind = kind or kind_of(os.environ.get("TERM", ""), os.environ)
        # at home the pen rests between frames, since Textual's driver gives the terminal back as it is
        self.painter = Painter(self.kind, rests=kind is None)

    def paint_with(self, kind: Kind, colours: Colours) -> None:
        """Show these colours from now on, as a terminal of this kind can; all is painted anew."""
        self.painter.use(kind, colours)
        if self.is_running and self.screen_stack:
            self.screen.refresh()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Take in what Textual has drawn, and send what differs."""
        if isinstance(renderable, LayoutUpdate | ChopsUpdate | PartsUpdate):
            if not self.is_headless:
                self.painter.take(renderable)
                self.paint()
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def paint(self) -> None:
        """Send what the terminal does not show yet, in one piece; later, if its reader is behind."""
        driver = self._driver
        if driver is None or not self._running or self._closed or self._batch_count:
            return
        if getattr(driver, "is_behind", False):
            return
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)  # where a widget wants it, if any
        text = self.painter.frame(cursor or None)
        if text:
            driver.write(text if not self._sync_available else text.join(_SYNC))
            driver.flush()

    def _set_pointer_shape(self, shape: str) -> None:
        """Nothing: not every terminal keeps quiet about a code for the form of the mouse pointer."""

    async def on_event(self, event: events.Event) -> None:
        """A terminal that says its size may have been resized, or come back from elsewhere."""
        if isinstance(event, events.Resize):
            self.painter.forget()
            if self.painter.size == tuple(event.size):
                self.call_later(self.paint)
        await super().on_event(event)
