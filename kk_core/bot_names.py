"""Which bots there are; without the bots, so that also those may read it who must not know any rules."""

from __future__ import annotations

from typing import Final

BOTS: Final = ("greedy", "random")
"""The names of all bots, the best first."""

BOT_PREFIX: Final = "bot:"
"""What stands before the name of a bot on a seat and in records; no person may be called so."""
