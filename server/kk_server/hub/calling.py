"""What calls to people who are away need to know of the hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kk_core.registry import game
from kk_core.text import Text
from kk_server.calls.store import CalledTurn
from kk_server.calls.turn_caller import WaitingTurn

if TYPE_CHECKING:
    from kk_server.hub.hub import Hub

SSH_PORT: Final = 22
"""The default port, which is left out of addresses."""


class HubCalling:
    """The people of a hub, as its calls see them."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def turns_of(self, user: str) -> list[WaitingTurn]:
        """Return the turns of a user that others wait for, those at the oldest tables first."""
        return [
            WaitingTurn(
                CalledTurn(table, known.matches, known.turn), known.created.title,
                game(known.created.game).meta.name, known.at,
            )
            for table, known in self._hub.lobby.summaries_of(user)
            if known.waits_for(user)
        ]  # fmt: skip

    def tables_of(self, user: str) -> tuple[str, ...]:
        """Return the tables that concern a user."""
        return self._hub.lobby.tables_of(user)

    def gone_for(self, user: str) -> float:
        """Return the seconds that a user has been away, at least; 0 if they are online."""
        return self._hub.presence.gone_for(user)

    def tell(self, user: str, sentence: Text) -> None:
        """Notify a user who is online."""
        self._hub.sessions.tell(user, sentence)

    async def language_of(self, user: str) -> str:
        """Return the language of an account; "" if it has none."""
        return await self._hub.language_of(user)

    @property
    def is_keeper(self) -> bool:
        """True at the one node that calls the people of all."""
        return self._hub.nodes.is_keeper

    @property
    def server_name(self) -> str:
        """The name that people know this server by."""
        return self._hub.name

    @property
    def arguments(self) -> str:
        """The arguments of `ssh` that lead here."""
        host, port = self._hub.address
        return f"-p {port} {host}" if port != SSH_PORT else host

    @property
    def page(self) -> str:
        """The address of the page for browsers; empty if there is none."""
        return self._hub.web_for("")
