"""Counts and checksums of stored rows, which show whether rows are lost, and which ones.

Each row has a checksum, and each SQL table a tally, stored on a different page: the number of its rows and
the sum of their checksums. Every writing connection has triggers that update both within each transaction.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final
from zlib import crc32

import msgspec

from kk_server.storage.pages import PageRow, Pages

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": ("number", "table_id", "revision", "at", "kind", "entry"),
    "rules": ("digest", "data", "at"),
    "results": ("owner", "table_id", "match", "at", "result"),
    "account_keys": ("fingerprint", "account", "claims", "at", "name", "used", "told"),
    "account_settings": ("account", "settings"),
    "account_lessons": ("account", "game", "step", "learnt"),
    "account_calls": ("account", "address", "at"),
    "called_turns": ("account", "table_id", "match", "turn"),
    "clocks": ("table_id", "clock"),
    "transients": ("table_id", "term", "state"),
    "bans": ("number", "list", "ban"),
    "words": ("number", "user", "words"),
    "ratings": (
        "number", "game", "account", "table_id", "match", "at", "mean", "deviation", "played", "won",
    ),
    "uptime": ("number", "seconds"),
    "archive": ("table_id", "match", "rules", "drawing", "entries"),
    "set_aside": ("number", "table_id", "revision", "at", "kind", "entry"),
    "link_codes": ("account", "digest", "ends"),
    "welcomed": ("account", "digest"),
    "daily_deals": ("day", "game", "seed", "seats", "bot"),
    "daily_tries": ("day", "game", "account", "table_id", "at", "points", "won", "signs"),
}  # fmt: skip
"""The tables with tallies, and their columns: all but summaries, which follow from the entries."""

_NAMED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": ("table_id",),
    "rules": ("digest",),
    "results": ("owner", "table_id", "match"),
    "account_keys": ("account",),
    "account_settings": ("account",),
    "account_lessons": ("account", "game"),
    "account_calls": ("account",),
    "called_turns": ("account", "table_id"),
    "clocks": ("table_id",),
    "transients": ("table_id",),
    "words": ("user",),
    "ratings": ("account", "table_id", "match"),
    "archive": ("table_id", "match"),
    "link_codes": ("account",),
    "welcomed": ("account",),
    "daily_deals": ("day", "game"),
    "daily_tries": ("day", "game", "account"),
}
"""The columns that identify what a row is about; an index covers them."""

NUMBERED: Final = ("entries", "words", "ratings", "uptime", "bans")
"""The tables whose first column is the rowid, which SQLite does not store twice."""

REALS: Final[Mapping[str, tuple[str, ...]]] = {
    "ratings": ("mean", "deviation", "won"), "uptime": ("seconds",), "daily_tries": ("won",)
}  # fmt: skip
"""Float columns; SQLite stores whole numbers in them as integers."""

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""The errors raised when reading a damaged file."""

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
"""The script that computes all checksums and tallies from the existing rows."""


def _triggers(name: str) -> str:
    # the columns exclude the checksum: setting it must not fire a trigger again
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
"""The script that makes a connection update checksums and tallies; needs the SQL function `row_checksum`.

The triggers are temporary, so that changes made without them are detected. Without recursive triggers,
replaced rows would go unnoticed.
"""


def watch(connection: sqlite3.Connection) -> None:
    """Make a connection update checksums and tallies."""
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    connection.executescript(WATCH)


# -- comparing -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loss:
    """The loss in an SQL table: how many rows, or None if that cannot be determined, and what they are about.

    `names` is empty if no index is complete. `strange` rows exist, but not as they were stored; `doubtful`
    ones may have been deleted earlier. The `tally`, if readable, is what there should be: the number of rows
    and the sum of their checksums. If there is none of that, all rows exist, but SQLite cannot reach them.
    """

    table: str
    rows: int | None
    strange: int
    names: tuple[str, ...] = ()
    tally: tuple[int, int] | None = None
    doubtful: int = 0

    @property
    def is_real(self) -> bool:
        """True unless all rows are proven to exist as they were stored."""
        return self.rows != 0 or bool(self.strange or self.doubtful)


class Census:
    """All readable rows of a file, however damaged, compared with what there should be.

    If SQLite finds fewer rows than there should be, the pages are read without it. `content` returns the
    bytes of a file that SQLite may not be able to open at all.
    """

    def __init__(self, connection: sqlite3.Connection, content: Callable[[], bytes] | None = None) -> None:
        """Read the file. Raises `sqlite3.Error` if it cannot be read at all."""
        self._connection = connection
        self._content = content or connection.serialize
        # damaged text is read too; its checksum distinguishes it from sound text
        connection.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
        with suppress(*UNREADABLE if content else ()):
            self._probe()
        self._sound: dict[str, dict[int, int]] = {}
        """The checksums of all sound rows, by table and number."""
        self._more: dict[str, dict[int, _Found]] = defaultdict(dict)
        """Rows found without SQLite, by table and number."""
        self.losses = [loss for name in COLUMNS if (loss := self._count(name)) is not None]
        """The losses of all tables that have any, or may have."""

    def rows(self, name: str) -> Iterator[tuple[tuple[Any, ...], bool]]:
        """Yield the rows of a table, once each: the values of `COLUMNS`, and whether the row is sound."""
        sound, more = self._sound[name], self._more[name]
        for number, *values, _ in self._readable(name):
            if number not in more:
                yield tuple(values), number in sound
        for number, found in more.items():
            yield found.values, number in sound

    @cached_property
    def is_of_this_schema(self) -> bool:
        """True if all tallies are of known tables; a damaged header may claim any schema."""
        return {str(row.values[0]) for row in self._page_rows if _is_tally(row)} <= COLUMNS.keys()

    def _probe(self) -> None:
        # otherwise SQLite refuses a truncated file
        self._connection.execute("PRAGMA writable_schema = ON")
        self._connection.execute("PRAGMA user_version").fetchall()

    def _count(self, name: str) -> Loss | None:
        sound: dict[int, int] = {}
        unsound: set[int] = set()
        for number, *values, checksum in self._readable(name):
            if checksum is not None and checksum == _checksum_or_none(name, values):
                sound[number] = checksum
            else:
                unsound.add(number)
        self._sound[name] = sound
        tally = self._tally(name)
        if tally == _tallied(sound):
            return Loss(name, 0, len(unsound), tally=tally) if unsound else None
        doubtful = self._find_more(name, sound, unsound, tally)
        strange = len(unsound)
        if tally is None:
            return Loss(name, None, strange, doubtful=doubtful)
        if tally == _tallied(sound):
            return Loss(name, 0, strange, tally=tally)
        named = self._named(name, tally[0])
        for number in sound.keys() - named.keys() if named else ():
            del sound[number]  # a deleted row that is still readable on a damaged page
            strange += 1
        lost = tally[0] - len(sound)
        names = sorted({about for number, about in named.items() if number not in sound} - {""})
        is_known = lost > 0 and (named or not doubtful)
        return Loss(name, lost if is_known else None, strange, tuple(names), tally, 0 if named else doubtful)

    def _find_more(
        self, name: str, sound: dict[int, int], unsound: set[int], tally: tuple[int, int] | None
    ) -> int:
        """Add the rows found without SQLite; returns how many of them may have been deleted."""
        more = self._more[name]
        doubtful: set[int] = set()
        for number, found in self._without_sqlite[name].items():
            if number in sound or (found.checksum is None and number in unsound):
                continue
            more[number] = found
            if found.checksum is None:
                unsound.add(number)
                continue
            unsound.discard(number)
            sound[number] = found.checksum
            if not found.is_sure:
                doubtful.add(number)
        if doubtful and tally is not None:
            sure = {number: sum_ for number, sum_ in sound.items() if number not in doubtful}
            for proven in (sound, sure):
                if tally == _tallied(proven):
                    for number in sound.keys() - proven.keys():
                        del sound[number], more[number]
                    return 0
        return len(doubtful)

    @cached_property
    def _page_rows(self) -> list[PageRow]:
        with suppress(*UNREADABLE):
            return [*Pages(self._content()).rows()]
        return []

    @cached_property
    def _without_sqlite(self) -> Mapping[str, dict[int, _Found]]:
        """The rows on all pages, by table and number; a row's checksum identifies its table."""
        found: dict[str, dict[int, _Found]] = {name: {} for name in COLUMNS}
        pages: dict[int, Counter[str]] = defaultdict(Counter)
        homeless: list[PageRow] = []
        for row in self._page_rows:
            if row.number is None:
                continue
            name, values = _recognised(row)
            if name is None:
                homeless.append(row)
                continue
            pages[row.page][name] += 1
            known = found[name].get(row.number)
            if known is None or (row.is_sure and not known.is_sure):
                found[name][row.number] = _Found(values, row.values[-1], row.is_sure)
        for row in homeless:  # all rows of a leaf are of one table
            if row.is_sure and row.number is not None and (names := [*pages[row.page]]):
                values = _as_read(names[0], row)
                if len(row.values) == len(COLUMNS[names[0]]) + 1:
                    found[names[0]].setdefault(row.number, _Found(values, None, is_sure=True))
        return found

    def _tally(self, name: str) -> tuple[int, int] | None:
        query = "SELECT rows, total, checksum FROM tallies WHERE name = ?"
        with suppress(*UNREADABLE):
            for rows, total, checksum in self._connection.execute(query, (name,)):
                if checksum == _checksum_or_none("tallies", (name, rows, total)):
                    return rows, total
        found = {row.values[1:3] for row in self._page_rows if row.values[:1] == (name,) and _is_tally(row)}
        # an older tally may remain on a freed page
        return found.pop() if len(found) == 1 else None

    # -- reading as far as it goes

    def _readable(self, name: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows with number and checksum: all at once, or one by one after an error."""
        query = f'SELECT rowid, {", ".join(COLUMNS[name])}, checksum FROM "{name}" NOT INDEXED'
        seen: set[int] = set()
        is_whole = yield from self._until_fault(f"{query} ORDER BY rowid", seen)
        if is_whole:
            return
        # from the other end, so that only rows around the damage are queried one by one
        yield from self._until_fault(f"{query} ORDER BY rowid DESC", seen)
        for number in self._unseen(name, seen):
            yield from self._until_fault(f"{query} WHERE rowid = {number}", seen)

    def _until_fault(self, query: str, seen: set[int]) -> Generator[tuple[Any, ...], None, bool]:
        """Yield the new rows of a query; returns whether it was completed."""
        try:
            for row in self._connection.execute(query):
                if row[0] not in seen:
                    seen.add(row[0])
                    yield row
        except UNREADABLE:
            return False
        return True

    def _unseen(self, name: str, seen: set[int]) -> list[int]:
        """Return the numbers of rows that may exist: those in indexes, and those in gaps."""
        # 0 is not a row; it makes the gap below the first row that was read count too
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
        """Return what all rows are about, by number, from a complete index; empty if there is none."""
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


@dataclass(frozen=True)
class _Found:
    """A row found without SQLite; its checksum, or None if that does not match its values."""

    values: tuple[Any, ...]
    checksum: int | None
    is_sure: bool


def _tallied(sound: Mapping[int, int]) -> tuple[int, int]:
    return len(sound), sum(sound.values())


def _is_tally(row: PageRow) -> bool:
    if row.number is not None or len(row.values) != 4:
        return False
    return bool(row.values[3] == _checksum_or_none("tallies", row.values[:3]))


def _recognised(row: PageRow) -> tuple[str | None, tuple[Any, ...]]:
    """Return the table that a row's checksum belongs to, and its values; None if it matches none."""
    for name, columns in COLUMNS.items():
        if len(row.values) == len(columns) + 1:
            values = _as_read(name, row)
            if row.values[-1] is not None and row.values[-1] == _checksum_or_none(name, values):
                return name, values
    return None, ()


def _as_read(name: str, row: PageRow) -> tuple[Any, ...]:
    """Return a row's values as SQLite would read them from a table."""
    reals = REALS.get(name, ())
    values = [
        float(value) if column in reals and isinstance(value, int) else value
        for column, value in zip(COLUMNS[name], row.values, strict=False)
    ]
    if name in NUMBERED:
        values[0] = row.number
    return tuple(values)


def _name(values: Sequence[Any]) -> str:
    *others, last = map(str, values or ("",))
    return f"{' '.join(others)}-{last}" if others else last


def _checksum_or_none(name: str, values: Iterable[Any]) -> int | None:
    try:
        return row_checksum(name, *values)
    # text read from damaged bytes
    except UnicodeEncodeError:
        return None


def losses(address: str) -> list[Loss]:
    """Return the losses of the file at an address, all as of one moment; none for a new file.

    Raises `sqlite3.Error`.
    """
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        ((version,),) = connection.execute("PRAGMA user_version")
        return Census(connection).losses if version else []
