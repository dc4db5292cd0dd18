"""What screens share that list something by game: the choice of a game, the page where nothing is listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from kk_core.text import Text
from kk_tui.i18n import _, render
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.form import LineSelect

ALL = ""
"""The choice of all games."""


class _Which(LineSelect, can_focus=False):
    """Turned by the keys of the screen."""


class ByGame(KkScreen):
    """Left and right choose a game; subclasses list what there is of it in `show_game`."""

    DEFAULT_CSS = """
    ByGame #which { height: 1; padding: 0 2; }
    ByGame #nothing { display: none; width: 100%; height: 1fr; padding: 2 8; text-align: center; }
    ByGame #nothing { content-align: center middle; color: $ink-dim; }
    ByGame.-empty #nothing { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("right,tab", "turn(1)", show=False, priority=True),
    ]

    def choice(self, *more: tuple[str, str]) -> Iterator[Widget]:
        """The games to choose from, behind more choices."""
        games = [(game, self.game_name(game)) for game in self.kk.games]
        yield _Which(_("Game"), [*more, *games], id="which")

    def nothing(self, words: Text) -> Iterator[Widget]:
        """What stands there while nothing is listed."""
        yield Static(render(words), id="nothing", markup=False)

    @property
    def game(self) -> str:
        """The chosen one; `ALL` where that is a choice, too."""
        return self.query_one(_Which).value

    def show_game(self) -> None:
        """Hook: list what there is of the chosen game."""

    def action_turn(self, by: int) -> None:
        """Another game."""
        self.query_one(_Which).action_turn(by)

    def on_line_select_changed(self) -> None:
        """What there is of this one."""
        self.show_game()


def row(name: str, figures: Sequence[str], widths: tuple[int, int]) -> str:
    """A line of a table: a name and figures, in so many columns and so many for each figure."""
    wide, each = widths
    return set_cell_size(name, wide) + "".join(f"{figure:>{each}}" for figure in figures)
