"""Finished matches as files, one each: what is left when a table is long gone."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

from kk_core.record import Record, format_record


class RecordFolder:
    """Writes DATE-TABLE.json for the first match of a table, DATE-TABLE-N.json for the others."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, table: str, number: int, record: Record) -> None:
        """Write a record unless it is there already; never a file that is half written. Raises OSError."""
        await asyncio.to_thread(self._write, table if number == 1 else f"{table}-{number}", record)

    def _write(self, name: str, record: Record) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if any(self._folder.glob(f"????-??-??-{name}.json")):
            return
        path = self._folder / f"{datetime.now(UTC).date()}-{name}.json"
        unfinished = path.with_suffix(".tmp")
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(format_record(record))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
