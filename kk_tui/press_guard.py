"""Presses of keys and mouse buttons: they count only for a screen that the user has had time to see."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from kk_core.text import text

SEEN: Final = 0.4
"""Seconds that a screen must have been in front before a press is meant for it."""

BURST: Final = 0.6
"""Seconds up to which presses of one key belong together, as when somebody flips through a scoring."""

TOO_SOON: Final = text("This has only just appeared; press again to confirm.")
"""The answer to a press that was meant for the previous screen."""


class PressGuard:
    """Decides which presses are meant for the screen in front.

    A terminal reports when a key goes down, but not when it is released. So a press is meant for a screen
    that has been there for a moment, and a burst of one key for the screen that its first press was meant
    for.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since = self._burst = self._last = float("-inf")
        self._key = ""
        self._goes_on = False

    def changed(self, *, goes_on: bool = False) -> None:
        """Note that something new is in front; with `goes_on` it is the next step of the same thing."""
        self._since, self._goes_on = self._clock(), goes_on

    def press(self, key: str) -> None:
        """Note a press of a key or a mouse button."""
        now = self._clock()
        if key != self._key or now - self._last >= BURST:
            self._burst = now
        self._key, self._last = key, now

    @property
    def is_untouched(self) -> bool:
        """True if nothing has been pressed since the screen in front appeared."""
        return self._last <= self._since

    @property
    def is_meant(self) -> bool:
        """True if the last press was meant for what is in front."""
        # A burst that began earlier was meant for the previous screen, unless that continues here.
        has_been_seen = self._last >= self._since + SEEN
        return has_been_seen and (self._goes_on or self._burst >= self._since)
