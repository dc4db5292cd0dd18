"""Hints: the moves that an expert would consider in the user's place, and the reasons for each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen

from kk_core.protocol.messages import Hint
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import Advice
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext
from kk_tui.keymap import CHOICE_OF, Action, choice
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.match import MatchScreen
from kk_tui.table.advice import hinted_words, later, move_words, percent, reasons, why_better
from kk_tui.widgets.board import Board
from kk_tui.widgets.lines import Lines

_RISKY = 0.1
"""The least likelihood of a clash that is worth a word."""

_INDENT = 2
"""Columns in which the number of a move stands."""

_SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}
"""Lines that a key scrolls."""

_REASONS = 4
"""The most kinds of reasons given for a move, and the most lines of the score."""


class HintScreen(KkScreen, ModalScreen[None]):
    """The hint in place of the side panel, its moves numbered on the board beside it; Esc closes it."""

    def __init__(
        self,
        scene: Scene[Any],
        face: Face[Any],
        seat: Seat,
        moves: Sequence[Advice],
        point: Callable[[Move], None],
    ) -> None:
        super().__init__()
        self._point = point
        self._table, self._face, self._seat = scene, face, seat
        self._moves = moves
        self._starts: list[int] = []  # the line on which each move begins

    def body(self) -> ComposeResult:
        """Compose the one widget for all lines."""
        yield Lines(id="hint")

    def on_mount(self) -> None:
        """Number the moves on the board."""
        below = self.app.screen_stack[-2]
        # it covers the side panel of the screen below, which is wider where the board is broad
        self.set_class(below.has_class("-broad"), "-broad")
        self.call_after_refresh(self._fit)
        for board in below.query(Board):
            board.number_moves([advice.move for advice in self._moves])

    def on_unmount(self) -> None:
        """Take the numbers off the board."""
        # all of them: this screen is off the stack by now, and does not know any more which one lay below it
        for screen in self.app.screen_stack:
            for board in screen.query(Board):
                board.number_moves(())

    def on_resize(self) -> None:
        """Fit the reasons to the new size."""
        self.call_after_refresh(self._fit)

    @property
    def _lines_shown(self) -> Lines:
        return self.query_one("#hint", Lines)

    def _fit(self) -> None:
        """Show every move with as many reasons as have room, the weightiest first; what is longer scrolls."""
        if not self.is_alive:
            return
        shown = self._lines_shown
        width, room = shown.size.width - 1, shown.size.height - 1
        for reasons_each in range(_REASONS, -1, -1):
            told = [
                list(self.lines(place, move, reasons_each, width))
                for place, move in enumerate(self._moves, 1)
            ]
            if sum(len(lines) + 1 for lines in told) <= room:
                break
        within = list[Content]()
        self._starts = []
        for lines in told:
            within.append(Content())
            self._starts.append(len(within))
            within += lines
        is_short = not reasons_each and any(advice.rivals for advice in self._moves)
        legend = [Content.styled(_("+: what they would get; %: how likely they call it"), "$ink-dim")]
        shown.show([Content.styled(_("An expert would"), "bold $gold")], within, legend if is_short else ())

    def lines(self, place: int, advice: Advice, reasons_each: int, width: int) -> Iterator[Content]:
        """Yield a move in lines of a width: what it is, how one would end, and why.

        With no reasons each, what others would gain is told in few words.
        """
        words = hinted_words(self._table, self._face, self._seat, advice.move)
        best, why = self._moves[0].margin, ""
        told = [(words, "bold $ink")]
        told.append((_margin(best) if place == 1 else _less(best - advice.margin), "$ink-dim"))
        if place == 1 and len(self._moves) > 1:
            why = why_better(self._table, self._face, *self._moves[:2])
            told += [(_("Rather than 2: {why}.", why=why), "$happened")] if why else []
        given = (said for said in self._reasons(advice, reasons_each, why) if said and said not in why)
        told += [(said, "$ink") for said in islice(given, reasons_each)]
        told += self._of_others(place, advice, is_short=not reasons_each)
        number = f"{place}"
        for said, style in told:
            for line in Content.styled(said, style).wrap(max(8, width - _INDENT)):
                yield Content.assemble((f"{number:{_INDENT}}", "bold $gold"), line)
                number = ""

    def _reasons(self, advice: Advice, most: int, besides: str) -> Iterator[str]:
        """Yield the reasons for a move that are not told already, with at most so many lines of the score."""
        scene, face = self._table, self._face
        if advice.then is not None:
            yield _("then {move}", move=hinted_words(scene, face, self._seat, advice.then))
        yield reasons(scene, face, advice.changes[:most], besides)
        yield later(scene, face, advice.promised[:most])
        yield face.merits(scene, advice.move)

    def _of_others(self, place: int, advice: Advice, *, is_short: bool) -> Iterator[tuple[str, str]]:
        """Yield what others would get by the same choice, and how likely they are to make it."""
        if advice.rivals:
            gain = f"{round(sum(change.own for change in advice.changes)):+}"
            yield _("you {gain}", gain=gain) if is_short else _("you would get {gain}", gain=gain), "$ink"
        for rival in advice.rivals:
            said: dict[str, int | str] = {"name": self._table.name(rival.seat), "n": percent(rival.likely)}
            said["gain"] = f"{round(rival.gain):+}"
            style = "$refused" if rival.likely >= _RISKY else "$ink"
            if is_short:
                yield _("{name} {gain}, {n} %", **said), style
            else:
                yield _("{name} would get {gain}; {n} % likely to choose it", **said), style
        then = self._face.clash(self._table, advice.move) if place == 1 and not is_short else ""
        if advice.rivals and advice.contested >= _RISKY and then:
            yield _("together: {then}", then=then), "$refused"
        elif advice.rivals:
            return
        elif advice.contested >= _RISKY:
            words = _("{n} % that somebody else chooses it, too", n=percent(advice.contested))
            yield f"{words}: {then}" if then else words, "$refused"
        elif advice.contested:
            yield _("hardly anybody else is likely to choose it"), "$happened"

    def actions(self) -> Sequence[Action]:
        """Return the digits that show a move on the board, and the way back."""
        show = text("show on the board")
        return (*(Action(choice(place), show) for place in range(1, len(self._moves) + 1)), Action("back"))

    def do(self, name: str) -> None:
        """Show the move of a digit on the board."""
        if name in CHOICE_OF:
            self._show(CHOICE_OF[name])
        else:
            super().do(name)

    def on_click(self, event: Click) -> None:
        """Treat a click on a move as its digit."""
        shown = self._lines_shown
        if event.widget is shown and event.y in shown.window:
            place = bisect_right(self._starts, event.y - shown.window.start + shown.top)
            if place:
                self._show(place)

    def on_key(self, event: Key) -> None:
        """Scroll what has no room."""
        if event.key in _SCROLLS:
            self._lines_shown.scroll_lines(_SCROLLS[event.key])
            event.stop()

    def _show(self, place: int) -> None:
        self.dismiss()
        self._point(self._moves[place - 1].move)

    def do_back(self) -> None:
        """Close the hint."""
        self.dismiss()

    def key_enter(self, event: Key) -> None:
        """Close the hint."""
        self._close_by(event)

    def key_h(self, event: Key) -> None:
        """Close the hint with the key that opened it."""
        self._close_by(event)

    def _close_by(self, event: Key) -> None:
        # the key must do nothing on the table under it
        event.stop()
        self.do_back()


def _less(points: float) -> str:
    """Return how many points a move is worse than the best one."""
    if n := round(points):
        return ngettext("{n} point less.", "{n} points less.", n)
    return _("Hardly worse.")


def _margin(points: float) -> str:
    """Return the expected lead at the end, in words."""
    n = abs(round(points))
    if not n:
        return _("You would end level with the best of the others.")
    if points > 0:
        return ngettext("You would end {n} point ahead.", "You would end {n} points ahead.", n)
    return ngettext("You would end {n} point behind.", "You would end {n} points behind.", n)


class _Wish:
    """A wish for a hint, which may be withdrawn and renewed while the hint is being computed."""

    def __init__(self, scene: Scene[Any] | None) -> None:
        self.scene = scene
        self.is_asking = False
        self.is_kept = True


class Hinting:
    """Keeps the wish for a hint, and the move it led to until something else is done.

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
        """True while a hint is being computed."""
        return self._wish.is_asking

    # -- asked for -------------------------------------------------------------------------------------------

    def ask(self, scene: Scene[Any], face: Face[Any], seat: Seat) -> None:
        """Look for a hint, or go on waiting for it."""
        if self._wish.is_asking and self._wish.scene is scene:
            self._wish.is_kept = True
            self._screen.say(_looked_for())
            return
        self._wish = _Wish(scene)
        self._screen.work(self._show(scene, face, seat, self._wish))

    def give_up(self) -> bool:
        """Stop waiting for a hint; return whether somebody did wait."""
        was_waiting = self._wish.is_asking and self._wish.is_kept
        self._wish.is_kept = False
        return was_waiting

    async def _show(self, scene: Scene[Any], face: Face[Any], seat: Seat, wish: _Wish) -> None:
        """Show the answer over the table unless it is too late or no longer wanted."""
        screen = self._screen
        # otherwise the request is refused at once
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
        """Point the board's cursor at a move if it is still legal; Enter makes it."""
        board = self._screen.board
        if move in board.scene.legal:
            has_place = board.point_at(move)
            self._led_in, self._is_new = self._screen.shown, True
            # a move without a place on the board is made by Enter alone
            self._move = None if has_place else move
            self._changed()

    def move(self, scene: Scene[Any]) -> Move | None:
        """Return the hinted move that Enter makes because the board has no place for it."""
        return self._move if self._led_in is scene else None

    def end(self, scene: Scene[Any]) -> None:
        """Forget the lead of a hint."""
        had_move, self._led_in = self.move(scene) is not None, None
        if had_move:
            self._changed()

    def takes_number(self, scene: Scene[Any]) -> bool:
        """Return whether a number may be the hint's, pressed twice; True only once."""
        is_taken = self._led_in is scene and self._is_new
        self._is_new = False
        return is_taken


def _looked_for() -> str:
    return _("A good move is being looked for.")
