"""Several people at one screen: whose view of the table it shows, and the handover to the next.

A `Hotseat` is what the table screen remembers between two scenes. For every scene it decides whether to show
the table to a viewer, hand the screen over, or do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from textual.content import Content
from textual.geometry import Region
from textual.timer import Timer
from textual.widgets import Static

from kk_core.protocol.messages import Look
from kk_core.types import Seat, Viewer
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.theme.glyphs import Glyphs

_STAYS: Final = 1.2
"""Seconds until it disappears; any key ends it earlier, and still has its usual effect."""


def seat_chip(scene: Scene[Any], seat: Seat, glyphs: Glyphs, room: int) -> Content:
    """Return sign and name of a seat on its colour; only the sign if there is no room for both."""
    sign, style = glyphs.owner(seat), f"bold $seat-ink on $seat-{seat}"
    whole = Content.styled(f" {sign} {scene.name(seat)} ", style)
    return whole if whole.cell_length <= room else Content.styled(f" {sign} ", style)


class TurnBanner(Static):
    """A name over the board when the turn passes to another person at one screen."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="banner", markup=False)
        self._glyphs = glyphs
        self._timer: Timer | None = None

    def greet(self, seat: Seat, name: str, board: Region) -> None:
        """Show a seat's name in the middle of the board for a moment."""
        self.clear()
        words = _("{sign}  {name}, it's your turn", sign=self._glyphs.owner(seat), name=name)
        line = Content(words)
        self.set_classes(f"plate seat-{seat}")
        self.update(line)
        self.styles.offset = (
            max(0, board.x + (board.width - line.cell_length - 6) // 2),
            board.y + max(0, board.height // 2 - 2),
        )
        self.display = True
        self._timer = self.set_timer(_STAYS, self.clear)

    def clear(self) -> None:
        """Hide the banner."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self.display = False


@dataclass(frozen=True)
class Situation:
    """The part of a scene that matters here: its viewer, the seats at this screen, and who can act.

    `secret` are those of `mine` whose view others must not see. `revealed` is the last ply that revealed at
    once what several had chosen in secret. `match` is different for every match at the table.
    """

    match: bytes
    viewer: Viewer
    mine: tuple[Seat, ...]
    active: tuple[Seat, ...]
    secret: frozenset[Seat] = frozenset()
    revealed: int | None = None
    is_over: bool = False

    @property
    def reveal(self) -> tuple[bytes, int] | None:
        """The last reveal, with its match."""
        return None if self.revealed is None else (self.match, self.revealed)


def situation(scene: Scene[Any], face: Face[Any], mine: tuple[Seat, ...]) -> Situation:
    """Return the relevant part of a scene for the seats at this screen."""
    return Situation(
        match=scene.match.commitment,
        viewer=scene.viewer,
        mine=mine,
        active=scene.observation.active,
        secret=frozenset(seat for seat in mine if face.holds_secrets(scene, seat)),
        revealed=face.last_reveal(scene),
        is_over=scene.is_over,
    )


@dataclass(frozen=True)
class Show:
    """Show the table to this viewer."""

    viewer: Viewer


@dataclass(frozen=True)
class HandOver:
    """Cover the table until this seat has taken over."""

    seat: Seat


Decision: TypeAlias = Show | HandOver | None


@dataclass(frozen=True)
class Hotseat:
    """The memory between two scenes; `asked` is a viewer that was requested and has not arrived.

    While `holding` is a seat, a reveal stays for all at the screen to see, and that seat takes over next.
    `seen` is the last reveal after which the screen was handed over.
    """

    asked: tuple[Viewer] | None = None
    holding: Seat | None = None
    seen: tuple[bytes, int] | None = None

    def follow(self, now: Situation) -> tuple[Hotseat, Decision]:
        """Take a new scene; return what to remember, and the decision."""
        asked = None if self.asked == (now.viewer,) else self.asked
        holding = self._next_after_reveal(now)
        wanted = next_viewer(now.active, now.mine, now.viewer) if holding is None else None
        if wanted == now.viewer and _makes_way(now):
            wanted = None
        if now.is_over or asked is not None or wanted == now.viewer:
            return replace(self, asked=asked, holding=holding), None
        here = replace(self, asked=(wanted,), holding=holding)
        # the others must look away before this seat's secrets are shown
        if wanted is not None and len(now.mine) > 1 and wanted in now.secret:
            return here, HandOver(wanted)
        return here, Show(wanted)

    def hand_over(self, now: Situation) -> tuple[Hotseat, Decision]:
        """Hand the screen to the next seat after all have seen the reveal; do nothing if there is none."""
        if self.holding is None or now.viewer is not None:
            return self, None
        return Hotseat(asked=(self.holding,), seen=now.reveal), HandOver(self.holding)

    def refused(self) -> Hotseat:
        """Forget the viewer that was requested and refused; the next scene may request again."""
        return replace(self, asked=None)

    def _next_after_reveal(self, now: Situation) -> Viewer:
        """Return the seat that chooses in secret next, while the people here look at a reveal."""
        if len(now.mine) < 2 or now.is_over or now.reveal in (None, self.seen):
            return None
        seat = next_viewer(now.active, now.mine, None)
        return seat if seat in now.secret else None


def next_viewer(active: Sequence[Seat], mine: Sequence[Seat], viewer: Viewer) -> Viewer:
    """Return the seat of `mine` that the screen should show now; `viewer` is the one it shows.

    A seat that can act keeps the screen; then comes the next one that can, in seat order; while nobody here
    can act, the screen stays. A person alone never hands it over.
    """
    if len(mine) == 1:
        return mine[0]
    able = [seat for seat in mine if seat in active]
    if not able or viewer in able:
        return viewer if viewer in mine else None
    if viewer is None:
        return able[0]
    return min(able, key=lambda seat: (seat <= viewer, seat))


def _makes_way(now: Situation) -> bool:
    """Return whether the viewer's secrets must be hidden from the next person."""
    # only if others are moving, somebody else here is next, and the viewer has nothing to do
    if len(now.mine) < 2 or now.viewer not in now.secret or not now.active:
        return False
    if not set(now.mine).isdisjoint(now.active):
        return False
    # the next person may already be looking, so the viewer's secrets must go
    return now.viewer != min(now.mine, key=lambda seat: (seat <= now.active[0], seat))


class HandingOver:
    """Carries out on a screen what its `Hotseat` decides."""

    def __init__(self, screen: KkScreen) -> None:
        self._screen = screen
        self._hotseat = Hotseat()
        self._greeted: Viewer = None  # whose turn will be announced

    @property
    def holding(self) -> Seat | None:
        """The seat that gets the screen once all have seen what was revealed."""
        return self._hotseat.holding

    @property
    def is_shared(self) -> bool:
        """True while several people play at this screen."""
        return len(self._mine) > 1

    @property
    def _mine(self) -> tuple[Seat, ...]:
        kk = self._screen.kk
        # a bot plays to the end for those who have given up; once all have, they look on from their seat
        return kk.seats_in_play or kk.my_seats[:1]

    def follow(self, scene: Scene[Any], face: Face[Any]) -> bool:
        """Take a new scene; return whether the screen is handed over now."""
        self._hotseat, decision = self._hotseat.follow(situation(scene, face, self._mine))
        self._carry_out(decision, scene)
        return isinstance(decision, HandOver)

    def hand_over(self, scene: Scene[Any], face: Face[Any]) -> None:
        """Hand the screen on after all have seen what was revealed."""
        self._hotseat, decision = self._hotseat.hand_over(situation(scene, face, self._mine))
        self._carry_out(decision, scene)

    def _carry_out(self, decision: Decision, scene: Scene[Any]) -> None:
        match decision:
            case Show(viewer):
                self._screen.work(self._look(viewer))
                self._greeted = viewer
            case HandOver(seat):
                self._screen.app.push_screen(HandoverDialog(seat, scene.name(seat)))
                if scene.viewer is not None:
                    self._screen.work(self._look(None))

    async def _look(self, viewer: Viewer) -> None:
        try:
            await self._screen.kk.request(lambda number: Look(number, viewer))
        except BaseException:
            self._hotseat = self._hotseat.refused()
            raise

    def greet(self, scene: Scene[Any], board: Region) -> None:
        """Announce in large letters for a moment whose turn it is, if several play at one screen."""
        seat, kk = scene.viewer, self._screen.kk
        if seat is not None and seat == self._greeted and scene.may_act:
            self._greeted = None
            if self.is_shared and kk.settings.motion != "off":
                self._screen.query_one(TurnBanner).greet(seat, scene.name(seat), board)
