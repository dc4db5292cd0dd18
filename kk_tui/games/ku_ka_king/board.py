"""The board of Ku-Ka-King: the rows of cards, a cursor, and what the last reveal brought."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.ku_ka_king.model import MAX_ROWS, NO_CALL, Observation
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.detail import Line, clip, head_lines, note_lines
from kk_tui.games.ku_ka_king.layout import TOP, layout_for
from kk_tui.games.ku_ka_king.picture import Painter, RowLook
from kk_tui.games.ku_ka_king.reveal import Reveal, last_reveal, standing, takers
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.widgets.board import Board


class KuKaKingBoard(Board[Observation]):
    """Draws the rows line by line; calling a row is one step."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
        Binding(KEYS["next"].key, "jump(1)", show=False),
        Binding(KEYS["previous"].key, "jump(-1)", show=False),
        Binding(KEYS["do"].key, "call", show=False),
        *(Binding(KEYS[f"choice_{row}"].key, f"call({row})", show=False) for row in range(1, MAX_ROWS + 1)),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.cursor: Move = 1
        self._painter: Painter | None = None
        self._looks: tuple[RowLook, ...] = ()
        self._head: list[Line] = []
        self._notes: list[Line] = []

    # -- what is shown

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the cursor on a row that can be called, when there is one."""
        if before is None or before.viewer != now.viewer:
            self.cursor = 1  # where the last one left it tells what he has called
        if before is None or before.match.commitment != now.match.commitment:
            self._painter = None
            self.refresh()
        if now.legal and self.cursor not in now.legal:
            self.cursor = min(now.legal, key=lambda row: (abs(row - self.cursor), row))
        self.cursor = min(self.cursor, len(now.observation.rows))
        self._look()

    def _look(self) -> None:
        """Find out anew how everything looks, and draw again what looks different."""
        scene = self.scene
        if scene is None or not self.size:
            return
        reveal, layout = standing(scene), self.painter.layout
        rows = looks(scene, reveal, self.cursor)
        head = head_lines(scene, reveal, self.glyphs, alone=layout.notes < 2)
        notes = note_lines(scene, reveal, self.cursor, self.glyphs, layout.notes)
        for row, (old, new) in enumerate(zip(self._looks, rows, strict=False), start=1):
            if old != new:
                self.refresh(Region(0, layout.top_of(row), layout.width, layout.pitch + layout.gap))
        if head != self._head:
            self.refresh(Region(0, 0, layout.width, TOP))
        if notes != self._notes:
            self.refresh(Region(0, layout.bottom, layout.width, layout.notes))
        self._looks, self._head, self._notes = rows, head, notes

    @property
    def painter(self) -> Painter:
        """What draws the rows at the present size."""
        assert self.scene is not None, "a board is shown a scene before it is drawn"
        view, (width, height) = self.scene.observation, self.size
        drawn = self._painter
        if drawn is None or (drawn.layout.width, drawn.layout.height) != (width, height):
            drawn = self._painter = Painter(
                layout_for(width, height, len(view.rows)), self.glyphs, self.ink, view
            )
        return drawn

    def on_resize(self, _event: Resize) -> None:
        """The cards fit themselves to the size."""
        self._look()
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw the cards anew when the theme has changed."""
        self._painter = None
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """One line of the widget: of the head, the rows, or the notes under them."""
        width, ground = self.size.width, self.ink("ink", on="ground")
        if self.scene is None or not self._looks:
            return Strip([Segment(" " * width, ground)], width)
        bottom = self.painter.layout.bottom
        if TOP <= y < bottom:
            line = self.painter.line(self._looks, y)
        else:
            words = self._head[y : y + 1] if y < TOP else self._notes[y - bottom : y - bottom + 1]
            line = [
                Segment(part, self.ink(colour, on="ground", bold=bold))
                for said in words
                for part, colour, bold in clip(said, width, self.glyphs["ellipsis"])
            ]
        return Strip(line).adjust_cell_length(width, ground)

    def revealed_at(self, scene: Scene[Observation]) -> int | None:
        """The ply of the last reveal."""
        return last_reveal(scene.match)

    # -- what is chosen

    def action_step(self, by: int) -> None:
        """Move the cursor to the next or previous row."""
        if self.scene is not None:
            self._go(max(1, min(len(self.scene.observation.rows), self.cursor + by)))

    def action_jump(self, by: int) -> None:
        """Move the cursor to the next or previous row that can be called, around the end."""
        rows = sorted(self.scene.legal) if self.scene is not None else []
        if rows:
            beyond = [row for row in rows if (row - self.cursor) * by > 0]
            self._go(rows[0 if by > 0 else -1] if not beyond else beyond[0 if by > 0 else -1])

    def _go(self, row: Move) -> None:
        if row == self.cursor:
            return
        self.cursor = row
        self._look()
        self.post_message(self.Cursor())

    def action_call(self, row: Move | None = None) -> None:
        """Call a row: the one under the cursor, or the one with a number."""
        if row is not None and self.scene is not None and row <= len(self.scene.observation.rows):
            self._go(row)
        self.choose(self.cursor if row is None else row)

    def on_click(self, event: Click) -> None:
        """Call the row that was clicked."""
        row = self.painter.layout.row_at(event.y) if self.scene is not None else None
        if row is not None:
            self.action_call(row)


def looks(scene: Scene[Observation], reveal: Reveal | None, cursor: Move) -> tuple[RowLook, ...]:
    """How every row looks: for whom it is open, who has called or taken it."""
    view = scene.observation
    taken = takers(scene)
    watching = scene.viewer is None and not scene.is_over
    own = scene.viewer if view.own_call != NO_CALL else None
    found = []
    for row, cards in enumerate(view.rows, start=1):
        callers = _callers(reveal, row) if reveal else ()
        clash = reveal.clashed.get(row) if reveal else None
        seat = taken.get(row) if row in view.taken else None
        found.append(
            RowLook(
                row=row,
                cards=cards,
                bright=bool(cards) and (row in scene.legal or row == view.own_call or watching),
                cursor=row == cursor,
                own=own if row == view.own_call else None,
                callers=callers,
                clashed=clash is not None,
                lost=clash[1] if clash and reveal and not reveal.ended_round else None,
                taker=None if seat is None else (scene.name(seat), seat),
            )
        )
    return tuple(found)


def _callers(reveal: Reveal, row: Move) -> tuple[Seat, ...]:
    """Who called a row in the reveal, or took it earlier in the round when that is over."""
    called = dict(reveal.calls)
    if reveal.ended_round:
        called = {**reveal.earlier, **called}
    return tuple(seat for seat, choice in called.items() if choice == row)
