"""The lobby: all tables in a line each, and who is here."""

from __future__ import annotations

from collections.abc import Callable

from kk_core.types import Viewer
from kk_core.wire.views import LobbyView, TableLine
from server.hub.publisher import Publisher


class Lobby(Publisher):
    """Looks the same to everybody."""

    def __init__(
        self,
        count: Callable[[], int],
        lines: Callable[[], tuple[TableLine, ...]],
        users: Callable[[], tuple[str, ...]],
    ) -> None:
        super().__init__(count)
        self._lines = lines
        self._users = users

    def view(self, viewer: Viewer) -> LobbyView:  # noqa: ARG002 - the lobby has no secrets
        """All open tables and the users online."""
        return LobbyView(tables=self._lines(), users=self._users())
