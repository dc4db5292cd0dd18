"""How long tests wait for what must come."""

from __future__ import annotations

_times = 1.0


def patience() -> float:
    """Seconds until a test gives up; on a machine that does its work, nothing takes a tenth of it."""
    return 50 * _times


def be_patient(times: float) -> None:
    """Wait so many times as long."""
    global _times
    _times = times
