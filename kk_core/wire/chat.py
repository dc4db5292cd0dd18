"""What is said at a place, as clients see it."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.text import Text

CHAT_SLOTS: Final = 60
"""How many of the last lines a view carries."""


class _Chat(msgspec.Struct, frozen=True, array_like=True):
    pass


class ChatLine(_Chat, frozen=True):
    """What a user said, under their name there; or something that has happened, as nobody's words.

    What they said with a key is a sentence of the `PHRASES`. `at` is in seconds since 1970; `is_admin` tells
    of those who run the server.
    """

    at: int
    user: str
    name: str
    words: Text | str
    is_admin: bool = False


class ChatView(_Chat, frozen=True):
    """The last lines in a ring: number n, from 0, stands at n % CHAT_SLOTS. `said` is how many there were."""

    said: int = 0
    ring: tuple[ChatLine | None, ...] = ()

    def recent(self) -> tuple[ChatLine, ...]:
        """The lines that the ring still holds, oldest first."""
        slots = len(self.ring)
        numbers = range(max(0, self.said - slots), self.said)
        return tuple(line for number in numbers if (line := self.ring[number % slots]) is not None)
