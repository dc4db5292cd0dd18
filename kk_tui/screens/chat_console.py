"""The words of plain mode in the chat of the screen: typed after a slash, and answered for oneself alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, NamedTuple

from kk_core.protocol.messages import ClientMessage
from kk_core.protocol.typed_codes import is_invitation
from kk_core.views import is_guest
from kk_tui.chat import Audience, ChatReader, audience, is_for_others, parse_line
from kk_tui.i18n import PlainReader, current, render, writing_for
from kk_tui.matching import completed
from kk_tui.plain.commands import Commands
from kk_tui.plain.links import is_link
from kk_tui.plain.phrases import JOIN, LEAVE
from kk_tui.plain.words import word_meant
from kk_tui.scene import Scene
from kk_tui.screens.base import AppOfScreens
from kk_tui.server_address import ServerAddress
from kk_tui.settings import AppSettings
from kk_tui.table.place_store import PlaceStore

SLASH: Final = "/"
"""What is typed before each word."""


class RequestRate(NamedTuple):
    """The requests that lines may be worth; a server takes no more from a session."""

    per_second: float = 50.0
    at_once: int = 500


_asking: Final[ContextVar[Audience | None]] = ContextVar("asking", default=None)
"""Who has asked for what is said: an answer may come when somebody else at this screen reads."""


class ChatConsole:
    """The chat of an app, as a place where words are typed; it lives as long as the app."""

    def __init__(self, app: AppOfScreens, rate: RequestRate) -> None:
        self._app = app
        self._rate = rate
        self._commands = Commands(self)
        self.pointed: str | None = None
        self.past: Scene[Any] | None = None
        self.name = ""
        self._spent_until = 0.0
        """The time on the loop's clock at which all that was spent would have been allowed one by one."""

    async def do(self, line: str, pointed: str | None) -> None:
        """Carry out a line without its slash; `pointed` is the table under the cursor.

        Raises `KkError`, which says what was not possible and what is.
        """
        self.pointed = pointed
        self.chat_reader.begin_answer()
        _asking.set(self._reader_here)
        with writing_for(self.reader):
            await self._commands.do(line)

    def may_lead_away(self, line: str) -> bool:
        """Return whether a line may lead to another place, as any command in the lobby may."""
        command, rest = parse_line(line)
        if not command or self.store.table is None or is_link(command):
            return bool(command)
        with writing_for(self.reader):
            named = [one.word for one in word_meant(command, self._commands.all())[1]]
        # of what follows at a table, seats are there
        return LEAVE in named or (JOIN in named and (is_link(rest) or is_invitation(rest)))

    def completed(self, line: str) -> str:
        """Return a line with its last word completed as far as is certain; what it may be is shown."""
        begun = line.removeprefix(SLASH)
        if begun == line:
            return line
        with writing_for(self.reader):
            whole, found = completed(begun, self._commands.complete(begun))
        if whole == begun and found:
            self.chat_reader.begin_answer()
            self.say("  ".join(found))
        return f"{SLASH}{whole}"

    def words(self) -> Sequence[tuple[str, str]]:
        """Return how each word here is typed, and what it does."""
        with writing_for(self.reader):
            return [(f"{SLASH}{one.usage}", render(one.about)) for one in self._commands.all()]

    @property
    def store(self) -> PlaceStore:
        """The app's view of the place."""
        return self._app.store

    @property
    def user(self) -> str:
        """The app's user."""
        return self._app.user

    @property
    def local(self) -> bool:
        """True if the app has nobody else to talk to."""
        return self._app.local

    @property
    def chat_reader(self) -> ChatReader:
        """The chat that the app shows."""
        return self._app.chat_reader

    @property
    def has_account(self) -> bool:
        """True unless the user is a guest."""
        return not is_guest(self.user)

    @property
    def server_address(self) -> ServerAddress:
        """The address at which other people reach the app's server."""
        return self._app.server_address

    @property
    def records(self) -> Path | None:
        """The app's folder for records."""
        return self._app.records

    @property
    def settings(self) -> AppSettings:
        """The app's settings."""
        return self._app.settings

    def change_settings(self, **changes: Any) -> None:
        """Have the app use other values. Raises `KkError`."""
        self._app.change_settings(**changes)

    @property
    def is_coached(self) -> bool:
        """True if whoever sits at the screen plays with the coach."""
        scene = self._app.store.scene
        if scene is None or scene.viewer is None:
            return False
        return scene.name(scene.viewer) in self._app.recent.kept.coached

    @property
    def reader(self) -> PlainReader:
        """Whoever reads the app, and types a slash before each word."""
        return PlainReader(current(), self._app.glyphs.ascii_only, self._app.languages, SLASH)

    def say(self, *lines: str) -> None:
        """Show lines where the chat is, to this user alone."""
        place, asking = self.store.place, _asking.get()
        if place is not None and not _is_for_others(asking, audience(place)):
            for line in lines:
                self.chat_reader.answer(place, line)
            if self._app.screen_in_front.is_alive:
                self._app.screen_in_front.renew()

    @property
    def _reader_here(self) -> Audience | None:
        return None if self.store.place is None else audience(self.store.place)

    def guide(self, line: str) -> None:
        """Write nothing: each screen says what can be done next."""

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return its answer, which the store has seen by then. Raises `KkError`."""
        reply = await self._app.request(make)
        self._app.take_newest()
        return reply

    async def spend(self, requests: int) -> None:
        """Wait as long as a server has programs wait: others may have their apps in this process."""
        now = asyncio.get_running_loop().time()
        rate = self._rate
        self._spent_until = max(self._spent_until, now) + requests / rate.per_second
        await asyncio.sleep(max(0.0, self._spent_until - now - rate.at_once / rate.per_second))

    def start(self, task: Coroutine[Any, Any, None]) -> None:
        """Carry something out while the app goes on."""
        self._app.screen_in_front.work(task, lasting=True)

    async def add_words(self, words: str) -> None:
        """Add words to the next shuffle here. Raises `KkError`."""
        await self._app.add_words(words)

    def leave(self) -> None:
        """Ask whether to quit."""
        self._app.ask_quit()


def _is_for_others(asking: Audience | None, reading: Audience) -> bool:
    """Return whether another seat of the same table has asked for what is read now."""
    return asking is not None and asking[0] == reading[0] and is_for_others(asking, reading)
