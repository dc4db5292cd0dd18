"""The matches of the past: how they ended, what they come to, and the way to their replays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.text import text
from kk_core.types import Seat
from kk_core.wire.messages import Forget, GetHistory, History, OpenReplay
from kk_core.wire.past import PastMatch
from kk_tui.bots import bot_label
from kk_tui.dates import format_when
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Confirm
from kk_tui.statistics import Standing, standings
from kk_tui.widgets.cover_view import CoverView
from kk_tui.widgets.form import LineSelect
from kk_tui.widgets.lines import packed
from kk_tui.widgets.options import Options

_ALL: Final = ""
_NOTHING: Final = text(
    "When a match is over, it stands here with its result, and can be looked at once more, move by move."
)
_NAME: Final = 20
_WHEN: Final = 17
"""Columns."""

_AROUND: Final = 3
"""Columns around a line of the list, and that of a scroll bar, which it may get with its lines."""

_BESIDE: Final = 120
"""Columns of a screen."""

_HIGH: Final = 38
"""Rows of a screen, under a short list of which there is room for the games."""

_FEW: Final = 4
"""Matches of a short list."""


class _Which(LineSelect, can_focus=False):
    """Turned by the keys of the screen."""


class PastMatches(KkScreen):
    """All matches or those of one game, the newest first, and the results of their people beside them."""

    CSS = """
    PastMatches #shelf { layout: vertical; height: 1fr; }
    PastMatches #which { height: 1; padding: 0 2; }
    PastMatches #matches { height: 1fr; width: 100%; padding: 0 1; margin-top: 1; }
    PastMatches #nothing { display: none; width: 100%; height: 1fr; padding: 2 8; text-align: center; }
    PastMatches #nothing { content-align: center middle; }
    PastMatches.-empty #nothing { display: block; color: $ink-dim; }
    PastMatches.-empty #matches, PastMatches.-empty #figures { display: none; }
    PastMatches #covers { display: none; height: 1fr; }
    PastMatches #covers CoverView { margin: 0 2 1 2; }
    PastMatches.-with-covers #covers { display: block; }
    PastMatches.-with-covers #shelf { height: 40%; margin-bottom: 1; }
    PastMatches #figures { height: 9; border-top: solid $ink-line; padding: 0 2; }
    PastMatches #results { height: auto; }
    PastMatches.-beside #shelf { layout: horizontal; }
    PastMatches.-beside #list { width: 1fr; }
    PastMatches.-beside #figures { width: 60; height: 1fr; border-top: none; border-left: solid $ink-line; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("right,tab", "turn(1)", show=False, priority=True),
        Binding("backspace", "act('delete')", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._matches: Sequence[PastMatch] | None = None

    def body(self) -> ComposeResult:
        """The games to choose from, the list, the figures."""
        with Vertical(id="shelf"):
            with Vertical(id="list"):
                games = [(game, self.game_name(game)) for game in self.kk.faces]
                yield _Which(_("Game"), [(_ALL, _("all games")), *games], id="which")
                yield Options(id="matches")
                yield Static(render(_NOTHING), id="nothing", markup=False)
            with VerticalScroll(id="figures", can_focus=False):
                yield Static(id="results", markup=False)
        with Horizontal(id="covers"):
            for _face in self.kk.faces:
                yield CoverView()

    def on_mount(self) -> None:
        """Ask for the matches."""
        for cover, face in zip(self.query(CoverView), self.kk.faces.values(), strict=True):
            cover.show(face)
        self.title_line(_("Matches of the past"))
        self.query_one(OptionList).focus()
        self.work(self._fetch())

    async def _fetch(self) -> None:
        reply = await self.kk.request(GetHistory)
        if isinstance(reply, History) and self.is_alive:
            self._matches = reply.matches
            self._show(self.query_one(OptionList).highlighted or 0)

    # -- drawing ---------------------------------------------------------------------------------------------

    def _shown(self) -> list[PastMatch]:
        game = self.query_one(LineSelect).value
        return [match for match in self._matches or () if game in (_ALL, match.game)]

    def _show(self, here: int = 0) -> None:
        """List and figures of the chosen game; the cursor stands on one of its lines."""
        shown = self._shown()
        matches = self.query_one(OptionList)
        matches.set_options([Option(self._line(match)) for match in shown])
        matches.highlighted = min(here, len(shown) - 1) if shown else None
        self._show_figures()
        self.set_class(not shown, "-empty")
        has_room = self.size.width >= _BESIDE and self.size.height >= _HIGH and len(shown) <= _FEW
        self.set_class(has_room, "-with-covers")
        if shown:
            self.say(_("Enter shows the match once more, Del deletes it; left and right choose a game."))
        else:
            self.say(_("No match has been played to its end yet."))
        self.show_keys()

    def _show_figures(self) -> None:
        """The game of the match under the cursor comes first."""
        shown, here = self._shown(), self.query_one(OptionList).highlighted
        first = shown[here].game if here is not None and here < len(shown) else ""
        self.query_one("#results", Static).update(
            self._figures(sorted(shown, key=lambda match: match.game != first))
        )

    def on_option_list_option_highlighted(self) -> None:
        """Another game may come first."""
        self._show_figures()

    def on_resize(self) -> None:
        """Lines are made for a width; from one on the figures stand beside them."""
        self.set_class(self.size.width >= _BESIDE, "-beside")
        if self._matches is not None:
            self._show(self.query_one(OptionList).highlighted or 0)

    def _line(self, match: PastMatch) -> Content:
        """When and what in a line, the people with their points under it; the winners are marked."""
        when = set_cell_size(format_when(match.at), _WHEN)
        mark = _("  played on from move {n}", n=match.replayed) if match.replayed else ""
        game = self.game_name(match.game)
        head = Content.assemble((when, "$ink-dim"), (game, "bold $ink"), (mark, "$happened"))
        seats = range(len(match.names))
        order = sorted(seats, key=lambda seat: (seat not in match.winners, -match.points[seat]))
        room = self.query_one(OptionList).size.width - _AROUND
        return Content.assemble(head, packed([self._person(match, seat) for seat in order], room, 2))

    def _person(self, match: PastMatch, seat: Seat) -> Content:
        crown = self.kk.glyphs["ornament"] if seat in match.winners else ""
        style = "bold $ink" if seat in match.mine else "$ink-dim"
        return self.person(
            seat, match.colours[seat], match.names[seat], style, f" {match.points[seat]}", (crown, "$gold")
        )

    def _figures(self, shown: Sequence[PastMatch]) -> Content:
        """A table for each game that was played."""
        lines: list[Content] = []
        for game in dict.fromkeys(match.game for match in shown):
            own = [match for match in shown if match.game == game]
            counted = ngettext("{n} match", "{n} matches", sum(not match.replayed for match in own))
            name = self.game_name(game)
            lines.append(Content.assemble((name, "bold $gold"), (f"  {counted}", "$ink-dim")))
            lines.append(_row("", (_("played"), _("won"), _("mean"), _("best")), "$ink-dim"))
            lines += [_figures_of(standing) for standing in standings(own)]
            lines.append(Content())
        return Content("\n").join(lines)

    # -- keys ------------------------------------------------------------------------------------------------

    def action_turn(self, by: int) -> None:
        """Another game."""
        self.query_one(LineSelect).action_turn(by)

    def on_line_select_changed(self) -> None:
        """Only this game's matches."""
        self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the replay; leaving it leads back here."""
        match = self._shown()[event.option_index]
        self.kk.return_to = PastMatches
        self.ask(lambda number: OpenReplay(number, match.table, match.match))

    def actions(self) -> Sequence[Action]:
        """The replay, other games, back."""
        own = [Action("do", text("replay")), Action("delete")] if self._shown() else []
        return (*own, Action("next", text("other game")), Action("help", minor=True), Action("back"))

    def do_delete(self) -> None:
        """Delete the match under the cursor; asks."""
        match = self._shown()[self.query_one(OptionList).highlighted or 0]
        question = text(
            "Delete the match of {names} from your history? It cannot be brought back.",
            names=", ".join(match.names),
        )
        self.app.push_screen(Confirm(question, lambda: self.work(self._delete(match)), text("Delete it")))

    async def _delete(self, match: PastMatch) -> None:
        await self.kk.request(lambda number: Forget(number, match.table, match.match))
        await self._fetch()


def _figures_of(standing: Standing) -> Content:
    name = bot_label(standing.bot) if standing.bot else standing.name
    won = f"{standing.won:.1f}".removesuffix(".0")
    figures = (str(standing.played), won, f"{standing.mean:.1f}", str(standing.best))
    return _row(name, figures, "$ink-dim" if standing.bot else "$ink")


def _row(name: str, cells: Sequence[str], style: str) -> Content:
    return Content.styled(set_cell_size(name, _NAME) + "".join(f"{cell:>8}" for cell in cells), style)
