"""Sentences in the language that a terminal asks for."""

from __future__ import annotations

from kk_core.text import Text
from kk_tui.i18n import has_language, language_of, translator

__all__ = ["has_language", "language_of", "translate"]


def translate(sentence: Text, language: str | None) -> str:
    """Translate into a language such as "de" or "de_AT.UTF-8"; into English if there is no catalogue."""
    chosen = translator(language)
    return sentence.render(chosen.gettext, chosen.ngettext)
