"""Previews and sends the moves chosen at a table, one at a time; asks for confirmation where it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from textual.timer import Timer

from kk_core.errors import KkError
from kk_core.protocol.messages import Answer, ClientMessage, Play, Preview, Undo, WhyNot
from kk_core.text import Text, text
from kk_core.types import Ends, Move, Seat, Sheet
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.board import Board

_REST: Final = 0.15
"""Seconds for which the cursor must stand still before a preview is requested."""


class Previewer:
    """Keeps the preview of one move at one revision; `changed` is called when it changes."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._about: tuple[int, Seat, Move] | None = None
        self._timer: Timer | None = None
        self.sheet: Sheet | None = None
        """The score sheet after the move; None while unknown or impossible."""
        self.ends: Ends | None = None
        """The end that the move would bring for good; None while unknown."""

    def consider(self, seat: Seat | None, move: Move | None) -> None:
        """Request the preview of the move under the cursor, or drop it with None."""
        about = None if seat is None or move is None else (self._screen.kk.revision, seat, move)
        if about == self._about:
            return
        self._about, self.sheet, self.ends = about, None, None
        if self._timer is not None:
            self._timer.stop()
        self._timer = None if about is None else self._screen.set_timer(_REST, self._look)

    def _look(self) -> None:
        if self._about is not None:
            self._screen.run_worker(self._answer(self._about), group="preview", exclusive=True)

    async def _answer(self, about: tuple[int, Seat, Move]) -> None:
        _revision, seat, move = about
        with suppress(KkError):  # what is no longer possible changes nothing
            reply = await self._screen.kk.request(lambda number: Preview(number, seat, move))
            if about == self._about:
                self.sheet, self.ends = reply.sheet, reply.ends
                self._changed()

    def known(self, seat: Seat, move: Move) -> Ends | None:
        """Return what a move ends, if it has been asked for already."""
        return self.ends if self._about == (self._screen.kk.revision, seat, move) else None


_PATIENCE: Final = 0.15
"""Seconds after which a move is shown to be under way."""

LOSSES: Final[dict[Ends, Text]] = {
    "choice": text("It counts as soon as all have chosen"),
    "secret": text("Nothing leads back from it"),
    "turn": text("It ends your turn"),
}
"""The prompt's words for a loss by a step."""


class Asked(NamedTuple):
    """A move that waits for confirmation, and what it ends."""

    seat: Seat
    move: Move
    ends: Ends


class Mover:
    """Sends moves; `changed` is called when it shows that one is under way, or that none is any more.

    A step that ends something has to be chosen twice if the settings want it, unless it was laid out on the
    board before. The engine says what it ends: `previewer` may have asked already.
    """

    def __init__(self, screen: KkScreen, changed: Callable[[], None], previewer: Previewer) -> None:
        self._screen = screen
        self._changed = changed
        self._previewer = previewer
        self._sending = False
        self._sent_at = -1  # the revision that the last move or undo was sent at
        self._wishes = 0
        self.asked: Asked | None = None
        """The move that is made when it is chosen once more."""

    @property
    def pending(self) -> bool:
        """True while a move is under way: not answered, or answered but not yet seen."""
        return self._sending or self._sent_at == self._screen.kk.revision

    def play(self, scene: Scene[Any], seat: Seat, move: Move, *, is_laid_out: bool = False) -> None:
        """Make a move, or ask for confirmation."""
        # `forget` clears `asked`: read it first
        is_sure = is_laid_out or (self.asked is not None and self.asked[:2] == (seat, move))
        # a step without an alternative needs no confirmation
        is_forced = len(scene.legal) == 1 and not scene.match.may_undo
        self.forget()
        if is_sure or is_forced or not self._screen.kk.settings.confirm:
            self._screen.work(self._play(scene, seat, move))
        else:
            self._screen.work(self._play_or_ask(scene, seat, move, self._wishes))

    def forget(self) -> bool:
        """Forget a move that waits for confirmation; return whether there was one."""
        was_asked, self.asked = self.asked is not None, None
        # an answer to a wish that came before is dropped
        self._wishes += 1
        if was_asked:
            self._screen.show_keys()
        return was_asked

    async def _play(self, scene: Scene[Any], seat: Seat, move: Move) -> None:
        await self._send(lambda number: Play(number, seat, scene.match.ply, move))

    async def _play_or_ask(self, scene: Scene[Any], seat: Seat, move: Move, wish: int) -> None:
        ends = self._previewer.known(seat, move)
        if ends is None:
            ends = (await self._screen.kk.request(lambda number: Preview(number, seat, move))).ends
        if wish != self._wishes or not self._screen.is_alive:
            return
        if ends == "nothing":
            await self._play(scene, seat, move)
            return
        board = self._screen.query_one(Board)
        with board.prevent(Board.Cursor):  # to where it is made, if it has a place: it is not another choice
            board.point_at(move)
        self.asked = Asked(seat, move, ends)
        self._changed()

    def undo(self, seat: Seat) -> None:
        """Take the last step back; the engine says why if it cannot be."""
        self.forget()
        self._screen.work(self._send(lambda number: Undo(number, seat)))

    def explain(self, seat: Seat, move: Move) -> None:
        """Ask the engine why a move is not possible, and say so unless something else is done meanwhile."""

        async def ask(wish: int) -> None:
            answer = await self._screen.kk.request(lambda number: WhyNot(number, seat, move))
            if isinstance(answer, Answer) and answer.reason is not None and wish == self._wishes:
                self._screen.complain(answer.reason)

        self.forget()
        self._screen.work(ask(self._wishes))

    async def _send(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a move or an undo; until it is seen no second one is accepted."""
        self._sending, self._sent_at = True, self._screen.kk.revision
        self._screen.query_one(Board).pending = True
        # an answer that comes at once changes nothing on the screen in between
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
