"""Between two people at one screen: nothing is shown until the next one is sitting there."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Static

from kk_core.text import text
from kk_core.types import Seat
from kk_core.wire.messages import Look
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.choice import Push


class Handover(KkScreen):
    """Shows a name and waits for Enter; the table is looked at as a spectator meanwhile."""

    def __init__(self, seat: Seat, name: str) -> None:
        super().__init__()
        self._seat = seat
        self._to = name

    def body(self) -> ComposeResult:
        """The name."""
        with Vertical(classes="middle"):
            yield Static(_("Hand over to {name} - press Enter", name=self._to), classes="big", markup=False)
            yield Center(Push(_("I am {name}", name=self._to), id="ready"))

    def place_changed(self) -> None:
        """Name the game, and nothing of it; make way once the table is seen through the new eyes."""
        super().place_changed()
        scene = self.kk.store.scene
        below = self.app.screen_stack[-2]
        if isinstance(below, KkScreen):
            below.place_changed()  # so that nothing of the last one's view is left there to flash up
        if scene is not None and scene.viewer == self._seat and self.is_current:
            self.dismiss()
            return
        face = self.kk.store.face
        self.title_line(render(face.meta.name) if face else "")

    def on_push_pressed(self) -> None:
        """The next one sits here now."""
        self.ask(lambda number: Look(number, self._seat))

    def actions(self) -> Sequence[Action]:
        """Go on, rules, away."""
        return (Action("do", text("take over")), Action("help"), Action("leave"))

    def do_leave(self) -> None:
        """Away from the table; asks."""
        self.kk.ask_leave_table()
