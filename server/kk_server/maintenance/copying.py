"""Copies from one database to another: every row, in order, compared once all are there."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.accounts.bans import BANS, MUTES, BadBans, Ban, BanFile, BanStore, BanTable
from kk_server.storage.folder import hold_folder
from kk_server.storage.sql import POSTGRES, Database
from kk_server.storage.sqlite import (
    DATABASE,
    open_database,
    reading,
    refuse_lost_writes,
    unfinished_copy,
)
from kk_server.storage.table_log import StorageFailed
from kk_server.storage.tallies import COLUMNS, NUMBERED

_AT_ONCE: Final = 1000
"""Rows per statement or query."""

_COPIED: Final = tuple(name for name in COLUMNS if name != "bans")
"""The tables that are copied as they are: a server with a file has its bans in files, too."""

_FIRST: Final = -(2**63)


async def copy_store(source: str, target: str) -> int:
    """Copy a database into an empty one, with the bans and mutes beside it; returns the number of rows.

    Each is the address of a PostgreSQL database, a file, or a data folder with one.
    Nobody may use either of them meanwhile. What is left of an earlier copy is replaced. Raises `KkError`;
    then the copy cannot be used, or is not there.
    """
    async with _source_at(source) as ours:
        lists = {name: await _ban_store(ours, source, name).read() for name in (BANS, MUTES)}
        known = _bans_beside(source) | await _equal_beside(target, lists)
        return await _copy_all(ours, target, lists, known)


async def _copy_all(
    ours: Database, target: str, lists: Mapping[str, tuple[Ban, ...]], known: Collection[Path]
) -> int:
    async with _filling(target, known) as theirs:
        copied = 0
        for name in _COPIED:
            copied += await _copy(ours, theirs, name)
        for name in _COPIED:
            await _compare(ours, theirs, name)
        for name, bans in lists.items():
            if bans:
                await _ban_store(theirs, target, name).keep(bans, ())
            copied += len(bans)
        return copied


def _ban_store(database: Database, address: str, name: str) -> BanStore:
    if address.startswith(POSTGRES):
        return BanTable(database, name)
    return BanFile(_path(address).parent / name)


def _bans_beside(address: str) -> set[Path]:
    """Return the files that have the bans and mutes of a server with this database."""
    if address.startswith(POSTGRES):
        return set()
    return {_path(address).absolute().with_name(name) for name in (BANS, MUTES)}


async def _equal_beside(address: str, lists: Mapping[str, tuple[Ban, ...]]) -> set[Path]:
    """Return the files that already have these bans and mutes: a copy that was killed has left them."""
    equal = set[Path]()
    for path in _bans_beside(address):
        with suppress(BadBans):
            if path.exists() and await BanFile(path).read() == lists[path.name]:
                equal.add(path)
    return equal


@asynccontextmanager
async def _source_at(address: str) -> AsyncIterator[Database]:
    """Open a database to read it, while no server uses it."""
    if address.startswith(POSTGRES):
        async with _held(address) as database:
            yield database
        return
    path = _path(address)
    if not path.is_file():
        raise StorageFailed(text("There is no {file} to copy.", file=str(path)))
    lock = hold_folder(path.parent, _in_use(str(path.parent)))
    try:
        refuse_lost_writes(path)
        async with reading(path) as database:
            yield database
    finally:
        os.close(lock)


@asynccontextmanager
async def _filling(address: str, known: Collection[Path]) -> AsyncIterator[Database]:
    """Open a new database to fill it; unless that succeeds, it is not taken for a whole one.

    The files of bans that are `known` may be beside it already.
    """
    if address.startswith(POSTGRES):
        async with _held(address, to_fill=True) as database:
            await database.begin_filling()
            yield database
            await database.end_filling()
        return
    path = _path(address)
    # what is there would be replaced, or count for those who come to the copy
    beside = _bans_beside(address).difference(known)
    for each in (path, *sorted(beside)):
        if each.exists():
            raise StorageFailed(text("{file} already exists; name a new one.", file=str(each)))
    unfinished = unfinished_copy(path)
    try:
        # what an earlier copy has left, with what SQLite keeps beside a file
        for end in ("", "-wal", "-shm", "-journal"):
            unfinished.with_name(unfinished.name + end).unlink(missing_ok=True)
        file = await open_database(unfinished)
        try:
            yield file
        except BaseException:
            await file.close()
            for each in (unfinished, *beside):
                each.unlink(missing_ok=True)
            raise
        await file.close()
        unfinished.replace(path)
    except OSError as error:
        raise StorageFailed(
            text("{file} cannot be written: {reason}", file=str(path), reason=system_reason(error))
        ) from None


@asynccontextmanager
async def _held(address: str, *, to_fill: bool = False) -> AsyncIterator[Any]:
    # imported here: asyncpg is an extra
    from kk_server.storage.postgres import open_postgres, shown_address

    database = await open_postgres(address, may_create=to_fill, to_fill=to_fill)
    try:
        await database.hold(lambda: None, _in_use(shown_address(address)))
        yield database
    finally:
        await database.close()


def _in_use(folder: str) -> Text:
    return text("{folder} is in use, by a server or by another copy: stop it first.", folder=folder)


def _path(address: str) -> Path:
    path = Path(address.removeprefix("sqlite:"))
    return path / DATABASE if path.is_dir() else path


async def _batches(database: Database, name: str) -> AsyncIterator[list[tuple[Any, ...]]]:
    """Yield the rows of a table in the order in which they were stored."""
    key = "number" if name in NUMBERED else "rowid"
    query = f"SELECT {key}, {_columns(name)} FROM {name} WHERE {key} > ? ORDER BY {key} LIMIT ?"
    last = _FIRST
    while rows := await database.rows(query, (last, _AT_ONCE)):
        last = int(rows[-1][0])
        yield [tuple(row[1:]) for row in rows]


def _columns(name: str) -> str:
    return ", ".join(f'"{column}"' for column in COLUMNS[name])


async def _copy(source: Database, target: Database, name: str) -> int:
    places = ", ".join(f":c{n}" for n in range(len(COLUMNS[name])))
    insert, copied = f"INSERT INTO {name} ({_columns(name)}) VALUES ({places})", 0
    async for rows in _batches(source, name):
        await target.write_all((insert, {f"c{n}": value for n, value in enumerate(row)}) for row in rows)
        copied += len(rows)
    return copied


async def _compare(source: Database, target: Database, name: str) -> None:
    """Raise `StorageFailed` unless both have the same rows of a table."""
    theirs = _batches(target, name)
    async for rows in _batches(source, name):
        if await anext(theirs, None) != rows:
            raise StorageFailed(text("The copy differs from its source in {table}.", table=name))
    if await anext(theirs, None) is not None:
        raise StorageFailed(text("The copy differs from its source in {table}.", table=name))
