"""Dialogs: a sentence in the middle of the screen, and the answers to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Horizontal, Vertical, VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.protocol.messages import Look, WelcomePage
from kk_core.text import Text, printable, shortened, text, text_in, texts
from kk_core.types import Seat
from kk_tui.i18n import _, render, spelled
from kk_tui.keymap import Action
from kk_tui.press_guard import TOO_SOON
from kk_tui.screens.base import KkScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.widgets.form import LineButton

_NARROWEST: Final = 14
"""Minimum columns of an answer; all are as wide as the widest."""


class Dialog(KkScreen):
    """A sentence, a reason if there is one, and the answers by identifier."""

    is_framed = True
    """False if the whole width is needed, from which the frame takes some on a wide screen."""

    def __init__(self, head: Text, answers: Mapping[str, Text], reason: Text | None = None) -> None:
        super().__init__()
        self._head = head
        self._reason = reason
        self._answers = answers

    def body(self) -> ComposeResult:
        """Compose sentence, reason and answers."""
        with Vertical(classes="middle"), Vertical(id="dialog", classes="framed" if self.is_framed else None):
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
        """Hook: yield what goes above the sentence."""
        return iter(())

    def below(self) -> ComposeResult:
        """Hook: yield what goes below the reason."""
        return iter(())

    def place_changed(self) -> None:
        """Set the title."""
        super().place_changed()
        self.title_line("kk")


# Translators: the letters that answer yes and no in your language, different and in lower case
YES: Final = text_in("key", "y")
NO: Final = text_in("key", "n")
"""The letters that answer a question in the reader's language."""


class ConfirmScreen(KkScreen, ModalScreen[None]):
    """A question over the dimmed screen before something irreversible; Esc always goes back.

    The harmless answer is preselected for Enter. The reader's letters answer, and y and n in any language.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(
        self,
        question: Text | Callable[[], Text],
        yes: Callable[[], None],
        label: Text | None = None,
    ) -> None:
        """Take a question, or a function that returns it if its words may change while it is shown."""
        super().__init__()
        self._question = question
        self._yes = yes
        self._label = label or text("Yes")
        self._is_command = False  # while one is typed blindly, up to its Enter

    def body(self) -> ComposeResult:
        """Compose the question in a frame, and the answers."""
        with Vertical(id="question"):
            yield Static(self._words(), id="asked", markup=False)
            with Horizontal():
                yield LineButton(_("{answer} ({key})", answer=self._label, key=render(YES)), id="yes")
                yield LineButton(_("No, back ({key})", key=render(NO)), id="no")

    def _words(self) -> str:
        return render(self._question() if callable(self._question) else self._question)

    def place_changed(self) -> None:
        """Update the question."""
        super().place_changed()
        self.query_one("#asked", Static).update(self._words())

    def keeping_changed(self) -> None:
        """Update the question: what would be lost may have changed."""
        super().keeping_changed()
        self.query_one("#asked", Static).update(self._words())

    def on_mount(self) -> None:
        """Focus the harmless answer: Enter without reading loses nothing."""
        self.query_one("#no").focus()

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Do what was asked about, or go back."""
        if event.button.id == "no":
            self.action_no()
        else:
            self.action_yes()

    def on_key(self, event: Key) -> None:
        """Answer by a letter, but by none of a command that was meant for elsewhere."""
        if event.character == "/" and not self._is_command:
            self._is_command = True
            self.set_focus(None)  # so that no button takes its spaces
        if self._is_command:
            if event.key == "enter":
                self._is_command = False
                self.query_one("#no").focus()
            if event.key == "enter" or event.is_printable:
                event.stop().prevent_default()
            return
        answers = {"y": self.action_yes, "n": self.action_no}
        # last, since one of these may mean the opposite in the reader's language
        answers |= {render(YES): self.action_yes, render(NO): self.action_no}
        if answer := answers.get(event.character or ""):
            event.stop()
            answer()

    def action_yes(self) -> None:
        """Do what was asked about, once."""
        # if pressed twice before the question is gone, it must not be done twice
        if not self.is_active:
            return
        self.dismiss()
        self._yes()

    def action_no(self) -> None:
        """Go back, once."""
        self.dismiss()

    def on_descendant_focus(self) -> None:
        """Update the keys: what Enter does depends on the answer."""
        self.show_keys()

    def actions(self) -> Sequence[Action]:
        """Return the answer for Enter, and back."""
        is_yes = self.focused is not None and self.focused.id == "yes"
        return (Action("do") if is_yes else Action("do", text("back")), Action("back"))


class LostDialog(Dialog):
    """The connection is lost: the reason, and the time of the next attempt."""

    def __init__(self, reason: Text, pause: float | None = None) -> None:
        """`pause` is the number of seconds until the next attempt; None if there will be none."""
        self._why = reason
        self._next = None if pause is None else monotonic() + pause
        answers = {"again": text("Reconnect"), "quit": text("Quit")}
        super().__init__(text("Connection lost."), answers, self._words())

    def on_mount(self) -> None:
        """Count down the seconds."""
        self.set_interval(1, self._tell)

    def renew_reason(self, reason: Text, pause: float | None) -> None:
        """Show why an attempt failed."""
        self._why = reason
        self._next = None if pause is None else monotonic() + pause
        self._tell()

    def _words(self) -> Text:
        if self._next is None:
            return self._why
        left = max(0, round(self._next - monotonic()))
        soon = texts("Trying again in {n} second...", "Trying again in {n} seconds...", left)
        return text("{reason}\n\n{soon}", reason=self._why, soon=soon if left else text("Connecting..."))

    def _tell(self) -> None:
        if self._next is not None and self.is_alive:
            self.query_one("#reason", Static).update(render(self._words()))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Reconnect, or quit."""
        if not self.is_active:
            return
        if event.button.id == "again":
            self.dismiss()
            self.kk.connect()
        else:
            self.app.exit()

    def actions(self) -> Sequence[Action]:
        """Return Enter for the focused answer, and leave."""
        return (Action("do"), Action("leave"))

    def do_leave(self) -> None:
        """Ask whether to quit."""
        self.kk.ask_quit()


class CannotShowDialog(Dialog):
    """The table cannot be shown: the reason, some advice, and the way back."""

    def __init__(self) -> None:
        super().__init__(text("This table can't be shown here."), {"back": text("Back")}, Text(""))

    def below(self) -> ComposeResult:
        """Yield the advice."""
        table = self.kk.store.table
        lost = table and self.kk.save_state.lost_with(table.id, is_over=False)
        what = lost or text("Nothing is lost: the match is kept.")
        advice = _(
            "{what} Try again with the newest version of this program; if that doesn't help, "
            "report the message shown here to the host.",
            what=render(what),
        )
        yield Static(advice, id="advice", markup=False)

    def place_changed(self) -> None:
        """Update the reason, which may change when the match begins."""
        super().place_changed()
        if self.kk.store.fault is not None:
            self.query_one("#reason", Static).update(render(self.kk.store.fault))

    def on_line_button_pressed(self) -> None:
        """Go back."""
        self.do_back()

    def actions(self) -> Sequence[Action]:
        """Return back, rules and leave."""
        return (Action("do", text("back")), Action("back"), Action("help"), Action("leave"))

    def do_back(self) -> None:
        """Return to menu or lobby; seats and match stay as they are."""
        self.kk.leave_table()


_PICTURED: Final = 120, 30
"""Columns and rows from which the game is pictured while the screen is handed over."""


class HandoverDialog(Dialog):
    """The cover between two people at one screen: nothing is shown until the next one sits there.

    It shows a name, and the picture of the game where there is room, and waits for Enter; until then the
    table is seen as by a spectator.
    """

    CSS = """
    HandoverDialog .middle CoverView { width: 60; height: 40vh; max-height: 16; margin: 0 0 2 0; }
    HandoverDialog.-huge .middle CoverView { width: 72; max-height: 26; }
    """

    def __init__(self, seat: Seat, name: str) -> None:
        head = text("Hand over to {name} - press Enter", name=name)
        super().__init__(head, {"ready": text("I am {name}", name=name)})
        self._seat, self._player = seat, name

    def above(self) -> ComposeResult:
        """Yield the picture of the game, and the sign of the next player in their colour."""
        yield Center(CoverView())
        words = f"{self.kk.glyphs.owner(self._seat)}  {self._player}"
        yield Center(Static(words, classes=f"plate seat-{self._seat}", markup=False))

    def on_resize(self) -> None:
        """Show the picture where it has room above the name."""
        super().on_resize()
        self._show_picture()

    def _show_picture(self) -> None:
        face, (width, height) = self.kk.store.face, _PICTURED
        has_room = self.size.width >= width and self.size.height >= height
        picture = self.query_one(CoverView)
        picture.show(face)
        picture.display = has_room and face is not None and face.cover is not None

    def place_changed(self) -> None:
        """Name the game but show nothing of it; close once the table is shown to the new viewer."""
        super().place_changed()
        scene = self.kk.store.scene
        # so that nothing of the last viewer's view can flash up
        for below in reversed(self.app.screen_stack[:-1]):
            if isinstance(below, KkScreen):
                below.place_changed()
            if not below.is_modal:
                break
        if scene is not None and scene.viewer == self._seat and self.is_active:
            self.dismiss()
            return
        face = self.kk.store.face
        self.title_line(render(face.meta.name) if face else "")
        self._show_picture()

    def on_line_button_pressed(self) -> None:
        """Take over, unless Enter was still meant by the previous player."""
        if self.kk.press_guard.is_meant:
            self.ask(lambda number: Look(number, self._seat))
        else:
            self.complain(TOO_SOON)

    def actions(self) -> Sequence[Action]:
        """Return take over, rules and leave."""
        return (Action("do", text("take over")), Action("help"), Action("leave"))


_LONGEST: Final = 8000
"""Maximum characters shown of a part, however many a server sends."""

_FIRST_VISIT: Final = text("This is your first visit here. The server's key is")
_LEAVE: Final = text(
    "If the host gave you a different key, leave: this is a different server. This key "
    "is remembered, and from now on no other is accepted here."
)


class WelcomeScreen(KkScreen):
    """The page before the lobby, shown until it is read."""

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
        """Compose the key of a new server, the rules and the news, in a frame with the server's name."""
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
        """Focus the page, so that keys scroll it."""
        super().on_mount()
        self.query_one("#page").focus()

    def place_changed(self) -> None:
        """Set title and prompt."""
        super().place_changed()
        self.title_line(_("Welcome, {name}", name=self.kk.user))
        self.call_after_refresh(self._explain)

    def on_resize(self) -> None:
        """Update the prompt, since the page may need scrolling now."""
        super().on_resize()
        self.call_after_refresh(self._explain)

    def _explain(self) -> None:
        if self.say_news():
            return
        if self.query_one("#page").max_scroll_y:
            self.say(_("Up, down: scroll. Enter goes in."))
        else:
            self.say(_("Enter goes in."))

    def action_go_in(self) -> None:
        """Mark the page as read."""
        self.kk.read_welcome()

    def actions(self) -> Sequence[Action]:
        """Return go in and leave."""
        return (Action("do", text("go in")), Action("leave"))


def _head(words: Text) -> Static:
    return Static(render(words), classes="head", markup=False)


def _shown(words: str) -> str:
    """Return a server's words without anything that could control the terminal."""
    return spelled("\n".join(map(printable, shortened(words, _LONGEST).splitlines())))
