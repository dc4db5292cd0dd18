"""The lobby: the tables in a line each, and who is here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from heapq import nlargest
from typing import Final, NamedTuple

from kk_core.text import Text
from kk_core.wire.views import LobbyView, TableLine
from server.hub.asleep import AsleepTable
from server.hub.chat import Chat
from server.hub.gathered import Gathered
from server.hub.presence import Presence
from server.hub.publisher import Eyes, Publisher
from server.hub.shelf import Shelf
from server.hub.table import Table
from server.storage.summaries import FINISHED

LINES: Final = 100
"""Tables of others that are shown: several screens full, and each of them costs all who look."""

_APART: Final = 0.25
"""Seconds between two times that those who look are told, at least."""

_APART_EACH: Final = 0.01
"""And for each who looks: what is new costs the hub and his screen some milliseconds."""

_Listed = Table | AsleepTable


class _Listing(NamedTuple):
    """At a revision: the tables that all see, how many others are for everybody, and those that are awake
    by their people.

    `changes` are those of the tables that sleep: one that wakes is another object from then on.
    """

    changes: int
    newest: frozenset[_Listed]
    others: int
    known_to: Mapping[str, list[Table]]


class Lobby(Publisher):
    """Looks the same to everybody, but for the tables that are one's own or not for everybody.

    Of what is new those who look are told at most four times a second, and the less often the more they are:
    whoever comes or asks for something sees at once what there is.
    """

    def __init__(
        self,
        count: Callable[[], int],
        shelf: Shelf,
        presence: Presence,
        admins: Callable[[], tuple[str, ...]],
    ) -> None:
        super().__init__(count)
        self._shelf = shelf
        self._presence = presence
        self._admins = admins
        self.chat = Chat()
        self._listing: _Listing | None = None  # at this revision
        self._asleep: tuple[int, list[AsleepTable], int] = -1, [], 0
        self._telling = Gathered(self.spread, self.pause)

    def say(self, user: str, words: str | Text, *, is_admin: bool = False) -> None:
        """Let all in the lobby hear something. Raises `NotPossible`."""
        self.chat.say(user, user, words, is_admin=is_admin)
        self.publish()

    def share(self, eyes: Eyes) -> Hashable:
        """Those see the same who see the same tables beside those that all see."""
        return frozenset(table.id for table in self._beside(eyes.user))

    def publish(self) -> None:
        """Take note that there is something new, and tell those who look before long."""
        self._listing = None
        self.renew()
        self._telling.want()

    def pause(self) -> float:
        """Seconds from one time that those who look are told to the next."""
        return max(_APART, _APART_EACH * len(self.subscribers))

    def view(self, eyes: Eyes) -> LobbyView:
        """The tables that somebody may come to, his own and the newest ones, and the users online."""
        listing, beside = self._list(), self._beside(eyes.user)
        users = self._presence.users()
        shown = sorted({*listing.newest, *beside}, key=self._shelf.age)
        more = listing.others - sum(not table.is_private for table in beside)
        return LobbyView(
            tables=tuple(table.line() for table in shown),
            users=users,
            chat=self.chat.view(),
            more=more,
            admins=self._admins(),
            programs=tuple(filter(self._presence.is_program, users)),
        )

    def lines(self, user: str | None) -> list[TableLine]:
        """All tables that somebody may come to; with None all."""
        return [table.line() for table in self._shelf.all() if user is None or table.admits(user)]

    def _beside(self, user: str) -> list[_Listed]:
        """What somebody sees and not everybody: his own tables, and those to which he is invited."""
        listing = self._list()
        return list({*listing.known_to.get(user, ()), *self._shelf.asleep.of(user)} - listing.newest)

    def _list(self) -> _Listing:
        if self._listing is None or self._listing.changes != self._shelf.asleep.changes:
            awake = self._shelf.awake.values()
            public: list[_Listed] = [table for table in awake if not table.is_private]
            changes, newest, sleeping = self._newest_asleep()
            shown = nlargest(LINES, [*public, *newest], key=_freshness)
            others = len(public) + sleeping - len(shown)
            self._listing = _Listing(changes, frozenset(shown), others, _known(awake))
        return self._listing

    def _newest_asleep(self) -> tuple[int, list[AsleepTable], int]:
        """The newest that sleep, and how many there are for everybody; it changes only when one wakes."""
        asleep = self._shelf.asleep
        if self._asleep[0] != asleep.changes:
            public = [table for table in asleep.all() if not table.is_private]
            self._asleep = asleep.changes, nlargest(LINES, public, key=_freshness), len(public)
        return self._asleep


def _known(tables: Iterable[Table]) -> Mapping[str, list[Table]]:
    """Tables by those whom they concern."""
    known: dict[str, list[Table]] = {}
    for table in tables:
        for user in table.known_to:
            known.setdefault(user, []).append(table)
    return known


def _freshness(table: _Listed) -> tuple[bool, int]:
    summary = table.summary if isinstance(table, AsleepTable) else table.summary()
    return summary.phase != FINISHED, summary.at
