"""A question before something that cannot be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Static

from kk_core.text import Text
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.choice import Push


class Confirm(KkScreen):
    """Yes or back; Esc is always back."""

    def __init__(self, question: Text, yes: Callable[[], None]) -> None:
        super().__init__()
        self._question = question
        self._yes = yes

    def body(self) -> ComposeResult:
        """The question and its two answers."""
        with Vertical(classes="middle"):
            yield Static(render(self._question), classes="big", markup=False)
            yield Center(Push(_("Yes"), id="yes"))
            yield Center(Push(_("No, back"), id="no"))

    def place_changed(self) -> None:
        """A header as everywhere."""
        super().place_changed()
        self.title_line("kk")

    def on_push_pressed(self, event: Push.Pressed) -> None:
        """Do it, or go back."""
        self.dismiss()
        if event.push.id == "yes":
            self._yes()

    def actions(self) -> Sequence[Action]:
        """Back."""
        return (Action("do"), Action("back"))

    def do_back(self) -> None:
        """Nothing was lost."""
        self.dismiss()
