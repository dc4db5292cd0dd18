"""Who plays a game best at this server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from kk_core.text import text
from kk_core.wire.messages import GetLeaders, Leaders
from kk_core.wire.ratings import SETTLED, LeaderLine
from kk_tui.i18n import _, spelled
from kk_tui.keymap import Action
from kk_tui.people import format_rating
from kk_tui.screens.by_game import ByGame, row
from kk_tui.widgets.cover_view import CoverView

_NOTHING: Final = text(
    "Here stand those who play this game best, with their ratings and how often they have won. "
    "Nobody has a rating yet.\n\n"
    'To be the first, come with an SSH key, press n in the lobby, choose "Rated: yes" in the form, and play '
    "against others who have a key. After {n} matches a rating is settled and gets a place.",
    n=SETTLED,
)
_WIDTHS: Final = 27, 8
"""Columns of place and name, and of a figure."""


class Leaderboard(ByGame):
    """A table for each game: those first who have played enough, one's own line marked."""

    CSS = """
    Leaderboard #board { width: 1fr; min-width: 57; height: 1fr; }
    Leaderboard #columns { height: 1; padding: 0 2; margin-top: 1; color: $ink-dim; }
    Leaderboard #leaders { height: 1fr; padding: 0 2; }
    Leaderboard #lines { height: auto; }
    Leaderboard.-empty #columns, Leaderboard.-empty #leaders { display: none; }
    """

    def body(self) -> ComposeResult:
        """The games to choose from, the table, the game's picture where there is room for it."""
        with Horizontal(id="opening"):
            with Vertical(id="board"):
                yield from self.choice()
                columns = _("rating"), _("played"), _("won")
                yield Static(row(_place("", _("name")), columns, _WIDTHS), id="columns", markup=False)
                with VerticalScroll(id="leaders"):
                    yield Static(id="lines", markup=False)
                yield from self.nothing(_NOTHING)
            yield CoverView()

    def on_mount(self) -> None:
        """Ask for the first game's."""
        self.title_line(_("The best here"))
        self.query_one("#leaders").focus()
        self.show_game()

    def show_game(self) -> None:
        """Ask for the chosen game's."""
        self.query_one(CoverView).show(self.kk.games[self.game])
        self.work(self._fetch())

    async def _fetch(self) -> None:
        game = self.game
        reply = await self.kk.request(lambda number: GetLeaders(number, game))
        if isinstance(reply, Leaders) and self.is_alive and game == self.game:
            self._show(reply.lines)

    def _show(self, leaders: Sequence[LeaderLine]) -> None:
        lines = [self._line(leader) for leader in leaders]
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.set_class(not lines, "-empty")
        self.query_one("#leaders").scroll_home(animate=False)
        if lines:
            self.say(_("A rating with ? is a first guess, until {n} rated matches are played.", n=SETTLED))
        else:
            self.say(_("Nobody has a rating in this game yet."))
        self.show_keys()

    def _line(self, leader: LeaderLine) -> Content:
        place = f"{leader.place}." if leader.place else "-"
        figures = (
            format_rating(leader.rating),
            str(leader.played),
            f"{100 * leader.won / leader.played:.0f} %",
        )
        line = row(_place(place, spelled(leader.name)), figures, _WIDTHS)
        return Content.styled(line, "bold $gold" if leader.name == self.kk.user else "$ink")

    def actions(self) -> Sequence[Action]:
        """Other games, back."""
        return (Action("next", text("other game")), Action("help", minor=True), Action("back"))


def _place(place: str, name: str) -> str:
    return f"{place:>4} {name}"
