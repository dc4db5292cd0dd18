"""What a lesson says over the board: what its game is about, before the first step, and what was learnt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.text import Text, text
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.form import LineButton

_FRAME: Final = """
    #lesson-page { width: 78; max-width: 100%; height: auto; max-height: 100%; padding: 0 2;
                   background: $ground; border: round $gold; }
    #lesson-page #head { width: 100%; height: 1; color: $gold; text-style: bold; }
    #lesson-page VerticalScroll { height: auto; max-height: 1fr; }
    #lesson-page #words { width: 100%; color: $ink; }
    #lesson-page Horizontal { height: 1; margin-top: 1; align: center middle; }
    #lesson-page LineButton { margin: 0 1; }
"""


class LessonIntro(KkScreen, ModalScreen[None]):
    """The pages before the first step, one after the other; Enter goes on, Esc goes back."""

    CSS = _FRAME.replace("#lesson-page", "LessonIntro #lesson-page")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,down", "turn(1)", show=False),
        Binding("left,backspace,up", "turn(-1)", show=False),
    ]

    def __init__(self, game: Text, pages: Sequence[Text]) -> None:
        super().__init__()
        self._game = game
        self._pages = pages
        self._at = 0

    def body(self) -> ComposeResult:
        """Compose a page in a frame, and the button that turns it."""
        with Vertical(id="lesson-page"):
            yield Static(id="head", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(id="words", markup=False)
            with Horizontal():
                yield LineButton(_("Go on: Enter"), id="on")

    def on_mount(self) -> None:
        """Show the first page."""
        self.query_one("#on").focus()
        self._show_page()

    def _show_page(self) -> None:
        head = _("{game}: page {n} of {all}", game=self._game, n=self._at + 1, all=len(self._pages))
        self.query_one("#head", Static).update(head)
        self.query_one("#words", Static).update(f"\n{render(self._pages[self._at])}")
        self.say(_("Enter turns the page; Esc turns back, from the first out of the lesson."))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Turn the page."""
        event.stop()
        self.action_turn(1)

    def action_turn(self, by: int) -> None:
        """Show another page; after the last one the lesson begins."""
        if not self.is_current:
            return
        if self._at + by == len(self._pages):
            self.dismiss()
        elif self._at + by >= 0:
            self._at += by
            self._show_page()

    def do_back(self) -> None:
        """Show the page before, or leave the lesson from the first one."""
        if self._at:
            self.action_turn(-1)
        elif self.is_current:
            self.dismiss()
            self.kk.ask_leave_table()

    def actions(self) -> Sequence[Action]:
        """Return how to turn the pages."""
        return (Action("do", text("go on")), Action("back"))


class LessonEnd(KkScreen, ModalScreen[None]):
    """The end of a lesson: the rules that it has taught, and what can be done next."""

    CSS = _FRAME.replace("#lesson-page", "LessonEnd #lesson-page")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(
        self, game: str, told: Text | None, learnt: Sequence[Text], see_scores: Callable[[], None]
    ) -> None:
        """`see_scores` shows how the match of the lesson is scored."""
        super().__init__()
        self._game = game
        self._told = told
        self._learnt = learnt
        self._see_scores = see_scores

    def body(self) -> ComposeResult:
        """Compose the rules, and the choices under them."""
        with Vertical(id="lesson-page"):
            yield Static(_("This was the lesson."), id="head", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(self._words(), id="words", markup=False)
            with Horizontal():
                yield LineButton(_("Play a match (n)"), id="new")
                yield LineButton(_("with the coach (h)"), id="hint")
                yield LineButton(_("Score this one (v)"), id="view")

    def _words(self) -> Content:
        bullet = self.kk.glyphs["bullet"]
        told = [] if self._told is None else [Content.styled(render(self._told), "$happened")]
        learnt = (Content(f"{bullet} {render(line)}") for line in self._learnt)
        return Content("\n").join((*told, Content.styled(_("You have learnt:"), "bold $ink"), *learnt))

    def on_mount(self) -> None:
        """Focus what comes next."""
        self.query_one("#new").focus()
        self.say(_("Choose with arrows and Enter; Esc goes back to the board."))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Do what the button says."""
        event.stop()
        self.do(event.button.id or "")

    def do_new(self) -> None:
        """Open the form of a match against bots."""
        self.app.push_screen(NewGameScreen(self._game, is_chosen=True))

    def do_hint(self) -> None:
        """Open the form of a match with the coach."""
        self.app.push_screen(NewGameScreen(self._game, is_chosen=True, is_coached=True))

    def do_view(self) -> None:
        """Show how the match of the lesson is scored."""
        if self.is_current:
            self.dismiss()
            self._see_scores()

    def do_undo(self) -> None:
        """Go back to the board: there the last step is taken back."""
        self.do_back()

    def do_back(self) -> None:
        """Go back to the board."""
        if self.is_current:
            self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return what can be done next."""
        return (
            Action("do"),
            Action("new", text("a match of this game")),
            Action("hint", text("play with the coach")),
            Action("view", text("score this match")),
            Action("back", text("the board")),
            Action("help", minor=True),
            Action("leave"),
        )
