"""Names and titles that people choose, made safe to show on everybody's screen."""

from __future__ import annotations

import unicodedata
from typing import Final

from rich.cells import cell_len

from kk_core.bot_names import BOT_PREFIX
from kk_core.errors import KkError
from kk_core.text import is_unseen, quoted, text

NAME_COLUMNS: Final = 20
TITLE_COLUMNS: Final = 40

_TILDES: Final = str.maketrans("", "", "~\u02dc\u1fc0\u2053\u223c\u223d\u223f\u301c\uff5e")
"""What looks like the mark of guests is no part of a name."""

_SQUARE: Final = str.maketrans(
    "[]\u2045\u2046\u2772\u2773\u27e6\u27e7\u27ec\u27ed\u298b\u298c\u298d\u298e\u298f\u2990\u2997\u2998"
    "\u3010\u3011\u3014\u3015\u3016\u3017\u3018\u3019\u301a\u301b\ufe39\ufe3a\ufe47\ufe48\ufe5d\ufe5e\uff3b\uff3d",
    "()" * 18,
)
"""The brackets that announcements and admins stand in, and what looks like them."""

_MARKS: Final = frozenset({"Mn", "Me", "Mc"})
_MARKS_PER_LETTER: Final = 2
"""Enough for the scripts that write vowels as marks."""

_SIGNS: Final = frozenset({"Sm", "Sc", "Sk", "So", "Ps", "Pe", "Pi", "Pf", "Me"})
"""Symbols, brackets and frames: the app draws some beside names, as in "A● anna (you)"."""

_PUNCTUATION: Final = frozenset("+\u2018\u2019")
"""Of these categories, but parts of names."""

_MORE_SIGNS: Final = frozenset(
    '*:#%"\u02d0\u02d1\u0589\u05c3\u066a\u066d\u0703\u0704\u1361\u1365\u1366\u2022\u2023\u203b\u204e\u2051\u2055\ua673'
)
"""Whose turn it is, and what divides a name from what is said, with what looks like that."""


_NO_LETTER: Final = text("A name needs at least one letter or digit that can be seen.")


class BadName(KkError):
    """A name that cannot be used."""


def clean_name(raw: str) -> str:
    """A name for a seat or a user, at most 20 columns wide.

    Raises `BadName` when no letter or digit is left, and for signs that the app draws beside names.
    """
    name = legible_name(raw)
    if name.casefold().startswith(BOT_PREFIX):
        raise BadName(text("Names that begin with {prefix} are for bots.", prefix=BOT_PREFIX))
    sign = next(filter(_is_sign, name), None)
    if sign is not None:
        raise BadName(text("A name cannot contain {sign}.", sign=quoted(sign)))
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        raise BadName(_NO_LETTER)
    return name


def without_signs(raw: str) -> str:
    """A name that nobody has typed as one, without what a name cannot contain."""
    return "".join(character for character in raw if not _is_sign(character))


def legible_name(raw: str) -> str:
    """A name that is safe to show, whoever has chosen it. Raises `BadName` when nothing is left."""
    name = _clean(raw.translate(_TILDES), NAME_COLUMNS)
    if not name:
        raise BadName(_NO_LETTER)
    return name


def _is_sign(character: str) -> bool:
    plain = unicodedata.normalize("NFKC", character)
    return any(
        each in _MORE_SIGNS or (unicodedata.category(each) in _SIGNS and each not in _PUNCTUATION)
        for each in character + plain
    )


def clean_title(raw: str, default: str) -> str:
    """A title for a table, at most 40 columns wide; `default` when nothing is left."""
    return _clean(raw.translate(_SQUARE), TITLE_COLUMNS) or default


def clean_line(raw: str, columns: int) -> str:
    """A line that somebody says, at most so many columns wide; empty when nothing is left."""
    return _clean(raw, columns)


def distinct(name: str, others: list[str]) -> str:
    """The name, with a number behind it when somebody else at the table has the same one."""
    taken = {other.casefold() for other in others}
    candidate, number = name, 1
    while candidate.casefold() in taken:
        number += 1
        suffix = f" {number}"
        candidate = cut(name, NAME_COLUMNS - len(suffix)) + suffix
    return candidate


def _clean(raw: str, columns: int) -> str:
    # again until nothing changes: thinning out brings characters together that then compose, or part
    while (thinner := _thinned(raw)) != raw:
        raw = thinner
    return cut(raw, columns)


def _thinned(raw: str) -> str:
    blanks = "".join(" " if character.isspace() else character for character in raw)
    composed = unicodedata.normalize("NFC", blanks)
    kept = "".join(character for character in composed if not _is_dropped(character))
    return " ".join(_few_marks(kept).split())


def _is_dropped(character: str) -> bool:
    category = unicodedata.category(character)
    has_no_width = not cell_len(character) and category not in _MARKS
    return is_unseen(character) or category == "Cn" or has_no_width


def _few_marks(name: str) -> str:
    """A few combining marks after each character, so that nobody writes over the lines around."""
    kept: list[str] = []
    marks = _MARKS_PER_LETTER  # as many as may not follow: a name does not begin with one
    for character in name:
        is_mark = unicodedata.category(character) in _MARKS
        marks = marks + 1 if is_mark else 0 if character != " " else _MARKS_PER_LETTER
        if not is_mark or marks <= _MARKS_PER_LETTER:
            kept.append(character)
    return "".join(kept)


def cut(name: str, columns: int) -> str:
    """As much of a name as fits."""
    while cell_len(name) > columns:
        name = name[:-1]
    return name.strip()
