"""The log in a database: durable before it is acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import time
from typing import Any, Final

import msgspec

from kk_core.config import canonical_json, digest
from kk_core.text import Text, quoted, text
from kk_core.types import Tree
from kk_server.storage.entries import BadEntry, Ended, Entry, decode_entry, encode_entry
from kk_server.storage.sql import Database
from kk_server.storage.sqlite import open_database
from kk_server.storage.summaries import Summary, decode_summary, encode_summary
from kk_server.storage.table_log import (
    PAGE,
    AnswerLost,
    Conflict,
    ListedTable,
    StorageFailed,
    StoredTable,
    Unreachable,
    damaged_row,
    unknown_rules,
)

# the archive has the identifiers of purged tables, which must not be reused
_APPEND: Final = """
    INSERT INTO entries (table_id, revision, at, kind, entry)
    SELECT
        CAST(:table AS TEXT), CAST(:revision AS BIGINT), CAST(:at AS TEXT), CAST(:kind AS TEXT),
        CAST(:entry AS TEXT)
    WHERE CAST(:revision AS BIGINT) = (
        SELECT coalesce(max(revision) + 1, 0) FROM entries WHERE table_id = CAST(:table AS TEXT)
    )
    AND NOT EXISTS (SELECT 1 FROM archive WHERE table_id = CAST(:table AS TEXT))
    ON CONFLICT DO NOTHING
"""
_LISTED: Final = """
    WITH RECURSIVE ids (id) AS (
        SELECT min(table_id) FROM entries
        UNION ALL
        SELECT (SELECT min(table_id) FROM entries WHERE table_id > id) FROM ids WHERE id IS NOT NULL
    )
    SELECT id, (SELECT max(revision) + 1 FROM entries WHERE table_id = id), kept.revision, kept.summary
    FROM ids LEFT JOIN summaries AS kept ON kept.table_id = id
    WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries WHERE table_id = id AND kind = 'closed')
    ORDER BY (SELECT number FROM entries WHERE table_id = id AND revision = 0)
"""
"""Jumps from table to table using the index, so the number of their entries costs nothing."""
_KEEP_SUMMARY: Final = """
    INSERT INTO summaries (table_id, revision, summary) VALUES (:table, :revision, :summary)
    ON CONFLICT (table_id) DO UPDATE SET revision = :revision, summary = :summary
    WHERE summaries.revision <= :revision
"""
_LAST_ENTRY: Final = "SELECT coalesce(max(number), 0) FROM entries"
_OPENED: Final = """
    SELECT table_id FROM entries AS first WHERE number > ? AND revision = 0
    AND NOT EXISTS (SELECT 1 FROM entries WHERE table_id = first.table_id AND kind = 'closed')
"""
_SUMMARIES: Final = "SELECT table_id, revision, summary FROM summaries WHERE table_id IN ({tables})"
_ENTRY: Final = "SELECT at, entry FROM entries WHERE table_id = ? AND revision = ?"
_AGAIN: Final = 0.5
"""Seconds between two attempts to store an entry while the database is away."""
_READ: Final = "SELECT table_id, revision, entry, at FROM entries WHERE table_id = ? ORDER BY revision"
_OUTLINES: Final = """
    SELECT table_id, entry, (
        SELECT at FROM entries WHERE table_id = entry.table_id ORDER BY revision DESC LIMIT 1
    )
    FROM entries AS entry
    WHERE table_id IN ({tables}) AND kind NOT IN ('moved', 'undone') ORDER BY table_id, revision
"""
_AT_ONCE: Final = 500
"""Tables per query: databases limit the values of one."""

_KEEP: Final = """
    INSERT INTO rules (digest, data, at) VALUES (:digest, :data, :at)
    ON CONFLICT (digest) DO UPDATE SET at = :at WHERE rules.at < :at - 3600
"""
"""Records when data were last requested: a match that does not refer to them yet may be about to begin."""
_RULES: Final = "SELECT data FROM rules WHERE digest = ?"

_KEEP_CLOCK: Final = """
    INSERT INTO clocks (table_id, clock) VALUES (:table, :clock)
    ON CONFLICT (table_id) DO UPDATE SET clock = :clock
"""
_CLOCK: Final = "SELECT clock FROM clocks WHERE table_id = ?"
_CLOCKS: Final = "SELECT table_id, clock FROM clocks"
_KEEP_TRANSIENT: Final = """
    INSERT INTO transients (table_id, term, state)
    SELECT CAST(:table AS TEXT), CAST(:term AS BIGINT), CAST(:state AS TEXT)
    WHERE NOT EXISTS (SELECT 1 FROM entries WHERE table_id = CAST(:table AS TEXT) AND kind = 'closed')
    ON CONFLICT (table_id) DO UPDATE SET term = excluded.term, state = excluded.state
    WHERE transients.term <= excluded.term
"""
_FORGET_TRANSIENT: Final = "DELETE FROM transients WHERE table_id = :table"
_TRANSIENTS: Final = "SELECT table_id, state FROM transients WHERE table_id IN ({tables})"
_KEEP_UPTIME: Final = """
    INSERT INTO uptime (number, seconds) VALUES (1, :seconds)
    ON CONFLICT (number) DO UPDATE SET seconds = :seconds
"""
_UPTIME: Final = "SELECT seconds FROM uptime"
_LEAVE_WORD: Final = 'INSERT INTO words ("user", words) VALUES (:user, :words)'
_WORDS: Final = 'SELECT number, words FROM words WHERE "user" = ? ORDER BY number LIMIT 100'
_FORGET_WORDS: Final = 'DELETE FROM words WHERE "user" = :user AND number <= :last'

_IS_SHARED: Final = """
    SELECT EXISTS (SELECT 1 FROM account_keys) OR EXISTS (
        SELECT 1 FROM entries
        WHERE kind = 'created' AND {host} <> ?
    )
"""
_KEEP_RESULT: Final = """
    INSERT INTO results (owner, table_id, match, at, result)
    VALUES (:owner, :table, :match, :at, :result) ON CONFLICT DO NOTHING
"""
_RESULTS: Final = """
    SELECT result FROM results WHERE owner = ? AND result <> '' ORDER BY at DESC, rowid DESC LIMIT ? OFFSET ?
"""
_GAMES: Final = """
    SELECT {game} AS game FROM results WHERE owner = ? AND result <> '' GROUP BY game HAVING count(*) >= ?
"""
_RESULT: Final = """
    SELECT result FROM results WHERE owner = ? AND table_id = ? AND match = ? AND result <> ''
"""
# emptied, not deleted: storing the result again would bring back a deleted row
_FORGET: Final = """
    UPDATE results SET result = '' WHERE owner = :owner AND table_id = :table AND match = :match
"""


class SqlLog:
    """A `TableLog` in a database, which it closes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = asyncio.Event()
        self._one_by_one = asyncio.Lock()
        """Held by whoever tries again to store an entry, so that not all ask a database that is back."""

    async def schema(self) -> int:
        """Return the number of the schema in a shared database. Raises `StorageFailed`."""
        ((version,),) = await self._database.rows("SELECT version FROM schema")
        return int(version)

    async def is_of(self, user: str) -> bool:
        """Return whether a user has opened all tables, and nobody has an account. Raises `StorageFailed`."""
        ((is_shared,),) = await self._database.rows(
            _IS_SHARED.format(host=self._database.json_field("entry", "host")), (user,)
        )
        return not is_shared

    async def append(self, table: str, expected_revision: int, entry: Entry, at: int | None = None) -> None:
        """Store an entry; it is on disk when this returns. Raises `Conflict` or `StorageFailed`.

        While the database is away, it waits.
        """
        row = {
            "table": table,
            "revision": expected_revision,
            "at": datetime.fromtimestamp(int(time()) if at is None else at, UTC).isoformat(),
            # a separate column, so that indexes and queries need not parse the entry
            "kind": str(entry.__struct_config__.tag),
            "entry": encode_entry(entry).decode(),
        }
        # the insert selects no row unless the revision is the next one
        if await self._append(row) != 1:
            raise Conflict(text("The table has changed in the meantime; please look again."))

    async def _append(self, row: dict[str, Any]) -> int:
        """Return how many entries were added: 1 or 0. Raises `StorageFailed`."""
        try:
            return await self._database.write(_APPEND, row)
        except Unreachable as error:
            away = error
        is_lost = isinstance(away, AnswerLost)
        async with self._one_by_one:
            while not self._stopping.is_set():
                try:
                    added = await self._database.write(_APPEND, row)
                    if not added and is_lost:  # it may be there already, and then it is exactly this one
                        found = await self._database.rows(_ENTRY, (row["table"], row["revision"]))
                        added = int(found == [(row["at"], row["entry"])])
                    return added
                except Unreachable as error:
                    away, is_lost = error, is_lost or isinstance(error, AnswerLost)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), _AGAIN)
        raise away

    def stop_waiting(self) -> None:
        """Raise `Unreachable` from now on in place of waiting."""
        self._stopping.set()

    async def keep_data(self, data: Tree) -> str:
        """Store rules data or a drawing, once per content; returns its digest. Raises `StorageFailed`."""
        key = digest(data)
        await self._database.write(
            _KEEP, {"digest": key, "data": canonical_json(data).decode(), "at": int(time())}
        )
        return key

    async def read_data(self, key: str) -> Tree:
        """Return the data for a digest. Raises `StorageFailed` if they are missing or damaged."""
        for (stored,) in await self._database.rows(_RULES, (key,)):
            return _to_rules(key, stored)
        raise unknown_rules(key)

    async def read(self, table: str) -> StoredTable:
        """Return a table; without entries if it is unknown. Raises `StorageFailed`."""
        return _to_table(table, await self._database.rows(_READ, (table,)))

    async def outlines(self, tables: Collection[str]) -> dict[str, StoredTable]:
        """Return these tables without their moves. Raises `StorageFailed`."""
        rows = [row async for row in self._of(_OUTLINES, tables)]
        numbered = {
            str(table): [(table, number, *rest) for number, (_, *rest) in enumerate(own)]
            for table, own in groupby(rows, itemgetter(0))
        }
        return {table: _to_table(table, own) for table, own in numbered.items()}

    async def listed(self) -> list[ListedTable]:
        """Return all tables that are not closed, oldest first. Raises `StorageFailed`."""
        return [
            ListedTable(str(table), revision, decode_summary(stored) if made_at == revision else None)
            for table, revision, made_at, stored in await self._database.rows(_LISTED)
        ]

    async def _of(self, query: str, tables: Collection[str]) -> AsyncIterator[Any]:
        """Yield the rows of a query with `{tables}`, for any number of tables."""
        wanted = sorted(tables)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            for row in await self._database.rows(query.format(tables=", ".join("?" * len(some))), some):
                yield row

    async def summaries(self, tables: Collection[str]) -> dict[str, tuple[int, Summary]]:
        """Return the stored summaries of tables, with their numbers of entries. Raises `StorageFailed`."""
        found = dict[str, tuple[int, Summary]]()
        async for table, revision, stored in self._of(_SUMMARIES, tables):
            if (summary := decode_summary(stored)) is not None:
                found[str(table)] = revision, summary
        return found

    async def last_entry(self) -> int:
        """Return the number of the last entry of all tables. Raises `StorageFailed`."""
        ((number,),) = await self._database.rows(_LAST_ENTRY)
        return int(number)

    async def opened_after(self, number: int) -> list[str]:
        """Return the tables that were opened after an entry and are not closed. Raises `StorageFailed`."""
        return [str(table) for (table,) in await self._database.rows(_OPENED, (number,))]

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Store summaries that are not older than those there, atomically. Raises `StorageFailed`."""
        await self._database.write_all(
            (_KEEP_SUMMARY, {"table": table, "revision": revision, "summary": encode_summary(summary)})
            for table, (revision, summary) in summaries.items()
        )

    async def keep_transients(self, states: Mapping[str, tuple[int, str] | None]) -> None:
        """Store what is true of tables and not in their entries, atomically, unless the term is over.

        None forgets it. Raises `StorageFailed`.
        """
        await self._database.write_all(
            (_FORGET_TRANSIENT, {"table": table})
            if state is None
            else (_KEEP_TRANSIENT, {"table": table, "term": state[0], "state": state[1]})
            for table, state in states.items()
        )

    async def transients(self, tables: Collection[str]) -> dict[str, str]:
        """Return what is stored of these tables and not in their entries. Raises `StorageFailed`."""
        return {str(table): str(state) async for table, state in self._of(_TRANSIENTS, tables)}

    async def keep_result(self, ended: Ended) -> None:
        """Store the result of a match, once for each of its people. Raises `StorageFailed`."""
        row = {"table": ended.table, "match": ended.match, "at": ended.at}
        result = msgspec.json.encode(ended).decode()
        # a row per person, so that each can hide it from their history
        for owner in {holder.owner for holder in ended.seats if holder.owner is not None}:
            await self._database.write(_KEEP_RESULT, row | {"owner": owner, "result": result})

    async def results_of(self, user: str, skip: int = 0, most: int = PAGE) -> list[Ended]:
        """Return the results of a user's matches, newest first, after `skip`. Raises `StorageFailed`."""
        return _to_results(await self._database.rows(_RESULTS, (user, most, skip)))

    async def games_of(self, user: str, least: int = 1) -> set[str]:
        """Return the games of which a user has at least `least` results. Raises `StorageFailed`."""
        query = _GAMES.format(game=self._database.json_field("result", "game"))
        return {str(name) for (name,) in await self._database.rows(query, (user, least))}

    async def result_of(self, user: str, table: str, match: int) -> Ended | None:
        """Return the result of one of a user's matches, or None. Raises `StorageFailed`."""
        found = _to_results(await self._database.rows(_RESULT, (user, table, match)))
        return found[0] if found else None

    async def forget_result(self, user: str, table: str, match: int) -> None:
        """Hide a match from a user. Raises `StorageFailed`."""
        # an empty row stays, so that the result is not stored again
        await self._database.write(_FORGET, {"owner": user, "table": table, "match": match})

    async def keep_clock(self, table: str, clock: str) -> None:
        """Store the clocks of a table. Raises `StorageFailed`."""
        await self._database.write(_KEEP_CLOCK, {"table": table, "clock": clock})

    async def clock_of(self, table: str) -> str | None:
        """Return the clocks of a table. Raises `StorageFailed`."""
        for (clock,) in await self._database.rows(_CLOCK, (table,)):
            return str(clock)
        return None

    async def clocks(self) -> dict[str, str]:
        """Return the clocks of all tables. Raises `StorageFailed`."""
        return {str(table): str(clock) for table, clock in await self._database.rows(_CLOCKS)}

    async def keep_uptime(self, seconds: float) -> None:
        """Store how long servers have run over this file. Raises `StorageFailed`."""
        await self._database.write(_KEEP_UPTIME, {"seconds": seconds})

    async def uptime(self) -> float:
        """Return the seconds that servers have run over this file. Raises `StorageFailed`."""
        for (seconds,) in await self._database.rows(_UPTIME):
            return float(seconds)
        return 0.0

    async def leave_word(self, user: str, sentence: Text) -> None:
        """Store a sentence for a user. Raises `StorageFailed`."""
        await self._database.write(
            _LEAVE_WORD, {"user": user, "words": msgspec.json.encode(sentence).decode()}
        )

    async def take_words(self, user: str) -> list[Text]:
        """Remove and return the oldest sentences left for a user. Raises `StorageFailed`."""
        rows = await self._database.rows(_WORDS, (user,))
        if rows:
            # only these: others may have been added since, or exceed what one visit shows
            await self._database.write(_FORGET_WORDS, {"user": user, "last": rows[-1][0]})
        try:
            return [msgspec.json.decode(words, type=Text) for _number, words in rows]
        except (msgspec.MsgspecError, TypeError):
            raise damaged_row() from None

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()


async def open_log(path: Path) -> SqlLog:
    """Open the log in a file, creating it if needed. Raises `StorageFailed`."""
    return SqlLog(await open_database(path))


def _to_table(table: str, rows: Iterable[Any]) -> StoredTable:
    """Build a table from its rows (table, revision, entry, at) in order."""
    entries: list[Entry] = []
    at = None
    try:
        for wanted, (_, revision, entry, stored) in enumerate(rows):
            # a lost row must not lead to a table that never existed
            if revision != wanted:
                raise BadEntry(text("Entry {n} is missing.", n=wanted))
            entries.append(decode_entry(entry if isinstance(entry, bytes) else str(entry).encode()))
            at = stored
    # returned, not raised, so that other tables can still be read
    except BadEntry as damage:
        return StoredTable(table, (), damage)
    return StoredTable(table, tuple(entries), at=to_seconds(at))


def _to_results(rows: Iterable[Any]) -> list[Ended]:
    try:
        return [msgspec.json.decode(row[0], type=Ended) for row in rows]
    except (msgspec.MsgspecError, TypeError):
        raise damaged_row() from None


def to_seconds(stored: Any) -> int:
    """Return a stored time in seconds since 1970; 0 if there is none."""
    try:
        return int(datetime.fromisoformat(stored).timestamp())
    except (ValueError, TypeError):
        return 0


def _to_rules(key: str, stored: Any) -> Tree:
    try:
        data = msgspec.json.decode(stored)
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, RecursionError):
        data = None
    # data are named by digest, so damage always shows
    if data is None or digest(data) != key:
        raise StorageFailed(text("The rules data {digest} are damaged.", digest=quoted(key)))
    return data
