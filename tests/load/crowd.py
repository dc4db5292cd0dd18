"""How a crowd fares: `python -m tests.load.crowd [--people 50,100,200,400] [--workers 1,2] [--apart]`.

For every number of people and of workers a fresh `kk serve` on loopback. All come by ssh, sit at tables of
four where a match runs, and look at them in terminals; then everybody presses a key every two seconds.
Prints milliseconds from a key to the next bytes on that terminal, processor time, memory and bytes. Those
who press are on the same machine, and take their share of its processors: `driver` is what they took, of one.
With `--apart` the app of everybody is a process of its own (`kk connect`), and what these take counts as
well: it is what a server costs that starts a program for each login.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Final

from tests.load.hosted import WIDE_OPEN, Hosted, hosted, settled
from tests.load.person import PATIENCE, Apart, Person, seat, tables_of

EVERY: Final = 2.0
"""Seconds between two keys of one person."""

KEYS: Final = ("\x1b[C", "\x1b[D")
AT_ONCE: Final = 20
"""So many log in side by side."""


@dataclass(frozen=True)
class Figures:
    """What one crowd has measured; times in seconds, memory in MiB."""

    people: int
    delays: Sequence[float]
    arrival: float
    per_key: float
    driver: float
    memory: float
    received: float

    def line(self) -> str:
        """A line of the table."""
        ordered = sorted(self.delays)
        p50, p95, p99 = (1000 * ordered[int(len(ordered) * share)] for share in (0.5, 0.95, 0.99))
        lost = sum(delay >= PATIENCE for delay in ordered)
        times = f"{p50:8.1f} {p95:8.1f} {p99:8.1f} {1000 * ordered[-1]:8.1f} {lost:5}"
        costs = f"{1000 * self.arrival:9.1f} {1000 * self.per_key:7.2f} {self.memory:8.2f}"
        return f"{self.people:6} {times} {costs} {self.received:8.0f} {100 * self.driver:7.0f} %"


HEAD: Final = (
    f"{'workers':>7} {'people':>6} {'50 %':>8} {'95 %':>8} {'99 %':>8} {'most':>8} {'lost':>5} {'arrival':>9}"
    f" {'a key':>7} {'MiB each':>8} {'bytes':>8} {'driver':>9}"
)


async def _in_turns(work: Iterable[Awaitable[None]]) -> None:
    """Wait for all of it, some at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(each: Awaitable[None]) -> None:
        async with gate:
            await each

    await asyncio.gather(*(one(each) for each in work))


async def measure(
    server: Hosted, everybody: Sequence[Person], game_id: str, seconds: float, size: tuple[int, int]
) -> Figures:
    """Let people come and press keys."""
    groups = tables_of(everybody, game_id)
    people = [person for group in groups for person in group]
    await _in_turns(person.come(server.port) for person in people)
    codes = [await seat(group, game_id) for group in groups]
    await asyncio.to_thread(settled, server)
    spent, memory = server.spent, server.resident
    await _in_turns(
        person.look(code, size) for group, code in zip(groups, codes, strict=True) for person in group
    )
    server.others = [person.pid for person in people if isinstance(person, Apart)]
    await asyncio.to_thread(settled, server)
    arrival, memory = (server.spent - spent) / len(people), (server.resident - memory) / len(people)
    spent, driver, received = server.spent, process_time(), _received(people)
    pressed = await asyncio.gather(*(_press(each, seconds) for each in people))
    delays = [delay for mine in pressed for delay in mine]
    figures = Figures(
        people=len(people),
        delays=delays,
        arrival=arrival,
        per_key=(server.spent - spent) / len(delays),
        driver=(process_time() - driver) / seconds,
        memory=memory,
        received=(_received(people) - received) / len(delays),
    )
    await asyncio.gather(*(person.go() for person in people))
    return figures


def _received(people: Sequence[Person]) -> int:
    return sum(person.received for person in people)


async def _press(person: Person, seconds: float) -> list[float]:
    """Press a key every two seconds, at a moment of one's own; the first ones do not count."""
    rest = random.Random(person.name)
    await asyncio.sleep(rest.uniform(0, EVERY))
    delays = []
    for count in range(int(seconds / EVERY) + 1):
        delay = await person.press(KEYS[count % len(KEYS)])
        if count:
            delays.append(delay)
        await asyncio.sleep(max(0.0, EVERY - delay))
    return delays


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="50,100,200,400")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--game", default="land_cards")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--apart", action="store_true")
    arguments = parser.parse_args()
    columns, rows = map(int, arguments.size.split("x"))
    _say("milliseconds from key to screen; processor milliseconds an arrival and a key")
    _say(HEAD)
    for workers in arguments.workers.split(","):
        for number in map(int, arguments.people.split(",")):
            settings = *WIDE_OPEN, *arguments.set, f"workers={workers}"
            with tempfile.TemporaryDirectory() as folder, hosted(Path(folder), *settings) as server:
                homes = Path(folder) / "homes"
                everybody = [Apart(n, homes) if arguments.apart else Person(n) for n in range(number)]
                figures = asyncio.run(
                    measure(server, everybody, arguments.game, arguments.seconds, (columns, rows))
                )
                _say(f"{workers:>7} {figures.line()}")


if __name__ == "__main__":
    main()
