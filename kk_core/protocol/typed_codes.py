"""The form of codes that people read out and type: for invitations, and to link another key."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from kk_core.lookalikes import LOOKALIKES

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters that are not mistaken for one another: no I, O, 0 or 1."""

DIGITS: Final = "23456789"
"""Every code has at least one of these, so that words are not taken for codes."""

INVITATION_LENGTH: Final = 6
"""Characters of an invitation code."""

LINK_LENGTH: Final = 8
"""Characters of a code that links a key."""

_WORD: Final = re.compile(r"[^\W_]+")

_DRAWN: Final = {
    ord(letter): latin for latin, letters in LOOKALIKES.items() for letter in letters if not letter.isascii()
}

_LAYOUTS: Final = tuple(
    str.maketrans(keys + keys.lower() + own, 2 * latin + own_latin)
    for keys, latin, own, own_latin in (
        ("ЙЦУКЕНГШЩЗФЫВАПРОЛДЯЧСМИТЬІ", "QWERTYUIOPASDFGHJKLZXCVBNMS", "", ""),
        # where Q and W are there is no letter, and a second small one of Σ
        ("ΕΡΤΥΘΙΟΠΑΣΔΦΓΗΞΚΛΖΧΨΩΒΝΜ", "ERTYUIOPASDFGHJKLZXCVBNM", ";ς", "QW"),
    )
)
"""The letters of other keyboard layouts, by the Latin ones on the same keys: Russian and Ukrainian, Greek."""

_LETTER: Final = re.compile(
    r"(?:LATIN|SQUARED|CIRCLED|INDICATOR SYMBOL)\b.*\bLETTER (?:SMALL CAPITAL )?([A-Z])"
)
"""The Unicode names of letters in frames and the like, and of those that flags are made of."""


def readings(typed: str) -> tuple[str, ...]:
    """Return the canonical forms that a typed code may stand for: upper case, without dashes and blanks.

    Letters of other alphabets count as the Latin ones that they are drawn like, or that are on the same keys.
    """
    return tuple(dict.fromkeys("".join(filter(_counts, reading)) for reading in _readings(typed)))


def _counts(character: str) -> bool:
    return unicodedata.category(character) not in ("Pd", "Zs", "Cf")


def bare_code(typed: str) -> str:
    """Return the canonical form of a typed code, the most likely one if there are several."""
    forms = readings(typed)
    return next(filter(is_code, forms), forms[0])


def could_be_invitation(typed: str) -> bool:
    """Return whether words have the form of an invitation code."""
    return any(len(code) == INVITATION_LENGTH and set(code) <= set(LETTERS) for code in readings(typed))


def is_invitation(line: str) -> bool:
    """Return whether a line is a single word in the form of an invitation code, valid or not."""
    return " " not in line and could_be_invitation(line) and is_code(bare_code(line))


def codes_in(line: str) -> Iterator[tuple[str, ...]]:
    """Yield everything in a line that may be a code of either kind, once each, in canonical form.

    That is a word, adjacent words such as K3R TZW, and either end of a longer word, such as joinK3RTZW. If
    letters may stand for others, one code of each reading comes at a time.
    """
    for codes in zip_longest(*(dict.fromkeys(_codes_in(reading)) for reading in _readings(line))):
        yield tuple(filter(None, codes))


def _codes_in(line: str) -> Iterator[str]:
    words = _WORD.findall(line)
    for start in range(len(words)):
        yield from filter(is_code, _ends_of(words[start]))
        run = ""
        for word in words[start:]:
            run += word
            if len(run) in (INVITATION_LENGTH, LINK_LENGTH) and is_code(run):
                yield run
            if len(run) >= LINK_LENGTH:
                break


def _readings(line: str) -> Iterator[str]:
    """Yield a line in upper case, and with letters of other alphabets in place of which it may have them."""
    if line.isascii():
        yield line.upper()
        return
    # decomposed, so that full-width and other fancy letters become plain ones, and accents can be left out
    plain = "".join(each for each in unicodedata.normalize("NFKD", line) if not unicodedata.combining(each))
    yield "".join(map(_latin, plain.casefold())).upper()
    # composed, since a letter with a mark, such as Й, has a key of its own
    typed = unicodedata.normalize("NFKC", line)
    for layout in _LAYOUTS:
        if any(not each.isascii() and ord(each) in layout for each in typed):
            yield typed.translate(layout).upper()


def _latin(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if ord(character) in _DRAWN:
        return _DRAWN[ord(character)]
    framed = _LETTER.search(unicodedata.name(character, ""))
    return character if framed is None else framed[1]


def _ends_of(word: str) -> set[str]:
    return {
        end
        for length in (INVITATION_LENGTH, LINK_LENGTH)
        if len(word) > length
        for end in (word[:length], word[-length:])
    }


def is_code(letters: str) -> bool:
    return set(letters) <= set(LETTERS) and not set(letters).isdisjoint(DIGITS)
