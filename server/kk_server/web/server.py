"""HTTP on every connection given to it: the page, and its socket."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, cast
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, web

from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_server.accounts.guests import is_address
from kk_server.background import spawn
from kk_server.frontend.listener import ConnectionRejected, CountedConnection
from kk_server.frontend.session import SessionHost
from kk_server.gateway import Caller
from kk_server.limits import WebSettings
from kk_server.log import get_logger
from kk_server.web.channel import WebChannel
from kk_server.web.frames import NoRoom, encode
from kk_server.web.identity import LoginChallenge
from kk_server.web.page import HEADERS, KEEPS_TRYING, NOTHING, Page, StaticFile, language_for
from kk_tui.languages import translate

_HEARTBEAT: Final = 30.0
"""Seconds of silence before a page is probed."""

_CLOSING: Final = 1.0
"""Seconds for a page to close its socket, too."""

_KEPT_ALIVE: Final = 5.0
"""Seconds that a connection may wait for another request."""

_LONGEST_LINE: Final = 4096
"""Bytes in a request's line or in one of its headers."""

_A_YEAR: Final = "public, max-age=31536000, immutable"

_LATER: Final = "60"
"""Seconds after which a program may ask again for what there is no room for now."""

_LOCAL: Final = ("localhost", "127.0.0.1", "::1")

_FOREIGN: Final = text("This socket is for the page of this server alone.")

_logger = get_logger()


class WebConnection(web.RequestHandler):
    """One connection: aiohttp's, counted like one of SSH."""

    def __init__(self, frontend: WebFrontend, counted: CountedConnection) -> None:
        super().__init__(
            frontend.server, loop=asyncio.get_running_loop(), access_log=cast("logging.Logger", None),
            keepalive_timeout=_KEPT_ALIVE, max_line_size=_LONGEST_LINE, max_field_size=_LONGEST_LINE,
            lingering_time=0,
        )  # fmt: skip
        self.counted = counted
        self.channel: WebChannel | None = None
        """The socket of a page that it carries."""
        self.tcp: asyncio.Transport
        self._frontend = frontend
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a connection."""
        super().connection_made(transport)
        self.tcp = cast("asyncio.Transport", transport)
        self._frontend.open.add(self)
        self.expect_session()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Handle the end of the connection."""
        super().connection_lost(exc)
        self.be_served()
        self._frontend.open.discard(self)
        self.counted.end()

    def pause_writing(self) -> None:
        """Note that the socket is full."""
        super().pause_writing()
        if self.channel is not None:
            self.channel.set_paused(True)

    def resume_writing(self) -> None:
        """Note that the socket has room again."""
        super().resume_writing()
        if self.channel is not None:
            self.channel.set_paused(False)

    def expect_session(self) -> None:
        """Close the connection if it has no session for too long, however it is kept busy."""
        if self.transport is None:  # it is over already
            return
        # a connection without a session takes the place of somebody who could play
        loop, seconds = asyncio.get_running_loop(), self._frontend.host.limits.login_seconds
        self._deadline = loop.call_later(seconds, self.tcp.abort)

    def be_served(self) -> None:
        """Note that it has a session, which has a time of its own."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


CountPerson = Callable[[str], Awaitable[CountedConnection]]
"""Counts somebody who comes from an address through a proxy. Raises `KkError` if there is no room."""


class WebFrontend:
    """Speaks HTTP, or with TLS HTTPS, on all connections given to it."""

    def __init__(
        self,
        host: SessionHost,
        count_person: CountPerson,
        fingerprint: str,
        settings: WebSettings,
        tls: ssl.SSLContext | None,
    ) -> None:
        """Take the host of its sessions, and the host key's fingerprint; `start` makes it ready."""
        self.host = host
        self._count_person = count_person
        self._settings = settings
        self._fingerprint = fingerprint
        self.open: set[WebConnection] = set()
        self.is_stopping = False
        """True once the server stops."""
        self.server: web.Server
        self._tls = tls
        self._page = Page()
        self._runner: web.AppRunner

    async def start(self) -> None:
        """Get ready for connections."""
        app = web.Application(middlewares=[self._answered])
        for path in ("/", "/join/{code}", "/table/{code}", "/match/{code}", "/plain"):
            app.router.add_get(path, self._show_page)
        app.router.add_get("/static/{name}", self._show_file)
        app.router.add_get("/socket", self._serve_page)
        self._runner = web.AppRunner(app, shutdown_timeout=_CLOSING)
        await self._runner.setup()
        self.server = cast("web.Server", self._runner.server)

    def use(self, settings: WebSettings) -> None:
        """Apply settings to requests from now on."""
        self._settings = settings

    def take(self, connection: socket.socket, counted: CountedConnection) -> bool:
        """Speak HTTP on a connection from now on."""
        spawn(self._speak(connection, counted), "web connection")
        return True

    async def _speak(self, connection: socket.socket, counted: CountedConnection) -> None:
        limits = self.host.limits
        try:
            # the system's own buffers: as much is parsed in one go, and as much is late for a slow reader
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limits.window_bytes)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.queued_bytes)
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: WebConnection(self, counted), connection, ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else max(limits.login_seconds, 0.1),
            )  # fmt: skip
        except OSError:  # also a TLS handshake that fails
            connection.close()
            counted.end()

    async def close(self) -> None:
        """Close all connections."""
        await self._runner.cleanup()
        for connection in list(self.open):
            connection.tcp.abort()

    # -- answers ---------------------------------------------------------------------------------------------

    @web.middleware
    async def _answered(self, request: web.Request, handler: Any) -> web.StreamResponse:
        connection = cast("WebConnection", request.protocol)
        try:
            answer: web.StreamResponse = await handler(request)
        except web.HTTPNotFound:
            raise self._notice(request, web.HTTPNotFound, NOTHING) from None
        except web.HTTPException as refused:
            refused.headers.update(HEADERS)
            raise
        except Exception as error:  # aiohttp would log a traceback
            _logger.error("page failed", address=connection.counted.address, error=where(error))
            raise web.HTTPInternalServerError(headers=HEADERS) from None
        return answer

    def _full(self, request: web.Request, reason: Text) -> web.HTTPException:
        """Return an answer for whom there is no room, which leads to where they were going."""
        refused = self._notice(request, web.HTTPServiceUnavailable, reason, request.rel_url.raw_path)
        refused.headers["Retry-After"] = _LATER
        return refused

    def _notice(
        self, request: web.Request, kind: type[web.HTTPException], sentence: Text, way: str = "/"
    ) -> web.HTTPException:
        """Return an answer that is a sentence, for whoever reads it."""
        language = self._language(request)
        headers = {"Cache-Control": "no-cache", "Vary": "Accept, Accept-Language", **HEADERS}
        if "text/html" in request.headers.get("Accept", ""):
            shown = self._page.notice(sentence, language, way)
            return kind(text=shown, content_type="text/html", headers=headers)
        return kind(text=f"{translate(sentence, language)}\n", headers=headers)

    async def _show_page(self, request: web.Request) -> web.Response:
        refusal = cast("WebConnection", request.protocol).counted.refusal
        if refusal is not None:
            raise self._full(request, Text(refusal))
        language = self._language(request)
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language", **HEADERS}
        return web.Response(text=self._page.html(language), content_type="text/html", headers=headers)

    async def _show_file(self, request: web.Request) -> web.Response:
        found = self._page.files.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        return _response(found, is_packed="gzip" in request.headers.get("Accept-Encoding", ""))

    def _language(self, request: web.Request) -> str | None:
        return language_for(request.headers.get("Accept-Language", ""), self.host.language)

    async def _serve_page(self, request: web.Request) -> web.StreamResponse:
        connection = cast("WebConnection", request.protocol)
        origin = self._own_origin(request)
        try:
            counted = await self._person(request, connection)
        except KkError as error:
            if origin and error.reason in KEEPS_TRYING:
                return await self._turn_away(request, KEEPS_TRYING[error.reason])
            raise self._full(request, error.reason) from None
        try:
            if origin:
                return await self._serve_person(request, connection, counted, origin)
            told = str(request.headers.get("Origin"))[:100]
            _logger.info("turned away", address=counted.address, reason="origin", origin=told)
            raise web.HTTPForbidden(text=f"{translate(_FOREIGN, self._language(request))}\n")
        finally:
            counted.end()

    async def _turn_away(self, request: web.Request, sentence: Text) -> web.StreamResponse:
        """Say in the socket that there is no room: how a socket was refused is something no page is told."""
        page = await self._opened(request)
        with suppress(OSError):  # the page is gone
            await page.send_str(encode(NoRoom(translate(sentence, self._language(request)))))
        await page.close(code=WSCloseCode.TRY_AGAIN_LATER)
        return page

    async def _opened(self, request: web.Request) -> web.WebSocketResponse:
        page = web.WebSocketResponse(
            timeout=_CLOSING, heartbeat=_HEARTBEAT, autoping=False, compress=False,
            max_msg_size=self.host.limits.frame_bytes,
        )  # fmt: skip
        await page.prepare(request)
        return page

    async def _person(self, request: web.Request, connection: WebConnection) -> CountedConnection:
        """Return the counted connection of whoever is at the other end, behind a proxy or not.

        Raises `KkError` if there is no room for them.
        """
        if connection.counted.refusal is not None:
            raise ConnectionRejected(Text(connection.counted.refusal))
        if connection.counted.address not in self._settings.proxies:
            return connection.counted
        address = self._forwarded(request)
        if address is None:
            raise web.HTTPBadRequest(text="The proxy does not say whom it speaks for.\n")
        return await self._count_person(address)

    def _forwarded(self, request: web.Request) -> str | None:
        """Return the address that a proxy speaks for; None if it does not say."""
        # every proxy appends the address that it was called from; before that anybody can write anything
        told = ",".join(request.headers.getall("X-Forwarded-For", [])).split(",")
        proxies = self._settings.proxies
        person = next((each.strip() for each in reversed(told) if each.strip() not in proxies), "")
        return person if is_address(person) else None

    async def _serve_person(
        self, request: web.Request, connection: WebConnection, counted: CountedConnection, origin: str
    ) -> web.StreamResponse:
        page = await self._opened(request)
        caller = Caller(counted.address, origin=origin)
        challenge = LoginChallenge(
            origin, self._fingerprint, self.host.limits.login_seconds, self._page.script
        )
        connection.channel = channel = WebChannel(
            self.host, caller, page, connection.tcp, challenge, lambda: self.is_stopping
        )

        def known() -> None:
            connection.be_served()
            counted.know(caller.name)

        await channel.serve(known, connection.expect_session)
        return page

    def _own_origin(self, request: web.Request) -> str:
        """Return the origin of the page that opens a socket if it came from here, and "" if not.

        It must be the address that the page asks for; and that must be a number or a name of this server,
        since any name can be made to lead here (DNS rebinding).
        """
        told = request.headers.get("Origin", "")
        try:
            origin = urlsplit(told)
            name = origin.hostname or ""
        except ValueError:
            return ""
        is_whole = origin.scheme in ("http", "https") and told == f"{origin.scheme}://{origin.netloc}"
        if not is_whole or origin.netloc != request.headers.get("Host"):
            return ""
        is_own = name in _LOCAL or name in self._settings.names or is_address(name)
        return told if is_own else ""


def _response(file: StaticFile, *, is_packed: bool) -> web.Response:
    headers = {"Cache-Control": _A_YEAR, "Vary": "Accept-Encoding", **HEADERS}
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    return web.Response(
        body=file.packed if is_packed else file.content,
        content_type=file.kind, charset="utf-8", headers=headers,
    )  # fmt: skip
