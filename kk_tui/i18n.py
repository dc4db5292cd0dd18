"""Translation where an app is shown.

A hosted server runs many apps in one process, so the language belongs to the app that is active in the
current context and never to the process.
"""

from __future__ import annotations

from textual._context import active_app

from kk_core.text import Text
from kk_tui.catalogue import ENGLISH, Translator
from kk_tui.spelling import in_ascii


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
