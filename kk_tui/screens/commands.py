"""The command palette: all actions of a screen, searchable by their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from kk_core.text import Text
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, CHOICE_OF, KEYS, Action
from kk_tui.screens.base import KkScreen, send_key
from kk_tui.widgets.bars import KeyBar

_WIDTH: Final = 50
"""Columns for words and key."""

_AROUND: Final = 9
"""Rows of the screen that the list leaves to its frame and input, and to the screen's footer."""


class _Command(NamedTuple):
    """An entry of the palette: its words, its key, and its action."""

    words: str
    key: str
    do: Callable[[], Any]

    def line(self, words: Content) -> Content:
        """Return the words on the left and the key on the right."""
        gap = " " * max(2, _WIDTH - cell_len(self.words) - cell_len(self.key))
        return Content.assemble(words, gap, (self.key, "bold"))


class KeyCommands(Provider):
    """The provider of a screen's commands: its actions, and its own bindings that have descriptions."""

    def _commands(self) -> Iterator[_Command]:
        screen = cast(KkScreen, self.screen)
        actions = screen.actions()
        others = {action.whole_words() for action in actions if action.name != "do"}
        for action in actions:
            if action.name == "do" and action.whole_words() in others:
                continue  # listed under its own key
            if action.name in CHOICE_OF and action.label is None:
                continue  # a mere number says nothing away from what it numbers
            yield _Command(action.whole_words(), KEYS[action.name].shown, partial(screen.press, action.name))
        for binding in _bindings(screen):
            words, printed = render(Text(binding.description)), render(Text(binding.key_display or ""))
            yield _Command(words, printed, partial(screen.run_action, binding.action))
        for key in ALWAYS:
            if key.action != "commands":
                yield _Command(render(key.label), key.shown, partial(screen.do, key.action))

    async def discover(self) -> Hits:
        """Yield all commands, in the order of the footer."""
        for command in self._commands():
            yield DiscoveryHit(command.line(Content(command.words)), command.do, command.words)

    async def search(self, query: str) -> Hits:
        """Yield the commands that match, or one that says that there are none."""
        matcher, found = self.matcher(query), False
        for command in self._commands():
            score = matcher.match(command.words)
            if score > 0:
                found = True
                line = command.line(matcher.highlight(command.words))
                yield Hit(score, line, command.do, command.words)
        if not found:
            yield Hit(1, Content(_("No matching command.")), lambda: None, query)


class CommandsScreen(CommandPalette):
    """Textual's command palette in the style of this app."""

    def __init__(self) -> None:
        super().__init__([KeyCommands], placeholder=_("type what you want to do"))

    def compose(self) -> ComposeResult:
        """Add a footer; otherwise the one of the screen below would show."""
        yield from super().compose()
        yield KeyBar()

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Treat a click in the footer as a key."""
        send_key(self.app, event.action)

    def on_mount(self) -> None:
        """Set the title and the footer."""
        self.query_one("#--container", Vertical).border_title = _("Commands")
        # a blinking cursor would send data to the terminal for as long as it is open
        self.query_one(Input).cursor_blink = False
        self.query_one(KeyBar).show((Action("do"), Action("back")))

    def on_resize(self) -> None:
        """Give the list the rows that the screen has for it."""
        self.query_one(CommandList).styles.max_height = self.app.size.height - _AROUND


def _bindings(screen: KkScreen) -> Iterator[Binding]:
    """Yield the bindings that screens add to the keymap."""
    for kind in type(screen).__mro__:
        # the descriptions of Textual's own bindings mean nothing to players
        if issubclass(kind, KkScreen):
            own = vars(kind).get("BINDINGS", ())
            yield from (each for each in own if isinstance(each, Binding) and each.description)
