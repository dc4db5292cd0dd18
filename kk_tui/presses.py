"""What is in front of somebody's eyes, and since when: a press counts only for what they could see."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from kk_core.text import text

SEEN: Final = 0.4
"""Seconds that something has to stand there before a press is meant for it."""

BURST: Final = 0.6
"""Seconds between two presses of the same key that belong together, as when one leafs through a scoring."""

TOO_SOON: Final = text("This has only just come up; once more, if you mean it.")
"""The answer to a press that was meant for what was there before."""


class Presses:
    """Knows which presses were meant for what is in front now.

    A terminal tells when a key goes down, and nothing of when it is let go of. So a press is meant for what
    has been there for a moment, and presses of one key in a row for what the first of them was meant for.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since = self._burst = self._last = float("-inf")
        self._key = ""
        self._goes_on = False

    def changed(self, *, goes_on: bool = False) -> None:
        """Something new is in front; with `goes_on` it is the next thing of what one is just doing."""
        self._since, self._goes_on = self._clock(), goes_on

    def press(self, key: str) -> None:
        """A key goes down, or a button of the mouse."""
        now = self._clock()
        if key != self._key or now - self._last >= BURST:
            self._burst = now
        self._key, self._last = key, now

    @property
    def is_meant(self) -> bool:
        """Whether the last press was meant for what is in front."""
        has_been_seen = self._last >= self._since + SEEN
        return has_been_seen and (self._goes_on or self._burst >= self._since)
