"""A sentence in the middle of the screen, and what one can do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.protocol.messages import GoTo, Look, WelcomePage
from kk_core.text import Text, printable, shortened, text, texts
from kk_core.types import Seat
from kk_tui.i18n import _, render, spelled
from kk_tui.keymap import Action
from kk_tui.presses import TOO_SOON
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.form import LineButton

_NARROWEST: Final = 14
"""Columns of an answer, which are all as wide as the widest."""


class Dialog(KkScreen):
    """Says something, with a reason where there is one, and offers answers by their identifiers."""

    def __init__(self, head: Text, answers: Mapping[str, Text], reason: Text | None = None) -> None:
        super().__init__()
        self._head = head
        self._reason = reason
        self._answers = answers

    def body(self) -> ComposeResult:
        """The sentence, the reason, the answers."""
        with Vertical(classes="middle"):
            yield from self.above()
            yield Static(render(self._head), classes="big", markup=False)
            if self._reason is not None:
                yield Static(render(self._reason), id="reason", markup=False)
            yield from self.below()
            buttons = [LineButton(render(label), id=answer) for answer, label in self._answers.items()]
            for button in buttons:
                button.styles.min_width = max(_NARROWEST, *(each.columns for each in buttons))
                yield Center(button)

    def above(self) -> ComposeResult:
        """Hook: what stands over the sentence."""
        return iter(())

    def below(self) -> ComposeResult:
        """Hook: what stands under the reason."""
        return iter(())

    def place_changed(self) -> None:
        """A header as everywhere."""
        super().place_changed()
        self.title_line("kk")


class ConfirmScreen(KkScreen, ModalScreen[None]):
    """A question over the dimmed screen before something that cannot be taken back; Esc is always back.

    The harmless answer is the one that Enter gives at first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
        Binding("y", "yes", show=False),
        Binding("n", "no", show=False),
    ]

    def __init__(
        self,
        question: Text | Callable[[], Text],
        yes: Callable[[], None],
        label: Text | None = None,
    ) -> None:
        """A question that may read differently while it stands there is asked for each time."""
        super().__init__()
        self._question = question
        self._yes = yes
        self._label = label or text("Yes")

    def body(self) -> ComposeResult:
        """The question in a frame, the answers under it."""
        with Vertical(id="question"):
            yield Static(self._words(), id="asked", markup=False)
            with Horizontal():
                yield LineButton(_("{answer} (y)", answer=self._label), id="yes")
                yield LineButton(_("No, back (n)"), id="no")

    def _words(self) -> str:
        return render(self._question() if callable(self._question) else self._question)

    def place_changed(self) -> None:
        """What is asked may read differently now."""
        super().place_changed()
        self.query_one("#asked", Static).update(self._words())

    def keeping_changed(self) -> None:
        """So may what is lost."""
        super().keeping_changed()
        self.query_one("#asked", Static).update(self._words())

    def on_mount(self) -> None:
        """Whoever presses Enter without reading loses nothing."""
        self.query_one("#no").focus()

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Do it, or go back."""
        if event.button.id == "no":
            self.action_no()
        else:
            self.action_yes()

    def action_yes(self) -> None:
        """Do it; once, however often it is pressed before the question is gone."""
        if not self.is_current:
            return
        self.dismiss()
        self._yes()

    def action_no(self) -> None:
        """Go back; once, however often it is pressed before the question is gone."""
        if self.is_current:
            self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Back."""
        return (Action("do"), Action("back"))


class LostDialog(Dialog):
    """The connection is gone: says why, and when it is tried again; a match goes on where it stands."""

    def __init__(self, reason: Text, pause: float | None = None) -> None:
        """`pause` are the seconds until the next attempt; None where nobody tries."""
        self._why = reason
        self._next = None if pause is None else monotonic() + pause
        answers = {"again": text("Connect again"), "quit": text("Quit")}
        super().__init__(text("There is no connection."), answers, self._words())

    def on_mount(self) -> None:
        """Count the seconds."""
        self.set_interval(1, self._tell)

    def renew_reason(self, reason: Text, pause: float | None) -> None:
        """An attempt has failed."""
        self._why = reason
        self._next = None if pause is None else monotonic() + pause
        self._tell()

    def _words(self) -> Text:
        if self._next is None:
            return self._why
        left = max(0, round(self._next - monotonic()))
        soon = texts("Trying again in {n} second ...", "Trying again in {n} seconds ...", left)
        return text("{reason}\n\n{soon}", reason=self._why, soon=soon if left else text("Connecting ..."))

    def _tell(self) -> None:
        if self._next is not None and self.is_alive:
            self.query_one("#reason", Static).update(render(self._words()))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Try again, or give up."""
        if not self.is_current:
            return
        if event.button.id == "again":
            self.dismiss()
            self.kk.connect()
        else:
            self.app.exit()

    def actions(self) -> Sequence[Action]:
        """Enter presses what has the focus."""
        return (Action("do"), Action("leave"))

    def do_leave(self) -> None:
        """Away from the game; asks."""
        self.kk.ask_quit()


class CannotShowDialog(Dialog):
    """The table cannot be shown here: says why, what helps, and leads back; everything else goes on."""

    def __init__(self) -> None:
        super().__init__(text("This table cannot be shown here."), {"back": text("Back")}, Text(""))

    def below(self) -> ComposeResult:
        """What helps."""
        table = self.kk.store.table
        lost = table and self.kk.keeping.lost_with(table.id, is_over=False)
        advice = _(
            "{what} Try again with the newest version of this program; "
            "if that does not help, tell those who run the server what stands here.",
            what=render(lost or text("Nothing is lost: the match stays as it is.")),
        )
        yield Static(advice, id="advice", markup=False)

    def place_changed(self) -> None:
        """The reason may read differently once the match has begun."""
        super().place_changed()
        if self.kk.store.fault is not None:
            self.query_one("#reason", Static).update(render(self.kk.store.fault))

    def on_line_button_pressed(self) -> None:
        """Like Esc."""
        self.do_back()

    def actions(self) -> Sequence[Action]:
        """Back, rules, away."""
        return (Action("do", text("back")), Action("back"), Action("help"), Action("leave"))

    def do_back(self) -> None:
        """To menu or lobby; seats and match stay as they are."""
        self.ask(lambda number: GoTo(number, None))


class HandoverDialog(Dialog):
    """Between two people at one screen: nothing is shown until the next one is sitting there.

    Shows a name and waits for Enter; the table is looked at as a spectator meanwhile.
    """

    def __init__(self, seat: Seat, name: str) -> None:
        head = text("Hand over to {name} - press Enter", name=name)
        super().__init__(head, {"ready": text("I am {name}", name=name)})
        self._seat, self._player = seat, name

    def above(self) -> ComposeResult:
        """The sign of the next one, in his colour."""
        words = f"{self.kk.glyphs.owner(self._seat)}  {self._player}"
        yield Center(Static(words, classes=f"plate seat-{self._seat}", markup=False))

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

    def on_line_button_pressed(self) -> None:
        """The next one sits here now; the one before may have pressed Enter once too often."""
        if self.kk.front.is_meant:
            self.ask(lambda number: Look(number, self._seat))
        else:
            self.complain(TOO_SOON)

    def actions(self) -> Sequence[Action]:
        """Go on, rules, away."""
        return (Action("do", text("take over")), Action("help"), Action("leave"))


_LONGEST: Final = 8000
"""Characters of a part that are shown, whatever a server sends."""

_FIRST_VISIT: Final = text("You have not been here before. The key of this server is")
_LEAVE: Final = text(
    "If its host has told you another one, leave: you are somewhere else. This one is remembered, and from "
    "now on no other is taken for it."
)


class WelcomeScreen(KkScreen):
    """Stands before the lobby until it was read; what is long can be scrolled."""

    CSS = """
    WelcomeScreen #around { height: 1fr; align: center middle; }
    WelcomeScreen #page { width: 78; max-width: 100%; height: auto; max-height: 100%; padding: 1 3 0 3;
        border: round $gold; border-title-color: $gold; border-title-style: bold; border-title-align: center;
        scrollbar-gutter: stable;
    }
    WelcomeScreen #page Static { width: 100%; height: auto; margin-bottom: 1; color: $ink; }
    WelcomeScreen #page Static:last-child { margin-bottom: 0; }
    WelcomeScreen #page .head { margin-bottom: 0; color: $gold; text-style: bold; }
    WelcomeScreen #page .key { color: $gold; padding: 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,escape", "go_in", show=False, priority=True),
    ]

    def body(self) -> ComposeResult:
        """The key of a server that is new here, the rules, the news, in a frame with the server's name."""
        page = self.kk.page or WelcomePage()
        with Vertical(id="around"), VerticalScroll(id="page") as frame:
            frame.border_title = _shown(page.name) or _("Welcome")
            if self.kk.first_key is not None:
                yield _head(text("First visit"))
                yield Static(render(_FIRST_VISIT), markup=False)
                yield Static(_shown(self.kk.first_key), classes="key", markup=False)
                yield Static(render(_LEAVE), markup=False)
            for head, words in ((text("House rules"), page.rules), (text("News"), page.news)):
                if words:
                    yield _head(head)
                    yield Static(_shown(words), markup=False)

    def on_mount(self) -> None:
        """Keys scroll the page."""
        super().on_mount()
        self.query_one("#page").focus()

    def place_changed(self) -> None:
        """What to do."""
        super().place_changed()
        self.title_line(_("Welcome, {name}", name=self.kk.user))
        self.call_after_refresh(self._explain)

    def on_resize(self) -> None:
        """What fitted may have to be scrolled now."""
        super().on_resize()
        self.call_after_refresh(self._explain)

    def _explain(self) -> None:
        if self.kk.has_news:
            self.say(self.kk.notice or "")
        elif self.query_one("#page").max_scroll_y:
            self.say(_("Up, down: read on. Enter goes in."))
        else:
            self.say(_("Enter goes in."))

    def action_go_in(self) -> None:
        """It is read."""
        self.kk.read_welcome()

    def actions(self) -> Sequence[Action]:
        """In, or away."""
        return (Action("do", text("go in")), Action("leave"))


def _head(words: Text) -> Static:
    return Static(render(words), classes="head", markup=False)


def _shown(words: str) -> str:
    """Words of a server, which may be anybody's: nothing in them steers the terminal."""
    return spelled("\n".join(map(printable, shortened(words, _LONGEST).splitlines())))
