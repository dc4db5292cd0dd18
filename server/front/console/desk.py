"""What a command has at hand: who asks, what it may act on, and where its lines go."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kk_core.errors import KkError
from kk_core.text import Text, printable
from kk_core.wire.stream import Writer
from server.accounts.addresses import Addresses
from server.accounts.bans import Bans, Mutes
from server.front.audit import AuditLog
from server.hub.hub import Hub

if TYPE_CHECKING:
    from server.front.visits import Visits


class Refused(KkError):
    """A command that is not carried out; nothing has changed."""


@dataclass(frozen=True)
class Asker:
    """Who asks: his name here, the fingerprint of his key, where he is, and whether he may run the server."""

    user: str
    key: str | None
    address: str
    is_admin: bool


class House(Protocol):
    """The server as commands see it."""

    hub: Hub
    visits: Visits
    bans: Bans
    mutes: Mutes
    addresses: Addresses
    audit: AuditLog

    @property
    def connections(self) -> int:
        """How many connections are open."""
        ...

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        ...

    @property
    def is_draining(self) -> bool:
        """Whether it stops soon."""
        ...

    def why_silent(self, user: str) -> Text | None:
        """Why nobody is to hear somebody; None where he is heard."""
        ...

    def drain(self, minutes: int | None) -> Text:
        """Stop soon; gives what people were told. Raises `KkError`."""
        ...

    def reload(self) -> list[Text]:
        """Take in the settings and lists anew; gives what has changed. Raises `KkError`."""
        ...


class Desk:
    """One command's."""

    def __init__(
        self,
        house: House,
        asker: Asker,
        writer: Writer,
        translate: Callable[[Text], str],
        newline: bytes,
    ) -> None:
        self.house = house
        self.asker = asker
        self._writer = writer
        self._translate = translate
        self._newline = newline

    async def tell(self, said: Text | str) -> None:
        """A line, without anything that a terminal would obey."""
        words = self._translate(said) if isinstance(said, Text) else said
        await self._write(printable(words).encode("utf-8", "replace") + self._newline)

    async def tell_json(self, value: Any) -> None:
        """A value as one line of JSON, in ASCII."""
        await self._write(json.dumps(value).encode() + self._newline)

    async def give(self, content: bytes) -> None:
        """The bytes of a file, as they are."""
        await self._write(content)

    def in_words(self, sentence: Text) -> str:
        """A sentence in the language of who asks."""
        return self._translate(sentence)

    async def _write(self, line: bytes) -> None:
        await self._writer.drain()
        self._writer.write(line)


Run = Callable[[Desk], Awaitable[None]]


@dataclass(frozen=True)
class Work:
    """A command as it was understood; `is_admins` where only those carry it out who run the server.

    One that is a change, as theirs are, is done to its end once it has begun.
    """

    run: Run
    is_admins: bool = False
    is_change: bool = False
