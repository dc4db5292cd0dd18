"""The waiting room of a table: who sits where, before the match begins."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.bot_names import bot_choices
from kk_core.text import text
from kk_core.wire.messages import GoTo, LeaveSeat, SetBot, Start, TakeSeat
from kk_core.wire.views import SeatView, TableView
from kk_tui.bots import bot_label
from kk_tui.i18n import _, render, spelled
from kk_tui.keymap import KEYS, Action
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.cover_view import CoverView
from kk_tui.widgets.options import Options


class TableSetup(KkScreen):
    """Take or free a seat, put bots on free ones, begin."""

    def body(self) -> ComposeResult:
        """The game and the seats."""
        with Horizontal(id="opening"):
            with Vertical():
                yield Static(id="summary", markup=False)
                yield Options(id="seats")
            yield CoverView()

    def place_changed(self) -> None:
        """Renew seats and keys."""
        super().place_changed()
        table = self.kk.store.table
        if table is None:
            return
        self.title_line(_("Table: {title}", title=table.title or table.id))
        self.query_one("#summary", Static).update(self._game(table))
        self.query_one(CoverView).show(self.kk.store.face)
        seats = self.query_one(OptionList)
        before = seats.highlighted
        seats.set_options([Option(self._seat(i, seat)) for i, seat in enumerate(table.seats)])
        seats.highlighted = before or 0
        if self.is_current:
            seats.focus()
            self._explain(table)

    def _explain(self, table: TableView) -> None:
        if all(_taken(seat) for seat in table.seats):
            self.say(_("All seats are taken: press g to begin."))
        else:
            self.say(_("Enter takes or frees the seat under the cursor, b puts a bot there."))

    def _game(self, table: TableView) -> Content:
        face = self.kk.store.face
        if face is None:
            return Content(table.game)
        chosen = dict(table.options)
        lines = [(render(face.meta.name) + "\n", "bold $gold"), (render(face.meta.summary) + "\n", "$ink")]
        for option in face.meta.options:
            for value in option.values:
                if chosen.get(option.name) == value.value:
                    lines.append((f"{render(option.label)}: {render(value.label)}\n", "$ink-dim"))
        if table.hints:
            lines.append((_("Whoever asks gets hints.") + "\n", "$ink-dim"))
        return Content.assemble(*lines)

    def _seat(self, index: int, seat: SeatView) -> Content:
        owner = (f" {self.kk.glyphs.owner(index)} ", f"bold $seat-{index}")
        if seat.bot:
            return Content.assemble(
                owner, (spelled(seat.name), "bold $ink"), (f" ({bot_label(seat.bot)})", "$ink-dim")
            )
        if not seat.owner:
            return Content.assemble(owner, (_("free"), "$ink-dim"))
        away = "" if seat.online else _(" (away)")
        mine = _(" (you)") if seat.owner == self.kk.user else ""
        return Content.assemble(owner, (spelled(seat.name), "bold $ink"), (f"{mine}{away}", "$ink-dim"))

    def on_option_list_option_highlighted(self) -> None:
        """Keys depend on the seat."""
        self.show_keys()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the seat, or free one's own; a bot's is freed by its own key."""
        table, seat = self.kk.store.table, event.option_index
        if table is None:
            return
        if table.seats[seat].owner == self.kk.user:
            self.ask(lambda number: LeaveSeat(number, seat))
        elif table.seats[seat].bot is not None:
            key = KEYS["bot"].shown
            self.complain(
                text("A bot sits here; {key} seats another one, and after the last nobody.", key=key)
            )
        else:
            self.ask(lambda number: TakeSeat(number, seat))

    def actions(self) -> Sequence[Action]:
        """What the seat under the cursor and the table allow."""
        table = self.kk.store.table
        if table is None or table.phase != "open":
            return (Action("help"), Action("back"))
        seat = table.seats[self.query_one(OptionList).highlighted or 0]
        if seat.owner == self.kk.user:
            enter = [Action("do", text("free the seat"))]
        else:
            enter = [] if _taken(seat) else [Action("do", text("take the seat"))]
        bot = [] if seat.owner else [Action("bot")]
        begin = [Action("start")] if all(_taken(each) for each in table.seats) else []
        return (*enter, *bot, *begin, Action("help"), Action("back"))

    def do_bot(self) -> None:
        """The next kind of bot, and after the last a free seat again."""
        table, seat = self.kk.store.table, self.query_one(OptionList).highlighted or 0
        if table is None:
            return
        cycle: list[str | None] = [*bot_choices(), None]
        now = table.seats[seat].bot
        following = cycle[(cycle.index(now) + 1) % len(cycle)] if now in cycle else None
        self.ask(lambda number: SetBot(number, seat, following))

    def do_start(self) -> None:
        """Begin."""
        self.ask(Start)

    def do_back(self) -> None:
        """To the lobby; a seat is kept."""
        self.ask(lambda number: GoTo(number, None))


def _taken(seat: SeatView) -> bool:
    return bool(seat.owner or seat.bot)
