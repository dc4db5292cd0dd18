"""Memory that visitors leave behind: `python -m tools.load.leaving [--people 2000] [--at-once 4]`.

Runs a server in this process, to whose lobby `--people` people connect by ssh, a few concurrently; each moves
the cursor, opens the help and closes it again, and leaves, half of them without a goodbye. Prints after every
tenth of them how many apps can still be reached, the memory in use, and how much each visitor since the
previous line has added to it after a full garbage collection.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import tempfile
from pathlib import Path

from kk_server.frontend.garbage_collection import sweep
from kk_server.serve.server import Server, start
from kk_tui.app import KkApp
from tests.server.hosting import PLENTY, here
from tests.server.remote import screen
from tests.waiting import wait_for
from tools.load.hosted import resident

_LINES = 10


async def visit(server: Server, number: int) -> None:
    """Connect and leave."""
    guest = await screen(server, f"p{number % 8}")
    await guest.until("here")
    guest.type("\x1b[B?")
    await guest.until("Esc")
    guest.type("\x1b")
    if number % 2:
        guest.connection.abort()
    else:
        await guest.close()


async def measure(people: int, at_once: int) -> None:
    """Let them visit, and print."""
    with tempfile.TemporaryDirectory() as folder:
        server = await start(here(Path(folder), limits=PLENTY))
        before, last = 0.0, 0
        print(f"{'people':>8} {'apps left':>10} {'MiB':>8} {'KiB each':>9}", flush=True)  # noqa: T201
        for number in range(0, people, at_once):
            await asyncio.gather(*(visit(server, number + each) for each in range(at_once)))
            gone = number + at_once
            if gone * _LINES // people == last * _LINES // people:
                continue
            await wait_for(lambda: not server.connections and not server.traffic.present)
            sweep()
            apps, now = sum(isinstance(one, KkApp) for one in _all()), resident(os.getpid())
            each = 1024 * (now - before) / (gone - last) if before else 0.0
            print(f"{gone:8} {apps:10} {now:8.1f} {each:9.2f}", flush=True)  # noqa: T201
            before, last = now, gone
        await server.close()


def _all() -> list[object]:
    gc.unfreeze()
    found = gc.get_objects()
    gc.freeze()
    return found


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=4)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.people, arguments.at_once))


if __name__ == "__main__":
    main()
