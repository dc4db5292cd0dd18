"""The memory of a seat's bot in a match, kept by the code that lets it play there."""

from __future__ import annotations

from kk_core.match import Match, Ply
from kk_core.search.opponents import NOTHING, BotKnowledge, Memory
from kk_core.types import Viewer


class BotMemory:
    """The position in which a seat's bot chose last, and what that bot has learned."""

    def __init__(self) -> None:
        self._memory: Memory = ()
        self._before: tuple[object, list[Ply]] | None = None

    def known(self, match: Match, viewer: Viewer) -> BotKnowledge:
        """Return what the bot of a seat is to know before it chooses.

        Nothing before its second choice; where moves that it knew have been taken back, it begins anew.
        """
        if self._before is None:
            return NOTHING
        state, plies = self._before
        if match.plies[: len(plies)] != plies:
            return NOTHING
        return BotKnowledge(self._memory, tuple(match.seen_since(len(plies), state, viewer)))

    def keep(self, match: Match, memory: Memory) -> None:
        """Remember that the bot has chosen; its move is not made yet."""
        self._before, self._memory = (match.state, match.plies.copy()), memory
