"""What a table and a replay have in common: a board on the left, and beside it people, words and drawers."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal

from kk_tui.games import Face
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.table.scene import Scene
from kk_tui.widgets.board import Board
from kk_tui.widgets.side_panel import DRAWERS, Beside, SidePanel


class MatchScreen(KkScreen):
    """Shows a scene of the match that the app looks at."""

    SIDE: ClassVar[type[SidePanel]] = SidePanel

    def __init__(self) -> None:
        super().__init__()
        self._scene: Scene[Any]  # the last one, as long as the screen stands
        self._face: Face[Any]

    def body(self) -> ComposeResult:
        """Board left, people right."""
        scene, face = self.kk.store.scene, self.kk.store.face
        assert scene is not None, "the app shows a match only with a scene"
        assert face is not None, "and a scene only with a face"
        self._scene, self._face = scene, face
        with Horizontal(id="middle"):
            try:
                board = face.board(scene)
                self.set_class(board.IS_BROAD, "-broad")
                yield board
            except Exception as error:
                self.kk.cannot_show(error)
            yield self.SIDE(self.kk.glyphs)

    @cached_property
    def board(self) -> Board[Any, Any]:
        """The game's board."""
        return self.query_one(Board)

    @cached_property
    def side(self) -> SidePanel:
        """What stands beside it."""
        return self.query_one(SidePanel)

    @property
    def shown(self) -> Scene[Any]:
        """The scene that is on the screen."""
        return self._scene

    def beside(self) -> Beside:
        """What stands beside the board besides the scene."""
        return Beside(self.board.panel())

    @guarded
    def show_side(self) -> None:
        """Draw what stands beside the board."""
        if self.is_alive:
            self.side.show(self.shown, self._face, self.beside())

    def on_resize(self) -> None:
        """The side fills its lines by itself."""
        self.call_after_refresh(self.show_side)

    def action_act(self, name: str) -> None:
        """Drawers open and close; everything else as everywhere."""
        if name in DRAWERS:
            self.turn_drawer(None if self.side.drawer == name else name)
        else:
            super().action_act(name)

    def turn_drawer(self, name: str | None) -> None:
        """Open a drawer, or with None close it."""
        with self.at_once(self.side.people):
            self.side.turn(name)
            self.show_side()
