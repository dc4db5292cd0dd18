"""How many entries a second the log of each database stores: `python -m tools.bench.appends [--seconds 5]`.

A file, a PostgreSQL database, and one with a synchronous standby, all on this machine and all waiting for its
disk. One writer, and several at once, each append to a table of their own. Prints entries a second, and the
milliseconds of half of them and of 99 in 100.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from kk_server.storage.entries import Created, Moved
from kk_server.storage.postgres import open_postgres
from kk_server.storage.sql_log import SqlLog, open_log
from tests.server.postgres import replicated_postgres, running_postgres

_OPENED = Created(title="t", host="anna", game="land_cards", options={}, seats=3)
_MOVED = Moved("0 take 1 left")


async def append(log: SqlLog, table: str, end: float) -> list[float]:
    """Append to a table until a time, by `perf_counter`; return the seconds that each entry took."""
    await log.append(table, 0, _OPENED)
    took = list[float]()
    while (begun := perf_counter()) < end:
        await log.append(table, len(took) + 1, _MOVED)
        took.append(perf_counter() - begun)
    return took


async def measure(name: str, log: SqlLog, writers: list[int], seconds: float) -> None:
    """Print a line for each number of writers."""
    for many in writers:
        begun = perf_counter()
        tables = [f"{many}x{number}" for number in range(many)]
        found = await asyncio.gather(*(append(log, table, begun + seconds) for table in tables))
        elapsed, took = perf_counter() - begun, sorted(each for some in found for each in some)
        half, most = (1000 * took[len(took) * share // 100] for share in (50, 99))
        print(f"{name:>28} {many:8} {len(took) / elapsed:10.0f} {half:8.1f} {most:8.1f}", flush=True)  # noqa: T201
    await log.close()


async def measure_all(writers: list[int], seconds: float) -> None:
    """Measure each database in turn."""
    print(f"{'':>28} {'writers':>8} {'a second':>10} {'50 %':>8} {'99 %':>8}")  # noqa: T201
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        await measure("SQLite", await open_log(Path(folder) / "tables.sqlite"), writers, seconds)
        alone = stack.enter_context(running_postgres(is_durable=True))
        await measure("PostgreSQL", SqlLog(await open_postgres(alone.new_database())), writers, seconds)
        both = stack.enter_context(replicated_postgres(is_durable=True))
        address = both.new_database()
        await measure("PostgreSQL with a standby", SqlLog(await open_postgres(address)), writers, seconds)


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", default="1,8,64")
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    asyncio.run(measure_all([int(many) for many in given.writers.split(",")], given.seconds))


if __name__ == "__main__":
    main()
