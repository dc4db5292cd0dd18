"""Counters of a server, incremented where things happen; `kk_server.serve.metrics` exports them."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final

STEPS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds of a histogram's buckets, in seconds."""


@dataclass
class Histogram:
    """The number of durations in each bucket of `STEPS` and above, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(STEPS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Add one duration."""
        self.counts[bisect_left(STEPS, seconds)] += 1
        self.total += seconds

    def __add__(self, other: Histogram) -> Histogram:
        """Return the sum of both."""
        counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]
        return Histogram(counts, self.total + other.total)


@dataclass
class Counts:
    """Counters since the start of a process."""

    moves: int = 0
    delta_bytes: int = 0
    frame_bytes: int = 0
    dropped_frames: int = 0
    dropped_keys: int = 0
    """Number of times that keys were dropped."""
    refused_logins: int = 0
    key_to_paint: Histogram = field(default_factory=Histogram)
    loop_lag: Histogram = field(default_factory=Histogram)

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of both."""
        return Counts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def all_of(parts: Iterable[Counts]) -> Counts:
    """Return the sum of all."""
    return sum(parts, Counts())


counts: Final = Counts()
"""The counters of this process."""


_LOOK: Final = 0.25
"""Seconds between two measurements."""


async def watch_lag() -> None:
    """Measure how late the event loop is, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LOOK
        await asyncio.sleep(_LOOK)
        counts.loop_lag.add(max(0.0, loop.time() - due))
