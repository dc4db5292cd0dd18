"""A connection to a server that is made anew when it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.types import Tree
from kk_core.wire.link import ClientLink, LinkClosed
from kk_core.wire.messages import PROTOCOL_VERSION, ClientMessage, GoTo, Hello, Notice
from kk_core.wire.views import PlaceView, decode_place
from kk_tui.client import Client, Refusal
from kk_tui.reconnecting import pauses
from server.commands import Failure

Tell = Callable[[Text], object]

_TRIES_FOR: Final = 10
"""Minutes in which it is tried to connect again."""

_FAREWELL: Final = 2.0
"""Seconds in which a connection is closed in good order."""


class Visit:
    """Being at a server, at a place; `news` is called when anything changes there."""

    def __init__(
        self, connect: Callable[[], Awaitable[ClientLink]], news: Callable[[], object], tell: Tell
    ) -> None:
        self._connect = connect
        self._news = news
        self._tell = tell
        self._client: Client | None = None
        self._running: asyncio.Task[Text]
        self._staying: asyncio.Task[None]
        self._gone: Text | None = None
        self.user = ""
        """As whom the server knows the visitor."""
        self.table: str | None = None
        """Where to go when the connection stands again."""
        self.heard: Text | None = None
        """What the server has said last."""

    async def begin(self) -> None:
        """Connect, and see to it from now on that it stays so. Raises `KkError`."""
        self._client = await self._connected()
        self._staying = asyncio.create_task(self._stay(self._client))

    async def close(self) -> None:
        """Leave the server."""
        self._staying.cancel()
        await asyncio.wait([self._staying])
        if self._client is not None:
            await self._leave(self._client)

    @property
    def tree(self) -> Tree:
        """What was shown last; another object whenever something has changed."""
        return None if self._client is None else self._client.tree

    def place(self) -> PlaceView | None:
        """The place as it looks now; None while there is no connection. Raises `Failure` when it is gone."""
        if self._gone is not None:
            raise Failure(self._gone)
        return None if self.tree is None else decode_place(self.tree)

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """The answer to a request. Raises `Refusal`, or `LinkClosed`; then there is no place for a while."""
        client = self._client
        if client is None:
            raise LinkClosed(text("There is no connection yet."))
        try:
            return await client.request(make)
        except LinkClosed:
            self._client = None
            raise

    # -- the connection --------------------------------------------------------------------------------------

    async def _connected(self) -> Client:
        """A connection that has greeted, and has gone to the table."""
        client = Client(await self._connect(), changed=self._news, noticed=self._hear)
        self._running = asyncio.create_task(client.run())
        try:
            welcome = await client.request(lambda number: Hello(number, PROTOCOL_VERSION, program=True))
            self.user = welcome.user
            if self.table is not None:
                await self._go_back(client)
        except BaseException:
            await self._leave(client)
            raise
        return client

    async def _go_back(self, client: Client) -> None:
        try:
            await client.request(lambda number: GoTo(number, self.table))
        except Refusal as error:
            self.heard = error.reason

    async def _leave(self, client: Client) -> None:
        with suppress(TimeoutError, OSError, asyncssh.Error):
            async with asyncio.timeout(_FAREWELL):
                await client.close()
        self._running.cancel()
        await asyncio.wait([self._running])

    async def _stay(self, client: Client) -> None:
        while self._gone is None:
            reason = await self._running
            self._client = None
            self._tell(text("{reason} Trying again for {n} minutes.", reason=reason, n=_TRIES_FOR))
            await self._leave(client)
            try:
                client = self._client = await self._connected_again()
                self._tell(text("Connected again."))
            except KkError as error:
                self._gone = error.reason
            self._news()

    async def _connected_again(self) -> Client:
        """A connection, as soon as there is one. Raises `KkError` when it was tried for long enough."""
        loop = asyncio.get_running_loop()
        end = loop.time() + 60 * _TRIES_FOR
        for pause in pauses():
            await asyncio.sleep(pause)
            try:
                return await self._connected()
            except KkError:
                if loop.time() > end:
                    raise
        raise AssertionError("pauses have no end")

    def _hear(self, notice: Notice) -> None:
        self.heard = notice.text
