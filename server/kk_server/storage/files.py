"""Files that are written atomically, and the folder of records."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, TypeAlias

from kk_core.match_name import match_name
from kk_core.record import Record, format_record
from kk_server.log import get_logger
from kk_tui.disk import sync

_log = get_logger()


def atomic_write(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file atomically, replacing any existing one. Raises OSError.

    `mode` is its mode, restricted by the process's umask.
    """
    unfinished = Path(f"{path}.tmp")
    unfinished.unlink(missing_ok=True)  # a leftover may have other permissions
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        file.flush()
        # before the rename: otherwise a crash may leave an empty file in its place
        sync(file.fileno())
    unfinished.replace(path)
    # otherwise a power cut may undo the rename
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        sync(folder)
    finally:
        os.close(folder)


def set_aside_as(path: Path) -> Path:
    """Return the name under which a damaged file is kept."""
    return path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}")


RECORDS: Final = "records"
"""The name of the records folder in a data folder."""

SIGNATURE: Final = ".sig"
"""The suffix of a signature file, after the name of its record."""

_NAME: Final = re.compile(r"(\d{4}-\d\d-\d\d)-([0-9a-f]+)(?:-(\d+))?[.]json")
"""The name of a record file."""

Number: TypeAlias = tuple[str, int]
"""A match: its table, and its number there."""


class RecordFolder:
    """Writes DATE-TABLE.json for the first match of a table, DATE-TABLE-N.json for the others.

    With `sign`, the signature of each file is stored beside it, as DATE-TABLE.json.sig.
    """

    def __init__(self, folder: Path, sign: Callable[[bytes], str] | None = None) -> None:
        self._folder = folder
        self._sign = sign
        self._there: set[str] | None = None

    async def keep(self, table: str, number: int, record: Record) -> None:
        """Write a record atomically, unless it exists already. Raises OSError."""
        await asyncio.to_thread(self._write, name_of((table, number)), record)

    def _write(self, name: str, record: Record) -> None:
        self._folder.mkdir(exist_ok=True)  # not the data folder, if that is gone
        if self._there is None:
            # without the day, since the same match may be stored again on another day
            self._there = {path.stem[len("2000-01-01-") :] for path in self._folder.glob("????-??-??-*.json")}
        for old in sorted(self._folder.glob(f"????-??-??-{name}.json")) if name in self._there else ():
            if old.read_bytes() == format_record(record).encode():
                return
            # the database was restored from an older copy, and the match then went differently
            _log.warning("record of another match set aside", file=str(old.replace(set_aside_as(old))))
        write_record(self._folder, datetime.now(UTC).date(), name, record, self._sign)
        self._there.add(name)


def write_record(
    folder: Path, day: date, name: str, record: Record, sign: Callable[[bytes], str] | None
) -> list[Path]:
    """Write a record file, and its signature if any; returns their paths. Raises OSError."""
    path = folder / f"{day}-{name}.json"
    content = format_record(record).encode()
    signature = Path(f"{path}{SIGNATURE}")
    if sign is not None:  # first, because an existing record is never rewritten
        atomic_write(signature, sign(content).encode())
    atomic_write(path, content)
    return [path] if sign is None else [path, signature]


def name_of(match: Number) -> str:
    """Return the name of a record file, without the day."""
    table, number = match
    return table if number == 1 else match_name(table, number)


def match_named(file: Path) -> Number | None:
    """Return the match that a record file is named after."""
    name = _NAME.fullmatch(file.name)
    return None if name is None else (name[2], int(name[3] or 1))


def record_files(folder: Path) -> dict[Number, Path]:
    """Return the record files by match."""
    named = ((match_named(path), path) for path in sorted(folder.glob("*.json")))
    return {number: path for number, path in named if number is not None}
