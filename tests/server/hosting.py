"""Servers for tests, and their settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from kk_server.hub.hub import Hub
from kk_server.limits import ServerLimits
from kk_server.serve.server import Server, start
from kk_server.serve.settings import Settings
from kk_server.tables.table import Table
from tests.server.probe import make_probe

PROBES = "tests.server.probe_worker"
"""The program of workers whose apps are probes."""

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


def here(folder: Path, **others: Any) -> Settings:
    """A server on a free port of this machine that keeps its things in a folder."""
    return Settings(port=0, data=str(folder), **others)


def retitle(hub: Hub, table: Table, title: str) -> None:
    """Give a table the title of another; those opened at two nodes at once may have one."""
    table.state = copy(table.state)  # another one, whose summary is made anew
    table.state.created = replace(table.state.created, title=title)
    table.publish()
    hub.lobby.changed(table.id)


@asynccontextmanager
async def probing(folder: Path, **settings: Any) -> AsyncIterator[Server]:
    """A server with probes in place of apps, in as many processes as the settings say."""
    settings = {"limits": PLENTY, "bot_pause": 0.0, **settings}
    server = await start(here(folder, **settings), make_probe, program=PROBES)
    try:
        yield server
    finally:
        await server.close()
