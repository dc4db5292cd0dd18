"""The table screen, one for all games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Click, Key
from textual.geometry import Region

from kk_core.text import Text, text
from kk_core.types import Seat
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.match.hint import Hinting
from kk_tui.match.hotseat import HandingOver, TurnBanner, seat_chip
from kk_tui.match.lesson import LessonGuide
from kk_tui.match.motion_player import Announcer
from kk_tui.match.moves import COUNTS, Asked, Mover, Previewer
from kk_tui.match.pointing import asks
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.scoring_player import BoardScoringPlayer
from kk_tui.match.screen import BETWEEN, LookingBack, MatchScreen, fitted_title, past_title, past_words
from kk_tui.press_guard import TOO_SOON
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Step, since
from kk_tui.scoring_animation.stage import Stage
from kk_tui.screens.base import guarded
from kk_tui.table.advice import InVain, Verdict, lost_words, move_words
from kk_tui.table.news import ScoreBaseline, last_words
from kk_tui.table.side_panel import DRAWERS, Beside, SidePanel
from kk_tui.table.teaching import coach_words
from kk_tui.table_words import watching_words
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.board import CURSOR_KEYS, HINT_MARKS, Board
from kk_tui.widgets.explanation import Explanation

_LOOK: Final = tuple(Action(name, minor=True) for name in ("earlier", "what"))
_ALWAYS: Final = tuple(Action(name, minor=name != "help") for name in ("settings", "help", "leave", "back"))
"""Actions of every table: looking back, and those of every screen."""

_TURNS: Final = {"pageup": -1, "pagedown": 1, "home": -99, "end": 99}
"""Pages by which a key scrolls the side."""

_ENDS: Final = {"home": -1, "end": 1}
"""Ends of a row to which a key moves the cursor of a board that has rows, unless a drawer is open."""


class TableScreen(MatchScreen):
    """Board, people, prompt and keys; sends moves and shows why others are refused."""

    def __init__(self) -> None:
        super().__init__()
        self._hands = HandingOver(self)
        self._was_over = False
        self._is_staged = False  # whether an animation stands over the board
        self._past = LookingBack(self, self._show_all)
        self._previewer = Previewer(self, self._foresee)
        self.mover = Mover(self, self._show_all, self._previewer)
        self.scoring_player = BoardScoringPlayer(self, self._show_step, self._scoring_ended)
        self._announcer = Announcer()
        self._announced: Content | None = None  # in place of the title, until the next step or press
        self._gains = ScoreBaseline()
        self._hints = Hinting(self, self._renew)
        self._guide = LessonGuide(self, self.mover, self._past)

    def on_mount(self) -> None:
        """Read who is coached."""
        self.kk.recent.load()

    def body(self) -> ComposeResult:
        """Compose the overlays of a table, too."""
        yield from super().body()
        yield Stage()
        yield TurnBanner(self.kk.glyphs)

    @property
    def is_previewed(self) -> bool:
        """True unless the effect of the move under the cursor is still to come."""
        return self._previewer.is_settled

    @property
    def shown(self) -> Scene[Any]:
        """The scene now, or one of the past; during a scoring animation, the one it starts from."""
        scene = self._past.scene or self._scene
        return scene.at_rest() if self.scoring_player.is_playing else scene

    # -- drawing ---------------------------------------------------------------------------------------------

    @guarded
    def place_changed(self) -> None:
        """Show the new scene everywhere."""
        before, scene = self._scene, self.kk.store.scene
        if scene is None or self.scoring_player.leads_to(scene, self._face, is_cut=_is_cut(before, scene)):
            return
        # the viewer's turn has begun or ended, or somebody else has moved
        if scene.may_act is not before.may_act or not (scene.may_act or scene.match.ply == before.match.ply):
            self.take_back()
        self._face_front(before, scene)
        self._announce(before, scene)
        self._scene = scene
        self._gains.follow(scene)
        if _has_moved(before, scene):  # who comes or leaves meanwhile ends no walk through the signs
            self._pointing.cut_short()
        is_handed_over = self._hands.follow(scene, self._face)
        self._past.check(scene, is_handed_over=is_handed_over)
        self._show_all(before)
        self._hands.greet(scene, self.board.region)
        if self.is_current and self.focused is not self.board:  # to give it the focus draws all of it
            self.board.focus()
        if scene.is_over and not self._was_over and self._guide.is_over(scene):
            self.app.push_screen(ResultScreen())
        self._was_over = scene.is_over
        self._guide.follow(scene)
        self._follow(before)
        if before.match.commitment == scene.match.commitment:
            self._hints.follow(since(before, scene), scene.viewer)

    def _follow(self, before: Scene[Any]) -> None:
        """Make the one move that is left after the viewer's last one; a lesson has each made by hand."""
        scene, seat = self._scene, self._scene.viewer
        is_shown = self._hands.holding is None and not self.scoring_player.is_playing
        if seat is None or scene.table.lesson is not None or not (scene.may_act and is_shown):
            return
        news = since(before, scene) if before.match.commitment == scene.match.commitment else []
        move = self.board.follows()
        if move is not None and news and news[-1].seat == seat:
            self.mover.follow(scene, seat, move)

    def _scoring_ended(self) -> None:
        """Show the scene that an animation has led to."""
        if not self.scoring_player.has_run_out:
            self.motion.pass_over()
        self.place_changed()

    def _announce(self, before: Scene[Any], scene: Scene[Any]) -> None:
        """Take in what is to be announced of a new scene."""
        if scene.position != before.position:
            face, glyphs, width = self._face, self.kk.glyphs, self.prompt_width
            said = self._announcer.follow(before, scene, face, glyphs, width)
            self._announced = said if self.motion.is_wanted else None

    def _explain_header(self, x: int, y: int) -> Explanation | None:
        if self._announced is None:
            return super()._explain_header(x, y)
        return Explanation(text("What has just changed; the next key brings back the title."))

    def rest(self) -> None:
        """Clear what was announced, too."""
        super().rest()
        if self._announced is not None:
            self._announced = None
            self._title()

    def _face_front(self, before: Scene[Any], scene: Scene[Any]) -> None:
        """Tell presses apart: one that was meant for the old scene must not count for a new one."""
        is_same = (before.viewer, before.match.commitment) == (scene.viewer, scene.match.commitment)
        news = since(before, scene) if is_same else []
        own = [entry for entry in news if entry.seat == scene.viewer]
        # a move that waits to be confirmed was chosen in a scene that is gone
        if own or not (is_same and scene.may_act):
            self.mover.forget()
        is_due = scene.may_act and not before.may_act
        if not is_same or is_due or any(entry.events for entry in news):
            self.kk.press_guard.changed()
        # the step just made cannot be taken back, so a second press of its key must not make the next one
        elif own and scene.may_act and not scene.match.may_undo:
            self.kk.press_guard.changed(goes_on=True)

    @guarded
    def _show_all(self, before: Scene[Any] | None = None) -> None:
        """Draw everything; with the scene `before` this one, also what has moved since."""
        with self.at_once(self.board, self.side.people, self._header, self._prompt_line, self._key_bar):
            if before is not None and before.position != self._scene.position:
                self.motion.end()
            self._show()
            self.show_side()
            if before is not None and self._past.scene is None:
                self.motion.begin(before, self._scene, self._face)

    @guarded
    def _show(self) -> None:
        """Draw board, prompt and keys."""
        # a scoring animation draws the board itself
        if self.scoring_player.is_playing or not self.is_alive:
            return
        self.board.show(self.shown, pending=self.mover.pending or self._past.scene is not None)
        self._guide.light(self._scene)
        self._consider()
        self._title()
        self._prompt()
        self.say_small(_("It's your turn.") if self._scene.may_act else "")
        self.show_keys()

    def _title(self) -> None:
        face, past = self._face, self._past.scene
        if past is None and self._announced is not None:
            self.title_line(self._announced)
        elif past is None:
            status = BETWEEN.join(map(render, face.status(self._scene)))
            if (daily := self._scene.table.daily) is not None:
                # at home nothing is counted, so that nothing is practice
                is_practice = not (daily.counts or self.kk.local)
                kind = _("deal of the day, practice") if is_practice else _("deal of the day")
                status = _("{status}  |  {kind}", status=status, kind=kind)
            if self.mover.is_coached(self._scene):
                with_coach = _("{status}  |  {kind}", status=status, kind=_("coach"))
                status = with_coach if cell_len(with_coach) <= self.prompt_width else status
            whole = _("{game}  |  {status}", game=face.meta.name, status=status)
            self.title_line(whole if cell_len(whole) <= self.prompt_width else status)
        else:
            # its end is said on the board, too
            title = fitted_title(past_title(face, past, self._scene), self.prompt_width)
            self.title_line(title, "$happened")

    def complain(self, reason: Text) -> None:
        """Show why something was not done; a question is dropped, as nobody answers what is covered."""
        if self.mover.asked is not None and reason is not TOO_SOON:
            self.mover.look_elsewhere()
        super().complain(reason)

    def _forget(self, *, keep_lead: bool = False) -> None:
        """End an explanation, and a hint's lead unless it is kept."""
        if not keep_lead:
            self._hints.end(self._scene)
        self._pointing.rest()

    def _renew(self) -> None:
        self._prompt()
        self.show_keys()

    def say_what_counts(self) -> None:
        """Say what a sign means, or what to do."""
        self._prompt()

    def _prompt(self) -> None:
        if self.scoring_player.is_playing:
            self.scoring_player.say_again()
        elif self._past.scene is not None:
            self.say(past_words(self._face, self._past.scene, self._scene), "$happened")
        elif self.mover.pending:
            self.say("")
        elif (waiting := self._guide.waiting_words(self._scene)) is not None:
            if not self.say_meaning():
                self.say(render(waiting), "$possible")
        elif self._scene.is_over:
            self.say(_("The match is over. Enter shows the result."), "$possible")
        elif (seat := self._hands.holding) is not None:
            name = self._scene.name(seat)
            self.say(_("Everybody may look; Enter hands the screen to {name}.", name=name), "$possible")
        elif self._pointing.is_walking and self.say_meaning():
            return
        elif self.mover.is_weighing:
            self.say(self.mover.thinking_words, "$ink-dim")
        elif (asked := self.mover.asked) is not None:
            self.say(self._whose(self._words_before(asked)))
        elif self.say_meaning():
            return
        elif (move := self._hints.move(self._scene)) is not None:
            words = move_words(self._scene, self._face, self._scene.viewer or 0, move)
            self.say(self._whose(_("Enter, as the hint says, {move}", move=words)))
        elif self._scene.may_act:
            self.say(self._whose(render(self.board.prompt())))
        else:
            watching = watching_words(self._scene.table, self.kk.user)
            self.say(last_words(self._scene, self._face, self.prompt_width, watching), "$ink-dim")

    def _words_before(self, asked: Asked) -> str:
        """Return the prompt for a step to be confirmed, shorter where there is no room."""
        if asked.ends is None:
            return self._warning()
        step = move_words(self._scene, self._face, asked.seat, asked.move)
        loss = asked.loss
        if self._face.all_at_once:  # since it was asked for others may have chosen, or have taken it back
            is_last = self._scene.observation.active == (asked.seat,)
            loss = text("Everybody else has chosen") if is_last else COUNTS
        if asked.instead:
            return self._instead(loss, step)
        words = _("{loss}. Enter {step}", loss=loss or COUNTS, step=step)
        if cell_len(words) <= self.prompt_width:
            return words
        return _("{loss}. Enter confirms, Esc cancels.", loss=loss or COUNTS)

    def _warning(self) -> str:
        """Return the prompt while the coach asks: what is lost, and what would be better if there is room.

        What the keys do stands in the footer, too.
        """
        warned = self.mover.warned
        lost = "" if warned is None else lost_words(warned)
        plain = _("{lost} Enter confirms, Esc takes it back.", lost=lost).strip()
        if warned is None:
            return plain
        better = warned.why if isinstance(warned, InVain) else _("Better: {move}.", move=warned.better)
        marked = _("Better: {mark}.", mark=HINT_MARKS[0]) if self._better_places(warned) else ""
        forms = [f"{lost} {said}" for said in (better, marked) if said]
        return next((form for form in forms if cell_len(form) <= self.prompt_width), plain)

    def _instead(self, loss: Text | None, step: str) -> str:
        """Return the prompt for a step that another one gave way to, with what it ends if there is room."""
        step = step.rstrip(".")
        words = _("{loss}. Enter {step} instead.", loss=loss or "", step=step)
        if loss is not None and cell_len(words) <= self.prompt_width:
            return words
        words = _("Enter {step} instead.", step=step)
        return words if cell_len(words) <= self.prompt_width else _("Enter does this instead; Esc cancels.")

    def _whose(self, words: str) -> Content:
        """Return the prompt."""
        said, seat = Content.styled(words, "$possible"), self._scene.viewer
        if seat is None or not self._hands.is_shared:
            return said
        # where several sit at this screen, after the name of the one it is for
        room = self.prompt_width - said.cell_length - 1
        return Content.assemble(seat_chip(self._scene, seat, self.kk.glyphs, room), " ", said)

    @guarded
    def _show_step(self, step: Step | None) -> None:
        """Draw a step of a scoring animation, or with None clear it."""
        self.motion.end()
        self._announced = None
        if self._is_staged != (step is not None):
            self._is_staged = step is not None
            self.take_back()
            self.kk.press_guard.changed()
        self.scoring_player.draw(step)
        if step is not None:
            self.show_keys()
            self._previewer.consider(None, None)
            self.show_side()

    def take_key(self, event: Key) -> bool:
        """Steer the board's cursor directly: the messages that would tell of it cost as much again."""
        is_on_board = self.focused is self.board and not self.scoring_player.is_playing
        if not (is_on_board and event.key in CURSOR_KEYS):
            return super().take_key(event)
        self._steer(event.key)
        return True

    @guarded
    def mouse_moved(self, x: int, y: int) -> None:
        """Say what the sign under the mouse means, unless a scoring animation lies over it."""
        if not self.scoring_player.is_playing:
            super().mouse_moved(x, y)

    @guarded
    def _steer(self, key: str) -> None:
        self._forget()
        self._pointing.rest(is_steered=True)
        self.query_one(TurnBanner).clear()
        with self.at_once(self.board, self.side.people, self._header, self._prompt_line, self._key_bar):
            self.rest()
            with self.board.prevent(Board.Cursor):  # what it would tell is done here, without a message
                self.board.action_steer(key)
            self._cursor_moved()

    def on_key(self, event: Key) -> None:
        """Offer a key to a scoring animation first, then let it scroll the side."""
        if event.key == "enter" and self.mover.asked is not None and self._pointing.leave():
            # the question is shown again: nobody confirms what they do not see
            event.prevent_default().stop()
            return
        if not asks(event.key) and not (self._pointing.takes_back and event.key == KEYS["back"].key):
            self._forget(keep_lead=event.key == "enter" or event.key in HINT_MARKS)
        self.query_one(TurnBanner).clear()
        if self.scoring_player.takes_key(event):
            event.prevent_default().stop()
        elif event.key in _TURNS:
            is_for_board = event.key in _ENDS and self.side.drawer is None
            if not (is_for_board and self.board.go_to_end(_ENDS[event.key])):
                self.side.scroll(_TURNS[event.key])

    def on_click(self, event: Click) -> None:
        """Give a click to a scoring animation alone: the board under it may have changed."""
        self._forget(keep_lead=isinstance(event.widget, KeyBar))
        if isinstance(event.widget, KeyBar):
            return
        if self.scoring_player.is_playing or not self.take_click(event):
            self.scoring_player.takes_click()

    @guarded
    def on_board_cursor(self, event: Board.Cursor) -> None:
        """Redraw after the cursor has moved."""
        event.stop()
        self._cursor_moved()

    def _cursor_moved(self) -> None:
        """Renew the prompt, the keys and the lines beside the board."""
        if self.scoring_player.is_playing:
            return
        preview, was_asked = self._previewer.sheet, self.mover.asked is not None
        self.mover.look_elsewhere()
        self._consider()
        # the points drawn beside the names may be those after another move, or still hidden by a question
        is_other = self._previewer.sheet is not preview or (was_asked and preview is not None)
        if is_other or not self.side.shows(self.board.panel()):
            self.show_side()
        self._renew()

    def beside(self) -> Beside:
        """Return the points before, and after the move that Enter would make."""
        before = self._gains.before(self.shown, self._face) if self._past.scene is None else None
        asked = self.mover.asked
        # a move that waits to be confirmed may be another one than the cursor's
        is_foreseen = asked is None or asked.move == self.board.candidate()
        preview, warned = self._previewer.sheet if is_foreseen else None, self.mover.warned
        told: Sequence[Content] = ()
        if warned is not None and self._past.scene is None:
            is_marked, is_asked = bool(self._better_places(warned)), asked is not None
            told = coach_words(warned, is_marked=is_marked, is_asked=is_asked)
        self.board.is_crowded = self.board.is_crowded or (self.side.is_low and bool(told))
        return Beside(self.board.panel(), before, preview, told=told)

    def _better_places(self, warned: Verdict | InVain) -> Sequence[Region]:
        return () if isinstance(warned, InVain) else self.board.places(warned.point.better.move)

    def _consider(self) -> None:
        is_open = self._past.scene is None and not self._guide.waits(self._scene)
        may = self._scene.may_act and not self.mover.pending and is_open
        self._previewer.consider(self._scene.viewer, self.board.candidate() if may else None)
        self.board.foresee(self._previewer.sheet, self._previewer.ends, self._previewer.wanted)

    def _foresee(self) -> None:
        """Show the changes and the end that the move under the cursor would bring."""
        if self.scoring_player.is_playing:
            return
        self.board.foresee(self._previewer.sheet, self._previewer.ends, self._previewer.wanted)
        self._prompt()
        self.show_side()

    def on_side_panel_pressed(self, event: SidePanel.Pressed) -> None:
        """Treat a click on one of the board's lines beside it as a key."""
        self.press(event.action)

    def on_resize(self) -> None:
        """Lay out scoring animation and sentences for the new size."""
        self.call_after_refresh(self._fit)

    @guarded
    def _fit(self) -> None:
        self.scoring_player.show_again()
        self._guide.fit()
        if self.is_alive and not self.scoring_player.is_playing:
            self._title()
            self._prompt()

    # -- doing -----------------------------------------------------------------------------------------------

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """Make a move."""
        asked = self.mover.asked
        if (seat := self._chooser()) is None or self._guide.holds_up(self._scene, event.move):
            return
        if asked is not None and asked.ends is None and asked.move == event.move and not event.is_laid_out:
            return  # what the coach has said is answered by the keys that stand there
        self.mover.play(self._scene, seat, event.move, is_laid_out=event.is_laid_out)

    def on_board_tried(self, event: Board.Tried) -> None:
        """Ask why this move is not possible."""
        if (seat := self._chooser()) is not None and not self._guide.holds_up(self._scene, event.move):
            self.mover.explain(seat, event.move)

    def on_board_refused(self, event: Board.Refused) -> None:
        """Show the board's reason why this is not possible."""
        self.mover.look_elsewhere()
        if not self._guide.holds_up(self._scene, None):
            self.complain(event.reason)

    def _chooser(self) -> Seat | None:
        """Return the seat that chooses by key or click; if nobody can, say why in the prompt line."""
        if not self.kk.press_guard.is_meant:
            self.complain(TOO_SOON)
        elif self._past.scene is not None:
            self.complain(text("You're looking back; Esc returns to the present."))
        elif self._hands.holding is not None:
            self._prompt()
        elif self._scene.viewer is None:
            self.complain(text("You're watching; only players at the table can make moves."))
        elif self.mover.pending:
            self.complain(text("Your last move is still being sent."))
        else:
            return self._scene.viewer
        return None

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Return the game's actions, then those of every table."""
        scene = self._scene
        own: list[Action] = []
        if self._past.scene is not None:
            now = (Action("earlier"), Action("later"), Action("back", text("to the present")))
            return (*now, *self.drawer_actions, Action("help", minor=True))
        if self.scoring_player.is_playing:
            return self.scoring_player.actions()
        if self._guide.waits(scene):
            own = [Action("do", text("take it back") if self._guide.has_strayed(scene) else text("go on"))]
        elif scene.is_over:
            own = [
                Action("do", text("result")),
                Action("view"),
                Action("hint", text("analysis"), minor=True),
            ]
        elif self._hands.holding is not None:
            own = [Action("do", text("hand over"))]
        elif self.mover.is_weighing and self.mover.awaited is not None:
            hurry = [Action("do", text("play at once"))] if self.mover.is_slow else []
            own = [*hurry, Action("back", text("take it back"))]
        elif self.mover.asked is not None and self.mover.asked.ends is None:
            own = [Action("do", text("play anyway")), Action("back", text("take it back"))]
        elif self.mover.asked is not None:
            own = [Action("do", text("do it")), Action("back", text("not yet"))]
        elif not self.mover.pending and scene.may_act:
            own = list(self.board.actions())
            if self._hints.move(self._scene) is not None:
                own = [Action("do", text("follow the hint")), *(a for a in own if a.name != "do")]
            if scene.table.hints:
                own.append(Action("hint"))
        if scene.match.may_undo and not self.mover.pending:
            own.append(Action("undo", None if scene.table.lesson is None else text("a step back")))
        if scene.table.lesson is not None and scene.table.lesson.step > 1:
            own.append(Action("lesson", text("restart the lesson"), minor=True))
        return (*own, *self.drawer_actions, *_LOOK, *self.kk.table_actions, *_ALWAYS)

    @guarded
    def action_act(self, name: str) -> None:
        """Do an action; at a table even an impossible one is answered with the reason."""
        if self._hints.takes_letter(name, self._scene):
            self.complain(text("Enter follows the hint."))
        elif name == "all" and self._hints.is_awaited and not self.scoring_player.is_playing:
            self.do_hint()  # the letter of its best move came too early
        elif name in ("skip", "all") and not self.scoring_player.is_playing:
            # the same key makes bots play without waiting; it must not hide what Enter would do
            is_free = self.mover.asked is None and self.mover.awaited is None
            if (name != "skip" or not self.kk.hurry()) and is_free:
                self.complain(text("Nothing to skip right now."))
        elif name in DRAWERS:
            self._guide.drawer_turned()
            super().action_act(name)
        elif hasattr(self, f"do_{name}"):
            self.do(name)
        elif self._chooser() is not None and (reason := self.board.perform(name)) is not None:
            self.complain(reason)

    @guarded
    def key_enter(self, event: Key) -> None:
        """Hand over, follow a hint, confirm a move or reopen the result; else leave Enter to the board."""
        if self._past.scene is not None:
            return
        if self._guide.takes_enter(self._scene):
            event.prevent_default().stop()
            if self._chooser() is not None:
                self._guide.go_on(self._scene)
            return
        asked = self.mover.asked
        move = self._hints.move(self._scene) if asked is None else asked.move
        move = move if self.mover.awaited is None else self.mover.awaited
        if self._scene.is_over or self._hands.holding is not None or move is not None:
            event.prevent_default().stop()
        if self._scene.is_over:
            self.app.push_screen(ResultScreen(is_asked_for=True))
        elif move is not None:
            if (seat := self._chooser()) is not None:
                self.mover.play(self._scene, seat, move)
        elif self._hands.holding is not None and self.kk.press_guard.is_meant:
            self._hands.hand_over(self._scene, self._face)

    def do_undo(self) -> None:
        """Take the last step back."""
        if (seat := self._chooser()) is not None:
            self.mover.undo(seat)

    def do_lesson(self) -> None:
        """Begin the lesson anew, after a question."""
        self._guide.ask_anew(self._scene)

    def do_hint(self) -> None:
        """Ask for a hint; after the end, open the replay with the coach, as the result does."""
        if self._guide.lesson(self._scene) is not None:
            what = text("What to do is shown beside the board and marked on it.")
            self.complain(self._guide.waiting_words(self._scene) or what)
            return
        if self._scene.is_over:
            self.app.push_screen(ReplayScreen(coached=True))
            return
        if (seat := self._chooser()) is not None:
            self.mover.forget()  # its numbers on the board give way to those of the hint
            self._hints.ask(self._scene, self._face, seat)

    def do_earlier(self) -> None:
        """Show the table one ply earlier."""
        self.mover.forget()
        self._past.step(-1, self._scene)

    def do_later(self) -> None:
        """Show the table one ply later."""
        self._past.step(1, self._scene)

    def do_view(self) -> None:
        """Open the replay of a finished match."""
        if self._scene.is_over:
            self.app.push_screen(ReplayScreen())
        else:
            self.complain(
                text("You can replay a match once it is over; {key} looks back.", key=KEYS["earlier"].shown)
            )

    def do_back(self) -> None:
        """Go one step back, or ask whether to leave.

        A step back is, in this order: stop looking for a hint, cancel a move that is to be confirmed or that
        the coach looks at, return from the past, cancel half a choice, close a drawer.
        """
        if not self.kk.press_guard.is_meant:
            return
        if self._hints.give_up():
            self._prompt()
        elif self._pointing.leave():
            return
        elif self.mover.forget():
            self.board.step_back()
            self._renew()
            self.show_side()
        elif self._past.scene is not None:
            self._past.leave()
        elif self._guide.has_strayed(self._scene):
            self.do_undo()
        elif self.board.step_back():
            return
        elif self.side.drawer is not None:
            self.turn_drawer(None)
        else:
            self.kk.ask_leave_table()

    def do_skip(self) -> None:
        """End the scoring animation."""
        self.scoring_player.end()

    def do_all(self) -> None:
        """Show the end of the scoring animation."""
        self.scoring_player.show_all()


def _is_cut(before: Scene[Any], scene: Scene[Any]) -> bool:
    """Return whether a lesson has passed over what lies between two scenes, up to the end of its match."""
    lesson = before.table.lesson
    is_passing = lesson is not None and lesson.asks is None and not (lesson.learnt and lesson.skips is None)
    return is_passing and not scene.is_over


def _has_moved(before: Scene[Any], now: Scene[Any]) -> bool:
    """Return whether somebody has moved, or whose turn it is has changed."""
    return before.position != now.position or before.observation.active != now.observation.active
