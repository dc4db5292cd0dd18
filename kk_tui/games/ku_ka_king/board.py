"""The board of Ku-Ka-King: the rows of cards, a cursor, what the last reveal brought, all collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.events import Click, Resize
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.ku_ka_king.model import Observation
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games.ku_ka_king import prompts
from kk_tui.games.ku_ka_king.detail import Line, head_lines
from kk_tui.games.ku_ka_king.hand import collection_strip
from kk_tui.games.ku_ka_king.layout import TOP, layout_for
from kk_tui.games.ku_ka_king.look import Moment, RowLook, looks
from kk_tui.games.ku_ka_king.picture import Painter
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.i18n import render
from kk_tui.keymap import CHOICE_OF, Action
from kk_tui.scene import Scene
from kk_tui.widgets.board import Board, next_of

_AROUND_PROMPT: Final = 2
"""Columns beside the line over the keys."""

_NAMED: Final = 110
"""Columns of a screen from which on names stand beside the signs everywhere."""


class KuKaKingBoard(Board[Observation, Painter]):
    """Draws the rows line by line; calling a row is one step."""

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.cursor: Move | None = None
        """The row that has been pointed at since this choice began; none counts before."""
        self._moment: Moment | None = None
        self._looks: tuple[RowLook, ...] = ()
        self._head: list[Line] = []
        self._notes: list[Line] = []

    # -- what is shown ---------------------------------------------------------------------------------------

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the cursor as long as the same choice goes on."""
        if before is None or before.match.commitment != now.match.commitment:
            self.refresh()
        # where the last one left it tells what they have called
        is_same = before is not None and before.viewer == now.viewer and before.may_act
        if not (is_same and before and before.observation.turn == now.observation.turn and now.may_act):
            self.cursor = None
        self._look()

    def highlight(self, mark: object) -> None:
        """Show the rows as a ceremony has them, or as they are."""
        moment = mark if isinstance(mark, Moment) else None
        if moment != self._moment:
            self._moment = moment
            self._look()

    def _look(self) -> None:
        """Find out anew how everything looks, and draw again what looks different."""
        if not self.size:
            return
        layout, moment = self.painter.layout, self._moment
        if moment is not None:
            rows, head = moment.rows, moment.head(self.glyphs, layout.width)
        else:
            reveal = standing(self.scene)
            rows = looks(self.scene, reveal, self.cursor, self.hovered)
            head = head_lines(self.scene, reveal, self.glyphs, layout.width)
        held = moment.collections if moment else None
        notes = collection_strip(self.scene, layout.width, layout.notes, self.glyphs, held)
        for row, (old, new) in enumerate(zip(self._looks, rows, strict=False), start=1):
            if old != new:
                self.refresh(Region(0, layout.top_of(row), layout.width, layout.pitch))
        if head != self._head:
            self.refresh(Region(0, 0, layout.width, TOP))
        if notes != self._notes:
            self.refresh(Region(0, layout.bottom, layout.width, layout.notes))
        self._looks, self._head, self._notes = rows, head, notes

    def forget(self) -> None:
        """Lines over and under the rows may have other signs then, too."""
        super().forget()
        if self._looks:
            self.call_later(self._look)

    def make_painter(self) -> Painter:
        """What draws the rows at the present size."""
        view = self.scene.observation
        return Painter(layout_for(*self.size, len(view.rows)), self.glyphs, self.ink, view)

    def on_resize(self, event: Resize) -> None:
        """The cards fit themselves to the size."""
        super().on_resize(event)
        self._look()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the widget: of the head, the rows, or the collections under them."""
        width, ground = self.size.width, self.ink("ink", on="ground")
        if not self._looks:
            return Strip([Segment(" " * width, ground)], width)
        bottom = self.painter.layout.bottom
        if TOP <= y < bottom:
            line = self.painter.line(self._looks, y)
        else:
            words = self._head[y : y + 1] if y < TOP else self._notes[y - bottom : y - bottom + 1]
            line = [
                Segment(part, self.ink(colour, on="ground", bold=bold))
                for said in words
                for part, colour, bold in said
            ]
        return Strip(line).adjust_cell_length(width, ground)

    # -- what is chosen --------------------------------------------------------------------------------------

    def prompt(self) -> Text:
        """To call a row; on a small screen with what the signs in the one under the cursor are."""
        said, width = prompts.prompt(self.scene, self.cursor), self.screen.size.width
        if self.cursor is None or width >= _NAMED or not self.scene.observation.rows[self.cursor - 1]:
            return said
        row = prompts.told_row(self.scene, self.cursor, self.glyphs)
        both = text("{said}  {row}", said=said, row=row)
        return both if cell_len(render(both)) <= width - _AROUND_PROMPT else said

    def actions(self) -> Sequence[Action]:
        """What Enter calls."""
        return tuple(prompts.actions(self.scene, self.cursor))

    def perform(self, name: str) -> Text | None:
        """A digit calls its row."""
        if name not in CHOICE_OF:
            return super().perform(name)
        self._call(CHOICE_OF[name])
        return None

    def action_step(self, right: int, down: int) -> None:  # noqa: ARG002
        """Move the cursor to the next or previous row."""
        rows = len(self.scene.observation.rows)
        start = self.cursor if self.cursor is not None else 0 if down > 0 else rows + 1
        if down:
            self._go(max(1, min(rows, start + down)))

    def action_jump(self, by: int) -> None:
        """Move the cursor to the next or previous row that can be called, around the end."""
        if self.scene.legal:
            self._go(next_of(sorted(self.scene.legal), self.cursor, by))

    def action_do(self) -> None:
        """Call the row under the cursor, once there is one."""
        if self.cursor is not None:
            self.choose(self.cursor, is_laid_out=True)
        elif self.scene.may_act:
            self.post_message(
                self.Refused(text("Point at a row first: by its number, the arrows or a click."))
            )

    def step_back(self) -> bool:
        """Point at no row any more."""
        had_cursor = self.cursor is not None and self.scene.may_act
        if had_cursor:
            self._go(None)
        return had_cursor

    def _go(self, row: Move | None) -> None:
        if row == self.cursor:
            return
        self.cursor = row
        self._look()
        self.tell()

    def point_at(self, move: Move) -> bool:
        """To the row that is called."""
        self._go(move)
        return True

    def _call(self, row: Move) -> None:
        if row <= len(self.scene.observation.rows):
            self._go(row)
        self.choose(row)

    def thing_at(self, x: int, y: int) -> Move | None:  # noqa: ARG002
        """The row at a place."""
        return self.painter.layout.row_at(y)

    def hover_changed(self) -> None:
        """Another row is the one that a click would call."""
        self._look()

    def on_click(self, event: Click) -> None:
        """Call the row that was clicked."""
        row = self.painter.layout.row_at(event.y)
        if row is not None:
            self._call(row)
