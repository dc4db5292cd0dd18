"""The language of the person at this machine."""

from __future__ import annotations

import os
from functools import cache

from kk_core.text import Text
from kk_tui.i18n import Translator, translator


def language() -> str | None:
    """The locale that the environment asks for, by the precedence of gettext."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wishes = (os.environ.get(name, "").split(":")[0] for name in names)
    return next((wish for wish in wishes if wish), None)


def say(sentence: Text) -> str:
    """A sentence in that language."""
    chosen = _translator()
    return sentence.render(chosen.gettext, chosen.ngettext)


@cache
def _translator() -> Translator:
    return translator(language())
