"""Sentences for people, kept untranslated until somebody reads them.

The engine never knows its reader's language. It builds a `Text`: a message identifier (the English
sentence) with named arguments. Whoever shows it translates the identifier and fills the arguments in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

import msgspec

QUOTED: Final = 60
"""How many characters of somebody's input a sentence repeats."""


class Text(msgspec.Struct, frozen=True, array_like=True):
    """One translatable sentence: `msgid` with `{name}` fields filled from `args`.

    With `plural` set, `n` chooses between `msgid` (singular) and `plural` by the rules of the language.
    """

    msgid: str
    args: tuple[tuple[str, int | str | Text], ...] = ()
    plural: str | None = None
    n: int = 0

    def render(
        self,
        gettext: Callable[[str], str] = lambda message: message,
        ngettext: Callable[[str, str, int], str] = lambda one, many, n: one if n == 1 else many,
    ) -> str:
        """Fill the sentence in through the translation functions given; English by default."""
        pattern = gettext(self.msgid) if self.plural is None else ngettext(self.msgid, self.plural, self.n)
        values = {
            name: value.render(gettext, ngettext) if isinstance(value, Text) else value
            for name, value in self.args
        }
        return pattern.format(**values)

    def __str__(self) -> str:
        return self.render()


def text(msgid: str, /, **args: int | str | Text) -> Text:
    """A sentence with named arguments; `msgid` is collected for translation."""
    return Text(msgid, tuple(args.items()))


def texts(singular: str, plural: str, n: int, /, **args: int | str | Text) -> Text:
    """A sentence that counts: `{n}` is available in both forms, which are collected for translation."""
    return Text(singular, (("n", n), *args.items()), plural, n)


def quoted(value: str) -> str:
    """Somebody's input as a sentence repeats it: in quotes, escaped, and cut when it is long."""
    return repr(value if len(value) <= QUOTED else value[: QUOTED - 1] + "…")


def printable(line: str) -> str:
    """A line that is safe on a terminal: whatever a terminal would obey, or not show, becomes an escape."""
    if line.isprintable():
        return line
    return "".join(map(_shown, line))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    is_blank = unicodedata.category(character) == "Zs"
    return " " if is_blank else character.encode("unicode_escape").decode("ascii")
