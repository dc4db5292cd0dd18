"""Hubs and servers for tests: real parts, on loopback and in temporary folders."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest

from kk_server.hub.hub import Hub
from kk_server.log import log_to, silence
from kk_server.serve.server import Server
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql import Database
from kk_server.storage.sqlite import open_database
from kk_server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.hosting import PLENTY, probing
from tests.server.postgres import Postgres, running_postgres
from tests.waiting import patience

Connect = Callable[[str], Client]

DATABASES: Final = ("sqlite", "postgresql")
"""The kinds of databases."""

Opening = Callable[[], Awaitable[Database]]
"""Opens the database of a test, again and again."""


@pytest.fixture
def log() -> TableLog:
    return MemoryLog()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL of this test run's own, which takes no node of this process for one that hangs."""
    with (
        running_postgres() as server,
        patch("kk_server.cluster.membership._SILENT", round(patience())),
    ):
        yield server


@pytest.fixture
def sqlite_opening(tmp_path: Path) -> Opening:
    return lambda: open_database(tmp_path / "kept.sqlite")


@pytest.fixture
def postgresql_opening(postgres: Postgres) -> Opening:
    from kk_server.storage.postgres import open_postgres

    address = postgres.new_database()
    return lambda: open_postgres(address)


@pytest.fixture(params=DATABASES)
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """A new database of each kind."""
    opening: Opening = request.getfixturevalue(f"{request.param}_opening")
    database = await opening()
    yield database
    await database.close()


@pytest.fixture
def journal() -> Iterator[StringIO]:
    """What the server tells its host, line by line."""
    lines = StringIO()
    log_to(lines)
    yield lines
    silence()


@pytest.fixture
async def hub(log: TableLog) -> AsyncIterator[Hub]:
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    await hub.load()
    yield hub
    await hub.close()


@pytest.fixture
def connect(hub: Hub) -> Connect:
    return lambda user: Client(hub.connect(user))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with probing(tmp_path) as server:
        yield server


@pytest.fixture(params=[1, 2], ids=["one-process", "two-workers"])
async def either(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    """A server of each kind."""
    async with probing(tmp_path, workers=request.param) as server:
        yield server
