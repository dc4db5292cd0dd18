"""What the bot of a seat remembers of a match, kept by whoever lets it play there."""

from __future__ import annotations

from kk_core.bots.watching import Known, Memory
from kk_core.match import Match
from kk_core.types import Observation


class Notes:
    """What a seat saw when its bot chose last, and what that bot has learned."""

    def __init__(self) -> None:
        self._memory: Memory = ()
        self._before: tuple[Observation, int, int] | None = None

    def known(self, match: Match, observation: Observation) -> Known:
        """What the bot is to know before it chooses by an observation.

        Nothing is told before its second choice, and where moves have been taken back.
        """
        if self._before is not None:
            before, ply, revision = self._before
            if 0 < len(match.plies) - ply == match.revision - revision:
                return Known(self._memory, before, tuple(match.seen_since(ply, observation.viewer)))
        return Known(self._memory)

    def keep(self, match: Match, observation: Observation, memory: Memory) -> None:
        """The bot has chosen by an observation, and its move is not made yet."""
        self._before, self._memory = (observation, len(match.plies), match.revision), memory
