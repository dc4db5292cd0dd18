"""Chat: the last lines said in the lobby, which are only in memory, or at a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from time import time
from typing import Final

import msgspec

from kk_core.text import Text, text
from kk_core.views import CHAT_SLOTS, ChatLine, ChatView
from kk_server.accounts.names import clean_line
from kk_server.storage.summaries import PLAYING
from kk_server.tables.place import NotPossible

LINE_WIDTH: Final = 240
"""The maximum width of a line, in columns."""


class Audience(Enum):
    """The groups that hear each other during a match; outside matches everybody hears everybody."""

    PLAYERS = "players"
    WATCHERS = "watchers"


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


def audience_in(phase: str, *, has_seat: bool) -> Audience | None:
    """Return the audience that somebody at a table talks to; None for everybody."""
    if phase != PLAYING:
        return None
    return Audience.PLAYERS if has_seat else Audience.WATCHERS


class SpokenLine(msgspec.Struct, frozen=True, array_like=True):
    """A line, to whom it was said (to everybody if None), and its number among all lines of a chat."""

    number: int
    audience: Audience | None
    line: ChatLine


class ChatState(msgspec.Struct, frozen=True, array_like=True):
    """A chat as it is stored: the number of lines that each audience has heard so far, and the last ones."""

    heard: tuple[int, ...] = ()
    said: tuple[SpokenLine, ...] = ()


class _Lines:
    """A ring buffer of the last lines an audience has heard, and the number of all lines so far."""

    def __init__(self, heard: int = 0) -> None:
        self.heard = heard
        self._ring: list[SpokenLine | None] = [None] * CHAT_SLOTS

    def add(self, said: SpokenLine) -> None:
        # in a ring a new line changes a single slot, which keeps deltas small
        self._ring[self.heard % CHAT_SLOTS] = said
        self.heard += 1

    def all(self) -> list[SpokenLine]:
        return [said for said in self._ring if said is not None]

    def view(self) -> ChatView:
        return ChatView(self.heard, tuple(None if said is None else said.line for said in self._ring))


class Chat:
    """The chat of one place; `now` gives seconds since 1970."""

    def __init__(self, now: Callable[[], float] = time, state: ChatState | None = None) -> None:
        """Begin an empty chat, or go on with one in a `state`."""
        self._now = now
        self._lines = {audience: _Lines() for audience in Audience}
        self._said = 0
        self._state: ChatState | None = None
        """The chat as it is stored, if it is known."""
        if state is not None:
            self._go_on(state)

    def _go_on(self, state: ChatState) -> None:
        for audience, heard in zip(Audience, state.heard, strict=False):
            own = [said for said in state.said if said.audience in (None, audience)][-CHAT_SLOTS:]
            self._lines[audience] = lines = _Lines(max(0, heard - len(own)))
            for said in own:
                lines.add(said)
        self._said = max((said.number + 1 for said in state.said), default=0)

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
        words = raw if isinstance(raw, Text) else clean_line(raw, LINE_WIDTH)
        if not words:
            raise NotPossible(text("This message has no visible characters."))
        self._add(ChatLine(int(self._now()), user, name, words, is_admin), audience)

    def note(self, sentence: Text) -> None:
        """Add an event that everybody sees."""
        self._add(ChatLine(int(self._now()), "", "", sentence), None)

    def _add(self, line: ChatLine, audience: Audience | None) -> None:
        said = SpokenLine(self._said, audience, line)
        self._said += 1
        self._state = None
        for heard in Audience if audience is None else (audience,):
            self._lines[heard].add(said)

    def _all(self) -> list[SpokenLine]:
        """Return what any audience has heard, once each, in order."""
        # what was said to everybody is in both rings
        all_said = {said.number: said for lines in self._lines.values() for said in lines.all()}
        return [all_said[number] for number in sorted(all_said)]

    def join(self) -> None:
        """Merge the audiences after a match: everybody gets the lines that the others have said."""
        all_said = self._all()
        if all(said.audience is None for said in all_said):
            return
        self._lines = {audience: _Lines() for audience in Audience}
        for said in all_said:
            self._add(said.line, None)

    def view(self, audience: Audience | None = None) -> ChatView:
        """Return the lines that an audience has heard; None where all have heard the same."""
        return self._lines[audience or Audience.PLAYERS].view()

    @property
    def state(self) -> ChatState:
        """The chat as it is stored."""
        if self._state is None:
            heard = tuple(self._lines[audience].heard for audience in Audience)
            self._state = ChatState(heard, tuple(self._all()))
        return self._state
