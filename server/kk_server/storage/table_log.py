"""The log of all tables: append-only, with a compare-and-set for every append."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from kk_core.errors import KkError
from kk_core.game import AnyGame
from kk_core.text import Text, quoted, text
from kk_core.types import Tree
from kk_server.storage.entries import Ended, Entry, Started
from kk_server.storage.summaries import Summary

PAGE: Final = 1000
"""Results per page."""


class Conflict(KkError):
    """Another writer has appended to the same table; nothing was stored."""


class StorageFailed(KkError):
    """The log cannot be written or read now.

    `reason` may be shown to everybody; `for_host` is more detailed, if there are details only for the host.
    """

    def __init__(self, reason: Text, for_host: Text | None = None) -> None:
        super().__init__(reason)
        self.for_host = for_host or reason


class Unreachable(StorageFailed):
    """The database is away, full, or takes no changes now; unless it is `AnswerLost`, nothing is stored."""


class AnswerLost(Unreachable):
    """The connection to the database was lost before the answer: it may have been stored, or not."""


class Damaged(StorageFailed):
    """Stored data that are damaged."""


class FileGone(StorageFailed):
    """The file is no longer at its path, so its content cannot be relied upon."""


NOT_KEPT: Final = text("The server couldn't save this, so it wasn't done; its host must look into it.")
NOT_READ: Final = text("The server couldn't read this; its host must look into it.")
AWAY: Final = text("The server's database isn't answering; please try again in a moment.")


def damaged_row() -> Damaged:
    """Return the error for a stored row that cannot be decoded."""
    return Damaged(NOT_READ, text("What is stored has a row that cannot be read."))


def told_host(error: KkError) -> Text:
    """Return the description of an error for the host."""
    return error.for_host if isinstance(error, StorageFailed) else error.reason


@dataclass(frozen=True)
class StoredTable:
    """A table in the log: its entries in order, or the reason why they cannot be read.

    `at` is when the last one was stored, in seconds since 1970.
    """

    id: str
    entries: tuple[Entry, ...]
    damage: KkError | None = None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ListedTable:
    """A table that is not closed: the number of its entries, and its summary if that covers them all."""

    id: str
    revision: int
    summary: Summary | None = None


class TableLog(Protocol):
    """The store of tables; anything with these methods can replace SQLite."""

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Store an entry durably, as number `expected_revision` (from 0) of its table.

        `at` is its time in seconds since 1970, by default now. While the log is `Unreachable`, this waits
        until the entry is stored, or until `stop_waiting`. Raises `Conflict` if the table does not have
        exactly that many entries, or `StorageFailed`.
        """
        ...

    def stop_waiting(self) -> None:
        """Raise `Unreachable` from now on in place of waiting: the program is about to end."""
        ...

    async def keep_data(self, data: Tree) -> str:
        """Store rules data or a drawing, once per content; returns the digest that `Started` refers to it by.

        Raises `StorageFailed`.
        """
        ...

    async def read_data(self, key: str) -> Tree:
        """Return the data for a digest. Raises `StorageFailed` if they are missing or damaged."""
        ...

    async def read(self, table: str) -> StoredTable:
        """Return a table; without entries if it is unknown. Raises `StorageFailed`."""
        ...

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """Return these tables without their moves. Raises `StorageFailed`."""
        ...

    async def listed(self) -> list[ListedTable]:
        """Return all tables that are not closed, oldest first. Raises `StorageFailed`."""
        ...

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Store the summaries of tables, each with its number of entries, atomically.

        One that is older than the stored one is left out. Raises `StorageFailed`.
        """
        ...

    async def keep_transients(self, states: Mapping[str, tuple[int, str] | None]) -> None:
        """Store what is true of tables and not in their entries, atomically; None forgets it.

        Each has a term, a number that grows whenever somebody else begins to write to the table. What is of
        an earlier term than the stored one, or of a closed table, is left out. Raises `StorageFailed`.
        """
        ...

    async def transients(self, tables: Collection[str]) -> dict[str, str]:
        """Return what `keep_transients` has stored of these tables. Raises `StorageFailed`."""
        ...

    async def keep_result(self, ended: Ended) -> None:
        """Store the result of a match, unless it is already stored. Raises `StorageFailed`."""
        ...

    async def results_of(self, user: str, skip: int = 0, most: int = PAGE) -> list[Ended]:
        """Return the results of a user's matches, newest first, after the first `skip`.

        Raises `StorageFailed`.
        """
        ...

    async def games_of(self, user: str, least: int = 1) -> set[str]:
        """Return the games of which a user has at least `least` results.

        Raises `StorageFailed`.
        """
        ...

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """Return the result of one of a user's matches, or None. Raises `StorageFailed`."""
        ...

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Hide a match from a user for good, even if its result is stored again.

        Raises `StorageFailed`.
        """
        ...

    async def keep_clock(self, table: str, clock: str) -> None:
        """Store the clocks of a table, replacing earlier ones. Raises `StorageFailed`."""
        ...

    async def clock_of(self, table: str) -> str | None:
        """Return the stored clocks of a table; None if they never ran. Raises `StorageFailed`."""
        ...

    async def clocks(self) -> dict[str, str]:
        """Return the stored clocks of all tables. Raises `StorageFailed`."""
        ...

    async def keep_uptime(self, seconds: float) -> None:
        """Store the total time that servers have run over this log. Raises `StorageFailed`."""
        ...

    async def uptime(self) -> float:
        """Return the seconds that servers have run over this log. Raises `StorageFailed`."""
        ...

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Store a sentence for a user until they come. Raises `StorageFailed`."""
        ...

    async def take_words(self, user: str) -> list[Text]:
        """Remove and return the sentences left for a user. Raises `StorageFailed`."""
        ...

    async def close(self) -> None:
        """Release what the log holds open."""
        ...


def unknown_rules(key: str) -> StorageFailed:
    """Return the error for an unknown digest."""
    return StorageFailed(text("The rules data {digest} are missing.", digest=quoted(key)))


async def keep_data_of(log: TableLog, rules: AnyGame, drawing: Any) -> tuple[str, str | None]:
    """Store the data a match is dealt and drawn with; returns the digests that `Started` refers to them by.

    Raises `StorageFailed`.
    """
    drawn = None if drawing is None else await log.keep_data(msgspec.to_builtins(drawing))
    return await log.keep_data(rules.rules_data), drawn


async def data_for(log: TableLog, entries: Iterable[Entry]) -> dict[str, Tree]:
    """Return the data that the matches in `entries` are dealt and drawn with, by digest.

    A drawing may be missing. Raises `StorageFailed` if rules data are missing or damaged.
    """
    kept: dict[str, Tree] = {}
    for entry in entries:
        if not isinstance(entry, Started):
            continue
        kept[entry.rules] = await log.read_data(entry.rules)
        if entry.drawing is not None:
            # a lost drawing is not damage: today's is used instead
            with suppress(StorageFailed):
                kept[entry.drawing] = await log.read_data(entry.drawing)
    return kept
