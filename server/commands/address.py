"""Where a server is, as people write it."""

from __future__ import annotations

import getpass
import re
from typing import Final, NamedTuple

from kk_core.text import text
from server.commands import Usage

DEFAULT_PORT: Final = 8022

_ADDRESS: Final = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[0-9a-fA-F:]+\]|[^@:\s\[\]]+)(?::(?P<port>\d{1,5}))?"
)


class Address(NamedTuple):
    """Where to go, and under which name."""

    user: str
    host: str
    port: int


def parse_address(address: str, own: str = "{user}") -> Address:
    """The parts of "[NAME@]HOST[:PORT]"; HOST may be an IPv6 address in brackets. Raises `Usage`.

    Without a NAME it is `own`, where `{user}` stands for that of the user of this machine.
    """
    found = _ADDRESS.fullmatch(address)
    port = int(found["port"] or DEFAULT_PORT) if found else 0
    if not found or not 0 < port < 65536:
        raise Usage(text("{address} is no address; write NAME@HOST:PORT.", address=repr(address)))
    return Address(found["user"] or own.format(user=getpass.getuser()), found["host"].strip("[]"), port)
