"""How much one user, and all of them together, may ask of a hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic

from kk_core.errors import KkError


class LimitReached(KkError):
    """More than this hub gives; nothing has changed."""


@dataclass(frozen=True)
class Limits:
    """The limits of a hub; the defaults leave people at a table plenty of room."""

    tables: int = 500
    """Tables that are open or at play, all together."""

    tables_per_user: int = 8
    """Tables that are open or at play and were opened by one user."""

    requests_per_second: float = 50.0
    """Requests of one session in the long run."""

    burst: int = 500
    """Requests that one session may make at once."""

    lines_per_second: float = 0.5
    """Lines, proposals and invitations of one user in the long run."""

    lines_at_once: int = 6
    """Lines, proposals and invitations of one user at once."""

    patience: float = 30.0
    """Seconds that a message may wait for a session that does not read."""


class TokenBucket:
    """A bucket that fills steadily and from which every request takes a token."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def take(self) -> bool:
        """Whether one more request fits now."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def is_full(self) -> bool:
        """Whether nothing was taken, or long ago."""
        self._fill()
        return self._tokens >= self._burst

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now


class TokenBuckets:
    """A bucket for each of those who ask, by a name; full ones are forgotten."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._new = partial(TokenBucket, per_second, burst, clock)
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, name: str) -> bool:
        """Whether one more request of somebody fits now."""
        self._buckets = {other: bucket for other, bucket in self._buckets.items() if not bucket.is_full()}
        return self._buckets.setdefault(name, self._new()).take()
