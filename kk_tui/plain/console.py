"""The place where words are typed, as they need it: a line of the screen, or a session of lines alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

from kk_core.protocol.messages import ClientMessage
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.views import TableView
from kk_tui.chat import ChatReader
from kk_tui.games import Face
from kk_tui.games.plain import PlainFace, plain_face
from kk_tui.i18n import PlainReader
from kk_tui.plain.phrases import whose_turn
from kk_tui.plain.words import UnknownWords
from kk_tui.scene import Scene
from kk_tui.server_address import ServerAddress
from kk_tui.settings import AppSettings
from kk_tui.table.place_store import PlaceStore


class TextConsole(Protocol):
    """The place where lines are typed, and answered."""

    past: Scene[Any] | None
    """The earlier position of a finished match that words refer to; None for the newest one."""

    pointed: str | None
    """The table that is meant where none is named."""

    @property
    def store(self) -> PlaceStore:
        """The newest view of the place, in which each answered request is already seen."""
        ...

    @property
    def user(self) -> str:
        """Whoever types."""
        ...

    @property
    def name(self) -> str:
        """The name shown on a seat instead of the user's; empty for the user's own."""
        ...

    @property
    def local(self) -> bool:
        """True if there is nobody else to talk to."""
        ...

    @property
    def has_account(self) -> bool:
        """True unless the user is a guest."""
        ...

    @property
    def server_address(self) -> ServerAddress:
        """The address at which other people reach the server."""
        ...

    @property
    def records(self) -> Path | None:
        """The folder for records; None where the user has none."""
        ...

    @property
    def settings(self) -> AppSettings:
        """The user's settings."""
        ...

    def change_settings(self, **changes: Any) -> None:
        """Use other values from now on, and keep them. Raises `KkError`."""
        ...

    @property
    def reader(self) -> PlainReader:
        """Whoever reads."""
        ...

    @property
    def chat_reader(self) -> ChatReader:
        """The chat as the user reads it: whom they have muted, and how far they have read."""
        ...

    @property
    def is_coached(self) -> bool:
        """True if whoever types is warned before a costly move, where the table allows hints."""
        ...

    def say(self, *lines: str) -> None:
        """Write lines that only the reader sees."""
        ...

    def guide(self, line: str) -> None:
        """Write what can be done next, unless that is shown anyway."""
        ...

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return its answer. Raises `KkError`."""
        ...

    async def spend(self, requests: int) -> None:
        """Wait until something may be done that takes as long as so many requests."""
        ...

    def start(self, task: Coroutine[Any, Any, None]) -> object:
        """Carry something out while more is typed; it ends with the session."""
        ...

    async def add_words(self, words: str) -> None:
        """Add words to the next shuffle here. Raises `KkError`."""
        ...

    def leave(self) -> None:
        """End the session."""
        ...


class LineConsole(TextConsole, Protocol):
    """A session of nothing but lines."""

    is_coached: bool

    @property
    def changed(self) -> asyncio.Event:
        """Set whenever the place has changed."""
        ...

    @property
    def has_left(self) -> bool:
        """True once the session ends."""
        ...


def plain_here(console: TextConsole) -> PlainFace[Any]:
    """Return the game of the table here, in lines of text."""
    table = console.store.table
    return plain_face(table.game) if table is not None else PlainFace()


def table_here(console: TextConsole) -> TableView:
    """Return the table here, for words that can be typed at tables alone."""
    table = console.store.table
    assert table is not None, "only at tables"
    return table


def own_seats(console: TextConsole) -> list[Seat]:
    """Return the seats of the user here."""
    return [seat for seat, holder in enumerate(table_here(console).seats) if holder.owner == console.user]


def scene_here(console: TextConsole) -> tuple[Scene[Any], Face[Any]]:
    """Return the match here, at the position that is being looked at. Raises `UnknownWords` without one."""
    scene, face, past = console.store.scene, console.store.face, console.past
    if scene is None or face is None:
        raise UnknownWords(text("No match has begun here."))
    is_of_past = past is not None and past.match_key == scene.match_key
    return (past if past is not None and is_of_past else scene), face


def viewer_here(console: TextConsole) -> Seat:
    """Return the seat of whoever types. Raises `UnknownWords` if they only watch, or a bot plays for them."""
    scene = scene_here(console)[0]
    if scene.viewer is None:
        raise UnknownWords(text("You are watching; only players can do this."))
    if scene.table.seats[scene.viewer].stand_in is not None and not scene.is_over:
        raise UnknownWords(Text(whose_turn(scene, console.user)))
    return scene.viewer
