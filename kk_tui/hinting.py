"""A hint at a table: asked for, shown over it, and followed from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.wire.messages import Hint
from kk_tui.advice import move_words
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.screens.hint import HintScreen
from kk_tui.screens.match import MatchScreen


class _Wish:
    """Somebody's wish for a hint: he may give it up, and have it again, while the hint is looked for."""

    def __init__(self, scene: Scene[Any] | None) -> None:
        self.scene = scene
        self.is_asking = False
        self.is_kept = True


class Hinting:
    """Keeps who waits for a hint, and where the number of one has led until something else is done there.

    `changed` is called when Enter does something else.
    """

    def __init__(self, screen: MatchScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._wish = _Wish(None)
        self._led_in: Scene[Any] | None = None
        self._move: Move | None = None
        self._is_new = False

    @property
    def is_asking(self) -> bool:
        """Whether one is looked for."""
        return self._wish.is_asking

    # -- asked for -------------------------------------------------------------------------------------------

    def ask(self, scene: Scene[Any], face: Face[Any], seat: Seat) -> None:
        """Look for one, or go on waiting for it."""
        if self._wish.is_asking and self._wish.scene is scene:
            self._wish.is_kept = True
            self._screen.say(_looked_for())
            return
        self._wish = _Wish(scene)
        self._screen.work(self._show(scene, face, seat, self._wish))

    def give_up(self) -> bool:
        """Wait for it no more; gives whether somebody did."""
        was_waiting = self._wish.is_asking and self._wish.is_kept
        self._wish.is_kept = False
        return was_waiting

    async def _show(self, scene: Scene[Any], face: Face[Any], seat: Seat, wish: _Wish) -> None:
        """Show the answer over the table; what came too late, or is wished for no more, is not shown."""
        screen = self._screen
        if scene.table.hints and scene.may_act:
            screen.say(_looked_for())
        wish.is_asking = True
        try:
            reply = await screen.kk.request(lambda number: Hint(number, seat))
        finally:
            wish.is_asking = False
        if not wish.is_kept:
            return
        now = screen.kk.store.scene
        is_covered = screen.app.screen is not screen  # a question may have come up meanwhile
        if now is None or (now.viewer, now.legal) != (seat, scene.legal) or is_covered:
            return
        screen.place_changed()
        if reply.moves:
            screen.app.push_screen(HintScreen(scene, face, seat, reply.moves, self._lead))
        elif scene.legal:
            only = move_words(scene, face, seat, min(scene.legal))
            screen.complain(text("There is no choice: an expert in your place {move}", move=only))
        else:
            screen.complain(text("There is nothing for you to choose now."))

    # -- followed --------------------------------------------------------------------------------------------

    def _lead(self, move: Move) -> None:
        """Lead the eyes to where a move is made, if it can still be made; Enter makes it."""
        board = self._screen.board
        if move in board.scene.legal:
            has_place = board.point_at(move)
            self._led_in, self._is_new = self._screen.shown, True
            self._move = None if has_place else move
            self._changed()

    def move(self, scene: Scene[Any]) -> Move | None:
        """What Enter does as a hint says, where the board has no place for it."""
        return self._move if self._led_in is scene else None

    def end(self, scene: Scene[Any]) -> None:
        """Something else is done."""
        had_move, self._led_in = self.move(scene) is not None, None
        if had_move:
            self._changed()

    def takes_number(self, scene: Scene[Any]) -> bool:
        """Whether a number may be that of the hint, pressed twice; so it is taken once."""
        is_taken = self._led_in is scene and self._is_new
        self._is_new = False
        return is_taken


def _looked_for() -> str:
    """What is said while one waits for a hint."""
    return _("A good move is being looked for.")
