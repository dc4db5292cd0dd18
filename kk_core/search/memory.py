"""The memory of a seat's bot in a match, kept by the caller of the bot."""

from __future__ import annotations

from kk_core.match import Match, Ply
from kk_core.search.opponents import NOTHING, BotKnowledge, Memory
from kk_core.types import Viewer


class BotMemory:
    """The position of a bot's last choice, and what the bot has learned."""

    def __init__(self) -> None:
        self._memory: Memory = ()
        self._before: tuple[object, list[Ply]] | None = None

    def known(self, match: Match, viewer: Viewer) -> BotKnowledge:
        """Return what the bot should know before it chooses.

        `NOTHING` before its second choice, and if moves that it knew have been taken back.
        """
        if self._before is None:
            return NOTHING
        state, plies = self._before
        if match.plies[: len(plies)] != plies:
            return NOTHING
        return BotKnowledge(self._memory, tuple(match.seen_since(len(plies), state, viewer)))

    def keep(self, match: Match, memory: Memory) -> None:
        """Remember the position of a choice, before its move is made."""
        self._before, self._memory = (match.state, match.plies.copy()), memory
