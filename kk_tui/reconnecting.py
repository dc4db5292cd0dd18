"""How long one waits before one tries to connect again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import random
from typing import Final

_FIRST: Final = 1.0
_LONGEST: Final = 30.0


def pauses(chance: Callable[[], float] = random) -> Iterator[float]:
    """Seconds before each attempt, twice as many every time up to half a minute.

    A little chance is in them, so that not all come back to a server at the same moment.
    """
    pause = _FIRST
    while True:
        yield pause * (1 + chance() / 4)
        pause = min(_LONGEST, 2 * pause)
