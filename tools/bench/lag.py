"""The waits that search bots cause for others: `python -m tools.bench.lag [--tables 20] [--seconds 20]`.

At every table there are bots of all levels, and a spectator. A clock in the hub's loop ticks every five
milliseconds and records how late it was: with nothing to do, with bots that need no time, with those that
search, and with those while five people have old matches analysed. The load of the machine beforehand is
printed, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from itertools import count
from time import perf_counter, process_time

from kk_core.protocol.messages import Analyse, Analysed, OpenTable
from kk_core.registry import game, game_ids
from kk_core.search.arena import play_match
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from tests.server.client import Client
from tests.server.hosting import PLENTY

TICK = 0.005
SEARCHING = ("expert", "hard", "medium", "hard", "easy")
QUICK = ("greedy",) * 5


async def lags(seconds: float) -> list[float]:
    """Return the milliseconds by which every tick was late, in ascending order."""
    late = []
    end = perf_counter() + seconds
    while (begun := perf_counter()) < end:
        await asyncio.sleep(TICK)
        late.append(1000 * (perf_counter() - begun - TICK))
    return sorted(late)


async def measure(
    bots: tuple[str, ...] | None, tables: int, seconds: float, workers: int | None, analysts: int = 0
) -> str:
    """Return a line about a hub with tables of these bots; with None, about a loop that has nothing to do."""
    hub = Hub(MemoryLog(), limits=PLENTY, bot_processes=workers)
    for number in range(tables if bots else 0):
        await _begin(hub, number, bots or ())
    asking = [asyncio.create_task(_analyse(hub, number)) for number in range(analysts)]
    await asyncio.sleep(2)  # let the workers start
    before, spent = _moves(hub), process_time()
    late = await lags(seconds)
    moves, spent = _moves(hub) - before, process_time() - spent
    for task in asking:
        task.cancel()
    await hub.close()
    median, most = late[len(late) // 2], late[-1]
    high = late[int(len(late) * 0.99)]
    return f"{median:8.2f} {high:8.2f} {most:8.2f} {moves / seconds:10.1f} {100 * spent / seconds:10.0f} %"


async def _analyse(hub: Hub, number: int) -> None:
    """Have matches analysed one after the other."""
    guest = Client(hub.connect(f"analyst {number}"))
    rules = game(game_ids()[number % len(game_ids())])
    for deal in count():
        match = play_match(rules, {}, ["greedy"] * rules.meta.max_seats, bytes([number, deal]).ljust(32))
        await guest.go_to(hub.add_replay(match, ""))
        while isinstance(reply := await guest.ask(Analyse), Analysed) and reply.analysis.share < 1:
            pass


async def _begin(hub: Hub, number: int, bots: tuple[str, ...]) -> None:
    """Begin a match of bots at a table, with a spectator."""
    game_id = game_ids()[number % len(game_ids())]
    seats = min(len(bots), game(game_id).meta.max_seats)
    guest = Client(hub.connect(f"guest {number}"))
    await guest.do(OpenTable, game_id, {}, seats, "")
    for seat in range(seats):
        await guest.seat_bots(seat, bot=bots[seat])
    await guest.start()


def _moves(hub: Hub) -> int:
    return sum(len(table.match.plies) for table in hub.tables.values() if table.match is not None)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--bot-processes", type=int)
    arguments = parser.parse_args()
    processors, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    _say(f"{processors} processors; before, {load:.1f} processes wanted one")
    _say(
        f"{'milliseconds late':>18} {'median':>8} {'99 %':>8} {'most':>8} {'moves a s':>10} {'processor':>12}"
    )
    for name, bots, analysts in (
        ("nothing to do", None, 0), ("quick bots", QUICK, 0), ("search bots", SEARCHING, 0),
        ("with analyses", SEARCHING, 5),
    ):  # fmt: skip
        figures = asyncio.run(
            measure(bots, arguments.tables, arguments.seconds, arguments.bot_processes, analysts)
        )
        _say(f"{name:>18} {figures}")


if __name__ == "__main__":
    main()
