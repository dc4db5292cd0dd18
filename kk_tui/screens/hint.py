"""Hints: the moves that a bot would consider in the user's place, and the reasons for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Static

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
from kk_tui.table.advice import later, move_words, percent, reasons

_RISKY = 0.1
"""The least likelihood of a clash that is worth a word."""

_WIDTH = 70
_AROUND = 6
"""Columns of the box, and those of its frame and margins."""

_INDENT = 3
"""Columns in which the number of a move stands."""

_WORDS = _WIDTH - _AROUND - _INDENT

_ROWS_AROUND = 4
_ROOMY = 100
"""Rows of the frame, the heading and the footer; from so many columns on, two more stay free in it."""

_REASONS = 4
"""The most kinds of reasons given for a move, and the most lines of the score."""


class HintScreen(KkScreen, ModalScreen[None]):
    """The hint over the dimmed table; Esc closes it."""

    CSS = """
    HintScreen #question { width: 70; }
    HintScreen.-normal #question, HintScreen.-short #question { padding: 0 2; }
    HintScreen #question Static { text-align: left; text-style: none; }
    HintScreen #question .advice { margin-top: 1; }
    """

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

    def body(self) -> ComposeResult:
        """Compose the moves, the best first."""
        with Vertical(id="question"):
            yield Static(Content.styled(_("An expert in your place ..."), "bold $gold"))
            for told in self._fitting():
                yield Static(told, classes="advice")

    def on_resize(self) -> None:
        """Fit the reasons to the new size."""
        for line, told in zip(self.query(".advice").results(Static), self._fitting(), strict=True):
            line.update(told)

    def _fitting(self) -> list[Content]:
        """Return the words for every move with as many reasons as fit, the weightiest first."""
        width, height = self.app.size
        room = height - _ROWS_AROUND - 2 * (width >= _ROOMY)
        for reasons_each in range(_REASONS, 0, -1):
            told = [list(self._lines(place, move, reasons_each)) for place, move in enumerate(self._moves, 1)]
            if sum(len(lines) + 1 for lines in told) <= room:
                break
        return [Content("\n").join(lines) for lines in told]

    def _lines(self, place: int, advice: Advice, reasons_each: int) -> Iterator[Content]:
        words = move_words(self._table, self._face, self._seat, advice.move)
        move = Content.styled(words, "bold $ink")
        best = self._moves[0].margin
        words = _margin(best) if place == 1 else _less(best - advice.margin)
        margin = Content.styled(words, "$ink-dim")
        both = Content.assemble(move, "  ", margin)
        is_short = both.cell_length <= _WORDS
        yield from self._hung(f"{place}  ", both if is_short else move)
        if not is_short:
            yield from self._hung("", margin)
        for told in islice(filter(None, self._reasons(advice, reasons_each)), reasons_each):
            yield from self._hung("", Content.styled(told, "$ink"))
        if advice.contested >= _RISKY:
            words = _("{n} % that somebody else chooses it, too", n=percent(advice.contested))
            if place == 1 and (then := self._face.clash(self._table, advice.move)):
                words = f"{words}: {then}"
            yield from self._hung("", Content.styled(words, "$refused"))
        elif advice.contested:
            words = _("hardly anybody else is likely to choose it")
            yield from self._hung("", Content.styled(words, "$happened"))

    def _reasons(self, advice: Advice, most: int) -> Iterator[str]:
        """Yield the reasons for a move, with at most so many lines of the score."""
        scene, face = self._table, self._face
        if advice.then is not None:
            yield _("then {move}", move=move_words(scene, face, self._seat, advice.then))
        yield reasons(scene, face, advice.changes[:most])
        yield later(scene, face, advice.promised[:most])
        yield face.merits(scene, advice.move)

    def _hung(self, number: str, words: Content) -> Iterator[Content]:
        """Wrap words to the right of the number."""
        for line in words.wrap(_WORDS):
            yield Content.assemble((f"{number:{_INDENT}}", "$gold"), line)
            number = ""

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
        places = enumerate(self.query(".advice"), 1)
        place = next((place for place, line in places if line is event.widget), None)
        if place is not None:
            self._show(place)

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
