"""The archive of purged tables: the entries of every match that was finished."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from kk_core.text import quoted, text
from kk_server.storage.entries import BadEntry, Entry, Started, decode_entry, encode_entry
from kk_server.storage.sql import Database
from kk_server.storage.table_log import StorageFailed

_CLOSED: Final = "SELECT table_id FROM entries WHERE kind = 'closed' AND at < ? ORDER BY at"
_KEEP: Final = """
    INSERT INTO archive (table_id, match, rules, drawing, entries)
    VALUES (:table, :match, :rules, :drawing, :entries)
    ON CONFLICT (table_id, match) DO UPDATE SET rules = :rules, drawing = :drawing, entries = :entries
"""
_PURGE: Final = tuple(
    f"DELETE FROM {name} WHERE table_id = :table" for name in ("entries", "summaries", "clocks", "transients")
)
_ENTRIES: Final = "SELECT entries FROM archive WHERE table_id = ? AND match = ?"
_LAST: Final = "SELECT max(match) FROM archive WHERE table_id = ?"
_ALL: Final = "SELECT table_id, match FROM archive"
_NAMED: Final = "SELECT {field} FROM {rows} WHERE kind = 'started'"
_FORGET: Final = """
    DELETE FROM rules WHERE at < :before AND digest NOT IN (
        SELECT named FROM (
            SELECT rules AS named FROM archive UNION SELECT drawing FROM archive UNION {named}
        ) AS needed WHERE named IS NOT NULL
    )
"""

_decoder = msgspec.json.Decoder(list[msgspec.Raw])


class Archive:
    """The archive. A match is stored like a table of its own: opened, begun, and played to the end."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def closed_before(self, moment: float) -> list[str]:
        """Return the tables closed before `moment` (seconds since 1970), oldest first.

        Raises `StorageFailed`.
        """
        # times are stored as text in a format that sorts chronologically
        at = datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
        return [str(table) for (table,) in await self._database.rows(_CLOSED, (at,))]

    async def purge(self, table: str, matches: Mapping[int, tuple[Entry, ...]]) -> None:
        """Delete a table, and keep these of its matches, by number; done atomically.

        Raises `StorageFailed`.
        """
        kept = [(_KEEP, _row(table, number, entries)) for number, entries in matches.items()]
        await self._database.write_all([*kept, *((statement, {"table": table}) for statement in _PURGE)])

    async def matches(self) -> list[tuple[str, int]]:
        """Return all matches, by table and number. Raises `StorageFailed`."""
        return [(str(table), int(match)) for table, match in await self._database.rows(_ALL)]

    async def last(self, table: str) -> int | None:
        """Return the number of a table's last match, or None. Raises `StorageFailed`."""
        ((number,),) = await self._database.rows(_LAST, (table,))
        return None if number is None else int(number)

    async def entries(self, table: str, number: int) -> tuple[Entry, ...]:
        """Return the entries of a match; none if it is not here. Raises `StorageFailed`."""
        for (stored,) in await self._database.rows(_ENTRIES, (table, number)):
            try:
                packed = _decoder.decode(zlib.decompress(stored))
                return tuple(decode_entry(bytes(entry)) for entry in packed)
            except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, BadEntry, TypeError):
                raise StorageFailed(
                    text("Match {n} of table {table} is damaged.", n=number, table=quoted(table))
                ) from None
        return ()

    async def forget_data(self, before: float) -> None:
        """Delete rules data and drawings that no match refers to and nobody has requested since `before`.

        Raises `StorageFailed`.
        """
        named = " UNION ".join(
            _NAMED.format(field=self._database.json_field("entry", what), rows=rows)
            for rows in ("entries", "set_aside")
            for what in ("rules", "drawing")
        )
        await self._database.write(_FORGET.format(named=named), {"before": int(before)})

    async def give_back(self, pages: int) -> bool:
        """Return up to `pages` free pages to the disk; True if there are more. Raises `StorageFailed`."""
        return await self._database.give_back(pages)


def _row(table: str, number: int, entries: tuple[Entry, ...]) -> dict[str, Any]:
    begun = next(entry for entry in entries if isinstance(entry, Started))
    # entries are repetitive, and hardly ever read again
    packed = zlib.compress(b"[" + b",".join(map(encode_entry, entries)) + b"]")
    return {
        "table": table, "match": number, "rules": begun.rules, "drawing": begun.drawing, "entries": packed,
    }  # fmt: skip
