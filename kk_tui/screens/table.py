"""The table: the one skeleton for all games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Click, Key

from kk_core.text import text
from kk_core.types import Seat, Viewer
from kk_core.wire.messages import Answer, ClientMessage, Look, Play, Undo, WhyNot
from kk_tui.ceremony import Step
from kk_tui.ceremony_player import Player
from kk_tui.ceremony_stage import Stage
from kk_tui.games import Face
from kk_tui.hotseat import Decision, HandOver, Hotseat, Show, Situation, situation
from kk_tui.i18n import _
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.screens.dialogs import Handover
from kk_tui.screens.result import Result
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.board import Board
from kk_tui.widgets.side_panel import DRAWERS, SidePanel, last_words

PACE = ("skip", "all")
"""The actions of a ceremony alone."""

_PATIENCE = 0.15
"""Seconds after which one is shown that a move is still under way."""


class Table(KkScreen):
    """Board, people, prompt and keys; sends moves and shows why others are refused."""

    def __init__(self) -> None:
        super().__init__()
        self._scene: Scene[Any]  # the last one, as long as the screen stands
        self._face: Face[Any]
        self._sending = False
        self._sent_at = -1  # the revision that the last move or undo was sent at
        self._hotseat = Hotseat()
        self._was_over = False
        self.ceremonies = Player(self, self._show_step, self.place_changed)

    def body(self) -> ComposeResult:
        """Board left, people right."""
        scene, face = self.kk.store.scene, self.kk.store.face
        assert scene is not None, "the app shows a table only with a scene"
        assert face is not None, "and a scene only with a face"
        self._scene, self._face = scene, face
        with Horizontal(id="middle"):
            try:
                board = face.board(scene)
                self.set_class(board.IS_BROAD, "-broad")
                yield board
            except Exception as error:
                self.kk.cannot_show(error)
            yield SidePanel(self.kk.glyphs)
        yield Stage()

    @property
    def board(self) -> Board[Any, Any]:
        """The game's board."""
        return self.query_one(Board)

    @property
    def _side(self) -> SidePanel:
        return self.query_one(SidePanel)

    @property
    def pending(self) -> bool:
        """Whether a move is under way: not answered, or answered but not yet seen."""
        return self._sending or self._sent_at == self.kk.revision

    # -- drawing ---------------------------------------------------------------------------------------------

    @guarded
    def place_changed(self) -> None:
        """Take the new scene in everywhere."""
        if self.kk.store.scene is None:
            return
        make = self._face.ceremony if self.kk.settings.motion == "full" else None
        if self.ceremonies.takes(self.kk.store.scene, make, self.kk.client):
            return
        scene = self._scene = self.kk.store.scene
        self._hotseat, decision = self._hotseat.follow(self._situation())
        self._carry_out(decision)
        self._show()
        self._show_side()
        self.title_line(_("{game}  |  {status}", game=self._face.meta.name, status=self._face.status(scene)))
        if self.is_current:
            self.board.focus()
        if scene.is_over and not self._was_over:
            self.app.push_screen(Result())
        self._was_over = scene.is_over

    def _show(self) -> None:
        """Board, prompt and keys; not while a ceremony stands there."""
        if self.ceremonies.is_playing:
            return
        self.board.show(self._scene, pending=self.pending)
        self._prompt()
        self.show_keys()

    def _prompt(self) -> None:
        if self._scene.is_over:
            self.say(_("The match is over. Enter shows the result."), "$possible")
        elif self.pending:
            self.say("")
        elif (seat := self._hotseat.holding) is not None:
            name = self._scene.name(seat)
            self.say(_("All have a look; Enter hands the screen to {name}.", name=name), "$possible")
        elif self._scene.may_act:
            self.say(self.board.prompt(), "$possible")
        else:
            width = self.query_one("#prompt").content_size.width
            self.say(last_words(self._scene, self._face, width), "$ink-dim")

    @guarded
    def _show_step(self, step: Step | None) -> None:
        """A step of a ceremony over a scene that stands still; None takes it away."""
        self.query_one(Stage).play(step, self.board.region, self._side.region)
        self.board.highlight(step and step.mark)
        if step is not None:
            self.board.show(step.scene, pending=True)
            self.say(step.says, "$happened")
            self.show_keys()

    def on_key(self, event: Key) -> None:
        """While a ceremony is shown, some keys are its own."""
        if self.ceremonies.takes_key(event):
            event.prevent_default().stop()

    def on_click(self, event: Click) -> None:
        """A click ends a ceremony, and nothing else: what it was meant for may look different then."""
        if not isinstance(event.widget, KeyBar):
            self.ceremonies.end()

    @guarded
    def on_board_cursor(self) -> None:
        """The cursor moved: prompt, keys and the lines beside the board may read differently."""
        if self.ceremonies.is_playing:
            return
        panel = self.board.panel()
        if not self._side.shows(panel):
            self._side.show(self._scene, self._face, panel)
        self._prompt()
        self.show_keys()

    @guarded
    def _show_side(self) -> None:
        if self.is_alive:
            self._side.show(self._scene, self._face, self.board.panel())

    def on_side_panel_pressed(self, event: SidePanel.Pressed) -> None:
        """A click on one of the board's lines beside it is a key."""
        self.action_act(event.action)

    def on_resize(self) -> None:
        """The side fills its lines by itself."""
        self.call_after_refresh(self._show_side)
        self.call_after_refresh(self.ceremonies.show_again)

    # -- whose eyes ------------------------------------------------------------------------------------------

    def _situation(self) -> Situation:
        return situation(self._scene, self._face, self.kk.my_seats)

    def _carry_out(self, decision: Decision) -> None:
        match decision:
            case Show(viewer):
                self.work(self._look(viewer))
            case HandOver(seat):
                self.app.push_screen(Handover(seat, self._scene.name(seat)))
                if self._scene.viewer is not None:
                    self.work(self._look(None))

    async def _look(self, viewer: Viewer) -> None:
        try:
            await self.kk.request(lambda number: Look(number, viewer))
        except BaseException:
            self._hotseat = self._hotseat.refused()
            raise

    # -- doing -----------------------------------------------------------------------------------------------

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """Make a move."""
        seat, ply = self._scene.viewer, self._scene.match.ply
        if seat is not None and self._may_choose():
            self.work(self._send(lambda number: Play(number, seat, ply, event.move)))

    def on_board_tried(self, event: Board.Tried) -> None:
        """Ask the engine why this move is not possible."""
        seat = self._scene.viewer
        if seat is not None and self._may_choose():
            self.work(self._explain(seat, event.move))

    def _may_choose(self) -> bool:
        """Whether a key or click counts at all; where it does not, the prompt line says why."""
        if self._hotseat.holding is not None:
            self._prompt()
        elif self._scene.viewer is None:
            self.complain(text("You are watching; only those who sit at the table make moves."))
        elif self.pending:
            self.complain(text("Your last move is still on its way."))
        else:
            return True
        return False

    async def _send(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a move or an undo; until it is seen no second one is accepted."""
        self._sending, self._sent_at = True, self.kk.revision
        self.board.pending = True
        slow = self.set_timer(_PATIENCE, self._show_pending)
        try:
            await self.kk.request(make)
        except BaseException:
            self._sent_at = -1
            raise
        finally:
            slow.stop()
            self._sending = False
            self._show_pending()

    @guarded
    def _show_pending(self) -> None:
        if self.is_alive:
            self._show()

    async def _explain(self, seat: Seat, move: int) -> None:
        answer = await self.kk.request(lambda number: WhyNot(number, seat, move))
        if isinstance(answer, Answer) and answer.reason is not None:
            self.complain(answer.reason)

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """The game's actions, then those that every table has."""
        scene = self._scene
        own: list[Action] = []
        if self.ceremonies.is_playing:
            return (Action("do", text("go on")), Action("skip"), Action("all"), Action("help", minor=True))
        if scene.is_over:
            own = [Action("do", text("result"))]
        elif self._hotseat.holding is not None:
            own = [Action("do", text("hand over"))]
        elif not self.pending and scene.may_act:
            own = list(self.board.actions())
            if all(action.name != "do" for action in own):
                own.insert(0, Action("do"))
        if scene.match.may_undo and not self.pending:
            own.append(Action("undo"))
        always = (*DRAWERS, "help", "leave", "back")
        return (*own, *(Action(name, minor=True) for name in always))

    @guarded
    def action_act(self, name: str) -> None:
        """Every key counts at a table: the board or the engine says why it is not possible now."""
        if name in DRAWERS:
            self._drawer(name)
        elif name in PACE and not self.ceremonies.is_playing:
            self.complain(text("There is nothing to skip now."))
        elif hasattr(self, f"do_{name}"):
            self.do(name)
        elif self._may_choose():
            reason = self.board.perform(name)
            if reason is not None:
                self.complain(reason)

    @guarded
    def key_enter(self, event: Key) -> None:
        """Hands over after a reveal, and shows the result again after the end; else the board has the key."""
        if self._scene.is_over or self._hotseat.holding is not None:
            event.prevent_default().stop()
        if self._scene.is_over:
            self.app.push_screen(Result())
        else:
            self._hotseat, decision = self._hotseat.hand_over(self._situation())
            self._carry_out(decision)

    def key_pagedown(self) -> None:
        """Scrolls the side."""
        self._side.scroll(1)

    def key_pageup(self) -> None:
        """Scrolls the side."""
        self._side.scroll(-1)

    def do_undo(self) -> None:
        """Take the last step back, or hear from the engine why that is not possible."""
        seat = self._scene.viewer
        if seat is not None and self._may_choose():
            self.work(self._send(lambda number: Undo(number, seat)))

    def _drawer(self, name: str | None) -> None:
        self._side.turn(None if self._side.drawer == name else name)
        self.call_after_refresh(self._show_side)

    def do_back(self) -> None:
        """One step back: half a choice, then an open drawer, then the question whether to leave."""
        if self.board.step_back():
            return
        if self._side.drawer is not None:
            self._drawer(None)
        else:
            self.kk.ask_leave_table()

    def do_skip(self) -> None:
        """End a ceremony."""
        self.ceremonies.end()

    def do_all(self) -> None:
        """Show all of a ceremony at once."""
        self.ceremonies.show_all()

    def do_leave(self) -> None:
        """To menu or lobby; asks."""
        self.kk.ask_leave_table()
