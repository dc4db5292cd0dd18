"""Translation: gettext domain "kk", one language per app, English as the source.

A hosted server runs many apps in one process, so the language belongs to the app that is active in the
current context and never to the process.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from textual._context import active_app

from kk_core.text import Text
from kk_tui.spelling import in_ascii

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


def codes(language: str | None) -> Sequence[str]:
    """The names under which translations are kept, the closest first: "de_AT.UTF-8" is "de_AT", then "de"."""
    if not language:
        return ()
    code = language.split(".")[0].split("@")[0]
    return (code, code.split("_")[0])


def current() -> Translator:
    """The catalogue of the active app."""
    app = active_app.get(None)
    found: Translator = getattr(app, "translator", ENGLISH)
    return found


def render(sentence: Text) -> str:
    """A sentence of the engine in the reader's language, filled in."""
    chosen = current()
    return spelled(sentence.render(chosen.gettext, chosen.ngettext))


def spelled(words: str) -> str:
    """Words, such as somebody's name, in the letters that the reader's terminal has."""
    signs = getattr(active_app.get(None), "glyphs", None)
    return in_ascii(words) if signs is not None and signs.ascii_only else words


def _(msgid: str, /, **args: int | str | Text) -> str:
    """A sentence of the screens, translated and filled in; `msgid` is collected for translation."""
    return render(Text(msgid, tuple(args.items())))


def ngettext(singular: str, plural: str, n: int, /, **args: int | str | Text) -> str:
    """A counting sentence of the screens; `{n}` is available in both forms."""
    return render(Text(singular, (("n", n), *args.items()), plural, n))
