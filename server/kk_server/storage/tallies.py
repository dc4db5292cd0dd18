"""Counts and checksums of stored rows, which show whether rows are lost, and which.

Each row has a checksum, and each SQL table a tally, on a page without rows: the number of rows, and the sum
of their checksums. Triggers of every writing connection keep both, in the transaction of each change.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from zlib import crc32

import msgspec

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": ("number", "table_id", "revision", "at", "kind", "entry"),
    "rules": ("digest", "data", "at"),
    "results": ("owner", "table_id", "match", "at", "result"),
    "account_keys": ("fingerprint", "account", "claims", "at", "name", "used", "told"),
    "account_settings": ("account", "settings"),
    "clocks": ("table_id", "clock"),
    "words": ("number", "user", "words"),
    "ratings": (
        "number", "game", "account", "table_id", "match", "at", "mean", "deviation", "played", "won",
    ),
    "uptime": ("number", "seconds"),
    "archive": ("table_id", "match", "rules", "drawing", "entries"),
    "set_aside": ("number", "table_id", "revision", "at", "kind", "entry"),
    "welcomed": ("account", "digest"),
}  # fmt: skip
"""The tables with tallies, and their columns: all but summaries, which follow from the entries."""

_NAMED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": ("table_id",),
    "rules": ("digest",),
    "results": ("owner", "table_id", "match"),
    "account_keys": ("account",),
    "account_settings": ("account",),
    "clocks": ("table_id",),
    "words": ("user",),
    "ratings": ("account", "table_id", "match"),
    "archive": ("table_id", "match"),
    "welcomed": ("account",),
}
"""The columns that identify what a row is about; an index covers them."""

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""The errors of reading a damaged file."""

_WIDEST: Final = 100_000
"""The largest gap between known row numbers that is searched; no damaged page makes a larger one."""


def row_checksum(*values: Any) -> int:
    """Return the checksum of a row's table and values; 32 bits, since sums have to fit in 63."""
    return crc32(msgspec.msgpack.encode(values))


def _of_row(name: str) -> str:
    return f"row_checksum('{name}', {', '.join(COLUMNS[name])})"


def _sealed(where: str) -> str:
    return f"UPDATE tallies SET checksum = row_checksum('tallies', name, rows, total) {where};"


COUNTED: Final = " ".join(
    f"""
        UPDATE {name} SET checksum = {_of_row(name)};
        INSERT OR REPLACE INTO tallies SELECT '{name}', count(*), coalesce(sum(checksum), 0), 0 FROM {name};
        """
    for name in COLUMNS
) + _sealed("WHERE true")
"""The script that computes all checksums and tallies from the rows that are there."""


def _triggers(name: str) -> str:
    columns, where = ", ".join(COLUMNS[name]), f"WHERE name = '{name}'"
    sum_up = f"UPDATE {name} SET checksum = {_of_row(name)} WHERE rowid = NEW.rowid;"
    new = f"(SELECT checksum FROM {name} WHERE rowid = NEW.rowid)"
    return f"""
        CREATE TEMP TRIGGER {name}_inserted AFTER INSERT ON main.{name} BEGIN
            {sum_up} UPDATE tallies SET rows = rows + 1, total = total + {new} {where}; {_sealed(where)}
        END;
        CREATE TEMP TRIGGER {name}_updated AFTER UPDATE OF {columns} ON main.{name} BEGIN
            {sum_up} UPDATE tallies SET total = total - coalesce(OLD.checksum, 0) + {new} {where};
            {_sealed(where)}
        END;
        CREATE TEMP TRIGGER {name}_deleted AFTER DELETE ON main.{name} BEGIN
            UPDATE tallies SET rows = rows - 1, total = total - coalesce(OLD.checksum, 0) {where};
            {_sealed(where)}
        END;
    """


WATCH: Final = "PRAGMA recursive_triggers = ON;" + " ".join(map(_triggers, COLUMNS))
"""The script by which a connection keeps checksums and tallies; it needs `row_checksum` as an SQL function.

The triggers are temporary, so that changes made without them show. Without recursive triggers, a row that is
replaced would go unnoticed.
"""


def watch(connection: sqlite3.Connection) -> None:
    """Have a connection keep checksums and tallies."""
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    connection.executescript(WATCH)


# -- comparing -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loss:
    """The loss of an SQL table: the number of rows, or None if nobody can tell, and what they are about.

    `names` is empty if no index has them all. `strange` rows are there, but not as they were stored. The
    `tally` is what there should be, rows and the sum of their checksums, if that can be read.
    """

    table: str
    rows: int | None
    strange: int
    names: tuple[str, ...] = ()
    tally: tuple[int, int] | None = None


class Census:
    """All readable rows of a file, however damaged, compared with what there should be."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read the file. Raises `sqlite3.Error` if it cannot be read at all."""
        self._connection = connection
        # damaged texts are read too; their checksums tell them from sound ones
        connection.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
        connection.execute("PRAGMA writable_schema = ON")  # otherwise SQLite refuses a truncated file
        ((version,),) = connection.execute("PRAGMA user_version")
        self.version = int(version)
        self._sound: dict[str, dict[int, int]] = {}
        """The checksums of all sound rows, by table and number."""
        self.losses = [loss for name in COLUMNS if (loss := self._count(name)) is not None]
        """The losses of all tables that have any, or may have."""

    def rows(self, name: str) -> Iterator[tuple[tuple[Any, ...], bool]]:
        """Yield the rows of a table, once each: the values of `COLUMNS`, and whether the row is sound."""
        sound = self._sound[name]
        for number, *values, _ in self._readable(name):
            yield tuple(values), number in sound

    def _count(self, name: str) -> Loss | None:
        sound: dict[int, int] = {}
        strange = 0
        for number, *values, checksum in self._readable(name):
            if checksum == _checksum_or_none(name, values):
                sound[number] = checksum
            else:
                strange += 1
        self._sound[name] = sound
        tally = self._tally(name)
        if tally == (len(sound), sum(sound.values())):
            return Loss(name, 0, strange, tally=tally) if strange else None
        if tally is None:
            return Loss(name, None, strange)
        named = self._named(name, tally[0])
        for number in sound.keys() - named.keys() if named else ():
            del sound[number]  # a deleted row, still readable on a damaged page
            strange += 1
        lost = tally[0] - len(sound)
        names = sorted({about for number, about in named.items() if number not in sound} - {""})
        return Loss(name, lost if lost > 0 else None, strange, tuple(names), tally)

    def _tally(self, name: str) -> tuple[int, int] | None:
        query = "SELECT rows, total, checksum FROM tallies WHERE name = ?"
        with suppress(*UNREADABLE):
            for rows, total, checksum in self._connection.execute(query, (name,)):
                if checksum == _checksum_or_none("tallies", (name, rows, total)):
                    return rows, total
        return None

    # -- reading as far as it goes

    def _readable(self, name: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows with number and checksum: all at once, or one by one after an error."""
        query = f'SELECT rowid, {", ".join(COLUMNS[name])}, checksum FROM "{name}" NOT INDEXED'
        seen: set[int] = set()
        is_whole = yield from self._until_fault(f"{query} ORDER BY rowid", seen)
        if is_whole:
            return
        yield from self._until_fault(f"{query} ORDER BY rowid DESC", seen)
        for number in self._unseen(name, seen):
            yield from self._until_fault(f"{query} WHERE rowid = {number}", seen)

    def _until_fault(self, query: str, seen: set[int]) -> Generator[tuple[Any, ...], None, bool]:
        """Yield the new rows of a query; returns whether it came to its end."""
        try:
            for row in self._connection.execute(query):
                if row[0] not in seen:
                    seen.add(row[0])
                    yield row
        except UNREADABLE:
            return False
        return True

    def _unseen(self, name: str, seen: set[int]) -> list[int]:
        """Return the numbers of rows that may be there: those in indexes, and those in between."""
        known = {0, *seen}
        for index, _ in self._indexes(name):
            with suppress(*UNREADABLE):
                known.update(n for (n,) in self._connection.execute(
                    f'SELECT rowid FROM "{name}" INDEXED BY "{index}"'
                ))  # fmt: skip
        holes = (range(a + 1, b) for a, b in pairwise(sorted(known)) if b - a < _WIDEST)
        return sorted(known.union(*holes) - seen)

    def _indexes(self, name: str) -> list[tuple[str, set[str]]]:
        found: list[tuple[str, set[str]]] = []
        with suppress(*UNREADABLE):
            query = "SELECT name FROM pragma_index_list(?) WHERE NOT partial"
            for (index,) in self._connection.execute(query, (name,)).fetchall():
                query = "SELECT name FROM pragma_index_info(?)"
                found.append((index, {column for (column,) in self._connection.execute(query, (index,))}))
        return found

    def _named(self, name: str, rows: int) -> dict[int, str]:
        """Return what all rows are about, by number, from an index that has them all; else nothing."""
        wanted = _NAMED_BY.get(name, ())
        telling_first = sorted(self._indexes(name), key=lambda each: not each[1].issuperset(wanted))
        for index, columns in telling_first:
            about = wanted if columns.issuperset(wanted) else ()
            query = f'SELECT {", ".join(("rowid", *about))} FROM "{name}" INDEXED BY "{index}"'
            with suppress(*UNREADABLE):
                found = {number: _name(values) for number, *values in self._connection.execute(query)}
                if len(found) == rows:
                    return found
        return {}


def _name(values: Sequence[Any]) -> str:
    *others, last = map(str, values or ("",))
    return f"{' '.join(others)}-{last}" if others else last


def _checksum_or_none(name: str, values: Iterable[Any]) -> int | None:
    try:
        return row_checksum(name, *values)
    # a text that was read from damaged bytes
    except UnicodeEncodeError:
        return None


def losses(address: str) -> list[Loss]:
    """Return the losses of the file at an address, as it is at one moment; none for a new file.

    Raises `sqlite3.Error`.
    """
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        ((version,),) = connection.execute("PRAGMA user_version")
        return Census(connection).losses if version else []
