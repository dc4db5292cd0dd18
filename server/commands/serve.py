"""`kk serve`: host tables for others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import platformdirs

from server.commands.own_data import check_data
from server.front import serve as front


def serve(host: str, port: int, data: Path | None, bot_processes: int | None) -> None:
    """Serve until interrupted. Raises `Usage` for faulty data files, `KkError` when it cannot start."""
    check_data()
    folder = data or platformdirs.user_data_path("kk", appauthor=False) / "server"
    asyncio.run(front.serve(host, port, folder, bot_processes=bot_processes))
