"""The first screen at a server: all tables, and who is here."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.text import text
from kk_core.wire.messages import GoTo
from kk_core.wire.views import TableLine
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.new_game import NewGame


class Lobby(KkScreen):
    """Open a table or enter one."""

    def body(self) -> ComposeResult:
        """The list and the people."""
        yield OptionList(id="tables")
        yield Static(id="here", markup=False)

    def place_changed(self) -> None:
        """Renew list and people, keeping the cursor on its table."""
        super().place_changed()
        lobby = self.kk.store.lobby
        if lobby is None:
            self.title_line(_("Connecting ..."))
            return
        self.title_line(_("Tables - you are {name}", name=self.kk.user))
        tables = self.query_one(OptionList)
        here = tables.highlighted_option.id if tables.highlighted_option else None
        tables.set_options([Option(self._words(table), id=table.id) for table in lobby.tables])
        ids = [table.id for table in lobby.tables]
        tables.highlighted = ids.index(here) if here in ids else (0 if ids else None)
        users = ngettext(
            "{n} here: {names}", "{n} here: {names}", len(lobby.users), names=", ".join(lobby.users)
        )
        self.query_one("#here", Static).update(users)
        if self.is_current:
            tables.focus()
            self._explain(bool(ids))

    def _explain(self, any_table: bool) -> None:
        if self.kk.settings_fault is not None:
            self.complain(self.kk.settings_fault)
        elif any_table:
            self.say(_("Enter goes to the table under the cursor; n opens a new one."))
        else:
            self.say(_("No table is open. Press n to open one."))

    def _words(self, table: TableLine) -> Content:
        face = self.kk.faces.get(table.game)
        game = render(face.meta.name) if face else table.game
        names = ", ".join(seat.name for seat in table.seats if seat.name)
        free = sum(1 for seat in table.seats if not seat.owner and not seat.bot)
        phases = {"open": _("open, {n} free", n=free), "playing": _("playing"), "finished": _("finished")}
        state = phases.get(table.phase, table.phase)
        title = f"{table.title}  " if table.title else ""
        return Content.assemble(
            (f"{state:<16}", "$gold"),
            (title, "bold $ink"),
            (game, "$ink"),
            (f"\n{'':<16}{names}", "$ink-dim"),
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        chosen = event.option_id
        self.ask(lambda number: GoTo(number, chosen))

    def actions(self) -> Sequence[Action]:
        """Enter a table, open one, rules, away."""
        lobby = self.kk.store.lobby
        enter = [Action("do", text("go there"))] if lobby and lobby.tables else []
        return (*enter, Action("new"), Action("settings", minor=True), Action("help"), Action("leave"))

    def do_new(self) -> None:
        """Open a table."""
        self.app.push_screen(NewGame())
