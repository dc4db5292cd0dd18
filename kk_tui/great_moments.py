"""Ceremonies at a table: what a step shows on board, stage and prompt line, and what keys do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from textual.events import Key

from kk_core.text import text
from kk_tui.ceremony import Step
from kk_tui.ceremony.player import Player
from kk_tui.ceremony.stage import Stage
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.scene import Scene
from kk_tui.screens.match import MatchScreen

_SCROLLS: Final = {"up": -1, "down": 1, "pageup": -5, "pagedown": 5}
"""By how many lines a key scrolls the lines of a scoring."""


class GreatMoments(Player):
    """Plays ceremonies over the board of a table; `show` is to `draw` a step, and what stands around it."""

    def __init__(
        self, screen: MatchScreen, show: Callable[[Step | None], None], ended: Callable[[], None]
    ) -> None:
        super().__init__(screen, show, ended)
        self._table = screen
        self._game = ""

    def leads_to(self, scene: Scene[Any], face: Face[Any]) -> bool:
        """Whether a scene has to wait for a ceremony; who waits for whom is said anew then."""
        kk, self._game = self._table.kk, render(face.meta.name)
        make = None if kk.settings.motion == "off" else face.ceremony
        waits = self.takes(scene, make, kk.client, is_timed=kk.settings.motion == "timed")
        if waits and self.step is not None:
            self._say(self.step)
        return waits

    def draw(self, step: Step | None) -> None:
        """A step over a scene that stands still; None takes it away."""
        board = self._table.board
        self._stage.play(step, board.region, self._table.side.region)
        if step is not None:
            board.show(step.scene, pending=True)
            self._say(step)
        board.highlight(step and step.mark)

    def takes_key(self, event: Key) -> bool:
        """Whether a key is for the ceremony alone; some are for the lines of a scoring that have no room."""
        lines = _SCROLLS.get(event.key) if self.is_playing else None
        return (lines is not None and self._stage.scroll(lines)) or super().takes_key(event)

    def actions(self) -> Sequence[Action]:
        """The keys that count during a step."""
        more = () if self.is_last else (Action("skip"), Action("all"))
        return (Action("do", text("go on")), *more, Action("help", minor=True))

    @property
    def _stage(self) -> Stage:
        return self._table.query_one(Stage)

    def _say(self, step: Step) -> None:
        """What a step shows; and that others wait, in the header or, where there is none, in its place."""
        table = self._table
        table.say(step.says, "$happened")
        if self._stage.hidden and step.tally is not None and step.tally.is_done:
            table.say(_("Up and down show the other lines; all stay on the score sheet."), "$happened")
        if self._others_wait():
            key = KEYS["do" if self.is_last else "skip"].shown
            words = _("It is your turn, and the others wait; {key} ends this.", key=key)
            table.title_line(words, "$possible")
            if not table.query_one("#header").display:
                table.say(words, "$possible")
        elif step.tally is not None:
            table.title_line(_("{game}  |  {status}", game=self._game, status=step.tally.title))

    def _others_wait(self) -> bool:
        """Whether others have played on behind a scoring that one takes one's time for."""
        kk = self._table.kk
        newest = kk.store.scene
        if newest is None or not newest.may_act or not self.is_waiting:
            return False
        return any(seat.owner not in (None, kk.user) for seat in newest.table.seats)
