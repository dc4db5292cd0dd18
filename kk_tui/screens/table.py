"""The table: the one skeleton for all games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Key

from kk_core.text import text
from kk_core.types import Move, Seat, Viewer
from kk_core.wire.messages import Answer, Look, Play, Undo, WhyNot
from kk_tui.games import Face
from kk_tui.hotseat import next_eyes
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Handover
from kk_tui.screens.result import Result
from kk_tui.widgets.board import Board
from kk_tui.widgets.side_panel import DRAWERS, SidePanel, waiting_for


class Table(KkScreen):
    """Board, people, prompt and keys; sends moves and shows why others are refused."""

    def __init__(self) -> None:
        super().__init__()
        self._sending = False
        self._sent_at = -1  # the revision that the last move or undo was sent at
        self._awaited: tuple[Viewer] | None = None  # whose eyes are asked for and not yet seen
        self._was_over = False
        self._seen_reveal: tuple[bytes, int | None] | None = (
            None  # the last one after which the screen was handed over
        )

    def body(self) -> ComposeResult:
        """Board left, people right."""
        with Horizontal(id="middle"):
            board = self._face.board()
            self.set_class(board.IS_BROAD, "-broad")
            yield board
            yield SidePanel(self.kk.glyphs)

    @property
    def _face(self) -> Face[Any]:
        face = self.kk.store.face
        assert face is not None, "the app shows a table only with a face"
        return face

    @property
    def board(self) -> Board[Any]:
        """The game's board."""
        return self.query_one(Board)

    @property
    def pending(self) -> bool:
        """Whether a move is under way: not answered, or answered but not yet seen."""
        return self._sending or self._sent_at == self.kk.revision

    # -- drawing ---------------------------------------------------------------------------------------------

    def place_changed(self) -> None:
        """Take the new scene in everywhere."""
        scene = self.kk.store.scene
        if scene is None:
            return
        self._turn_eyes(scene)
        self.board.show(scene, pending=self.pending)
        self.query_one(SidePanel).show(scene, self._face, self.board.aside())
        self.title_line(self._header(scene))
        self._prompt(scene)
        self.show_keys()
        if self.is_current:
            self.board.focus()
        self._show_end(scene)

    def _header(self, scene: Scene[Any]) -> str:
        name, status = self._face.meta.name, self._face.status(scene)
        return _("{game}  |  {status}", game=name, status=status)

    def _prompt(self, scene: Scene[Any]) -> None:
        if scene.is_over:
            self.say(_("The match is over. Enter shows the result."), "$possible")
        elif self.pending:
            self.say("")
        elif (seat := self._next_after_reveal(scene)) is not None:
            self.say(
                _("All have a look; Enter hands the screen to {name}.", name=scene.name(seat)), "$possible"
            )
        elif scene.may_act:
            self.say(self._face.prompt(scene, self.board), "$possible")
        else:
            self.say(self._last(scene), "$ink-dim")

    def _last(self, scene: Scene[Any]) -> str:
        """What happened last, while others are to act."""
        recent = scene.match.recent()
        said = self._face.describe(scene, recent[-1][1]) if recent else ()
        names = waiting_for(scene)
        if not said:
            return _("Waiting for {names}.", names=names)
        last = render(said[0])
        both = _("{last} - waiting for {names}.", last=last.rstrip("."), names=names)
        return both if cell_len(both) <= self.query_one("#prompt").content_size.width else last

    def on_board_cursor(self) -> None:
        """The cursor moved: prompt and keys may read differently."""
        scene = self.kk.store.scene
        if scene is not None:
            aside = self.board.aside()
            if not self.query_one(SidePanel).shows(aside):
                self.query_one(SidePanel).show(scene, self._face, aside)
            self._prompt(scene)
            self.show_keys()

    def on_side_panel_pressed(self, event: SidePanel.Pressed) -> None:
        """A click on one of the board's own lines beside it."""
        self.board.press(event.number)

    def _show_end(self, scene: Scene[Any]) -> None:
        if scene.is_over and not self._was_over:
            self.app.push_screen(Result())
        self._was_over = scene.is_over

    # -- whose eyes ------------------------------------------------------------------------------------------

    def _turn_eyes(self, scene: Scene[Any]) -> None:
        """Look through the seat that can act; cover the table first where others must not see it."""
        if self._awaited is not None and self._awaited == (scene.viewer,):
            self._awaited = None
        mine = self.kk.my_seats
        wanted = next_eyes(scene.observation.active, mine, scene.viewer)
        if self._next_after_reveal(scene) is not None:
            wanted = None
        if wanted == scene.viewer or self._awaited is not None or scene.is_over:
            return
        self._awaited = (wanted,)
        if wanted is not None and len(mine) > 1 and self._face.holds_secrets(scene, wanted):
            self.app.push_screen(Handover(wanted, scene.name(wanted)))
            self.work(self._look(None))
        else:
            self.work(self._look(wanted))

    def _next_after_reveal(self, scene: Scene[Any]) -> Viewer:
        """Who chooses in secret next, while the people at this screen look at a reveal; otherwise None."""
        mine, (_match, ply) = self.kk.my_seats, self._reveal(scene)
        if len(mine) < 2 or ply is None or scene.is_over or self._reveal(scene) == self._seen_reveal:
            return None
        seat = next_eyes(scene.observation.active, mine, None)
        return seat if seat is not None and self._face.holds_secrets(scene, seat) else None

    def _reveal(self, scene: Scene[Any]) -> tuple[bytes, int | None]:
        """The last reveal: its match and its ply."""
        return scene.match.commitment, self.board.revealed_at(scene)

    def _end_reveal(self, scene: Scene[Any], seat: Seat) -> None:
        """All have seen it: hand the screen over."""
        self._seen_reveal, self._awaited = self._reveal(scene), (seat,)
        self.app.push_screen(Handover(seat, scene.name(seat)))

    async def _look(self, seat: Viewer) -> None:
        try:
            await self.kk.request(lambda number: Look(number, seat))
        except BaseException:
            self._awaited = None
            raise

    # -- doing -----------------------------------------------------------------------------------------------

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """Make a move."""
        self._play(event.move)

    def _play(self, move: Move) -> None:
        scene = self.kk.store.scene
        if (
            scene is None
            or scene.viewer is None
            or self.pending
            or self._next_after_reveal(scene) is not None
        ):
            return
        seat, ply = scene.viewer, scene.match.ply
        self.work(self._send(lambda number: Play(number, seat, ply, move)))

    async def _send(self, make: Any) -> None:
        """Send a move or an undo; until it is seen no second one is accepted."""
        self._sending, self._sent_at = True, self.kk.revision
        self._show_pending()
        try:
            await self.kk.request(make)
        except BaseException:
            self._sent_at = -1
            raise
        finally:
            self._sending = False
            self._show_pending()

    def _show_pending(self) -> None:
        scene = self.kk.store.scene
        if scene is not None and self.is_alive:
            self.board.show(scene, pending=self.pending)
            self._prompt(scene)
            self.show_keys()

    def on_board_tried(self, event: Board.Tried) -> None:
        """Ask the engine why this move is not possible."""
        scene = self.kk.store.scene
        if scene is None:
            return
        if self._next_after_reveal(scene) is not None:
            self._prompt(scene)
        elif scene.viewer is None:
            self.complain(text("You are watching; only those who sit at the table make moves."))
        else:
            self.work(self._explain(scene.viewer, event.move))

    async def _explain(self, seat: Seat, move: Move) -> None:
        answer = await self.kk.request(lambda number: WhyNot(number, seat, move))
        if isinstance(answer, Answer) and answer.reason is not None:
            self.complain(answer.reason)

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """The game's actions, then those that every table has."""
        scene = self.kk.store.scene
        if scene is None:
            return ()
        own: list[Action] = []
        if scene.is_over:
            own = [Action("do", text("result"))]
        elif self._next_after_reveal(scene) is not None:
            own = [Action("do", text("hand over"))]
        elif not self.pending and scene.may_act:
            own = [Action(action.name, action.label) for action in self._actions(scene)]
            if all(action.name != "do" for action in own):
                own.insert(0, Action("do"))
        if scene.match.may_undo and not self.pending:
            own.append(Action("undo"))
        side = [Action(name, minor=True) for name in DRAWERS]
        return (*own, *side, Action("help", minor=True), Action("leave", minor=True), *self._back())

    def _back(self) -> Sequence[Action]:
        return (Action("back", minor=True),)

    def _actions(self, scene: Scene[Any]) -> Sequence[Any]:
        return self._face.actions(scene, self.board)

    def do(self, action: str) -> None:
        """The game's actions first, then the skeleton's."""
        scene = self.kk.store.scene
        found = next((each for each in self._actions(scene) if each.name == action), None) if scene else None
        if found is None or (scene is not None and not scene.may_act):
            super().do(action)
        elif found.move is None:
            self.board.perform(action)
        else:
            self._play(found.move)

    def key_enter(self, event: Key) -> None:
        """Hands over after a reveal, and shows the result again after the end; else the board has the key."""
        scene = self.kk.store.scene
        if scene is None:
            return
        seat = self._next_after_reveal(scene)
        if scene.is_over or seat is not None:
            event.prevent_default().stop()
        if scene.is_over:
            self.app.push_screen(Result())
        elif seat is not None and scene.viewer is None:
            self._end_reveal(scene, seat)

    def key_pagedown(self) -> None:
        """Scrolls the side."""
        self.query_one(SidePanel).scroll(1)

    def key_pageup(self) -> None:
        """Scrolls the side."""
        self.query_one(SidePanel).scroll(-1)

    def do_undo(self) -> None:
        """Take the last step back."""
        scene = self.kk.store.scene
        if scene is not None and scene.viewer is not None and not self.pending:
            seat = scene.viewer
            self.work(self._send(lambda number: Undo(number, seat)))

    def do_log(self) -> None:
        """Open or shut the log."""
        self._drawer("log")

    def do_sheet(self) -> None:
        """Open or shut the score sheet."""
        self._drawer("sheet")

    def do_collections(self) -> None:
        """Open or shut the collections."""
        self._drawer("collections")

    def _drawer(self, name: str | None) -> None:
        side = self.query_one(SidePanel)
        side.turn(None if side.drawer == name else name)
        self.call_after_refresh(self._show_side)

    def _show_side(self) -> None:
        scene = self.kk.store.scene
        if scene is not None and self.is_alive:
            self.query_one(SidePanel).show(scene, self._face, self.board.aside())

    def on_resize(self) -> None:
        """The side fills its lines by itself."""
        self.call_after_refresh(self._show_side)

    def do_back(self) -> None:
        """One step back: half a choice, then an open drawer, then the question whether to leave."""
        if self.board.step_back():
            return
        if self.query_one(SidePanel).drawer is not None:
            self._drawer(None)
        else:
            self.kk.ask_leave_table()

    def do_leave(self) -> None:
        """To menu or lobby; asks."""
        self.kk.ask_leave_table()
