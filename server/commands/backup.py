"""`kk backup`: a copy of a server's tables and accounts, made while it runs."""

from __future__ import annotations

from pathlib import Path

import typer

from kk_core.text import text
from server.commands import Usage
from server.commands.language import say
from server.settings import BadSettings, Sources
from server.storage.copy import copy_database
from server.storage.database import DATABASE, refuse_lost_writes


def backup(target: Path, config: Path | None, data: Path | None) -> None:
    """Copy the database of a data folder into a new file. Raises `Usage` or `StorageFailed`."""
    source = _folder(config, data) / DATABASE
    if not source.is_file():
        raise Usage(text("There is no {file} to copy.", file=str(source)))
    if target.exists():
        raise Usage(text("{file} is there already; name a new one.", file=str(target)))
    refuse_lost_writes(source)
    copy_database(source, target)
    size = target.stat().st_size
    typer.echo(say(text("{file}: {size} bytes, checked.", file=str(target), size=size)))


def _folder(config: Path | None, data: Path | None) -> Path:
    try:
        return Sources(config, {} if data is None else {"data": str(data)}).read().folder
    except BadSettings as error:
        raise Usage(*error.reasons) from None
