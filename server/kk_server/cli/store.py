"""`kk store` and `kk backup`: whether everything stored can be read, what to do if not, and copies."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path

import typer

from kk_core.match_name import match_name
from kk_core.reasons import system_reason
from kk_core.text import Text, printable, text, texts
from kk_server.cli import Failure, Usage
from kk_server.cli.language import say
from kk_server.maintenance.backup import copy_database
from kk_server.maintenance.check import OLDER, Damage, Fault, faults_of, faults_of_store, told
from kk_server.maintenance.copying import copy_store
from kk_server.maintenance.repair import (
    keep_last_writes,
    made_whole,
    make_again,
    make_records,
    make_rules,
    save_readable,
    set_aside,
)
from kk_server.serve.settings import BadSettings, Settings, Sources, why_no_store
from kk_server.ssh.host_keys import FILE as KEY
from kk_server.ssh.host_keys import BadSignature, host_key, sign, signer_of
from kk_server.storage.files import RECORDS, SIGNATURE, Number
from kk_server.storage.folder import hold_folder
from kk_server.storage.sql import NO_ASYNCPG
from kk_server.storage.sqlite import DATABASE, refuse_empty, refuse_lost_writes, refuse_unfinished
from kk_server.storage.tallies import Loss


def check(
    config: Path | None, data: Path | None, store: str | None = None, *, repair: bool,
    with_records: bool = True,
) -> None:  # fmt: skip
    """Report what is wrong in a data folder or a `store`, and with `repair` set it aside.

    Raises `Usage`, `Failure`.
    """
    settings = _settings(config, data, store)
    folder = settings.folder
    if settings.store is not None:
        _check_store(settings.store, repair=repair)
        return
    refuse_unfinished(folder / DATABASE)
    if not (folder / DATABASE).is_file():
        raise Usage(text("There is no {file} to check.", file=str(folder / DATABASE)))
    if not repair:
        _judge(_told(folder, with_records=with_records), with_records=with_records)
        return
    # a running server would go on with what is set aside
    lock = hold_folder(folder, text("A server is using {folder}: stop it first.", folder=str(folder)))
    try:
        _repair(folder, with_records=with_records)
    finally:
        os.close(lock)


def _check_store(address: str, *, repair: bool) -> None:
    if repair:
        raise Usage(text("--repair is for tables.sqlite alone: restore a backup of the database."))

    async def find() -> list[Fault]:
        async with aclosing(faults_of_store(address)) as faults:
            return [_say_fault(fault) async for fault in faults]

    try:
        faults = asyncio.run(find())
    except ImportError:
        raise Usage(NO_ASYNCPG) from None
    _judge(faults, with_records=False)


def _told(folder: Path, *, with_records: bool) -> list[Fault]:
    async def find() -> list[Fault]:
        async with aclosing(_faults(folder, with_records=with_records)) as faults:
            return [_say_fault(fault) async for fault in faults]

    return asyncio.run(find())


def _faults(folder: Path, *, with_records: bool) -> AsyncGenerator[Fault, None]:
    return faults_of(folder, partial(_signature_fault, (folder / KEY).exists()), with_records=with_records)


def _signature_fault(is_signed: bool, file: Path, content: bytes) -> Text | None:
    beside = Path(f"{file}{SIGNATURE}")
    if not os.path.lexists(beside):  # a server signs every record; matches at home are not signed
        return text("It has no signature file.") if is_signed else None
    try:
        signer_of(content, beside.read_bytes())
    except BadSignature as error:
        return error.reason
    return None


def _say_fault(fault: Fault) -> Fault:
    _tell(fault.said)
    _tell(fault.advice, "    ")
    return fault


def _judge(faults: list[Fault], *, with_records: bool) -> None:
    """Print the last line. Raises `Failure` if something is lost."""
    if bad := sum(not fault.is_harmless for fault in faults):
        raise Failure(texts("{n} fault was found.", "{n} faults were found.", bad))
    _tell(
        text("Everything stored can be read.")
        if with_records
        else text("Everything stored can be read; records/ was left out.")
    )


def _repair(folder: Path, *, with_records: bool) -> None:
    """Repair what can be repaired. Raises `Failure` if anything is lost or set aside."""
    path, losses = folder / DATABASE, list[Loss]()
    faults = _told(folder, with_records=with_records)
    if any(fault.what in (Damage.UNREAD, Damage.NOTHING) for fault in faults):
        # what could not be read need not be damaged, and of the rest nothing can be saved
        _judge(faults, with_records=with_records)
    if any(fault.what is Damage.WRITES for fault in faults):  # SQLite drops them when it opens the file
        _tell(text("The last writes are kept as {file}.", file=str(keep_last_writes(path))))
    if is_damaged := any(fault.what in (Damage.FILE, Damage.ROWS) for fault in faults):
        damaged, losses = save_readable(path)
        _tell(text("{file} was rebuilt; the old one is now {damaged}.", file=str(path), damaged=str(damaged)))
        for said in told(losses):
            _tell(said, "    ")
    is_older = _make_again(folder, faults)
    for loss in (whole := made_whole(path, losses)):
        _tell(text("All rows of {table} are restored.", table=loss.table))
    is_whole = len(whole) == len(losses) and not is_older and all(f.what is not Damage.WRITES for f in faults)
    is_unseen = any(fault.what is Damage.UNSEEN for fault in faults)
    if is_unseen:
        _make_folder(folder / RECORDS, path)
    if is_damaged or is_unseen:
        faults = _told(folder, with_records=with_records)
    is_whole = not _set_aside(path, faults) and is_whole
    _make_records(folder, [(fault.name, fault.number) for fault in faults if fault.what is Damage.ANEW])
    left = _told(folder, with_records=with_records)
    if is_damaged and is_whole and not losses and all(fault.is_harmless for fault in left):
        _tell(text("Nothing is lost."))
    _judge(left, with_records=with_records)
    if not is_whole:
        raise Failure(text("What is left can be read, but it is no longer complete."))


def _make_again(folder: Path, faults: list[Fault]) -> bool:
    """Make again what follows from the rest; returns whether the database is older than records/.

    `faults` are those told before.
    """
    path, records = folder / DATABASE, folder / RECORDS
    asyncio.run(make_rules(path, records))

    async def find() -> list[Fault]:
        async with aclosing(_faults(folder, with_records=False)) as found:
            return [fault async for fault in found if fault.what in OLDER]

    # a file that cannot be read ends the first search early, and nobody sees this in what is made again
    older = asyncio.run(find())
    for fault in older:
        if fault not in faults:
            _say_fault(fault)
    finished, made = asyncio.run(make_again(path, records))
    if finished:
        _tell(texts("{n} match was played to its end from its record.",
                    "{n} matches were played to their ends from their records.", finished))  # fmt: skip
    if made:
        _tell(
            texts(
                "{n} match was put back into the histories.",
                "{n} matches were put back into the histories.",
                made,
            )
        )
    return bool(older) or any(fault.what in OLDER for fault in faults)


def _set_aside(path: Path, faults: list[Fault]) -> bool:
    """Set aside the tables and matches that cannot be read; returns whether there are any."""
    tables = [fault.name for fault in faults if fault.what is Damage.TABLE]
    matches = [(fault.name, fault.number) for fault in faults if fault.what is Damage.MATCH]
    set_aside(path, tables, [fault.name for fault in faults if fault.what is Damage.SUMMARY], matches)
    for table in [*tables, *(match_name(table, number) for table, number in matches)]:
        _tell(text("The rows of table {table} are now in the table set_aside of {file}.",
                   table=table, file=str(path)))  # fmt: skip
    return bool(tables or matches)


def _make_folder(folder: Path, database: Path) -> None:
    try:
        folder.mkdir()
        with suppress(PermissionError):  # only root may
            os.chown(folder, database.stat().st_uid, database.stat().st_gid)
    except OSError as error:
        reason = system_reason(error)
        raise Failure(text("{file} cannot be written: {reason}", file=str(folder), reason=reason)) from None


def _make_records(folder: Path, matches: list[Number]) -> None:
    if not matches:
        return
    signed = partial(sign, host_key(folder)) if (folder / KEY).exists() else None
    for old in asyncio.run(make_records(folder / DATABASE, folder / RECORDS, sorted(set(matches)), signed)):
        _tell(text("The old file is now {file}.", file=str(old)))
    n = len(set(matches))
    _tell(texts("{n} record was rebuilt from the tables.", "{n} records were rebuilt from the tables.", n))


def _tell(sentence: Text, indent: str = "") -> None:
    typer.echo(indent + printable(say(sentence)))


def _folder(config: Path | None, data: Path | None) -> Path:
    return _settings(config, data).folder


def _settings(config: Path | None, data: Path | None, store: str | None = None) -> Settings:
    typed = {"data": None if data is None else str(data), "store": store}
    try:
        return Sources(config, {key: value for key, value in typed.items() if value is not None}).read()
    except BadSettings as error:
        raise Usage(*error.reasons) from None


def backup(target: Path, config: Path | None, data: Path | None) -> None:
    """Copy the database of a data folder into a new file. Raises `Usage` or `StorageFailed`."""
    source = _folder(config, data) / DATABASE
    if not source.is_file():
        raise Usage(text("There is no {file} to copy.", file=str(source)))
    if target.exists():
        raise Usage(text("{file} already exists; name a new one.", file=str(target)))
    # SQLite would drop damaged writes silently, and the copy would look complete
    refuse_lost_writes(source)
    refuse_empty(source)
    copy_database(source, target)
    size = target.stat().st_size
    typer.echo(say(text("{file}: {size} bytes, checked.", file=str(target), size=size)))


def copy(source: str, target: str) -> None:
    """Copy a server's database into another one. Raises `Usage` or another `KkError`."""
    for address in (source, target):
        if "://" in address and (fault := why_no_store(address)) is not None:
            raise Usage(fault)
    try:
        rows = asyncio.run(copy_store(source, target))
    except ImportError:
        raise Usage(NO_ASYNCPG) from None
    copied = texts("{n} row copied to {file}, and compared.", "{n} rows copied to {file}, and compared.",
                   rows, file=target)  # fmt: skip
    typer.echo(say(copied))
