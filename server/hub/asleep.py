"""Tables that are in the log alone: what is known of them without replaying them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kk_core.errors import KkError
from kk_core.registry import known_rules
from kk_core.text import Text
from kk_core.wire.ratings import RatingView
from kk_core.wire.views import TableLine
from server.hub.table_context import TableContext
from server.hub.table_view import line_of
from server.hub.unwritten import Unwritten
from server.storage.summaries import OPEN, PLAYING, Summary


@dataclass(slots=True, eq=False)
class AsleepTable:
    """A table of which nobody asks anything; `revision` is how many entries it has.

    `since` is from when on it sleeps, in seconds that servers have run. Where it was awake before, it has
    what is `unwritten`. Where it cannot go on here, `unplayable` says why.
    """

    id: str
    revision: int
    summary: Summary
    since: float
    context: TableContext = field(repr=False)
    unwritten: Unwritten | None = field(default=None, repr=False)
    unplayable: Text | None = None

    @property
    def code(self) -> str | None:
        """The code by which people come to a table that is not for everybody."""
        return self.summary.created.code

    @property
    def is_private(self) -> bool:
        """Whether only those come who are invited."""
        return self.summary.is_private

    def admits(self, user: str) -> bool:
        """Whether somebody may come."""
        return self.summary.admits(user) or user in self.guests

    @property
    def guests(self) -> frozenset[str]:
        """Guests who were let in since the server was started."""
        return frozenset() if self.unwritten is None else self.unwritten.guests

    @property
    def known_to(self) -> set[str]:
        """Whom it concerns: its owner, those who sit here, and those who are invited."""
        return {*self.summary.people, *self.summary.invited, *self.guests}

    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return line_of(self.id, self.summary, self.context.presence, self._rating, self.unplayable)

    def _rating(self, user: str | None) -> RatingView | None:
        created, ratings = self.summary.created, self.context.ratings
        return (
            None if ratings is None or user is None or not created.rated else ratings.view(created.game, user)
        )

    @property
    def waits_for_bot(self) -> bool:
        """Whether a bot has to move, for people who wait for it."""
        seats, is_playing = self.summary.seats, self.summary.phase == PLAYING
        has_people = any(holder.owner is not None for holder in seats)
        return is_playing and has_people and any(seats[seat].player for seat in self.summary.active)

    def waits_for(self, user: str) -> bool:
        """Whether it matters here that somebody comes or goes."""
        return self.has_proposal or (self.context.presence.has(user) and self._has_stand_in_for(user))

    @property
    def has_proposal(self) -> bool:
        """Whether something is proposed here."""
        return self.unwritten is not None and self.unwritten.proposal is not None

    def _has_stand_in_for(self, user: str) -> bool:
        """Whether a bot plays for somebody until he is back."""
        return self.summary.phase == PLAYING and any(
            holder.owner == user and holder.stand_in is not None and not holder.has_given_up
            for holder in self.summary.seats
        )


class Asleep:
    """All tables that sleep, found by themselves and by their people."""

    def __init__(self) -> None:
        self._tables: dict[str, AsleepTable] = {}
        self._known_to: dict[str, set[str]] = {}

    def __contains__(self, table: str) -> bool:
        return table in self._tables

    def __getitem__(self, table: str) -> AsleepTable:
        return self._tables[table]

    def get(self, table: str) -> AsleepTable | None:
        """One of them; None where it does not sleep."""
        return self._tables.get(table)

    def __len__(self) -> int:
        return len(self._tables)

    def all(self) -> Iterable[AsleepTable]:
        """All of them."""
        return list(self._tables.values())

    def of(self, user: str) -> list[AsleepTable]:
        """Those that are somebody's, at which he sits, or to which he is invited."""
        return [self._tables[table] for table in self._known_to.get(user, ())]

    def add(self, table: AsleepTable) -> None:
        """One more."""
        self._tables[table.id] = table
        for user in table.known_to:
            self._known_to.setdefault(user, set()).add(table.id)

    def take(self, table: str) -> AsleepTable | None:
        """One less; None where it is not here."""
        found = self._tables.pop(table, None)
        if found is None:
            return None
        for user in found.known_to:
            self._known_to[user].discard(table)
            if not self._known_to[user]:
                del self._known_to[user]
        return found


def unknown_rules(summary: Summary) -> Text | None:
    """Why the match of a table cannot go on here, as far as it shows without replaying it."""
    if summary.phase == OPEN or summary.rules is None:
        return None
    try:
        known_rules(summary.created.game, summary.rules[0])
    except KkError as error:
        return error.reason
    return None
