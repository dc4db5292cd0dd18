"""Plays the motion of a step on a screen, where terminal and loop keep up; no timer runs afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

from kk_tui.games import Face
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.motion import MOST, MotionFrame

SECONDS: Final = (0.12, 0.12, 0.2)
"""Seconds for which each frame stands."""

APART: Final = sum(SECONDS)
"""Seconds from one step to the next, at least, where the next one is to be seen moving."""

_LATE: Final = 0.05
"""Seconds by which a timer is late if the loop has more to do than it can."""


class MotionPlayer:
    """Plays frames, and watches whether what is sent arrives in time; `show` draws a frame, or None of them.

    A scene is shown as a whole together with the first frame, and nothing waits for the last one. Whoever is
    late sees no motion until, a moment after something was drawn, all of it has been taken.
    """

    def __init__(self, screen: KkScreen, show: Callable[[MotionFrame | None], None]) -> None:
        self._screen = screen
        self._show = show
        self._frames: Sequence[MotionFrame] = ()
        self._at = 0
        self._timer: asyncio.TimerHandle | None = None
        self._keeps_up = False
        self._stepped_at = -inf

    @property
    def is_playing(self) -> bool:
        """True while a frame is shown."""
        return bool(self._frames)

    @property
    def is_wanted(self) -> bool:
        """True where the settings of the user and of the host allow motion."""
        return self._screen.kk.settings.motion != "off" and self._screen.kk.has_motion

    def begin(self, before: Scene[Any], now: Scene[Any], face: Face[Any]) -> None:
        """Begin the motion between two scenes, the second of which is being drawn, if it can be seen."""
        if not self.is_wanted or now.is_over or not self._screen.is_current:
            return
        time = asyncio.get_running_loop().time()
        is_same = now.match.commitment == before.match.commitment
        if is_same and now.match.ply > before.match.ply:
            is_apart, self._stepped_at = time >= self._stepped_at + APART, time
            if self._keeps_up and is_apart:
                self._frames = face.motion(before, now, self._screen.kk.glyphs)[:MOST]
        if self.is_playing:
            self._go_to(0)
        elif not self._keeps_up and self._timer is None:
            self._look_after(SECONDS[0])

    def pass_over(self) -> None:
        """Only show a step that comes now: whoever has just ended something else does not wait for it."""
        self._stepped_at = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Show all at rest."""
        if self.is_playing:
            self.stop()
            self._show(None)

    def stop(self) -> None:
        """Leave out the rest of the frames, and draw nothing."""
        self._frames = ()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _go_to(self, at: int) -> None:
        self._at = at
        # before it is drawn: a terminal that takes long makes the look late
        self._look_after(SECONDS[at])
        self._show(self._frames[at])

    def _look_after(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        self._timer = loop.call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        """See whether all that was drawn has arrived; show the next frame if so, or else all at rest."""
        self._timer = None
        is_late = asyncio.get_running_loop().time() > due + _LATE
        self._keeps_up = self._screen.kk.keeps_up and not is_late
        if self._keeps_up and self._at + 1 < len(self._frames):
            self._go_to(self._at + 1)
        else:
            self.end()
