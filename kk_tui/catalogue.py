"""The catalogues of translated sentences: gettext domain "kk", English as the source.

Apart from `i18n`, so that a command which only prints needs no app.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

DOMAIN: Final = "kk"
LOCALES: Final = Path(__file__).parent / "locale"


class Translator(Protocol):
    """The two functions of a gettext catalogue."""

    def gettext(self, message: str) -> str:
        """A sentence in the language."""
        ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The form of a counting sentence for `n`."""
        ...


ENGLISH: Final[Translator] = catalogues.NullTranslations()


def language_of(environment: Mapping[str, str]) -> str | None:
    """The locale that a terminal's environment asks for, by the precedence of gettext."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wishes = (environment.get(name, "").split(":")[0] for name in names)
    return next((wish for wish in wishes if wish), None)


def translator(language: str | None) -> Translator:
    """The catalogue of a language such as "de" or "de_AT.UTF-8"; English where there is none."""
    return catalogues.translation(DOMAIN, LOCALES, codes(language), fallback=True) if language else ENGLISH


def has_language(language: str) -> bool:
    """Whether there are sentences in a language: in English, and where there is a catalogue."""
    wanted = codes(language)
    return "en" in wanted or catalogues.find(DOMAIN, LOCALES, wanted) is not None


def codes(language: str | None) -> Sequence[str]:
    """The names under which translations are kept, the closest first: "de_AT.UTF-8" is "de_AT", then "de"."""
    if not language:
        return ()
    code = language.split(".")[0].split("@")[0]
    return (code, code.split("_")[0])
