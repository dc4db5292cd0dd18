"""The socket of one page: a channel of bytes, and the session over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from aiohttp import WSMsgType
from aiohttp.web import WebSocketResponse

from kk_core.text import Text, printable, text
from kk_server.background import spawn
from kk_server.frontend.channel import CONNECTION, ChannelWriter
from kk_server.frontend.session import COMMAND, ChannelRequest, ClientSession, SessionHost
from kk_server.gateway import PLAIN, SHELL, Caller
from kk_server.limits import TokenBucket
from kk_server.log import get_logger
from kk_server.web.frames import (
    AtPlace,
    BadWebFrame,
    Ending,
    Greeting,
    NewSize,
    PageMessage,
    Ping,
    Pong,
    SessionEnded,
    Typing,
    decode,
    encode,
)
from kk_server.web.identity import LoginChallenge
from kk_tui.languages import translate

_TERM: Final = "xterm-256color"

_FRAMES_PER_KEY: Final = 4
"""Frames that a page may send for each key that a session may have; more have to wait."""

_REPEAT: Final = 1012
"""The close code of a server that is restarted: the page comes back by itself (RFC 6455, 7.4)."""
_DONE: Final = 1000

_REASSURING: Final = 5.0
"""Seconds between two signs of life to a page that is not read, half of those that a page waits."""

_NO_HELLO: Final = text("The page said nothing.")

_logger = get_logger()


class WebChannel:
    """One socket, and the session over it once the page has said who comes."""

    def __init__(
        self,
        host: SessionHost,
        caller: Caller,
        socket: WebSocketResponse,
        transport: Any,
        challenge: LoginChallenge,
        is_stopping: Callable[[], bool],
    ) -> None:
        """Take an open socket and the transport below it; `is_stopping` says whether the server stops."""
        limits = host.limits
        transport.set_write_buffer_limits(high=limits.queued_bytes)
        self._host = host
        self._caller = caller
        self._page = socket
        self._transport = transport
        self._challenge = challenge
        self._is_stopping = is_stopping
        self._writer = ChannelWriter(self, limits.patience)
        self._frames = TokenBucket(
            _FRAMES_PER_KEY * limits.keys_per_second, _FRAMES_PER_KEY * limits.keys_at_once
        )
        self._readable = asyncio.Event()
        self._readable.set()
        self._written: list[bytes] = []
        self._place: str | None = None
        """Where the user has gone, until the page is told."""
        self._typing: bool | None = None
        """Likewise whether they type text."""
        self._wake = asyncio.Event()
        self._refusal = self._reason = ""
        self._session: ClientSession | None = None
        self._status: int | None = None
        """The exit status, once there is one."""

    async def serve(self, on_known: Callable[[], None], on_end: Callable[[], None]) -> None:
        """Serve the page until either side closes the socket.

        `on_known` is called once it is known who comes, and `on_end` when their session ends.
        """
        sending = spawn(self._send(), "web socket")
        try:
            greeting = await self._greeted()
            if greeting is None:
                return
            await self._identify(greeting)
            on_known()
            purpose = PLAIN if greeting.go == PLAIN else COMMAND if greeting.go else SHELL
            request = ChannelRequest(
                purpose, greeting.command, _TERM,
                (greeting.columns, greeting.rows), greeting.environment(), greeting.place,
            )  # fmt: skip
            self._session = ClientSession(self._host, self._caller, self._writer, request, on_end)
            await self._listen(self._session)
        except BadWebFrame as error:
            _logger.info("disconnected", address=self._caller.address, reason=str(error))
            self._refuse(error.reason)
        finally:
            self._writer.close()
            if self._session is not None:
                self._session.leave()
            if self._status is None:
                sending.cancel()
            await asyncio.wait([sending])

    # -- in --------------------------------------------------------------------------------------------------

    async def _greeted(self) -> Greeting | None:
        """Return the page's first message; None if it is gone. Raises `BadWebFrame`."""
        await self._page.send_str(encode(self._challenge.message))
        try:
            async with asyncio.timeout(self._host.limits.login_seconds):
                message = await self._page.receive()
        except TimeoutError:
            raise BadWebFrame(_NO_HELLO) from None
        if message.type is not WSMsgType.TEXT:
            return None
        greeting = decode(message.data)
        if not isinstance(greeting, Greeting):
            raise BadWebFrame(_NO_HELLO)
        return greeting

    async def _identify(self, greeting: Greeting) -> None:
        """Note who comes. Raises `BadWebFrame` for a signature that proves nothing."""
        self._caller.name = greeting.name
        key = self._challenge.signer(greeting)
        if key is not None:
            self._caller.refusal = await self._host.gateway.why_not(self._caller, key)
            self._caller.key = key if self._caller.refusal is None else None

    async def _listen(self, session: ClientSession) -> None:
        while True:
            await self._until_readable()
            while pause := self._frames.wait_for(1):  # noqa: ASYNC110 - time alone fills it
                await asyncio.sleep(pause)
            message = await self._page.receive()
            match message.type:
                case WSMsgType.BINARY:
                    session.feed(message.data)
                case WSMsgType.TEXT:
                    await self._hear(session, decode(message.data))
                case WSMsgType.PING:
                    await self._page.pong(message.data)
                case WSMsgType.PONG:
                    pass
                case _:
                    return

    async def _until_readable(self) -> None:
        """Wait until frames are taken; a ping stands among those that are not, and is answered unread."""
        while not self._readable.is_set():
            try:
                await asyncio.wait_for(self._readable.wait(), _REASSURING)
            except TimeoutError:
                await self._reassure()

    async def _reassure(self) -> None:
        with suppress(OSError):  # the page is gone, which the reader notices
            await self._page.send_str(encode(Pong()))

    async def _hear(self, session: ClientSession, message: PageMessage) -> None:
        match message:
            case NewSize(columns, rows):
                session.resize(columns, rows)
            case Ping():
                await self._reassure()
            case Greeting():
                raise BadWebFrame(text("The page said hello twice."))

    # -- out -------------------------------------------------------------------------------------------------

    async def _send(self) -> None:
        try:
            while self._status is None or self._written or self._place is not None:
                await self._wake.wait()
                self._wake.clear()
                if self._typing is not None:
                    typing, self._typing = Typing(self._typing), None
                    await self._page.send_str(encode(typing))
                # before what is shown there: whoever loads the page again has seen that
                if self._place is not None:
                    place, self._place = self._place, None
                    await self._page.send_str(encode(AtPlace(place)))
                written, self._written = b"".join(self._written), []
                if written:
                    await self._page.send_bytes(written)
            await self._page.send_str(encode(self._ending(self._status)))
            await self._page.close(code=_REPEAT if self._is_stopping() else _DONE)
        except OSError:
            pass  # the page is gone, which the reader notices

    def _ending(self, status: int) -> SessionEnded:
        if self._is_stopping():
            return SessionEnded(status, "stopping", self._reason)
        if self._refusal:
            session = self._session
            is_nowhere = session is not None and session.leads_nowhere
            is_taken = session is not None and session.is_name_taken
            kind: Ending = "nowhere" if is_nowhere else "taken" if is_taken else "refused"
            return SessionEnded(status, kind, self._refusal)
        return SessionEnded(status, "ended" if status or self._reason else "left", self._reason)

    def _refuse(self, reason: Text) -> None:
        self._refusal = printable(translate(reason, None))
        self.exit(2)

    def set_paused(self, paused: bool) -> None:
        """Note that the connection's socket is full, or no longer is."""
        self._writer.set_paused(CONNECTION, paused)

    # -- what the session does with it -----------------------------------------------------------------------

    @property
    def queued(self) -> int:
        """Number of bytes that were written and not yet sent."""
        waiting: int = self._transport.get_write_buffer_size()
        return waiting + sum(map(len, self._written))

    @property
    def socket(self) -> Any:
        """The socket below the page's."""
        return self._transport.get_extra_info("socket")

    def write(self, data: bytes) -> None:
        """Send bytes to the page's terminal."""
        self._written.append(data)
        self._wake.set()

    def write_error(self, data: bytes) -> None:
        """Keep the reason of a refusal for the last message."""
        self._refusal = " ".join(data.decode().split())

    def note_place(self, place: str) -> None:
        """Tell the page."""
        self._place = place
        self._wake.set()

    def note_typing(self, on: bool) -> None:
        """Tell the page."""
        self._typing = on
        self._wake.set()

    def pause_reading(self) -> None:
        """Take no more frames; a few are buffered, and then the socket is no longer read."""
        self._readable.clear()

    def resume_reading(self) -> None:
        """Take frames again."""
        self._readable.set()

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        return self._status is not None or self._page.closed

    def exit(self, status: int, reason: str = "") -> None:
        """Say why it ends and close the socket, once everything written is sent."""
        self._status, self._reason = status, reason
        self._wake.set()
        self._readable.set()

    def abort(self) -> None:
        """Drop the connection."""
        self._transport.abort()
