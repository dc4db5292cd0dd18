"""All connections of a server: how many there may be, and what their sessions need."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kk_core.text import Text
from server.front.door import Door
from server.front.terminal import MakeApp
from server.hub.hub import Hub

if TYPE_CHECKING:
    from server.front.ssh_server import SshServer
    from server.front.ssh_session import SshSession

_CLOSING: Final = 3.0
"""Seconds that everybody has to leave when the server stops."""


@dataclass(frozen=True)
class ConnectionLimits:
    """How many may connect, and how long they may be slow."""

    connections: int = 300
    connections_per_address: int = 20
    channels_per_connection: int = 4
    keys_per_connection: int = 20
    """How many keys one connection may offer."""
    patience: float = 30.0
    """Seconds that somebody may leave unread what was sent."""


class Connections:
    """All connections of a server, counted, and what their sessions need."""

    def __init__(self, hub: Hub, door: Door, make_app: MakeApp, limits: ConnectionLimits) -> None:
        self.hub = hub
        self.door = door
        self.make_app = make_app
        self.limits = limits
        self.open: set[SshServer] = set()
        self.sessions: set[SshSession] = set()
        self._addresses: Counter[str] = Counter()

    def admit(self, address: str) -> str | None:
        """Count a new connection; gives the reason when there is no room for it."""
        if self._addresses.total() >= self.limits.connections:
            return "This server is full; please try again later."
        if self._addresses[address] >= self.limits.connections_per_address:
            return "There are too many connections from your address."
        self._addresses[address] += 1
        return None

    def release(self, address: str) -> None:
        """A counted connection has ended."""
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        tasks = [session.task for session in self.sessions if session.task is not None]
        for session in list(self.sessions):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING)
        for connection in list(self.open):
            connection.close()
