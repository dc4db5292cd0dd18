"""What sessions can go to from the lobby: tables, and replays of matches that have ended."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from kk_core.analysis import Analysis, Effort
from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.record import Record, record_of
from kk_core.replay import Replay
from kk_core.text import text
from kk_core.types import Seat, Viewer
from kk_core.wire.past import Course
from kk_core.wire.views import MatchView
from server.hub.publisher import Publisher, Subscriber


class NotPossible(KkError):
    """A request that does not fit the place as it is; nothing has changed."""


def colours(seats: int, match: int) -> tuple[Seat, ...]:
    """The colour of every seat in a match of a table, counted from 1: that of the seat one had in the first.

    People move on by one seat with every match, so that another one begins.
    """
    return tuple((seat + match - 1) % seats for seat in range(seats))


class Place(Publisher):
    """Somewhere with a match, or with one to come. `id` is what it is called in requests."""

    id: str
    _replay: Replay | None = None
    _analysis: Analysis | None = None
    effort: ClassVar[Effort] = Effort()
    """How much is thought about a match that is over."""

    @property
    @abstractmethod
    def match(self) -> Match | None:
        """The match here."""

    @property
    @abstractmethod
    def match_number(self) -> int:
        """Different for every match of this place."""

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether everybody here may see all of the match."""

    @abstractmethod
    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """The seats that a user owns now."""

    @abstractmethod
    def enter(self, subscriber: Subscriber) -> None:
        """Show the place to somebody more. Raises `NotPossible`."""

    @abstractmethod
    async def leave(self, subscriber: Subscriber) -> None:
        """Show it to somebody less, who goes elsewhere."""

    @abstractmethod
    def lose(self, subscriber: Subscriber) -> None:
        """Somebody's connection has ended."""

    # -- looking back ----------------------------------------------------------------------------------------

    def look_back(self, user: str, ply: int, eyes: Viewer) -> MatchView:
        """How the match looked after so many plies. Raises `KkError`.

        While it goes on, everybody sees only what he could see at that time; when it is over, all of it.
        """
        match = self._running()
        allowed = range(len(match.seats)) if self.is_open else self.seats_of(user)
        if eyes is not None and eyes not in allowed:
            raise NotPossible(text("This is not your seat."))
        return self._replay_of(match).view(ply, eyes)

    def course(self) -> Course:
        """How the match went. Raises `NotPossible` before its end."""
        return self._replay_of(self._ended()).course()

    @property
    def analysis(self) -> Analysis | None:
        """What has been found out about the match here, if somebody has asked for it."""
        kept = self._analysis
        return kept if kept is not None and kept.match is self.match else None

    def begin_analysis(self) -> Analysis:
        """An analysis of the match from the beginning. Raises `NotPossible` before its end."""
        self._analysis = Analysis(self._replay_of(self._ended()), self.effort)
        return self._analysis

    def record(self) -> Record:
        """The record of the match. Raises `NotPossible` before its end."""
        return record_of(self._ended())

    def cut(self, ply: int) -> Match:
        """The match that has ended here as far as it is played on from a ply. Raises `KkError`."""
        then = self._replay_of(self._ended()).cut(ply)
        if then.is_over:
            raise NotPossible(text("Here the match is over; go back to where somebody can still move."))
        return then

    def _running(self) -> Match:
        if self.match is None:
            raise NotPossible(text("The match has not begun."))
        return self.match

    def _ended(self) -> Match:
        match = self._running()
        if not self.is_open:
            raise NotPossible(text("The match is not over yet; until then its record is a secret."))
        return match

    def _replay_of(self, match: Match) -> Replay:
        if self._replay is None or self._replay.match is not match:
            self._replay = Replay(match)
        return self._replay
