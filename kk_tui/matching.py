"""What somebody means who types words, or only the beginnings of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final, TypeVar

from kk_core.text import Text
from kk_tui.i18n import in_ascii, render

T = TypeVar("T")

_WORD: Final = re.compile(r"\w+")


class Fit(IntEnum):
    """How well words fit, best first."""

    WHOLE = 0
    """They are all words there."""
    WORDS = 1
    """Each is a word there."""
    BEGINNINGS = 2
    """Each is the beginning of a word there."""


def words_of(line: str) -> tuple[str, ...]:
    """Return the words of a line in small letters without accents: "place FR3 with Franken/Aragon" has 5."""
    return tuple(_WORD.findall(in_ascii(line).casefold()))


def fit(typed: Sequence[str], form: Sequence[str]) -> Fit | None:
    """Return how well typed words fit a form, whose words may be left out; None if they do not."""
    if tuple(typed) == tuple(form):
        return Fit.WHOLE
    for is_meant, found in ((str.__eq__, Fit.WORDS), (_is_begun, Fit.BEGINNINGS)):
        rest = iter(form)
        # each is looked for after the one before it
        if all(any(is_meant(word, one) for word in rest) for one in typed):
            return found
    return None


def _is_begun(word: str, beginning: str) -> bool:
    # of a number, the beginning is another number
    return word == beginning if beginning.isdigit() else word.startswith(beginning)


def ways_of(words: Text) -> tuple[str, str]:
    """Return how words are typed in the reader's language, and in English, in which scripts are written."""
    return render(words), words.render()


def meant(typed: Sequence[str], choices: Iterable[tuple[T, Iterable[str]]]) -> tuple[Fit | None, list[T]]:
    """Return what typed words may mean, of choices with their forms: all that fit best, and how well."""
    found: dict[Fit, list[T]] = {}
    for choice, forms in choices:
        fits = [each for form in forms if (each := fit(typed, words_of(form))) is not None]
        if fits and typed:
            found.setdefault(min(fits), []).append(choice)
    best = min(found, default=None)
    return best, [] if best is None else found[best]
