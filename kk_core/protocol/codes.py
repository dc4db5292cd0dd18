"""The form of codes that people read out and type: those of invitations, and those for further keys."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""None of them is taken for another when it is read out."""

DIGITS: Final = "23456789"
"""Those of the letters of which every code has one: so words are not taken for codes."""

INVITATION_LENGTH: Final = 6
"""Letters of the code of an invitation."""

LINK_LENGTH: Final = 8
"""Letters of the code for a further key."""

_WORD: Final = re.compile(r"[^\W_]+")


def bare_code(typed: str) -> str:
    """A code as it was made, however it was typed: with dashes and blanks or without, large or small."""
    return typed.replace("-", "").replace(" ", "").upper()


def could_be_invitation(typed: str) -> bool:
    """Whether words have the form of an invitation's code."""
    code = bare_code(typed)
    return len(code) == INVITATION_LENGTH and set(code) <= set(LETTERS)


def is_invitation(line: str) -> bool:
    """Whether a line is one word that has the form of an invitation's code, mistyped or not."""
    return " " not in line and could_be_invitation(line) and is_code(bare_code(line))


def codes_in(line: str) -> Iterator[str]:
    """What may be a code of either kind in a line, as it was made.

    That is a word, neighbours such as K3R TZW, and either end of a longer word, such as joinK3RTZW.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", line).upper())
    for start in range(len(words)):
        yield from filter(is_code, _ends_of(words[start]))
        run = ""
        for word in words[start:]:
            run += word
            if len(run) in (INVITATION_LENGTH, LINK_LENGTH) and is_code(run):
                yield run
            if len(run) >= LINK_LENGTH:
                break


def _ends_of(word: str) -> set[str]:
    """How a word begins and ends that is longer than a code."""
    return {
        end
        for length in (INVITATION_LENGTH, LINK_LENGTH)
        if len(word) > length
        for end in (word[:length], word[-length:])
    }


def is_code(letters: str) -> bool:
    """Whether codes are made of such letters."""
    return set(letters) <= set(LETTERS) and not set(letters).isdisjoint(DIGITS)
