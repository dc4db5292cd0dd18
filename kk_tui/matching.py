"""Finds the thing that somebody means who types its words, or only their beginnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, TypeVar

from kk_core.text import Text, in_ascii
from kk_tui.i18n import render

T = TypeVar("T")

_WORD: Final = re.compile(r"(?<!\w)-\d+|\w+")


class Fit(IntEnum):
    """Degrees to which words fit, best first."""

    WHOLE = 0
    """They are all words there."""
    WORDS = 1
    """Each is a word there."""
    BEGINNINGS = 2
    """Each is the beginning of a word there."""


def words_of(line: str) -> tuple[str, ...]:
    """Return the words of a line in small letters without accents: "place FR3 with Franken/Aragon" has 5.

    A sign belongs to its number: "-1" is another word than "1".
    """
    return tuple(_WORD.findall(in_ascii(line.replace("\N{MINUS SIGN}", "-")).casefold()))


def fit(typed: Sequence[str], form: Sequence[str]) -> Fit | None:
    """Return how well typed words fit a form, whose words may be left out; None if they do not."""
    if tuple(typed) == tuple(form):
        return Fit.WHOLE
    if _fits(typed, form, str.__eq__):
        return Fit.WORDS
    return Fit.BEGINNINGS if _fits(typed, form, _is_begun) else None


def _fits(typed: Sequence[str], form: Sequence[str], is_meant: Callable[[str, str], bool]) -> bool:
    """Return whether each typed word is found in a form behind the one before it."""
    at, end = 0, len(form)
    for one in typed:
        while at < end and not is_meant(form[at], one):
            at += 1
        if at == end:
            return False
        at += 1
    return True


def _stand_together(typed: Sequence[str], form: Sequence[str], how: Fit) -> bool:
    """Return whether typed words, which fit a form, have nothing between them there."""
    is_meant = _is_begun if how is Fit.BEGINNINGS else str.__eq__
    starts = range(len(form) - len(typed) + 1)
    return any(all(map(is_meant, form[at : at + len(typed)], typed)) for at in starts)


def _is_begun(word: str, beginning: str) -> bool:
    # of a number, the beginning is another number
    return word == beginning if beginning.lstrip("-").isdigit() else word.startswith(beginning)


def ways_of(words: Text) -> tuple[str, str]:
    """Return how words are typed in the reader's language, and in English, in which scripts are written."""
    return render(words), words.render()


def meant(typed: Sequence[str], choices: Iterable[tuple[T, Iterable[str]]]) -> tuple[Fit | None, list[T]]:
    """Return what typed words may mean, of choices with their forms: all that fit best, and how well."""
    return meant_of(typed, ((choice, [*map(form_of, forms)]) for choice, forms in choices))


class TypedForm(NamedTuple):
    """A way to type something, taken apart into words, and as one line of them."""

    words: tuple[str, ...]
    line: str


def form_of(way: str) -> TypedForm:
    """Take a way to type something apart."""
    words = words_of(way)
    return TypedForm(words, f" {' '.join(words)}")


def meant_of(
    typed: Sequence[str], choices: Iterable[tuple[T, Iterable[TypedForm]]]
) -> tuple[Fit | None, list[T]]:
    """Return the same for ways that are taken apart already."""
    found: dict[tuple[Fit, bool], list[T]] = {}
    # most do not have these beginnings anywhere, which is seen much faster than where they stand
    n, begun = len(typed), [f" {word}" for word in typed]
    for choice, forms in choices:
        likely = [form for form in forms if n <= len(form.words) and all(word in form.line for word in begun)]
        # what stands between words that are typed together was hardly left out: "with X" is not "with two X",
        # nor "take 1" "take 2 1"
        fits = [
            (each, not _stand_together(typed, form.words, each))
            for form in likely
            if (each := fit(typed, form.words)) is not None
        ]
        if fits and typed:
            found.setdefault(min(fits), []).append(choice)
    best = min(found, default=None)
    return (None, []) if best is None else (best[0], found[best])


def completed(begun: str, words: Iterable[str]) -> tuple[str, list[str]]:
    """Return a begun line with its last word completed as far as that is certain, and the words it may be."""
    before, space, word = begun.rpartition(" ")
    found = [one for one in words if one.casefold().startswith(word.casefold())]
    longest = _common(found) if found else ""
    if len(found) == 1:
        return f"{before}{space}{longest} ", found
    return (f"{before}{space}{longest}" if len(longest) > len(word) else begun), found


def _common(words: Sequence[str]) -> str:
    """Return what all of some words begin with."""
    first, last = min(words), max(words)
    n = next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n]
