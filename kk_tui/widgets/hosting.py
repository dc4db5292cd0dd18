"""The part of the form for a new table that only a server needs: who may come, and what is allowed."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from kk_core.bot_names import STAND_IN
from kk_core.wire.messages import OpenTable
from kk_tui.bots import bot_values
from kk_tui.clocks import NONE, PRESETS, format_rule
from kk_tui.i18n import _
from kk_tui.widgets.entry import Entry
from kk_tui.widgets.form import LineSelect

TITLE_LENGTH = 40


class Hosting(Vertical):
    """Title, guests, watchers, clock, stand-in, rating, hints."""

    DEFAULT_CSS = """
    Hosting { height: auto; }
    Hosting #titling { height: 1; }
    Hosting #titling Static { width: auto; padding: 0 2 0 1; color: $ink-dim; }
    Hosting #title-of-table { width: 1fr; max-width: 44; }
    """

    def __init__(self) -> None:
        super().__init__(id="hosting")

    def compose(self) -> ComposeResult:
        """The fields."""
        with Horizontal(id="titling"):
            yield Static(_("Title"), markup=False)
            placeholder = _("your name, if nothing is written")
            yield Entry("", placeholder, max_length=TITLE_LENGTH, compact=True, id="title-of-table")
        yield LineSelect(
            _("Who may come"),
            [("no", _("everybody")), ("yes", _("whoever has its code, or is invited"))],
            id="private",
        )
        yield LineSelect(
            _("Looking on"), [("yes", _("others may")), ("no", _("nobody but the players"))], id="watched"
        )
        yield LineSelect(
            _("Clock"), [(name, format_rule(rule)) for name, rule in PRESETS.items()], NONE, id="clock"
        )
        yield LineSelect(_("Stand-in for who is away"), bot_values(), STAND_IN, id="stand-in")
        yield LineSelect(
            _("Rated"),
            [("no", _("no")), ("yes", _("yes: everybody has an SSH key, no bots, no hints"))],
            id="rated",
        )
        yield LineSelect(_("Hints"), [("no", _("nobody gets any")), ("yes", _("whoever asks"))], id="hints")

    def on_line_select_changed(self) -> None:
        """Where matches are rated there are neither hints nor another stand-in to choose."""
        for name in ("#hints", "#stand-in"):
            self.query_one(name).display = not self.is_rated

    @property
    def is_rated(self) -> bool:
        """Whether matches are to be rated."""
        return self._is_chosen("rated")

    def wish(self, number: int, game: str, options: dict[str, str], seats: int) -> OpenTable:
        """The request to open such a table."""
        return OpenTable(
            number, game, options, seats, self.query_one("#title-of-table", Input).value.strip(),
            hints=self._is_chosen("hints") and not self.is_rated,
            private=self._is_chosen("private"), watched=self._is_chosen("watched"),
            clock=PRESETS[self.query_one("#clock", LineSelect).value], rated=self.is_rated,
            stand_in=STAND_IN if self.is_rated else self.query_one("#stand-in", LineSelect).value,
        )  # fmt: skip

    def _is_chosen(self, name: str) -> bool:
        return self.query_one(f"#{name}", LineSelect).value == "yes"
