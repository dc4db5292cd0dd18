"""`kk connect`: the app on this machine, the tables on another."""

from __future__ import annotations

import asyncio
import getpass
import re
from typing import Final, NamedTuple

from kk_core.text import text
from kk_core.wire.link import ClientLink
from kk_tui import remote
from server import log
from server.commands import Usage
from server.commands.fullscreen import home_app, need_terminal, run

DEFAULT_PORT: Final = 8022

_ADDRESS: Final = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[0-9a-fA-F:]+\]|[^@:\s\[\]]+)(?::(?P<port>\d{1,5}))?"
)


class Address(NamedTuple):
    """Where to go, and under which name."""

    user: str
    host: str
    port: int


def connect(address: str, code: str | None = None, invitation: str | None = None) -> None:
    """Visit a server, or with an invitation a table; with a code, link one's key to an account there first.

    Raises `Usage` for a bad address or no terminal, `KkError` when nobody answers.
    """
    place = parse_address(address)
    need_terminal()
    log.silence()
    asyncio.run(_visit(place, code, invitation))


async def _visit(place: Address, code: str | None, invitation: str | None) -> None:
    # the first attempt is made before the screen is taken, so that its failure stays readable
    waiting = [await remote.connect(*place, code=code, invitation=invitation)]

    async def open_link() -> ClientLink:
        return waiting.pop() if waiting else await remote.connect(*place)

    await run(home_app(open_link, local=False, is_visit=True))


def parse_address(address: str) -> Address:
    """The parts of "[NAME@]HOST[:PORT]"; HOST may be an IPv6 address in brackets. Raises `Usage`."""
    found = _ADDRESS.fullmatch(address)
    port = int(found["port"] or DEFAULT_PORT) if found else 0
    if not found or not 0 < port < 65536:
        raise Usage(text("{address} is no address; write NAME@HOST:PORT.", address=repr(address)))
    return Address(found["user"] or getpass.getuser(), found["host"].strip("[]"), port)
