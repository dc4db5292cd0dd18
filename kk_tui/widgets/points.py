"""Points, each kind with its own look: scored for good, as things stand, changed by the move under the
cursor.

Each look has a word, a sign that remains without colours, and an ink: `56`, `(56)`, `>+3`.
"""

from __future__ import annotations

from typing import Final

from textual.content import Content

from kk_core.text import text, text_in
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs

SCORED: Final = "bold $gold"
CHANGED: Final = "bold $possible"
AS_THINGS_STAND: Final = text("as things stand")

Part = tuple[str, str]
"""Words and their style."""


def scored(points: int) -> Part:
    """Return points that can no longer be lost."""
    return str(points), SCORED


def standing(points: int, *, is_wide: bool = True) -> Part:
    """Return points that would be scored if the match ended now, in brackets if there is room."""
    return bracketed(str(points)) if is_wide else str(points), "italic $ink"


def bracketed(words: str) -> str:
    """Return words in the sign of points as things stand."""
    return f"({words})"


def in_table(style: str, *, stands: bool) -> str:
    """Return the style of points below a heading that says what they are, if brackets do not fit."""
    return f"italic {style}" if stands else style


def changed(gain: int, glyphs: Glyphs) -> Part:
    """Return the gain or loss by the move under the cursor; empty if there is none."""
    return (f"{glyphs['cursor']}{gain:+}" if gain else ""), CHANGED


def heading() -> Content:
    """Return the word above points as things stand, in their look."""
    return Content.styled(bracketed(render(AS_THINGS_STAND)), "italic $ink-dim")


def heading_of_scored() -> Content:
    """Return the word above scored points, beside the one for the others."""
    return Content.styled(render(text_in("short", "scored")), "$gold")


def heading_of_total() -> Content:
    """Return the word above points as things stand, those already scored among them."""
    return Content.styled(bracketed(render(text_in("short", "total now"))), "italic $ink-dim")
