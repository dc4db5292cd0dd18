"""The connection is gone."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Static

from kk_core.text import Text
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.choice import Push


class Lost(KkScreen):
    """Says why, and offers to connect again; a match goes on where it stands."""

    def __init__(self, reason: Text) -> None:
        super().__init__()
        self._reason = reason

    def body(self) -> ComposeResult:
        """The reason and the two ways on."""
        with Vertical(classes="middle"):
            yield Static(_("There is no connection."), classes="big", markup=False)
            yield Static(render(self._reason), id="reason", markup=False)
            yield Center(Push(_("Connect again"), id="again"))
            yield Center(Push(_("Quit"), id="quit"))

    def place_changed(self) -> None:
        """A header as everywhere."""
        super().place_changed()
        self.title_line("kk")

    def on_push_pressed(self, event: Push.Pressed) -> None:
        """Try again, or give up."""
        if event.push.id == "again":
            self.dismiss()
            self.kk.connect()
        else:
            self.app.exit()

    def actions(self) -> Sequence[Action]:
        """Enter presses what has the focus."""
        return (Action("do"), Action("leave"))
