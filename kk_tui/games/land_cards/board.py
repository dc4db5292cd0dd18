"""The board of the card game: four rows of cards, a cursor, and three lines about the card under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Leave, MouseMove
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.land_cards.model import (
    LAWS,
    TAKEN,
    EndTaking,
    GiveUp,
    Observation,
    Pass,
    PlayLaw,
    Skip,
)
from kk_tui.games.land_cards.choices import Choices, attempt, nearest, next_open, sort_moves, step
from kk_tui.games.land_cards.detail import detail_lines
from kk_tui.games.land_cards.grid import DETAIL, fit
from kk_tui.games.land_cards.holdings import holding_lines
from kk_tui.games.land_cards.marks import recent_cells
from kk_tui.games.land_cards.panels import legend, own_laws, played_lines
from kk_tui.games.land_cards.picture import Marks, Painter
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.widgets.board import Board


class LandCardsBoard(Board[Observation]):
    """Draws the layout line by line; a choice that takes two cells is kept as `picked`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1, 0)", show=False),
        Binding("right", "step(1, 0)", show=False),
        Binding("up", "step(0, -1)", show=False),
        Binding("down", "step(0, 1)", show=False),
        Binding(KEYS["next"].key, "jump(1)", show=False),
        Binding(KEYS["previous"].key, "jump(-1)", show=False),
        Binding(KEYS["do"].key, "do", show=False),
        Binding(KEYS["end"].key, f"try({EndTaking().move})", show=False),
        Binding(KEYS["pass"].key, "pass", show=False),
        Binding(KEYS["give"].key, f"try({GiveUp(None).move})", show=False),
        *(Binding(str(n), f"law({n})", show=False) for n in range(1, len(LAWS) + 1)),
    ]

    IS_BROAD = True  # so that the frame around the last column closes

    def __init__(self) -> None:
        super().__init__()
        self.picked: int | None = None
        self.cursor: int | None = None
        self._hover: int | None = None
        self._choices = Choices()
        self._marks = Marks()
        self._painter: Painter | None = None
        self._holdings: list[list[Segment]] = []

    # -- what is shown

    def scene_changed(self, _before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Forget a half-made choice and put the cursor on a card that can be chosen, when there is one."""
        view = now.observation
        self._choices = sort_moves(now.legal)
        self.picked = None
        opened = self._choices.open(None)
        still = self.cursor is not None and view.board[self.cursor] < TAKEN
        if opened and (not still or self.cursor not in opened):
            self.cursor = nearest(opened, self.cursor)
        elif not still:
            self.cursor = nearest([cell for cell, lies in enumerate(view.board) if lies < TAKEN], self.cursor)
        if self._hover is not None and view.board[self._hover] >= TAKEN:
            self._hover = None
        self._mark()
        self._holdings = []
        self.refresh()

    def _mark(self) -> None:
        assert self.scene is not None
        self._marks = Marks(
            cursor=self.cursor,
            picked=self.picked,
            open=self._choices.open(self.picked),
            recent=recent_cells(self.scene.match.recent(), self.scene.viewer),
        )

    @property
    def painter(self) -> Painter:
        """What draws the cards at the present size."""
        seats = len(self.scene.names) if self.scene else 0
        grid = fit(*self.size, seats)  # lines may be asked for before the event of a new size arrives
        if self._painter is None or self._painter.grid != grid:
            self._painter = Painter(grid, self.glyphs, self.ink)
        return self._painter

    def notify_style_update(self) -> None:
        """Draw the cards anew when the theme has changed."""
        self._painter = None
        self._holdings = []
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """One line of the widget: of the cards, or of the words under them."""
        width = self.size.width
        ground = self.ink("ink", on="ground")
        if self.scene is None:
            return Strip([Segment(" " * width, ground)], width)
        grid = self.painter.grid
        if y < grid.bottom:
            line = self.painter.line(self.scene.observation, self._marks, y)
        elif y < grid.bottom + DETAIL:
            line = self._detail(y - grid.bottom)
        elif grid.has_legend and y == grid.legend:
            words = " " * max(1, grid.left) + legend(self.glyphs)
            line = [Segment(words, self.ink("ink-dim", on="ground"))]
        else:
            line = self._holding(y - grid.holdings)
        return Strip(line).adjust_cell_length(width, ground)

    def _detail(self, y: int) -> list[Segment]:
        cell = self.cursor if self._hover is None else self._hover
        if self.scene is None or cell is None:
            return []
        lines = detail_lines(self.scene.observation, cell, self.scene.names, self.glyphs)
        return [
            Segment(
                " " * max(1, self.painter.grid.left) + lines[y],
                self.ink("ink" if y else "gold", on="ground", bold=not y),
            )
        ]

    def _holding(self, y: int) -> list[Segment]:
        if self.scene is None or not self.painter.grid.has_holdings or y < 0:
            return []
        if not self._holdings:
            self._holdings = holding_lines(self.scene, self.glyphs, self.ink)
        return self._holdings[y] if y < len(self._holdings) else []

    def aside(self) -> Sequence[Content]:
        """What the signs mean, if the board has no line for it, and the laws played if there is room."""
        if self.scene is None or self.painter.grid.has_legend:
            return ()
        signs = [Content.styled(legend(self.glyphs), "$ink-dim"), Content("")]
        return [*signs, *played_lines(self.scene.observation)] if self.painter.grid.has_holdings else signs

    def _redraw(self, *cells: int | None) -> None:
        """Draw again only the lines of some cells, and the words under the cards."""
        grid = self.painter.grid
        self._mark()
        width = self.size.width
        for cell in {cell for cell in cells if cell is not None}:
            lines = grid.lines_of(cell)
            self.refresh(Region(0, lines[0], width, len(lines)))
        self.refresh(Region(0, grid.bottom, width, DETAIL))

    # -- what is chosen

    def action_step(self, right: int, down: int) -> None:
        """Move the cursor to the next card in a direction."""
        if self.scene is not None and self.cursor is not None:
            self._go(step(self.scene.observation.board, self.cursor, right, down))

    def action_jump(self, by: int) -> None:
        """Move the cursor to the next or previous card that may be chosen now."""
        self._go(next_open(self._choices.open(self.picked), self.cursor, by))

    def _go(self, cell: int | None) -> None:
        before, self.cursor, self._hover = self.cursor, cell, None
        if before != cell:
            self._redraw(before, cell)
            self.post_message(self.Cursor())

    @property
    def can_choose(self) -> bool:
        """Whether the card under the cursor may be chosen now, or let go of."""
        return self.cursor is not None and self.cursor in {*self._choices.open(self.picked), self.picked}

    def action_do(self) -> None:
        """Choose the card under the cursor; where no card can be chosen, do the only thing that is left."""
        legal = self.scene.legal if self.scene is not None else ()
        if len(legal) == 1 and not self._choices.open(None):
            self.choose(min(legal))
        elif self.cursor is not None:
            self._choose_cell(self.cursor)

    def action_try(self, move: int) -> None:
        """Make a move that has a key of its own, or hear why not."""
        self.choose(move)

    def action_pass(self) -> None:
        """Leave the stones as they are, or skip the turn."""
        skip = Skip().move
        self.choose(skip if self.scene is not None and skip in self.scene.legal else Pass().move)

    def action_law(self, number: int) -> None:
        """Play one of one's own law cards, or hear why not."""
        laws = own_laws(self.scene.observation) if self.scene is not None else ()
        if number <= len(laws):
            self.choose(PlayLaw(laws[number - 1]).move)

    def _choose_cell(self, cell: int) -> None:
        if self.scene is None or self.pending:
            return
        if cell == self.picked:
            self.step_back()
        elif (move := self._choices.move_to(self.picked, cell)) is not None:
            self.choose(move)
        elif cell in self._choices.moves:
            self._pick(cell)
        else:
            self.choose(attempt(self.scene.observation.phase, self.picked, cell))

    def _pick(self, cell: int | None) -> None:
        self.picked = cell
        self._mark()
        self.refresh()
        self.post_message(self.Cursor())

    def step_back(self) -> bool:
        """Let go of the stone that was chosen to be moved."""
        if self.picked is None:
            return False
        self._pick(None)
        return True

    # -- the mouse

    def on_click(self, event: Click) -> None:
        """Choose the card that was clicked."""
        cell = self.painter.grid.cell_at(event.x, event.y)
        if cell is None or self.scene is None:
            return
        if self.scene.observation.board[cell] < TAKEN:
            self._go(cell)
        self._choose_cell(cell)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Tell about the card under the mouse."""
        self._hover_over(self.painter.grid.cell_at(event.x, event.y))

    def on_leave(self, _event: Leave) -> None:
        """Tell about the card under the cursor again."""
        self._hover_over(None)

    def _hover_over(self, cell: int | None) -> None:
        if cell is not None and (self.scene is None or self.scene.observation.board[cell] >= TAKEN):
            cell = None
        if cell != self._hover:
            self._hover = cell
            self._redraw()
