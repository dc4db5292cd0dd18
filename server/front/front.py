"""The SSH side of a server, as far as it is in one process: its connections and sessions."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import asyncssh

from kk_core.text import Text
from server.counts import Counts
from server.front import algorithms
from server.front.arrivals import Arrivals
from server.front.counting import Counted
from server.front.driver import Resizes
from server.front.reception import Reception
from server.front.settings import FrontSettings
from server.front.ssh_server import SshConnection, SshServer
from server.front.terminal import prepare
from server.hub.tasks import spawn

if TYPE_CHECKING:
    from server.front.ssh_session import SshSession
    from server.front.terminal import MakeApp

_KEEPALIVE: Final = 30
_CLOSING: Final = 3.0
"""Seconds that everybody has to leave when the server stops."""
_PARTING: Final = 0.3
"""Seconds that those who had a session have to go by themselves."""

_ENDING: Final = 1.0
"""Seconds in which the last words have to be read."""


class Front:
    """Speaks SSH with those who come, and has what their sessions need."""

    def __init__(
        self,
        reception: Reception,
        make_app: MakeApp,
        key: asyncssh.SSHKey,
        settings: FrontSettings,
    ) -> None:
        """`key` is the one that people know the server by."""
        spawn(prepare(), "load what games look like")  # a server is ready before
        self.reception = reception
        self.make_app = make_app
        self.limits = settings.limits
        self.language = settings.language
        self.banner = settings.banner
        """What ssh prints before the game."""
        self.open: set[SshServer] = set()
        self.sessions: set[SshSession] = set()
        self.arrivals = Arrivals(settings.limits)
        self.resizes = Resizes()
        self.ended = 0
        """Sessions that have ended since the start."""
        self.heard = 0.0
        """When somebody last typed, by the clock of the loop."""
        self._options = asyncssh.SSHServerConnectionOptions(
            server_factory=lambda: SshServer(self),
            server_host_keys=[key],
            server_version="kk",
            encoding=None,
            line_editor=False,
            gss_host=None,
            keepalive_interval=_KEEPALIVE,
            login_timeout=settings.limits.login_seconds,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            kex_algs=algorithms.KEY_EXCHANGE,
            encryption_algs=algorithms.ENCRYPTION,
            mac_algs=algorithms.MACS,
            compression_algs=algorithms.COMPRESSION,
        )

    @property
    def traffic(self) -> Front:
        """What goes on in this process."""
        return self

    def counted(self) -> Mapping[str, Counts]:
        """Nothing was counted in other processes."""
        return {}

    @property
    def present(self) -> int:
        """Sessions that are there."""
        return len(self.sessions)

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Speak SSH on a connection from now on."""
        spawn(self._speak(connection, counted), "connection")
        return True

    async def _speak(self, connection: socket.socket, counted: Counted) -> None:
        loop = asyncio.get_running_loop()
        spoken = SshConnection(loop, self._options)
        spoken.set_extra_info(counted=counted)
        try:
            await loop.connect_accepted_socket(lambda: spoken, connection)
        except OSError:
            connection.close()
            counted.end()

    def use(self, settings: FrontSettings) -> None:
        """Have these settings count for whoever comes from now on."""
        self.limits, self.language, self.banner = settings.limits, settings.language, settings.banner
        self.arrivals.use(settings.limits)
        self._options.update(login_timeout=settings.limits.login_seconds)

    def tell_all(self, sentence: Text) -> None:
        """Tell everybody who is here."""
        for session in self.sessions:
            session.tell(sentence)

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        served = {connection for connection in self.open if connection.is_served}
        tasks = [session.task for session in self.sessions if session.task is not None]
        for session in list(self.sessions):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING)
        ending = [
            asyncio.create_task(connection.ended(_PARTING if connection in served else 0))
            for connection in self.open
        ]
        if ending:
            await asyncio.wait(ending, timeout=_ENDING)
