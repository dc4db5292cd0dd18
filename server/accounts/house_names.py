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

_WORD: Final = re.compile(r"(?!\d)[^\W_]+?(?=\d*(?:[\W_]|$))")
"""Without the digits at its end, as of "admin42"."""
_HUMP: Final = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ]{2})(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
"""Where a new word begins inside of one: "Admin|Anna", "KK|Admin"."""

_READ_AS: Final = str.maketrans("01345789@$!\u00a1\u2020", "oleastbgasiit")
"""Digits and signs that people read as letters although they are not drawn like them."""


def speaks_for_house(name: str) -> bool:
    """Whether readers could take a name for the server's, or for that of whoever runs it."""
    composed = unicodedata.normalize("NFKC", name)
    return any(_has_house_word(read) for read in {composed, composed.translate(_READ_AS)})


def _has_house_word(name: str) -> bool:
    written = _WORD.findall(name)
    words = [skeleton(word) for word in written]
    parts = [skeleton(part) for word in written for part in _HUMP.split(word)]
    house = _skeletons(_PERVASIVE, _OTHERS)
    return (
        not house.isdisjoint((*words, *parts, skeleton(name)))
        or any(word.startswith(each) or word.endswith(each)
               for word in words for each in _skeletons(_PERVASIVE))
        or any(_is_made_of_house_words(together) for together in _runs(parts))
    )  # fmt: skip


def _runs(parts: Sequence[str]) -> set[str]:
    """Neighbours written together, one to all of them."""
    ends = range(1, len(parts) + 1)
    return {"".join(parts[start:end]) for end in ends for start in range(end)}


def _is_made_of_house_words(word: str) -> bool:
    """Whether words of the house, and such as stand beside them, are all that is written there as one."""
    house, beside = _skeletons(_PERVASIVE, _OTHERS), _skeletons(_BESIDE)
    reached = {0: False}  # where such words end that begin at 0, and whether one of them is the house's
    for start in range(len(word)):
        for part in (house | beside) if start in reached else ():
            if word.startswith(part, start):
                end = start + len(part)
                is_houses = reached[start] or (part in house and part != _KK)
                reached[end] = reached.get(end, False) or is_houses
    return reached.get(len(word), False)


@cache
def _skeletons(*lists: str) -> frozenset[str]:
    return frozenset(skeleton(word) for words in lists for word in words.split())
