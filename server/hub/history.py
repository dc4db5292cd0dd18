"""What people have played to its end; everybody's history is his own."""

from __future__ import annotations

from kk_core.match import Match
from kk_core.text import text
from kk_core.wire.past import PastMatch
from kk_core.wire.people import is_guest
from server.hub.place import NotPossible
from server.hub.replays import match_of, past_match, until
from server.storage.archive import Archive
from server.storage.entries import Created, Ended, Entry, Holder, Started
from server.storage.table_log import PAGE, TableLog


class History:
    """The histories of all users, out of one log, and of what was kept of tables that were purged."""

    def __init__(self, log: TableLog, archive: Archive | None = None) -> None:
        self._log = log
        self._archive = archive

    async def lines(self, user: str, skip: int = 0) -> tuple[tuple[PastMatch, ...], bool]:
        """Matches of a user, the newest first, after the first `skip`; and whether there are older ones.

        Raises `KkError`.
        """
        _check_account(user)
        found = await self._log.results_of(user, skip, PAGE + 1)
        return tuple(past_match(user, ended) for ended in found[:PAGE]), len(found) > PAGE

    async def line(self, user: str, table_id: str, number: int) -> PastMatch:
        """One of the matches of a user. Raises `KkError`."""
        return past_match(user, await self._ended(user, table_id, number))

    async def match(self, user: str, table_id: str, number: int) -> tuple[Match, tuple[Holder, ...]]:
        """A match of a user's, and who sat there. Raises `KkError`."""
        ended = await self._ended(user, table_id, number)
        match = await match_of(self._log, await self._entries(table_id, number))
        if match is None:
            raise NotPossible(text("There is no table {table}.", table=repr(table_id)))
        return match, ended.seats

    async def ended(self, user: str, table_id: str, number: int | None = None) -> Match:
        """A match that has ended: the user's own, or one at a table for everybody. Raises `KkError`.

        Without a `number`, it is the last match of the table.
        """
        number = number or await self._last(table_id)
        entries = await self._entries(table_id, number)
        created = entries[0] if entries else None
        is_public = isinstance(created, Created) and created.code is None and created.watched
        own = None if is_guest(user) else await self._log.result_of(user, table_id, number)
        if is_public or own is not None:
            match = await match_of(self._log, entries)
            if match is not None and match.is_over:
                return match
            if match is not None:
                raise NotPossible(text("The match is not over yet; until then its record is a secret."))
        raise NotPossible(text("There is no match {table} that you may look into.", table=repr(table_id)))

    async def forget(self, user: str, table_id: str, number: int) -> None:
        """Take a match out of a user's history, for good; others keep it in theirs. Raises `KkError`."""
        await self._ended(user, table_id, number)
        await self._log.forget_result(user, table_id, number)

    async def _last(self, table_id: str) -> int:
        """The number of the last match of a table; 0 where there is none. Raises `KkError`."""
        stored = await self._log.read(table_id)
        if not stored.entries and self._archive is not None:
            return await self._archive.last(table_id) or 0
        return sum(isinstance(entry, Started) for entry in stored.entries)

    async def _entries(self, table_id: str, number: int) -> tuple[Entry, ...]:
        """What makes a match of a table; nothing where there is none. Raises `KkError`."""
        stored = await self._log.read(table_id)
        if stored.damage is not None:
            raise stored.damage
        if not stored.entries and self._archive is not None:
            return await self._archive.entries(table_id, number)
        return until(stored.entries, number)

    async def _ended(self, user: str, table_id: str, number: int) -> Ended:
        _check_account(user)
        ended = await self._log.result_of(user, table_id, number)
        if ended is None:
            raise NotPossible(text("You have played no such match."))
        return ended


def _check_account(user: str) -> None:
    if is_guest(user):  # another day, somebody else may have the name
        raise NotPossible(
            text(
                "You have no account here yet: come into the game once with an SSH key. "
                "From then on your matches are kept."
            )
        )
