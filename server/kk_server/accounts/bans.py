"""Bans and mutes of names, keys and addresses, in files of the data folder or in a shared database."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import Enum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import ClassVar, Final, Protocol

import msgspec
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.reasons import shape_reason, system_reason
from kk_core.text import Text, text
from kk_core.views import GUEST_MARK
from kk_server.accounts.guests import network_of
from kk_server.accounts.names import legible_name, or_nearest, skeleton
from kk_server.storage.files import atomic_write
from kk_server.storage.sql import Database
from kk_server.storage.table_log import AnswerLost, StorageFailed, Unreachable, damaged_row

BANS: Final = "bans.json"
MUTES: Final = "mutes.json"
"""The names of the files in a data folder."""

_FINGERPRINT: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_LIKE_ADDRESS: Final = re.compile(r"[\d.]*\.[\d./]+|[\da-f:.]*:[\da-f:./]*", re.IGNORECASE)


class BadBans(KkError):
    """A bans file that cannot be used, or a ban that already exists, does not exist or matches nobody."""


class BanKind(Enum):
    """The kinds of things that can be banned."""

    NAME = "name"
    KEY = "key"
    ADDRESS = "address"


class Ban(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A banned name, key or network: by whom, since when, until when (ISO 8601; empty is forever), and why.

    `what` is a name, a key's fingerprint as printed by `ssh-keygen -l`, or a network such as 192.0.2.7/32.
    `addresses` are networks that users with that name came from; they are banned too.
    """

    kind: BanKind
    what: str
    by: str = ""
    at: str = ""
    until: str = ""
    reason: str = ""
    addresses: tuple[str, ...] = ()

    @property
    def ends(self) -> datetime | None:
        """The time at which it ends; None if never."""
        return datetime.fromisoformat(self.until) if self.until else None

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks it covers."""
        return (self.what,) if self.kind is BanKind.ADDRESS else self.addresses

    @property
    def _compared(self) -> tuple[BanKind, str]:
        return self.kind, skeleton(self.what) if self.kind is BanKind.NAME else self.what

    def is_about(self, name: str, key: str | None, address: str) -> bool:
        """Return whether it covers a user with this name, key and address."""
        # names are compared by skeleton, so that lookalikes are banned too
        if self.kind is BanKind.NAME and skeleton(self.what) == skeleton(name.removeprefix(GUEST_MARK)):
            return True
        if self.kind is BanKind.KEY:
            return self.what == key
        return any(_is_in(address, network) for network in self.networks)

    def is_like(self, other: Ban) -> bool:
        """Return whether both ban the same thing."""
        return self._compared == other._compared


def _is_in(address: str, network: str) -> bool:
    try:
        # link-local IPv6 addresses end in a zone, as in fe80::1%eth0
        return ip_address(address.partition("%")[0]) in ip_network(network)
    except ValueError:
        return False


def network(words: str) -> str:
    """Return the network to ban for an address (for IPv6, the first 64 bits). Raises ValueError."""
    return str(ip_network(words if "/" in words else network_of(words), strict=False))


def parse_ban(words: str, by: str, lasting: timedelta | None = None, reason: str = "") -> Ban:
    """Parse a fingerprint, an address, a network, or else a name into a ban.

    Without `lasting` it never ends. Raises `BadName`.
    """
    now = datetime.now(UTC)
    until = "" if lasting is None else (now + lasting).isoformat(timespec="seconds")
    kind, what = _kind_of(words)
    return Ban(kind, what, by, now.isoformat(timespec="seconds"), until, reason)


def _kind_of(words: str) -> tuple[BanKind, str]:
    if words.startswith("SHA256:"):
        # ssh-keygen prints fingerprints without base64 padding
        return BanKind.KEY, words.rstrip("=")
    try:
        return BanKind.ADDRESS, network(words)
    except ValueError:
        return BanKind.NAME, legible_name(words)


def check_ban(ban: Ban) -> None:
    """Refuse a ban that can match nobody, such as one with a typo. Raises `BadBans`."""
    if ban.kind is BanKind.KEY and not _FINGERPRINT.fullmatch(ban.what):
        raise BadBans(
            text("{words} is not a key fingerprint: copy it from `who`, or from `ssh-keygen -l`.",
                 words=ban.what)
        )  # fmt: skip
    if ban.kind is BanKind.NAME and _LIKE_ADDRESS.fullmatch(ban.what):
        raise BadBans(text("{words} is not an address or a network.", words=ban.what))


def format_moment(moment: datetime) -> str:
    """Format a time to the minute."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def banned(ban: Ban) -> Text:
    """Return the sentence shown to a banned user."""
    if ban.ends is None:
        said = text("You are banned from this server; its host can lift the ban.")
    else:
        until = format_moment(ban.ends)
        said = text("You are banned from this server until {until}; its host can lift the ban.", until=until)
    return text("{said} Reason: {reason}", said=said, reason=ban.reason) if ban.reason else said


def _now() -> datetime:
    return datetime.now(UTC)


class BanStore(Protocol):
    """A store of bans or mutes."""

    async def read(self) -> tuple[Ban, ...]:
        """Return all that are stored. Raises `KkError`."""
        ...

    async def keep(self, bans: tuple[Ban, ...], before: tuple[Ban, ...]) -> None:
        """Store what has changed from those `before`, which need not be all any more. Raises `KkError`."""
        ...


class BanFile:
    """A file, which hosts edit by hand; without it, nobody is banned."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self) -> tuple[Ban, ...]:
        """Return the bans in the file. Raises `BadBans`."""
        try:
            read = tuple(msgspec.json.decode(self._path.read_bytes(), type=list[Ban]))
            for ban in read:
                _check_until(ban)
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            reason = system_reason(error) if isinstance(error, OSError) else shape_reason(error)
            raise BadBans(
                text("{file} cannot be read: {reason}", file=str(self._path), reason=reason)
            ) from None
        return read

    async def keep(self, bans: tuple[Ban, ...], before: tuple[Ban, ...] = ()) -> None:  # noqa: ARG002
        """Write the file anew. Raises `BadBans`."""
        try:
            # indented, since hosts edit it by hand
            atomic_write(self._path, msgspec.json.format(msgspec.json.encode(bans)), mode=0o600)
        except OSError as error:
            raise BadBans(
                text(
                    "{file} cannot be written: {reason}",
                    file=str(self._path),
                    reason=system_reason(error),
                )
            ) from None


_ALL: Final = "SELECT ban FROM bans WHERE list = ? ORDER BY number"
_ADD: Final = "INSERT INTO bans (list, ban) VALUES (:list, :ban)"
_LIFT: Final = "DELETE FROM bans WHERE list = :list AND ban = :ban"


class BanTable:
    """One of the lists in a database that several servers share: those of a file with this name."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    async def read(self) -> tuple[Ban, ...]:
        """Return the bans in the list. Raises `StorageFailed`."""
        rows = await self._database.rows(_ALL, (self._name,))
        try:
            return tuple(msgspec.json.decode(ban, type=Ban) for (ban,) in rows)
        except (msgspec.MsgspecError, ValueError):
            raise damaged_row() from None

    async def keep(self, bans: tuple[Ban, ...], before: tuple[Ban, ...] = ()) -> None:
        """Add and delete the rows that differ. Raises `StorageFailed`."""
        lifted, added = [each for each in before if each not in bans], [b for b in bans if b not in before]
        await self._database.write_all(
            (statement, {"list": self._name, "ban": msgspec.json.encode(ban).decode()})
            for statement, changed in ((_LIFT, lifted), (_ADD, added))
            for ban in changed
        )


_NOT_STORED: Final = text(
    "This couldn't be stored, so nothing has changed: the server's database isn't answering. Please try "
    "again in a moment."
)
_DOUBTED: Final = text(
    "The server's database isn't answering, so it isn't known yet whether this was stored. Nothing has "
    "changed so far; once the database is back, whatever it has stored applies: see `bans` and `mutes`."
)


class Bans:
    """The bans in a store that have not ended; call `load` first."""

    _already: ClassVar[Text] = text("{what} is already banned.")
    _not: ClassVar[Text] = text("{what} is not banned.")

    def __init__(self, store: BanStore, now: Callable[[], datetime] = _now) -> None:
        self.changed: Callable[[], None] = lambda: None
        """Called when bans were added, lifted or re-read, but not when one expires."""
        self.stored: Callable[[], None] = lambda: None
        """Called when bans were added or lifted here."""
        self.doubted: Callable[[], None] = lambda: None
        """Called when it is not known whether they were; then the store has to be read again."""
        self.changing = asyncio.Lock()
        """Held from the reading of bans to their coming into force, so that none gets lost between."""
        self._store = store
        self._now = now
        self._all: tuple[Ban, ...] = ()
        self._in_doubt: tuple[Ban, ...] = ()
        """Those of which it is not known whether they were added, until they are read."""

    async def load(self) -> None:
        """Put those in the store in force. Raises `KkError`."""
        async with self.changing:
            bans, self._in_doubt = await self.read(), ()
            self.use(bans)

    @property
    def all(self) -> tuple[Ban, ...]:
        """The bans in force."""
        now = self._now()
        return tuple(ban for ban in self._all if ban.ends is None or ban.ends > now)

    @property
    def next_end(self) -> float | None:
        """The seconds until the next ban expires; None if none will."""
        ends = [ban.ends for ban in self.all if ban.ends is not None]
        return (min(ends) - self._now()).total_seconds() if ends else None

    def use(self, bans: tuple[Ban, ...]) -> None:
        """Put these in force; hold `changing` since they were read."""
        self._all = bans
        self.changed()

    async def read(self) -> tuple[Ban, ...]:
        """Return the bans now in the store; `use` puts them in force. Raises `KkError`."""
        return await self._store.read()

    def find(self, name: str, key: str | None, address: str) -> Ban | None:
        """Return the ban that covers a user, or None."""
        return next((ban for ban in self.all if ban.is_about(name, key, address)), None)

    async def add(self, ban: Ban) -> None:
        """Add a ban. Raises `KkError`, also if it already exists."""
        async with self.changing:
            if any(other.is_like(ban) for other in self.all):
                raise BadBans(_about(self._already, ban.what))
            if any(other.is_like(ban) for other in self._in_doubt):  # or it might be stored twice
                raise StorageFailed(_DOUBTED)
            await self._keep((*self.all, ban))

    async def lift(self, ban: Ban) -> None:
        """Lift a ban; an address is also removed from bans of names. Raises `KkError`."""
        async with self.changing:
            rest = tuple(_without(other, ban) for other in self.all if not other.is_like(ban))
            if rest == self.all:
                names = {each.what for each in self.all if each.kind is BanKind.NAME}
                raise BadBans(or_nearest(_about(self._not, ban.what), ban.what, names))
            await self._keep(rest)

    async def _keep(self, bans: tuple[Ban, ...]) -> None:
        try:
            await self._store.keep(bans, self._all)
        except AnswerLost as error:
            self._in_doubt += tuple(ban for ban in bans if ban not in self._all)
            self.doubted()
            raise StorageFailed(_DOUBTED, error.for_host) from None
        except Unreachable as error:
            raise StorageFailed(_NOT_STORED, error.for_host) from None
        self.use(bans)
        self.stored()


class Mutes(Bans):
    """Mutes work like bans, for people whom nobody should hear: by name, guests also by address."""

    _already = text("{what} is already muted.")
    _not = text("{what} is not muted.")


def _check_until(ban: Ban) -> None:
    if ban.ends is not None and ban.ends.tzinfo is None:
        raise ValueError(f"until is {ban.until!r}: it needs a time zone, as in 2026-11-30T12:00:00+00:00")


def _about(sentence: Text, what: str) -> Text:
    return replace(sentence, args=(("what", what),))


def _without(ban: Ban, lifted: Ban) -> Ban:
    # lifting an address also removes it from the bans of names it was banned with
    if lifted.kind is not BanKind.ADDRESS or lifted.what not in ban.addresses:
        return ban
    return replace(ban, addresses=tuple(each for each in ban.addresses if each != lifted.what))
