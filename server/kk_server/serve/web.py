"""The door for browsers of a server: its port, its certificate and its address."""

from __future__ import annotations

import ssl
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.frontend.listener import CannotServe, ConnectionCounter, Port, bind
from kk_server.serve.settings import Settings

if TYPE_CHECKING:
    from kk_server.frontend.session import SessionHost
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
        self, settings: Settings, port: Port, frontend: WebFrontend, certificate: Certificate | None
    ) -> None:
        self.frontend = frontend
        self.port = port.number
        """The port that it listens on."""
        self._settings = settings
        self._port = port
        self._certificate = certificate

    def url(self, unknown: str) -> str:
        """Return the address of the page; where the settings do not say the host, `unknown` stands for it."""
        if self._settings.web_address is not None:
            return f"{self._settings.web_address.rstrip('/')}/"
        scheme = "http" if self._certificate is None else "https"
        return f"{scheme}://{self._settings.address_at(self.port)[0] or unknown}:{self.port}/"

    def use(self, settings: Settings) -> None:
        """Apply new settings, and the certificate that is in its files now. Raises `CannotServe`."""
        if self._certificate is not None:
            self._certificate.load()
        self._settings = settings
        self.frontend.use(names_of(settings), settings.web_proxies)

    def stop(self) -> None:
        """Take no more connections; pages whose sessions end from now on come back by themselves."""
        self._port.close()
        self.frontend.is_stopping = True

    async def close(self) -> None:
        """Close all connections; their sessions have been ended before."""
        await self.frontend.close()


class Certificate:
    """The certificate and key for TLS, in their files."""

    def __init__(self, cert: str, key: str) -> None:
        """Read the files. Raises `CannotServe`."""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._files = cert, key
        self.load()

    def load(self) -> None:
        """Use what is in the files now for connections from now on. Raises `CannotServe`."""
        cert, key = self._files
        try:
            # a key with a passphrase would be asked for on the terminal
            self.context.load_cert_chain(cert, key, password=lambda: b"")
        except ssl.SSLError as error:
            raise _unusable(cert, key, Text(str(error.reason))) from None
        except OSError as error:
            raise _unusable(cert, key, system_reason(error)) from None


def _unusable(cert: str, key: str, reason: Text) -> CannotServe:
    return CannotServe(text("{cert} and {key} cannot be used: {reason}", cert=cert, key=key, reason=reason))


def names_of(settings: Settings) -> tuple[str, ...]:
    """Return the host names that browsers reach the server by."""
    host, _ = settings.address_at(0)
    page = urlsplit(settings.web_address or "").hostname
    return tuple(name.lower() for name in (host, page) if name)


async def open_web(
    settings: Settings, host: SessionHost, counting: ConnectionCounter, fingerprint: str
) -> WebDoor | None:
    """Open the door, if the settings say so; `fingerprint` is the host key's. Raises `CannotServe`."""
    if settings.web_place is None:
        return None
    try:
        from kk_server.web.server import WebFrontend, farewell  # imported here: aiohttp is an extra
    except ImportError:
        raise CannotServe(NO_AIOHTTP) from None
    certificate = None
    if settings.web_cert is not None and settings.web_key is not None:
        certificate = Certificate(settings.web_cert, settings.web_key)
    async with AsyncExitStack() as undoing:
        sockets = await bind(*settings.web_place)
        for each in sockets:
            undoing.callback(each.close)
        tls = None if certificate is None else certificate.context
        frontend = WebFrontend(host, counting, fingerprint, tls)
        frontend.use(names_of(settings), settings.web_proxies)
        await frontend.start()
        undoing.pop_all()
    # with TLS nothing can be said before the handshake
    goodbye = farewell if certificate is None else (lambda _: b"")
    return WebDoor(settings, Port(sockets, frontend.count, frontend.take, goodbye), frontend, certificate)
