"""What a server tells those who come: its name, its rules and its news, and at the first visit its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from kk_core.text import Text, printable, shortened, text
from kk_core.wire.messages import WelcomePage
from kk_tui.i18n import _, render, spelled
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen

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
