"""Between two people at one screen: nothing is shown until the next one is sitting there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Static

from kk_tui.i18n import _, render
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.choice import Push
from kk_tui.widgets.keybar import Offer


class Handover(KkScreen):
    """Shows a name and waits for Enter; the table is looked at as a spectator meanwhile."""

    def __init__(self, name: str, ready: Callable[[], None]) -> None:
        super().__init__()
        self._to = name
        self._ready = ready

    def body(self) -> ComposeResult:
        """The name."""
        with Vertical(classes="middle"):
            yield Static(_("Hand over to {name} - press Enter", name=self._to), classes="big", markup=False)
            yield Center(Push(_("I am {name}", name=self._to), id="ready"))

    def place_changed(self) -> None:
        """Name the game, and nothing of it."""
        super().place_changed()
        face = self.kk.store.face
        self.title_line(render(face.meta.name) if face else "")

    def on_push_pressed(self) -> None:
        """The next one sits here now."""
        self._ready()

    def offers(self) -> Sequence[Offer]:
        """Go on, rules, away."""
        return (Offer("do"), Offer("help"), Offer("leave"))

    def do_leave(self) -> None:
        """Away from the table; asks."""
        self.kk.ask_leave_table()
