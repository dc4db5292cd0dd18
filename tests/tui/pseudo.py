"""Languages that show which words are translated, and what has no room for longer ones."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from kk_tui.languages import Translator, languages
from kk_tui.languages import translator as find_translator


class Pseudo:
    """A language in which every sentence stands in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def outside_of_brackets(words: str) -> str:
    """What is left of words when all that is translated is taken out, from the inside to the outside."""
    while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", "", words)) != words:
        words = shorter
    return re.sub(r"[^⟦⟧]*⟧", "", words)  # of some only the end is shown


LONGER: Final = "xx"
"""The code of a language whose words are a third longer."""

_MARKED: Final = str.maketrans("aeiouAEIOU", "àèìòùÀÈÌÒÙ")
_WORD: Final = re.compile(r"\{\w+\}|[^\W\d_]+")
_SHORT: Final = ("short\x04", "sheet\x04")


class Longer:
    """A language with accents on all vowels, and a third more letters.

    Names that are the same in all languages stay; short forms are as long as translators may make them.
    """

    def gettext(self, message: str) -> str:
        if all(language.gettext(message) == message for language in _real()):
            return message
        words = message.rpartition("\x04")[2]
        return _WORD.sub(_marked if message.startswith(_SHORT) else _longer, words)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _WORD.sub(_longer, msgid1 if n == 1 else msgid2)


@cache
def _real() -> tuple[Translator, ...]:
    return tuple(find_translator(code) for code in languages() if code != "en")


def _marked(found: re.Match[str]) -> str:
    word = found[0]
    return word if word.startswith("{") else word.translate(_MARKED)


def _longer(found: re.Match[str]) -> str:
    word = found[0]
    return word if word.startswith("{") else _marked(found) + "ò" * (len(word) // 3)


def is_longer(word: str) -> bool:
    """Whether a word comes from that language."""
    return word != word.translate(str.maketrans("àèìòùÀÈÌÒÙ", "aeiouAEIOU"))
