"""Erasing an account: what is only about it is deleted; elsewhere another name replaces its own.

Entries of logs are changed for nothing else. The new names stand where the old ones stood, so matches, their
results and what others see of them stay as valid as before.
"""

from __future__ import annotations

import secrets
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from kk_core.errors import KkError
from kk_core.text import Text
from kk_server.storage.archive import pack_entries, unpack_entries
from kk_server.storage.entries import Ended, decode_entry, encode_entry
from kk_server.storage.files import Number
from kk_server.storage.sql import Database, Values
from kk_server.storage.summaries import decode_summary, encode_summary
from kk_server.tables.renaming import Renaming
from kk_server.tables.transient import decode_transient, encode_transient

_OWN: Final = (
    "account_keys", "account_settings", "account_lessons", "account_calls", "called_turns", "link_codes",
    "welcomed", "ratings", "daily_tries",
)  # fmt: skip
_DELETE: Final = (
    *(f"DELETE FROM {name} WHERE account = :account" for name in _OWN),
    'DELETE FROM words WHERE "user" = :account',
)

_OWN_RESULTS: Final = "UPDATE results SET owner = :alias WHERE owner = :account"
_MATCHES: Final = "SELECT owner, table_id, match FROM results WHERE owner >= ? AND owner < ? ORDER BY rowid"
_LAST: Final = "SELECT coalesce(max({key}), 0) FROM {table}"
_MENTIONING: Final = """
    SELECT {key}, {column} FROM {table}
    WHERE {key} > ? AND {key} <= ? AND replace({column}, ?, '') <> {column} {more}
"""
_PACKED: Final = "SELECT rowid, entries FROM archive WHERE rowid > ? AND rowid <= ?"
_CHANGE: Final = "UPDATE {table} SET {column} = :new WHERE {key} = :key AND {column} = :old"

_AT_ONCE: Final = 5000
"""Rows that are looked through in one query."""

_PACKED_AT_ONCE: Final = 100

_ROUNDS: Final = 3
"""How often what was stored meanwhile is looked for."""


_ERASED: Final = "(erased "
"""How the names begin that stand in place of others; no account has such a one: names contain no brackets."""


def _new_alias() -> str:
    return f"{_ERASED}{secrets.token_hex(3)})"


class Erasure:
    """Erases accounts from a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def erase(self, account: str) -> Renaming:
        """Erase an account, atomically; returns the name that stands in its place.

        Raises `StorageFailed`; then nothing has changed.
        """
        renaming = Renaming(account, _new_alias())
        row = {"account": account, "alias": renaming.alias}
        changes = [change async for change in self._changes(renaming)]
        await self._database.write_all(
            [*((statement, {"account": account}) for statement in _DELETE), (_OWN_RESULTS, row), *changes]
        )
        return renaming

    async def finish(self, renaming: Renaming) -> None:
        """Do the same to what has been stored since, or at the same moment. Raises `StorageFailed`."""
        for _ in range(_ROUNDS):
            changes = [change async for change in self._changes(renaming)]
            if not changes:
                return
            await self._database.write_all(changes)

    async def matches(self) -> list[tuple[str, Number]]:
        """Return the names that stand in place of erased accounts, each with a finished match of it.

        Raises `StorageFailed`.
        """
        rows = await self._database.rows(_MATCHES, (_ERASED, chr(ord(_ERASED[0]) + 1)))
        return [(str(alias), (str(table), int(match))) for alias, table, match in rows]

    async def _changes(self, renaming: Renaming) -> AsyncIterator[tuple[str, Values]]:
        """Yield the statements that change every row in which an account is named, unless it has changed."""
        for table, key, column, change, more in _TEXTS:
            async for number, stored in self._mentioning(renaming.account, table, key, column, more):
                new = change(renaming, stored)
                if new != stored:
                    statement = _CHANGE.format(table=table, key=key, column=column)
                    yield statement, {"new": new, "key": number, "old": stored}
        async for number, packed in self._packed():
            new_packed = _in_archive(renaming, packed)
            if new_packed != packed:
                statement = _CHANGE.format(table="archive", key="rowid", column="entries")
                yield statement, {"new": new_packed, "key": number, "old": packed}

    async def _mentioning(
        self, account: str, table: str, key: str, column: str, more: str
    ) -> AsyncIterator[tuple[int, str]]:
        query = _MENTIONING.format(table=table, key=key, column=column, more=more)
        async for first, last in self._ranges(table, key, _AT_ONCE):
            for number, stored in await self._database.rows(query, (first, last, _quoted(account))):
                yield int(number), str(stored)

    async def _packed(self) -> AsyncIterator[tuple[int, bytes]]:
        async for first, last in self._ranges("archive", "rowid", _PACKED_AT_ONCE):
            for number, packed in await self._database.rows(_PACKED, (first, last)):
                yield int(number), bytes(packed)

    async def _ranges(self, table: str, key: str, size: int) -> AsyncIterator[tuple[int, int]]:
        """Yield ranges of row numbers, so that no query keeps others waiting for long."""
        ((last,),) = await self._database.rows(_LAST.format(table=table, key=key))
        for first in range(0, int(last), size):
            yield first, first + size


def _in_entry(renaming: Renaming, stored: str) -> str:
    try:
        return encode_entry(renaming.entry(decode_entry(stored.encode()))).decode()
    except KkError:  # damaged, or a newer version's
        return stored.replace(_quoted(renaming.account), _quoted(renaming.alias))


def _in_result(renaming: Renaming, stored: str) -> str:
    return msgspec.json.encode(renaming.ended(msgspec.json.decode(stored, type=Ended))).decode()


def _in_summary(renaming: Renaming, stored: str) -> str:
    summary = decode_summary(stored)
    # one that cannot be read is made again
    return "" if summary is None else encode_summary(renaming.summary(summary))


def _in_transient(renaming: Renaming, stored: str) -> str:
    state = decode_transient(stored)
    return "" if state is None else encode_transient(renaming.transient(state))


def _in_words(renaming: Renaming, stored: str) -> str:
    return msgspec.json.encode(renaming.sentence(msgspec.json.decode(stored, type=Text))).decode()


def _in_archive(renaming: Renaming, packed: bytes) -> bytes:
    try:
        if _quoted(renaming.account).encode() not in zlib.decompress(packed):
            return packed
        return pack_entries(tuple(map(renaming.entry, unpack_entries(packed))))
    except (KkError, zlib.error):  # damaged
        return packed


def _quoted(name: str) -> str:
    """Return a name as it stands in JSON."""
    return msgspec.json.encode(name).decode()


_PEOPLE: Final = "AND kind NOT IN ('moved', 'undone')"

_TEXTS: Final[tuple[tuple[str, str, str, Callable[[Renaming, str], str], str], ...]] = (
    ("entries", "number", "entry", _in_entry, _PEOPLE),
    ("set_aside", "rowid", "entry", _in_entry, ""),
    ("results", "rowid", "result", _in_result, ""),
    ("summaries", "rowid", "summary", _in_summary, ""),
    ("transients", "rowid", "state", _in_transient, ""),
    ("words", "number", "words", _in_words, ""),
)
"""Where accounts are named in texts: the SQL table, its row numbers, the column, and how it changes."""
