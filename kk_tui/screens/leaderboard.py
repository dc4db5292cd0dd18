"""Who plays a game best at this server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from kk_core.text import text
from kk_core.wire.messages import GetLeaders, Leaders
from kk_core.wire.ratings import SETTLED, LeaderLine
from kk_tui.i18n import _, spelled
from kk_tui.keymap import Action
from kk_tui.people import format_rating
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.form import LineSelect

_PLACE: Final = 5
_NAME: Final = 22
_FIGURE: Final = 9
"""Columns."""


class _Which(LineSelect, can_focus=False):
    """Turned by the keys of the screen."""


class Leaderboard(KkScreen):
    """A table for each game: those first who have played enough, one's own line marked."""

    CSS = """
    Leaderboard #which { height: 1; padding: 0 2; }
    Leaderboard #columns { height: 1; padding: 0 2; margin-top: 1; color: $ink-dim; }
    Leaderboard #leaders { height: 1fr; padding: 0 2; }
    Leaderboard #lines { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("right,tab", "turn(1)", show=False, priority=True),
    ]

    def body(self) -> ComposeResult:
        """The games to choose from, and the table."""
        games = [(game, self.game_name(game)) for game in self.kk.faces]
        yield _Which(_("Game"), games, id="which")
        yield Static(_row("", _("name"), (_("rating"), _("played"), _("won"))), id="columns", markup=False)
        with VerticalScroll(id="leaders"):
            yield Static(id="lines", markup=False)

    def on_mount(self) -> None:
        """Ask for the first game's."""
        self.title_line(_("The best here"))
        self.query_one("#leaders").focus()
        self.work(self._fetch())

    async def _fetch(self) -> None:
        game = self.query_one(LineSelect).value
        reply = await self.kk.request(lambda number: GetLeaders(number, game))
        if isinstance(reply, Leaders) and self.is_alive and game == self.query_one(LineSelect).value:
            self._show(reply.lines)

    def _show(self, leaders: Sequence[LeaderLine]) -> None:
        lines = [self._line(leader) for leader in leaders]
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.query_one("#columns").display = bool(lines)
        self.query_one("#leaders").scroll_home(animate=False)
        if lines:
            self.say(_("A rating with ? is a first guess, until {n} rated matches are played.", n=SETTLED))
        else:
            self.say(_("Nobody has a rating in this game: whoever opens a table can have it rated."))
        self.show_keys()

    def _line(self, leader: LeaderLine) -> Content:
        place = f"{leader.place}." if leader.place else "-"
        won = f"{100 * leader.won / leader.played:.0f} %"
        row = _row(place, spelled(leader.name), (format_rating(leader.rating), str(leader.played), won))
        return Content.styled(row, "bold $gold" if leader.name == self.kk.user else "$ink")

    # -- keys ------------------------------------------------------------------------------------------------

    def action_turn(self, by: int) -> None:
        """Another game."""
        self.query_one(LineSelect).action_turn(by)

    def on_line_select_changed(self) -> None:
        """Ask for this game's."""
        self.work(self._fetch())

    def actions(self) -> Sequence[Action]:
        """Other games, back."""
        return (Action("next", text("other game")), Action("help", minor=True), Action("back"))


def _row(place: str, name: str, figures: Sequence[str]) -> str:
    cells = "".join(f"{figure:>{_FIGURE}}" for figure in figures)
    return f"{place:>{_PLACE - 1}} {set_cell_size(name, _NAME)}{cells}"
