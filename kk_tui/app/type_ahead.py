"""The part of the app that keeps what is typed while it is on its way to another place."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from textual.events import Key
from textual.screen import Screen
from textual.widgets import Input

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo
from kk_core.text import Text, text
from kk_tui.app.multiplayer import TALK_KEYS, MultiplayerApp
from kk_tui.keymap import KEYS
from kk_tui.screens.base import KkScreen

LATE: Final = 2.0
"""Seconds after which somebody who waits for a server is told so."""

_LEAVING: Final = text("Leaving the table... What you type now is for the lobby.")
_GOING: Final = text("Opening the table... Of what you type now, only the chat counts there.")
_ASKING: Final = text("Waiting for the server... What you type now is kept.")
"""What is said of the ways to another place if they take long."""


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
    keys: list[Key] = field(default_factory=list)
    is_answered: bool = False
    refusal: Text | None = None


class TypeAheadApp(MultiplayerApp):
    """An app that keeps the keys typed on the way to another place, and presses there those that may count.

    Menu and lobby get all of them. A table gets what is typed in its chat, from the key that opens it on:
    no other key may do something at a table that has not been seen yet.
    """

    _trip: _Trip | None = None

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
        may as well lead nowhere: then what was typed is typed where one is, except for Enter.
        """
        self._set_out(task, words=_ASKING if is_line else _GOING, is_line=is_line)

    def leave_table(self) -> None:
        """Go back to menu or lobby; what is typed until they are there is meant for them."""
        if self._trip is None:
            self._set_out(self.request(partial(GoTo, table=None)), words=_LEAVING, leads_home=True)

    def _set_out(
        self,
        task: Coroutine[Any, Any, Any],
        *,
        words: Text,
        is_line: bool = False,
        leads_home: bool = False,
    ) -> None:
        if self._trip is None:
            trip = self._trip = _Trip(self.screen, self._main_screen, words, is_line, leads_home)
            task = self._follow(trip, task)
        # lasting: the screen goes before the answer comes, or another one is there by then
        self.screen_in_front.work(task, lasting=True)

    async def _follow(self, trip: _Trip, task: Coroutine[Any, Any, Any]) -> None:
        late = asyncio.get_running_loop().call_later(LATE, self._show_late, trip.words)
        try:
            await task
        except KkError as error:
            trip.refusal = error.reason
            if trip.is_line:
                raise
            self._trip = None
            if not trip.keys:
                raise
            raise KkError(
                text("{reason} What you typed in the meantime has been dropped.", reason=error.reason)
            ) from error
        finally:
            late.cancel()
            trip.is_answered = True
            if self.late_words is not None:
                self._show_late(None)
            if self._trip is trip:
                # in the app's own turn: keys that have come already are kept, too
                self.call_later(self.show_place)

    def _show_late(self, words: Text | None) -> None:
        self.late_words = words
        self.show_above()

    def keeps(self, key: Key) -> bool:
        """Keep a key if it is meant for a place to come, and return whether it is."""
        trip = self._trip
        if trip is None or key.key.startswith("ctrl+"):  # these count everywhere
            return False
        if len(self.screen_stack) > 2 and self.screen is not trip.front:  # for a dialog that has come up
            return False
        trip.keys.append(key)
        return True

    async def arrive(self, *, is_home: bool) -> None:
        """Press what was typed ahead if the place is there; `is_home` tells whether that is menu or lobby."""
        trip = self._trip
        if trip is None or not trip.is_answered:
            return
        self._trip = None
        if not trip.keys:
            return
        screen, pressed = self.screen, 0
        if isinstance(screen, KkScreen) and screen.is_alive:
            screen.renew()  # so that what they are meant for has the focus
        for key in trip.keys:
            await self.settle()
            if self._counts(key, trip, is_home=is_home):
                pressed += 1
                await self.on_event(key)
        await self.settle()  # or what they do would take the place of what is said now
        if trip.refusal is not None and isinstance(self.screen, KkScreen):
            self.screen.complain(trip.refusal)
        # an Enter behind a line that has led nowhere would have sent nothing
        if pressed < len(trip.keys) and not (trip.is_line and self._main_screen is trip.main):
            kept = text("Of what you typed in the meantime, only the chat counts.")
            self._take_notice(kept if pressed else text("What you typed in the meantime has been dropped."))

    def _counts(self, key: Key, trip: _Trip, *, is_home: bool) -> bool:
        """Return whether a key that was typed on the way counts where that has led."""
        if self._main_screen is trip.main:  # nowhere, or back already
            return trip.is_line and self.screen is trip.front and key.key != "enter"
        if is_home:
            return trip.leads_home or trip.is_line
        is_in_chat = self._opening_talk is not None or isinstance(self.focused, Input)
        return not trip.leads_home and (is_in_chat or key.key in [KEYS[name].pressed for name in TALK_KEYS])
