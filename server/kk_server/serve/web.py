"""The door for browsers of a server: its port, its certificate and its address."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from kk_core.text import text
from kk_server.frontend.listener import CannotServe, ConnectionCounter, CountedConnection, Port, Take, bind
from kk_server.limits import WebSettings
from kk_server.serve.settings import Settings
from kk_server.web.certificate import Certificate
from kk_server.workers.workers import Workers

if TYPE_CHECKING:
    from kk_server.ssh.server import SshFrontend
    from kk_server.web.server import WebFrontend

NO_AIOHTTP: Final = text(
    "The page for browsers needs aiohttp: install it with `{command}`.", command="pip install 'kk[web]'"
)
"""What is missing if `kk_server.web` cannot be imported."""

UNKNOWN_HOST: Final = "ADDRESS"
"""Stands for the host in invitations, as in those for ssh, if the settings do not say it."""


class WebDoor:
    """The open door; `open_web` opens one."""

    def __init__(
        self,
        settings: Settings,
        sockets: Sequence[socket.socket],
        counting: ConnectionCounter,
        take: Take,
        frontend: WebFrontend | None,
        certificate: Certificate | None,
    ) -> None:
        """Listen on bound sockets; `frontend` serves those who come, unless worker processes do."""
        self._settings = settings
        self._counting = counting
        self._frontend = frontend
        self._certificate = certificate
        # with TLS nothing can be said before the handshake
        goodbye = _farewell if certificate is None else (lambda _: b"")
        self._port = Port(sockets, self._count, take, goodbye)
        self.port = self._port.number
        """The port that it listens on."""

    def _count(self, address: str) -> CountedConnection:
        """Count a connection, unless it is a proxy's. Raises `ConnectionRejected`."""
        if address in self._settings.web_proxies:  # whose people are counted one by one
            return CountedConnection(address, None, lambda _: None, lambda: None)
        return self._counting.count(address)

    def url(self, unknown: str, origin: str = "") -> str:
        """Return the address of the page.

        Without `web_address` it is the `origin` by which somebody has found the page if that is at the host
        of `address`, or at any that others can find where there is no `address`. Where nothing says the host,
        `unknown` stands for it.
        """
        if self._settings.web_address is not None:
            return f"{self._settings.web_address.rstrip('/')}/"
        host, _ = self._settings.address_at(self.port)
        if origin and _leads_here(origin, host):
            return f"{origin}/"
        scheme = "http" if self._certificate is None else "https"
        return f"{scheme}://{host or unknown}:{self.port}/"

    def host(self, origin: str) -> str:
        """Return the host of the `origin` of a page, for ssh; "" if others may not find this server there.

        That of a proxy elsewhere, or of a `web_address`, is not known to be this machine.
        """
        name, settings = urlsplit(origin).hostname or "", self._settings
        is_direct = settings.web_address is None and all(map(_is_here, settings.web_proxies))
        if not name or not is_direct or not _leads_here(origin, ""):
            return ""
        return f"[{name}]" if ":" in name else name

    def use(self, settings: Settings) -> None:
        """Apply new settings, and the certificate that is in its files now. Raises `CannotServe`."""
        if self._certificate is not None:
            self._certificate.load()
        self._settings = settings
        if self._frontend is not None and (used := web_settings(settings)) is not None:
            self._frontend.use(used)

    def accept(self) -> None:
        """Accept connections, once those held back can be handed over."""
        self._port.open()

    def stop(self) -> None:
        """Take no more connections; pages whose sessions end from now on come back by themselves."""
        self._port.close()
        if self._frontend is not None:
            self._frontend.is_stopping = True

    async def close(self) -> None:
        """Close all connections; their sessions have been ended before."""
        if self._frontend is not None:
            await self._frontend.close()


def _is_here(address: str) -> bool:
    return ip_address(address).is_loopback


def _leads_here(origin: str, host: str) -> bool:
    """Return whether an origin leads others here; `host` is what the settings say, if anything."""
    name = urlsplit(origin).hostname or ""
    if host:
        return name == urlsplit(f"//{host}").hostname
    try:
        return not ip_address(name).is_loopback
    except ValueError:
        return name != "localhost"


def web_settings(settings: Settings) -> WebSettings | None:
    """Return the settings of the page, if there is one."""
    if settings.web_place is None:
        return None
    host, _ = settings.address_at(0)
    page = urlsplit(settings.web_address or "").hostname
    files = settings.web_cert, settings.web_key
    return WebSettings(
        tuple(name.lower() for name in (host, page) if name), tuple(settings.web_proxies),
        None if files[0] is None or files[1] is None else (files[0], files[1]),
    )  # fmt: skip


def web_certificate(settings: Settings) -> Certificate | None:
    """Return the certificate for TLS, if there is one. Raises `CannotServe`, also if the extra is missing."""
    used = web_settings(settings)
    if used is None:
        return None
    if find_spec("aiohttp") is None:
        raise CannotServe(NO_AIOHTTP)
    if used.certificate is None:
        return None
    certificate = Certificate(*used.certificate)
    certificate.load()
    return certificate


async def open_web(
    settings: Settings,
    handler: Workers | SshFrontend,
    counting: ConnectionCounter,
    fingerprint: str,
    certificate: Certificate | None,
) -> WebDoor | None:
    """Open the door, if the settings say so; `fingerprint` is the host key's. Raises `CannotServe`."""
    used = web_settings(settings)
    if settings.web_place is None or used is None:
        return None
    async with AsyncExitStack() as undoing:
        sockets = await bind(*settings.web_place)
        for each in sockets:
            undoing.callback(each.close)
        frontend: WebFrontend | None = None
        if isinstance(handler, Workers):
            take = handler.take_page
        else:
            from kk_server.web.server import WebFrontend  # imported here: aiohttp is an extra

            async def count_person(address: str) -> CountedConnection:
                return counting.count_person(address)

            tls = None if certificate is None else certificate.context
            frontend = WebFrontend(handler.host, count_person, fingerprint, used, tls)
            await frontend.start()
            take = frontend.take
        undoing.pop_all()
    return WebDoor(settings, sockets, counting, take, frontend, certificate)


def _farewell(reason: str) -> bytes:
    """Return an answer that may be sent before any request, to a browser that is turned away."""
    body = f"{reason}\n".encode()
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\nRetry-After: 60\r\n\r\n"
    )
    return head.encode() + body
