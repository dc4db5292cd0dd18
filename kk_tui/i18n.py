"""Sentences, numbers and dates for the reader of an app.

A server runs many apps in one process, so the language is that of the app in the current context, never the
process's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from kk_core.text import Text, decimal, in_ascii
from kk_tui.languages import ENGLISH, Translator, codes, translator
from kk_tui.terminal.textual_private import current_app


@dataclass
class PlainReader:
    """Somebody who reads without an app: their language, and whether they have ASCII alone."""

    translator: Translator
    ascii_only: bool = False
    languages: Sequence[str] = ()
    """The codes of their language, the closest first."""

    mark: str = ""
    """What is typed before a word, where it would be said to others without."""

    def use(self, language: str | None) -> None:
        """Read another language from now on."""
        self.translator, self.languages = translator(language), codes(language)


_reader: ContextVar[PlainReader | None] = ContextVar("reader", default=None)


@contextmanager
def writing_for(reader: PlainReader) -> Iterator[None]:
    """Write for a reader in the current context, and in the tasks that begin in it."""
    before = _reader.set(reader)
    try:
        yield
    finally:
        _reader.reset(before)


def current() -> Translator:
    """Return the catalogue of the reader in this context, or of the active app."""
    reader = _reader.get()
    if reader is not None:
        return reader.translator
    found: Translator = getattr(current_app(), "translator", ENGLISH)  # commands run without an app
    return found


def is_on_screen() -> bool:
    """Return whether the reader has an app, whose boards show what lines of text have to name."""
    return _reader.get() is None and current_app() is not None


def render(sentence: Text) -> str:
    """Render a sentence in the reader's language, with letters that their terminal has."""
    chosen = current()
    return spelled(sentence.render(chosen.gettext, chosen.ngettext))


def typed(word: Text, *after: object) -> str:
    """Return a word, and what follows it, as the reader types them, for a sentence."""
    reader = _reader.get()
    mark = "" if reader is None else reader.mark
    return f"'{' '.join((f'{mark}{render(word)}', *map(str, after)))}'"


def spelled(words: str) -> str:
    """Return text, such as a name, in letters that the reader's terminal has."""
    signs = _reader.get() or getattr(current_app(), "glyphs", None)
    if signs is None or not signs.ascii_only:
        return words
    # lines of text draw no signs
    return in_ascii(words if isinstance(signs, PlainReader) else words.translate(signs.twins))


def _(msgid: str, /, **args: int | str | Text) -> str:
    """Translate and fill in a sentence of the screens; `msgid` is collected for the catalogues."""
    return render(Text(msgid, tuple(args.items())))


def ngettext(singular: str, plural: str, n: int, /, **args: int | str | Text) -> str:
    """Translate and fill in a sentence with a number; both forms may use `{n}`."""
    return render(Text(singular, (("n", n), *args.items()), plural, n))


_HOUR, _DAY = 3600, 86400


def format_number(value: float, places: int = 0) -> str:
    """Format a number with so many decimal places, in the reader's way."""
    return render(decimal(f"{value:.{places}f}"))


def format_date(day: date) -> str:
    """Format a date, in the reader's way."""
    # Translators: a date in digits, as your language writes it: year (four digits), month and day (two each)
    return _("{year}-{month}-{day}", year=f"{day:%Y}", month=f"{day:%m}", day=f"{day:%d}")


def format_when(at: int, now: datetime | None = None) -> str:
    """Format a time in seconds since 1970: the hour for today and yesterday, otherwise only the date."""
    now = now or datetime.now().astimezone()
    then = datetime.fromtimestamp(at, now.tzinfo)
    time = f"{then:%H:%M}"
    if then.date() == now.date():
        return _("today {time}", time=time)
    if then.date() == (now - timedelta(days=1)).date():
        return _("yesterday {time}", time=time)
    return format_date(then)


def format_span(seconds: float) -> str:
    """Format a span of time in its largest unit."""
    whole = max(0, int(seconds))
    if whole >= 2 * _DAY:
        return _("{n} days", n=whole // _DAY)
    if whole >= 2 * _HOUR:
        return _("{n} h", n=whole // _HOUR)
    return _("{n} min", n=max(1, whole // 60))
