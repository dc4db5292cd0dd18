"""The title of a terminal's window, in the codes that change it."""

from __future__ import annotations

from typing import Final

from kk_core.text import printable

# XTWINOPS: push the title onto the terminal's own stack, and pop it.
_KEEP: Final = "\x1b[22;2t"
_OLD: Final = "\x1b[23;2t"


def title_codes(before: str | None, now: str | None) -> str:
    """Return the codes that change a title; None stands for the one that the window had at first."""
    if now == before:
        return ""
    if now is None:
        return _OLD
    keep = _KEEP if before is None else ""
    return f"{keep}\x1b]2;{printable(now)}\x07"
