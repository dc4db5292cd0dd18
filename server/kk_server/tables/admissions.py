"""Guests admitted to private tables; only in memory, since after a restart somebody else may use the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Admissions:
    """The guests admitted to each table, at all nodes."""

    def __init__(self) -> None:
        self._guests: dict[str, frozenset[str]] = {}

    def __iter__(self) -> Iterator[tuple[str, frozenset[str]]]:
        return iter(self._guests.items())

    def of(self, table: str) -> frozenset[str]:
        """Return the guests admitted to a table."""
        return self._guests.get(table, frozenset())

    def add(self, table: str, guests: Iterable[str]) -> None:
        """Admit guests to a table."""
        self._guests[table] = self.of(table).union(guests)

    def forget(self, table: str) -> None:
        """Forget a table that is gone."""
        self._guests.pop(table, None)
