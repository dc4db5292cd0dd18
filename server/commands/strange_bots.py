"""Bots of other packages whose names cannot be theirs: told at the start of what goes on without them."""

from __future__ import annotations

from kk_core.bot_names import other_bots
from server.commands.language import note


def tell_refused_bots() -> None:
    """A line on stderr for each of them."""
    for refused in other_bots().refused:
        note(refused.sentence)
