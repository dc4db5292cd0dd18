"""Settings of servers for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.front.limits import ServerLimits
from server.settings import Settings

PLENTY = ServerLimits(
    requests_per_second=100_000,
    requests_at_once=100_000,
    keys_per_second=100_000,
    keys_at_once=100_000,
    tables_per_address=100_000,
)


def here(folder: Path, **others: Any) -> Settings:
    """A server on a free port of this machine that keeps its things in a folder."""
    return Settings(port=0, data=str(folder), **others)
