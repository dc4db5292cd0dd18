"""The table: the one skeleton for all games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click, Key

from kk_core.errors import KkError
from kk_core.text import text
from kk_core.types import Move, Seat, Sheet, Viewer
from kk_core.wire.messages import Answer, ClientMessage, Look, LookBack, Past, Play, Preview, Undo, WhyNot
from kk_tui.ceremony import Step
from kk_tui.ceremony_player import Player
from kk_tui.ceremony_stage import Stage
from kk_tui.games import Face
from kk_tui.hotseat import Decision, HandOver, Hotseat, Show, Situation, situation
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.previewer import Previewer
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.screens.dialogs import Confirm, Handover
from kk_tui.screens.replay import Replay
from kk_tui.screens.result import Result
from kk_tui.widgets.banner import TurnBanner, seat_chip
from kk_tui.widgets.bars import KeyBar, Line
from kk_tui.widgets.board import Board
from kk_tui.widgets.side_panel import DRAWERS, Beside, SidePanel, last_words

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
        self._past: Scene[Any] | None = None  # what is shown while one looks back
        self._past_ply = 0
        self.ceremonies = Player(self, self._show_step, self.place_changed)
        self._greeted: Viewer = None  # whose turn is to be told at one screen
        self._previewer = Previewer(self, self._ask_preview, self._show_side)
        self._before: tuple[object, tuple[int, ...]] = (None, ())  # the points when the viewer acted last

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
        yield TurnBanner(self.kk.glyphs)

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
        self._remember_points()
        self._hotseat, decision = self._hotseat.follow(self._situation())
        self._carry_out(decision)
        if not self._fits(self._past):
            self._past = None
        self._show()
        self._show_side()
        self._greet()
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
        self.board.show(self._past or self._scene, pending=self.pending or self._past is not None)
        self._consider()
        self._prompt()
        self.show_keys()

    def _prompt(self) -> None:
        if self._past is not None:
            self.say(self._past_words(self._past), "$happened")
        elif self._scene.is_over:
            self.say(_("The match is over. Enter shows the result."), "$possible")
        elif self.pending:
            self.say("")
        elif (seat := self._hotseat.holding) is not None:
            name = self._scene.name(seat)
            self.say(_("All have a look; Enter hands the screen to {name}.", name=name), "$possible")
        elif self._scene.may_act:
            self._line.say(self._whose(render(self.board.prompt())))
        else:
            width = self.query_one("#prompt").content_size.width
            self.say(last_words(self._scene, self._face, width), "$ink-dim")

    @property
    def _line(self) -> Line:
        return self.query_one("#prompt", Line)

    def _whose(self, words: str) -> Content:
        """The prompt; where several sit at this screen, behind the name of whoever it is for."""
        said, seat = Content.styled(words, "$possible"), self._scene.viewer
        if seat is None or len(self.kk.my_seats) < 2:
            return said
        room = self._line.content_size.width - said.cell_length - 1
        return Content.assemble(seat_chip(self._scene, seat, self.kk.glyphs, room), " ", said)

    @guarded
    def _show_step(self, step: Step | None) -> None:
        """A step of a ceremony over a scene that stands still; None takes it away."""
        self.query_one(Stage).play(step, self.board.region, self._side.region)
        if step is not None:
            self.board.show(step.scene, pending=True)
            self.say(step.says, "$happened")
            self.show_keys()
        self.board.highlight(step and step.mark)

    def on_key(self, event: Key) -> None:
        """While a ceremony is shown, some keys are its own."""
        self.query_one(TurnBanner).clear()
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
        had_preview = self._previewer.sheet is not None
        self._consider()
        if had_preview or not self._side.shows(self.board.panel()):
            self._show_side()
        self._prompt()
        self.show_keys()

    @guarded
    def _show_side(self) -> None:
        if self.is_alive:
            side = Beside(self.board.panel(), self._before[1] or None, self._previewer.sheet)
            self._side.show(self._past or self._scene, self._face, side)

    def _remember_points(self) -> None:
        """What was gained since one's own turn is told beside the board."""
        match, recent = self._scene.match, self._scene.match.recent()
        key = (match.commitment, self._scene.viewer)
        if not recent or recent[-1][1].seat == self._scene.viewer or self._before[0] != key:
            self._before = key, self._scene.observation.points

    def _consider(self) -> None:
        may = self._scene.may_act and not self.pending and self._past is None
        self._previewer.consider(self.kk.revision, self.board.candidate() if may else None)

    async def _ask_preview(self, move: Move) -> Sheet | None:
        seat = self._scene.viewer
        if seat is None:
            return None
        sheet: Sheet | None = (await self.kk.request(lambda number: Preview(number, seat, move))).sheet
        return sheet

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
                self._greeted = viewer
            case HandOver(seat):
                self.app.push_screen(Handover(seat, self._scene.name(seat)))
                if self._scene.viewer is not None:
                    self.work(self._look(None))

    def _greet(self) -> None:
        """At one screen with others: whose turn it is now, large and for a moment."""
        seat = self._scene.viewer
        if seat is not None and seat == self._greeted and self._scene.may_act:
            self._greeted = None
            if len(self.kk.my_seats) > 1 and self.kk.settings.motion == "full":
                self.query_one(TurnBanner).greet(seat, self._scene.name(seat), self.board.region)

    async def _look(self, viewer: Viewer) -> None:
        try:
            await self.kk.request(lambda number: Look(number, viewer))
        except BaseException:
            self._hotseat = self._hotseat.refused()
            raise

    # -- doing -----------------------------------------------------------------------------------------------

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """Make a move; where nothing leads back from it, newcomers are asked first."""
        seat, ply, move = self._scene.viewer, self._scene.match.ply, event.move
        if not self._may_choose() or seat is None:
            return

        def play() -> None:
            self.work(self._send(lambda number: Play(number, seat, ply, move)))

        if self.kk.settings.confirm and self.board.irrevocable(move):
            question = text("Nothing leads back from this step. Go on?")
            self.app.push_screen(Confirm(question, play, always=self._never_ask))
        else:
            play()

    def _never_ask(self) -> None:
        try:
            self.kk.change_settings(confirm=False)
        except KkError as error:
            self.complain(error.reason)

    def on_board_tried(self, event: Board.Tried) -> None:
        """Ask the engine why this move is not possible."""
        seat = self._scene.viewer
        if self._may_choose() and seat is not None:
            self.work(self._explain(seat, event.move))

    def _may_choose(self) -> bool:
        """Whether a key or click counts at all; where it does not, the prompt line says why."""
        if self._past is not None:
            self.complain(text("You are looking back; Esc shows the table as it is now."))
        elif self._hotseat.holding is not None:
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
        if self._past is not None:
            now = (Action("earlier"), Action("later"), Action("back", text("to the present")))
            return (*now, *(Action(name, minor=True) for name in (*DRAWERS, "help")))
        if self.ceremonies.is_playing:
            return (Action("do", text("go on")), Action("skip"), Action("all"), Action("help", minor=True))
        if scene.is_over:
            own = [Action("do", text("result")), Action("view")]
        elif self._hotseat.holding is not None:
            own = [Action("do", text("hand over"))]
        elif not self.pending and scene.may_act:
            own = list(self.board.actions())
            if all(action.name != "do" for action in own):
                own.insert(0, Action("do"))
        if scene.match.may_undo and not self.pending:
            own.append(Action("undo"))
        always = (*DRAWERS, "earlier", "settings", "help", "leave", "back")
        return (*own, *(Action(name, minor=True) for name in always))

    @guarded
    def action_act(self, name: str) -> None:
        """Every key counts at a table: the board or the engine says why it is not possible now."""
        if name in DRAWERS:
            self._drawer(name)
        elif name in PACE and not self.ceremonies.is_playing:
            if name != "skip" or not self.kk.hurry():
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
        if self._past is None and (self._scene.is_over or self._hotseat.holding is not None):
            event.prevent_default().stop()
        if self._past is not None:
            return
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
        if self._may_choose() and seat is not None:
            self.work(self._send(lambda number: Undo(number, seat)))

    def _drawer(self, name: str | None) -> None:
        self._side.turn(None if self._side.drawer == name else name)
        self.call_after_refresh(self._show_side)

    # -- looking back ----------------------------------------------------------------------------------------

    def do_earlier(self) -> None:
        """Look at the table as it stood a ply earlier, as far as one could see it then."""
        self._look_at((self._past_ply if self._past else self._scene.match.ply) - 1)

    def do_later(self) -> None:
        """A ply closer to the present."""
        if self._past is None:
            self.complain(
                text("This is the table as it is now; {key} looks back.", key=KEYS["earlier"].shown)
            )
        else:
            self._look_at(self._past_ply + 1)

    def do_view(self) -> None:
        """After the end, the match once more."""
        if self._scene.is_over:
            self.app.push_screen(Replay())
        else:
            self.complain(
                text("A replay can be seen after the end; {key} looks back.", key=KEYS["earlier"].shown)
            )

    def _look_at(self, ply: int) -> None:
        if ply < 0:
            self.complain(text("Nothing was before."))
        elif ply >= self._scene.match.ply:
            self._look_at_now()
        else:
            self._past_ply = ply
            self.work(self._look_back(ply, self._scene.viewer))

    @guarded
    def _look_at_now(self) -> None:
        self._past = None
        self._show()
        self._show_side()

    async def _look_back(self, ply: int, viewer: Viewer) -> None:
        reply = await self.kk.request(lambda number: LookBack(number, ply, viewer))
        if isinstance(reply, Past) and self.is_alive and ply == self._past_ply:
            self._show_past(self.kk.store.past(reply.match, viewer))

    @guarded
    def _show_past(self, past: Scene[Any]) -> None:
        """Never with other eyes than those that sit here now."""
        if self._fits(past):
            self._past = past
            self._show()
            self._show_side()

    def _fits(self, past: Scene[Any] | None) -> bool:
        """Whether the past is that of this match, seen through the eyes of now."""
        now = self._scene
        return past is not None and (past.viewer, past.match.commitment) == (now.viewer, now.match.commitment)

    def _past_words(self, past: Scene[Any]) -> str:
        """Where one looks, what was done there, and whether one is waited for meanwhile."""
        recent = past.match.recent()
        said = self._face.describe(past, recent[-1][1]) if recent else ()
        words = render(said[0]) if said else _("Before the first move.")
        where = _("Move {ply} of {end}: {words}", ply=past.match.ply, end=self._scene.match.ply, words=words)
        return _("{where} It is your turn.", where=where) if self._scene.may_act else where

    def do_back(self) -> None:
        """One step back: half a choice, then an open drawer, then the question whether to leave."""
        if self._past is not None:
            self._look_at_now()
            return
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
