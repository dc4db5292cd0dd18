"""Sends what was chosen at a table: one thing at a time, and after a question where newcomers want one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.types import Move, Seat
from kk_core.wire.messages import Answer, ClientMessage, Play, Undo, WhyNot
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Confirm
from kk_tui.widgets.board import Board

_PATIENCE: Final = 0.15
"""Seconds after which one is shown that a move is still under way."""


class Mover:
    """Knows whether a move is under way; `changed` is called when one is shown that it is, or no longer."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._sending = False
        self._sent_at = -1  # the revision that the last move or undo was sent at

    @property
    def pending(self) -> bool:
        """Whether a move is under way: not answered, or answered but not yet seen."""
        return self._sending or self._sent_at == self._screen.kk.revision

    def play(self, scene: Scene[Any], seat: Seat, move: Move) -> None:
        """Make a move; where nothing leads back from it, newcomers are asked first."""

        def play() -> None:
            self._screen.work(self._send(lambda number: Play(number, seat, scene.match.ply, move)))

        if self._screen.kk.settings.confirm and self._screen.query_one(Board).irrevocable(move):
            question = self._question(scene, seat, move)
            self._screen.app.push_screen(Confirm(question, play, always=self._never_ask))
        else:
            play()

    def _question(self, scene: Scene[Any], seat: Seat, move: Move) -> Text:
        face = self._screen.kk.store.face
        if face is None:
            return text("Nothing leads back from this step. Go on?")
        step = face.move_words(scene, seat, move)
        return text("{step} Nothing leads back from this. Go on?", step=step)

    def _never_ask(self) -> None:
        try:
            self._screen.kk.change_settings(confirm=False)
        except KkError as error:
            self._screen.complain(error.reason)

    def undo(self, seat: Seat) -> None:
        """Take the last step back, or hear from the engine why that is not possible."""
        self._screen.work(self._send(lambda number: Undo(number, seat)))

    def explain(self, seat: Seat, move: Move) -> None:
        """Ask the engine why a move is not possible."""

        async def ask() -> None:
            answer = await self._screen.kk.request(lambda number: WhyNot(number, seat, move))
            if isinstance(answer, Answer) and answer.reason is not None:
                self._screen.complain(answer.reason)

        self._screen.work(ask())

    async def _send(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a move or an undo; until it is seen no second one is accepted."""
        self._sending, self._sent_at = True, self._screen.kk.revision
        self._screen.query_one(Board).pending = True
        slow = self._screen.set_timer(_PATIENCE, self._changed)
        try:
            await self._screen.kk.request(make)
        except BaseException:
            self._sent_at = -1
            raise
        finally:
            slow.stop()
            self._sending = False
            self._changed()
