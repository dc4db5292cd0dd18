"""The app: one connection, one place, and the screen that shows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from textual.actions import ActionParseResult
from textual.dom import DOMNode
from textual.events import Event, Key, MouseDown, Paste
from textual.message import Message

from kk_core.errors import KkError, where
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Hello,
    Hint,
    Notice,
    ReadWelcome,
    Weigh,
    Welcome,
    WelcomePage,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text, text
from kk_core.views import TableView, is_lobby
from kk_tui import languages
from kk_tui.app.type_ahead import LATE, TypeAheadApp
from kk_tui.client.client import Client, pauses
from kk_tui.games import Face
from kk_tui.i18n import render
from kk_tui.keymap import KEYS
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.press_guard import PressGuard
from kk_tui.saving import SaveState
from kk_tui.screens.base import AppOfScreens, KkScreen
from kk_tui.screens.chat_console import ChatConsole, RequestRate
from kk_tui.screens.commands import CommandsScreen
from kk_tui.screens.dialogs import CannotShowDialog, ConfirmScreen, LostDialog, WelcomeScreen
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.server_address import ServerAddress
from kk_tui.settings import PaceControl, RecentFile, SettingsStore
from kk_tui.table.landing import at_step, land, stepless
from kk_tui.table.place_store import PlaceStore
from kk_tui.table.turn_signal import TurnSignal
from kk_tui.terminal.capabilities import TerminalKind
from kk_tui.terminal.driver import TakenTurn, Turn
from kk_tui.terminal.painted_screen import BlankScreen

Connect = Callable[[], Awaitable[ClientLink]]
"""Opens a link, at the start and for each reconnect. Raises `KkError` with the reason."""

_PATIENCE: Final = 0.2
"""Seconds after which menu or lobby is shown even if the place is not known yet."""


class KkApp(TypeAheadApp):
    """The games on a screen; the same app at home (`local`), with `kk connect`, and hosted by a server.

    `connect` opens the link. With `local` there is a menu instead of a lobby. `records` is the folder for
    saved records; None (hosted sessions) disables saving. `language` is the locale of the terminal, for which
    settings may have another; `demanded_language` precedes them until they are changed. `kind` describes the
    terminal; None detects this process's. `account` is the user's name on this machine. `save_state` says
    whether matches at home are saved. With `reconnects` it reconnects automatically, with `contributes` it
    adds to every shuffle. `first_key` is the fingerprint of a server that this machine meets for the first
    time. `request_rate` is the host's limit for words in the chat.
    """

    CSS_PATH = Path(__file__).parents[1] / "styles" / "app.tcss"
    ALLOW_SELECT = False  # quick clicks would select whole panels; terminals select text with Shift
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - the form that Textual expects
        (0, "-narrow"), (80, "-normal"), (100, "-roomy"), (120, "-wide"), (160, "-large"), (200, "-huge"),
    ]  # fmt: skip
    VERTICAL_BREAKPOINTS = [(0, "-low"), (23, "-short"), (24, "-tall")]  # noqa: RUF012

    class Noticed(Message):
        """A notice came from the hub."""

        def __init__(self, notice: Notice) -> None:
            super().__init__()
            self.notice = notice

    class KeptOtherwise(Message):
        """Saving matches has stopped, or works again."""

    def __init__(
        self,
        connect: Connect,
        *,
        local: bool,
        records: Path | None = None,
        language: str | None = None,
        demanded_language: str | None = None,
        ascii_only: bool = False,
        light: bool = False,
        games: Mapping[str, Face[Any]] | None = None,
        kind: TerminalKind | None = None,
        settings: SettingsStore | None = None,
        pace: PaceControl | None = None,
        save_state: SaveState | None = None,
        go_to: str | None = None,
        only_replay: bool = False,
        recent: RecentFile | None = None,
        account: str = "",
        reconnects: bool = False,
        contributes: bool = False,
        first_key: str | None = None,
        request_rate: RequestRate | None = None,
    ) -> None:
        super().__init__(
            contributes=contributes,
            kind=kind,
            games=games,
            settings=settings,
            pace=pace,
            ascii_only=ascii_only,
            light=light,
        )
        self._connect_link = connect
        self.local = local
        self.records = records
        self.save_state = save_state or SaveState()
        self.save_state.changed = lambda: self.post_message(self.KeptOtherwise())
        self._terminal_language = language
        self._account_language = ""
        self._demanded_language = demanded_language
        self._use_language()
        self.animation_level = "none"  # each step would send another frame over the line
        self.user = ""
        self.server_address = ServerAddress()
        self.first_key = first_key
        """The fingerprint of a new server until the user has seen it; like `page`, it comes first."""
        self.page: WelcomePage | None = None
        self._page_read: WelcomePage | None = None  # not shown again after a reconnect
        self._is_greeting = False
        self.client: Client | None = None
        self.store = PlaceStore(self.faces)
        self.chat_console = ChatConsole(self, request_rate or RequestRate())
        self._step = stepless(go_to or "")  # of the replay that is looked at
        self._back_to = self._step[0] or None  # the table to go to once connected or reconnected
        self._taken_to: str | None = None  # a match that the user has not asked for, until it is shown
        self.only_replay = only_replay
        self.recent = recent or RecentFile()
        self.pages_read: set[tuple[str, int]] = set()
        """The steps of lessons, by game and number, whose pages have been read here."""
        self._account = account
        self._reconnects = reconnects
        self.return_to: Callable[[], KkScreen] | None = None
        """The screen to open once back in menu or lobby."""
        self._main: tuple[type[KkScreen], str] | None = None
        self.came_from: str | None = None
        """The table looked at last; None if a past match was."""
        self.left_list_at = 0, 0
        """The position in the list of tables before that: see `TableList.place`."""
        self._news: Turn = TakenTurn()
        """The one in which a change of the copy will be taken in."""
        self._seen: tuple[Client, int] | None = None
        self.press_guard = PressGuard()
        """Decides which presses are meant for the screen in front."""
        self._turns = TurnSignal(time.monotonic)

    @property
    def has_motion(self) -> bool:
        """True unless the host of the app has disabled motion."""
        return True

    # -- language --------------------------------------------------------------------------------------------

    def _use_language(self) -> None:
        language = languages.first_language(
            self._demanded_language, self.settings.language, self._account_language, self._terminal_language
        )
        self.translator = languages.translator(language)
        self.languages = languages.codes(language)

    def change_settings(self, **changes: Any) -> None:
        """Use other values from now on, and save them; another language is on all screens at once."""
        before = self.settings.language
        try:
            super().change_settings(**changes)
        finally:
            if self.settings.language != before:
                # what is chosen now precedes what was chosen elsewhere
                self._demanded_language, self._account_language = None, ""
                self._use_language()
                self.call_later(self._begin_again, isinstance(self.screen, SettingsScreen))

    async def _begin_again(self, is_choosing: bool) -> None:
        """Open new screens in place of those that keep words of another language."""
        await self._route(is_again=True)
        if is_choosing:
            await self.push_screen(SettingsScreen("language"))

    # -- connection ------------------------------------------------------------------------------------------

    async def on_mount(self) -> None:
        """Connect; which screen is shown first depends on the place that the hub sends."""
        if not self.settings.mouse:
            self.set_mouse()
        self.set_timer(_PATIENCE, self._show_home)
        self.watch_time()
        self.connect()

    def connect(self) -> None:
        """Open the link, stay on it until it ends, and then say so."""
        self.run_worker(self._stay_connected(), group="link", exclusive=True)

    async def _stay_connected(self) -> None:
        waits = pauses()
        while self.is_running:
            before = self.client
            reason = await self._connected()
            if not self._reconnects or not self.is_running:
                await self._show_lost(reason)
                return
            if self.client is not before:  # there was a connection in between
                waits = pauses()
            pause = next(waits)
            await self._show_lost(reason, pause)
            await asyncio.sleep(pause)

    async def _connected(self) -> Text:
        """Connect, stay on the link until it ends, and return why it ended or could not be opened."""
        try:
            link = await self._connect_link()
        except KkError as error:
            return error.reason
        client = self.client = Client(
            link,
            changed=self._take_news,
            noticed=lambda notice: self.post_message(self.Noticed(notice)),
        )
        # at home nothing is shown first, unless a table was asked for
        self._is_greeting = not self.local or self._back_to is not None
        self.run_worker(self._greet(client), group="greeting", exclusive=True)
        while self._lost is not None:  # and any dialogs over it
            await self.pop_screen()
        reason = await client.run()
        self.drop_lapsed()
        return reason

    async def _greet(self, client: Client) -> None:
        try:
            welcome = await client.request(lambda number: Hello(number, PROTOCOL_VERSION))
            if isinstance(welcome, Welcome):
                self.user, self.server_address = (
                    welcome.user,
                    ServerAddress(welcome.host, welcome.port, welcome.web),
                )
                self.page = None if welcome.page == self._page_read else welcome.page
                self._account_language = welcome.language
                self._use_language()
            was_at, self._back_to = self._back_to, None
            back_to = await land(client, self.user, was_at, goes_back=not self.local)
            if back_to not in (None, was_at):  # the user has not asked for it
                self._taken_to = back_to
        except (KkError, msgspec.ValidationError):
            pass  # `_show_lost` reports a broken link
        self._is_greeting = False
        self.post_message(self.PlaceChanged())  # only now are the user and the welcome page known

    async def _show_lost(self, reason: Text, pause: float | None = None) -> None:
        if not self.is_running:
            return
        await self._show_home()
        if self._lost is not None:
            self._lost.renew_reason(reason, pause)
        else:
            self._back_to = self.store.table.id if self.store.table else self._back_to
            self.push_screen(LostDialog(reason, pause))

    @property
    def _lost(self) -> LostDialog | None:
        """The screen that says that there is no connection."""
        # searched for, as a dialog may cover it
        return next((screen for screen in self.screen_stack if isinstance(screen, LostDialog)), None)

    async def on_unmount(self) -> None:
        """Leave the hub, and restore the window's title."""
        self.set_window_title(None)
        if self.client is not None:
            await self.client.close()
        self._news.cancel()  # a turn that waits keeps the app alive

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return the answer. Raises `KkError` if refused or not connected."""
        if self.client is None:
            raise LinkClosed(text("Not connected yet."))
        if self.scheduler.is_asked:  # the answer is what a key was for
            self.scheduler.ask()
        if not self._reconnects:  # the hub is in this process, or beside it
            return await self.client.request(make)
        sent: list[ClientMessage] = []

        def noted(number: int) -> ClientMessage:
            sent.append(make(number))
            return sent[0]

        def tell() -> None:
            if not isinstance(sent[0], Hint | Weigh):  # these take thought
                self.awaited.append(sent[0])
                self.show_above()

        late = asyncio.get_running_loop().call_later(LATE, tell)
        try:
            return await self.client.request(noted)
        finally:
            late.cancel()
            if sent and sent[0] in self.awaited:
                self.awaited.remove(sent[0])
                self.show_above()

    @property
    def revision(self) -> int:
        """The revision of the client's copy; -1 before the first."""
        return -1 if self.client is None else self.client.revision

    # -- places ----------------------------------------------------------------------------------------------

    def take_newest(self) -> None:
        """Decode the newest copy, which has the changes of a request by the time its answer arrives."""
        client = self.client  # a new one after each reconnect, with revisions starting again
        if client is not None and client.tree is not None and self._seen != (client, client.revision):
            self._seen = (client, client.revision)
            self.store.take(client.tree)
            table = self.store.table
            self.scheduler.is_at_match = self.store.scene is not None
            self.give_colours([seat.colour for seat in table.seats] if table else ())

    async def on_configured_app_place_changed(self) -> None:
        """Decode the newest copy, go to the screen that shows it, and update the one in front."""
        if self._is_greeting:  # a page may have to be shown first, or a match may be waiting
            return
        self.take_newest()
        if (self.store.place is None and self.store.fault is None) or not self.is_running:
            return
        self._signal()
        is_other = await self._route()
        if not self.is_running:  # the app may have ended during the await
            return
        self._listen()
        self._contribute()
        self._follow_clock()
        screen = self.screen
        if not is_other and isinstance(screen, KkScreen) and screen.is_alive:
            screen.renew()  # covered screens update themselves when they are uncovered
        await self.arrive(is_home=self._main is None)

    async def show_place(self) -> None:
        """Show the newest copy of the place, if it is not in front already, and arrive there."""
        is_seen = self.client is not None and self._seen == (self.client, self.client.revision)
        if is_seen and self._wanted() == self._main:
            await self.arrive(is_home=self._main is None)
        else:
            await self.on_configured_app_place_changed()

    def _take_news(self) -> None:
        """Take in a change of the copy in this app's turn, with all that follow until then."""
        if not self._news.is_waiting or self.scheduler.is_asked:
            self._news.cancel()
            self._news = self.scheduler.run(self._show_news)

    def _show_news(self) -> None:
        # without a message in between if only the lobby depends on it: a full lobby changes all the time
        if not self._is_news_of_lobby():
            self.post_message(self.PlaceChanged())

    def _is_news_of_lobby(self) -> bool:
        """Take in the news and return True if only the lobby depends on it."""
        client, before = self.client, self.store.lobby
        is_in_lobby = before is not None and self._main is None and not (self.local or self._is_greeting)
        if client is None or before is None or not is_in_lobby or not is_lobby(client.tree):
            return False
        if not self.is_running:  # while the app ends, it has no screen
            return False
        self._seen = (client, client.revision)
        self.store.take(client.tree)
        now, screen = self.store.lobby, self.screen
        if now is None:
            return False
        if isinstance(screen, LobbyScreen):
            return screen.is_alive and screen.take_news(before, now)
        return now.chat is before.chat  # of all this, only chat is shown above a screen that covers the lobby

    def _signal(self) -> None:
        signal = self._turns.follow_table(self.store.table, self.store.scene, self.store.face, self.user)
        title = signal.title if self.settings.window_title else None
        self.set_window_title(None if title is None else render(title))
        if signal.rings and self.settings.bell:
            self.bell()  # behind the title, which a browser's notification shows

    def last_words(self, error: Exception | None) -> str:
        """Return one sentence to replace a traceback, which would show hands."""
        return render(
            text(
                "kk had to stop because of a bug: {fault}",
                fault=where(error) if error else "",
            )
        )

    def get_default_screen(self) -> BlankScreen:
        """Return the blank screen under the first one."""
        return BlankScreen(id="_default")

    def _home(self) -> KkScreen:
        return MenuScreen() if self.local else LobbyScreen()

    async def _show_home(self) -> None:
        if len(self.screen_stack) == 1:  # only Textual's default screen
            await self.push_screen(self._home())

    async def _route(self, *, is_again: bool = False) -> bool:
        """Show the place; return True if that took a new screen, as it always does with `is_again`."""
        wanted = self._wanted()
        is_first = len(self.screen_stack) == 1
        if wanted == self._main and not is_first and not is_again:
            return False
        # at a table where a match begins, what is being typed in the chat goes on in that of the match
        is_same_table = wanted is not None and self._main is not None and wanted[1] == self._main[1]
        setup = self.screen_stack[1] if is_same_table else None
        unsent = setup.unsent if isinstance(setup, TableSetupScreen) else None
        was_somewhere = self._main is not None and self._main[0] is not WelcomeScreen
        is_arrival = is_first or (self._main is not None and not was_somewhere)
        if was_somewhere and not is_same_table:
            self._step = "", None  # whoever comes to a replay begins at its beginning
        self._main = wanted
        if wanted is None or wanted[0] is not WelcomeScreen:  # after it one is where one was going
            self.note_place("" if wanted is None else at_step(wanted[1], self.step_in(wanted[1])))
        # directly above Textual's default screen, which cannot be closed
        while len(self.screen_stack) > 2:
            await self.pop_screen()
        screen = self._home() if wanted is None else wanted[0]()
        is_table = isinstance(screen, TableScreen | TableSetupScreen | ReplayScreen)
        self.comes_up(screen if is_table and not is_again else None)
        await (self.push_screen(screen) if is_first else self.switch_screen(screen))
        if not isinstance(screen, WelcomeScreen):  # after which the match is shown
            taken_to, self._taken_to = self._taken_to, None
            if wanted is not None and wanted[1] == taken_to:
                screen.tell_awhile(text("You're back at your match; Esc goes to the lobby."))
        if self.warning is not None and isinstance(screen, TableScreen):
            screen.complain(self.warning)
        elif is_arrival and is_table and self.settings_fault is not None:  # menu and lobby say it themselves
            screen.complain(self.settings_fault)
        if wanted is not None:
            self.came_from = wanted[1] if wanted[0] is not ReplayScreen else None
            if isinstance(screen, TableScreen) and self.my_seats and (table := self.store.table) is not None:
                self.recent.save(self.recent.load().playing(table.game))
            self.return_to = self.return_to if wanted[0] is ReplayScreen else None
        elif self.return_to is not None:
            back, self.return_to = self.return_to, None
            await self.push_screen(back())
        if unsent is not None and isinstance(screen, TableScreen):
            self.show_chat(unsent)
        return True

    def note_place(self, place: str) -> None:
        """Do nothing about the table or replay that is shown from now on; "" is the lobby."""

    def step_in(self, replay: str) -> int | None:
        """Return the step at which a replay is, or was when its reader left, if it is known."""
        place, step = self._step
        return step if place == replay else None

    def note_step(self, step: int) -> None:
        """Note the step at which the replay here is, for a reader who comes back to it."""
        if self._main is not None and self._main[0] is ReplayScreen:
            self._step = self._main[1], step
            self.note_place(at_step(*self._step))

    def _wanted(self) -> tuple[type[KkScreen], str] | None:
        """Return the screen for the place and its table; None for menu or lobby."""
        if self.page is not None or self.first_key is not None:
            return (WelcomeScreen, "")
        table = self.store.table
        if self.store.fault is not None:
            return (CannotShowDialog, table.id if table else "")
        if table is None:
            return None
        if table.phase == "replay":
            return (ReplayScreen, table.id)
        if self.store.scene is not None:
            return (TableScreen, table.id)
        return None if self.local else (TableSetupScreen, table.id)

    def take_early(self, event: Event) -> bool:
        """Let the screen take a key at once, before Textual looks for bindings."""
        if isinstance(event, Key | MouseDown):
            self.read_kept()
        if isinstance(event, Key):
            self.press_guard.press(event.key)
        if isinstance(event, Key | Paste) and self.keeps(event):
            return True
        if not isinstance(event, Key):
            return False
        screen = self.screen
        if not isinstance(screen, KkScreen):
            return False
        screen.take_back()  # it has been read
        return self._begins_chat(screen, event) or screen.take_key(event)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; if a board fails while doing so, show that the table cannot be drawn."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            if self.store.scene is None:
                raise
            self.cannot_show(error)
            return True

    def cannot_show(self, error: Exception) -> None:
        """Show in the table's place why it cannot be drawn; the app itself continues."""
        self.log.error(where(error))
        self.store.give_up(error.reason if isinstance(error, KkError) else where(error))
        self.post_message(self.PlaceChanged())

    @property
    def own_name(self) -> str:
        """The user's name in the settings, else the last one they played under, else their account's."""
        return self.settings.name or self.recent.load().name or self._account

    def show_notice(self, sentence: Text) -> None:
        """Show a sentence like a notice from the hub, on any screen."""
        self.post_message(self.Noticed(Notice(sentence)))

    def on_kk_app_noticed(self, event: Noticed) -> None:
        """Show a notice, or call the user to the table it is about if that is another one."""
        here, notice = self.store.table, event.notice
        if notice.table is not None and (here is None or here.id != notice.table):
            self._take_call(notice.text, notice.table)
        elif notice.stays:
            self._keep_notice(notice)
        else:
            self._take_notice(notice.text)

    @property
    def warning(self) -> Text | None:
        """The warning that matches are not saved, with the reason; None in a mere replay."""
        place = self.store.table
        is_replay = self.only_replay and place is not None and place.phase == "replay"
        return None if is_replay else self.save_state.sentence

    def on_kk_app_kept_otherwise(self) -> None:
        """Say so on every screen, and from now on in the footer."""
        for screen in self.screen_stack:
            if isinstance(screen, KkScreen) and screen.is_alive:
                screen.keeping_changed()

    def ask_leave_table(self) -> None:
        """Go back to menu or lobby; players are first asked and told what will become of the match.

        Whoever has given up all their seats leaves as those do who watch.
        """
        table = self.store.table
        if self._has_unseen_scoring:
            question = text(
                "Leave the lesson? It is done, but you haven't seen its scoring: Enter, then {key}.",
                key=KEYS["view"].word,
            )
            self._ask(lambda: question, self.leave_table)
            return
        # a lesson waits where it is, and at home a finished match stays among those played, as a finished
        # deal of the day does anywhere, so there is nothing to ask unless it cannot be saved
        waits = table is not None and table.lesson is not None
        is_over = self.store.scene is not None and self.store.scene.is_over
        is_over = is_over and (self.local or (table is not None and table.daily is not None))
        is_kept = is_over and table is not None and not self.save_state.lost_with(table.id, is_over=True)
        if (not self.local and not self.seats_in_play) or waits or is_kept:
            self.leave_table()
        else:
            self._ask(self._leaving_words, self.leave_table)

    @property
    def _has_unseen_scoring(self) -> bool:
        """True after the last step of a lesson whose match has not been scored yet."""
        table, scene = self.store.table, self.store.scene
        is_taught = table is not None and table.lesson is not None and bool(table.lesson.learnt)
        return is_taught and scene is not None and not scene.is_over

    def _leaving_words(self) -> Text:
        scene, table = self.store.scene, self.store.table
        if scene is None or not scene.is_over:
            what = self._clock_words or _waiting_words(table)
        else:
            what = text("The match is over. The table closes once everybody has left.")
        lost = table and self.save_state.lost_with(table.id, is_over=scene is not None and scene.is_over)
        return text("Leave the table? {what}", what=lost or what)

    def read_welcome(self) -> None:
        """Continue after the user has seen the server's page and fingerprint."""
        if self.page is not None:
            self._page_read, self.page = self.page, None
            self.screen_in_front.work(self.request(ReadWelcome), lasting=True)
        self.first_key = None
        self.post_message(self.PlaceChanged())

    def hurry(self) -> bool:
        """Let bots play at once until it is a person's turn; False if their pace is not the user's to set."""
        if self._pace is None or self.store.scene is None or self.store.scene.may_act:
            return False
        self._pace.hurry()
        return True

    # -- available everywhere -------------------------------------------------------------------------------

    def show_help(self, section: str | None = None, game: str = "") -> None:
        """Show rules and keys: at `section`, else at what fits the match, else at the start of a game."""
        face, scene = self.store.face, self.store.scene
        if section is None and face is not None and scene is not None:
            section = face.help_section(scene)
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(section, game))

    def show_settings(self) -> None:
        """Show the settings over the current screen."""
        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def ask_quit(self) -> None:
        """Ask whether to leave the program."""
        self._ask(self._quitting_words, self.exit)

    def _quitting_words(self) -> Text:
        what = self.save_state.lost() or self._clock_words
        return text("Quit kk? {what}", what=what) if what else text("Quit kk?")

    @property
    def _clock_words(self) -> Text | None:
        """The consequence of leaving a match with a clock; None without one."""
        scene, table = self.store.scene, self.store.table
        if scene is None or scene.is_over or table is None or table.clock is None or not self.seats_in_play:
            return None
        return text(
            "Your clock keeps running; if your time runs out, a bot plays for you until you come back."
        )

    def _ask(self, question: Callable[[], Text], yes: Callable[[], None]) -> None:
        if not isinstance(self.screen, ConfirmScreen):
            self.push_screen(ConfirmScreen(question, yes))

    async def action_quit(self) -> None:
        """Ask on Ctrl+Q too."""
        self.ask_quit()

    def action_help_quit(self) -> None:
        """Ask on Ctrl+C, which Textual would answer with a notice."""
        self.ask_quit()

    def action_command_palette(self) -> None:
        """Show everything that can be done here."""
        if isinstance(self.screen, KkScreen):
            self.push_screen(CommandsScreen())


def _waiting_words(table: TableView | None) -> Text:
    """Return how a match waits for those who leave it."""
    if table is not None and table.daily is not None and table.daily.counts:
        return text("The match is kept, but it counts only if you finish it by midnight UTC.")
    return text("The match is kept; you can come back to it.")


if TYPE_CHECKING:
    _: type[AppOfScreens] = KkApp
