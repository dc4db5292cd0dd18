"""The part of the app that is there for others: calls, talk, proposals, clocks, and shuffles."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input

from kk_core.chance import mix_seed
from kk_core.errors import KkError
from kk_core.protocol.messages import ClientMessage, Contribute, GoTo, Notice, SayPhrase
from kk_core.protocol.views import LobbyView, MatchView, PlaceView, TableView
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_tui import i18n
from kk_tui.app.themed_app import ThemedApp
from kk_tui.keymap import KEYS, PHRASE_KEYS, Action
from kk_tui.people import next_change
from kk_tui.screens.base import KkScreen
from kk_tui.screens.lobby import YOUR_TURN, YOURS, rank, running_match
from kk_tui.screens.table import TableScreen
from kk_tui.screens.table_menu import TableMenuScreen
from kk_tui.screens.talk import TalkScreen
from kk_tui.table.store import Store
from kk_tui.talking import FRESH, Talking
from kk_tui.widgets.agreement import CALL_STAYS, Summons, heard_line, kept_line, proposal_line
from kk_tui.widgets.talk import Talk


@dataclass(frozen=True)
class OwnContribution:
    """What one has added at a table, and which commitment of the host's was shown at that time."""

    commitment: bytes
    drawn: bytes


class Shuffling:
    """Remembers what one has added to shuffles; `draws` gives 32 bytes."""

    def __init__(
        self, *, by_itself: bool, draws: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    ) -> None:
        """`by_itself`: add to every shuffle without being asked."""
        self._by_itself = by_itself
        self._draws = draws
        self._coming: dict[str, OwnContribution] = {}  # by table: for the match that is to come
        self._confirmed: set[bytes] = set()
        self._playing: dict[str, OwnContribution] = {}  # for the one that goes on, or the last one

    def follow(self, table: TableView, user: str) -> bytes | None:
        """Take a table in; what is to be added to its next shuffle now, if anything."""
        coming, shuffle = self._coming.get(table.id), table.shuffle
        if table.phase == "playing" and coming is not None:
            self._playing[table.id] = self._coming.pop(table.id)
        if shuffle is None or all(seat.owner != user for seat in table.seats):
            return None
        is_due = self._by_itself if coming is None else coming.commitment != shuffle.commitment
        return self.add(table, self._draws()) if is_due else None

    def add(self, table: TableView, drawn: bytes) -> bytes:
        """Remember what is added at a table now, which is to be sent."""
        if table.shuffle is not None:
            self._coming[table.id] = OwnContribution(table.shuffle.commitment, drawn)
        return drawn

    def confirm(self, drawn: bytes) -> None:
        """The server has taken it: from now on it has to count."""
        self._confirmed.add(drawn)

    def fault(self, table: TableView, own: Sequence[Seat]) -> Text | None:
        """What is wrong with the shuffle of a match that one has added to; None where nothing is."""
        match, part = table.match, self._playing.get(table.id)
        if match is None or part is None or part.drawn not in self._confirmed:
            return None
        return shuffle_fault(match, part, own)

    def is_in(self, table: TableView) -> bool:
        """Whether one's own part was in the shuffle of the match here."""
        match, part = table.match, self._playing.get(table.id)
        return match is not None and any(drawn == (part and part.drawn) for _, drawn in match.contributions)


def shuffle_fault(match: MatchView, part: OwnContribution, own: Sequence[Seat]) -> Text | None:
    """What is wrong with a shuffle, as far as one can tell now: all of it only after the end."""
    if match.commitment != part.commitment:
        return text("The host has changed its bytes after you had added yours: this shuffle proves nothing.")
    if not any(seat in own and drawn == part.drawn for seat, drawn in match.contributions):
        return text("What you have added to the shuffle was left out: this shuffle proves nothing.")
    if match.host_seed is None or match.seed is None:
        return None
    is_committed = sha256(match.host_seed).digest() == part.commitment
    if not is_committed or mix_seed(match.host_seed, match.contributions) != match.seed:
        return text("The seed is not what the host's bytes and yours make: this shuffle proves nothing.")
    return None


def digest_of(words: str) -> bytes:
    """What somebody's words add to a shuffle."""
    return sha256(words.encode()).digest()


_MINUTE: Final = 60.0
_AFTER: Final = 0.02
"""Seconds by which a clock is looked at late, so that it does tell something else then."""
_NOTICED: Final = 3.0
_A_SECOND: Final = 20
"""Seconds until a notice has been seen, and how much of it is read in each one after that."""

_ALONE: Final = text("You are alone here; on a server there are others to talk to.")

_TOGETHER: Final = (
    Action("talk", minor=True), Action("table", minor=True), Action("command", in_footer=False),
)  # fmt: skip

TALK_KEYS: Final = {KEYS[name].key: name for name in ("talk", "command")}


class MultiplayerApp(ThemedApp):
    """An app in which one may meet others; at home (`local`) there are none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g", "go_there", "go to the table that calls", show=False, priority=True),
        *(
            Binding(key.lower(), f"say_phrase({number})", phrase.msgid, show=False, priority=True)
            for number, (key, phrase) in enumerate(PHRASE_KEYS)
        ),
    ]

    local: bool
    store: Store
    user: str

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Hook: the answer to a request. Raises `KkError`: a refusal, or that there is no connection."""
        raise NotImplementedError

    def __init__(self, *, contributes: bool, **looks: Any) -> None:
        super().__init__(**looks)
        self.shuffling = Shuffling(by_itself=contributes)
        self._opening_talk: TalkScreen | None = None
        self.call: Summons | None = None
        self.talking = Talking()
        """What one has heard here, and whom one does not want to hear."""
        self.notice: Text | None = None
        self._noticed_at = 0.0
        self._kept: deque[Notice] = deque()
        self._kept_since = 0.0
        self._clock: Timer | None = None

    @property
    def table_actions(self) -> tuple[Action, ...]:
        """What can be done at a table with others; at home one sits there alone."""
        if self.local:
            return ()
        return _TOGETHER

    @property
    def has_company(self) -> bool:
        """Whether other people share the table, on a seat or looking on."""
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
    def shows_something(self) -> bool:
        """Whether the first screen is there: not until it is known what there is to be seen."""
        return any(isinstance(screen, KkScreen) for screen in self.screen_stack)

    @property
    def screen_in_front(self) -> KkScreen:
        """The screen that one sees, or that the palette of commands lies over."""
        return next(screen for screen in reversed(self.screen_stack) if isinstance(screen, KkScreen))

    @property
    def has_news(self) -> bool:
        """Whether the notice is so fresh that it may not have been read yet."""
        return self.notice is not None and time.monotonic() - self._noticed_at < _reading(self.notice)

    def _take_notice(self, sentence: Text) -> None:
        """Keep it over the header of a match, where moves come and go; elsewhere in the prompt line."""
        self.notice = sentence
        self._noticed_at = time.monotonic()
        self.set_timer(_reading(sentence), lambda: self.post_message(self.PlaceChanged()))
        if not self.shows_something:
            return  # the first screen says it
        if self.store.scene is None or isinstance(self.screen, ModalScreen):
            self.screen_in_front.say(sentence)
        elif self.screen_in_front.is_alive:
            self.screen_in_front.renew()

    def _keep_notice(self, notice: Notice) -> None:
        """Keep it over the header of every screen until it was read."""
        if not self._kept:
            self._kept_since = time.monotonic()
        self._kept.append(notice)
        self._show_above()

    @property
    def kept_notice(self) -> Notice | None:
        """The notice that stays until it was read."""
        return self._kept[0] if self._kept else None

    def read_kept(self) -> None:
        """Somebody is there: whoever presses a key when a notice has stood long enough has read it."""
        notice = self.kept_notice
        if notice is not None and time.monotonic() - self._kept_since >= _reading(notice.text):
            self._drop_kept()

    def _drop_kept(self) -> None:
        self._kept.popleft()
        self._kept_since = time.monotonic()
        self._show_above()

    def _show_above(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, KkScreen) and screen.is_alive:
                screen.show_above()

    def watch_time(self) -> None:
        """Renew what changes with time alone."""
        if not self.local:
            self.set_interval(_MINUTE, self._minute)

    def _minute(self) -> None:
        """Those who are away are so for a minute longer."""
        table, lobby = self.store.table, self.store.lobby
        tables = [table] if table else lobby.tables if lobby else ()
        if any(seat.away for each in tables for seat in each.seats):
            self.post_message(self.PlaceChanged())

    def _follow_clock(self) -> None:
        """Show a clock that runs anew as soon as it tells something else."""
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
        """What stands over the header now: what is proposed here, where one is called to, what was said."""
        table = self.store.table
        if self.kept_notice is not None:
            return kept_line(self.kept_notice)
        if self.call is not None and (self.call.is_old or (table and table.id == self.call.table)):
            self.call = None
        fault = None if table is None else self.shuffling.fault(table, self.my_seats)
        if fault is not None:
            return Content.styled(i18n.render(fault), "bold $refused")
        proposed = None if table is None else proposal_line(table, self.user)
        called = None if self.call is None else self.call.words()
        told = None if self.store.scene is None else self._told()
        heard = None if self.talking.fresh is None else heard_line(self.talking.fresh)
        is_newer = self.talking.heard_at > self._noticed_at
        return proposed or called or ((heard or told) if is_newer else (told or heard))

    def _told(self) -> Content | None:
        """The notice, while it is fresh."""
        if self.notice is None or not self.has_news:
            return None
        return Content.styled(i18n.render(self.notice), "bold $happened")

    def press_above(self) -> None:
        """Do what the line over the header names."""
        table = self.store.table
        if self._kept:
            self._drop_kept()
        elif table is not None and proposal_line(table, self.user) is not None:
            self.show_table_menu()
        elif self.call is not None:
            self.action_go_there()
        else:
            self.show_talk("")

    def _take_call(self, sentence: Text, table: str) -> None:
        """Somebody is wanted at a table: say so wherever he is, and ring if he likes that."""
        self.call = Summons(sentence, table)
        self.set_timer(CALL_STAYS, lambda: self.post_message(self.PlaceChanged()))
        self.post_message(self.PlaceChanged())
        if self.settings.bell:
            self.bell()

    def action_go_there(self) -> None:
        """To the table that one is called to, or else to one that waits for one's move."""
        if self.local or not self.shows_something:
            return
        main = self.screen_stack[1]
        if not isinstance(main, KkScreen):
            return
        table = self._waiting_table if self.call is None else self.call.table
        if table is None:
            self.screen_in_front.complain(text("No other table calls you now."))
        else:
            main.ask(partial(GoTo, table=table))

    def landing(self, place: PlaceView, was_at: str | None) -> str | None:
        """The table to go to for who has just come, and was at a table before the connection broke.

        That is one's own match. Who was at a table without playing there is led away from it only to a match
        that waits.
        """
        if self.local or not isinstance(place, LobbyView):
            return was_at
        match = running_match(place, self.user)
        if match is None or was_at is None:
            return was_at if match is None else match.id
        here = next((table for table in place.tables if table.id == was_at), None)
        plays_there = here is not None and here.phase == "playing" and rank(here, self.user) <= YOURS
        return was_at if plays_there or rank(match, self.user) != YOUR_TURN else match.id

    @property
    def _waiting_table(self) -> str | None:
        """The first table in the lobby where it is one's turn."""
        lobby = self.store.lobby
        tables = () if lobby is None else lobby.tables
        return next((table.id for table in tables if rank(table, self.user) == YOUR_TURN), None)

    def _contribute(self) -> None:
        """Add to the next shuffle, where that is due."""
        table = self.store.table
        drawn = None if table is None or self.local else self.shuffling.follow(table, self.user)
        if drawn is not None:
            self.screen_in_front.work(self._send_part(drawn))

    async def _send_part(self, drawn: bytes) -> None:
        await self.request(partial(Contribute, drawn=drawn))
        self.shuffling.confirm(drawn)

    def is_in_shuffle(self, table: TableView) -> bool:
        """Whether one's own part was in the shuffle of the match at a table."""
        return self.shuffling.is_in(table)

    async def add_words(self, words: str) -> None:
        """Add what somebody has typed to the next shuffle here. Raises `KkError`."""
        table = self.store.table
        if table is None or table.shuffle is None:
            raise KkError(text("There is no shuffle here now to add words to."))
        await self._send_part(self.shuffling.add(table, digest_of(words)))
        self.screen_in_front.say(text("Your words have a part in the next shuffle here."))

    def _listen(self) -> None:
        """Notice what was said where it is not seen anyway."""
        place = self.store.place
        if place is None:
            return
        name = place.id if isinstance(place, TableView) else ""
        before = self.talking.fresh
        self.talking.follow(name, place.chat, self.user, is_open=bool(self.screen.query(Talk)))
        if self.talking.fresh is not before:
            self.set_timer(FRESH, lambda: self.post_message(self.PlaceChanged()))

    def _begins_talk(self, screen: KkScreen, event: Key) -> bool:
        """Take the key that begins a line, and what is typed until the line is there.

        Many keys may come at once: those behind the first are words, and must not reach the table.
        """
        if self._opening_talk is not None:
            self._opening_talk.type_early(event)
            return True
        name = TALK_KEYS.get(event.key)
        if name is None or isinstance(self.focused, Input):
            return False
        if not any(action.name == name for action in screen.actions()):
            return False
        screen.do(name)
        return True

    def talk_is_open(self) -> None:
        """The line takes its keys itself from now on."""
        self._opening_talk = None

    def action_say_phrase(self, number: int) -> None:
        """Say what a function key is for."""
        if not self.shows_something:
            return
        if self.local:
            self.screen_in_front.complain(_ALONE)
        elif self.store.place is not None:
            self.screen_in_front.ask(partial(SayPhrase, phrase=number))

    def show_talk(self, words: str) -> None:
        """The talk at this table, over what is shown of it."""
        if self.local:
            self.screen_in_front.complain(_ALONE)
        elif self.store.table is not None and not isinstance(self.screen, TalkScreen):
            self.talking.read()
            self._opening_talk = TalkScreen(words)
            self.push_screen(self._opening_talk)

    def show_table_menu(self) -> None:
        """What can be done around the table, over what is shown of it."""
        if self.local:
            self.screen_in_front.complain(_ALONE)
        elif self.store.table is not None and not isinstance(self.screen, TableMenuScreen):
            self.push_screen(TableMenuScreen())


def _reading(sentence: Text) -> float:
    """Seconds in which a notice can be read; longer it does not stay, since it may cover something."""
    return _NOTICED + len(i18n.render(sentence)) / _A_SECOND
