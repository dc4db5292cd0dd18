"""A place to call commands from."""

from __future__ import annotations

from pathlib import Path

import pytest


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
