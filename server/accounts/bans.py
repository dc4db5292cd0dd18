"""Who may not come in: names, keys and addresses, in a file of the data folder."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import Enum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final

import msgspec

from kk_core.errors import KkError
from kk_core.text import text
from kk_core.wire.people import GUEST_MARK
from server.accounts.guests import network_of
from server.accounts.skeleton import skeleton
from server.hub.names import clean_name
from server.storage.whole_file import write_whole

BANS: Final = "bans.json"
"""The name of the file in a data folder."""


_FINGERPRINT: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_LIKE_ADDRESS: Final = re.compile(r"[\d.]*\.[\d./]+|[\da-f:.]*:[\da-f:./]*", re.IGNORECASE)


class BadBans(KkError):
    """A file of bans that cannot be used, or a ban that is there already, is not, or is about nobody."""


class Kind(Enum):
    """What is banned."""

    NAME = "name"
    KEY = "key"
    ADDRESS = "address"


class Ban(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may not come in, who has said so, and when (ISO 8601).

    `what` is a name, a key's fingerprint as `ssh-keygen -l` prints it, or a network such as 192.0.2.7/32.
    """

    kind: Kind
    what: str
    by: str = ""
    at: str = ""

    @property
    def _compared(self) -> tuple[Kind, str]:
        return self.kind, skeleton(self.what) if self.kind is Kind.NAME else self.what

    def is_about(self, name: str, key: str | None, address: str) -> bool:
        """Whether somebody is meant who comes under a name, with a key, from an address."""
        if self.kind is Kind.NAME:
            return skeleton(self.what) == skeleton(name.removeprefix(GUEST_MARK))
        if self.kind is Kind.KEY:
            return self.what == key
        try:
            return ip_address(address.partition("%")[0]) in ip_network(self.what)
        except ValueError:
            return False

    def is_like(self, other: Ban) -> bool:
        """Whether both mean the same."""
        return self._compared == other._compared


def parse_ban(words: str, by: str) -> Ban:
    """A ban of what somebody has typed: a fingerprint, an address, a network, or else a name.

    Raises `BadName`.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds")
    if words.startswith("SHA256:"):
        return Ban(Kind.KEY, words.rstrip("="), by, at)
    try:
        network = ip_network(words if "/" in words else network_of(words), strict=False)
    except ValueError:
        return Ban(Kind.NAME, clean_name(words), by, at)
    return Ban(Kind.ADDRESS, str(network), by, at)


def check_ban(ban: Ban) -> None:
    """Whether anybody can be meant: a slip of the pen would ban nobody, and seem to. Raises `BadBans`."""
    if ban.kind is Kind.KEY and not _FINGERPRINT.fullmatch(ban.what):
        raise BadBans(
            text("{words} is no fingerprint of a key: copy it from `who`, or from `ssh-keygen -l`.",
                 words=ban.what)
        )  # fmt: skip
    if ban.kind is Kind.NAME and _LIKE_ADDRESS.fullmatch(ban.what):
        raise BadBans(text("{words} is no address, and no network.", words=ban.what))


class Bans:
    """All bans of a file; where there is none, nobody is banned."""

    def __init__(self, path: Path) -> None:
        """Raises `BadBans` for a file that cannot be used."""
        self._path = path
        self.all: tuple[Ban, ...] = ()
        self.read()

    def read(self) -> None:
        """Read the file again; where it cannot be used, nothing changes. Raises `BadBans`."""
        try:
            self.all = tuple(msgspec.json.decode(self._path.read_bytes(), type=list[Ban]))
        except FileNotFoundError:
            self.all = ()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadBans(
                text("{file} cannot be read: {reason}", file=str(self._path), reason=str(error))
            ) from None

    def find(self, name: str, key: str | None, address: str) -> Ban | None:
        """The ban that keeps somebody out."""
        return next((ban for ban in self.all if ban.is_about(name, key, address)), None)

    def has_address(self, address: str) -> bool:
        """Whether nobody may come from an address."""
        return any(ban.kind is Kind.ADDRESS and ban.is_about("", None, address) for ban in self.all)

    def add(self, ban: Ban) -> None:
        """Ban from now on. Raises `BadBans`, also where it is banned already."""
        if any(other.is_like(ban) for other in self.all):
            raise BadBans(text("{what} is banned already.", what=ban.what))
        self._keep((*self.all, ban))

    def lift(self, ban: Ban) -> None:
        """Ban no more. Raises `BadBans`, also where it is not banned."""
        rest = tuple(other for other in self.all if not other.is_like(ban))
        if len(rest) == len(self.all):
            raise BadBans(text("{what} is not banned.", what=ban.what))
        self._keep(rest)

    def _keep(self, bans: tuple[Ban, ...]) -> None:
        try:
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(bans)))
        except OSError as error:
            raise BadBans(
                text(
                    "{file} cannot be written: {reason}",
                    file=str(self._path),
                    reason=error.strerror or str(error),
                )
            ) from None
        self.all = bans
