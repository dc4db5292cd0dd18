"""Several people at one screen: the table is shown through the right eyes, and handed over."""

from __future__ import annotations

from typing import Any

from textual.geometry import Region

from kk_core.types import Seat, Viewer
from kk_core.wire.messages import Look
from kk_tui.games import Face
from kk_tui.hotseat import Decision, HandOver, Hotseat, Show, situation
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Handover
from kk_tui.widgets.banner import TurnBanner


class HandingOver:
    """Does on a screen what its `Hotseat` decides."""

    def __init__(self, screen: KkScreen) -> None:
        self._screen = screen
        self._hotseat = Hotseat()
        self._greeted: Viewer = None  # whose turn is to be told

    @property
    def holding(self) -> Seat | None:
        """To whom the screen goes as soon as all have seen what was revealed."""
        return self._hotseat.holding

    def follow(self, scene: Scene[Any], face: Face[Any]) -> bool:
        """Take a new scene in; tells whether the screen is handed over now."""
        self._hotseat, decision = self._hotseat.follow(situation(scene, face, self._screen.kk.my_seats))
        self._carry_out(decision, scene)
        return isinstance(decision, HandOver)

    def hand_over(self, scene: Scene[Any], face: Face[Any]) -> None:
        """All have seen what was revealed."""
        self._hotseat, decision = self._hotseat.hand_over(situation(scene, face, self._screen.kk.my_seats))
        self._carry_out(decision, scene)

    def _carry_out(self, decision: Decision, scene: Scene[Any]) -> None:
        match decision:
            case Show(viewer):
                self._screen.work(self._look(viewer))
                self._greeted = viewer
            case HandOver(seat):
                self._screen.app.push_screen(Handover(seat, scene.name(seat)))
                if scene.viewer is not None:
                    self._screen.work(self._look(None))

    async def _look(self, viewer: Viewer) -> None:
        try:
            await self._screen.kk.request(lambda number: Look(number, viewer))
        except BaseException:
            self._hotseat = self._hotseat.refused()
            raise

    def greet(self, scene: Scene[Any], board: Region) -> None:
        """At one screen with others: whose turn it is now, large and for a moment, over the board."""
        seat, kk = scene.viewer, self._screen.kk
        if seat is not None and seat == self._greeted and scene.may_act:
            self._greeted = None
            if len(kk.my_seats) > 1 and kk.settings.motion != "off":
                self._screen.query_one(TurnBanner).greet(seat, scene.name(seat), board)
