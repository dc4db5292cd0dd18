"""An app whose screen is painted by our own painter."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Final

from rich.console import RenderableType
from textual import events
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.filter import ANSIToTruecolor
from textual.screen import Screen

from kk_tui.terminal.kinds import Depth, Kind, kind_of
from kk_tui.terminal.painter import Painter

_SYNC: Final = "\x1b[?2026h", "\x1b[?2026l"


class Painted(App[None]):
    """A mix-in for apps. `kind` is that of the terminal; None is that of this process."""

    def __init__(self, *args: Any, kind: Kind | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # the painter knows what to make of each style, once and not for each line
        self._filters = [f for f in self._filters if not isinstance(f, ANSIToTruecolor)]
        # at home the pen rests between frames, since Textual's driver gives the terminal back as it is
        self.painter = Painter(kind or self._own_kind(), rests=kind is None)

    def _own_kind(self) -> Kind:
        kind = kind_of(os.environ.get("TERM", ""), os.environ)
        if kind.depth is Depth.MONO:
            return kind
        depths = {depth.value: depth for depth in Depth}
        return replace(kind, depth=depths.get(self.console.color_system, Depth.SIXTEEN))

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Take in what Textual has drawn, and send what differs."""
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
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
