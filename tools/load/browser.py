"""People who play in a browser: the frames that the page sends, without a browser."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import aiohttp
import msgspec

from kk_server.background import spawn
from tests.server.remote import dial, key_of
from tests.server.web_page import proof, signed
from tools.load.person import Person, Program, Terminal


class Page:
    """The socket of a page from an address of this machine; `open_page` opens one."""

    def __init__(
        self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse, origin: str
    ) -> None:
        self._http = http
        self._origin = origin
        self.socket = socket
        connection = socket._response.connection
        assert connection is not None, "it is open"
        self.transport = cast("asyncio.Transport", connection.transport)
        """The transport below the socket."""

    async def greet(
        self,
        name: str,
        size: tuple[int, int] = (80, 24),
        command: tuple[str, str] = ("", ""),
        proved: dict[str, str] | None = None,
    ) -> dict[str, str]:
        """Answer the server's challenge with a key that belongs to the name, or with an earlier answer.

        Returns what proves who comes: key and signature. Raises `EOFError`.
        """
        challenge = await self.socket.receive()
        if challenge.type is not aiohttp.WSMsgType.TEXT:
            raise EOFError(f"{name} was not asked who they are")
        proved = proved or proof(name, signed(msgspec.json.decode(challenge.data), self._origin))
        hello: dict[str, Any] = {"type": "hello", "name": name, "languages": [], **proved}
        hello |= {"columns": size[0], "rows": size[1], "go": command[0], "code": command[1]}
        await self.socket.send_str(msgspec.json.encode(hello).decode())
        return proved

    async def read(self) -> bytes:
        """Return what the terminal is sent next; nothing once the server has closed the socket."""
        async for message in self.socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                data: bytes = message.data
                return data
        return b""

    async def close(self) -> None:
        """Hang up."""
        await self._http.close()


async def open_page(port: int, address: str, origin: str | None = None) -> Page:
    """Open the socket of a page, from the server's own origin unless another is given.

    Raises `aiohttp.ClientError` if the server refuses.
    """
    own = f"http://127.0.0.1:{port}"
    http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(address, 0)))
    try:
        socket = await http.ws_connect(f"{own}/socket", origin=origin or own, max_msg_size=0)
    except BaseException:
        await http.close()
        raise
    return Page(http, socket, own)


class Browser(Person):
    """A person with a page; the program that takes a seat for them comes by ssh, with the page's key."""

    def __init__(self, number: int, web: int) -> None:
        """Take the port of the page."""
        super().__init__(number)
        self._web = web
        self._page: Page | None = None
        self._has_called = False

    async def come(self, port: int) -> None:
        """Do nothing yet: a page logs in where it looks."""
        self._port = port

    async def client(self) -> Program:
        """Start a client program over a connection of its own."""
        key = key_of(f"browser of {self.name}")
        self._connection = await dial(self._port, self.name, key, address=self.address)
        self._has_called = True
        return await super().client()

    async def look(self, code: str | None, size: tuple[int, int]) -> None:
        """Open the page, in the lobby or at the table with a code, and wait for its first picture."""
        self._look_on()
        self._terminal = Terminal(self._take)
        self._page = page = await open_page(self._web, self.address)
        await page.greet(self.name, size, ("", "") if code is None else ("join", code))
        spawn(self._follow(page, self._terminal), "page")
        await self._first_picture()

    async def _follow(self, page: Page, terminal: Terminal) -> None:
        while data := await page.read():
            self._take(data)
        terminal.connection_lost(None)

    def _type(self, keys: bytes) -> None:
        assert self._page is not None, "it has been opened"
        spawn(self._page.socket.send_bytes(keys), "key")

    async def go(self) -> None:
        """Close the page, and hang up."""
        if self._page is not None:
            await self._page.close()
            self._page = None
        if self._has_called:
            await super().go()
            self._has_called = False
