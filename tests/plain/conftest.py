"""A hub at home, and somebody who reads its lines."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from tests.plain.script import Script
from tests.server.hosting import PLENTY


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, hints=True)
    yield hub
    await hub.close()


@pytest.fixture
async def anna(hub: Hub) -> AsyncIterator[Script]:
    anna = Script(hub)
    await anna.begin()
    yield anna
    await anna.end()
