"""`kk play`: tables of one's own, in this process, with nobody else there."""

from __future__ import annotations

import asyncio

from kk_core.wire.link import ClientLink
from server import log
from server.commands.fullscreen import home_app, need_terminal, run
from server.hub.hub import Hub
from server.storage.memory import MemoryLog


def play() -> None:
    """Play at this keyboard. Raises `Usage` without a terminal."""
    need_terminal()
    log.silence()  # the screen belongs to the game
    asyncio.run(_play())


async def _play() -> None:
    hub = Hub(MemoryLog())
    await hub.load()

    async def connect() -> ClientLink:
        return hub.connect("home")

    try:
        await run(home_app(connect, local=True))
    finally:
        await hub.close()
