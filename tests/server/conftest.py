"""Hubs and servers for tests: real parts, on loopback and in temporary folders."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest

from kk_server.hub.hub import Hub
from kk_server.log import log_to, silence
from kk_server.serve.server import Server
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.hosting import PLENTY, probing

Connect = Callable[[str], Client]


@pytest.fixture
def log() -> TableLog:
    return MemoryLog()


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
