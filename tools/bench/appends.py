"""How many entries a second the log of each database stores: `python -m tools.bench.appends [--seconds 5]`.

A file, a PostgreSQL database, and one with a synchronous standby, all on this machine and all waiting for its
disk. One writer, and several at once, each append to a table of their own; with `--nodes 1,2,3` also those of
several processes. Prints entries a second, the milliseconds of half of them and of 99 in 100, and for each of
them PostgreSQL's milliseconds of processor time, without the standby's, and the bytes of its log.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import product, repeat
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Final

from kk_server.storage.entries import Created, Moved
from kk_server.storage.postgres import open_postgres
from kk_server.storage.sql_log import SqlLog, open_log
from tests.server.postgres import Postgres, replicated_postgres, running_postgres

_OPENED = Created(title="t", host="anna", game="land_cards", options={}, seats=3)
_MOVED = Moved("0 take 1 left")

_STARTING: Final = 4.0
"""Seconds in which all processes are ready to write."""


async def append(log: SqlLog, table: str, end: float) -> list[float]:
    """Append to a table until a time, by `perf_counter`; return the seconds that each entry took."""
    await log.append(table, 0, _OPENED)
    took = list[float]()
    while (begun := perf_counter()) < end:
        await log.append(table, len(took) + 1, _MOVED)
        took.append(perf_counter() - begun)
    return took


async def write(place: str, tables: Sequence[str], begun: float, seconds: float) -> list[float]:
    """Append to tables of a database from a time, by `time.time`; return the seconds of each entry."""
    log = await open_log(Path(place)) if "://" not in place else SqlLog(await open_postgres(place))
    await asyncio.sleep(max(0.0, begun - time.time()))
    end = perf_counter() + seconds
    took = await asyncio.gather(*(append(log, table, end) for table in tables))
    await log.close()
    return [each for some in took for each in some]


def write_all(place: str, tables: Sequence[str], begun: float, seconds: float) -> list[float]:
    """Do what `write` does, in a process of one's own."""
    return asyncio.run(write(place, tables, begun, seconds))


def measure(
    name: str, place: str, nodes: int, writers: int, seconds: float, server: Postgres | None = None
) -> None:
    """Print a line for a number of processes, each with so many writers."""
    logged, spent = (0, 0.0) if server is None else (server.logged(), server.spent())
    begun = time.time() + _STARTING
    with ProcessPoolExecutor(nodes, get_context("spawn")) as processes:
        tables = [[f"{nodes}x{writers}x{node}x{each}" for each in range(writers)] for node in range(nodes)]
        found = processes.map(write_all, repeat(place), tables, repeat(begun), repeat(seconds))
        took = sorted(each for some in found for each in some)
    half, most = (1000 * took[len(took) * share // 100] for share in (50, 99))
    size, work = "-", "-"
    if server is not None:
        size = f"{(server.logged() - logged) / len(took):.0f}"
        work = f"{1000 * (server.spent() - spent) / len(took):.2f}"
    say(name, nodes, writers, f"{len(took) / seconds:.0f}", f"{half:.1f}", f"{most:.1f}", work, size)


def say(name: str, *figures: str | int) -> None:
    """Print a line."""
    print(f"{name:>28}", *(f"{each:>8}" for each in figures), flush=True)  # noqa: T201


def measure_all(nodes: Sequence[int], writers: Sequence[int], seconds: float) -> None:
    """Measure each database in turn."""
    say("", "nodes", "writers", "a second", "50 %", "99 %", "ms", "bytes")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        for many in writers:
            measure("SQLite", str(Path(folder) / "tables.sqlite"), 1, many, seconds)
        alone = stack.enter_context(running_postgres(is_durable=True))
        both = stack.enter_context(replicated_postgres(is_durable=True))
        for name, server, place in (
            ("PostgreSQL", alone, alone.new_database()),
            ("PostgreSQL with a standby", both.primary, both.new_database()),
        ):
            for number, many in product(nodes, writers):
                measure(name, place, number, many, seconds, server)


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", default="1")
    parser.add_argument("--writers", default="1,8,64")
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is stopped
    nodes, writers = ([int(many) for many in each.split(",")] for each in (given.nodes, given.writers))
    measure_all(nodes, writers, given.seconds)


if __name__ == "__main__":
    main()
