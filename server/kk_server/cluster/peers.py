"""Links to peers, the other nodes: SSH, with the host key that all nodes share as the key of both sides.

One connection carries everybody who goes from one node to tables of another.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection
from errno import EADDRNOTAVAIL
from typing import Any, Final

import asyncssh
import msgspec

from kk_core.errors import KkError, where
from kk_core.protocol.frames import (
    MAX_CLIENT_FRAME,
    MAX_SERVER_FRAME,
    decode_client_message,
    decode_server_message,
)
from kk_core.protocol.messages import ClientMessage, ServerMessage
from kk_core.protocol.stream import CLOSED, ClientLink, LinkClosed, ServerLink, StreamLink, Writer
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.log import get_logger
from kk_server.ssh.host_keys import FILE
from kk_server.ssh.packets import send_no_ignored
from kk_server.tables.nodes import ForwardedCommand, Visitor
from kk_server.tables.place import NotPossible

_USER: Final = "kk-node"

_WAIT: Final = 3.0
"""Seconds until a node that does not answer counts as lost."""

_ALIVE_EVERY, _MISSED = 1, 3
"""Seconds between two signs of life, and how many may be missed."""

_ENCRYPTION: Final = ("aes256-gcm@openssh.com", "aes128-gcm@openssh.com")
"""For packets as short as these, in a sixth of the time that asyncssh's first choice takes."""

_FAULTS: Final = (OSError, asyncssh.Error)

_NO_SUCH_NAME: Final = (socket.EAI_NONAME, socket.EAI_NODATA)
_NO_SUCH_ADDRESS: Final = (EADDRNOTAVAIL, None)
"""Errors of an address that is none of this machine's; asyncio gives no number if a name has several."""

_STRANGERS: Final = (asyncssh.HostKeyNotVerifiable, asyncssh.PermissionDenied)
_SHARE_KEY: Final = f"copy {FILE} from one node's data folder to all"

_UNKNOWN, _REFUSED, _FAILED = 1, 2, 3
"""Exit statuses: of what this version does not know, of a refusal, whose reason follows, and of a fault."""

_CHUNK: Final = 64 * 1024

_decoder = msgspec.json.Decoder(Visitor | ForwardedCommand)

_logger = get_logger()


class Peers:
    """The connections of this node with its peers: those that they open to its port, and those to theirs."""

    def __init__(
        self,
        key: asyncssh.SSHKey,
        receive: Callable[[Visitor, ServerLink], Awaitable[None]],
        run: Callable[[ForwardedCommand, Writer], Awaitable[None]],
    ) -> None:
        """Take the key of all nodes.

        `receive` serves a visitor who comes from another one, `run` carries out a command. Raises `KkError`.
        """
        self._key = key
        self._receive = receive
        self._run = run
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._accepted: set[asyncssh.SSHServerConnection] = set()
        self._connections: dict[str, asyncio.Task[asyncssh.SSHClientConnection]] = {}
        self._unreached: dict[str, set[str]] = {}
        """The nodes that were not reached at the last attempt, each with the reasons that the log has."""

    # -- from peers ------------------------------------------------------------------------------------------

    async def open(self, host: str, port: int) -> None:
        """Let peers connect. Raises `KkError`."""
        try:
            self._acceptor = await asyncssh.listen(
                host or None, port, server_host_keys=[self._key],
                server_factory=lambda: _PeerServer(self._accepted),
                authorized_client_keys=asyncssh.import_authorized_keys(self._key.export_public_key().decode()),
                process_factory=self._serve, encoding=None, allow_pty=False, line_editor=False,
                encryption_algs=_ENCRYPTION, compression_algs=None,
                keepalive_interval=_ALIVE_EVERY, keepalive_count_max=_MISSED,
            )  # fmt: skip
        except OSError as error:
            is_unresolved = isinstance(error, socket.gaierror)
            if error.errno in (_NO_SUCH_NAME if is_unresolved else _NO_SUCH_ADDRESS):
                raise KkError(
                    text("node is {address}, but this machine has no such address: use one of its own.",
                         address=f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
                ) from None  # fmt: skip
            # the numbers of a resolver mean something else to the system
            reason = Text(str(error.strerror)) if is_unresolved else system_reason(error)
            raise KkError(
                text("Other nodes can't reach port {port} here: {reason}", port=port, reason=reason)
            ) from None

    @property
    def port(self) -> int:
        """The port that peers connect to."""
        assert self._acceptor is not None
        return self._acceptor.get_port()

    async def _serve(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        try:
            visitor = _decoder.decode((process.command or "").encode())
        except msgspec.MsgspecError:  # a node of another version
            process.exit(_UNKNOWN)
            return
        if isinstance(visitor, ForwardedCommand):
            await self._serve_command(visitor, process)
            return
        link: StreamLink[ServerMessage, ClientMessage] = StreamLink(
            process.stdin, process.stdout, decode_client_message, MAX_CLIENT_FRAME, faults=_FAULTS
        )
        try:
            await self._receive(visitor, link)
        except Exception as error:  # a fault of ours must not cut the connection, which carries others
            _logger.error("visit failed", error=where(error))
        finally:
            process.close()

    async def _serve_command(
        self, command: ForwardedCommand, process: asyncssh.SSHServerProcess[bytes]
    ) -> None:
        running = asyncio.ensure_future(self._run(command, process.stdout))
        closing = asyncio.ensure_future(process.wait_closed())
        try:
            # it may wait for something to say for hours after whoever has asked is gone
            await asyncio.wait((running, closing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            closing.cancel()
            if not running.done():
                running.cancel()
        try:
            await running
        except KkError as error:
            process.stderr.write(msgspec.json.encode(error.reason))
            process.exit(_REFUSED)
        except (*_FAULTS, asyncio.CancelledError):  # whoever has asked is gone
            process.close()
        except Exception as error:  # as above
            _logger.error("command failed", error=where(error))
            process.exit(_FAILED)
        else:
            process.exit(0)

    # -- to peers --------------------------------------------------------------------------------------------

    async def link(self, address: str, visitor: Visitor) -> ClientLink:
        """Return a link for a visitor to another node. Raises `LinkClosed`."""
        process = await self._begin(address, visitor)
        link: StreamLink[ClientMessage, ServerMessage] = StreamLink(
            process.stdout, process.stdin, decode_server_message, MAX_SERVER_FRAME, faults=_FAULTS
        )
        return link

    async def run(self, address: str, command: ForwardedCommand, writer: Writer) -> None:
        """Have another node carry out a command, and write its answer. Raises `KkError`."""
        process = await self._begin(address, command)
        try:
            while answer := await process.stdout.read(_CHUNK):
                await writer.drain()
                writer.write(answer)
            refused = await process.stderr.read()
            await process.wait_closed()
        except _FAULTS:
            raise LinkClosed(CLOSED) from None
        finally:
            process.close()
        if process.exit_status == _REFUSED:
            raise NotPossible(msgspec.json.decode(refused, type=Text))
        if process.exit_status != 0:
            raise LinkClosed(CLOSED)

    async def _begin(self, address: str, visitor: Visitor | ForwardedCommand) -> Any:
        connecting = self._connecting(address)
        try:
            async with asyncio.timeout(_WAIT):
                connection = await _made(connecting)
                process = await connection.create_process(
                    msgspec.json.encode(visitor).decode(), encoding=None
                )
        except (*_FAULTS, TimeoutError) as error:
            if self._connections.get(address) is connecting:  # others may have begun a new one
                self._drop(address)
            self._log_unreached(address, error)
            raise LinkClosed(CLOSED) from None
        if self._unreached.pop(address, None) is not None:
            _logger.info("node reached again", node=address)
        return process

    def is_reached(self, address: str) -> bool:
        """Return whether a node could be reached when somebody last went there, or nobody has tried."""
        return address not in self._unreached

    def _log_unreached(self, address: str, error: Exception) -> None:
        # each reason once until it is reached again: everybody who wants to go there tries ten times a second
        logged, reason = self._unreached.setdefault(address, set()), type(error).__name__
        if reason not in logged:
            logged.add(reason)
            advice = {"do": _SHARE_KEY} if isinstance(error, _STRANGERS) else {}
            _logger.warning("node not reached", node=address, error=reason, **advice)

    def _connecting(self, address: str) -> asyncio.Task[asyncssh.SSHClientConnection]:
        """Return the task that makes, or has made, the connection to a node."""
        connecting = self._connections.get(address)
        if connecting is None or (connecting.done() and (connecting.cancelled() or _is_closed(connecting))):
            self._connections[address] = connecting = asyncio.create_task(self._connect(address))
        return connecting

    async def _connect(self, address: str) -> asyncssh.SSHClientConnection:
        host, _, port = address.rpartition(":")
        return await asyncssh.connect(
            host.strip("[]"), int(port), username=_USER, client_keys=[self._key],
            config=None, agent_path=None, known_hosts=([self._key.convert_to_public()], [], []),
            client_factory=_PeerClient, encryption_algs=_ENCRYPTION, compression_algs=None,
            connect_timeout=_WAIT, login_timeout=_WAIT,
            keepalive_interval=_ALIVE_EVERY, keepalive_count_max=_MISSED,
        )  # fmt: skip

    def _drop(self, address: str) -> None:
        connecting = self._connections.pop(address, None)
        if connecting is None:
            return
        if connecting.done() and not connecting.cancelled() and connecting.exception() is None:
            connecting.result().abort()
        else:
            connecting.cancel()

    def keep(self, addresses: Collection[str]) -> None:
        """Cut the connections to all nodes but these, and forget the others: they are gone."""
        for address in set(self._connections).difference(addresses):
            self._drop(address)
        for address in set(self._unreached).difference(addresses):
            del self._unreached[address]

    async def close(self) -> None:
        """Close the port and all connections."""
        self.keep(())
        if self._acceptor is not None:
            self._acceptor.close()
        for connection in list(self._accepted):
            connection.abort()


class _PeerClient(asyncssh.SSHClient):
    """A connection to a peer."""

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        send_no_ignored(conn)


class _PeerServer(asyncssh.SSHServer):
    """A connection that a peer has opened."""

    def __init__(self, accepted: set[asyncssh.SSHServerConnection]) -> None:
        self._accepted = accepted
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._accepted.add(conn)
        send_no_ignored(conn)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._connection is not None:
            self._accepted.discard(self._connection)


async def _made(connecting: asyncio.Task[asyncssh.SSHClientConnection]) -> asyncssh.SSHClientConnection:
    try:
        # others may wait for the same connection
        return await asyncio.shield(connecting)
    except asyncio.CancelledError:
        waiting = asyncio.current_task()
        if waiting is not None and waiting.cancelling():
            raise
        # not this visit was cancelled, but the connection: the node is gone
        raise ConnectionAbortedError from None


def _is_closed(connecting: asyncio.Task[asyncssh.SSHClientConnection]) -> bool:
    return connecting.exception() is not None or connecting.result().is_closed()
