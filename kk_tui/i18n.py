"""Translation for the reader.

A server runs many apps in one process, so the language is that of the app in the current context, never the
process's.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol
from unicodedata import combining, normalize

from kk_core.text import Text
from kk_tui.terminal.textual_private import current_app

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


ENGLISH: Final[Translator] = catalogues.NullTranslations()


def language_of(environment: Mapping[str, str]) -> str | None:
    """Return the locale that a terminal's environment asks for, with gettext's precedence."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wishes = (environment.get(name, "").split(":")[0] for name in names)
    return next((wish for wish in wishes if wish), None)


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
    code = language.split(".")[0].split("@")[0]
    return (code, code.split("_")[0])


_TWINS: Final = {
    "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "Æ": "Ae",
    "œ": "oe", "Œ": "Oe", "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "×": "x",
}  # fmt: skip


@lru_cache(maxsize=2048)
def in_ascii(words: str) -> str:
    """Return text as people write it without accents and ligatures, with "?" for unknown signs."""
    if words.isascii():
        return words
    # Text in capitals may be a code, which must keep its length.
    twins = {} if words.isupper() else _TWINS
    # an accent may come as a separate character after its letter; the table has them combined
    return "".join(twins.get(sign) or _plain(sign) for sign in normalize("NFC", words))


def _plain(sign: str) -> str:
    plain = "".join(part for part in normalize("NFKD", sign) if not combining(part))
    return plain if plain.isascii() else "?"


def current() -> Translator:
    """Return the catalogue of the active app."""
    found: Translator = getattr(current_app(), "translator", ENGLISH)  # commands run without an app
    return found


def render(sentence: Text) -> str:
    """Render a sentence in the reader's language, with letters that their terminal has."""
    chosen = current()
    return spelled(sentence.render(chosen.gettext, chosen.ngettext))


def spelled(words: str) -> str:
    """Return text, such as a name, in letters that the reader's terminal has."""
    signs = getattr(current_app(), "glyphs", None)
    return in_ascii(words) if signs is not None and signs.ascii_only else words


def _(msgid: str, /, **args: int | str | Text) -> str:
    """Translate and fill in a sentence of the screens; `msgid` is collected for the catalogues."""
    return render(Text(msgid, tuple(args.items())))


def ngettext(singular: str, plural: str, n: int, /, **args: int | str | Text) -> str:
    """Translate and fill in a sentence with a number; both forms may use `{n}`."""
    return render(Text(singular, (("n", n), *args.items()), plural, n))


_HOUR, _DAY = 3600, 86400


def format_when(at: int, now: datetime | None = None) -> str:
    """Format a time in seconds since 1970: the hour for today and yesterday, otherwise only the date."""
    now = now or datetime.now().astimezone()
    then = datetime.fromtimestamp(at, now.tzinfo)
    time = f"{then:%H:%M}"
    if then.date() == now.date():
        return _("today {time}", time=time)
    if then.date() == (now - timedelta(days=1)).date():
        return _("yesterday {time}", time=time)
    return f"{then:%Y-%m-%d}"


def format_span(seconds: float) -> str:
    """Format a span of time in its largest unit."""
    whole = max(0, int(seconds))
    if whole >= 2 * _DAY:
        return _("{n} days", n=whole // _DAY)
    if whole >= 2 * _HOUR:
        return _("{n} h", n=whole // _HOUR)
    return _("{n} min", n=max(1, whole // 60))
