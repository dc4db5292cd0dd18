"""Lets tables go that were closed long ago, and keeps the matches that were finished there."""

from __future__ import annotations

import asyncio
from time import time
from typing import Final, Literal, TypeAlias

from kk_core.errors import KkError
from server.hub.gently import Gently
from server.hub.table_state import growing
from server.log import get_logger
from server.storage.archive import Archive
from server.storage.entries import Entry, Moved, Started, Undone
from server.storage.kept import data_for
from server.storage.table_log import StorageFailed, StoredTable, TableLog

Days: TypeAlias = int | Literal["never"]
"""How long closed tables are kept."""

_DAY: Final = 24 * 3600.0

_PAGES: Final = 64
"""Pages that are given back at once: what others write waits some milliseconds."""

_PAUSE: Final = 0.05
"""Seconds between two changes of the file."""

_log = get_logger()


class Purger:
    """Does it once with `purge`; `days` may change meanwhile."""

    def __init__(self, log: TableLog, archive: Archive, days: Days) -> None:
        self._log = log
        self._archive = archive
        self.days = days
        self._spared: set[str] = set()
        """Tables that cannot be read, or not be replayed by this version: another one may."""

    async def purge(self) -> None:
        """Let go what is old enough; what cannot be done now is left for the next time."""
        if self.days == "never":
            return
        try:
            await self._purge(time() - self.days * _DAY)
        except StorageFailed as error:
            _log.warning("not purged", reason=str(error))

    async def _purge(self, before: float) -> None:
        closed = await self._archive.closed_before(before)
        for table in closed:
            if table not in self._spared:
                await self._let_go(table)
                await asyncio.sleep(_PAUSE)
        await self._archive.forget_data(before)
        is_left = True
        while is_left:
            await asyncio.sleep(_PAUSE)
            is_left = await self._archive.give_back(_PAGES)

    async def _let_go(self, table: str) -> None:
        stored = await self._log.read(table)
        try:
            matches = await _finished(self._log, stored)
        except KkError as error:
            reason = str(error)
        except Exception as error:  # the engine met something it never writes
            reason = type(error).__name__
        else:
            await self._archive.purge(table, matches)
            _log.info("table purged", table=table, matches=len(matches))
            return
        self._spared.add(table)
        _log.warning("table not purged", table=table, reason=reason)


async def _finished(log: TableLog, stored: StoredTable) -> dict[int, tuple[Entry, ...]]:
    """The matches of a table that were played to their end, by their numbers. Raises `KkError`."""
    if stored.damage is not None:
        raise stored.damage
    created, gently = stored.entries[0], Gently()
    entries: list[Entry] = []
    found: dict[int, tuple[Entry, ...]] = {}
    states = growing(stored.entries, await data_for(log, stored.entries))
    for entry, state in zip(stored.entries, states, strict=True):
        match entry:
            case Started():
                entries = [created, entry]
            case Moved() | Undone():
                entries.append(entry)
        if state.match is not None and state.match.is_over and state.matches not in found:
            found[state.matches] = tuple(entries)
        await gently.pause()
    return found
