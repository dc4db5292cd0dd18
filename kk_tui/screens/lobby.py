"""The first screen at a server: all tables, and the people who are here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from time import time
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size

from kk_core.protocol.messages import Browse, GetLessons, GoTo, Lessons
from kk_core.text import text
from kk_core.views import LobbyView, TableLine, is_guest
from kk_tui.account_words import GUESTS
from kk_tui.chat import admin_mark
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.calls import CallsScreen
from kk_tui.screens.chat import enter_words, line_words, speak
from kk_tui.screens.daily import DailyRow, DailyScreen
from kk_tui.screens.game_card import GameCard, LessonRow
from kk_tui.screens.history import LeaderboardScreen, PastMatchesScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.ssh_keys import SshKeysScreen
from kk_tui.screens.table_rows import details, heads, written
from kk_tui.table.ranks import YOUR_TURN, YOURS, rank
from kk_tui.table_words import here_words, program_words
from kk_tui.widgets.bars import TextLine
from kk_tui.widgets.chat_panel import ChatPanel
from kk_tui.widgets.form import LineButton
from kk_tui.widgets.runs import Row
from kk_tui.widgets.table_list import Listing, TableList

_FILTERS: Final = {
    "all": text("All tables"),
    "own": text("Your tables"),
    "open": text("Open tables"),
    "playing": text("Matches in progress"),
}
"""Filters of the list, named as in `Browse`; those of one phase are named after it."""

_LISTED: Final = ("own", "others", "first", "total")
_PEOPLE: Final = ("users", "here", "admins", "programs")
"""Parts of a view that the list shows, and those that the line of people shows."""

_FIRST: Final = 8
"""Lines requested before the height of the list is known."""

_JOIN: Final = "/join "
"""The beginning of a line that asks to join a table."""

_HIGH: Final = 27
"""Rows from which games and lessons have their own space; below, all stands close."""

_MANY: Final = 0.4, 0.3
"""Shares of the screen: if tables need more than the first, games make way, until they need less than the
second. So the screen does not change with each table that comes and goes.
"""

_AROUND: Final = 5
"""Rows that go with the list: the names of columns above, and the details below."""

_MINUTE: Final = 60
"""Seconds; absences are shown in minutes."""

_SIDES: Final = 4
"""Columns beside the list and the line of people."""


class LobbyScreen(KkScreen):
    """The list of tables, the people, the chat, and a card for each game."""

    CSS = """
    LobbyScreen #heads, LobbyScreen #details { display: none; padding: 0 2; }
    LobbyScreen.-listed #heads, LobbyScreen.-listed #details { display: block; }
    LobbyScreen #heads { height: 1; margin-top: 1; color: $ink-dim; }
    LobbyScreen #details { height: 2; background: $ground-deep; margin-bottom: 1; }
    LobbyScreen #tables { height: auto; max-height: 40%; }
    LobbyScreen DailyRow { margin-top: 1; padding: 0 2; }
    LobbyScreen LessonRow { padding: 0 1; }
    LobbyScreen.-close #heads { margin-top: 0; }
    LobbyScreen.-close #tables { max-height: 9; }
    LobbyScreen.-close #games { margin-top: 0; }
    LobbyScreen.-close LessonRow { display: none; }
    LobbyScreen #games { height: 1fr; min-height: 3; padding: 0 1; margin-top: 1; }
    LobbyScreen.-close.-listed #games { height: 5fr; max-height: 5; }
    /* no more than can be asked for at once */
    LobbyScreen.-crowded #tables { height: 1fr; max-height: 64; }
    LobbyScreen.-crowded #games { height: 3; }
    /* what tables that come and go leave free: cards and chat stay where they are */
    LobbyScreen.-close.-listed #here { height: 1fr; }
    LobbyScreen.-close.-crowded #games { height: 1; min-height: 1; margin-top: 1; }
    LobbyScreen.-close.-crowded DailyRow { margin-top: 0; }
    LobbyScreen.-close.-crowded #here { height: 1; }
    LobbyScreen.-close.-crowded #details { margin-bottom: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "to_tables", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    DEFAULT_CSS = """
    LobbyScreen ChatPanel { height: auto; border-top: solid $ink-line; }
    LobbyScreen Said { height: auto; min-height: 1; max-height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._had_tables = False
        self._shows = "all"
        self._has_asked = False  # for lessons and the deal of the day

    def body(self) -> ComposeResult:
        """Compose list, people, games and chat."""
        tables = TableList(self._row, id="tables")
        tables.begin_at(self.kk.left_list_at)
        yield TextLine("heads")
        yield tables
        yield TextLine("details")
        yield TextLine("here")
        with Horizontal(id="games"):
            for game in self.kk.games.values():
                yield GameCard(game, opens_table=True)
        yield LessonRow(self.kk.games.values())
        yield DailyRow()
        yield ChatPanel(self.kk.chat_console.completed)

    def _classes_at(self, size: Size) -> dict[str, bool]:
        return super()._classes_at(size) | {"-close": size.height < _HIGH}

    def place_changed(self) -> None:
        """Update list and people, keeping the cursor on its table."""
        super().place_changed()
        lobby = self.kk.store.lobby
        if lobby is None:
            self.title_line(_("Connecting..."))
            return
        if not self._has_asked:  # once; after a match there is a new screen
            self._has_asked = True
            self.work(self._fill_rows())
        which = render(_FILTERS.get(lobby.shows, _FILTERS["all"]))
        self.title_line(_("{which} - you are {name}", which=which, name=self.kk.user))
        self.query_one("#heads", TextLine).say(heads(self, self._columns))
        self._list(lobby)
        self._tell_people(lobby)
        # the chat wraps to its width, which is unknown before the first layout
        self.call_after_refresh(self._show_chat)
        self._had_tables, shown, self._shows = self._tables.display, self._shows, lobby.shows
        if self.is_current and not self._chat.is_written_in:
            # if the user is at the games, an update of the same list leaves them there
            if shown != lobby.shows or not (isinstance(self.focused, GameCard) or self._is_at_daily):
                self._focus_first()
            self._explain()

    def _show_chat(self) -> None:
        # not what was said when this was asked for: `take_news` may have shown more since
        lobby = self.kk.store.lobby
        if lobby is not None:
            self._chat.show(lobby, self.kk.chat_reader)

    def take_news(self, before: LobbyView, now: LobbyView) -> bool:
        """Show only what differs; return False if the whole screen must be updated."""
        if now.shows != before.shows:
            return False
        with self.at_once(self._tables, self._details, self._here, self._chat.said):
            if any(getattr(now, part) != getattr(before, part) for part in _LISTED):
                self._list(now)
            if any(getattr(now, part) != getattr(before, part) for part in _PEOPLE):
                self._tell_people(now)
            if now.chat is not before.chat:
                self._chat.show(now, self.kk.chat_reader)
        if now.chat is not before.chat:
            self.kk.chat_reader.follow(now, self.kk.user, is_open=True)
        # a list that appears or disappears moves the focus
        return self._tables.display is self._had_tables

    async def _fill_rows(self) -> None:
        # in this order, since the focus goes to the lessons once they are laid out
        await self._offer_lessons()
        await self.query_one(DailyRow).load(self)

    async def _offer_lessons(self) -> None:
        reply = await self.kk.request(GetLessons)
        if isinstance(reply, Lessons) and self.is_alive:
            self.query_one(LessonRow).show(reply.lessons, self.kk.recent.load().learnt)
            self.show_keys()
            if self.is_current and not self._chat.is_written_in:
                self._explain()

    @cached_property
    def _tables(self) -> TableList:
        return self.query_one(TableList)

    @cached_property
    def _details(self) -> TextLine:
        return self.query_one("#details", TextLine)

    @cached_property
    def _here(self) -> TextLine:
        return self.query_one("#here", TextLine)

    @cached_property
    def _chat(self) -> ChatPanel:
        return self.query_one(ChatPanel)

    def _tell_people(self, lobby: LobbyView) -> None:
        here = [
            f"{user} {admin_mark()}" if user in lobby.admins
            else f"{user}{program_words(is_program=user in lobby.programs)}"
            for user in lobby.users
        ]  # fmt: skip
        words = here_words(here, self.size.width - _SIDES, max(lobby.here, len(here)))
        # what a few tables leave free says what it is for; with each table that comes, it ends sooner
        free = ("", *self._free_words()) if self.has_class("-close") and self._tables.display else ()
        self._here.say("\n".join((words, *free)), "$ink-dim")

    def _free_words(self) -> Sequence[str]:
        """Return what the place between a few tables and the games is for."""
        return (
            _("Tables that others open appear here; {join} joins one by code or title.",
              join=KEYS["table"].shown),
            _("Enter on a game below opens one of your own, for people and bots."),
        )  # fmt: skip

    def _passes(self, table: TableLine, shows: str) -> bool:
        """Return whether one of the user's tables, or one that they are invited to, passes a filter."""
        if shows == "own":
            return rank(table, self.kk.user) in (YOUR_TURN, YOURS)
        return shows not in ("open", "playing") or table.phase == shows

    def _list(self, lobby: LobbyView) -> None:
        """List the tables that pass the filter, the user's own first."""
        lines = [table for table in lobby.own if self._passes(table, lobby.shows)]
        lines.sort(key=lambda table: (rank(table, self.kk.user), table.phase != "playing"))
        listing = Listing(lines, lobby.others, lobby.first, lobby.total, lobby.shows)
        tables, minute = self._tables, int(time() / _MINUTE)
        if minute != self._minute:
            self._minute = minute
            tables.time_passes()
        before = tables.pointed_line
        tables.show(listing, self.kk.came_from)
        # pictures of a few rows say less than the words that have their room then
        self.set_class(tables.display, "-listed")
        self.set_class(self._is_crowded(listing.count), "-crowded")
        if tables.pointed_line is not before:  # what Enter does depends on its state
            self.show_keys()
        self._tell_details()

    def _tell_details(self) -> None:
        """Tell of the table under the cursor what has no room in its row."""
        table = self._tables.pointed_line
        rows = () if table is None else details(self, table, self._columns)
        lines = [
            Content.assemble(*((words, f"{'bold ' * bold}${ink}") for words, ink, bold in row))
            for row in rows
        ]
        self._details.say(Content("\n").join(lines))

    def _is_crowded(self, tables: int) -> bool:
        """Return whether so many tables leave only a few rows to games."""
        share = _MANY[self.has_class("-crowded")]
        return tables + _AROUND > share * self.size.height

    def on_table_list_pointed(self, event: TableList.Pointed) -> None:
        """Update details, keys and prompt, which depend on the table under the cursor."""
        self._tell_details()
        self.show_keys()
        if event.is_moved and self.focused is self._tables:
            self._explain()

    def on_table_list_wanted(self, event: TableList.Wanted) -> None:
        """Request the lines around the visible ones."""
        lobby = self.kk.store.lobby
        if lobby is not None:
            self.ask(partial(Browse, first=event.first, size=event.size, shows=lobby.shows))

    def on_resize(self) -> None:
        """Fit the line of people and the lists to the new width."""
        self.call_after_refresh(self.place_changed)

    def _explain(self) -> None:
        if self.kk.settings_fault is not None:
            self.say(self.kk.settings_fault, "$refused")
        elif self.say_news():
            return
        elif self._chat.is_written_in:
            self._explain_line(self._chat.words)
        elif self._is_at_daily:
            self.say(_("Enter opens the deal of the day, the same for everybody."))
        elif isinstance(self.focused, LineButton) and self.game_chosen not in self.query_one(LessonRow).new:
            self.say(_("Press Enter to take this game's lesson again."))
        elif isinstance(self.focused, LineButton):
            self.say(_("New to this game? Press Enter to learn it by playing, in a few minutes."))
        elif self._is_at_lesson:
            self.say(
                _(
                    "Enter continues your lesson where you left it; {new} opens a table.",
                    new=KEYS["new"].shown,
                )
            )
        elif self.query_one(LessonRow).is_all_new and not isinstance(self.focused, GameCard):
            self.say(
                _(
                    "New here? Press {lesson} to learn a game by playing, in minutes; {new} opens a table.",
                    lesson=KEYS["lesson"].shown,
                    new=KEYS["new"].shown,
                )
            )
        elif not isinstance(self.focused, GameCard):
            self.say(
                _("Enter goes to the table under the cursor; {new} opens a new one.", new=KEYS["new"].shown)
            )
        elif self._shows == "all" and self.game_chosen in self.query_one(LessonRow).new:
            self.say(
                _(
                    "New to this game? {lesson} teaches you in a few minutes; Enter opens a table.",
                    lesson=KEYS["lesson"].shown,
                )
            )
        elif self._tables.display:
            self.say(_("Enter opens a table for this game; open tables are listed above."))
        else:
            self.say(
                _("No tables to show; {filter} changes the filter.", filter=KEYS["filter"].shown)
                if self.kk.store.lobby is not None and self.kk.store.lobby.shows != "all"
                else _("No tables are open yet. Enter opens one for this game, for people and bots.")
            )

    def _explain_line(self, words: str) -> None:
        if words.startswith(_JOIN):
            self.say(_("Type an invitation code, a title, or the name of a player, then Enter."))
        else:
            self.say(line_words(words, _("Everybody in the lobby will see this.")))

    def _row(self, table: TableLine, width: int) -> Row:
        return written(self, table, width)

    @property
    def _columns(self) -> int:
        """The columns of a row of the list."""
        return self.size.width - _SIDES - 1

    def on_descendant_focus(self) -> None:
        """Update keys and prompt, which depend on the focus."""
        self.show_keys()
        self._explain()

    def action_to_tables(self) -> None:
        """Move from the games to the list."""
        self._tables.focus()

    def on_game_card_pressed(self, event: GameCard.Pressed) -> None:
        """Open the form for a new table of a game."""
        self.app.push_screen(NewGameScreen(event.game))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Go to the deals of the day, or to the lesson of a game."""
        if event.button.id == "daily":
            self.do_draw()
        else:
            self.learn((event.button.id or "").removeprefix("lesson-"))

    @property
    def _is_at_daily(self) -> bool:
        return self.focused is not None and self.focused.id == "daily"

    @property
    def _is_at_lesson(self) -> bool:
        """True if the user's unfinished lesson is under the cursor."""
        table = self._tables.pointed_line
        is_own = table is not None and rank(table, self.kk.user) == YOURS
        return self.focused is self._tables and table is not None and table.lesson and is_own

    def do_draw(self) -> None:
        """Open the deals of the day."""
        self.app.push_screen(DailyScreen(self.game_chosen or self.kk.recent.kept.game))

    def do_lesson(self) -> None:
        """Go to a lesson."""
        if game := self._game_to_learn:
            self.learn(game)
        else:
            self.complain(text("Choose a game first."))

    def on_table_list_chosen(self, event: TableList.Chosen) -> None:
        """Go to a table."""
        chosen, self.kk.left_list_at = event.table, self._tables.place
        self.visit(lambda number: GoTo(number, chosen))

    @property
    def game_chosen(self) -> str:
        """The game of the focused card, of the lesson below it, or of the table under the cursor."""
        if isinstance(self.focused, GameCard):
            return self.focused.shown.meta.id
        if self.focused is self._tables and (pointed := self._tables.pointed_line) is not None:
            return pointed.game
        return self.query_one(LessonRow).game_of(self.focused)

    def actions(self) -> Sequence[Action]:
        """Return the actions of the lobby, or those of the chat input while it is focused."""
        if self._chat.is_written_in:
            return (Action("do", enter_words(self._chat.words)), Action("back", text("to the tables")))
        # its lesson needs the space: a newcomer has no past matches
        is_newcomer = self.query_one(LessonRow).is_all_new
        # "open" needs the space of this key, and the chat input is in sight
        is_chat_minor = is_newcomer or isinstance(self.focused, GameCard)
        return (
            self._enter(),
            Action("new", text("new"), whole=text("new table")),
            *self._lesson_action(),
            Action("table", text("join"), whole=text("join by code or title")),
            Action("filter", text("show"), whole=text("show other tables")),
            Action("chat", minor=is_chat_minor),
            Action("command", in_footer=False),
            Action("draw", text("deal"), minor=True, whole=text("deal of the day")),
            Action("log", text("past"), minor=is_newcomer, whole=text("past matches")),
            Action("sheet", text("leaderboard"), minor=True),
            Action("key", text("keys"), minor=True, whole=text("your SSH keys")),
            Action("mode", text("calls"), minor=True, whole=text("calls when it is your turn")),
            Action("settings", minor=True),
            Action("help"),
            Action("leave"),
        )

    def _enter(self) -> Action:
        """Return what Enter does where the focus is."""
        if isinstance(self.focused, GameCard):
            return Action("do", text("open"), whole=text("open a table"))
        if isinstance(self.focused, LineButton):
            return Action("do", text("open")) if self._is_at_daily else Action("do", text("learn"))
        table = self._tables.pointed_line
        if table is None or table.unplayable is not None:
            return Action("do", text("go"), whole=text("go there"))
        is_own = rank(table, self.kk.user) in (YOUR_TURN, YOURS)
        if table.phase == "open":
            return Action("do", text("go"), whole=text("go to the table"))
        if table.phase == "playing":
            return Action("do", text("continue") if is_own else text("watch"))
        return Action("do", text("go"), whole=text("go there"))

    def _lesson_action(self) -> Sequence[Action]:
        """Return the key of a lesson, which is always shown to newcomers."""
        row, game = self.query_one(LessonRow), self._game_to_learn
        if not row.teaches(game):
            return []
        return [Action("lesson", text("learn"), minor=game not in row.new, whole=text("learn by playing"))]

    @property
    def _game_to_learn(self) -> str:
        """The game whose lesson a key starts: the one in focus, the one played last, or the first new one."""
        row, last = self.query_one(LessonRow), self.kk.recent.kept.game
        return self.game_chosen or (last if row.teaches(last) else row.first)

    def open_chat(self, words: str) -> None:
        """Write in the input below the tables."""
        self._chat.begin(words)

    def do_filter(self) -> None:
        """Switch to the next filter."""
        lobby, kinds = self.kk.store.lobby, list(_FILTERS)
        if lobby is not None:
            next_ = kinds[(kinds.index(lobby.shows) + 1) % len(kinds)] if lobby.shows in kinds else kinds[0]
            self.ask(partial(Browse, first=0, size=_FIRST, shows=next_))

    def do_table(self) -> None:
        """Begin a line that joins a table by code or title."""
        self.open_chat(_JOIN)

    def on_chat_panel_spoken(self, event: ChatPanel.Spoken) -> None:
        """Say a line, or run it as a command for the table under the cursor."""
        # the line is on its way: its command needs no explaining any more
        self._explain_line("")
        speak(self, self._chat, event.line, self._tables.pointed)

    def on_input_changed(self) -> None:
        """Update keys and prompt for what Enter does with the line."""
        self.show_keys()
        if self._chat.is_written_in:
            self._explain()

    def on_chat_panel_left(self) -> None:
        """Return to the tables."""
        if self._chat.words == _JOIN:
            self._chat.clear()
        self._focus_first()
        self.place_changed()

    def _focus_first(self) -> None:
        """Focus the tables or, if there are none, the games."""
        tables, cards, last = self._tables, self.query(GameCard), self.kk.recent.kept.game
        played = next((card for card in cards if card.shown.meta.id == last), cards.first())
        self.set_focus(tables if tables.display else played)

    def do_new(self) -> None:
        """Open the form for a new table."""
        self.app.push_screen(NewGameScreen(self.game_chosen))

    def do_log(self) -> None:
        """Open the user's past matches."""
        self.app.push_screen(PastMatchesScreen())

    def do_sheet(self) -> None:
        """Open the leaderboard."""
        self.app.push_screen(LeaderboardScreen())

    def do_key(self) -> None:
        """Open the SSH keys of the user's account."""
        self._open_for_account(SshKeysScreen)

    def do_mode(self) -> None:
        """Open where the user is called when it is their turn."""
        self._open_for_account(CallsScreen)

    def _open_for_account(self, screen: Callable[[], KkScreen]) -> None:
        if is_guest(self.kk.user):
            self.complain(GUESTS)
        else:
            self.app.push_screen(screen())
