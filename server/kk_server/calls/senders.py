"""What delivers calls: an SMTP client and an HTTP client, which the extra `kk[calls]` brings."""

from __future__ import annotations

import json
import socket
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import aiosmtplib
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from kk_server.calls.ways import CallSettings, Kind, NotDelivered, Way

_PATIENCE: Final = 20.0
"""Seconds that a service may take for one call."""

_AT_ONCE: Final = 8
"""Connections to services of webhooks, all together."""

_PRIVATE: Final = "its address is not a public one"

_BUSY: Final = (408, 425, 429)
"""What a service answers that may take the same call later; so may one with an error of its own (5xx)."""


class MailSender:
    """Sends mail through one server."""

    def __init__(self, settings: CallSettings, password: str | None) -> None:
        self._settings = settings
        self._password = password

    async def send(self, way: Way, subject: str, body: str, _short: str) -> None:
        """Send a mail. Raises `NotDelivered`."""
        settings, sender = self._settings, self._settings.sender
        mail = EmailMessage(policy=SMTP)
        mail["From"] = Address(addr_spec=sender)
        mail["To"] = Address(addr_spec=way.address)
        mail["Subject"] = subject
        mail["Date"] = formatdate()
        mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        mail["Auto-Submitted"] = "auto-generated"  # so that nobody's holiday answers it
        mail.set_content(body)
        host, port = settings.smtp_server
        try:
            await aiosmtplib.send(
                mail, hostname=host, port=port, timeout=_PATIENCE,
                username=settings.smtp_user or None, password=self._password,
                use_tls=settings.smtp_security == "tls", start_tls=settings.smtp_security == "starttls",
            )  # fmt: skip
        except aiosmtplib.SMTPRecipientsRefused as error:
            (refused,) = error.recipients
            raise NotDelivered(f"{refused.code} {refused.message}", is_final=refused.code >= 500) from None
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise NotDelivered(_said(error), is_away=True) from None

    async def close(self) -> None:
        """Do nothing: every mail has a connection of its own."""


class _PublicAddresses(AbstractResolver):
    """Resolves names to public addresses alone, whatever the name's owner makes them lead to."""

    def __init__(self) -> None:
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the public addresses of a host. Raises `OSError` if there are none."""
        found = await self._resolver.resolve(host, port, family)
        public = [each for each in found if _is_public(each["host"])]
        if not public:
            raise OSError(None, _PRIVATE)
        return public

    async def close(self) -> None:
        """Release the resolver."""
        await self._resolver.close()


def _is_public(address: str) -> bool:
    parsed = ip_address(address.partition("%")[0])
    # what an IPv6 address carries of IPv4 decides where it leads
    mapped = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None)
    return parsed.is_global and not parsed.is_multicast and (mapped is None or mapped.is_global)


class WebhookSender:
    """Posts to webhooks: follows no redirection, and reads nothing of an answer but its status."""

    def __init__(self, settings: CallSettings) -> None:
        self._is_private_allowed = settings.private_addresses
        resolver = None if settings.private_addresses else _PublicAddresses()
        # connections are not kept: what a service sends after its status is dropped with them
        connector = TCPConnector(resolver=resolver, limit=_AT_ONCE, force_close=True)
        self._session = ClientSession(
            connector=connector, timeout=ClientTimeout(total=_PATIENCE), cookie_jar=DummyCookieJar()
        )

    async def send(self, way: Way, _subject: str, _body: str, short: str) -> None:
        """Post a call. Raises `NotDelivered`."""
        if not self._is_private_allowed and _is_private_number(way.address):
            raise NotDelivered(_PRIVATE, is_final=True)
        try:
            async with self._session.post(
                way.address, allow_redirects=False, **_form(way.kind, short)
            ) as answer:
                status = answer.status
                answer.close()
        except (ClientError, OSError, ValueError) as error:
            raise NotDelivered(_said(error), is_away=True) from None
        if not 200 <= status < 300:
            is_final = status < 500 and status not in _BUSY
            raise NotDelivered(f"it answered {status}", is_final=is_final)

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


def _is_private_number(url: str) -> bool:
    # a host that is a number is not resolved
    try:
        return not _is_public(urlsplit(url).hostname or "")
    except ValueError:
        return False


def _form(kind: Kind, said: str) -> dict[str, Any]:
    """Return the body that a kind of service understands, as arguments of `post`."""
    match kind:
        case "ntfy":
            return {"data": said.encode(), "headers": {"Content-Type": "text/plain; charset=utf-8"}}
        case "discord":
            # what stands in the title of a table calls nobody else
            form: dict[str, Any] = {"content": said, "allowed_mentions": {"parse": []}}
        case "slack":
            form = {"text": said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
        case _:
            form = {"text": said}
    return {"data": json.dumps(form).encode(), "headers": {"Content-Type": "application/json"}}


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
