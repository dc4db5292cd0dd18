"""`kk serve`: hosts tables for others."""

from __future__ import annotations

import asyncio
import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from kk_core.text import quoted, text
from kk_server.cli import Usage
from kk_server.cli.common import check_data
from kk_server.serve import server
from kk_server.serve.settings import BadSettings, Settings, Sources, format_settings
from kk_server.visits.access import BadKeys


def serve(file: Path | None, typed: Mapping[str, Any], others: Iterable[str], *, check: bool) -> None:
    """Serve until interrupted, or only print the settings. Raises `Usage`, or `KkError` at the start."""
    check_data()
    options = {key: value for key, value in typed.items() if value is not None}
    sources = Sources(file, with_settings(options, others))
    settings = _checked(sources)
    if check:
        typer.echo(format_settings(settings))
    else:
        try:
            asyncio.run(server.serve(settings, sources.read))
        finally:
            _discard_unwritable()


def _discard_unwritable() -> None:
    """Give up what cannot be written, as when the terminal is gone: Python would end with status 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


def _checked(sources: Sources) -> Settings:
    try:
        settings = sources.read()
        server.access_rules(settings)
    except BadSettings as error:
        raise Usage(*error.reasons) from None
    except BadKeys as error:
        raise Usage(error.reason) from None
    return settings


def with_settings(options: dict[str, Any], others: Iterable[str]) -> dict[str, Any]:
    """Add settings written KEY=VALUE, as in a file, to options. Raises `Usage`."""
    for other in others:
        key, equals, value = other.partition("=")
        table, _, name = key.strip().rpartition(".")
        if not equals or not name or "." in table:
            raise Usage(text("--set is KEY=VALUE, as in limits.tables=50, not {given}.", given=quoted(other)))
        place = options.setdefault(table, {}) if table else options
        place[name] = _value(value)
    return options


def _value(written: str) -> Any:
    try:
        # TOML, but on the command line words need no quotes
        return tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        return written
