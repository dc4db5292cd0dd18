"""Servers for tests, and their settings."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from kk_server.limits import ServerLimits
from kk_server.serve import Server, start
from kk_server.settings import Settings
from kk_server.storage.database import steps_to
from tests.server.probe import make_probe

PROBES = "tests.server.probe_front"
"""The program of fronts whose apps are probes."""

PLENTY = ServerLimits(
    requests_per_second=100_000,
    requests_at_once=100_000,
    connections_per_second=100_000,
    connections_at_once=100_000,
    keys_per_second=100_000,
    keys_at_once=100_000,
    tables_per_address=100_000,
    openings_per_minute=100_000,
    openings_at_once=100_000,
    looks_per_second=100_000,
    looks_at_once=100_000,
)


def make_older(path: Path, version: int) -> None:
    """Make a file of tables one that an earlier version has written, with all that fits into it."""
    newer = path.with_name("newer")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    path.rename(newer)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(steps_to(version))
        connection.execute("ATTACH ? AS newer", (str(newer),))
        columns = "SELECT m.name, group_concat(c.name) FROM main.sqlite_master m, pragma_table_info(m.name) c"
        for name, own in connection.execute(f"{columns} WHERE m.type = 'table' GROUP BY m.name").fetchall():
            connection.execute(f"INSERT INTO main.{name} ({own}) SELECT {own} FROM newer.{name}")
        connection.execute(f"PRAGMA user_version = {version}")
    newer.unlink()


def here(folder: Path, **others: Any) -> Settings:
    """A server on a free port of this machine that keeps its things in a folder."""
    return Settings(port=0, data=str(folder), **others)


@asynccontextmanager
async def probing(folder: Path, **settings: Any) -> AsyncIterator[Server]:
    """A server with probes in place of apps, in as many processes as the settings say."""
    settings = {"limits": PLENTY, "bot_pause": 0.0, **settings}
    server = await start(here(folder, **settings), make_probe, program=PROBES)
    try:
        yield server
    finally:
        await server.close()
