"""The part of the app that involves other people: shuffles, notices, clocks, calls, the bell and chat."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input

from kk_core.protocol.messages import ClientMessage, Contribute, GoTo, Notice, SayPhrase
from kk_core.text import Text, text
from kk_core.views import TableView
from kk_tui import i18n
from kk_tui.app.configured import ConfiguredApp
from kk_tui.chat import FRESH, ChatReader
from kk_tui.client.shuffling import Shuffling
from kk_tui.keymap import KEYS, PHRASE_KEYS, Action
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen, offers
from kk_tui.screens.base import KkScreen, reading
from kk_tui.screens.chat import ChatScreen
from kk_tui.table.place_store import PlaceStore
from kk_tui.table_words import DATABASE_WAITS, next_change
from kk_tui.widgets.agreement import CALL_STAYS, Summons, heard_line, kept_line, proposal_line
from kk_tui.widgets.chat_panel import ChatPanel

_MINUTE: Final = 60.0
_AFTER: Final = 0.02
"""Seconds by which a clock is drawn late, so that it has certainly changed by then."""

_ALONE: Final = text("You're alone here; on a server you can chat with others.")

_AT_HOME: Final = (Action("table", text("coach"), minor=True),)

_TOGETHER: Final = (
    Action("chat", minor=True), Action("table", minor=True), Action("command", in_footer=False),
)  # fmt: skip

CHAT_KEYS: Final = ("chat", "command")
"""The actions that open the chat."""


class MultiplayerApp(ConfiguredApp):
    """An app in which people may meet others; at home (`local`) there are none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g", "go_there", "go to the table that calls", show=False, priority=True),
        *(
            Binding(key.lower(), f"say_phrase({number})", phrase.msgid, show=False, priority=True)
            for number, (key, phrase) in enumerate(PHRASE_KEYS)
        ),
    ]

    local: bool
    store: PlaceStore
    user: str

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Hook: send a request and return the answer. Raises `KkError` if refused or not connected."""
        raise NotImplementedError

    def __init__(self, *, contributes: bool, **configured: Any) -> None:
        super().__init__(**configured)
        self.shuffling = Shuffling(by_itself=contributes)
        self._opening_chat: ChatScreen | None = None
        self.call: Summons | None = None
        self.chat_reader = ChatReader()
        """The chat heard here, and the people who are muted."""
        self.notice: Text | None = None
        self._noticed_at = 0.0
        self._kept: deque[Notice] = deque()
        self._kept_since = 0.0
        self._clock: Timer | None = None
        self.awaited = list[ClientMessage]()
        """Requests that the server should have answered by now."""
        self.late_words: Text | None = None
        """What is said while the way to another place takes longer than it should."""
        self._dropped_words: Text | None = None
        self._telling_dropped: Timer | None = None

    @property
    def table_actions(self) -> tuple[Action, ...]:
        """The actions at a table with others; at home, where there are none, at most the coach."""
        table = self.store.table
        if not self.local:
            return _TOGETHER
        return _AT_HOME if table is not None and offers(table, self.user, is_alone=True) else ()

    @property
    def has_company(self) -> bool:
        """True if other people share the table, as players or spectators."""
        table = self.store.table
        users = () if table is None else (*(seat.owner for seat in table.seats), *table.watchers)
        return any(user not in (None, self.user) for user in users)

    @property
    def my_seats(self) -> tuple[int, ...]:
        """The seats at this table that belong to the user."""
        table = self.store.table
        if table is None:
            return ()
        return tuple(i for i, seat in enumerate(table.seats) if seat.owner == self.user)

    @property
    def seats_in_play(self) -> tuple[int, ...]:
        """The user's seats that have not given up."""
        table = self.store.table
        seats = () if table is None else table.seats
        return tuple(seat for seat in self.my_seats if not seats[seat].has_given_up)

    @property
    def shows_something(self) -> bool:
        """True once the first screen is there, which requires the first copy of the place."""
        return any(isinstance(screen, KkScreen) for screen in self.screen_stack)

    @property
    def screen_in_front(self) -> KkScreen:
        """The screen in front, not counting a dialog over it."""
        return next(screen for screen in reversed(self.screen_stack) if isinstance(screen, KkScreen))

    @property
    def news(self) -> Text | None:
        """The notice while it is too new to have been read."""
        is_old = self.notice is None or time.monotonic() - self._noticed_at >= reading(self.notice)
        return None if is_old else self.notice

    def _take_notice(self, sentence: Text) -> None:
        # At a match it goes above the header, because others' moves soon overwrite the prompt line.
        self.notice = sentence
        self._noticed_at = time.monotonic()
        self.set_timer(reading(sentence), lambda: self.post_message(self.PlaceChanged()))
        if not self.shows_something:
            return  # the first screen will show it
        if self.store.scene is None or isinstance(self.screen, ModalScreen):
            self.screen_in_front.notice(sentence)
        elif self.screen_in_front.is_alive:
            self.screen_in_front.renew()

    def _keep_notice(self, notice: Notice) -> None:
        first = self.kept_notice
        if notice.lapses:
            # before others: that the server will stop can't wait until they have been read
            self.drop_lapsed()
            self._kept.appendleft(notice)
            if self.shows_something:
                self.screen_in_front.take_back()  # what was said because of an earlier one
        else:
            self._kept.append(notice)
        if self.kept_notice is not first:
            self._kept_since = time.monotonic()
        self.show_above()

    def drop_lapsed(self) -> None:
        """Drop kept notices that are over with the connection by which they came."""
        first = self.kept_notice
        self._kept = deque(notice for notice in self._kept if not notice.lapses)
        if self.kept_notice is not first:
            self._kept_since = time.monotonic()
            self.show_above()

    @property
    def kept_notice(self) -> Notice | None:
        """The notice that stays above every header until it has been read."""
        return self._kept[0] if self._kept else None

    def read_kept(self) -> None:
        """Drop the notice that stays if it has been shown long enough: whoever presses a key has read it."""
        notice = self.kept_notice
        # An earlier press was meant for something else.
        if notice is not None and time.monotonic() - self._kept_since >= reading(notice.text):
            self._drop_kept()

    def _drop_kept(self) -> None:
        self._kept.popleft()
        self._kept_since = time.monotonic()
        self.show_above()

    def show_above(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, KkScreen) and screen.is_alive:
                screen.show_above()

    def watch_time(self) -> None:
        """Update, once a minute, whatever changes with time alone."""
        if not self.local:
            self.set_interval(_MINUTE, self._minute)

    def _minute(self) -> None:
        # A seat shows how many minutes its player has been away.
        table, lobby = self.store.table, self.store.lobby
        tables = [table] if table else lobby.tables if lobby else ()
        if any(seat.away for each in tables for seat in each.seats):
            self.post_message(self.PlaceChanged())

    def _follow_clock(self) -> None:
        """Redraw a running clock each time its figures change."""
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        scene = self.store.scene
        if scene is None or self.local:
            return
        wait = next_change(scene.table.clock, time.monotonic() - scene.seen_at)
        if wait is not None:
            self._clock = self.set_timer(wait + _AFTER, self._show_clock)

    def _show_clock(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, TableScreen):
                screen.show_side()
        self._follow_clock()

    def above(self) -> Content | None:
        """Return the line above the header: kept notice, late answer, proposal, call, news or chat."""
        table = self.store.table
        if self.kept_notice is not None:
            return kept_line(self.kept_notice)
        if table is not None and table.waits and not self.local:
            return Content.styled(i18n.render(DATABASE_WAITS), "bold $refused")
        if self.late_words is not None:
            return Content.styled(i18n.render(self.late_words), "bold $happened")
        if self.awaited:
            return Content.styled(i18n._("Waiting for the server..."), "bold $happened")
        if self.call is not None and table is not None and table.id == self.call.table:
            self.call = None
        fault = None if table is None else self.shuffling.fault(table, self.my_seats)
        if fault is not None:
            return Content.styled(i18n.render(fault), "bold $refused")
        proposed = None if table is None else proposal_line(table, self.user)
        called = None if self.call is None or self.call.is_old else self.call.words()
        told = None if self.store.scene is None else self._told()
        fresh = self.chat_reader.fresh
        heard = None if fresh is None else heard_line(table, fresh)
        is_newer = self.chat_reader.heard_at > self._noticed_at
        news = (heard or told) if is_newer else (told or heard)
        if told is None and self._dropped_words is not None:
            news = Content.styled(i18n.render(self._dropped_words), "bold $happened")
        return proposed or called or news

    def _told(self) -> Content | None:
        news = self.news
        return None if news is None else Content.styled(i18n.render(news), "bold $happened")

    def tell_dropped(self, words: Text) -> None:
        """Say above the header for a moment, unless something else is said there, that keys were dropped."""
        if self._telling_dropped is not None:
            self._telling_dropped.stop()
        self._telling_dropped = self.set_timer(reading(words), partial(self._show_dropped, None))
        self._show_dropped(words)

    def _show_dropped(self, words: Text | None) -> None:
        if self._dropped_words is not words:
            self._dropped_words = words
            self.show_above()

    def press_above(self) -> None:
        """Act on a click on the line above the header."""
        table = self.store.table
        if self._kept:
            self._drop_kept()
        elif table is not None and proposal_line(table, self.user) is not None:
            self.show_table_menu()
        elif self.call is not None and not self.call.is_old:
            self.action_go_there()
        else:
            self.show_chat("")

    def _take_call(self, sentence: Text, table: str) -> None:
        """Show on any screen that the user is wanted at a table, and ring if the settings allow it."""
        self.call = Summons(sentence, table)
        self.set_timer(CALL_STAYS, lambda: self.post_message(self.PlaceChanged()))
        self.post_message(self.PlaceChanged())
        # whoever has just pressed a key is looking, and has perhaps left that table a moment ago
        if not self.settings.bell or self.scheduler.is_asked:
            return
        if self.settings.window_title:
            self.ring(i18n.render(sentence))
        else:
            self.bell()

    def action_go_there(self) -> None:
        """Go to the table that calls, or else to one where it is the user's turn."""
        if self.local or not self.shows_something:
            return
        main = self.screen_stack[1]  # above Textual's default screen, and below all dialogs
        if not isinstance(main, KkScreen):
            return
        table = self._calling_table
        if table is None:
            self.screen_in_front.complain(text("No other table is waiting for you."))
        else:
            main.visit(partial(GoTo, table=table))

    @property
    def _calling_table(self) -> str | None:
        call, lobby = self.call, self.store.lobby
        # an old call counts where no list of tables tells more
        if call is not None and (lobby is None or not call.is_old):
            return call.table
        tables = () if lobby is None else lobby.tables
        return next((table.id for table in tables if table.waits_for(self.user)), None)

    def _contribute(self) -> None:
        table = self.store.table
        drawn = None if table is None or self.local else self.shuffling.follow(table, self.user)
        if drawn is not None:
            self.screen_in_front.work(self._send_part(drawn))

    async def _send_part(self, drawn: bytes) -> None:
        await self.request(partial(Contribute, drawn=drawn))
        self.shuffling.confirm(drawn)

    def is_in_shuffle(self, table: TableView) -> bool:
        """Return whether the user's bytes were in the shuffle of the match at a table."""
        return self.shuffling.is_in(table)

    async def add_words(self, words: str) -> None:
        """Add words typed by the user to the next shuffle here. Raises `KkError`."""
        await self._send_part(self.shuffling.add_words(self.store.table, words))

    def _listen(self) -> None:
        """Note new chat that is not on the screen anyway."""
        place = self.store.place
        if place is None:
            return
        before = self.chat_reader.fresh
        self.chat_reader.follow(place, self.user, is_open=bool(self.screen.query(ChatPanel)))
        if self.chat_reader.fresh is not before:
            # By then it is no longer new, and disappears from above the header.
            self.set_timer(FRESH, lambda: self.post_message(self.PlaceChanged()))

    def _begins_chat(self, screen: KkScreen, event: Key) -> bool:
        """Take the key that opens the chat."""
        name = next((name for name in CHAT_KEYS if KEYS[name].pressed == event.key), None)
        if name is None or isinstance(self.focused, Input):
            return False
        if not any(action.name == name for action in screen.actions()):  # at home there is nobody to talk to
            return False
        screen.do(name)
        return True

    def action_say_phrase(self, number: int) -> None:
        """Say the phrase of a function key."""
        if not self.shows_something:
            return
        if self.local:
            self.screen_in_front.complain(_ALONE)
        elif self.store.place is not None:
            self.screen_in_front.ask(partial(SayPhrase, phrase=number))

    def show_chat(self, words: str) -> None:
        """Show the chat over this table."""
        if self.local:
            self.screen_in_front.complain(_ALONE)
        elif self.store.table is not None and not isinstance(self.screen, ChatScreen):
            self.chat_reader.read()
            self._opening_chat = ChatScreen(words)
            self.push_screen(self._opening_chat)

    def show_table_menu(self) -> None:
        """Show the menu of the table."""
        table = self.store.table
        if self.local and (table is None or not offers(table, self.user, is_alone=True)):
            self.screen_in_front.complain(_ALONE)
        elif table is not None and not isinstance(self.screen, TableMenuScreen):
            self.push_screen(TableMenuScreen())
