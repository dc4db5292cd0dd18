"""The form of codes that people read out and type: for invitations, and to link another key."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters that are not mistaken for one another: no I, O, 0 or 1."""

DIGITS: Final = "23456789"
"""Every code has at least one of these, so that words are not taken for codes."""

INVITATION_LENGTH: Final = 6
"""Characters of an invitation code."""

LINK_LENGTH: Final = 8
"""Characters of a code that links a key."""

_WORD: Final = re.compile(r"[^\W_]+")


def bare_code(typed: str) -> str:
    """Return the canonical form of a typed code: upper case, without dashes and blanks."""
    return typed.replace("-", "").replace(" ", "").upper()


def could_be_invitation(typed: str) -> bool:
    """Return whether words have the form of an invitation code."""
    code = bare_code(typed)
    return len(code) == INVITATION_LENGTH and set(code) <= set(LETTERS)


def is_invitation(line: str) -> bool:
    """Return whether a line is a single word in the form of an invitation code, valid or not."""
    return " " not in line and could_be_invitation(line) and is_code(bare_code(line))


def codes_in(line: str) -> Iterator[str]:
    """Yield everything in a line that may be a code of either kind, in canonical form.

    That is a word, adjacent words such as K3R TZW, and either end of a longer word, such as joinK3RTZW.
    """
    # NFKC turns full-width and other fancy letters into plain ones
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
    return {
        end
        for length in (INVITATION_LENGTH, LINK_LENGTH)
        if len(word) > length
        for end in (word[:length], word[-length:])
    }


def is_code(letters: str) -> bool:
    return set(letters) <= set(LETTERS) and not set(letters).isdisjoint(DIGITS)
