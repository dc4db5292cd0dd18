"""Previews and sends the moves chosen at a table, one at a time; asks for confirmation if wanted.

The coach asks about a move that is a serious mistake, the settings about a step that cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from textual.timer import Timer

from kk_core.errors import KkError
from kk_core.protocol.messages import Answer, ClientMessage, Play, Preview, Undo, Weigh, Weighed, WhyNot
from kk_core.text import Text, text
from kk_core.types import Ends, Move, Seat, Sheet
from kk_tui.i18n import _
from kk_tui.match.screen import MatchScreen
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.table.advice import InVain, Verdict, spoken_against
from kk_tui.widgets.board import Board

_REST: Final = 0.15
"""Seconds that the cursor must stand still before a preview is requested."""


class Effect(NamedTuple):
    """The effect of a move: what it ends, and whether it shows its own player something new."""

    ends: Ends
    is_news: bool


class Previewer:
    """Keeps the preview of one move at one revision; `changed` is called when it changes."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._about: tuple[int, Seat, Move] | None = None
        self._timer: Timer | None = None
        self.sheet: Sheet | None = None
        """The score sheet after the move; None while unknown or impossible."""
        self.wanted: tuple[int, ...] = ()
        """What each seat would gain by the move, if several choose at once."""
        self.ends: Ends | None = None
        """What the move would end for good; None while unknown."""
        self._is_news = False

    def consider(self, seat: Seat | None, move: Move | None) -> None:
        """Request the preview of the move under the cursor; None drops it."""
        about = None if seat is None or move is None else (self._screen.kk.revision, seat, move)
        if about == self._about:
            return
        self._about, self.sheet, self.ends, self.wanted = about, None, None, ()
        if self._timer is not None:
            self._timer.stop()
        self._timer = None if about is None else self._screen.set_timer(_REST, self._look)

    @property
    def is_settled(self) -> bool:
        """True unless the preview of a move is still to come."""
        return self._about is None or self.ends is not None

    def _look(self) -> None:
        if self._about is not None:
            self._screen.run_worker(self._answer(self._about), group="preview", exclusive=True)

    async def _answer(self, about: tuple[int, Seat, Move]) -> None:
        _revision, seat, move = about
        with suppress(KkError):  # the move may no longer be possible
            reply = await self._screen.kk.request(lambda number: Preview(number, seat, move))
            if about == self._about and self._screen.is_alive:
                self.sheet, self.ends, self.wanted = reply.sheet, reply.ends, reply.wanted
                self._is_news = reply.shows
                self._changed()

    async def ask(self, seat: Seat, move: Move) -> Effect:
        """Return what a move ends, from the engine unless that is known already."""
        if self.ends is not None and self._about == (self._screen.kk.revision, seat, move):
            return Effect(self.ends, self._is_news)
        reply = await self._screen.kk.request(lambda number: Preview(number, seat, move))
        return Effect(reply.ends, reply.shows)


class MoveCoach:
    """The coach of those at this screen who have chosen it: it speaks of a costly move before it is made.

    Of the same move in the same position it always says the same, so that its silence can be relied on, too.
    """

    def __init__(self, screen: MatchScreen) -> None:
        self._screen = screen

    def looks_at(self, scene: Scene[Any], seat: Seat) -> bool:
        """Return whether a move of a seat is weighed before it is made."""
        return len(scene.legal) > 1 and self.is_of(scene, seat)

    def is_of(self, scene: Scene[Any], seat: Seat) -> bool:
        """Return whether whoever has a seat plays with the coach."""
        return scene.table.hints and scene.name(seat) in self._screen.kk.recent.kept.coached

    async def weigh(self, scene: Scene[Any], seat: Seat, move: Move) -> Verdict | InVain | None:
        """Return what speaks against a move; None if nothing does, or it cannot be found out."""
        try:
            reply: Weighed = await self._screen.kk.request(
                lambda number: Weigh(number, seat, scene.match.ply, move)
            )
        except KkError:
            # a failing coach must not block the move; if the move itself is illegal, making it will say so
            return None
        return spoken_against(reply.point, scene, self._screen.face, move)


_PATIENCE: Final = 0.15
"""Seconds after which a move is shown as being sent, or weighed."""

_SLOW: Final = 3.0
"""Seconds after which nobody has to wait for the coach any longer."""

COUNTS: Final = text("It counts as soon as all have chosen")
"""The prompt's words for a simultaneous choice."""

_SHOWS_YOU: Final = text("This shows you something new: no undo")
_SHOWS_OTHERS: Final = text("Others see what only you knew: no undo")
_LOSSES: Final[dict[Ends, Text]] = {"choice": COUNTS, "turn": text("This ends your turn: no undo")}


class Asked(NamedTuple):
    """A move that waits for confirmation, and what it ends; None if the coach asks.

    `is_news` means that it shows its own player something new. `instead` means that another move waited,
    which is dropped for this one.
    """

    seat: Seat
    move: Move
    ends: Ends | None
    is_news: bool = False
    instead: bool = False

    @property
    def loss(self) -> Text | None:
        """Why it is asked for: what it ends; None if it ends nothing."""
        if self.ends == "secret":
            return _SHOWS_YOU if self.is_news else _SHOWS_OTHERS
        return None if self.ends is None else _LOSSES.get(self.ends)


class _Wish(NamedTuple):
    """A chosen move; `is_sure` if it needs no confirmation, `drops` if another one waited before it."""

    scene: Scene[Any]
    seat: Seat
    move: Move
    is_sure: bool
    drops: bool


@dataclass
class _Weighing:
    """A chosen move that the coach looks at, until they answer or it is taken back."""

    wish: _Wish
    is_shown: bool = False
    """True once this has taken so long that it is shown."""
    is_slow: bool = False
    """True once it has taken so long that Enter makes the move without waiting."""
    is_left: bool = False
    """True once the cursor has moved on: Enter is about what is there, and the coach still answers."""


class Mover:
    """Sends moves; `changed` is called when a move starts or stops being shown as under way.

    A step that ends something has to be chosen twice if the settings want it, unless it was laid out on the
    board before. The engine says what it ends: `previewer` may have asked already. A move that the coach
    speaks against has to be chosen twice, too. Chosen again while the coach thinks, it still waits: anyone
    who presses Enter twice out of habit has not read a word. Only a coach who takes long is not waited for.

    A move chosen while another one waits drops that one, so it is asked for, whatever it ends: otherwise
    somebody who presses the keys of two cards would lose the first without a word.
    """

    def __init__(self, screen: MatchScreen, changed: Callable[[], None], previewer: Previewer) -> None:
        self._screen = screen
        self._changed = changed
        self._previewer = previewer
        self._coach = MoveCoach(screen)
        self._sending = self._following = False
        self._sent_at = -1  # the revision at which the last move or undo was sent
        # counted, so that an answer about a move that is no longer wanted can be recognised
        self._wishes = 0
        self._looked_up: int | None = None
        """The wish for which the engine is asked what it ends."""
        self._weighing: _Weighing | None = None
        self.asked: Asked | None = None
        """The move that will be made if it is chosen once more."""
        self.warned: Verdict | InVain | None = None
        """What the coach said about the last chosen move; kept until a move is chosen or taken back."""

    def is_coached(self, scene: Scene[Any]) -> bool:
        """Return whether the viewer plays with the coach in a match that goes on."""
        return scene.viewer is not None and not scene.is_over and self._coach.is_of(scene, scene.viewer)

    @property
    def is_weighing(self) -> bool:
        """True while the coach looks at a move and this is shown."""
        return self._weighing is not None and self._weighing.is_shown

    @property
    def is_slow(self) -> bool:
        """True while nobody has to wait for the coach any longer: Enter makes the move."""
        return self._weighing is not None and self._weighing.is_slow

    @property
    def awaited(self) -> Move | None:
        """The move that the coach looks at while Enter is about it."""
        weighing = self._weighing
        return None if weighing is None or weighing.is_left else weighing.wish.move

    @property
    def thinking_words(self) -> str:
        """The prompt while the coach looks at a move."""
        if self.is_slow and self.awaited is not None:
            return _("The coach is still thinking; Enter plays at once.")
        return _("The coach is thinking; Esc takes the move back.")

    @property
    def pending(self) -> bool:
        """True while a move is under way: not answered, or answered but not yet seen."""
        return self._sending or self._following or self._sent_at == self._screen.kk.revision

    def play(self, scene: Scene[Any], seat: Seat, move: Move, *, is_laid_out: bool = False) -> None:
        """Make a move, or ask for confirmation."""
        weighing = self._weighing
        is_weighed = weighing is not None and (weighing.wish.seat, weighing.wish.move) == (seat, move)
        if is_weighed and not self.is_slow:
            return
        asked = self.asked  # which `forget` clears
        is_sure = is_weighed or (asked is not None and (asked.seat, asked.move) == (seat, move))
        # what the coach advises against is no loss
        is_waiting = weighing is not None or (asked is not None and asked.ends is not None)
        wish = _Wish(scene, seat, move, is_sure=is_laid_out, drops=is_waiting and not is_laid_out)
        self.forget()
        if is_sure or not self._coach.looks_at(scene, seat):
            self._play_or_confirm(wish._replace(is_sure=is_sure or is_laid_out))
        else:
            self._weighing = _Weighing(wish)
            self._screen.work(self._weigh(self._weighing))

    def _play_or_confirm(self, wish: _Wish) -> None:
        # a step without an alternative needs no confirmation
        is_forced = len(wish.scene.legal) == 1
        is_wanted = wish.drops or self._screen.kk.settings.confirm
        if wish.is_sure or is_forced or not is_wanted:
            self._screen.work(self._play(wish.scene, wish.seat, wish.move))
        else:
            self._screen.work(self._play_or_ask(wish, self._wishes))

    async def _weigh(self, weighing: _Weighing) -> None:
        wish = weighing.wish

        def tell_of_it() -> None:
            if weighing is self._weighing:
                weighing.is_shown = True
                self._changed()

        def stop_waiting() -> None:
            if weighing is self._weighing:
                weighing.is_slow = True
                # what Enter does now is another thing than before
                self._screen.kk.press_guard.changed()
                self._changed()

        timers = self._screen.set_timer(_PATIENCE, tell_of_it), self._screen.set_timer(_SLOW, stop_waiting)
        try:
            found = await self._coach.weigh(wish.scene, wish.seat, wish.move)
        finally:
            for timer in timers:
                timer.stop()
        if weighing is not self._weighing or not self._screen.is_alive:
            return
        self._weighing = None
        if found is None:
            self._play_or_confirm(wish)
            return
        # a key pressed before this could be read was not meant for it
        self._screen.kk.press_guard.changed()
        self.warned = found
        if isinstance(found, Verdict):
            self._screen.board.mark_moves([found.point.better.move])
        self._ask(Asked(wish.seat, wish.move, None))

    def _ask(self, asked: Asked) -> None:
        board = self._screen.board
        with board.prevent(Board.Cursor):  # to where it is made, if it has a place; this is not a new choice
            board.point_at(asked.move)
        self.asked = asked
        self._changed()

    def look_elsewhere(self) -> None:
        """Forget a move that waits for confirmation, since the cursor has left it.

        What the coach said about it stays, and so does a move that is still being weighed.
        """
        if self._weighing is None:
            self._forget_asked()
        else:
            self._weighing.is_left = True

    def forget(self) -> bool:
        """Forget a move that waits for the coach or for confirmation; return whether there was one."""
        was_there = self.warned is not None or self._weighing is not None
        if self.warned is not None:
            self._screen.board.mark_moves(())
        self.warned = self._weighing = None
        return self._forget_asked() or was_there

    def _forget_asked(self) -> bool:
        was_asked, self.asked = self.asked is not None, None
        # an answer to an earlier wish is dropped
        self._wishes += 1
        if was_asked:
            self._screen.show_keys()
        return was_asked

    async def _play(self, scene: Scene[Any], seat: Seat, move: Move) -> None:
        await self._send(lambda number: Play(number, seat, scene.match.ply, move))

    async def _play_or_ask(self, wish: _Wish, count: int) -> None:
        self._looked_up = count
        try:
            effect = await self._previewer.ask(wish.seat, wish.move)
        finally:
            self._looked_up = None
        if count != self._wishes or not self._screen.is_alive:
            return
        if effect.ends == "nothing" and not wish.drops:
            await self._play(wish.scene, wish.seat, wish.move)
            return
        self._ask(Asked(wish.seat, wish.move, *effect, instead=wish.drops))

    def follow(self, scene: Scene[Any], seat: Seat, move: Move) -> None:
        """Make a move that has no alternative, if nothing is lost by it."""
        self._following = self._screen.board.pending = True
        self._screen.work(self._follow(scene, seat, move))

    async def _follow(self, scene: Scene[Any], seat: Seat, move: Move) -> None:
        try:
            ends = (await self._screen.kk.request(lambda number: Preview(number, seat, move))).ends
        finally:
            self._following = False
        if not self._screen.is_alive:
            return
        if ends == "nothing":
            # a double press of the key that made the previous move must not make the next one
            self._screen.kk.press_guard.changed(goes_on=True)
            await self._play(scene, seat, move)
        else:
            self._changed()

    def undo(self, seat: Seat) -> None:
        """Take the last step back; if that is not possible, the engine says why."""
        self.forget()
        self._screen.work(self._send(lambda number: Undo(number, seat)))

    def explain(self, seat: Seat, move: Move) -> None:
        """Ask the engine why a move is not possible, and show that unless something else is done first."""

        async def ask(wish: int) -> None:
            answer = await self._screen.kk.request(lambda number: WhyNot(number, seat, move))
            if isinstance(answer, Answer) and answer.reason is not None and wish == self._wishes:
                self._screen.complain(answer.reason)

        if self._looked_up == self._wishes:
            return  # typed ahead: it may be possible after the move before, which goes on
        self.look_elsewhere()
        self._screen.work(ask(self._wishes))

    async def _send(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a move or an undo."""
        self._sending, self._sent_at = True, self._screen.kk.revision
        # no second one is accepted until this one is seen
        self._screen.query_one(Board).pending = True
        # if the answer comes at once, nothing changes on the screen in between
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
