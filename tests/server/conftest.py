"""Hubs and servers for tests: real parts, on loopback and in temporary folders."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from server.front.serve import Server, start
from server.hub.hub import Hub
from server.hub.limits import Limits
from server.storage.memory import MemoryLog
from server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.probe import make_probe

PLENTY = Limits(requests_per_second=100_000, burst=100_000)

Connect = Callable[[str], Client]


@pytest.fixture
def log() -> TableLog:
    return MemoryLog()


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
    server = await start("127.0.0.1", 0, tmp_path, make_app=make_probe, limits=PLENTY, bot_pause=0)
    yield server
    await server.close()
