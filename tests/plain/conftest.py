"""A hub at home, and somebody who reads its lines."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from tests.plain.script import Script
from tests.server.hosting import PLENTY


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    limits = replace(PLENTY, lines_per_second=100_000, lines_at_once=100_000)
    hub = Hub(MemoryLog(), bot_pause=0, limits=limits, hints=True)
    yield hub
    await hub.close()


@pytest.fixture
async def anna(hub: Hub) -> AsyncIterator[Script]:
    anna = Script(hub)
    await anna.begin()
    yield anna
    await anna.end()
