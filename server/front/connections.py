"""All connections of a server: how many there may be, and what their sessions need."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

from kk_core.text import Text
from server.accounts.guests import network_of
from server.front.arrivals import Arrivals
from server.front.door import Door
from server.front.limits import ServerLimits
from server.front.terminal import MakeApp
from server.hub.hub import Hub

if TYPE_CHECKING:
    from server.front.console.desk import House
    from server.front.ssh_server import SshServer
    from server.front.ssh_session import SshSession

_CLOSING: Final = 3.0
"""Seconds that everybody has to leave when the server stops."""


class Connections:
    """All connections of a server, counted, and what their sessions need."""

    def __init__(self, hub: Hub, door: Door, make_app: MakeApp, limits: ServerLimits) -> None:
        self.hub = hub
        self.door = door
        self.make_app = make_app
        self.limits = limits
        self.house: House
        """The server, once it is there."""
        self.language: str | None = None
        """The language of those who ask for none."""
        self.open: set[SshServer] = set()
        self.sessions: set[SshSession] = set()
        self.arrivals = Arrivals()
        self.ended = 0
        """Sessions that have ended since the start."""
        self.heard = 0.0
        """When somebody last typed, by the clock of the loop."""
        self._addresses: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    @property
    def present(self) -> int:
        """Sessions that are there."""
        return len(self.sessions)

    def meet(self, address: str) -> bool:
        """Count a connection of which it is not known who it is; False where there are too many of them."""
        network = network_of(address)
        is_crowd = self._strangers.total() >= self.limits.unauthenticated
        if is_crowd or self._strangers[network] >= self.limits.unauthenticated_per_address:
            return False
        self._strangers[network] += 1
        return True

    def know(self, address: str) -> None:
        """A connection that was counted so is known now, or gone."""
        _count_down(self._strangers, network_of(address))

    def admit(self, address: str) -> str | None:
        """Count a new connection; gives the reason when there is no room for it."""
        if self._addresses.total() >= self.limits.connections:
            return "This server is full; please try again later."
        if self._addresses[network_of(address)] >= self.limits.connections_per_address:
            return "There are too many connections from your address."
        self._addresses[network_of(address)] += 1
        return None

    def release(self, address: str) -> None:
        """A counted connection has ended."""
        _count_down(self._addresses, network_of(address))

    def sessions_of(self, user: str) -> list[SshSession]:
        """All sessions of a user."""
        return [session for session in self.sessions if session.user == user]

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        tasks = [session.task for session in self.sessions if session.task is not None]
        for session in list(self.sessions):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING)
        for connection in list(self.open):
            connection.close()


def _count_down(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
