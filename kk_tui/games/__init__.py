"""The faces of the games: how each one looks and is played on the screen.

Every folder here is one game, named as in `kk_core.games`; its module `face` has a function
`create() -> Face`. Nothing outside such a folder knows which games there are.

A face knows no rules. What is possible is in `scene.legal`; why something is not, the table screen asks
the engine (post `Board.Tried`). Names, points and whose turn it is are drawn by the table screen; a face
gives only what its game adds.

What a game needs: a subclass of `kk_tui.widgets.board.Board`, a class with the members of `Face`, colours
and signs of its own. Words go through `kk_core.text.text/texts` where a `Text` is returned, and through
`kk_tui.i18n` where a widget draws them. Styled lines are `textual.content.Content` with theme variables:
`Content.assemble(("3", "$seat-0"), " stones")`; never feed names through markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, TypeVar

from textual.content import Content
from textual.widget import Widget

from kk_core.text import Text
from kk_core.types import Meta, Observation, Seat
from kk_core.wire.views import LogEntry
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Pairs
from kk_tui.widgets.board import Board

O = TypeVar("O", bound=Observation)  # noqa: E741 - the letter that the Game protocol uses


class Face(Protocol[O]):
    """One game on the screen. All members are pure but the three that make widgets."""

    @property
    def meta(self) -> Meta:
        """The game's meta, from its `meta` module."""
        ...

    @property
    def observation(self) -> type[O]:
        """The shape of its observations, from its `model` module."""
        ...

    @property
    def drawing(self) -> type[Any] | None:
        """The shape of its drawing data, from its `model` module; None for a game without any."""
        ...

    @property
    def colours(self) -> Mapping[str, tuple[str, str]]:
        """Theme variables of its own: name to (by candle light, by day); prefix them with the game."""
        ...

    @property
    def glyphs(self) -> Pairs:
        """Signs of its own: name to (Unicode, ASCII), one column each; prefix them with the game."""
        ...

    def board(self) -> Board[O]:
        """A new board widget: 56 x 21 cells at 80x24, 84 x 37 at 120x40; a column more if it `IS_BROAD`."""
        ...

    def chart(self, scene: Scene[O]) -> Widget:
        """The score chart for the result screen, of a finished match; may scroll when 80x24 is too small."""
        ...

    def status(self, scene: Scene[O]) -> Text:
        """For the header line: round and phase, e.g. "Round 3: taking cards"."""
        ...

    def prompt(self, scene: Scene[O], board: Board[O]) -> Text:
        """One sentence (at most 78 columns) of what the viewer can do now; only asked when he can act.

        `board` is the widget of `board()`, so that the second half of a choice has its own sentence.
        """
        ...

    def actions(self, scene: Scene[O], board: Board[O]) -> Sequence[Action]:
        """What can be done by key now besides moving the cursor, the most important first."""
        ...

    def person(self, scene: Scene[O], seat: Seat) -> Content:
        """One line (at most 18 columns at 80x24) under a name: what the player has."""
        ...

    def panel(self, scene: Scene[O]) -> Sequence[Content]:
        """Further lines (at most 21 columns at 80x24) under the people: limits, piles, open cards."""
        ...

    def collections(self, scene: Scene[O]) -> Sequence[Content]:
        """The lines of the drawer "collections": who has what. 21 columns at 80x24, `c` opens it."""
        ...

    def sheet_label(self, scene: Scene[O], line: int) -> Text:
        """What the score sheet calls a line of `observation.sheet`, in at most 21 columns."""
        ...

    def holds_secrets(self, scene: Scene[O], seat: Seat) -> bool:
        """Whether the view of a seat shows what others at the same screen must not see.

        Asked with any viewer's scene, a spectator's too, before the screen is handed to that seat.
        """
        ...

    def describe(self, scene: Scene[O], entry: LogEntry) -> Sequence[Text]:
        """What the log says of a ply: the move (which is None while secret), then its events.

        `scene` is the newest one, for names and for what lies on the table.
        """
        ...

    def help(self) -> Sequence[Text]:
        """Rules and rulings in own short words, a paragraph each; a line beginning with "# " is a heading."""
        ...


@cache
def faces() -> Mapping[str, Face[Any]]:
    """All faces by the identifier of their game, in the order in which lists show the games."""
    names = [module.name for module in iter_modules(__path__) if module.ispkg]
    found = {name: import_module(f"{__name__}.{name}.face").create() for name in names}
    return dict(sorted(found.items(), key=lambda item: (item[1].meta.order, item[0])))
