"""One SSH connection: the keys its client offers, and its sessions."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

import asyncssh
from asyncssh.encryption import get_encryption_algs
from asyncssh.kex import get_kex_algs
from asyncssh.public_key import decode_ssh_public_key

from kk_core.text import Text
from kk_server.background import spawn
from kk_server.counts import Counts
from kk_server.frontend.listener import CountedConnection
from kk_server.frontend.session import SessionHost
from kk_server.gateway import Caller
from kk_server.limits import FrontendSettings
from kk_server.log import get_logger
from kk_server.ssh.channel import SshChannel
from kk_server.ssh.packets import send_no_ignored

if TYPE_CHECKING:
    pass

_UNFIT: Final = (
    "This name is too long, or has characters that no name can have over SSH: use another one before the @."
)

NO_LOGIN: Final = "no login"
"""The log's reason if somebody left before logging in."""

_logger = get_logger()


ASYNCSSH_PRIVATE: Final = {
    "asyncssh.connection.SSHConnection._send_disconnect": (
        "asyncssh refuses a name before it asks anybody; by this a player is told what is wrong with it"
    ),
}
"""The private names of asyncssh that are used (only here), and why."""


class SshConnection(asyncssh.SSHServerConnection):
    """asyncssh's connection, with our sentence for names that it refuses before asking us."""

    def _send_disconnect(self, code: int, reason: str, lang: str) -> None:
        is_name = code == asyncssh.DISC_ILLEGAL_USER_NAME
        super()._send_disconnect(code, _UNFIT if is_name else reason, lang)


class SshServer(asyncssh.SSHServer):
    """One connection. Keys are tried one by one; clients without an accepted one get this far too.

    The access policy decides for each session whether they may enter, and can give the reason if not.
    """

    def __init__(self, frontend: SshFrontend) -> None:
        self._frontend = frontend
        self._caller = Caller("?")
        self._counted: CountedConnection
        self._has_named_himself = self._is_known = False
        self._keys_offered = 0
        self._offered: bytes | None = None
        self._channels: set[SshChannel] = set()
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Begin a connection."""
        self._connection = conn
        self._counted = conn.get_extra_info("counted")
        self._caller.address = self._counted.address
        self._frontend.open.add(self)
        if self._counted.refusal is not None:
            return
        self._watch_proofs(conn)
        send_no_ignored(conn)
        # asyncssh ignores that the socket is full, and would queue endlessly
        conn.pause_writing = lambda: self._set_paused(True)  # type: ignore[method-assign]
        conn.resume_writing = lambda: self._set_paused(False)  # type: ignore[method-assign]
        self._expect_session()

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection, orderly or not."""
        self._frontend.open.discard(self)
        self._counted.end()
        if self._counted.refusal is not None:
            return
        who: dict[str, str] = {"address": self._caller.address, "user": self._caller.name}
        if self._has_named_himself and not self._is_known:
            _logger.info("auth failed", **who, reason=NO_LOGIN if exc is None else str(exc))
        if self._has_named_himself or not ip_address(who["address"].partition("%")[0]).is_loopback:
            # a health check from this machine must not fill the log
            _logger.info("disconnect", **who, error=None if exc is None else type(exc).__name__)

    # -- who is there ----------------------------------------------------------------------------------------

    def begin_auth(self, username: str) -> bool:
        """Ask for keys; only here can a client be told that there is no room. Raises DisconnectError."""
        if self._counted.refusal is not None:
            raise asyncssh.DisconnectError(asyncssh.DISC_TOO_MANY_CONNECTIONS, self._counted.refusal)
        if self._frontend.banner and self._connection is not None and not self._has_named_himself:
            self._connection.send_auth_banner(self._frontend.banner)
        self._caller.name, self._has_named_himself = username, True
        return True

    def auth_completed(self) -> None:
        """Note that the user is authenticated."""
        self._is_known = True
        self._counted.know(self._caller.name)

    def public_key_auth_supported(self) -> bool:
        """Return True: accounts are based on keys."""
        return True

    async def validate_public_key(self, _username: str, key: asyncssh.SSHKey) -> bool:
        """Return whether a key is accepted; others may follow. Raises DisconnectError after too many."""
        is_signature = key.public_data == self._offered  # for the key just offered
        self._offered = None if is_signature else key.public_data
        self._keys_offered += not is_signature
        if self._keys_offered > self._frontend.host.limits.keys_per_connection:
            raise asyncssh.DisconnectError(
                asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many keys; choose one with ssh -i FILE."
            )
        self._caller.refusal = await self._frontend.host.gateway.why_not(self._caller, key)
        return self._caller.refusal is None

    def _watch_proofs(self, conn: asyncssh.SSHServerConnection) -> None:
        # `validate_public_key` is also called for keys that are merely offered, and anybody can offer a key:
        # remember the one that the client has signed with
        validate = conn.validate_public_key

        async def validated(username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
            is_good = await validate(username, key_data, msg, signature)
            if is_good and msg:
                self._caller.key = decode_ssh_public_key(key_data)
            return is_good

        conn.validate_public_key = validated  # type: ignore[method-assign]

    def kbdint_auth_supported(self) -> bool:
        """Return True: this is how clients without a key get in, even without a terminal."""
        return True

    def get_kbdint_challenge(self, _username: str, _lang: str, _submethods: str) -> bool:
        """Return True, with no questions to answer: the access policy decides."""
        return True

    # -- sessions --------------------------------------------------------------------------------------------

    @property
    def is_served(self) -> bool:
        """True while it has a session."""
        return bool(self._channels)

    def session_requested(self) -> tuple[asyncssh.SSHServerChannel[bytes], SshChannel]:
        """Open a channel. Raises ChannelOpenError if there are too many."""
        limits = self._frontend.host.limits
        if self._connection is None or len(self._channels) >= limits.channels_per_connection:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "Too many channels.")
        channel = SshChannel(self._frontend.host, self._caller, self._channel_ended)
        self._channels.add(channel)
        # asyncssh's default would let every channel buffer 2 MiB before anything is read
        window = limits.window_bytes
        return self._connection.create_server_channel(window=window, max_pktsize=window), channel

    def _channel_ended(self, channel: SshChannel) -> None:
        self._channels.discard(channel)
        self._expect_session()

    def _expect_session(self) -> None:
        # a connection without a session takes the place of somebody who could play
        asyncio.get_running_loop().call_later(self._frontend.host.limits.login_seconds, self._close_if_idle)

    def close(self) -> None:
        """Close the connection after everything has been sent."""
        if self._connection is not None:
            self._connection.close()

    async def ended(self, patience: float) -> None:
        """Close the connection, after waiting `patience` seconds for the client to do so.

        OpenSSH's client discards unread output once it is told that the connection ends.
        """
        if self._connection is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._connection.wait_closed()
        self.close()
        await self._connection.wait_closed()

    def _close_if_idle(self) -> None:
        if not self._channels:
            self.close()

    def _set_paused(self, paused: bool) -> None:
        for channel in self._channels:
            channel.set_paused(paused)


def _known(names: tuple[str, ...], known: list[bytes]) -> tuple[str, ...]:
    """Return the algorithms that the libraries on this machine support."""
    return tuple(name for name in names if name.encode() in known)


KEY_EXCHANGE: Final = _known(
    ("curve25519-sha256", "curve25519-sha256@libssh.org", "mlkem768x25519-sha256"), get_kex_algs()
)
"""In the client's order of preference. Dropbear sends a guess along, based on its own first choice. It
considers the guess wrong if another algorithm comes first here, while asyncssh accepts it at any position.
"""

ENCRYPTION: Final = _known(
    (
        "chacha20-poly1305@openssh.com",
        "aes256-gcm@openssh.com",
        "aes128-gcm@openssh.com",
        "aes256-ctr",
        "aes192-ctr",
        "aes128-ctr",
    ),
    get_encryption_algs(),
)

MACS: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")

COMPRESSION: Final = ("none",)
"""Compressed data can expand to any size, and what is sent here is short."""


_KEEPALIVE: Final = 30  # seconds of silence before a client is probed
_PARTING: Final = 0.3
"""Seconds that clients which had a session have to disconnect by themselves."""

_ENDING: Final = 1.0
"""Seconds for the client to read the last data."""


class SshFrontend:
    """Speaks SSH on all connections given to it."""

    def __init__(self, host: SessionHost, key: asyncssh.SSHKey, settings: FrontendSettings) -> None:
        """Take the host of its sessions; `key` is the key that people know the server by."""
        self.host = host
        self.banner = settings.banner
        """The text that ssh prints before the game."""
        self.open: set[SshServer] = set()
        # Nothing here makes asyncssh offer `ping@openssh.com`: OpenSSH 9.5 and later would then send chaff
        # for each key.
        self._options = asyncssh.SSHServerConnectionOptions(
            server_factory=lambda: SshServer(self),
            server_host_keys=[key],
            server_version="kk",
            encoding=None,
            # the app reads keys, not lines
            line_editor=False,
            # without it asyncssh looks up the host's name, which may take seconds
            gss_host=None,
            keepalive_interval=_KEEPALIVE,
            login_timeout=settings.limits.login_seconds,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            kex_algs=KEY_EXCHANGE,
            encryption_algs=ENCRYPTION,
            mac_algs=MACS,
            compression_algs=COMPRESSION,
        )

    @property
    def traffic(self) -> SessionHost:
        """The sessions of this process."""
        return self.host

    def counted(self) -> Mapping[str, Counts]:
        """Return nothing: there are no other processes."""
        return {}

    def take(self, connection: socket.socket, counted: CountedConnection) -> bool:
        """Speak SSH on a connection from now on."""
        spawn(self._speak(connection, counted), "connection")
        return True

    async def _speak(self, connection: socket.socket, counted: CountedConnection) -> None:
        loop = asyncio.get_running_loop()
        spoken = SshConnection(loop, self._options)
        spoken.set_extra_info(counted=counted)
        try:
            await loop.connect_accepted_socket(lambda: spoken, connection)
        except OSError:
            connection.close()
            counted.end()

    def use(self, settings: FrontendSettings) -> None:
        """Apply new settings to connections made from now on."""
        self.host.use(settings)
        self.banner = settings.banner
        self._options.update(login_timeout=settings.limits.login_seconds)

    async def close(self, reason: Text) -> None:
        """Ask everybody to leave, and wait a moment."""
        served = {connection for connection in self.open if connection.is_served}
        await self.host.close(reason)
        ending = [
            asyncio.create_task(connection.ended(_PARTING if connection in served else 0))
            for connection in self.open
        ]
        if ending:
            await asyncio.wait(ending, timeout=_ENDING)
        # on a busy machine that may be too short; the rest are closed at once, so that each gets its line in
        # the log
        await asyncio.gather(*(connection.ended(0) for connection in self.open))
