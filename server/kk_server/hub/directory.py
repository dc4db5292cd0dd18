"""The directory of tables: each user's own, and the public ones in list order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from kk_core.text import quoted, text
from kk_core.views import bare_name
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING, Summary
from kk_server.tables.cache import TableCache, UnloadedTable
from kk_server.tables.place import NotPossible, Window
from kk_server.tables.state import CooperativeYield, TableState
from kk_server.tables.table import Table
from kk_server.tables.view import named

TITLES: Final = 3
"""How many titles are shown when several begin with the search words."""

Listed: TypeAlias = Table | UnloadedTable

_Section: TypeAlias = tuple[str, bool]
"""A phase, and whether its tables are loaded: unloaded ones are listed later."""

_SECTIONS: Final[Mapping[str, tuple[_Section, ...]]] = {
    "all": ((OPEN, True), (OPEN, False), (PLAYING, True), (PLAYING, False), (FINISHED, False)),
    "open": ((OPEN, True), (OPEN, False)),
    "playing": ((PLAYING, True), (PLAYING, False)),
    "own": (),
}
"""The sections that a window shows, in list order; within each, the oldest tables come first."""


class _Entry(NamedTuple):
    """A table of the directory; without a section if it is private.

    `people` are the users it concerns if it is loaded; for unloaded ones, `UnloadedTables` has them.
    """

    section: _Section | None
    age: int
    people: frozenset[str]


class TableMatch(NamedTuple):
    """The table that a search found, or else the first of the `n` titles that are, or begin with, its words.

    If there is only one title, `n` is the number of the `tables` that have it.
    """

    table: str | None
    titles: tuple[str, ...] = ()
    n: int = 0
    tables: tuple[str, ...] = ()


_NOBODY: Final = frozenset[str]()
_NOTHING: Final = _Entry(None, 0, _NOBODY)


class Directory:
    """Follows the tables of a cache; call `update` for each that may have changed."""

    def __init__(self, table_cache: TableCache) -> None:
        self._table_cache = table_cache
        self._entries: dict[str, _Entry] = {}
        self._listed: dict[_Section, list[tuple[int, str]]] = {section: [] for section in _SECTIONS["all"]}
        self._of: dict[str, set[str]] = {}

    def load(self) -> None:
        """List all existing tables."""
        for table in self._table_cache.all():
            self._entries[table.id] = entry = self._entry(table)
            self._note(table.id, frozenset(), entry.people)
            if entry.section is not None:
                self._listed[entry.section].append((entry.age, table.id))

    def find(self, table: str) -> Listed | None:
        """Return a table by its identifier, or None."""
        return self._table_cache.loaded.get(table) or self._table_cache.unloaded.get(table)

    def update(self, table: str) -> bool:
        """Follow a table that was added, changed or removed; returns True if that changes the list."""
        found, before = self.find(table), self._entries.pop(table, _NOTHING)
        now = _NOTHING
        if found is not None:
            self._entries[table] = now = self._entry(found)
        self._note(table, before.people, now.people)
        if before.section == now.section:
            return False
        if before.section is not None:
            tables = self._listed[before.section]
            del tables[bisect_left(tables, (before.age, table))]
        if now.section is not None:
            # the lists stay sorted by age, so that windows are slices
            insort(self._listed[now.section], (now.age, table))
        return True

    def _note(self, table: str, before: frozenset[str], now: frozenset[str]) -> None:
        for user in before - now:
            self._of[user].discard(table)
            if not self._of[user]:
                del self._of[user]
        for user in now - before:
            self._of.setdefault(user, set()).add(table)

    def people(self, table: str) -> Iterable[str]:
        """Return the users that a table concerns."""
        found = self.find(table)
        return () if found is None else found.known_to

    def of(self, user: str) -> tuple[str, ...]:
        """Return the tables that concern a user, oldest first."""
        unloaded = (table.id for table in self._table_cache.unloaded.of(user))
        own = {table for table in (*self._of.get(user, ()), *unloaded) if table in self._entries}
        return tuple(sorted(own, key=lambda table: self._entries[table].age))

    def others(self, window: Window, own: Iterable[str]) -> tuple[Sequence[str], int]:
        """Return the tables that a window shows, leaving out a user's `own`, and the number of all others."""
        sections = [self._listed[section] for section in _SECTIONS[window.shows]]
        apart = sorted(self._places(sections, own))
        first = window.first
        # own tables are shown elsewhere: count places without them
        for place in apart:
            first += place <= first
        # read a few more than fit, since own tables among them are skipped
        shown, skipped = list[str](), set(apart)
        for place, (_, table) in enumerate(_from(sections, first, window.size + len(apart)), first):
            if place not in skipped and len(shown) < window.size:
                shown.append(table)
        return shown, sum(map(len, sections)) - len(apart)

    def _places(self, sections: Sequence[list[tuple[int, str]]], tables: Iterable[str]) -> Iterator[int]:
        for table in tables:
            entry, start = self._entries[table], 0
            for section in sections:
                if entry.section is not None and section is self._listed[entry.section]:
                    yield start + bisect_left(section, (entry.age, table))
                start += len(section)

    def _entry(self, table: Listed) -> _Entry:
        age = self._table_cache.age(table)
        people = table.known_to if isinstance(table, Table) else _NOBODY
        if table.is_private:
            return _Entry(None, age, people)
        phase = _known(table).phase
        # finished tables are one section, loaded or not, since nobody is waiting there
        return _Entry((phase, phase != FINISHED and isinstance(table, Table)), age, people)

    async def search(self, user: str, words: str) -> TableMatch:
        """Find a table the user may see, by its title, a person there, or the beginning of its title."""
        wanted, yielding, own = bare_name(words), CooperativeYield(), self.of(user)
        called, begun = list[tuple[str, str]](), list[tuple[str, str]]()
        peopled: str | None = None
        for table in self._in_order(own):
            # there may be thousands of tables
            await yielding.pause()
            title = _known(table).created.title
            if bare_name(title) == wanted:
                called.append((table.id, title))
            elif bare_name(title).startswith(wanted):
                begun.append((table.id, title))
            # only noted: an exact title match further down the list beats a person
            if peopled is None and wanted in _names(table):
                peopled = table.id
        # of several tables with one title a user means their own, and rather one that is not over
        called = [one for one in called if one[0] in own] or called
        called = [one for one in called if not self._is_over(one[0])] or called
        if peopled is not None and not called:
            return TableMatch(peopled)
        found = called or begun
        if len(found) == 1:
            return TableMatch(found[0][0])
        titles = tuple({bare_name(title): title for _, title in found}.values())
        if len(titles) == 1:  # more of a title does not tell its tables apart: these are counted
            return TableMatch(None, titles, len(found), tuple(table for table, _ in found))
        return TableMatch(None, titles[:TITLES], len(titles))

    def _is_over(self, table: str) -> bool:
        found = self.find(table)
        return found is None or _known(found).phase == FINISHED

    def _in_order(self, own: Sequence[str]) -> Iterator[Listed]:
        """Yield the tables that a user may see, their `own` first."""
        others = [table for section in _SECTIONS["all"] for _, table in self._listed[section]]
        for table in dict.fromkeys((*own, *others)):
            # the search yields to other tasks, so a table may have gone since
            if (found := self.find(table)) is not None:
                yield found


def check_window(window: Window) -> None:
    """Raise `NotPossible` for an unknown window."""
    if window.shows not in _SECTIONS:
        raise NotPossible(
            text("The lobby shows all, own, open or playing tables, not {what}.", what=quoted(window.shows))
        )


def _known(table: Listed) -> Summary | TableState:
    return table.summary if isinstance(table, UnloadedTable) else table.state


def _names(table: Listed) -> set[str]:
    known = _known(table)
    holders = known.seats
    if any(holder.bot is not None for holder in holders):
        holders = named(known.created.daily or table.id, holders, known.number)
    return {bare_name(known.owner), *(bare_name(holder.name) for holder in holders)}


def _from(sections: Sequence[list[tuple[int, str]]], first: int, size: int) -> Iterator[tuple[int, str]]:
    for section in sections:
        yield from section[first : first + size] if first < len(section) else ()
        taken = max(0, min(len(section) - first, size))
        first, size = max(0, first - len(section)), size - taken
