"""A place to call commands from."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.commands.robots import call_back


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A plain terminal and a home of its own; what is kept there is in the folder `kk`."""
    return {
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "USER": "anna",
        "LOGNAME": "anna",
    }


@pytest.fixture
def usual_interrupts() -> Iterator[None]:
    """Ctrl+C does what it does at a terminal: who runs tests in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
async def robots_come_back() -> AsyncIterator[None]:
    """No program that was sent to a server outlives its test."""
    yield
    await call_back()
