"""What is known of a table and stands in no log: gone when the server stops, not when the table sleeps."""

from __future__ import annotations

from dataclasses import dataclass

from server.hub.agreement import Proposal
from server.hub.chat import Chat
from server.hub.shuffle import Shuffle


@dataclass(frozen=True)
class Unwritten:
    """What was said, and with what the next match is shuffled; the guests who were let in; what is proposed.

    `called` are those who were told that it is their turn, in match number `begun`.
    """

    chat: Chat
    shuffle: Shuffle
    guests: frozenset[str]
    proposal: Proposal | None
    called: frozenset[str | None]
    begun: int
