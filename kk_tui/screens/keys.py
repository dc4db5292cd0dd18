"""The user's own keys: which key does what, to be changed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key as KeyPress
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kk_core.errors import KkError
from kk_core.text import text
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action, Key, changeable
from kk_tui.keys_page import EVERYWHERE
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.options import Options

_KEY: Final = 8
"""Columns of a key."""


class KeysScreen(KkScreen):
    """A line for each action; Enter asks for its new key, Del gives it back its usual one."""

    help_section = EVERYWHERE

    CSS = """
    KeysScreen #all-keys { height: 1fr; align-horizontal: center; }
    KeysScreen.-huge #all-keys { align-vertical: middle; }
    KeysScreen #own-keys { height: 1fr; max-width: 72; padding: 0 1; margin-top: 1; }
    KeysScreen.-huge #own-keys { height: auto; max-height: 100%; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Key | None = None
        """The action whose new key will be pressed next."""

    def body(self) -> ComposeResult:
        """Compose the list."""
        with Vertical(id="all-keys"):
            yield Options(id="own-keys")

    def on_mount(self) -> None:
        """Fill the list in."""
        self.title_line(_("Keys"))
        self._fill()
        self.query_one(OptionList).focus()

    def _fill(self) -> None:
        keys = self.query_one(OptionList)
        here = keys.highlighted or 0
        keys.set_options([Option(self._line(key), id=key.action) for key in changeable()])
        keys.highlighted = here
        self._explain()

    def _line(self, key: Key) -> Content:
        is_own = key.action in self.kk.settings.keys
        usual = _("usually {key}", key=_usual(key)) if is_own else ""
        return Content.assemble(
            (set_cell_size(key.shown, _KEY), "bold $gold"), (render(key.label), "$ink"),
            (f"   {usual}" if usual else "", "$ink-dim"),
        )  # fmt: skip

    @property
    def _here(self) -> Key:
        return changeable()[self.query_one(OptionList).highlighted or 0]

    def _explain(self) -> None:
        self.show_keys()
        if self._waiting is not None:
            self.say(_("Press the new key for: {action}", action=self._waiting.label))
        else:
            self.say(_("Enter, digits, a, b and c are the same for everybody."))

    def actions(self) -> Sequence[Action]:
        """Return the actions for the line under the cursor."""
        if self._waiting is not None:
            return (Action("back"),)
        own = [Action("delete", text("usual key"))] if self._here.action in self.kk.settings.keys else []
        return (Action("do", text("change")), *own, Action("help", minor=True), Action("back"))

    def on_option_list_option_highlighted(self) -> None:
        """Update the footer."""
        self.show_keys()

    def on_option_list_option_selected(self) -> None:
        """Wait for the new key."""
        self._waiting = self._here
        self._explain()

    def take_key(self, event: KeyPress) -> bool:
        """Take the new key of an action."""
        waiting = self._waiting
        if waiting is None:
            return False
        self._waiting = None
        if event.key == KEYS["back"].key:
            self._explain()
        else:
            self._change({**self.kk.settings.keys, waiting.action: event.character or event.key})
        return True

    def do_back(self) -> None:
        """Go back to the settings, or stop waiting for a key."""
        if self._waiting is not None:
            self._waiting = None
            self._explain()
        else:
            super().do_back()

    def do_delete(self) -> None:
        """Give the action under the cursor its usual key."""
        here = self._here.action
        self._change({action: key for action, key in self.kk.settings.keys.items() if action != here})

    def _change(self, keys: dict[str, str]) -> None:
        try:
            self.kk.change_settings(keys=keys)
        except KkError as error:
            self._fill()
            self.complain(error.reason)
        else:
            self._fill()


def _usual(key: Key) -> str:
    return key.printed if isinstance(key.printed, str) else render(key.printed)
