"""What the full-screen commands share."""

from __future__ import annotations

import locale
import os
import sys

import platformdirs

from kk_core.text import text
from kk_tui.app import Connect, KkApp
from kk_tui.theme.glyphs import wants_ascii
from server.commands import Usage


def need_terminal() -> None:
    """Refuse to draw where nobody looks. Raises `Usage`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Usage(text("This needs a terminal to draw on, with a keyboard."))


def home_app(connect: Connect, *, local: bool) -> KkApp:
    """The app on this machine's terminal, in its user's language; records are saved among the user's data."""
    language, _ = locale.getlocale(locale.LC_MESSAGES)
    return KkApp(
        connect,
        local=local,
        records=platformdirs.user_data_path("kk", appauthor=False) / "records",
        language=os.environ.get("LANGUAGE", "").split(":")[0] or os.environ.get("LC_ALL") or language,
        ascii_only=wants_ascii(os.environ),
    )
