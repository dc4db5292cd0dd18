"""The page for browsers without a browser: its socket, and what it was sent."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import aiohttp
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kk_server.serve.server import Server
from tests.waiting import patience


class WebPage:
    """An open socket; `messages` are the text frames it was sent, `seen` all binary ones."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, origin: str) -> None:
        self.socket = socket
        self.origin = origin
        self.messages: list[dict[str, Any]] = []
        self.seen = b""

    async def say(self, kind: str, **fields: Any) -> None:
        await self.socket.send_str(msgspec.json.encode({"type": kind, **fields}).decode())

    async def greet(self, name: str = "anna", owner: str | None = None, **fields: Any) -> None:
        """Say who comes, as soon as the server asks: a guest, or the owner of a key."""
        challenge = await self.until_told("challenge")
        if owner is not None:
            fields = {**proof(owner, signed(challenge, self.origin)), **fields}
        await self.say("hello", **{"name": name, "columns": 80, "rows": 24, "languages": [], **fields})

    async def type(self, keys: str | bytes) -> None:
        await self.socket.send_bytes(keys.encode() if isinstance(keys, str) else keys)

    async def until(self, words: str) -> None:
        """Read until the terminal was sent something."""
        while words.encode() not in self.seen:
            assert await self._read(), f"closed before {words!r}: {self.messages}, {self.seen[-300:]!r}"

    async def until_told(self, kind: str) -> dict[str, Any]:
        """Read until a message of a kind has come; gives it."""
        while not self.messages or self.messages[-1]["type"] != kind:
            assert await self._read(), f"closed before {kind}: {self.messages}"
        return self.messages[-1]

    async def rest(self) -> int | None:
        """Read to the end; gives the code that the socket was closed with."""
        while await self._read():
            pass
        return self.socket.close_code

    async def _read(self) -> bool:
        async with asyncio.timeout(patience()):
            message = await self.socket.receive()
        if message.type is aiohttp.WSMsgType.TEXT:
            self.messages.append(msgspec.json.decode(message.data))
        elif message.type is aiohttp.WSMsgType.BINARY:
            self.seen += message.data
        else:
            return False
        return True


def signed(challenge: dict[str, Any], origin: str) -> bytes:
    """What the page of an origin signs."""
    said = {"origin": origin, **challenge}
    names = "purpose", "origin", "fingerprint", "nonce", "expires"
    return "\n".join(str(said[name]) for name in names).encode()


def proof(owner: str, message: bytes) -> dict[str, str]:
    """The key that the browser of its owner keeps, and its signature."""
    drawn = Ed25519PrivateKey.from_private_bytes(sha256(f"browser of {owner}".encode()).digest())
    key, signature = drawn.public_key().public_bytes_raw(), drawn.sign(message)
    return {"key": urlsafe_b64encode(key).decode(), "signature": urlsafe_b64encode(signature).decode()}


def url_of(server: Server, path: str = "", scheme: str = "http") -> str:
    """An address of the page on this machine."""
    assert server.web is not None
    return f"{scheme}://127.0.0.1:{server.web.port}/{path}"


@asynccontextmanager
async def calling(address: str = "127.0.0.1", **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    """A client that calls from an address of this machine."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0), **options)
    async with aiohttp.ClientSession(connector=connector) as client:
        yield client


@asynccontextmanager
async def socket_of(
    server: Server,
    address: str = "127.0.0.1",
    origin: str | None = None,
    scheme: str = "http",
    **options: Any,
) -> AsyncIterator[WebPage]:
    """A page's socket, from the server's own origin if no other is given."""
    assert server.web is not None
    origin = origin or url_of(server).rstrip("/")
    async with (
        calling(address) as client,
        client.ws_connect(url_of(server, "socket", scheme), origin=origin, **options) as socket,
    ):
        yield WebPage(socket, origin)


@asynccontextmanager
async def web_page(server: Server, name: str = "anna", **fields: Any) -> AsyncIterator[WebPage]:
    """A page on which the app has started."""
    async with socket_of(server) as page:
        await page.greet(name, **fields)
        yield page
