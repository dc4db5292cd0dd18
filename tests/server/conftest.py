"""Hubs and servers for tests: real parts, on loopback and in temporary folders."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from server.front.serve import Server, start
from server.hub.hub import Hub
from server.storage.memory import MemoryLog
from server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe

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
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0), make_probe)
    yield server
    await server.close()
