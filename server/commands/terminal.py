"""What every full-screen command needs."""

from __future__ import annotations

import sys

from kk_core.text import text
from server.commands import Usage


def need_terminal() -> None:
    """Refuse to draw where nobody looks. Raises `Usage`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Usage(text("This needs a terminal to draw on, with a keyboard."))
