"""The lateness of a server's loops, as its metrics count it, and of the driver's own loop."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Collection, Iterator, Mapping
from typing import Final
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

_PLACES: Final = {"kk_loop_lag_seconds": "hub", "kk_worker_loop_lag_seconds": "worker"}

Lateness = Mapping[tuple[str, float], float]
"""The number of samples in which a process found its loop late by at most a number of seconds."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def lateness(port: int) -> Lateness:
    """Return the counts so far."""
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        return dict(_counted(answer.read().decode()))


def _counted(told: str) -> Iterator[tuple[tuple[str, float], float]]:
    for family in text_string_to_metric_families(told):
        for sample in family.samples if family.name in _PLACES else ():
            if "le" in sample.labels and sample.labels.get("worker") != "ended":
                process = f"{_PLACES[family.name]}{sample.labels.get('worker', '')}"
                yield (process, float(sample.labels["le"])), sample.value


def latest(before: Lateness, after: Lateness) -> str:
    """Return the milliseconds by which each process was late at most in 99 of 100 samples in between."""
    between = {key: after[key] - before.get(key, 0) for key in after}
    words = []
    for process in sorted({process for process, _ in between}):
        steps = {step: count for (whose, step), count in between.items() if whose == process}
        total = max(steps.values())
        least = min(step for step, count in steps.items() if count >= 0.99 * total)
        words.append(f"{process} {1000 * least:.0f}")
    return ", ".join(words)


def within(share: float, times: Collection[float]) -> float:
    """Return the milliseconds that a share of the times took at most; nan without any times."""
    if not times:
        return math.nan
    return 1000 * sorted(times)[min(len(times) - 1, int(len(times) * share))]


_LOOK: Final = 0.02
"""Seconds between two samples of the driver's own loop."""


async def watch_own(late: list[float]) -> None:
    """Record how late the loop of this process is, in seconds, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LOOK
        await asyncio.sleep(_LOOK)
        late.append(loop.time() - due)
