"""What a server has done so far, counted where it happens; `kk_server.serve.metrics` shows it."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final

STEPS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds that times are sorted by."""


@dataclass
class Histogram:
    """How many times took at most so many seconds as each of `STEPS`, or longer, and all of them together."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(STEPS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(STEPS, seconds)] += 1
        self.total += seconds

    def __add__(self, other: Histogram) -> Histogram:
        """Both together."""
        counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]
        return Histogram(counts, self.total + other.total)


@dataclass
class Counts:
    """Counted since the process began."""

    moves: int = 0
    delta_bytes: int = 0
    frame_bytes: int = 0
    dropped_frames: int = 0
    dropped_keys: int = 0
    """How many times keys were dropped."""
    refused_logins: int = 0
    key_to_paint: Histogram = field(default_factory=Histogram)
    loop_lag: Histogram = field(default_factory=Histogram)

    def __add__(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def all_of(parts: Iterable[Counts]) -> Counts:
    """All together."""
    return sum(parts, Counts())


counts: Final = Counts()
"""Those of this process."""


_LOOK: Final = 0.25
"""Seconds between two looks."""


async def watch_lag() -> None:
    """Count how late it is, until this is cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LOOK
        await asyncio.sleep(_LOOK)
        counts.loop_lag.add(max(0.0, loop.time() - due))
