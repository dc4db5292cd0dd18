"""Subprocesses of a server: Python modules that end with it."""

from __future__ import annotations

import os
import sys


def command_of(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as a program."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return an environment in which it finds the modules that are found here."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
