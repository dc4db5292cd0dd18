"""The lobby: all tables in a line each, and who is here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from kk_core.text import Text
from kk_core.wire.views import LobbyView, TableLine
from server.hub.chat import Chat
from server.hub.publisher import Eyes, Publisher


class Listed(Protocol):
    """What the lobby needs of a table."""

    id: str

    @property
    def is_private(self) -> bool:
        """Whether only those come who are invited."""
        ...

    def admits(self, user: str) -> bool:
        """Whether somebody may come."""
        ...

    def line(self) -> TableLine:
        """The table's line."""
        ...


class Lobby(Publisher):
    """Looks the same to everybody, but for the tables that not everybody may come to."""

    def __init__(
        self,
        count: Callable[[], int],
        tables: Callable[[], Iterable[Listed]],
        users: Callable[[], tuple[str, ...]],
    ) -> None:
        super().__init__(count)
        self._tables = tables
        self._users = users
        self.chat = Chat()
        self._private: list[Listed] | None = None  # at this revision

    def say(self, user: str, words: str | Text) -> None:
        """Let all in the lobby hear something. Raises `NotPossible`."""
        self.chat.say(user, user, words)
        self.publish()

    def share(self, eyes: Eyes) -> Hashable:
        """Those see the same who are invited to the same tables."""
        if self._private is None:
            self._private = [table for table in self._tables() if table.is_private]
        return frozenset(table.id for table in self._private if table.admits(eyes.user))

    def publish(self) -> None:
        """Tell all subscribers that there is something new."""
        self._private = None
        super().publish()

    def view(self, eyes: Eyes) -> LobbyView:
        """The tables that somebody may come to, and the users online."""
        lines = tuple(table.line() for table in self._tables() if table.admits(eyes.user))
        return LobbyView(tables=lines, users=self._users(), chat=self.chat.view())
