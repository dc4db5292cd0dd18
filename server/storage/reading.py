"""A server's file, opened to be read alone: by whom, and wherever it lies.

SQLite lays a file beside one that it reads (`-shm`), and reads what was written last from another (`-wal`).
Where nothing can be laid, on a read-only file system or in somebody else's folder, and no server has done so
already, then nobody writes: the file is read as it is, or in a copy that takes in what was written last.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kk_core.text import text
from server.storage.database import FAULTS, Database, code_of, open_database, refuse_emptied, unreadable
from server.storage.table_log import StorageFailed

_CANNOT_LAY: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@asynccontextmanager
async def reading(path: Path) -> AsyncIterator[Database]:
    """A file to read, which stays as it is, also one from an earlier version. Raises `StorageFailed`."""
    with readable(path) as address:
        database = await open_database(path, read_at=address)
        try:
            yield database
        finally:
            await database.close()


@contextmanager
def readable(path: Path) -> Iterator[str]:
    """The address at which SQLite can read a file as it stands. Raises `StorageFailed`."""
    refuse_emptied(path)
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except FAULTS as error:
        if code_of(error) in _CANNOT_LAY:
            with _unwritten(path, address) as other:
                yield other
            return
        raise unreadable(path, error) from None
    yield address


@contextmanager
def _unwritten(path: Path, address: str) -> Iterator[str]:
    """The address of a file that nobody writes to, or of a copy of it."""
    with TemporaryDirectory() as spare:
        copy = Path(spare) / path.name
        try:
            path.open("rb").close()
            last = path.with_name(f"{path.name}-wal")
            if not (last.exists() and last.stat().st_size):
                address += "&immutable=1"
            else:
                for each in (path, last):
                    shutil.copyfile(each, copy.with_name(each.name))
                address = f"{copy.as_uri()}?mode=rw"
        except OSError as error:
            raise StorageFailed(
                text(
                    "{file} cannot be read: {reason}",
                    file=str(error.filename or path), reason=error.strerror or str(error),
                )
            ) from None  # fmt: skip
        yield address
