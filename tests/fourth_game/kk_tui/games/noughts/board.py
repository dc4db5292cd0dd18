"""The board of Noughts and bids: nine spaces, under them the bids that can be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.noughts.model import BID, CELLS, FREE, NO_BID, PLACE, SIDE, Bid, Observation, Place, read
from kk_core.games.noughts.notation import name_of
from kk_core.text import Text, text, texts
from kk_core.types import Move
from kk_tui.games.noughts.brief import opened
from kk_tui.i18n import render
from kk_tui.keymap import CHOICE_OF, CHOICES, Action, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import HINT_MARKS, Board, next_of
from kk_tui.widgets.explanation import Explanation

_WIDE: Final = 7
_HIGH: Final = 3
"""Columns and lines of a space, its edges not counted."""

_COIN: Final = 5
"""Columns of a bid that can be made."""

_LEFT, _TOP = 4, 1
"""Columns and lines before the board."""

_BIDS: Final = _TOP + SIDE * (_HIGH + 1) + 3
"""The line of the bids."""


@dataclass(frozen=True)
class Painter:
    """The signs; everything stands at the same place at all sizes."""

    glyphs: Glyphs


class NoughtsBoard(Board[Observation, Painter]):
    """Bidding or placing is one step; the cursor stands on a bid or on a space, both by its move."""

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.cursor: Move | None = None
        self._marked: dict[Move, str] = {}

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the cursor as long as the same choice goes on; the next player at the screen must not see a
        bid.
        """
        if before is None or before.viewer != now.viewer or self.cursor not in now.legal:
            self.cursor = None
        self.refresh()

    def make_painter(self) -> Painter:
        """Return the signs to draw with."""
        return Painter(self.glyphs)

    # -- what is shown ---------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return a line of the board, or of what is said under it."""
        width, ground = self.size.width, self.ink("ink", on="ground")
        found = [Segment(" " * _LEFT, ground)]
        inside = y - _TOP
        if 0 <= inside <= SIDE * (_HIGH + 1):
            found += self._board_line(inside)
        elif y == _BIDS - 1:
            found.append(Segment(self._told(), self.ink("ink-dim", on="ground")))
        elif y == _BIDS:
            found += self._bids()
        return Strip(found).adjust_cell_length(width, ground)

    def _board_line(self, inside: int) -> list[Segment]:
        glyphs, line = self.painter.glyphs, self.ink("ink-line", on="ground")
        row, part = divmod(inside, _HIGH + 1)
        if not part:
            return [Segment((glyphs["cross"] + glyphs["h"] * _WIDE) * SIDE + glyphs["cross"], line)]
        found = []
        for column in range(SIDE):
            found.append(Segment(glyphs["v"], line))
            found.append(self._space(row * SIDE + column, is_middle=part == _HIGH // 2 + 1))
        return [*found, Segment(glyphs["v"], line)]

    def _space(self, space: int, *, is_middle: bool) -> Segment:
        mark, is_here = self.scene.observation.board[space], self.cursor == PLACE + space
        sign = self.painter.glyphs["noughts-free"] if mark == FREE else self.painter.glyphs.owner(mark - 1)
        sign = self._marked.get(PLACE + space, sign)
        colour = "ink-dim" if mark == FREE else f"seat-{mark - 1}"
        on = "ground"
        if is_here:
            colour, on = "cursor-ink", "cursor"
        elif PLACE + space in self.scene.legal:
            colour = "possible"
        words = (sign if is_middle else "").center(_WIDE)
        return Segment(words, self.ink(colour, on=on, bold=mark != FREE))

    def _told(self) -> str:
        # The last bids, or the viewer's own one.
        view = self.scene.observation
        if view.own_bid != NO_BID:
            coins = view.own_bid - 1
            return render(texts("A bid of {n} coin lies there.", "A bid of {n} coins lies there.", coins))
        said = opened(self.scene)
        return "" if said is None else render(said)

    def _bids(self) -> list[Segment]:
        found = []
        for move in sorted(self.scene.legal):
            meant = read(move)
            if isinstance(meant, Bid):
                is_here = move == self.cursor
                style = self.ink("cursor-ink", on="cursor") if is_here else self.ink("possible", on="ground")
                mark = f"{self._marked[move]}:" if move in self._marked else ""
                found.append(Segment(f"{mark}{meant.coins}".center(_COIN), style))
        return found

    # -- what is chosen --------------------------------------------------------------------------------------

    def prompt(self) -> Text:
        """Ask to bid or to place."""
        if self.cursor is not None and self.cursor in self.scene.legal:
            meant = read(self.cursor)
            if isinstance(meant, Bid):
                return texts("Enter bids {n} coin.", "Enter bids {n} coins.", meant.coins)
            return text("Enter marks {space}.", space=name_of(meant.space))
        if self.scene.observation.placer is None:
            return text("Bid for the right to place: arrows and Enter, a number or a click.")
        return text("Place your mark: arrows and Enter, or a click.")

    def actions(self) -> Sequence[Action]:
        """Return what Enter does; what the digits do is in the prompt."""
        found = []
        if self.cursor is not None and self.cursor in self.scene.legal:
            found.append(Action("do"))
        for move in sorted(self.scene.legal):
            meant = read(move)
            if isinstance(meant, Bid) and 1 <= meant.coins <= CHOICES:
                label = text("bid {n}", n=meant.coins)
                found.append(Action(choice(meant.coins), label, in_footer=False))
        return found

    def perform(self, name: str) -> Text | None:
        """Bid as many coins as the digit says."""
        if name not in CHOICE_OF:
            return super().perform(name)
        if self.scene.observation.placer is not None:
            return text("A number is a bid, and now a mark is placed.")
        self.choose(BID + CHOICE_OF[name])
        return None

    def candidate(self) -> Move | None:
        """Return what the cursor is on."""
        return self.cursor if self.cursor in self.scene.legal else None

    def action_step(self, right: int, down: int) -> None:
        """Go to the next bid, or the next space in a direction."""
        legal = sorted(self.scene.legal)
        if not legal:
            return
        if self.scene.observation.placer is None:
            self._go(next_of(legal, self.cursor, right or down))
            return
        space = CELLS // 2 if self.cursor is None else self.cursor - PLACE
        row, column = divmod(space, SIDE)
        if self.cursor is not None:
            row, column = (min(SIDE - 1, max(0, n)) for n in (row + down, column + right))
        self._go(PLACE + row * SIDE + column)

    def action_jump(self, by: int) -> None:
        """Go to the next bid or free space, around the end."""
        if self.scene.legal:
            self._go(next_of(sorted(self.scene.legal), self.cursor, by))

    def action_do(self) -> None:
        """Bid or place what is under the cursor."""
        if self.cursor is not None:
            self.choose(self.cursor, is_laid_out=True)
        elif self.scene.may_act:
            self.post_message(self.Refused(text("Point at a bid or a space first, by the arrows.")))
        else:
            self.choose(BID if self.scene.observation.placer is None else PLACE)  # the engine says why not

    def step_back(self) -> bool:
        """Point at nothing any more."""
        had_cursor = self.cursor is not None and self.scene.may_act
        if had_cursor:
            self._go(None)
        return had_cursor

    def mark_moves(self, moves: Sequence[Move], marks: Sequence[str] = HINT_MARKS) -> None:
        """Mark the bids or spaces."""
        self._marked = dict(zip(moves, marks, strict=False))
        self.refresh()

    def point_at(self, move: Move) -> bool:
        """Point at the bid or the space."""
        self._go(move)
        return True

    def places(self, move: Move) -> Sequence[Region]:
        """Return the bid or the space."""
        meant = read(move)
        if isinstance(meant, Bid):
            return [Region(_LEFT + meant.coins * _COIN, _BIDS, _COIN, 1)]
        row, column = divmod(meant.space, SIDE)
        left, top = _LEFT + column * (_WIDE + 1) + 1, _TOP + row * (_HIGH + 1) + 1
        return [Region(left, top, _WIDE, _HIGH)]

    def _go(self, move: Move | None) -> None:
        if move != self.cursor:
            self.cursor = move
            self.refresh()
            self.tell()

    def explain(self, x: int, y: int) -> Explanation | None:
        """Return what is at a place."""
        inside = y - _TOP
        if 0 <= inside <= SIDE * (_HIGH + 1) and x >= _LEFT:
            return Explanation(text("A space: three marks of one player in a line give a point."), "goal")
        if y == _BIDS - 1:
            return Explanation(text("The last bids, or the one that you have made."), "bidding")
        if y == _BIDS:
            return Explanation(text("Coins that can be bid: a click bids them."), "bidding", gives_way=True)
        return None

    def explain_cursor(self) -> Explanation:
        """Return what can be done."""
        return Explanation(text("The cursor: Enter bids, or marks this space."), "bidding")

    def thing_at(self, x: int, y: int) -> Move | None:
        """Return the move of what is at a place."""
        if y == _BIDS and x >= _LEFT and self.scene.observation.placer is None:
            return BID + (x - _LEFT) // _COIN
        column, row = (x - _LEFT) // (_WIDE + 1), (y - _TOP) // (_HIGH + 1)
        if x < _LEFT or y < _TOP or column >= SIDE or row >= SIDE:
            return None
        return Place(row * SIDE + column).move

    def clicked(self, x: int, y: int) -> None:
        """Do what was clicked."""
        move = self.thing_at(x, y)
        if move is not None:
            self._go(move)
            self.choose(move)
