"""The app on an emulator of a terminal, painted by our own painter."""

from __future__ import annotations

import inspect
import re
from typing import Any

from textual._context import visible_screen_stack
from textual.drivers.headless_driver import HeadlessDriver
from textual.filter import ANSIToTruecolor
from textual.widget import Widget

from kk_tui.app import KkApp
from tests.tui.conftest import Running, until
from tests.tui.picture import Picture, Terminal, drawn

WHOLE = re.compile(
    r"(?:[^\x00-\x1f\x7f-\x9f]|[\r\b]|\x1b\[\??[0-9;]*[A-Za-z]|\x1b\]2;[^\x00-\x1f]*\x07)*|\x07"
)
"""A frame, a title or a bell, which breaks off within no code."""


class ScreenDriver(HeadlessDriver):
    """Hands each frame to an emulator."""

    terminal: Terminal

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        assert WHOLE.fullmatch(data)
        data.encode()
        self.terminal.feed(data)


class ShownApp(KkApp):
    """The app on an emulator."""

    _BASE_PATH = inspect.getfile(KkApp)  # styles are named relative to it

    def __init__(self, *args: Any, terminal: Terminal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.terminal = terminal
        self.driver_class = type("Driver", (ScreenDriver,), {"terminal": terminal})

    def expected(self) -> Picture:
        visible_screen_stack.set(self._background_screens)
        strips = self.screen._compositor.render_strips()
        return drawn(strips, ANSIToTruecolor(self.ansi_theme), self.screen.background_colors[1])


def is_drawing(app: ShownApp) -> bool:
    """Whether something has changed that is not drawn yet."""
    seen = (widget for widget in app.screen.walk_children(Widget) if widget.is_on_screen)
    asked = any(widget._repaint_required or widget._layout_required for widget in seen)
    return asked or bool(app.screen._dirty_widgets) or app.screen._layout_required


async def settled(app: ShownApp, pilot: Running) -> None:
    """Wait until all that was asked for is drawn."""
    await until(pilot, lambda: not is_drawing(app))
