"""Takes the README's picture of a table in a browser, with Chromium: `make pictures`.

With `--phones DIR` it takes those of lobby, tables and results at the sizes of a phone in place of that, for
people to look at: `python -m docs.pictures.browser --phones /tmp/phones`.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from docs.pictures.make import FOLDER, PEOPLE, PICTURES, Picture, entries
from kk_core.registry import game, game_ids
from kk_server.serve.server import Server, start
from kk_server.serve.settings import Settings
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from tests.server.chromium import Browser, chromium
from tests.server.web_page import url_of

NAME: Final = "browser"
_SIZE: Final = (1280, 940)
_PHONES: Final = {"upright": (390, 844), "across": (844, 390)}
_TABLE: Final = "a1"

_SETTLED: Final = 2.0
"""Seconds in which previews and the last motion come to their end."""


@asynccontextmanager
async def served(*written: Picture) -> AsyncIterator[Server]:
    """A server with a page, and with the table of a picture, if one is given."""
    with tempfile.TemporaryDirectory() as folder:
        database = await open_database(Path(folder) / DATABASE)
        log = SqlLog(database)
        for picture in written:
            await log.keep_data(game(picture.game).rules_data)
            for revision, entry in enumerate(entries(picture)):
                await log.append(_TABLE, revision, entry)
        await database.close()
        server = await start(Settings(port=0, data=folder, web=0))
        others = [server.hub.connect(name.lower()) for name in PEOPLE[1:]]  # so that nobody is away
        yield server
        for link in others:
            await link.close()
        await server.close()


async def enter(browser: Browser, server: Server, path: str = "") -> None:
    """Open the page as the person on the first seat."""
    await browser.open(url_of(server, path).replace("127.0.0.1", "localhost"))
    user = PEOPLE[0].lower()
    await browser.enter(user)
    await browser.until(PEOPLE[1] if path else f"you are {user}")
    await asyncio.sleep(_SETTLED)


async def take(picture: Picture, file: Path) -> None:
    """Take the picture of a table on a desk."""
    async with served(picture) as server, chromium(_SIZE) as browser:
        await enter(browser, server, f"table/{_TABLE}")
        await browser.picture(file)


async def take_phones(folder: Path) -> None:
    """Take the pictures at the sizes of a phone."""
    for name, size in _PHONES.items():
        async with served() as server, chromium(size, is_phone=True) as browser:
            await enter(browser, server)
            await browser.picture(folder / f"{name}-lobby.png")
        for game_id in game_ids():
            shown = next(each for each in PICTURES if each.game == game_id and not each.step)
            for what, stop in (("table", shown.stop), ("result", None)):
                picture = replace(shown, stop=stop, light=False)
                async with served(picture) as server, chromium(size, is_phone=True) as browser:
                    await enter(browser, server, f"table/{_TABLE}")
                    await browser.picture(folder / f"{name}-{game_id}-{what}.png")


def main() -> None:
    """Parse arguments, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phones", type=Path, metavar="DIR")
    folder = parser.parse_args().phones
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(take_phones(folder))
        return
    shown = next(each for each in PICTURES if each.name == "web_of_power")
    asyncio.run(take(shown, FOLDER / f"{NAME}.png"))


if __name__ == "__main__":
    main()
