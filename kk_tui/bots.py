"""What the screens call the bots."""

from __future__ import annotations

from kk_tui.i18n import _


def bot_label(bot: str) -> str:
    """What people read for a bot."""
    labels = {"greedy": _("bot: greedy"), "random": _("bot: random")}
    return labels.get(bot, bot)
