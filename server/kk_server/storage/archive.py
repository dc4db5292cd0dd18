"""What is left of tables that were purged: the entries of every match that was played to its end."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from kk_core.text import quoted, text
from kk_server.storage.database import Database
from kk_server.storage.entries import BadEntry, Entry, Started, decode_entry, encode_entry
from kk_server.storage.table_log import StorageFailed

_CLOSED: Final = "SELECT table_id FROM entries WHERE kind = 'closed' AND at < ? ORDER BY at"
_KEEP: Final = """
    INSERT OR REPLACE INTO archive (table_id, match, rules, drawing, entries)
    VALUES (:table, :match, :rules, :drawing, :entries)
"""
_PURGE: Final = tuple(
    f"DELETE FROM {name} WHERE table_id = :table" for name in ("entries", "summaries", "clocks")
)
_ENTRIES: Final = "SELECT entries FROM archive WHERE table_id = ? AND match = ?"
_LAST: Final = "SELECT max(match) FROM archive WHERE table_id = ?"
_ALL: Final = "SELECT table_id, match FROM archive"
_NAMED: Final = (
    "SELECT json_extract(entry, '$.{what}') FROM {rows} WHERE kind = 'started' AND json_valid(entry)"
)
_FORGET: Final = f"""
    DELETE FROM rules WHERE at < :before AND digest NOT IN (
        SELECT digest FROM (
            SELECT rules AS digest FROM archive UNION SELECT drawing FROM archive
            UNION {
    " UNION ".join(
        _NAMED.format(what=what, rows=rows)
        for rows in ("entries", "set_aside")
        for what in ("rules", "drawing")
    )
}
        ) WHERE digest IS NOT NULL
    )
"""

_decoder = msgspec.json.Decoder(list[msgspec.Raw])


class Archive:
    """A match stands here as a table of its own would have it: opened, begun, and move by move to the end."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def closed_before(self, moment: float) -> list[str]:
        """The tables that were closed before a moment, in seconds since 1970, oldest first.

        Raises `StorageFailed`.
        """
        at = datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
        return [str(table) for (table,) in await self._database.rows(_CLOSED, (at,))]

    async def purge(self, table: str, matches: Mapping[int, tuple[Entry, ...]]) -> None:
        """Let a table go, and keep these matches of it by their numbers; all of it or nothing.

        Raises `StorageFailed`.
        """
        kept = [(_KEEP, _row(table, number, entries)) for number, entries in matches.items()]
        await self._database.write_all([*kept, *((statement, {"table": table}) for statement in _PURGE)])

    async def matches(self) -> list[tuple[str, int]]:
        """All that are here, by table and number. Raises `StorageFailed`."""
        return [(str(table), int(match)) for table, match in await self._database.rows(_ALL)]

    async def last(self, table: str) -> int | None:
        """The number of the last match of a table; None where there is none. Raises `StorageFailed`."""
        ((number,),) = await self._database.rows(_LAST, (table,))
        return None if number is None else int(number)

    async def entries(self, table: str, number: int) -> tuple[Entry, ...]:
        """The entries of a match; none where it is not here. Raises `StorageFailed`."""
        for (stored,) in await self._database.rows(_ENTRIES, (table, number)):
            try:
                return tuple(_unpacked(stored))
            except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, BadEntry, TypeError):
                raise StorageFailed(
                    text("Match {n} of table {table} is damaged.", n=number, table=quoted(table))
                ) from None
        return ()

    async def forget_data(self, before: float) -> None:
        """Let rules data and drawings go that no match names, and none has asked for since a moment.

        Raises `StorageFailed`.
        """
        await self._database.write(_FORGET, {"before": int(before)})

    async def give_back(self, pages: int) -> bool:
        """Give the disk so many pages of the file back; whether there are more. Raises `StorageFailed`."""
        return await self._database.give_back(pages)


def _row(table: str, number: int, entries: tuple[Entry, ...]) -> dict[str, Any]:
    begun = next(entry for entry in entries if isinstance(entry, Started))
    packed = zlib.compress(b"[" + b",".join(map(encode_entry, entries)) + b"]")
    return {
        "table": table, "match": number, "rules": begun.rules, "drawing": begun.drawing, "entries": packed,
    }  # fmt: skip


def _unpacked(stored: bytes) -> Iterator[Entry]:
    for entry in _decoder.decode(zlib.decompress(stored)):
        yield decode_entry(bytes(entry))
