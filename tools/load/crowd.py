"""A crowd at a server: `python -m tools.load.crowd [--people 50,100,200,400] [--workers 1,2] [--back]`.

Starts a fresh `kk serve` on loopback for every number of people and of workers. Everybody connects by ssh,
takes a seat at a table of four through a program that leaves once the match runs, and watches it in a
terminal; nobody does anything for ten seconds, then everybody presses a key every two seconds. Prints
milliseconds from a key to the next bytes on that terminal, processor time, memory and bytes, and how late the
loops of the server were meanwhile. The people run on the same machine and take their share of its processors:
`driver` is the share of one processor that they took. A run is aborted if not everybody has arrived after
five minutes.

With `--lobby` nobody sits down: everybody stays in the lobby. With `--stay` the programs that took the seats
stay there. With `--back` the server is killed at the end and restarted, and everybody reconnects at once,
while two others play through programs: prints the seconds until half of the people and all of them saw their
tables, and how long a move took. With `--apart` everybody's app is a process of its own (`kk connect`), which
counts as the server's: such are the costs of a server that starts a program for each login.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from tools.load.harm import KEYS, Pair
from tools.load.hosted import WIDE_OPEN, Hosted, begin, settled
from tools.load.lateness import Lateness, free_port, lateness, latest, within
from tools.load.person import PATIENCE, Apart, Person, in_turns, seat, tables_of

EVERY: Final = 2.0
"""Seconds between two keys of one person."""

STILL: Final = 10.0
"""Seconds at the beginning in which nobody does anything."""

LONGEST: Final = 300.0
"""Seconds in which all of them have to arrive."""

_PAUSE: Final = 0.05
"""Seconds between two moves of the pair that plays while others reconnect."""


@dataclass(frozen=True)
class Figures:
    """Measurements of one crowd; times in seconds, memory in MiB."""

    people: int
    delays: Sequence[float]
    login: float
    arrival: float
    idle: float
    per_key: float
    driver: float
    memory: float
    received: float
    late: str

    def line(self) -> str:
        """Return a line of the table."""
        lost = sum(delay >= PATIENCE for delay in self.delays)
        times = " ".join(f"{within(share, self.delays):8.1f}" for share in (0.5, 0.95, 0.99, 1))
        arriving = f"{1000 * self.login:8.1f} {1000 * self.arrival:9.1f}"
        staying = f"{1000 * self.idle:6.2f} {1000 * self.per_key:7.2f}"
        rest = f"{self.memory:8.2f} {self.received:8.0f} {100 * self.driver:7.0f} %  {self.late}"
        return f"{self.people:6} {times} {lost:5} {arriving} {staying} {rest}"


HEAD: Final = (
    f"{'workers':>7} {'people':>6} {'50 %':>8} {'95 %':>8} {'99 %':>8} {'most':>8} {'lost':>5} {'a login':>8}"
    f" {'arrival':>9} {'idle':>6} {'a key':>7} {'MiB each':>8} {'bytes':>8} {'driver':>9}  late, 99 %"
)


@dataclass(frozen=True)
class Scenario:
    """The server and its tables for a crowd."""

    folder: Path
    settings: Sequence[str]
    game: str
    size: tuple[int, int]
    lobby: bool
    stay: bool


class Crowd:
    """A number of people at one server."""

    def __init__(self, scenario: Scenario, everybody: Sequence[Person]) -> None:
        self._scenario = scenario
        self._metrics = free_port()
        self.server = self._begin()
        groups = [everybody] if scenario.lobby else tables_of(everybody, scenario.game)
        self._groups = groups
        self.people = [person for group in groups for person in group]
        self._codes: list[str | None] = [None]

    def _begin(self, port: int = 0) -> Hosted:
        scenario = self._scenario
        return begin(scenario.folder, *scenario.settings, f"metrics={self._metrics}", port=port)

    async def come(self) -> None:
        """Log everybody in."""
        await in_turns(person.come(self.server.port) for person in self.people)

    async def sit(self) -> None:
        """Seat everybody at tables."""
        if not self._scenario.lobby:
            self._codes = [
                await seat(group, self._scenario.game, stays=self._scenario.stay) for group in self._groups
            ]

    async def look(self) -> None:
        """Open everybody's terminal."""
        await in_turns(self._looks())
        self.server.others = [person.pid for person in self.people if isinstance(person, Apart)]

    def _looks(self) -> Iterable[Awaitable[None]]:
        for group, code in zip(self._groups, self._codes, strict=True):
            for person in group:
                yield person.look(code, self._scenario.size)

    async def measure(self, seconds: float) -> Figures:
        """Let everybody connect and press keys, and measure. Raises `TimeoutError` if that takes too long."""
        server, people = self.server, self.people
        async with asyncio.timeout(LONGEST):
            spent = server.spent
            await self.come()
            login = (server.spent - spent) / len(people)
            await self.sit()
            await asyncio.to_thread(settled, server)
            spent, memory = server.spent, server.resident
            await self.look()
        await asyncio.to_thread(settled, server)
        arrival, memory = (server.spent - spent) / len(people), (server.resident - memory) / len(people)
        spent = server.spent
        await asyncio.sleep(STILL)
        idle = (server.spent - spent) / len(people) / STILL
        spent, driver, received, late = server.spent, process_time(), self._received, self._late()
        pressed = await asyncio.gather(*(_press(each, seconds) for each in people))
        delays = [delay for mine in pressed for delay in mine]
        return Figures(
            people=len(people),
            delays=delays,
            login=login,
            arrival=arrival,
            idle=idle,
            per_key=(server.spent - spent) / len(delays),
            driver=(process_time() - driver) / seconds,
            memory=memory,
            received=(self._received - received) / len(delays),
            late=latest(late, self._late()),
        )

    def _late(self) -> Lateness:
        return lateness(self._metrics)

    @property
    def _received(self) -> int:
        return sum(person.received for person in self.people)

    async def back(self) -> str:
        """Kill the server, restart it, let everybody reconnect at once, and return the figures."""
        self.server.kill()
        for person in self.people:
            await person.go()
        self.server = await asyncio.to_thread(self._begin, self.server.port)
        pair = Pair(self.server.port)
        await pair.come()
        begun, since, spent = perf_counter(), list[float](), self.server.spent
        coming = asyncio.gather(*(self._back(person, code, since, begun) for person, code in self._seats()))
        moves = []
        async with asyncio.timeout(LONGEST):
            while not coming.done():
                moves.append(await pair.move())
                await asyncio.sleep(_PAUSE)
            await coming
        spent, half, moves = self.server.spent - spent, len(since) // 2, sorted(moves)
        return (
            f"{'':7} all back after {since[-1]:.1f} s, half of them after {since[half]:.1f};"
            f" {1000 * spent / len(since):.0f} ms of a processor each; of {len(moves)} moves half took"
            f" {1000 * moves[len(moves) // 2]:.0f} ms, the slowest {1000 * moves[-1]:.0f}"
        )

    def _seats(self) -> Iterable[tuple[Person, str | None]]:
        for group, code in zip(self._groups, self._codes, strict=True):
            for person in group:
                yield person, code

    async def _back(self, person: Person, code: str | None, since: list[float], begun: float) -> None:
        await person.come(self.server.port)
        await person.look(code, self._scenario.size)
        since.append(perf_counter() - begun)

    async def go(self) -> None:
        """Disconnect everybody."""
        for person in self.people:
            await person.go()


async def _press(person: Person, seconds: float) -> list[float]:
    """Press a key every two seconds, starting at a random moment; the first ones do not count."""
    rest = random.Random(person.name)
    await asyncio.sleep(rest.uniform(0, EVERY))
    delays = []
    for count in range(int(seconds / EVERY) + 1):
        delay = await person.press(KEYS[count % len(KEYS)])
        if count:
            delays.append(delay)
        await asyncio.sleep(max(0.0, EVERY - delay))
    return delays


async def run(scenario: Scenario, everybody: Sequence[Person], seconds: float, *, back: bool) -> list[str]:
    """Run one crowd and return its lines of the table."""
    crowd = Crowd(scenario, everybody)
    try:
        lines = [(await crowd.measure(seconds)).line()]
        if back:
            lines.append(await crowd.back())
        await crowd.go()
        return lines
    except TimeoutError:
        there = sum(person.received > 0 for person in crowd.people)
        return [f"{len(crowd.people):6} only {there} have come in {LONGEST:.0f} s"]
    finally:
        crowd.server.stop()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="50,100,200,400")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--game", default="land_cards")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--lobby", action="store_true")
    parser.add_argument("--stay", action="store_true")
    parser.add_argument("--back", action="store_true")
    parser.add_argument("--apart", action="store_true")
    arguments = parser.parse_args()
    columns, rows = map(int, arguments.size.split("x"))
    _say(
        "milliseconds from key to screen; processor milliseconds a login, an arrival, a second of"
        " somebody who does nothing, and a key"
    )
    _say(HEAD)
    for workers in arguments.workers.split(","):
        for number in map(int, arguments.people.split(",")):
            settings = *WIDE_OPEN, *arguments.set, f"workers={workers}"
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                scenario = Scenario(
                    folder, settings, arguments.game, (columns, rows), arguments.lobby, arguments.stay
                )
                homes = folder / "homes"
                everybody = [Apart(n, homes) if arguments.apart else Person(n) for n in range(number)]
                for line in asyncio.run(run(scenario, everybody, arguments.seconds, back=arguments.back)):
                    _say(f"{workers:>7} {line}")


if __name__ == "__main__":
    main()
