"""What stored tables take: `python -m tools.bench.tables [--tables 300]`.

Writes tables as `tools.load.stored` does, copies them to PostgreSQL, and lets a hub summarise them, as one
does after an upgrade. Prints bytes of the database for each move, with its indexes and whatever belongs to
its table; milliseconds to read and replay a table, by game; and milliseconds of the processor to take in the
summary of a table that another node serves.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Final
from urllib.parse import urlsplit

from kk_server.hub.hub import Hub
from kk_server.maintenance.copying import copy_store
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Moved
from kk_server.storage.postgres import open_postgres
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE
from kk_server.tables.state import restore
from tests.server.postgres import Postgres, running_postgres
from tools.load.stored import write

_REPLAYED: Final = 90
"""Tables that are read and replayed."""


async def measure(postgres: Postgres, tables: int) -> None:
    """Print what the tables take."""
    store = postgres.new_database()
    name = urlsplit(store).path.removeprefix("/")
    with tempfile.TemporaryDirectory() as folder:
        await write(Path(folder), tables)
        await copy_store(str(Path(folder) / DATABASE), store)
        database = await open_postgres(store)
        log = SqlLog(database)
        empty = size_of(postgres, "template1")
        hub = Hub(log, archive=Archive(database))
        await hub.load()
        await hub.table_cache.backfilled()
        await hub.table_cache.tidy()
        found = sorted(await log.listed(), key=lambda each: each.id)
        moves = 0
        replays = defaultdict[str, list[float]](list)
        for number, each in enumerate(found):
            stored = await log.read(each.id)
            moves += sum(isinstance(entry, Moved) for entry in stored.entries)
            if number < _REPLAYED:
                begun = perf_counter()
                state = await restore(log, await log.read(each.id))
                if state.match is not None:
                    replays[state.created.game].append(perf_counter() - begun)
        say("bytes for each move", (size_of(postgres, name) - empty) / moves)
        for game, took in sorted(replays.items()):
            say(f"ms to read and replay {game}", 1000 * median(took))
        begun = process_time()
        hub.table_cache.follow(await log.summaries([each.id for each in found]))
        say("ms to take in a summary", 1000 * (process_time() - begun) / len(found))
        await hub.close()
        await log.close()


def size_of(postgres: Postgres, database: str) -> int:
    """Return the bytes of a database."""
    return int(postgres.ask("psql", "-At", "-d", "postgres", "-c", f"SELECT pg_database_size('{database}')"))


def say(what: str, figure: float) -> None:
    """Print a line."""
    print(f"{what:>40}: {figure:.2f}", flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=300)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is stopped
    with running_postgres() as postgres:
        asyncio.run(measure(postgres, given.tables))


if __name__ == "__main__":
    main()
