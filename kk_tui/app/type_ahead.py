"""The part of the app that keeps what is typed on the way to another place until it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Final

from textual.events import Key, Paste
from textual.screen import Screen
from textual.widgets import Input

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo
from kk_core.text import Text, text
from kk_tui.app.multiplayer import CHAT_KEYS, MultiplayerApp
from kk_tui.keymap import KEYS, PHRASE_KEYS
from kk_tui.screens.base import KkScreen
from kk_tui.screens.chat import ChatScreen

LATE: Final = 2.0
"""Seconds after which somebody who waits for a server is told so."""

_GOES_ON: Final = 0.1
"""Seconds up to which a key was typed in one go with the one before, or is one that is held down."""

_LEAVING: Final = text("Leaving the table... What you type now is for the lobby.")
_GOING: Final = text("Opening the table... Only chat typed now will count; Esc goes on here.")
_ASKING: Final = text("Waiting for the server... Only chat typed now will count; Esc goes on here.")
"""What is said of the ways to another place if they take long."""

_DROPPED: Final = text("What you typed in the meantime has been dropped.")
_ONLY_CHAT: Final = text("What you typed in the meantime has been dropped, except for chat.")

_EVERYWHERE: Final = frozenset({"ctrl+c", "ctrl+g", "ctrl+p", "ctrl+q"})
"""Keys that mean the same at every place."""

_TO_CHAT: Final = frozenset(
    [*(KEYS[name].pressed for name in CHAT_KEYS), *(key.lower() for key, _phrase in PHRASE_KEYS)]
)
"""Keys for the chat wherever the focus is."""


@dataclass
class _Trip:
    """The way to another place, from the request that leads there until its screen is in front.

    `words` are shown above the header if it takes long; with `is_line`, somebody has typed it in the chat.
    """

    front: Screen[Any]
    main: Screen[Any]
    words: Text
    is_line: bool
    leads_home: bool
    is_answered: bool = False
    refusal: Text | None = None


@dataclass
class _Unseen:
    """A table that has come up; what was typed before it was painted, at `seen_at`, is not meant for it."""

    screen: Screen[Any]
    seen_at: float = inf


class TypeAheadApp(MultiplayerApp):
    """An app that keeps what is typed on the way to another place, and types there what may count.

    Menu and lobby get all of it. At a table only its chat does, until the table was painted and nothing of
    what was typed before is still coming: no other key may do something at a table that nobody has seen yet.
    """

    _trip: _Trip | None = None
    _unseen: _Unseen | None = None

    def __init__(self, **configured: Any) -> None:
        super().__init__(**configured)
        self._typed: list[Key | Paste] = []
        """What has been typed on the way, or for a chat that is about to open."""
        self._typed_at = -inf
        """When something was typed that was not meant for the table in front."""

    async def show_place(self) -> None:
        """Hook: take in the newest copy of the place, and call `arrive` once its screen is in front."""
        raise NotImplementedError

    @property
    def _main_screen(self) -> Screen[Any]:
        # above Textual's default screen, and below all dialogs
        return self.screen_stack[min(1, len(self.screen_stack) - 1)]

    def travel(self, task: Coroutine[Any, Any, Any], *, is_line: bool = False) -> None:
        """Run a coroutine that leads to another place; what is typed from now on is kept until it is there.

        A refusal goes to the prompt line. With `is_line`, the coroutine carries out a line of the chat, and
        may lead nowhere as well: then what was typed is typed where one is, except for Enter.
        """
        self._set_out(task, words=_ASKING if is_line else _GOING, is_line=is_line)

    def leave_table(self) -> None:
        """Go back to menu or lobby; what is typed until they are there is meant for them."""
        if self._trip is None or not self._trip.leads_home:
            self._set_out(self.request(partial(GoTo, table=None)), words=_LEAVING, leads_home=True)

    def _set_out(
        self,
        task: Coroutine[Any, Any, Any],
        *,
        words: Text,
        is_line: bool = False,
        leads_home: bool = False,
    ) -> None:
        self._drop_typed()  # which was meant for where another way leads
        trip = self._trip = _Trip(self.screen, self._main_screen, words, is_line, leads_home)
        # lasting: the screen goes before the answer comes, or another one is there by then
        self.screen_in_front.work(self._follow(trip, task), lasting=True)

    async def _follow(self, trip: _Trip, task: Coroutine[Any, Any, Any]) -> None:
        late = asyncio.get_running_loop().call_later(LATE, self._show_late, trip)
        try:
            await task
        except KkError as error:
            trip.refusal = error.reason
            if trip.is_line or self._trip is not trip:
                raise
            self._trip = None
            if not self._typed:
                raise
            self._typed.clear()
            raise KkError(
                text("{reason} What you typed in the meantime has been dropped.", reason=error.reason)
            ) from error
        finally:
            late.cancel()
            trip.is_answered = True
            self._end_late(trip)
            if self._trip is trip:
                # in the app's own turn: keys that have come already are kept, too
                self.call_later(self.show_place)

    def _show_late(self, trip: _Trip) -> None:
        if self._trip is trip:
            self.late_words = trip.words
            self.show_above()

    def _end_late(self, trip: _Trip) -> None:
        if self.late_words is trip.words:
            self.late_words = None
            self.show_above()

    def _drop_typed(self) -> None:
        if self._typed:
            self._typed.clear()
            self.tell_dropped(_DROPPED)

    def keeps(self, event: Key | Paste) -> bool:
        """Keep what is typed for a place to come, drop it where nobody can mean it, or return False."""
        if isinstance(event, Key) and event.key in _EVERYWHERE:
            return False
        trip, opening = self._trip, self._opening_chat
        if trip is not None:
            if len(self.screen_stack) > 2 and self.screen is not trip.front:  # for a dialog that has come up
                return False
            if isinstance(event, Key) and event.key == "escape":
                self._give_up(trip)
            else:
                self._typed_at = event.time
                self._typed.append(event)
            return True
        if opening is not None:
            if opening is self.screen:
                self._typed.append(event)
                return True
            # closed, or covered, before it had its input
            self._opening_chat = None
            self._drop_typed()
        return self._drops(event)

    def _give_up(self, trip: _Trip) -> None:
        """Drop what was typed for a place that takes too long; keys count again where one is."""
        self._trip = None
        self._end_late(trip)
        self._drop_typed()

    # -- tables that nobody has seen yet ---------------------------------------------------------------------

    def comes_up(self, table: Screen[Any] | None) -> None:
        """Note that a table is about to be shown; None for any other place."""
        self._unseen = None if table is None else _Unseen(table)

    def post_display_hook(self) -> None:
        """Note when a table that has come up is shown."""
        unseen = self._unseen
        if unseen is not None and unseen.seen_at == inf and unseen.screen is self._main_screen:
            unseen.seen_at = monotonic()

    def _drops(self, event: Key | Paste) -> bool:
        """Drop what may have been typed before the table was seen, unless it is for the chat."""
        unseen = self._unseen
        if unseen is None or unseen.screen is not self._main_screen:
            return False
        # who types on has not looked yet
        if event.time >= max(unseen.seen_at, self._typed_at + _GOES_ON):
            self._unseen = None
            return False
        is_at_table = self.screen is unseen.screen or isinstance(self.screen, ChatScreen)
        is_for_chat = isinstance(self.focused, Input) or (isinstance(event, Key) and event.key in _TO_CHAT)
        if not is_at_table or is_for_chat:
            return False
        self._typed_at = event.time
        self.tell_dropped(_ONLY_CHAT)
        return True

    # -- typing what was kept --------------------------------------------------------------------------------

    async def arrive(self, *, is_home: bool) -> None:
        """Type what was typed ahead if the place is there; `is_home` tells whether that is menu or lobby."""
        trip = self._trip
        if trip is None or not trip.is_answered:
            return
        self._trip = None
        typed, self._typed = self._typed, []
        if not typed:
            return
        screen = self.screen
        if isinstance(screen, KkScreen) and screen.is_alive:
            screen.renew()  # so that what it is meant for has the focus
        if self._main_screen is trip.main:  # nowhere, or back already
            may_count = trip.is_line and screen is trip.front
            # an Enter after a line that has led nowhere would have sent nothing
            words = [event for event in typed if not (isinstance(event, Key) and event.key == "enter")]
        else:
            may_count = (trip.leads_home or trip.is_line) if is_home else not trip.leads_home
            words = typed
        if may_count:
            await self._type(words)
            await self.settle()  # or what they do would take the place of what is said now
        else:
            self.tell_dropped(_DROPPED)
        if trip.refusal is not None and isinstance(self.screen, KkScreen):
            self.screen.complain(trip.refusal)

    async def _type(self, events: list[Key | Paste]) -> None:
        for event in events:
            await self.on_event(event)

    def chat_is_open(self) -> None:
        """Type what came while the chat was opening: its input exists now."""
        # in the app's own turn: what has come already is typed in its order
        self.call_later(self._begin_chat)

    async def _begin_chat(self) -> None:
        opening, self._opening_chat = self._opening_chat, None
        if self.screen is not opening:  # another one has come up over it
            self._drop_typed()
        typed, self._typed = self._typed, []
        await self._type(typed)
