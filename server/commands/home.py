"""The tables of one person at home: kept in a folder of the user's, or in memory where that cannot be."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Final

import platformdirs

from kk_core.text import Text, text, texts
from kk_core.wire.link import ClientLink
from kk_tui.app import Connect
from kk_tui.keeping import Keeping
from server.hub.hub import Hub
from server.hub.limits import Limits
from server.hub.times import Times
from server.storage.database import DATABASE
from server.storage.folder import hold_folder
from server.storage.forgiving import ForgivingLog
from server.storage.sqlite import open_log
from server.storage.summaries import PLAYING
from server.storage.table_log import TableLog

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
async def home_hub(
    folder: Path, bot_processes: int | None = None, keeping: Keeping | None = None
) -> AsyncIterator[Hub]:
    """The hub at home, with the matches of before; `keeping` is told while what is played is not kept."""
    kept_in, keeping = _Folder(folder), keeping or Keeping()
    log = ForgivingLog(kept_in.open, keeping.tell)
    keeping.unkept = log.unkept
    await log.open()
    hub = Hub(log, bot_processes=bot_processes, hints=True, limits=_LIMITS, times=_TIMES)
    try:
        await hub.load()
        await hub.shelf.settled()
        await _tidy(hub)
        if hub.left_out:
            hub.sessions.announce(_left_out(hub.left_out))
        yield hub
    finally:
        await hub.close()
        kept_in.let_go()


def connector(hub: Hub) -> Connect:
    """What opens a link to the hub at home."""

    async def connect() -> ClientLink:
        return hub.connect(USER)

    return connect


class _Folder:
    """The folder of a person's matches: held from when it can be, and the log in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None

    async def open(self) -> TableLog:
        """Hold the folder, and open its log. Raises `KkError`."""
        if self._lock is None:
            self._lock = hold_folder(self._path, text("another kk is open on this machine."))
        return await open_log(self._path / DATABASE)

    def let_go(self) -> None:
        """Leave the folder to others."""
        if self._lock is not None:
            os.close(self._lock)


async def _tidy(hub: Hub) -> None:
    """Close what nobody can go on with: tables whose match has ended, or has never begun."""
    for table, summary in list(hub.shelf.summaries()):
        if summary.phase != PLAYING:
            await hub.close_table(USER, table)


def _left_out(n: int) -> Text:
    return texts("{n} match cannot be read any more and is left out.",
                 "{n} matches cannot be read any more and are left out.", n)  # fmt: skip
