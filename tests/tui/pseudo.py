"""A language that shows which words are translated."""

from __future__ import annotations

import re


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
    return words
