"""Before a match of the past is played on: as whom, and against whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.bot_names import DEFAULT_BOT
from kk_core.text import text
from kk_core.wire.messages import PlayOn
from kk_tui.bots import bot_values
from kk_tui.i18n import _
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.form import LineButton, LineSelect


class PlayOnFrom(KkScreen, ModalScreen[None]):
    """Over the replay: a seat for oneself, a kind of bot for all others."""

    CSS = "PlayOnFrom #question Static { margin-bottom: 1; }"

    def __init__(self, scene: Scene[Any], ply: int) -> None:
        super().__init__()
        self._scene = scene
        self._ply = ply

    def body(self) -> ComposeResult:
        """What happens, the two choices, and the button."""
        owner = self.kk.glyphs.owner
        seats = [(str(seat), f"{owner(seat)} {name}") for seat, name in enumerate(self._scene.names)]
        turn = str((self._scene.observation.active or (0,))[0])
        with Vertical(id="question"):
            yield Static(_("A new match goes on from here; this one stays."), markup=False)
            yield LineSelect(_("You play as"), seats, turn, id="as")
            yield LineSelect(_("Everybody else"), bot_values(), DEFAULT_BOT, id="others")
            yield LineButton(_("Play on"), id="begin")

    def on_mount(self) -> None:
        """Enter begins at once."""
        self.query_one("#begin").focus()

    def on_line_button_pressed(self) -> None:
        """Open the table of the new match; the app goes there."""
        mine = int(self.query_one("#as", LineSelect).value)
        bot = self.query_one("#others", LineSelect).value
        seats = tuple("" if seat == mine else bot for seat in range(len(self._scene.names)))
        was_bot = self._scene.table.seats[mine].bot is not None
        name = self.kk.own_name if was_bot else self._scene.name(mine)
        self.ask(lambda number: PlayOn(number, self._ply, seats, name))

    def actions(self) -> Sequence[Action]:
        """Begin, or back."""
        return (Action("do"), Action("start", text("play on")), Action("back"))

    def do_start(self) -> None:
        """Begin."""
        self.on_line_button_pressed()
