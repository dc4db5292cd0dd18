"""Ways to call somebody: by mail, or through a webhook of a service that the host of the server allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Protocol, TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from kk_core.errors import KkError
from kk_core.text import Text, quoted, text

Kind: TypeAlias = Literal["mail", "ntfy", "matrix", "slack", "discord"]
"""What takes a call; all but mail are forms of a webhook's body."""

Webhook: TypeAlias = Annotated[str, Meta(min_length=1, max_length=300)]

_LONGEST: Final = 254
"""Characters of an address at most, which is what SMTP carries."""

_MAIL_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9_~!$&'()*+,;=:@.-]*)*/?")
"""The path of a webhook: no segment begins with a dot, and nothing is escaped, so that it is what it says."""

_SMTP: Final = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>[1-9]\d{0,4}))?", re.ASCII)

Security: TypeAlias = Literal["tls", "starttls", "none"]

_PORTS: Final[dict[Security, int]] = {"tls": 465, "starttls": 587, "none": 25}


class CannotCall(KkError):
    """A call that cannot be ordered; nothing has changed."""


class CallSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings for calls to people who are away; without `smtp` and `webhooks` it calls nobody."""

    away_minutes: Annotated[int, Meta(ge=0, le=30 * 24 * 60)] = 30
    smtp: str = ""
    smtp_security: Security = "starttls"
    smtp_user: str = ""
    smtp_password: str = ""
    sender: str = ""
    webhooks: tuple[Webhook, ...] = ()
    private_addresses: bool = False

    @property
    def are_on(self) -> bool:
        """True if anybody can be called."""
        return bool(self.smtp or self.webhooks)

    @property
    def smtp_server(self) -> tuple[str, int]:
        """The host and the port of the mail server."""
        found = _SMTP.fullmatch(self.smtp)
        if found is None:
            return "", 0
        return found["host"].strip("[]"), int(found["port"] or _PORTS[self.smtp_security])

    def services(self) -> tuple[Service, ...]:
        """Return the services whose webhooks are allowed."""
        return tuple(service for each in self.webhooks if (service := _service_of(each)) is not None)


@dataclass(frozen=True)
class Service:
    """A service that takes webhooks whose addresses begin with `prefix`."""

    kind: Kind
    prefix: str


@dataclass(frozen=True)
class Way:
    """A checked address that somebody can be called at."""

    kind: Kind
    address: str

    @property
    def service(self) -> str:
        """The name of what has to be there for the call: mail, or a webhook's host."""
        return self.kind if self.kind == "mail" else urlsplit(self.address).netloc


class NotDelivered(Exception):
    """A call that did not arrive; `reason` is for the log.

    `is_final` is true if trying again is no use, `is_away` if others cannot be called through the same
    service either.
    """

    def __init__(self, reason: str, *, is_final: bool = False, is_away: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_final = is_final
        self.is_away = is_away


class Sender(Protocol):
    """Delivers calls."""

    async def send(self, way: Way, subject: str, body: str, short: str) -> None:
        """Deliver a call: subject and body to a mail address, `short` to a webhook. Raises `NotDelivered`."""
        ...

    async def close(self) -> None:
        """Release what is held open."""
        ...


def why_no_calls(settings: CallSettings, address: str | None) -> Text | None:
    """Return what is wrong in the settings of calls, at a server with this address; None if nothing is."""
    if not settings.are_on:
        return None
    if not address:
        return text("calls needs address: without it, nobody can be told where to go.")
    if settings.smtp:
        if not 0 < settings.smtp_server[1] <= 65535:
            return text("calls.smtp is {value}: write HOST or HOST:PORT.", value=quoted(settings.smtp))
        if _MAIL_ADDRESS.fullmatch(settings.sender) is None:
            return text("calls.sender has to be the address that mail comes from, such as kk@example.org.")
    for each in settings.webhooks:
        if _service_of(each) is None:
            return text(
                "calls.webhooks has {value}: write KIND URL, where KIND is {kinds}.",
                value=quoted(each), kinds=", ".join(get_args(Kind)[1:]),
            )  # fmt: skip
    return None


def _service_of(written: str) -> Service | None:
    kind, _, prefix = written.partition(" ")
    if kind not in get_args(Kind)[1:] or not _is_plain(prefix):
        return None
    # a prefix ends with a segment, so that "https://ntfy.sh" does not allow https://ntfy.sh.example.org
    return Service(msgspec.convert(kind, Kind), prefix if prefix.endswith("/") else prefix + "/")


def _is_plain(url: str) -> bool:
    """Return whether a URL has nothing but scheme, host, port and a plain path."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    is_host = re.fullmatch(r"(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?", parts.netloc) is not None
    return (
        parts.scheme in ("https", "http")
        and is_host
        and _PATH.fullmatch(parts.path) is not None
        and url == f"{parts.scheme}://{parts.netloc}{parts.path}"
    )


def way_to(typed: str, settings: CallSettings) -> Way:
    """Return the way to call somebody at an address as typed. Raises `CannotCall`."""
    address = typed.strip()
    if not settings.are_on:
        raise CannotCall(text("This server calls nobody: its host has not set that up."))
    if len(address) > _LONGEST:
        raise CannotCall(text("An address has at most {n} characters.", n=_LONGEST))
    if settings.smtp and _MAIL_ADDRESS.fullmatch(address):
        return Way("mail", address)
    for service in settings.services():
        if address.startswith(service.prefix) and len(address) > len(service.prefix) and _is_plain(address):
            return Way(service.kind, address)
    raise CannotCall(
        text("You can't be called at {address}. Here it can be: {ways}",
             address=quoted(address), ways=", ".join(offered(settings)))
    )  # fmt: skip


def offered(settings: CallSettings) -> tuple[str, ...]:
    """Return the forms of addresses that the server can call."""
    mail = ["NAME@HOST"] if settings.smtp else []
    return (*mail, *(f"{service.prefix}..." for service in settings.services()))
