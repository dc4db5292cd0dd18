"""What a table and a replay have in common: a board on the left, and beside it people, words and drawers."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal

from kk_core.protocol.messages import GetRecord, RecordText
from kk_core.text import text
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.settings import replace_file
from kk_tui.table.side_panel import DRAWERS, Beside, SidePanel
from kk_tui.widgets.board import Board


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


async def save_record(screen: KkScreen, folder: Path) -> None:
    """Write the record of the match on the screen into a folder, and say where, or why not."""
    reply, scene = await screen.kk.request(GetRecord), screen.kk.store.scene
    if not isinstance(reply, RecordText) or scene is None:
        return
    target = folder / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
    try:
        _write(target, reply)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        screen.complain(
            text("The record cannot be saved as {file}: {reason}", file=str(target), reason=reason)
        )
        return
    screen.say(_("Saved as {file}", file=str(target)), "$happened")


def _write(target: Path, record: RecordText) -> None:
    """The record byte for byte, and beside it the signature that was made of these bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, record.text.encode())
    if record.signature is not None:
        replace_file(Path(f"{target}.sig"), record.signature.encode())
