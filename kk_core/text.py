"""Sentences for people, kept untranslated until somebody reads them.

The engine never knows its reader's language. It builds a `Text`: a message identifier (the English sentence)
with named arguments. The side that shows it translates the identifier and fills the arguments in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

import msgspec

QUOTED: Final = 60
"""The number of characters of a user's input that a sentence repeats."""

LONGEST_LINE: Final = 200
"""The number of characters that the line of an error has at most."""

LONGEST_SENTENCE: Final = 10_000
"""The number of characters that a sentence has at most; our longest, a page of help, has a fifth of it."""

_FIELD: Final = re.compile(r"\{(\w+)\}")

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# letters to Unicode, but blank on a screen: fillers of Hangul, and the Braille pattern without a dot
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# They change the look, and in some terminals the width, of the character before them.
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


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
        """Fill the sentence in through the translation functions given; English by default.

        It may come from anywhere: fields without an argument stay as they are, nothing but names is
        understood in them, and the whole has at most `LONGEST_SENTENCE` characters, whatever is nested in it.
        """
        pattern = gettext(self.msgid) if self.plural is None else ngettext(self.msgid, self.plural, self.n)
        if self.args:
            values = {
                name: value.render(gettext, ngettext) if isinstance(value, Text) else str(value)
                for name, value in self.args
            }
            # one pass, so that braces in a value are never filled in themselves
            pattern = _FIELD.sub(lambda field: values.get(field[1], field[0]), pattern[:LONGEST_SENTENCE])
        return pattern[:LONGEST_SENTENCE]

    def __str__(self) -> str:
        return self.render()


def text(msgid: str, /, **args: int | str | Text) -> Text:
    """Return a sentence with named arguments; `msgid` is collected for translation."""
    return Text(msgid, tuple(args.items()))


def texts(singular: str, plural: str, n: int, /, **args: int | str | Text) -> Text:
    """Return a sentence that counts; `{n}` is available in both forms, which are both collected."""
    return Text(singular, (("n", n), *args.items()), plural, n)


def quoted(value: str) -> str:
    """Return a user's input as a sentence repeats it: in quotes, escaped, and cut when it is long."""
    return repr(shortened(value, QUOTED))


def shortened(line: str, longest: int) -> str:
    """Return a line of at most so many characters, with a mark where it was cut."""
    return line if len(line) <= longest else line[: max(0, longest - 1)] + "…"


def is_unseen(character: str) -> bool:
    """Return whether a character steers how others are shown, or shows nothing itself: no part of a name.

    A character without a meaning yet is none of these: it may have one where a newer Unicode is known.
    """
    number = ord(character)
    # the last two of each plane, and a block that Unicode sets aside
    is_no_character = number & 0xFFFE == 0xFFFE or 0xFDD0 <= number <= 0xFDEF
    is_other_blank = character != " " and unicodedata.category(character) == "Zs"
    return (
        unicodedata.category(character) in _UNSEEN
        or character in _BLANK_LETTERS
        or character in _SELECTORS
        or is_no_character
        or is_other_blank
    )


def printable(line: str) -> str:
    """Return a line that is safe on a terminal: what it would obey, or not show, becomes an escape."""
    if line.isprintable():
        return line
    return "".join(map(_shown, line))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    is_blank = unicodedata.category(character) == "Zs"
    return " " if is_blank else character.encode("unicode_escape").decode("ascii")
