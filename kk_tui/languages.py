"""The languages that there are, which of them a person reads, and their catalogues."""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from kk_core.text import Text, text

DOMAIN: Final = "kk"
LOCALES: Final = Path(__file__).parent / "locale"


class Translator(Protocol):
    """The two functions of a gettext catalogue."""

    def gettext(self, message: str) -> str:
        """Translate a sentence."""
        ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Translate a sentence with a number, in its form for `n`."""
        ...


VARIABLE: Final = "KK_LANG"
"""The environment variable that asks for a language in kk alone."""

ENGLISH: Final[Translator] = catalogues.NullTranslations()


_NO_LANGUAGE: Final = frozenset({"C", "POSIX"})
"""Locales for machines, which ask for no language."""


def language_of(environment: Mapping[str, str]) -> str | None:
    """Return the locale that a terminal's environment asks for, with gettext's precedence; None for none.

    Of several in LANGUAGE it is the first that there is.
    """
    locales = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, locales), "")
    if locale.split(".")[0] in _NO_LANGUAGE:
        return None
    wishes = [*filter(None, environment.get("LANGUAGE", "").split(":")), *([locale] if locale else [])]
    return first_language(*wishes) or next(iter(wishes), None)


def demanded_language(environment: Mapping[str, str]) -> str | None:
    """Return the language that is asked for in kk alone, which precedes settings; None for none."""
    return environment.get(VARIABLE) or None


def first_language(*wishes: str | None) -> str | None:
    """Return the first language that was asked for and that there is; None if there is none."""
    return next((wish for wish in wishes if wish and has_language(wish)), None)


def translator(language: str | None) -> Translator:
    """Return the catalogue of a language such as "de" or "de_AT.UTF-8", or else the English one."""
    return catalogues.translation(DOMAIN, LOCALES, codes(language), fallback=True) if language else ENGLISH


def has_language(language: str) -> bool:
    """Return whether a language is available: it is English, or has a catalogue."""
    wanted = codes(language)
    return "en" in wanted or catalogues.find(DOMAIN, LOCALES, wanted) is not None


def codes(language: str | None) -> Sequence[str]:
    """Return the names of catalogues for a language, the closest first: "de_AT.UTF-8" gives "de_AT", "de"."""
    if not language:
        return ()
    code = language.split(".")[0].split("@")[0].replace("-", "_")
    return (code, code.split("_")[0])


def languages() -> Mapping[str, str]:
    """Return all languages by their codes, each under its own name; English, then in the order of codes."""
    found = sorted(folder.name for folder in LOCALES.glob("*") if has_language(folder.name))
    # Translators: the name of your language in your language, as in a list of languages
    own = text("English")
    return {code: own.render(translator(code).gettext) for code in ("en", *found)}


def settled_language(environment: Mapping[str, str], chosen: str | None = None) -> str | None:
    """Return the language for a terminal, whose user may have `chosen` one in their settings."""
    return first_language(demanded_language(environment), chosen, language_of(environment))


def translate(sentence: Text, language: str | None) -> str:
    """Translate into a language such as "de" or "de_AT.UTF-8"; into English if there is no catalogue."""
    chosen = translator(language)
    return sentence.render(chosen.gettext, chosen.ngettext)
