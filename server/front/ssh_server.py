"""One SSH connection: the key that its user shows, and his sessions."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

import asyncssh
from asyncssh.public_key import decode_ssh_public_key

from server.front.counting import Counted
from server.front.reception import Caller
from server.front.ssh_session import SshSession
from server.log import get_logger

if TYPE_CHECKING:
    from server.front.front import Front

_UNFIT: Final = (
    "This name is too long, or has signs that no name can have over SSH: come with another one before the @."
)

NO_LOGIN: Final = "no login"
"""Why somebody was not let in who has gone before it could be known who he is, as the log says it."""

_log = get_logger()


class SshConnection(asyncssh.SSHServerConnection):
    """A connection of the library, which looks at names before anybody else does, and ends it by this."""

    def _send_disconnect(self, code: int, reason: str, lang: str) -> None:
        is_name = code == asyncssh.DISC_ILLEGAL_USER_NAME
        super()._send_disconnect(code, _UNFIT if is_name else reason, lang)


class SshServer(asyncssh.SSHServer):
    """One connection. Keys are tried one after the other; who has none of use comes this far without one.

    Whether he comes in is decided for each session by the door: to him it can say why not.
    """

    def __init__(self, front: Front) -> None:
        self._front = front
        self._caller = Caller("?")
        self._counted: Counted
        self._has_named_himself = self._is_known = False
        self._keys_offered = 0
        self._offered: bytes | None = None
        self._sessions: set[SshSession] = set()
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Somebody has come."""
        self._connection = conn
        self._counted = conn.get_extra_info("counted")
        self._caller.address = self._counted.address
        self._front.open.add(self)
        if self._counted.refusal is not None:
            return
        self._watch_proofs(conn)
        # asyncssh ignores that the socket is full, and would queue without end
        conn.pause_writing = lambda: self._set_paused(True)  # type: ignore[method-assign]
        conn.resume_writing = lambda: self._set_paused(False)  # type: ignore[method-assign]
        self._expect_session()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended, one way or the other."""
        self._front.open.discard(self)
        self._counted.end()
        if self._counted.refusal is not None:
            return
        who: dict[str, str] = {"address": self._caller.address, "user": self._caller.name}
        if self._has_named_himself and not self._is_known:
            _log.info("auth failed", **who, reason=NO_LOGIN if exc is None else str(exc))
        if self._has_named_himself or not ip_address(who["address"].partition("%")[0]).is_loopback:
            # what looks from this machine every minute whether the port answers fills no log
            _log.info("disconnect", **who, error=None if exc is None else type(exc).__name__)

    # -- who is there ----------------------------------------------------------------------------------------

    def begin_auth(self, username: str) -> bool:
        """Ask for keys. Only now can somebody be told why there is no room. Raises DisconnectError."""
        if self._counted.refusal is not None:
            raise asyncssh.DisconnectError(asyncssh.DISC_TOO_MANY_CONNECTIONS, self._counted.refusal)
        if self._front.banner and self._connection is not None and not self._has_named_himself:
            self._connection.send_auth_banner(self._front.banner)
        self._caller.name, self._has_named_himself = username, True
        return True

    def auth_completed(self) -> None:
        """It is known who is there."""
        self._is_known = True
        self._counted.know()

    def public_key_auth_supported(self) -> bool:
        """Keys are what accounts are made of."""
        return True

    async def validate_public_key(self, _username: str, key: asyncssh.SSHKey) -> bool:
        """Whether a key is of use; if not, the client may have others. Too many raise DisconnectError."""
        is_signature = key.public_data == self._offered  # of the key that was only offered just now
        self._offered = None if is_signature else key.public_data
        self._keys_offered += not is_signature
        if self._keys_offered > self._front.limits.keys_per_connection:
            raise asyncssh.DisconnectError(
                asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many keys; choose one with ssh -i FILE."
            )
        self._caller.refusal = await self._front.reception.why_not(self._caller, key)
        return self._caller.refusal is None

    def _watch_proofs(self, conn: asyncssh.SSHServerConnection) -> None:
        """Take note of a key once its owner has signed with it.

        `validate_public_key` is also asked for keys that are merely offered, and anybody can offer a key.
        """
        validate = conn.validate_public_key

        async def validated(username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
            is_good = await validate(username, key_data, msg, signature)
            if is_good and msg:
                self._caller.key = decode_ssh_public_key(key_data)
            return is_good

        conn.validate_public_key = validated  # type: ignore[method-assign]

    def kbdint_auth_supported(self) -> bool:
        """The way without a key, which clients take after their keys; without a terminal, too."""
        return True

    def get_kbdint_challenge(self, _username: str, _lang: str, _submethods: str) -> bool:
        """Nothing to answer: the door decides."""
        return True

    # -- sessions --------------------------------------------------------------------------------------------

    @property
    def is_served(self) -> bool:
        """Whether a session goes on over it."""
        return bool(self._sessions)

    def session_requested(self) -> tuple[asyncssh.SSHServerChannel[bytes], SshSession]:
        """Open a channel. Raises ChannelOpenError when there are too many."""
        limits = self._front.limits
        if self._connection is None or len(self._sessions) >= limits.channels_per_connection:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "Too many channels.")
        session = SshSession(self._front, self._caller, self._session_ended)
        self._sessions.add(session)
        window = limits.window_bytes
        return self._connection.create_server_channel(window=window, max_pktsize=window), session

    def _session_ended(self, session: SshSession) -> None:
        self._sessions.discard(session)
        self._expect_session()

    def _expect_session(self) -> None:
        asyncio.get_running_loop().call_later(self._front.limits.login_seconds, self._close_if_idle)

    def close(self) -> None:
        """End the connection after what is still being sent."""
        if self._connection is not None:
            self._connection.close()

    async def ended(self, patience: float) -> None:
        """End the connection, and wait for that; for `patience` seconds whether the client does it itself.

        OpenSSH's, once it is told that the connection ends, shows nothing more of what came before.
        """
        if self._connection is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._connection.wait_closed()
        self.close()
        await self._connection.wait_closed()

    def _close_if_idle(self) -> None:
        if not self._sessions:
            self.close()

    def _set_paused(self, paused: bool) -> None:
        for session in self._sessions:
            session.set_paused(paused)
