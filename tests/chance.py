"""What the program draws in tests: numbers that follow from a test's name and from `--chance`.

The program draws by `secrets` alone: seeds of matches and bots, numbers of tables, invitations.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final
from unittest.mock import patch

VARIABLE: Final = "KK_TESTS_CHANCE"
"""Tells a process that a test starts what it draws."""


def _drawing(seed: str) -> dict[str, Any]:
    """Stand-ins for the functions of `secrets`.

    Each module has numbers of its own: what is drawn for a match does not depend on how many people came.
    """
    streams: dict[str, Random] = {}

    def stream() -> Random:
        module = sys._getframe(2).f_globals["__name__"]
        return streams.setdefault(module, Random(f"{seed} {module}"))

    return {
        "token_bytes": lambda size=32: stream().randbytes(size),
        "token_hex": lambda size=32: stream().randbytes(size).hex(),
        "choice": lambda options: stream().choice(options),
        "randbelow": lambda limit: stream().randrange(limit),
    }


@contextmanager
def seeded(seed: str) -> Iterator[None]:
    """Let all be drawn from a seed, here and in the processes that are started."""
    with patch.multiple(secrets, **_drawing(seed)), patch.dict(os.environ, {VARIABLE: seed}):
        yield


def follow() -> None:
    """Draw in this process as the test does that has started it."""
    if VARIABLE in os.environ:
        vars(secrets).update(_drawing(os.environ[VARIABLE]))
