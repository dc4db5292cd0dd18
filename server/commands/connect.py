"""`kk connect`: the app on this machine, the tables on another."""

from __future__ import annotations

import asyncio

from kk_core.wire.link import ClientLink
from kk_tui import remote
from server import log
from server.commands.address import Address, parse_address
from server.commands.fullscreen import home_app, need_terminal, run


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
    first = await remote.connect(*place, code=code, invitation=invitation)
    waiting: list[ClientLink] = [first]

    async def open_link() -> ClientLink:
        return waiting.pop() if waiting else await remote.connect(*place)

    await run(home_app(open_link, local=False, is_visit=True, first_key=first.first_key))
