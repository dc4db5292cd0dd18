"""Names that speak for the house: on nobody's seat, since a reader would take what they say for the host's.

Names are compared word by word, each by its skeleton, so "Hostler", "Markku" and "Joost de Groot" are people.
Words written as one are found where they consist of nothing else ("TheHost", "kkserver", "r o o t"), and
those that are part of no other word wherever they begin or end one ("annaadmin").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from server.accounts.skeleton import skeleton
from server.hub.names import NAME_COLUMNS

_KK: Final = "kk"
"""Short enough to be somebody's initials, or a part of many words."""

_PERVASIVE: Final = """
    admin admins administrator administrators moderator moderators sysadmin sysop
    gastgeber gastgeberin administratorin administratoren moderatorin moderatoren betreiber betreiberin
    gastheer gastvrouw beheerder beheerders beheerster systeembeheer
    anfitrión anfitriona servidor servidores administrador administradora administradores
    moderador moderadora moderadores
"""
"""Words of English, German, Dutch and Spanish that begin or end no word of another meaning."""

_OTHERS: Final = """
    kk host hosts server servers root superuser system systems operator staff support mod mods moderation
    announcement owner webmaster
    serverleitung spielleitung spielleiter spielleiterin systemverwalter ankündigung ankuendigung durchsage
    systeem beheer moderatie spelleider mededeling
    sistema operador operadora moderación anuncio aviso
"""
"""Those that others contain, such as "ghost", "observer" and "Groot"."""

_BESIDE: Final = """
    the this your our team says said official bot info news message msg
    der die das dein euer unser sagt offiziell nachricht meldung hinweis
    het jouw onze zegt officieel bericht
    nuestro nuestra dice oficial equipo mensaje
"""
"""Words that stand before or behind them, also without a blank."""

_PLAIN: Final = 4
"""Letters that a word of the house needs to be known among such as stand for nothing: "xXhostXx"."""

_WORD: Final = re.compile(r"(?!\d)[^\W_]+?(?=\d*(?:[\W_]|$))")
"""Without the digits at its end, as of "admin42"."""
_HUMP: Final = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ]{2})(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
"""Where a new word begins inside of one: "Admin|Anna", "KK|Admin"."""

_TRIM: Final = re.compile("^[xX]+|[xX]+$")
_DIGITS: Final = re.compile(r"\d+")
_ARTICLE: Final = re.compile("^(?:the|der|die|das|de|het|el|la|los|las) (?=.)", re.IGNORECASE)
_OPEN_D: Final = re.compile("cl", re.IGNORECASE)
"""Drawn like a "d", as in "aclmin"."""

_READ_AS: Final = str.maketrans("01345789@$!\u00a1\u2020", "oleastbgasiit")
"""Digits and signs that people read as letters although they are not drawn like them."""


def speaks_for_house(name: str, house: str = "") -> bool:
    """Whether readers could take a name for the server's, which is called `house`, or its host's."""
    composed = unicodedata.normalize("NFKC", name)
    closed = _OPEN_D.sub("d", composed)
    readings = {composed, composed.translate(_READ_AS), closed, closed.translate(_READ_AS)}
    own = _own_names(house)
    return any(_has_house_word(read) or bool(own and _is_called_so(read, own)) for read in readings)


def _has_house_word(name: str) -> bool:
    written = _WORD.findall(name)
    bare = [core for word in written if (core := _TRIM.sub("", word)) != word]
    words = [skeleton(word) for word in written]
    parts = [skeleton(part) for word in written for part in _HUMP.split(word)]
    pieces = [[skeleton(part) for part in _DIGITS.split(word) if part] for word in written]
    house = _skeletons(_PERVASIVE, _OTHERS)
    return (
        not house.isdisjoint((*words, *parts, skeleton(name)))
        or any(skeleton(core) in house for core in bare if len(core) >= _PLAIN)
        or any(word.startswith(each) or word.endswith(each)
               for word in (*words, *map(skeleton, bare)) for each in _skeletons(_PERVASIVE))
        or any(_is_made_of_house_words(together, house, beside=_BESIDE) for together in _runs(parts))
        or any(piece not in house and _is_made_of_house_words(piece, house, beside=_BESIDE)
               for own in pieces if len(own) > 1 for piece in own)
    )  # fmt: skip


def _is_called_so(name: str, own: frozenset[str]) -> bool:
    """Whether a name is the house's, alone or with words that speak for it, or has it as several words."""
    written = _WORD.findall(name)
    parts = [skeleton(part) for word in written for part in _HUMP.split(word)]
    several = {each for each in own if each not in parts}
    return (
        skeleton(name) in own
        or not several.isdisjoint(_runs([skeleton(word) for word in written]))
        or _is_made_of_house_words("".join(parts), own, beside=" ".join((_BESIDE, _PERVASIVE, _OTHERS)))
    )


@cache
def _own_names(house: str) -> frozenset[str]:
    """What a house of that name is called: also without its article, and cut as names are."""
    plain = unicodedata.normalize("NFKC", house)
    bare = _ARTICLE.sub("", plain)
    cuts = {each[:length] for each in (plain, bare) for length in (len(each), NAME_COLUMNS)}
    return frozenset(filter(None, map(skeleton, cuts))) if any(map(str.isalnum, plain)) else frozenset()


def _runs(parts: Sequence[str]) -> set[str]:
    """Neighbours written together, one to all of them."""
    ends = range(1, len(parts) + 1)
    return {"".join(parts[start:end]) for end in ends for start in range(end)}


def _is_made_of_house_words(word: str, house: frozenset[str], *, beside: str) -> bool:
    """Whether words of the house, and such as stand beside them, are all that is written there as one.

    "kk" alone are initials, and mean the house only beside another word.
    """
    others = _skeletons(beside)
    reached = {0: (False, False, False)}  # where words end: is one the house's, its short one, another
    for start in range(len(word)):
        for part in (house | others) if start in reached else ():
            if word.startswith(part, start):
                end, before = start + len(part), reached[start]
                kind = (part in house and part != _KK, part == _KK, part in others)
                known = reached.get(end, (False, False, False))
                reached[end] = (before[0] or kind[0] or known[0], before[1] or kind[1] or known[1],
                                before[2] or kind[2] or known[2])  # fmt: skip
    is_houses, is_short, has_other = reached.get(len(word), (False, False, False))
    return is_houses or (is_short and has_other)


@cache
def _skeletons(*lists: str) -> frozenset[str]:
    return frozenset(skeleton(word) for words in lists for word in words.split())
