"""The other side of an SSH connection, for tests."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import cache
from hashlib import sha256
from typing import Any

import asyncssh
import pyte
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kk_core.protocol.frames import (
    MAX_SERVER_FRAME,
    FrameReader,
    decode_server_message,
    encode_message,
    frame,
)
from kk_core.protocol.messages import ClientMessage, ServerMessage
from kk_core.protocol.stream import LinkClosed
from kk_core.text import text
from kk_server.serve.server import Server
from tests.waiting import patience
from tests.waiting import wait_for as wait_for


class NoAnswers(asyncssh.SSHClient):
    """Takes the way without a key, as OpenSSH does by itself."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *_: object) -> list[str]:
        return []


@cache
def key_of(owner: str) -> asyncssh.SSHKey:
    """Somebody's SSH key: the same one every time."""
    drawn = Ed25519PrivateKey.from_private_bytes(sha256(owner.encode()).digest())
    written = drawn.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    key = asyncssh.import_private_key(written)
    key.set_comment(owner)
    return key


async def dial(
    port: int, user: str, *keys: asyncssh.SSHKey, is_guest: bool = False, address: str = "127.0.0.1"
) -> asyncssh.SSHClientConnection:
    """A connection to a server on this machine: with a user's own key, with other keys, or without any."""
    return await asyncssh.connect(
        "127.0.0.1", port, username=user, known_hosts=None, config=None, agent_path=None,
        client_keys=None if is_guest else list(keys) or [key_of(user)], client_factory=NoAnswers,
        local_addr=(address, 0),
    )  # fmt: skip


class RemoteLink:
    """A client's end of a link over the subsystem."""

    def __init__(self, connection: asyncssh.SSHClientConnection, process: Any) -> None:
        self.connection = connection
        self.process = process
        self._reader = FrameReader(MAX_SERVER_FRAME)
        self._waiting: deque[bytes] = deque()

    async def send(self, message: ClientMessage) -> None:
        self.process.stdin.write(frame(encode_message(message)))

    async def receive(self) -> ServerMessage:
        while not self._waiting:
            try:
                data = await self.process.stdout.read(65536)
            except (asyncssh.Error, OSError):
                data = b""
            if not data:
                raise LinkClosed(text("closed"))
            self._waiting.extend(self._reader.feed(data))
        return decode_server_message(self._waiting.popleft())

    async def close(self) -> None:
        self.connection.close()
        await self.connection.wait_closed()


async def remote_link(port: int, user: str, subsystem: str = "kk-sync") -> RemoteLink:
    """A link to a server on this machine; nothing has been said on it yet."""
    connection = await dial(port, user)
    return RemoteLink(connection, await connection.create_process(subsystem=subsystem, encoding=None))


class Screen:
    """A terminal that remembers all it was sent."""

    def __init__(self, connection: asyncssh.SSHClientConnection, process: Any, size: tuple[int, int]) -> None:
        self.connection = connection
        self.process = process
        self.seen = b""
        self._picture = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._picture)

    def type(self, data: str | bytes) -> None:
        self.process.stdin.write(data.encode() if isinstance(data, str) else data)

    async def until(self, words: str) -> None:
        """Read until words are shown, or some code was sent."""
        async with asyncio.timeout(patience()):
            while not self._has(words):
                data = await self.process.stdout.read(65536)
                assert data, f"closed before {words!r}: {self.seen[-300:]!r}"
                self.seen += data
                self._stream.feed(data)

    def _has(self, words: str) -> bool:
        return words.encode() in self.seen or any(words in line for line in self._picture.display)

    async def rest(self) -> int | None:
        """Read to the end; gives the exit status."""
        async with asyncio.timeout(patience()):
            while data := await self.process.stdout.read(65536):
                self.seen += data
            await self.process.wait_closed()
        status: int | None = self.process.exit_status
        return status

    async def close(self) -> None:
        self.connection.close()
        await self.connection.wait_closed()


async def screen(
    server: Server, user: str = "anna", size: tuple[int, int] = (80, 24), **options: Any
) -> Screen:
    """A terminal on which the app has started."""
    connection = await dial(server.port, user)
    process = await connection.create_process(
        encoding=None, term_type=options.pop("term", "xterm-256color"), term_size=size, **options
    )
    return Screen(connection, process, size)
