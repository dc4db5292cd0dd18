"""A hub in this process and the app on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from kk_core.wire.link import ClientLink
from kk_tui.app import KkApp
from kk_tui.widgets.bars import Line
from server.hub.hub import Hub
from server.storage.memory import MemoryLog
from tests.tui.plain import PlainFace

Running = Pilot[None]


async def until(pilot: Running, condition: Callable[[], Any]) -> None:
    """Wait until something is so; the suite's own timeout is the limit."""
    for _ in range(400):
        await pilot.pause()
        if condition():
            return
    raise AssertionError(f"never came true; the screen is {pilot.app.screen!r}")


def shown(app: KkApp, name: str) -> str:
    """The words of a line of the screen in front."""
    return str(app.screen.query_one(f"#{name}", Line).content)


class Stage:
    """Starts apps on one hub."""

    def __init__(self, hub: Hub, records: Path) -> None:
        self.hub = hub
        self.records = records

    @asynccontextmanager
    async def play(
        self,
        user: str = "anna",
        *,
        local: bool = True,
        secrets: bool = False,
        size: tuple[int, int] = (80, 24),
        **more: Any,
    ) -> AsyncIterator[tuple[KkApp, Running]]:
        """An app of a user, connected and showing its first screen."""

        async def connect() -> ClientLink:
            return self.hub.connect(user)

        faces = {"land_cards": PlainFace(secrets=secrets)}
        app = KkApp(connect, local=local, **{"records": self.records, "games": faces, **more})
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.store.lobby is not None and app.user)
            yield app, pilot


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """A fresh hub whose bots do not pause."""
    hub = Hub(MemoryLog(), bot_pause=0)
    await hub.load()
    yield Stage(hub, tmp_path / "records")
    await hub.close()
