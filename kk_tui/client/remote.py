"""The player's own app on somebody else's server: the protocol over the SSH subsystem `kk-sync`."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path
from typing import Any, Final

import asyncssh
import platformdirs
from asyncssh.saslprep import SASLPrepError

from kk_core.errors import KkError
from kk_core.protocol.frames import MAX_SERVER_FRAME, decode_server_message
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Done,
    Goodbye,
    Hello,
    Join,
    Refused,
    ServerMessage,
    Welcome,
)
from kk_core.protocol.stream import LinkClosed, StreamLink
from kk_core.reasons import system_reason
from kk_core.text import Text, printable, shortened, text
from kk_tui.client.own_keys import KeyPairs, own_keys

SUBSYSTEM: Final = "kk-sync"

_KEEPALIVE: Final = 30  # seconds
_PATIENCE: Final = 15  # seconds to establish a connection

LONGEST_SAID: Final = 400
"""Maximum characters shown of a server's own words."""


class CannotConnect(KkError):
    """The server cannot be reached, or has refused; the sentence says why."""


class RemoteLink(StreamLink[ClientMessage, ServerMessage]):
    """A link over one SSH channel."""

    def __init__(
        self, connection: asyncssh.SSHClientConnection, process: Any, first_key: str | None = None
    ) -> None:
        """Make a link; `first_key` is the fingerprint of a server that was not known before."""
        super().__init__(
            process.stdout, process.stdin, decode_server_message, MAX_SERVER_FRAME,
            gone=_gone(), faults=(OSError, asyncssh.Error),
        )  # fmt: skip
        self._connection = connection
        self._process = process
        self.first_key = first_key

    async def greet(self) -> None:
        """Say hello, so that a refusal comes before the app starts. Raises `CannotConnect`, or `BadFrame`."""
        try:
            await self.send(Hello(0, PROTOCOL_VERSION))
            message = await self._first(Welcome, Goodbye)
        except LinkClosed as error:
            raise CannotConnect(await _said(self._process) or error.reason) from None
        if isinstance(message, Goodbye):
            raise CannotConnect(message.reason)

    async def join(self, code: str) -> None:
        """Go to the table of an invitation, so that a refusal comes at once too. Raises `CannotConnect`."""
        try:
            await self.send(Join(0, code))
            message = await self._first(Done, Refused)
        except LinkClosed as error:
            raise CannotConnect(error.reason) from None
        if isinstance(message, Refused):
            raise CannotConnect(message.reason)

    async def _first(self, *kinds: type[ServerMessage]) -> ServerMessage:
        """Receive the first message of one of these kinds."""
        early: list[ServerMessage] = []
        while not isinstance(message := await self.receive(), kinds):
            early.append(message)
        # the app must see the others too
        self.put_back(*early)
        return message

    async def close(self) -> None:
        """End the connection."""
        self._connection.close()
        await self._connection.wait_closed()


class _Visitor(asyncssh.SSHClient):
    """A client that keeps an untrusted host key for the error message, and logs in without a key of its own.

    A server accepts even unknown users, so that it can give them the reason for a refusal.
    """

    def __init__(self) -> None:
        self.shown: asyncssh.SSHKey | None = None
        """The host key of the server, if it is not the trusted one."""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002
        """Trust no other key, but remember it."""
        self.shown = key
        return False

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *_: object) -> list[str]:
        return []


async def connect(
    user: str,
    host: str,
    port: int,
    known_hosts: Path | None = None,
    *,
    own: KeyPairs | None = None,
    code: str | None = None,
    invitation: str | None = None,
    language: str | None = None,
) -> RemoteLink:
    """Connect to a server and open the protocol. Raises `CannotConnect`, or `NoKey`.

    The host key is trusted on first use and kept in `known_hosts` (by default a file in the user's data
    folder); a different key later is refused. The user authenticates with the keys `own`, or else with
    `own_keys` and those of an agent; with `code` the key is linked to an account first. An `invitation` leads
    straight to its table. If the server refuses, it does so in `language`, such as "de_AT.UTF-8".
    """
    keys = known_hosts or known_hosts_file()
    trusted = _trusted(keys, host, port)
    agent: Any = () if own is None else None  # () means SSH_AUTH_SOCK's agent, None no agent
    # A server may have keys of several kinds: one of another kind would look like a changed key.
    algorithms: Any = () if trusted is None else [trusted.get_algorithm()]
    shown, visitor = await own_keys() if own is None else own, _Visitor()
    reader = {"LANG": language} if language else {}
    try:
        connection = await asyncssh.connect(
            # with None asyncssh checks nothing: the key of a new server is stored below
            host, port, username=user, known_hosts=None if trusted is None else ([trusted], [], []),
            server_host_key_algs=algorithms, client_keys=shown, agent_path=agent, config=None,
            client_factory=lambda: visitor, keepalive_interval=_KEEPALIVE, connect_timeout=_PATIENCE,
            login_timeout=_PATIENCE,
        )  # fmt: skip
    except (OSError, TimeoutError, SASLPrepError, UnicodeError, asyncssh.Error) as error:
        raise CannotConnect(_why(error, f"{host}:{port}", keys, visitor.shown)) from None
    try:
        met = connection.get_server_host_key() if trusted is None else None
        if code is not None:
            await _link_key(connection, code, reader)
        process = await connection.create_process(subsystem=SUBSYSTEM, encoding=None, env=reader)
        link = RemoteLink(connection, process, None if met is None else met.get_fingerprint())
        await link.greet()
        if invitation is not None:
            await link.join(invitation)
        # a server that has refused was not shown to anybody yet: the next visit is the first one
        if met is not None:
            _trust(keys, host, port, met)
    except (OSError, asyncssh.Error) as error:
        connection.close()
        raise CannotConnect(_why(error, f"{host}:{port}", keys)) from None
    except BaseException:
        connection.close()
        raise
    return link


async def _link_key(connection: asyncssh.SSHClientConnection, code: str, reader: dict[str, str]) -> None:
    process = await connection.create_process(f"link {code}", encoding=None, env=reader)
    said = await _said(process)
    if (await process.wait()).exit_status != 0:
        raise CannotConnect(said or _gone())


async def _said(process: Any) -> Text | None:
    """Return what a server writes to standard error before it closes a channel."""
    try:
        async with asyncio.timeout(_PATIENCE):
            words = (await process.stderr.read()).decode(errors="replace").strip()
    except (OSError, TimeoutError, asyncssh.Error):
        return None
    return text("{words}", words=shortened(printable(words), LONGEST_SAID)) if words else None


def known_hosts_file() -> Path:
    """Return the path of the file with the host keys of known servers."""
    return platformdirs.user_data_path("kk") / "known_hosts"


def hosts_of(key: asyncssh.SSHKey, known_hosts: Path | None = None) -> tuple[str, ...]:
    """Return the known servers that have this key, as "[HOST]:PORT"."""
    return tuple(name for name, public in _lines(known_hosts or known_hosts_file()) if _is(key, public))


def _is(key: asyncssh.SSHKey, public: str) -> bool:
    try:
        return asyncssh.import_public_key(public) == key
    except asyncssh.KeyImportError:
        return False


def _lines(known_hosts: Path) -> list[tuple[str, str]]:
    if not known_hosts.is_file():
        return []
    lines = known_hosts.read_text(encoding="utf-8", errors="replace").splitlines()
    return [(name, key) for name, _, key in (line.partition(" ") for line in lines)]


def _name(host: str, port: int) -> str:
    return f"[{host}]:{port}"


def _trusted(file: Path, host: str, port: int) -> asyncssh.SSHKey | None:
    """Return the host key of a known server. Raises `CannotConnect` for a damaged line."""
    for name, key in _lines(file):
        if name == _name(host, port):
            try:
                return asyncssh.import_public_key(key)
            except asyncssh.KeyImportError:
                reason = text("The line for {host} in {file} is damaged.", host=name, file=str(file))
                raise CannotConnect(reason) from None
    return None


def _trust(file: Path, host: str, port: int, key: asyncssh.SSHKey) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as known:
        known.write(f"{_name(host, port)} {key.export_public_key().decode().strip()}\n")


def _gone() -> Text:
    return text("The server closed the connection.")


def _why(error: Exception, where: str, keys: Path, other: asyncssh.SSHKey | None = None) -> Text:
    """Return one sentence for an error; `other` is an untrusted key that the server has shown."""
    if other is not None:
        return text(
            "The key of {where} has changed to {key}. If its owner confirms the new key, delete "
            "the old line in {file}.",
            where=where, key=other.get_fingerprint(), file=str(keys),
        )  # fmt: skip
    if isinstance(error, asyncssh.HostKeyNotVerifiable | asyncssh.KeyExchangeFailed):
        return text(
            "The key of {where} has changed. If its owner confirms the change, delete the old "
            "line in {file}.",
            where=where, file=str(keys),
        )  # fmt: skip
    if isinstance(error, asyncssh.PermissionDenied):
        return text("{where} refused to let you in under this name.", where=where)
    if isinstance(error, asyncssh.ChannelOpenError):
        return text("{where} is an SSH server, but not a kk server.", where=where)
    if isinstance(error, TimeoutError):
        return text("{where} isn't responding.", where=where)
    if isinstance(error, SASLPrepError):
        return text("SSH doesn't allow some of the characters in this name; use another one before the @.")
    return text("Could not connect to {where}: {reason}.", where=where, reason=_reason(error))


def _reason(error: Exception) -> Text:
    if isinstance(error, socket.gaierror):
        return text("there is no such host, or no network")
    if number := re.search(r"\[Errno (\d+)\]", str(error)):  # asyncio joins several attempts in one message
        return system_reason(int(number[1]))
    if isinstance(error, OSError) and error.errno:
        return system_reason(error)
    said = str(error)
    if isinstance(error, asyncssh.DisconnectError):  # asyncssh appends the code to the server's words
        said = error.reason.removesuffix(f" (error {error.code})")
    return Text(shortened(printable(said), LONGEST_SAID).rstrip(".") or type(error).__name__)
