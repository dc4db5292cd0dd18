"""What people read for a bot."""

from __future__ import annotations

from kk_core.bot_names import bot_choices
from kk_tui.i18n import _


def bot_level(bot: str) -> str:
    """How well it plays, in a word; a bot of another package keeps its own name."""
    levels = {
        "easy": _("easy"),
        "medium": _("medium"),
        "hard": _("hard"),
        "expert": _("expert"),
        "greedy": _("greedy"),
        "random": _("random"),
    }
    return levels.get(bot, bot)


def bot_label(bot: str) -> str:
    """A bot among people."""
    return _("{level} bot", level=bot_level(bot))


def bot_values() -> list[tuple[str, str]]:
    """All bots with their labels, for a form."""
    return [(bot, bot_label(bot)) for bot in bot_choices()]
