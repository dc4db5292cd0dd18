"""A hint: the moves that a bot would consider in one's place, and what speaks for each."""

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
from kk_core.protocol.views import Advice
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext
from kk_tui.keymap import CHOICE_OF, Action, choice
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.match import MatchScreen
from kk_tui.table.advice import later, move_words, percent, reasons

_RISKY = 0.1
"""So likely somebody has to choose the same before it is worth a word."""

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
"""So many kinds of reasons are told of a move at most, and so many lines of the score."""


class HintScreen(KkScreen, ModalScreen[None]):
    """Over the dimmed table; Esc leads back to it."""

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
        """The moves, the best first."""
        with Vertical(id="question"):
            yield Static(Content.styled(_("An expert in your place ..."), "bold $gold"))
            for told in self._fitting():
                yield Static(told, classes="advice")

    def on_resize(self) -> None:
        """As much as there is room for now."""
        for line, told in zip(self.query(".advice").results(Static), self._fitting(), strict=True):
            line.update(told)

    def _fitting(self) -> list[Content]:
        """What is said of every move: as many reasons as there is room for, those that matter most first."""
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
        """What speaks for a move; so many lines of the score are told at most."""
        scene, face = self._table, self._face
        if advice.then is not None:
            yield _("then {move}", move=move_words(scene, face, self._seat, advice.then))
        yield reasons(scene, face, advice.changes[:most])
        yield later(scene, face, advice.promised[:most])
        yield face.merits(scene, advice.move)

    def _hung(self, number: str, words: Content) -> Iterator[Content]:
        """Words in as many lines as they take, all of them right of the number."""
        for line in words.wrap(_WORDS):
            yield Content.assemble((f"{number:{_INDENT}}", "$gold"), line)
            number = ""

    def actions(self) -> Sequence[Action]:
        """To a move on the board, or back to the table."""
        show = text("show on the board")
        return (*(Action(choice(place), show) for place in range(1, len(self._moves) + 1)), Action("back"))

    def do(self, name: str) -> None:
        """A digit shows on the board where that move is made."""
        if name in CHOICE_OF:
            self._show(CHOICE_OF[name])
        else:
            super().do(name)

    def on_click(self, event: Click) -> None:
        """A click on a move is its digit."""
        places = enumerate(self.query(".advice"), 1)
        place = next((place for place, line in places if line is event.widget), None)
        if place is not None:
            self._show(place)

    def _show(self, place: int) -> None:
        self.dismiss()
        self._point(self._moves[place - 1].move)

    def do_back(self) -> None:
        """To the table."""
        self.dismiss()

    def key_enter(self, event: Key) -> None:
        """Like Esc."""
        self._close_by(event)

    def key_h(self, event: Key) -> None:
        """Like Esc: the key that has opened it closes it."""
        self._close_by(event)

    def _close_by(self, event: Key) -> None:
        """A key that closes does nothing on the table under it."""
        event.stop()
        self.do_back()


def _less(points: float) -> str:
    """By how many points one ends worse than by the best move."""
    if n := round(points):
        return ngettext("{n} point less.", "{n} points less.", n)
    return _("Hardly worse.")


def _margin(points: float) -> str:
    """By how many points one is ahead in the end, as far as that can be foreseen."""
    n = abs(round(points))
    if not n:
        return _("You would end level with the best of the others.")
    if points > 0:
        return ngettext("You would end {n} point ahead.", "You would end {n} points ahead.", n)
    return ngettext("You would end {n} point behind.", "You would end {n} points behind.", n)


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
