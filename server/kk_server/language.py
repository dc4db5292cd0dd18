"""Sentences in the language that somebody's terminal asks for."""

from __future__ import annotations

from kk_core.text import Text
from kk_tui.i18n import has_language, language_of, translator

__all__ = ["has_language", "language_of", "translate"]


def translate(sentence: Text, language: str | None) -> str:
    """A sentence in a language such as "de" or "de_AT.UTF-8"; in English where there is no such one."""
    chosen = translator(language)
    return sentence.render(chosen.gettext, chosen.ngettext)
