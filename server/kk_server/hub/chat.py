"""Chat: the last lines said in the lobby or at a table, kept only in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from time import time
from typing import Final

from kk_core.text import Text, text
from kk_core.views import CHAT_SLOTS, ChatLine, ChatView
from kk_server.accounts.names import clean_line
from kk_server.hub.place import NotPossible

WORDS: Final = 240
"""The maximum width of a line, in columns."""


class Audience(Enum):
    """The groups that hear each other during a match; outside matches everybody hears everybody."""

    PLAYERS = auto()
    WATCHERS = auto()


@dataclass(frozen=True)
class Heard:
    """The last lines of a place as one user heard them; `place` is a table, or None for the lobby."""

    place: str | None
    title: str
    lines: tuple[ChatLine, ...]


@dataclass(frozen=True)
class Complaint:
    """A user's report about somebody, by the name they gave, with the lines they heard.

    `accused` are all users who go by that name.
    """

    user: str
    about: str
    why: str
    accused: tuple[str, ...]
    heard: tuple[Heard, ...]


class _Lines:
    """A ring buffer of the last lines an audience has heard, and the number of all lines so far."""

    def __init__(self) -> None:
        self.said = 0
        self._ring: list[ChatLine | None] = [None] * CHAT_SLOTS

    def add(self, line: ChatLine) -> None:
        # in a ring a new line changes a single slot, which keeps deltas small
        self._ring[self.said % CHAT_SLOTS] = line
        self.said += 1

    def view(self) -> ChatView:
        return ChatView(self.said, tuple(self._ring))


class Chat:
    """The chat of one place; `now` gives seconds since 1970."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._heard = {audience: _Lines() for audience in Audience}
        self._apart: list[tuple[Audience, ChatLine]] = []

    def say(
        self,
        user: str,
        name: str,
        raw: str | Text,
        audience: Audience | None = None,
        *,
        is_admin: bool = False,
    ) -> None:
        """Say a line to an audience, or to everybody if None. Raises `NotPossible` if it is empty."""
        words = raw if isinstance(raw, Text) else clean_line(raw, WORDS)
        if not words:
            raise NotPossible(text("This message has no visible characters."))
        self._add(ChatLine(int(self._now()), user, name, words, is_admin), audience)

    def note(self, sentence: Text) -> None:
        """Add an event that everybody sees."""
        self._add(ChatLine(int(self._now()), "", "", sentence), None)

    def _add(self, line: ChatLine, audience: Audience | None) -> None:
        for heard in Audience if audience is None else (audience,):
            self._heard[heard].add(line)
        if audience is not None:
            self._apart = [*self._apart, (audience, line)][-2 * CHAT_SLOTS :]

    def join(self) -> None:
        """Merge the audiences after a match: everybody gets the lines that the others have said."""
        if not self._apart:
            return
        # lines said to everybody are in both rings, as the same object
        all_lines = {id(line): line for heard in self._heard.values() for line in heard.view().recent()}
        self._apart.clear()
        self._heard = {audience: _Lines() for audience in Audience}
        for line in sorted(all_lines.values(), key=lambda line: line.at):
            self._add(line, None)

    def view(self, audience: Audience = Audience.PLAYERS) -> ChatView:
        """Return the lines that an audience has heard."""
        return self._heard[audience].view()
