"""Shows of a step what its scene does not: motion, if terminal and loop keep up, and announcements."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

from textual.content import Content

from kk_core.text import texts
from kk_core.types import Seat, totals
from kk_tui.games import Face
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MOST, MotionFrame

SECONDS: Final = (0.12, 0.12, 0.2)
"""Seconds for which each frame is shown."""

APART: Final = sum(SECONDS)
"""Minimum seconds between two steps for the second to be animated."""

_LATE: Final = 0.05
"""Seconds by which a timer is late if the loop has too much to do."""

_STYLE: Final = "bold $happened"


class MotionPlayer:
    """Plays frames, and watches whether output arrives in time; `show` draws a frame, or None to clear it.

    A scene is shown complete along with the first frame, and nothing waits for the last one. No timer runs
    afterwards. A user who is behind sees no motion until, a moment after something was drawn, all of it has
    been received.
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
        """True if the settings of both the user and the host allow motion."""
        return self._screen.kk.settings.motion != "off" and self._screen.kk.has_motion

    def begin(self, before: Scene[Any], now: Scene[Any], face: Face[Any]) -> None:
        """Begin the motion from one scene to the next, which is being drawn, if it can be seen."""
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
        # a motion goes on where it is, whoever comes or goes meanwhile
        if not (self.is_playing or self._keeps_up) and self._timer is None:
            self._look_after(SECONDS[0])

    def pass_over(self) -> None:
        """Show the next step without motion, since the user has just skipped something else."""
        self._stepped_at = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Show everything at rest."""
        if self.is_playing:
            self.stop()
            self._show(None)

    def stop(self) -> None:
        """Skip the rest of the frames, and draw nothing."""
        self._frames = ()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _go_to(self, at: int) -> None:
        self._at = at
        # before it is drawn, so that a slow terminal makes the check late
        self._look_after(SECONDS[at])
        self._show(self._frames[at])

    def _look_after(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        self._timer = loop.call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        """Check whether all output has arrived; if so show the next frame, otherwise everything at rest."""
        self._timer = None
        is_late = asyncio.get_running_loop().time() > due + _LATE
        self._keeps_up = self._screen.kk.keeps_up and not is_late
        if self._keeps_up and self._at + 1 < len(self._frames):
            self._go_to(self._at + 1)
        else:
            self.end()


class Announcer:
    """Remembers who was the last to lead alone, which may be several steps ago."""

    def __init__(self) -> None:
        self._match = b""
        self._leader: Seat | None = None

    def follow(
        self, before: Scene[Any], now: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int
    ) -> Content | None:
        """Return the announcement for a new scene, as much as fits; None without one."""
        led = self._leader if self._match == now.match.commitment else leader(before)
        self._match, leads = now.match.commitment, leader(now)
        self._leader = led if leads is None else leads
        if now.is_over or now.match.ply <= before.match.ply:
            return None
        said = [Content.styled(render(each), _STYLE) for each in face.announcements(before, now)]
        if led is not None and leads is not None and leads != led:
            said.append(_taken(now, leads, glyphs))
        fitting = [n for n in range(1, len(said) + 1) if _joined(said[:n]).cell_length <= width]
        return _joined(said[: max(fitting, default=1)]) if said else None


def _taken(now: Scene[Any], seat: Seat, glyphs: Glyphs) -> Content:
    """Return who leads now, and by how much."""
    most, *others = sorted(totals(now.standing), reverse=True)
    lead = most - max(others, default=0)
    is_own = seat == now.viewer and not (now.is_through_other_eyes or now.shares_screen)
    own = texts(
        "As things stand, you take the lead by {n} point",
        "As things stand, you take the lead by {n} points",
        lead,
    )
    told = own if is_own else texts(
        "As things stand, {name} takes the lead by {n} point",
        "As things stand, {name} takes the lead by {n} points",
        lead, name=now.name(seat),
    )  # fmt: skip
    return Content.assemble((f"{glyphs.owner(seat)} ", f"bold $seat-{seat}"), (render(told), _STYLE))


def _joined(said: Sequence[Content]) -> Content:
    return Content.styled("  |  ", "$ink-dim").join(said)


def leader(scene: Scene[Any]) -> Seat | None:
    """Return who alone has the most points as things stand, as far as the viewer knows; else None."""
    points = totals(scene.standing)
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None
