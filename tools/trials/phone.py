"""Pictures of the page on a phone, for people to look at: `python -m tools.trials.phone FOLDER`.

Chromium, which must be installed with its driver, shows the page of a server of its own with the screen of a
phone, upright and across: the door, the lobby, of each game the table in the middle of a match and the
result, and lines of text. The files are named accordingly; `--game G` and `--size S`, which may be repeated,
choose some of them.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from kk_core.protocol.messages import Play
from kk_core.registry import game, game_ids
from kk_server.serve.server import Server, start
from tests.server.chromium import Browser, chromium
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.waiting import patience

SIZES: Final = {"upright": (390, 844), "across": (844, 390)}
"""Width and height of a phone's screen, in pixels of a page."""

_USER: Final = "anna"
_PLIES: Final = 20
"""Steps after which the table is shown: pieces and cards lie everywhere, and there is more to come."""

_PAUSE: Final = 0.4
"""Seconds without a change after which a page is shown as it is."""

_MANY: Final = 60
"""Presses that lead from the last move to the result."""


def main(*arguments: str) -> None:
    """Take the requested pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", action="append", choices=game_ids())
    parser.add_argument("--size", action="append", choices=SIZES)
    wish = parser.parse_args(arguments or None)
    wish.folder.mkdir(parents=True, exist_ok=True)
    for size in wish.size or SIZES:
        asyncio.run(take(wish.folder, size, wish.game or game_ids()))


async def take(folder: Path, size: str, games: Sequence[str]) -> None:
    """Take the pictures of a size into a folder."""
    with tempfile.TemporaryDirectory() as data:
        settings = here(Path(data), web=0, limits=PLENTY, bot_pause=0.0, motion=False)
        server = await start(settings)
        try:
            async with chromium(SIZES[size], is_phone=True) as browser:
                await _visit(server, browser, games, lambda name: folder / f"{name}-{size}.png")
        finally:
            await server.close()


async def _visit(
    server: Server, browser: Browser, games: Sequence[str], file_of: Callable[[str], Path]
) -> None:
    assert server.web is not None, "its port is in the settings"
    page = f"http://localhost:{server.web.port}/"  # a name, as a browser keeps keys only for those
    await browser.open(page)
    await browser.until_asked()
    await browser.picture(file_of("door"))
    others = [await _opened(server, user, games[-1]) for user in ("beate", "claus")]
    await browser.enter(_USER)
    await browser.until(f"you are {_USER}")
    await _take(browser, file_of("lobby"))
    for game_id in games:
        client = await _opened(server, _USER, game_id)
        await client.start()
        await _play(client, lambda c: c.match.ply >= _PLIES and 0 in c.observation.active)
        await browser.open(f"{page}table/{client.table.id}")
        await _take(browser, file_of(game_id))
        await _play(client, lambda c: c.table.phase == "finished")
        for _ in range(_MANY):  # through the last scoring
            if "rematch" in await _settled(browser):
                break
            await browser.type(" \n")
        else:
            raise AssertionError(f"no result of {game_id} is shown")
        await _take(browser, file_of(f"{game_id}-result"))
        await client.close()
    await browser.run("sessionStorage.removeItem('kk-place')")  # or the page would go back to the result
    await browser.open(f"{page}plain")
    await browser.until("Lobby")
    await browser.type(f"open {games[0]}\nbots easy\nstart\nlook\n")
    await _take(browser, file_of("plain"))
    for other in others:
        await other.close()


async def _opened(server: Server, user: str, game_id: str) -> Client:
    """Open a table with bots on all seats but the user's."""
    client, seats = Client(server.hub.connect(user)), game(game_id).meta.min_seats
    await client.open(game_id, seats)
    await client.sit(0)
    await client.seat_bots(*range(1, seats), bot="greedy")
    return client


async def _play(client: Client, is_done: Callable[[Client], bool]) -> None:
    """Make any moves until something is true."""
    dice = Random(1)
    while not is_done(client):
        revision = client.revision
        if 0 in client.observation.active and client.table.phase == "playing":
            # where all choose at once, others may have moved first
            await client.ask(Play, 0, client.match.ply, dice.choice(client.observation.legal_moves))
        else:
            await client.until(lambda c, revision=revision: c.revision > revision)


async def _take(browser: Browser, file: Path) -> None:
    await _settled(browser)
    await browser.picture(file)


async def _settled(browser: Browser) -> str:
    """Wait until the terminal shows something that changes no more; returns it."""
    before, now = "", await browser.text()
    async with asyncio.timeout(patience()):
        while before != now or not now.strip():
            await asyncio.sleep(_PAUSE)
            before, now = now, await browser.text()
    return now


if __name__ == "__main__":
    main()
