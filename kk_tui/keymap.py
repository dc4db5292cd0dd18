"""The single registry from action to key and label: an action has the same key in all games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

import msgspec
from textual.binding import Binding

from kk_core.errors import KkError
from kk_core.protocol.messages import PHRASES
from kk_core.text import Text, quoted, text, text_in
from kk_tui.i18n import render
from kk_tui.terminal.textual_private import current_app, key_name


class _KeyWord(Text, frozen=True):
    """The name of an action's key in a sentence; which key that is is looked up when it is read."""

    def render(self, *_: object) -> str:
        """Return the name of the key that counts for the reader."""
        return KEYS[self.msgid].shown


@dataclass(frozen=True)
class Key:
    """An action with its key (by Textual's name), what is printed on the key, and a label.

    Whoever uses the app may have chosen another key for it: `pressed` and `shown` are about the one that
    counts.
    """

    action: str
    key: str
    printed: str | Text
    label: Text

    @property
    def pressed(self) -> str:
        """The key that counts in the reader's app, by Textual's name."""
        own = self._own
        return self.key if own is None else key_name(own)

    @property
    def shown(self) -> str:
        """Return the name of the key, as it is printed on keyboards of the reader's language."""
        own = self._own
        if own is not None:
            return own
        return self.printed if isinstance(self.printed, str) else render(self.printed)

    @property
    def word(self) -> Text:
        """The name of the key that counts, for sentences that are made before it is known who reads them."""
        return _KeyWord(self.action)

    @property
    def binding(self) -> Binding:
        """A binding that does the action, with its own key if there is one."""
        return Binding(self.key, f"act('{self.action}')", show=False, id=self.action)

    @property
    def _own(self) -> str | None:
        # as with the language, a server runs many apps in one process
        keys: Mapping[str, str] = getattr(current_app(), "own_keys", {})
        return keys.get(self.action)


class Action(msgspec.Struct, frozen=True):
    """Something that can be done now with a key of the keymap, or a click in the footer.

    `name` is the key's action, `label` the word in the footer (None: the keymap's), `whole` the one in the
    command palette, if the footer's makes no sense without the board. `minor` ones are dropped first when the
    line gets too long; one that is not `in_footer` is shown elsewhere.
    """

    name: str
    label: Text | None = None
    minor: bool = False
    in_footer: bool = True
    whole: Text | None = None

    def words(self) -> str:
        """Return the word in the footer."""
        return render(self.label or KEYS[self.name].label)

    def whole_words(self) -> str:
        """Return the word in the command palette."""
        whole = self.whole or (_WHOLE.get(self.name) if self.label is None else None)
        return self.words() if whole is None else render(whole)


CHOICES: Final = 9
"""The digits 1 to 9 choose a numbered thing on the board: a row, a law card, a card of the hand."""

_KEYS: Final = (
    Key("do", "enter", "Enter", text("do it")),
    Key("back", "escape", "Esc", text("back")),
    Key("next", "tab", "Tab", text("next")),
    Key("previous", "shift+tab", text_in("key", "Shift+Tab"), text("previous")),
    Key("undo", "u", "u", text("undo")),
    Key("hint", "h", "h", text("hint")),
    Key("end", "e", "e", text("end")),
    Key("pass", "p", "p", text("pass")),
    Key("give", "y", "y", text("give up a supply stone")),
    Key("draw", "d", "d", text("draw")),
    Key("exchange", "x", "x", text("discard")),
    Key("mode", "m", "m", text("card or joker")),
    Key("influence", "i", "i", text("influence")),
    Key("lesson", "z", "z", text("lesson")),
    Key("log", "l", "l", text("log")),
    Key("sheet", "s", "s", text("score sheet")),
    Key("collections", "c", "c", text("collections")),
    Key("race", "t", "t", text("as things stand")),
    Key("earlier", "left_square_bracket", "[", text("earlier")),
    Key("later", "right_square_bracket", "]", text("later")),
    Key("view", "v", "v", text("replay")),
    Key("new", "n", "n", text("new table")),
    Key("delete", "delete", text_in("key", "Del"), text("delete")),
    Key("bot", "b", "b", text("bot")),
    Key("start", "g", "g", text("begin")),
    Key("rematch", "r", "r", text("rematch")),
    Key("save", "w", "w", text("save the record")),
    Key("skip", "space", text_in("key", "Space"), text("skip")),
    Key("all", "a", "a", text("show all")),
    Key("filter", "f", "f", text("show other tables")),
    Key("table", "j", "j", text("table")),
    Key("chat", "o", "o", text("chat")),
    Key("command", "slash", "/", text("slash command")),
    Key("key", "k", "k", text("your SSH keys")),
    Key("settings", "comma", ",", text("settings")),
    Key("help", "question_mark", "?", text("help")),
    Key("what", "full_stop", ".", text("what is this?")),
    Key("leave", "q", "q", text("leave")),
    *(Key(f"choice_{n}", str(n), str(n), text("choice {number}", number=n)) for n in range(1, CHOICES + 1)),
)

_WHOLE: Final = {
    "table": text("this table and its seats"),
    "earlier": text("one move back"),
    "later": text("one move on"),
    "back": text("back one step"),
}
"""The words in the command palette of actions whose labels say too little there."""

ALWAYS: Final = (
    Key("commands", "ctrl+p", text_in("key", "Ctrl+P"), text("all commands")),
    Key("quit", "ctrl+q", text_in("key", "Ctrl+Q"), text("quit kk")),
)
"""Keys of the app itself, on every screen."""

PHRASE_KEYS: Final = tuple((f"F{n}", phrase) for n, phrase in enumerate(PHRASES, 2))
"""The function keys and their phrases, from F2 on: F1 is help in most programs."""

KEYS: Final = {key.action: key for key in _KEYS}
"""Every action by name."""

ON_BOARDS: Final = frozenset({"end", "pass", "give", "draw", "exchange", "mode", "influence"})
"""The actions that only some boards have, named by their games in `Face.keys`."""

CHOICE_OF: Final = {f"choice_{n}": n for n in range(1, CHOICES + 1)}
"""The numbers of the actions of digit keys."""


FIXED: Final = frozenset({"do", "back", "next", "previous", "all", "bot", "collections", *CHOICE_OF})
"""The actions whose keys everybody has: Enter, Esc, Tab, digits, and a, b and c, which choose a hint."""


def changeable() -> tuple[Key, ...]:
    """Return the actions for which people may choose a key."""
    return tuple(key for key in _KEYS if key.action not in FIXED)


def check_keys(keys: Mapping[str, object]) -> dict[str, str]:
    """Return own keys, characters by action, without those that everybody has. Raises `KkError`.

    An action that does not exist, a key that types nothing, and two actions with the same key are refused.
    """
    own = dict[str, str]()
    for action, typed in keys.items():
        if action not in KEYS:
            near = get_close_matches(action, [key.action for key in changeable()], 1)
            if near:
                raise KkError(
                    text(
                        "no action is called {name}; did you mean {near}?", name=quoted(action), near=near[0]
                    )
                )
            raise KkError(text("no action is called {name}", name=quoted(action)))
        if action in FIXED:
            raise KkError(text("the key of {name} can't be changed", name=action))
        if not isinstance(typed, str) or not _types_something(typed):
            raise KkError(
                text("{key} can't be the key of {name}: write one character that is no digit",
                     key=quoted(str(typed)), name=action)
            )  # fmt: skip
        if key_name(typed) != KEYS[action].key:
            own[action] = typed
    taken = dict[str, Key]()
    for key in _KEYS:
        pressed = key_name(own[key.action]) if key.action in own else key.key
        other = taken.setdefault(pressed, key)
        if other is not key:
            typed = own.get(key.action) or own[other.action]
            raise KkError(
                text("{key} would be the key of {name} and of {other}",
                     key=typed, name=_named(other), other=_named(key))
            )  # fmt: skip
    return own


def _types_something(typed: str) -> bool:
    return len(typed) == 1 and typed.isprintable() and not typed.isspace() and not typed.isdecimal()


def _named(key: Key) -> Text:
    # by its name in the file, and what it does
    return text("{action} ({label})", action=key.action, label=key.label)


def bound(key: str, printed: Text, action: str, label: Text) -> Binding:
    """Bind a key for a single screen, with what is printed on it and a label for the command palette."""
    return Binding(key, action, label.msgid, show=False, key_display=printed.msgid, priority=True)


def choice(number: int) -> str:
    """Return the action of a digit key, 1 to 9."""
    return f"choice_{number}"
