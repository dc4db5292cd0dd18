"""The log of all tables: append only, and every append says what it builds on."""

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
"""Results that are told at once."""


class Conflict(KkError):
    """Somebody else has appended to the same table; nothing was stored."""


class StorageFailed(KkError):
    """The log cannot be written or read now.

    The `reason` is for everybody; `for_host` is what whoever has the file needs to know, where that is more.
    """

    def __init__(self, reason: Text, for_host: Text | None = None) -> None:
        super().__init__(reason)
        self.for_host = for_host or reason


def told_host(error: KkError) -> Text:
    """What whoever has the file is told of an error."""
    return error.for_host if isinstance(error, StorageFailed) else error.reason


@dataclass(frozen=True)
class StoredTable:
    """A table as the log keeps it: the entries in order, or the reason why they cannot be read.

    `at` is when the last one was stored, in seconds since 1970.
    """

    id: str
    entries: tuple[Entry, ...]
    damage: KkError | None = None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ListedTable:
    """A table that was not closed: how many entries it has, and its summary where that is of all of them."""

    id: str
    revision: int
    summary: Summary | None = None


class TableLog(Protocol):
    """Where tables are kept; another store takes its place by having these."""

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Store an entry for good, as number `expected_revision` (from 0) of its table.

        `at` is when it came about, in seconds since 1970, and now where nobody says.
        Raises `Conflict` when the table has not exactly that many entries, or `StorageFailed`.
        """
        ...

    async def keep_data(self, data: Tree) -> str:
        """Store rules data or a drawing, once however often given; the digest by which `Started` names it.

        Raises `StorageFailed`.
        """
        ...

    async def read_data(self, key: str) -> Tree:
        """The data of a digest. Raises `StorageFailed` where they are missing or damaged."""
        ...

    async def read(self, table: str) -> StoredTable:
        """One table; without entries when it is unknown. Raises `StorageFailed`."""
        ...

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """These tables without their moves. Raises `StorageFailed`."""
        ...

    async def listed(self) -> list[ListedTable]:
        """All tables that were not closed, oldest first. Raises `StorageFailed`."""
        ...

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Store the summaries of tables with their numbers of entries, all of them or none.

        Raises `StorageFailed`.
        """
        ...

    async def keep_result(self, ended: Ended) -> None:
        """Store what a match came to, unless it is stored already. Raises `StorageFailed`."""
        ...

    async def results_of(self, user: str, skip: int = 0, most: int = PAGE) -> list[Ended]:
        """What the matches came to in which a user had a seat, the newest first, after the first `skip`.

        Raises `StorageFailed`.
        """
        ...

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """What one of these matches came to; None where it is none of them. Raises `StorageFailed`."""
        ...

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Leave a match out of what is told to a user, also if it is to be kept again.

        Raises `StorageFailed`.
        """
        ...

    async def keep_clock(self, table: str, clock: str) -> None:
        """Store how the clocks of a table stand, in place of how they stood. Raises `StorageFailed`."""
        ...

    async def clock_of(self, table: str) -> str | None:
        """How the clocks of a table stood; None where they never ran. Raises `StorageFailed`."""
        ...

    async def clocks(self) -> dict[str, str]:
        """How the clocks of all tables stood. Raises `StorageFailed`."""
        ...

    async def keep_uptime(self, seconds: float) -> None:
        """Store how long servers have run over this log, all together. Raises `StorageFailed`."""
        ...

    async def uptime(self) -> float:
        """Seconds that servers have run over this log. Raises `StorageFailed`."""
        ...

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Store something that a user is to be told when he comes. Raises `StorageFailed`."""
        ...

    async def take_words(self, user: str) -> list[Text]:
        """What a user is to be told, once. Raises `StorageFailed`."""
        ...

    async def close(self) -> None:
        """Give back what the log holds open."""
        ...


def unknown_rules(key: str) -> StorageFailed:
    """The error for a digest that names nothing."""
    return StorageFailed(text("The rules data {digest} are missing.", digest=quoted(key)))


async def keep_data_of(log: TableLog, rules: AnyGame, drawing: Any) -> tuple[str, str | None]:
    """Store what a match is dealt and drawn with; the digests by which `Started` names them.

    Raises `StorageFailed`.
    """
    drawn = None if drawing is None else await log.keep_data(msgspec.to_builtins(drawing))
    return await log.keep_data(rules.rules_data), drawn


async def data_for(log: TableLog, entries: Iterable[Entry]) -> dict[str, Tree]:
    """What the matches of some entries are dealt and drawn with, by digest; drawings where they are there.

    Raises `StorageFailed` where rules data are missing or damaged.
    """
    kept: dict[str, Tree] = {}
    for entry in entries:
        if not isinstance(entry, Started):
            continue
        kept[entry.rules] = await log.read_data(entry.rules)
        if entry.drawing is not None:
            with suppress(StorageFailed):
                kept[entry.drawing] = await log.read_data(entry.drawing)
    return kept
