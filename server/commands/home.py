"""The tables of one person at home: kept in a folder of the user's, or in memory where that cannot be."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Final

import platformdirs

from kk_core.errors import KkError
from kk_core.text import Text, text, texts
from kk_core.wire.link import ClientLink
from kk_tui.app import Connect
from server.hub.hub import Hub
from server.hub.limits import Limits
from server.hub.times import Times
from server.storage.database import DATABASE
from server.storage.folder import FolderNotHeld, hold_folder
from server.storage.forgiving import ForgivingLog
from server.storage.memory import MemoryLog
from server.storage.sqlite import open_log
from server.storage.summaries import PLAYING
from server.storage.table_log import TableLog, told_host

USER: Final = "home"
"""As whom the person at home uses the hub."""

_LIMITS: Final = Limits(tables=10_000, tables_per_user=10_000, analyses_at_once=10_000)
"""Nobody else is here to be protected."""


_TIMES: Final = Times(empty=inf, unplayed=inf)
"""A match at home waits for ever."""


def data_folder() -> Path:
    """Where matches and records are kept."""
    return platformdirs.user_data_path("kk", appauthor=False)


@asynccontextmanager
async def home_hub(folder: Path, bot_processes: int | None = None) -> AsyncIterator[Hub]:
    """The hub at home, with the matches of before; it says by a notice what is not kept, and why."""
    held: list[int] = []
    log, fault = await _open(folder, held)
    forgiving = ForgivingLog(log, lambda reason: hub.sessions.announce(_not_kept(reason)))
    hub = Hub(forgiving, bot_processes=bot_processes, hints=True, limits=_LIMITS, times=_TIMES)
    if fault is not None:
        hub.sessions.announce(fault)
    try:
        await hub.load()
        await hub.shelf.settled()
        await _tidy(hub)
        if hub.left_out:
            hub.sessions.announce(_left_out(hub.left_out))
        yield hub
    finally:
        await hub.close()
        for lock in held:
            os.close(lock)


def connector(hub: Hub) -> Connect:
    """What opens a link to the hub at home."""

    async def connect() -> ClientLink:
        return hub.connect(USER)

    return connect


async def _open(folder: Path, held: list[int]) -> tuple[TableLog, Text | None]:
    """The log of the folder, or one in memory and the reason; a lock that was taken is added to `held`."""
    busy = text("Another kk is open on this machine: what is played in this window is not kept.")
    try:
        held.append(hold_folder(folder, busy))
        return await open_log(folder / DATABASE), None
    except FolderNotHeld as error:
        return MemoryLog(), error.reason if error.reason is busy else _not_kept(error.reason)
    except KkError as error:
        return MemoryLog(), _not_kept(told_host(error))


async def _tidy(hub: Hub) -> None:
    """Close what nobody can go on with: tables whose match has ended, or has never begun."""
    for table, summary in list(hub.shelf.summaries()):
        if summary.phase != PLAYING:
            await hub.close_table(USER, table)


def _not_kept(reason: Text) -> Text:
    return text("What is played now is not kept: {reason}", reason=reason)


def _left_out(n: int) -> Text:
    return texts("{n} match cannot be read any more and is left out.",
                 "{n} matches cannot be read any more and are left out.", n)  # fmt: skip
