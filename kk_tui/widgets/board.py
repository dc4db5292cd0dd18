"""The base of every game's board: it shows a scene and says what the player wants; it knows no rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from kk_core.types import Move, Observation
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

PRESS = "press"
"""The meta of what can be clicked in `Board.aside`."""

O = TypeVar("O", bound=Observation)  # noqa: E741 - the letter that the Game protocol uses


class Board(Widget, Generic[O], can_focus=True):
    """The hero of the table screen; a game subclasses it and draws its lines itself (`render_line`).

    The table screen calls `show` once before the first drawing and again for every change. A board keeps
    no state but where its cursor stands and the first half of a choice that takes two.
    """

    class Chosen(Message):
        """The player wants to make a legal move."""

        def __init__(self, move: Move) -> None:
            super().__init__()
            self.move = move

    class Tried(Message):
        """The player wants a move that is not legal; the table screen asks why and shows the answer."""

        def __init__(self, move: Move) -> None:
            super().__init__()
            self.move = move

    class Cursor(Message):
        """The cursor or a half-made choice has changed, so prompt and keys may have, too."""

    IS_BROAD: ClassVar[bool] = False
    """Whether the board takes a column from the side, which then has 21 at 80x24."""

    def __init__(self) -> None:
        super().__init__(id="board")
        self.scene: Scene[O] | None = None
        self.pending = False
        self._styles: dict[tuple[str | None, str | None, bool], Style] = {}

    def show(self, scene: Scene[O], *, pending: bool) -> None:
        """Take a new scene in; while `pending`, a move is under way and no second one is accepted."""
        before, self.scene, self.pending = self.scene, scene, pending
        if scene is not before:
            self.scene_changed(before, scene)

    def scene_changed(self, before: Scene[O] | None, now: Scene[O]) -> None:  # noqa: ARG002
        """Hook: adapt the cursor and refresh what differs; by default everything is drawn again."""
        self.refresh()

    def choose(self, move: Move) -> None:
        """Ask for a move: posts `Chosen` when it is legal, `Tried` when not, nothing while one is pending."""
        if self.scene is None or self.pending:
            return
        self.post_message(self.Chosen(move) if move in self.scene.legal else self.Tried(move))

    def perform(self, action: str) -> None:
        """Hook: an action of `Face.actions` without a move of its own was asked for by key or click."""

    def aside(self) -> Sequence[Content]:
        """Hook: lines (at most 22 columns) under the people that change with a half-made choice.

        A part of a line with the meta `PRESS: number` can be clicked, which calls `press`.
        """
        return ()

    def press(self, number: int) -> None:
        """Hook: a part of the lines of `aside` was clicked."""

    def revealed_at(self, scene: Scene[O]) -> int | None:  # noqa: ARG002
        """Hook: the ply that showed all at once what several had chosen in secret; None when there is none.

        Where several people share the screen, it stays for all to see until somebody hands the screen over.
        """
        return None

    def step_back(self) -> bool:
        """Hook for Esc: undo the first half of a choice; True when there was one."""
        return False

    @property
    def glyphs(self) -> Glyphs:
        """The signs that this terminal can draw."""
        app: Any = self.app
        found: Glyphs = app.glyphs
        return found

    def ink(self, colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        """A style from theme variables, e.g. `ink("seat-0", on="country-england")`; remembered."""
        key = (colour, on, bold)
        found = self._styles.get(key)
        if found is None:
            variables = self.app.theme_variables
            found = Style(
                color=variables[colour] if colour else None, bgcolor=variables[on] if on else None, bold=bold
            )
            self._styles[key] = found
        return found

    def notify_style_update(self) -> None:
        """Forget styles when the theme has changed."""
        self._styles.clear()
        super().notify_style_update()
