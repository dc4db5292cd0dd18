"""The language of the person at this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache

import typer

from kk_core.text import Text
from kk_tui.catalogue import Translator, language_of, translator
from server.commands import error_line


def language() -> str | None:
    """The locale that the environment asks for."""
    return language_of(os.environ)


def say(sentence: Text) -> str:
    """A sentence in that language."""
    chosen = _translator()
    return sentence.render(chosen.gettext, chosen.ngettext)


def note(sentence: Text) -> None:
    """Say something on stderr that stops nothing, even where nobody reads it any more."""
    with suppress(OSError):
        typer.echo(error_line(say(sentence)), err=True)


@cache
def _translator() -> Translator:
    return translator(language())
