"""Hints: the moves that an expert would consider in the user's place, and the reasons for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen

from kk_core.protocol.messages import Hint
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import Advice, LogEntry
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.keymap import CHOICE_OF, Action
from kk_tui.match.screen import MatchScreen
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.table.advice import move_words
from kk_tui.table.hint_words import ALL, HintWords
from kk_tui.widgets.board import HINT_MARKS, Board
from kk_tui.widgets.lines import SCROLLS, Lines, sentence_lines

_LETTERS: Final = ("all", "bot", "collections")
"""The actions whose keys are the `HINT_MARKS`: while a hint is shown, they stand for its moves."""

_LOOKED_FOR: Final = text("Looking for a good move...")

_INDENT = 2
"""Columns for the mark of a move."""


class HintScreen(KkScreen, ModalScreen[None]):
    """The hint in place of the side panel, with its moves marked on the board beside it; Esc closes it.

    A digit does the same here as on the table: `on_table` does it.
    """

    def __init__(
        self,
        scene: Scene[Any],
        face: Face[Any],
        seat: Seat,
        moves: Sequence[Advice],
        point: Callable[[Move], None],
        on_table: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._point, self._on_table = point, on_table
        self._table, self._face, self._seat = scene, face, seat
        self._moves = moves
        self._words = HintWords(scene, face, seat, moves)
        self._starts: list[tuple[int, int]] = []  # the lines on which something of a move begins

    def body(self) -> ComposeResult:
        """Compose the single widget for all lines."""
        yield Lines(id="hint")

    def on_mount(self) -> None:
        """Mark the moves on the board."""
        below = self.app.screen_stack[-2]
        # it covers the side panel of the screen below, which is wider beside a broad board
        self.set_class(below.has_class("-broad"), "-broad")
        self.call_after_refresh(self._fit)
        for board in below.query(Board):
            board.mark_moves([advice.move for advice in self._moves])

    def on_unmount(self) -> None:
        """Remove the marks from the board."""
        # on all screens: this one is off the stack by now, and no longer knows which was below it
        for screen in self.app.screen_stack:
            for board in screen.query(Board):
                board.mark_moves(())

    def on_resize(self) -> None:
        """Fit the reasons to the new size."""
        self.call_after_refresh(self._fit)

    @property
    def _lines_shown(self) -> Lines:
        return self.query_one("#hint", Lines)

    def _fit(self) -> None:
        """Show every move with its figures and why; where not all of that fits, the rest below all moves."""
        if not self.is_alive:
            return
        shown = self._lines_shown
        width = shown.size.width - 1
        above = [Content.styled(_("An expert would"), "bold $gold")]
        if due := self._face.due(self._table):
            above = [*Content.styled(due, "$happened").wrap(max(8, width)), Content(), *above]
        room = shown.size.height - len(above)
        places = range(len(self._moves))
        blocks, rest = [self.lines(place, ALL, width) for place in places], list[list[Content]]()
        is_apart = True
        if _rows(blocks) > room:
            # a column stays free before the scrollbar, and a row is for the words beside it
            blocks, rest, is_apart = self._in_short(width - 1, room - 1)
        within, self._starts = stacked(blocks, rest, is_apart=is_apart)
        shown.show(above, within, tells_more=True)

    def _in_short(self, width: int, room: int) -> tuple[list[list[Content]], list[list[Content]], bool]:
        """Return the lines of each move that fit into so many rows, those below, and whether the moves are
        apart.

        What is above is the same of all moves as far as there is room for it: what they bring and what that
        is worth, or only what they bring, and then as many reasons as fit, those of the best move first.
        A reason for it takes the rows of what is in sight on the board. Nothing is told again in full.
        """
        places = range(len(self._moves))
        whole = [self._words.why(place, ALL) for place in places]
        worth, few = (
            [self._words.brief(place, has_reason=has_reason) for place in places]
            for has_reason in (True, False)
        )
        # that the best move is better needs a reason rather than free rows
        reason = [said for said in whole[0][1:] if said not in worth[0]][:1]
        full = [[*worth[0], *reason], *worth[1:]]
        for told, is_apart, is_tight in (
            (full, True, False), (full, False, False), (full, True, True), (full, False, True),
            (worth, True, True), (worth, False, True), (few, False, True),
        ):  # fmt: skip
            heads = [self._head(place, width - _INDENT, is_tight=is_tight) for place in places]
            blocks = [[*_marked(place, [*heads[place], *told[place]], width)] for place in places]
            if _rows(blocks, is_apart=is_apart) <= room:
                break
        told = [*told]

        def is_new(place: int, said: tuple[str, str]) -> bool:
            is_doubled = told[place][:1] == worth[place] and said in self._words.doubled(place)
            return said not in told[place] and not is_doubled

        def tell(place: int, longer: list[tuple[str, str]]) -> bool:
            block = [*_marked(place, [*heads[place], *longer], width)]
            if _rows([*blocks[:place], block, *blocks[place + 1 :]], is_apart=is_apart) > room:
                return False
            blocks[place], told[place] = block, longer
            return True

        for place in places:
            tell(place, worth[place])
        for place in places:
            for said in whole[place][1:]:
                if is_new(place, said) and not tell(place, [*told[place], said]):
                    break
        rest = [[said for said in why if is_new(place, said)] for place, why in enumerate(whole)]
        return blocks, [[*_marked(place, said, width)] for place, said in enumerate(rest)], is_apart

    def lines(self, place: int, reasons_each: int, width: int) -> list[Content]:
        """Return a move in lines of a width: what it is, how one would end up, and why."""
        return [*_marked(place, [*self._head(place), *self._words.why(place, reasons_each)], width)]

    def _head(self, place: int, width: int | None = None, *, is_tight: bool = False) -> list[tuple[str, str]]:
        return [*self._words.title(place, is_tight=is_tight), *self._words.figures(place, width)]

    def actions(self) -> Sequence[Action]:
        """Return the letters that show a move on the board, the digits of the table, and back."""
        show = text("show on the board")
        letters = (
            Action(name, show, whole=text("show {mark} on the board", mark=mark))
            for name, mark, _move in zip(_LETTERS, HINT_MARKS, self._moves, strict=False)
        )
        return (*letters, Action("back"), *(Action(name, in_footer=False) for name in CHOICE_OF))

    def do(self, name: str) -> None:
        """Show the move of a letter on the board, or do what a digit does there."""
        if name in _LETTERS:
            self._show(_LETTERS.index(name))
        elif name in CHOICE_OF:
            # not through `KkScreen.dismiss`: the table was visible all the time, so the press was meant for
            # it
            ModalScreen.dismiss(self)
            self._on_table(name)
        else:
            super().do(name)

    def on_click(self, event: Click) -> None:
        """Treat a click on a move as its letter."""
        shown = self._lines_shown
        if event.widget is shown and event.y in shown.window:
            line = event.y - shown.window.start + shown.top
            if told := [place for start, place in self._starts if start <= line]:
                self._show(told[-1])

    def on_key(self, event: Key) -> None:
        """Scroll what does not fit."""
        if event.key in SCROLLS:
            self._lines_shown.scroll_lines(SCROLLS[event.key])
            event.stop()

    def _show(self, place: int) -> None:
        self.dismiss()
        self._point(self._moves[place].move)

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
        # the key must not do anything on the table below
        event.stop()
        self.do_back()


def _marked(place: int, told: Sequence[tuple[str, str]], width: int) -> Iterator[Content]:
    """Yield sentences with their styles in lines of a width, the first one with the mark of a move."""
    mark = HINT_MARKS[place]
    for said, style in told:
        for line in sentence_lines(said, style, width - _INDENT):
            yield Content.assemble((f"{mark:{_INDENT}}", "bold $gold"), line)
            mark = ""


def stacked(
    blocks: Sequence[Sequence[Content]], rest: Sequence[Sequence[Content]], *, is_apart: bool
) -> tuple[list[Content], list[tuple[int, int]]]:
    """Return the blocks of all moves and then the rest, and the lines on which something of a move begins.

    Before the rest is always a free line, before every part of it or block if they are apart.
    """
    lines, starts = list[Content](), list[tuple[int, int]]()
    for number, part in enumerate([*blocks, *rest]):
        if part:
            lines += [Content()] * bool(number and (is_apart or len(starts) == len(blocks)))
            starts.append((len(lines), number % len(blocks)))
            lines += part
    return lines, starts


def _rows(blocks: Sequence[Sequence[Content]], *, is_apart: bool = True) -> int:
    return sum(map(len, blocks)) + is_apart * (len(blocks) - 1)


class _Wish:
    """A request for a hint, which may be withdrawn and renewed while the hint is being computed."""

    def __init__(self, scene: Scene[Any] | None) -> None:
        self.scene = scene
        self.is_asking = False
        self.is_kept = True


class Hinting:
    """Keeps the request for a hint, and the move it led to until something else is done.

    Once that move is made, it leads on to the next one of the same turn, if the hint named one. `changed` is
    called when Enter does something else.
    """

    def __init__(self, screen: MatchScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._wish = _Wish(None)
        self._led_in: Scene[Any] | None = None
        self._move: Move | None = None
        self._is_new = False
        self._turns: dict[Move, Move] = {}
        """The next move of the turn after each move of the hint, where it named one."""
        self._led_to: Move | None = None

    @property
    def is_asking(self) -> bool:
        """True while a hint is being computed."""
        return self._wish.is_asking

    @property
    def is_awaited(self) -> bool:
        """True while the user waits for a hint."""
        return self._wish.is_asking and self._wish.is_kept

    # -- asked for -------------------------------------------------------------------------------------------

    def ask(self, scene: Scene[Any], face: Face[Any], seat: Seat) -> None:
        """Look for a hint, or keep waiting for it."""
        if self._wish.is_asking and self._wish.scene is scene:
            self._wish.is_kept = True
            self._screen.tell(_LOOKED_FOR)
            return
        self._wish = _Wish(scene)
        self._screen.work(self._show(scene, face, seat, self._wish))

    def give_up(self) -> bool:
        """Stop waiting for a hint; return whether the user was waiting."""
        was_waiting, self._wish.is_kept = self.is_awaited, False
        return was_waiting

    async def _show(self, scene: Scene[Any], face: Face[Any], seat: Seat, wish: _Wish) -> None:
        """Show the answer over the table unless it is too late or no longer wanted."""
        screen = self._screen
        # otherwise the request is refused at once
        if scene.table.hints and scene.may_act:
            screen.tell(_LOOKED_FOR)
        wish.is_asking = True
        try:
            reply = await screen.kk.request(lambda number: Hint(number, seat))
        finally:
            wish.is_asking = False
        if not wish.is_kept:
            return
        screen.take_back()  # it has been found
        now = screen.kk.store.scene
        is_covered = screen.app.screen is not screen  # a question may have come up in between
        if now is None or (now.viewer, now.legal) != (seat, scene.legal) or is_covered:
            return
        screen.place_changed()
        if reply.moves:
            self._turns = {each.move: each.then for each in reply.moves if each.then is not None}
            screen.app.push_screen(HintScreen(scene, face, seat, reply.moves, self._lead, screen.action_act))
        elif scene.legal:
            only = move_words(scene, face, seat, min(scene.legal))
            screen.complain(text("You have no choice: an expert in your place {move}", move=only))
        else:
            screen.complain(text("You have nothing to choose right now."))

    # -- followed --------------------------------------------------------------------------------------------

    def _lead(self, move: Move) -> None:
        """Point the board's cursor at a move if it is still legal; Enter makes it."""
        board = self._screen.board
        if move in board.scene.legal:
            has_place, self._led_to = board.point_at(move), move
            self._led_in, self._is_new = self._screen.shown, True
            # a move without a place on the board is made with Enter alone
            self._move = None if has_place else move
            self._changed()

    def follow(self, news: Sequence[LogEntry], seat: Seat | None) -> None:
        """Lead on to the second move of a hint's turn when the first one has been made."""
        own = [entry.move for entry in news if entry.seat == seat]
        if not own or self._led_to is None:
            return
        then = self._turns.get(self._led_to) if own == [self._led_to] else None
        self._led_to, self._turns = None, {}
        if then is not None and then in self._screen.board.scene.legal:
            self._lead(then)
            # a second press of the same key was meant for the first move
            self._screen.kk.press_guard.changed(goes_on=True)

    def move(self, scene: Scene[Any]) -> Move | None:
        """Return the hinted move that Enter makes because it has no place on the board."""
        return self._move if self._led_in is scene else None

    def end(self, scene: Scene[Any]) -> None:
        """Forget the move that a hint led to."""
        had_move, self._led_in = self.move(scene) is not None, None
        if had_move:
            self._changed()

    def takes_letter(self, name: str, scene: Scene[Any]) -> bool:
        """Return whether the key of an action is the hint's, pressed twice; True only once."""
        if name not in _LETTERS:
            return False
        is_taken = self._led_in is scene and self._is_new
        self._is_new = False
        return is_taken
