"""Sets aside what is damaged in a server's file; nothing of it is destroyed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from kk_core.text import text
from server.storage.database import INCREMENTAL, not_kept
from server.storage.table_log import StorageFailed

_ASIDE: Final = """
    CREATE TABLE IF NOT EXISTS set_aside (
        number INTEGER, table_id TEXT, revision INTEGER, at TEXT, kind TEXT, entry TEXT
    )
"""
_MOVED: Final = (
    """
    INSERT INTO set_aside SELECT number, table_id, revision, at, kind, entry FROM entries WHERE table_id = ?
    """,
    "DELETE FROM entries WHERE table_id = ?",
    "DELETE FROM summaries WHERE table_id = ?",
)
_MATCH_MOVED: Final = (
    """
    INSERT INTO set_aside
    SELECT NULL, table_id, match, NULL, 'match', entries FROM archive WHERE table_id = ? AND match = ?
    """,
    "DELETE FROM archive WHERE table_id = ? AND match = ?",
)
_MADE_AGAIN: Final = ("summaries",)
"""What the next start makes of the rest."""

_FAULTS: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


def set_aside(
    path: Path, tables: Iterable[str], summaries: Iterable[str], matches: Iterable[tuple[str, int]]
) -> None:
    """Move the entries of tables and of matches to `set_aside`, and forget summaries; all of it or nothing.

    Raises `StorageFailed`.
    """
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(_ASIDE)
            for table in tables:
                for statement in _MOVED:
                    connection.execute(statement, (table,))
            for match in matches:
                for statement in _MATCH_MOVED:
                    connection.execute(statement, match)
            for table in summaries:
                connection.execute("DELETE FROM summaries WHERE table_id = ?", (table,))
    except sqlite3.Error as error:
        raise not_kept(error) from None


def save_readable(path: Path) -> tuple[Path, dict[str, int | None]]:
    """Put a new file in the place of a damaged one, with every row that can be read, and indexes made anew.

    Gives what the damaged one is called now, and how many rows are only there, by the names of SQL tables
    (None for all, however many); of summaries none, since they are made again. Raises `StorageFailed`.
    """
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(unfinished)) as new:
            lost = _copied(old, new)
    except sqlite3.Error as error:
        unfinished.unlink(missing_ok=True)
        raise StorageFailed(
            text(
                "Too little of {file} can be read ({reason}): restore a backup.",
                file=str(path),
                reason=str(error),
            )
        ) from None
    unfinished.chmod(0o600)
    with suppress(OSError):  # of whoever may: the server has to open what root has made for it
        os.chown(unfinished, path.stat().st_uid, path.stat().st_gid)
    damaged = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    for beside in ("", "-wal", "-shm"):
        if (other := Path(f"{path}{beside}")).exists():
            other.rename(f"{damaged}{beside}")
    unfinished.replace(path)
    return damaged, lost


def _copied(old: sqlite3.Connection, new: sqlite3.Connection) -> dict[str, int | None]:
    """Copy all that can be read; gives how many rows cannot, by table."""
    ((version,),) = old.execute("PRAGMA user_version")
    made = old.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    new.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
    for kind, _, sql in made:
        if kind == "table":
            new.execute(sql)
    lost = {name: _copy_rows(old, new, name) for kind, name, _ in made if kind == "table"}
    for kind, _, sql in made:
        if kind == "index":
            new.execute(sql)
    new.execute(f"PRAGMA user_version = {version}")
    new.commit()
    return {name: rows for name, rows in lost.items() if rows != 0 and name not in _MADE_AGAIN}


def _copy_rows(old: sqlite3.Connection, new: sqlite3.Connection, name: str) -> int | None:
    """One by one by their numbers, since what lies on a damaged page ends every longer query.

    Gives how many are lost; None for all, where nobody knows how many that were.
    """
    lost, numbers = 0, _numbers(old, name)
    if numbers is None:
        return None
    for number in numbers:
        try:
            row = _row(old, name, number)
        except _FAULTS:
            lost += 1
            continue
        if row is not None:
            new.execute(f'INSERT OR IGNORE INTO "{name}" VALUES ({",".join("?" * len(row))})', row)
    return lost


def _row(old: sqlite3.Connection, name: str, number: int) -> tuple[Any, ...] | None:
    found = old.execute(f'SELECT * FROM "{name}" NOT INDEXED WHERE rowid = ?', (number,))
    row: tuple[Any, ...] | None = found.fetchone()
    return row


def _numbers(old: sqlite3.Connection, name: str) -> Iterable[int] | None:
    """The numbers of all rows; None where nothing tells them. Raises `sqlite3.Error` for `entries`."""
    try:
        ((last,),) = old.execute(f'SELECT coalesce(max(rowid), 0) FROM "{name}" NOT INDEXED')
        return range(1, last + 1)
    except _FAULTS:
        pass  # the last page is damaged, or the first
    indexes = old.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", (name,)
    ).fetchall()
    for (index,) in indexes:
        try:
            return sorted(row for (row,) in old.execute(f'SELECT rowid FROM "{name}" INDEXED BY "{index}"'))
        except _FAULTS:
            continue  # it is damaged, too, or has only some of the rows
    if name == "entries":
        raise sqlite3.DatabaseError(f"nothing tells what is in {name}")
    return None
