"""The lobby: the tables in a line each, and who is here."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from heapq import nlargest
from typing import Final, NamedTuple

from kk_core.text import Text
from kk_core.wire.views import LobbyView, TableLine
from server.hub.asleep import AsleepTable
from server.hub.chat import Chat
from server.hub.publisher import Eyes, Publisher
from server.hub.shelf import Shelf
from server.hub.table import Table
from server.storage.summaries import FINISHED

LINES: Final = 100
"""Tables of others that are shown: several screens full, and each of them costs all who look."""

_Listed = Table | AsleepTable


class _Listing(NamedTuple):
    """At a revision: the tables that all see, how many others are for everybody, and those that are not.

    `changes` are those of the tables that sleep: one that wakes is another object from then on.
    """

    changes: int

    newest: tuple[_Listed, ...]
    others: int
    private: tuple[Table, ...]


class Lobby(Publisher):
    """Looks the same to everybody, but for the tables that are one's own or not for everybody."""

    def __init__(self, count: Callable[[], int], shelf: Shelf, users: Callable[[], tuple[str, ...]]) -> None:
        super().__init__(count)
        self._shelf = shelf
        self._users = users
        self.chat = Chat()
        self._listing: _Listing | None = None  # at this revision
        self._asleep: tuple[int, list[AsleepTable], int] = -1, [], 0

    def say(self, user: str, words: str | Text) -> None:
        """Let all in the lobby hear something. Raises `NotPossible`."""
        self.chat.say(user, user, words)
        self.publish()

    def share(self, eyes: Eyes) -> Hashable:
        """Those see the same who see the same tables beside those that all see."""
        return frozenset(table.id for table in self._beside(eyes.user))

    def publish(self) -> None:
        """Tell all subscribers that there is something new."""
        self._listing = None
        super().publish()

    def view(self, eyes: Eyes) -> LobbyView:
        """The tables that somebody may come to, his own and the newest ones, and the users online."""
        listing, beside = self._list(), self._beside(eyes.user)
        shown = sorted({*listing.newest, *beside}, key=self._shelf.age)
        more = listing.others - sum(not table.is_private for table in beside)
        return LobbyView(
            tables=tuple(table.line() for table in shown),
            users=self._users(),
            chat=self.chat.view(),
            more=more,
        )

    def lines(self, user: str) -> list[TableLine]:
        """All tables that somebody may come to."""
        return [table.line() for table in self._shelf.all() if table.admits(user)]

    def _beside(self, user: str) -> list[_Listed]:
        """What somebody sees and not everybody: his own tables, and those to which he is invited."""
        listing = self._list()
        own: list[_Listed] = [table for table in self._shelf.awake.values() if user in table.summary().people]
        invited = [table for table in listing.private if table.admits(user)]
        return list({*own, *invited, *self._shelf.asleep.of(user)} - {*listing.newest})

    def _list(self) -> _Listing:
        if self._listing is None or self._listing.changes != self._shelf.asleep.changes:
            awake = self._shelf.awake.values()
            public: list[_Listed] = [table for table in awake if not table.is_private]
            changes, newest, sleeping = self._newest_asleep()
            shown = nlargest(LINES, [*public, *newest], key=_freshness)
            private = tuple(table for table in awake if table.is_private)
            others = len(public) + sleeping - len(shown)
            self._listing = _Listing(changes, tuple(shown), others, private)
        return self._listing

    def _newest_asleep(self) -> tuple[int, list[AsleepTable], int]:
        """The newest that sleep, and how many there are for everybody; it changes only when one wakes."""
        asleep = self._shelf.asleep
        if self._asleep[0] != asleep.changes:
            public = [table for table in asleep.all() if not table.is_private]
            self._asleep = asleep.changes, nlargest(LINES, public, key=_freshness), len(public)
        return self._asleep


def _freshness(table: _Listed) -> tuple[bool, int]:
    summary = table.summary if isinstance(table, AsleepTable) else table.summary()
    return summary.phase != FINISHED, summary.at
