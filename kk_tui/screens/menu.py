"""The first screen at home: what to do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Center
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.text import text
from kk_core.wire.messages import GoTo
from kk_core.wire.views import TableLine
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.new_game import NewGame


class Menu(KkScreen):
    """New game, the matches that go on, rules, quit."""

    def body(self) -> ComposeResult:
        """The title and the list."""
        yield Static(self._title(), id="title", markup=False)
        with Center():
            yield OptionList(id="menu")

    def _title(self) -> Content:
        signs = self.kk.glyphs
        names = [render(face.meta.name) for face in self.kk.faces.values()]
        width = max(cell_len(name) for name in (*names, " " * 30)) + 6
        edge = signs["hh"] * width
        lines = [("Kardinal & König  -  Ku-Ka-King", "bold $gold"), *((name, "$ink-dim") for name in names)]
        parts: list[tuple[str, str]] = [(f"{signs['ornament']}{edge}{signs['ornament']}\n", "$gold")]
        for words, style in lines:
            parts += [
                (signs["vv"], "$ink-line"),
                (words.center(width), style),
                (f"{signs['vv']}\n", "$ink-line"),
            ]
        parts.append((f"{signs['ornament']}{edge}{signs['ornament']}", "$gold"))
        return Content.assemble(*parts)

    def place_changed(self) -> None:
        """Action the running matches."""
        super().place_changed()
        self.title_line("kk")
        menu = self.query_one(OptionList)
        entries = [
            Option(_("New game"), id="new"),
            *(Option(self._words(table), id=f"go:{table.id}") for table in self._going_on()),
            Option(_("Rules & help"), id="help"),
            Option(_("Quit"), id="quit"),
        ]
        before = menu.highlighted
        menu.set_options(entries)
        menu.highlighted = min(before or 0, len(entries) - 1)
        if self.is_current:
            menu.focus()
            self._explain()

    def _explain(self) -> None:
        if self.kk.settings_fault is not None:
            self.complain(self.kk.settings_fault)
        else:
            self.say(_("Choose with the arrow keys and Enter, or with a click."))

    def _going_on(self) -> Sequence[TableLine]:
        lobby = self.kk.store.lobby
        return [table for table in lobby.tables if table.phase == "playing"] if lobby else ()

    def _words(self, table: TableLine) -> Content:
        face = self.kk.faces.get(table.game)
        game = render(face.meta.name) if face else table.game
        names = ", ".join(seat.name for seat in table.seats)
        return Content(_("Go on: {game} with {names}", game=game, names=names))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do what was chosen."""
        chosen = event.option_id or ""
        if chosen == "new":
            self.do_new()
        elif chosen == "help":
            self.do_help()
        elif chosen == "quit":
            self.do_leave()
        else:
            self.ask(lambda number: GoTo(number, chosen.removeprefix("go:")))

    def actions(self) -> Sequence[Action]:
        """The same by key."""
        return (Action("do"), Action("new", text("new game")), Action("help"), Action("leave", text("quit")))

    def do_new(self) -> None:
        """Choose a game."""
        self.app.push_screen(NewGame())
