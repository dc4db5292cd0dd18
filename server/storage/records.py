"""Finished matches as files, one each: what is left when a table is long gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from kk_core.record import Record, format_record
from server.storage.whole_file import write_whole

RECORDS: Final = "records"
"""The name of their folder in a data folder."""

SIGNATURE: Final = ".sig"
"""What the name of a signature has behind that of its record."""


class RecordFolder:
    """Writes DATE-TABLE.json for the first match of a table, DATE-TABLE-N.json for the others.

    With `sign` the signature of each file stands beside it, as DATE-TABLE.json.sig.
    """

    def __init__(self, folder: Path, sign: Callable[[bytes], str] | None = None) -> None:
        self._folder = folder
        self._sign = sign
        self._there: set[str] | None = None

    async def keep(self, table: str, number: int, record: Record) -> None:
        """Write a record unless it is there already; never a file that is half written. Raises OSError."""
        await asyncio.to_thread(self._write, table if number == 1 else f"{table}-{number}", record)

    def _write(self, name: str, record: Record) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._there is None:
            self._there = {path.stem[len("2000-01-01-") :] for path in self._folder.glob("????-??-??-*.json")}
        if name in self._there:
            return
        path = self._folder / f"{datetime.now(UTC).date()}-{name}.json"
        content = format_record(record).encode()
        if self._sign is not None:  # first, since a record that is there is not written again
            write_whole(Path(f"{path}{SIGNATURE}"), self._sign(content).encode())
        write_whole(path, content)
        self._there.add(name)
