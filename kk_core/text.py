"""Sentences for people, kept untranslated until they are shown.

The engine does not know its reader's language. It builds a `Text`: a message identifier (the English
sentence) with named arguments. The side that shows it translates the identifier and fills in the arguments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import msgspec

QUOTED: Final = 60
"""The most characters of a user's input that a sentence quotes."""

LONGEST_LINE: Final = 200
"""The most characters in the line of an error."""

LONGEST_SENTENCE: Final = 10_000
"""The most characters in a sentence; our longest, a page of help, has a fifth of that."""

_CONTEXT: Final = "\x04"
"""Separates context and sentence in a message identifier, as in catalogues."""

_FIELD: Final = re.compile(r"\{(\w+)\}")

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# letters to Unicode, but blank on a screen: Hangul fillers, and the Braille pattern without dots
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# they change the look, and in some terminals the width, of the character before them
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

# as people write them who have no accents
_TWINS: Final = {
    "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "Æ": "Ae",
    "œ": "oe", "Œ": "Oe", "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "×": "x",
    "«": '"', "»": '"', "¡": "", "¿": "",
}  # fmt: skip


class Text(msgspec.Struct, frozen=True, array_like=True):
    """A translatable sentence: `msgid` with `{name}` fields filled from `args`.

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
        """Translate the sentence with the given functions and fill it in; English by default.

        Safe for untrusted sentences: fields without an argument stay as they are, fields can contain only
        names, and the result has at most `LONGEST_SENTENCE` characters, however deep the nesting.
        """
        if not self.msgid:
            return ""  # catalogues have their header under it
        pattern = gettext(self.msgid) if self.plural is None else ngettext(self.msgid, self.plural, self.n)
        pattern = pattern.rpartition(_CONTEXT)[2]
        if self.args:
            values = {
                name: value.render(gettext, ngettext) if isinstance(value, Text) else str(value)
                for name, value in self.args
            }
            # a single pass, so that braces in a value are never filled in themselves
            filled = _FIELD.sub(lambda field: values.get(field[1], field[0]), pattern[:LONGEST_SENTENCE])
            # what is short for something has the period already: "3 pts."
            has_two = pattern.endswith("}.") and filled.endswith("..") and not filled.endswith("...")
            pattern = filled[:-1] if has_two else filled
        return pattern[:LONGEST_SENTENCE]

    def __str__(self) -> str:
        return self.render()


def text(msgid: str, /, **args: int | str | Text) -> Text:
    """Return a sentence with named arguments; `msgid` is extracted for translation."""
    return Text(msgid, tuple(args.items()))


def text_in(context: str, msgid: str, /, **args: int | str | Text) -> Text:
    """Return a sentence that other languages may need to translate otherwise than elsewhere.

    `context` says where it stands; "short" is for names with little room.
    """
    return Text(f"{context}{_CONTEXT}{msgid}", tuple(args.items()))


def texts(singular: str, plural: str, n: int, /, **args: int | str | Text) -> Text:
    """Return a sentence with a plural; `{n}` is available in both forms, which are both extracted."""
    return Text(singular, (("n", n), *args.items()), plural, n)


# Spanish and Italian have other words for "and" and "or" before the sound that these end in: "y" and "o".
# Eight, eighty and eleven begin with it as well.
_BEFORE_I: Final = r"h?[iíìîï](?!e)"
_BEFORE_O: Final = r"h?[oóòôö]|8|11(?:\d{3})*(?!\d)"


def joined(names: Sequence[str], *, is_choice: bool = False) -> Text | str:
    """Join names for a sentence: "Sarah, Tim and Linus", or "Linus" alone; with "or" for a choice."""
    *others, last = names
    if not others:
        return last
    some = ", ".join(others)
    if is_choice:
        if re.match(_BEFORE_O, last, re.IGNORECASE):
            return text_in("before the sound of o", "{names} or {name}", names=some, name=last)
        return text("{names} or {name}", names=some, name=last)
    if re.match(_BEFORE_I, last, re.IGNORECASE):
        return text_in("before the sound of i", "{names} and {name}", names=some, name=last)
    return text("{names} and {name}", names=some, name=last)


def listed(items: Sequence[Text | str]) -> Text | str:
    """Join words with commas: "sheep, king, church"."""
    *before, last = items
    for item in reversed(before):
        last = text("{first}, {others}", first=item, others=last)
    return last


def as_text(words: Text | str) -> Text:
    """Return words as a sentence, such as what `listed` returns."""
    return words if isinstance(words, Text) else Text(words)


def decimal(number: str) -> Text:
    """Return a number such as "3.5" for readers with any decimal mark."""
    whole, _point, part = number.partition(".")
    # Translators: a number such as 3.5, with the decimal mark of your language
    return text("{whole}.{part}", whole=whole, part=part) if part else Text(whole)


def quoted(value: str) -> str:
    """Return a user's input for quoting in a sentence: in quotes, escaped, and cut if it is long."""
    return repr(shortened(value, QUOTED))


def shortened(line: str, longest: int) -> str:
    """Return a line cut to at most `longest` characters, with "…" where it was cut."""
    return line if len(line) <= longest else line[: max(0, longest - 1)] + "…"


def is_unseen(character: str) -> bool:
    """Return whether a character is invisible or changes how others are shown, and so not allowed in names.

    Unassigned characters are allowed: a newer Unicode may have assigned them.
    """
    number = ord(character)
    # Unicode's noncharacters: the last two of each plane, and a reserved block
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
    """Return a line that is safe on a terminal: control and invisible characters are escaped."""
    if line.isprintable():
        return line
    return "".join(map(_shown, line))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    is_blank = unicodedata.category(character) == "Zs"
    return " " if is_blank else character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=2048)
def in_ascii(words: str) -> str:
    """Return text as people write it without accents and ligatures, with "?" for unknown signs."""
    if words.isascii():
        return words
    # Text in capitals may be a code, which must keep its length.
    twins = {} if words.isupper() else _TWINS
    # an accent may come as a separate character after its letter; the table has them combined
    letters = unicodedata.normalize("NFC", words)
    return "".join(twins[sign] if sign in twins else _without_accents(sign) for sign in letters)


def _without_accents(sign: str) -> str:
    plain = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part))
    return plain if plain.isascii() else "?"
