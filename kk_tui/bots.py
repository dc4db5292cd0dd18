"""The players that a table can be filled up with, as the screens offer them."""

from __future__ import annotations

from typing import Final

from kk_tui.i18n import _

BOTS: Final = ("greedy", "random")
"""The best first."""


def bot_label(bot: str) -> str:
    """What people read for a bot."""
    labels = {"greedy": _("bot: greedy"), "random": _("bot: random")}
    return labels.get(bot, bot)
