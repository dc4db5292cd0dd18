"""`kk connect`: the app on this machine, the tables on another."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final

from rich.cells import cell_len, set_cell_size

from kk_core.protocol.stream import ClientLink
from kk_core.text import text
from kk_server import log
from kk_server.cli.common import Address, parse_address
from kk_server.cli.fullscreen import home_app, need_terminal, records_folder, run, settings_file
from kk_server.cli.language import language, note, say
from kk_tui.client import remote
from kk_tui.languages import demanded_language, language_of

_PATIENCE: Final = 2.0
"""Seconds after which a line says what is being waited for."""


def connect(
    address: str, code: str | None = None, invitation: str | None = None, *, plain: bool = False
) -> None:
    """Visit a server, or with an invitation a table; with a code, link one's key to an account first.

    If it is `plain`, in lines of text, which need no terminal. Raises `Usage` for a bad address or without a
    terminal, `KkError` if nobody answers.
    """
    place = parse_address(address)
    if not plain:
        need_terminal()
    log.silence()
    asyncio.run((_visit_in_lines if plain else _visit)(place, code, invitation))


async def _visit_in_lines(place: Address, code: str | None, invitation: str | None) -> None:
    from kk_server.cli.plain import converse
    from kk_tui.plain.client import PlainClient

    first = await remote.connect(*place, code=code, invitation=invitation, language=language())
    if first.first_key is not None:
        where = f"{place.host}:{place.port}"
        note(text("First visit to {where}. Its key is {key}", where=where, key=first.first_key))
    open_link = _links(place, first)
    await converse(
        lambda write, reader: PlainClient(
            open_link, write, reader, goes_back=invitation is None, reconnects=True, contributes=True,
            settings=settings_file(), language=language_of(os.environ),
            demanded_language=demanded_language(os.environ), records=records_folder(),
        )
    )  # fmt: skip


def _links(place: Address, first: ClientLink) -> Callable[[], Awaitable[ClientLink]]:
    """Return a function that returns the first link, and then new ones."""
    waiting = [first]

    async def open_link() -> ClientLink:
        return waiting.pop() if waiting else await remote.connect(*place, language=language())

    return open_link


async def _visit(place: Address, code: str | None, invitation: str | None) -> None:
    # the first attempt is made before the screen is taken, so that its failure stays readable
    first = await _waited_for(
        place, remote.connect(*place, code=code, invitation=invitation, language=language())
    )
    await run(home_app(_links(place, first), local=False, is_visit=True, first_key=first.first_key))


async def _waited_for(
    place: Address, connecting: Coroutine[None, None, remote.RemoteLink]
) -> remote.RemoteLink:
    task = asyncio.create_task(connecting)
    done, _still = await asyncio.wait({task}, timeout=_PATIENCE)
    if done:
        return task.result()
    # a line that is erased again, since the app draws over the screen next
    words = say(text("Waiting for {host}, port {port}...", host=place.host, port=place.port))
    # some terminals say that they have no columns at all
    columns = min(cell_len(words), (os.get_terminal_size(sys.stdout.fileno()).columns or 80) - 1)
    try:
        _write(set_cell_size(words, columns))
        return await task
    finally:
        _write(f"\r{' ' * columns}\r")


def _write(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()
