"""A whole evening: `python -m tools.load.evening [--people 200,400] [--workers 1,2] [--levels expert]`.

Starts a fresh `kk serve` on loopback for every number of people and of workers, with people who connect by
ssh as on an evening. Of 200, 60 sit at 20 tables of all three games, each with a bot, and press keys; a
program for each makes their moves. Ten more look on there, and press none. 20 have three bots play at a
table of their own, and watch. 110 are in the lobby: they move the cursor, open the help and close it; one in
ten chats; another in ten connects, looks around, opens a table, leaves it and hangs up, repeatedly. Half of
the tables are public. All but the onlookers press a key every two seconds (`--every`), and all random
numbers come from `--seed`.

Prints a line for each: milliseconds from a key to the next bytes on that terminal, with keys that open the
help counted separately, and how many keys were *lost*, after 30 s, and people *gone*, whom the server has
disconnected; from a move to its acknowledgement, and to the next bytes for those who look on (*shown*); from
a visitor's dialling to the first picture. How many moves the watched bots made, compared with how many the
same bots make in that time at a server where nobody else is (`--not-alone` leaves that out). The shares of a
processor that hub, workers, bots and the driver took, and the machine's load; the server's processor
milliseconds per arrival, measured before all that, and per key, everything included; MiB, and kB per minute,
of each; how late the loops of hub, workers and driver were at most in 99 of 100 samples. The first line has
the time that a Textual app with a line of text takes to start (`tools.bench.arrive`): figures from another
machine are scaled by it.

With `--browser 50` that percentage of the people, evenly mixed, has the page in place of ssh; their
programs still come by ssh. With `--motion on,off` each evening is run with animated steps, and again
without. With `--bots N` only bots play at N tables, instead of at as many as people do. With `--tables N`
there are N public tables, where programs make `--moves` moves per second in total, and all people are in
the lobby.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any, Final

import aiohttp
import asyncssh

from kk_core.protocol.messages import Done, GoTo, Join, LeaveSeat, OpenTable, Play, Propose, Vote
from kk_core.registry import game_ids
from kk_core.types import CommonObservation, Seat
from kk_server.storage.sqlite import DATABASE
from tools.load.browser import Browser
from tools.load.hosted import BOTS, HUB, WIDE_OPEN, WORKERS, Hosted, begin, settled
from tools.load.lateness import free_port, lateness, latest, watch_own, within
from tools.load.person import PATIENCE, Person, Program, in_turns

LEVELS: Final = "easy,medium,hard,expert"
SEATS: Final = 3
"""People at a table where they play, and bots at one that is watched."""

LONGEST: Final = 300.0
"""Seconds in which all of them have to arrive."""

_WARM: Final = 6.0
"""Seconds of warming up that do not count."""

_MENUS: Final = 0.05
"""Share of keys in the lobby that open the help."""

_LINES_APART: Final = 30.0
"""Seconds between two lines of somebody who chats."""

_STAY: Final = (4.0, 8.0)
"""Minimum and maximum seconds for which a visitor looks around, has a table, and is away."""

_THINKS: Final = (1.5, 4.5)
"""Minimum and maximum seconds that somebody takes to move."""

_MOVERS: Final = 20
"""Programs that make the moves at public tables."""

_A_VISIT: Final = 5
"""Moves at one of their tables before they go to the next."""

ESCAPE: Final = "\x1b"
HELP: Final = "?"
_AMONG_TABLES: Final = ("\x1b[B",) * 8 + ("\x1b[H",)
"""Down, and back to the first table. A key that changes nothing has no answer, and would be timed until
something else happens; so nobody moves up, where the tables may have been closed since the last key.
"""

_BESIDE: Final = "ls"
"""Keys for log and score sheet: on every screen of a match one of them changes something."""

_HUNG_UP: Final = (asyncssh.Error, aiohttp.ClientError, OSError, EOFError, KeyError)

_WORDS: Final = ("good evening", "who plays", "a round", "of it", "with me", "at the table", "by the window")


@dataclass(frozen=True)
class Plan:
    """The people of an evening and their activities."""

    people: int
    levels: Sequence[str] = tuple(LEVELS.split(","))
    seed: int = 1
    every: float = 2.0
    size: tuple[int, int] = (80, 24)
    tables: int = 0
    """Additional public tables, where programs move."""
    moves: float = 20.0
    """Moves per second at these tables."""
    bots: int | None = None
    """Tables where only bots play; None for as many as those where people do."""
    browsers: int = 0
    """Percentage of the people who have a page in place of ssh."""

    def is_in_browser(self, number: int) -> bool:
        """Return whether a person has a page; they are evenly spread over all numbers."""
        return (number + 1) * self.browsers // 100 > number * self.browsers // 100

    @property
    def rounds(self) -> int:
        """The number of tables where people play."""
        return 0 if self.tables else max(self.people // 10, min(1, self.people // 4))


@dataclass
class Seen:
    """Measurements in seconds, until the evening is over."""

    keys: list[float] = field(default_factory=list)
    menus: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    gone: int = 0
    """People whom the server has disconnected."""
    is_over: bool = False

    def forget(self) -> None:
        """Discard the measurements of the warm-up."""
        for times in (self.keys, self.menus, self.moves, self.shown, self.arrivals, self.late):
            times.clear()


# -- tables --------------------------------------------------------------------------------------------------


class EveningTable:
    """A table of three people with a bot, or of one person who watches three bots."""

    def __init__(self, number: int, people: Sequence[Person], dice: Random, levels: Sequence[str]) -> None:
        self.people = people
        self.onlookers: list[Person] = []
        """Others whose terminals show the table, and who press no key."""
        self.is_watched = len(people) == 1
        self._dice = dice
        self._game = game_ids()[number % len(game_ids())]
        self._title = f"{'Bots' if self.is_watched else 'Round'} {number:04}"
        self.is_private = number % 2 == 1
        bots = SEATS if self.is_watched else 1
        self._bots = [levels[(number + each) % len(levels)] for each in range(bots)]
        self._programs: list[Program] = []
        self._code: str | None = None
        self.table = ""
        """The identifier, once everybody has a seat."""
        self.has_begun = False

    async def sit(self) -> None:
        """Open the table and take the seats by programs; people begin their match."""
        self._programs = [await person.client() for person in self.people]
        first, sitting = self._programs[0], 0 if self.is_watched else len(self.people)
        seats = sitting + len(self._bots)
        await first.do(OpenTable, self._game, {}, seats, self._title, False, self.is_private)
        table, self._code = first.table.id, first.table.code
        for seat, program in enumerate(self._programs[:sitting]):
            if seat:
                await (program.do(Join, self._code) if self._code else program.do(GoTo, table))
            await program.sit(seat)
        for seat, bot in enumerate(self._bots, sitting):
            await first.seat_bots(seat, bot=bot)
        if sitting:
            await first.start()
        self.table, self.has_begun = table, sitting > 0

    async def begin(self) -> None:
        """Start the bots' match at a watched table."""
        if self.is_watched:
            await self._programs[0].start()
            self.has_begun = True

    async def look(self, person: Person, size: tuple[int, int]) -> None:
        """Bring somebody's terminal to the table: by its code, by its title, or directly to their match."""
        await person.look(self._code, size)
        if self.is_watched and self._code is None:
            await person.press(f"/watch {self._title}\r")

    async def _move(self, program: Program, seen: Seen) -> None:
        """Move for somebody, at a person's pace, in one match after the other."""
        while True:
            await asyncio.sleep(self._dice.uniform(*_THINKS))
            table = program.table
            if table.phase == "finished":
                await self._once_more(program)
            elif table.viewer is not None and table.viewer in program.observation.active:
                for onlooker in self.onlookers:
                    onlooker.expect(seen.shown)
                await move(program, table.viewer, self._dice, seen)

    async def _once_more(self, program: Program) -> None:
        if program is self._programs[0]:
            await program.ask(Propose, "rematch")
        elif program.table.proposal is not None:
            await program.ask(Vote, True)

    def moving(self, seen: Seen) -> Iterator[Coroutine[Any, Any, None]]:
        """Yield the work of its programs."""
        for program in self._programs:
            yield self._move(program, seen)


async def move(program: Program, seat: Seat, dice: Random, seen: Seen) -> None:
    """Make a legal move of a seat through which a program looks, and record how long the answer took."""
    ply, legal = program.match.ply, program.match.observed(CommonObservation).legal_moves
    if not legal:
        return
    begun = perf_counter()
    reply = await program.ask(Play, seat, ply, dice.choice(legal))
    if isinstance(reply, Done):  # where all choose at once, others may have moved first
        seen.moves.append(perf_counter() - begun)


class Mover:
    """A program with seats at many public tables, which moves at one after the other."""

    def __init__(self, person: Person, tables: int, dice: Random) -> None:
        self.person = person
        self._wanted = tables
        self._dice = dice
        self._tables: list[str] = []
        self._program: Program

    async def open(self) -> None:
        """Open the tables."""
        self._program = program = await self.person.client()
        for number in range(self._wanted):
            title = f"{self.person.name} {number}"
            self._tables.append(await program.open("land_cards", SEATS, title=title))
            await program.sit(*range(SEATS))
            await program.start()

    async def move(self, seen: Seen, pause: float) -> None:
        """Move at a fixed pace."""
        program, number = self._program, 0
        await asyncio.sleep(self._dice.uniform(0, pause))
        while True:
            if number % _A_VISIT == 0:
                await program.go_to(self._tables[number // _A_VISIT % len(self._tables)])
            number += 1
            if active := program.observation.active:
                await program.look(active[0])
                begun = perf_counter()
                await move(program, active[0], self._dice, seen)
                await asyncio.sleep(max(0.0, pause - (perf_counter() - begun)))


# -- keys ----------------------------------------------------------------------------------------------------


def in_the_lobby(dice: Random, keys: Sequence[str] = _AMONG_TABLES) -> Iterator[str]:
    """Yield the keys of somebody in the lobby, the same ones again and again, and occasionally the help's."""
    for key in cycle(keys):
        if dice.random() < _MENUS:
            yield HELP
            yield ESCAPE
        yield key


def chat_reader(dice: Random, every: float) -> Iterator[str]:
    """Yield the keys of somebody who occasionally types a line, too."""
    for key in in_the_lobby(dice):
        yield key
        if key != HELP and dice.random() < every / _LINES_APART:
            yield "o"
            yield " ".join(dice.sample(_WORDS, 3)) + "\r"
            yield ESCAPE


async def press(person: Person, keys: Iterator[str], every: float, dice: Random, seen: Seen) -> None:
    """Press a key at a fixed pace, starting at a random moment, until the evening is over."""
    await asyncio.sleep(dice.uniform(0, every))
    for key in keys:
        took = await person.press(key)
        if key == HELP:
            seen.menus.append(took)
        elif key != ESCAPE:  # the app waits after it, since it may begin another key
            seen.keys.append(took)
        if seen.is_over:
            return
        await asyncio.sleep(max(0.0, every - took))


async def visit(person: Person, port: int, plan: Plan, dice: Random, seen: Seen) -> None:
    """Connect, look around, open a table, leave it and hang up."""
    await asyncio.sleep(dice.uniform(*_STAY))
    begun, keys = perf_counter(), in_the_lobby(dice)
    await person.come(port)
    await person.look(None, plan.size)
    seen.arrivals.append(perf_counter() - begun)
    for _ in range(3):
        await asyncio.sleep(plan.every)
        await person.press(next(keys))
    program = await person.client()
    await program.open(dice.choice(game_ids()), SEATS)
    await program.sit(0)
    await asyncio.sleep(dice.uniform(*_STAY))
    await program.do(LeaveSeat, 0)
    await program.go_to(None)
    await person.go()


# -- the evening ---------------------------------------------------------------------------------------------


class Company:
    """Everybody of an evening, and their activities."""

    def __init__(self, plan: Plan, port: int, web: int = 0) -> None:
        """Take a plan, and the server's ports for SSH and, if people have pages, for these."""
        self.plan = plan
        self.seen = Seen()
        self._port = port
        everybody = [
            Browser(number, web) if plan.is_in_browser(number) else Person(number)
            for number in range(plan.people)
        ]
        rest = iter(everybody)
        self.rounds = [
            EveningTable(
                number, [next(rest) for _ in range(size)], self.dice("round", size, number), plan.levels
            )
            for size, tables in ((SEATS, plan.rounds), (1, plan.rounds if plan.bots is None else plan.bots))
            for number in range(tables)
        ]
        for each in self.rounds:
            if each.is_private and not each.is_watched:
                each.onlookers = [*islice(rest, 1)]
        in_the_lobby = list(rest)
        tenth = len(in_the_lobby) // 10
        self.visitors, self.talkers, self.others = (
            in_the_lobby[:tenth], in_the_lobby[tenth : 2 * tenth], in_the_lobby[2 * tenth :]
        )  # fmt: skip
        share, more = divmod(plan.tables, _MOVERS)
        self.movers = [
            Mover(Person(plan.people + number), share + (number < more), self.dice("mover", number))
            for number in range(min(_MOVERS, plan.tables))
        ]

    def dice(self, *words: object) -> Random:
        """Return the random numbers for somebody or something with this name."""
        return Random(f"{self.plan.seed} {words}")

    @property
    def people(self) -> list[Person]:
        """The people who stay all evening."""
        seated = (person for each in self.rounds for person in (*each.people, *each.onlookers))
        return [*seated, *self.talkers, *self.others]

    @property
    def typing(self) -> list[Person]:
        """Those of them who press keys."""
        return [*(person for each in self.rounds for person in each.people), *self.talkers, *self.others]

    async def come(self) -> None:
        """Log in, and take seats by programs."""
        await in_turns(mover.person.come(self._port) for mover in self.movers)
        await in_turns(mover.open() for mover in self.movers)
        await in_turns(person.come(self._port) for person in self.people)
        await in_turns(each.sit() for each in self.rounds)

    async def look(self) -> None:
        """Open the terminals."""
        size = self.plan.size
        await in_turns(
            each.look(person, size) for each in self.rounds for person in (*each.people, *each.onlookers)
        )
        await in_turns(person.look(None, size) for person in (*self.talkers, *self.others))

    async def begin_bots(self) -> None:
        """Start the watched bots, which then continue by themselves."""
        for each in self.rounds:
            await each.begin()

    def playing(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Yield the work of programs."""
        for each in self.rounds:
            yield from each.moving(self.seen)
        for mover in self.movers:
            yield mover.move(self.seen, len(self.movers) / self.plan.moves)

    def coming_and_going(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Yield the work of visitors."""
        for person in self.visitors:
            yield self._visits(person)

    async def _visits(self, person: Person) -> None:
        dice = self.dice(person.name)
        while True:
            try:
                await visit(person, self._port, self.plan, dice, self.seen)
            except _HUNG_UP:
                self.seen.gone += 1

    def pressing(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Yield the work of the people who stay."""
        for person in self.typing:
            yield self._presses(person)

    async def _presses(self, person: Person) -> None:
        try:
            await press(person, self.keys_of(person), self.plan.every, self.dice(person.name), self.seen)
        except _HUNG_UP:
            self.seen.gone += 1

    def keys_of(self, person: Person) -> Iterator[str]:
        """Return the keys of somebody."""
        dice = self.dice("keys", person.name)
        if person in self.talkers:
            return chat_reader(dice, self.plan.every)
        return in_the_lobby(dice) if person in self.others else cycle(_BESIDE)

    def moved_by_bots(self, folder: Path) -> int:
        """Return the number of moves at tables of bots alone, according to the server's log."""
        tables = [each.table for each in self.rounds if each.is_watched]
        marks = ", ".join("?" * len(tables))
        wanted = f"SELECT count(*) FROM entries WHERE kind = 'moved' AND table_id IN ({marks})"
        with closing(sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True)) as connection:
            count: int = connection.execute(wanted, tables).fetchone()[0]
        return count

    async def go(self) -> None:
        """Disconnect everybody."""
        for person in (*self.people, *self.visitors, *(mover.person for mover in self.movers)):
            with suppress(asyncssh.Error, OSError, AttributeError):  # a visitor may be away
                await person.go()


@dataclass(frozen=True)
class Figures:
    """The figures of an evening."""

    people: int
    seen: Seen
    seconds: float
    bots: int
    alone: int | None
    late: str
    spent: Mapping[str, float]
    driver: float
    load: float
    arrival: float
    memory: float
    received: float

    def line(self) -> str:
        """Return a line of the table."""
        seen, keys = self.seen, self.seen.keys
        lost = sum(each >= PATIENCE for each in (*keys, *seen.menus))
        typed = " ".join(f"{within(share, keys):6.0f}" for share in (0.5, 0.95, 0.99, 1))
        menus = " ".join(f"{within(share, seen.menus):5.0f}" for share in (0.5, 0.99))
        moves = " ".join(f"{within(share, seen.moves):6.0f}" for share in (0.5, 0.99, 1))
        shown = " ".join(f"{within(share, seen.shown):6.0f}" for share in (0.5, 0.99))
        came = " ".join(f"{within(share, seen.arrivals):6.0f}" for share in (0.5, 1))
        alone = "" if self.alone is None else f"/{self.alone}"
        parts = {**self.spent, "driver": self.driver}
        shares = " ".join(
            f"{100 * parts[part] / self.seconds:6.0f}" for part in (HUB, WORKERS, BOTS, "driver")
        )
        pressed = len(keys) + len(seen.menus)
        a_key = 1000 * (self.spent[HUB] + self.spent[WORKERS]) / max(1, pressed)
        kilobytes = self.received / 1000 * 60 / self.seconds
        each = f"{1000 * self.arrival:7.1f} {a_key:6.1f} {self.memory:5.2f} {kilobytes:6.1f}"
        return (
            f"{self.people:6} {len(keys):6} {typed} {lost:4} {seen.gone:4}  {menus}"
            f"  {len(seen.moves):5} {moves}  {shown}"
            f"  {len(seen.arrivals):4} {came}  {f'{self.bots}{alone}':>9}  {shares} {self.load:5.1f}  {each}"
            f"  {self.late}, driver {within(0.99, seen.late):.0f}"
        )


HEAD: Final = (
    f"{'workers':>7} {'people':>6} {'keys':>6} {'50 %':>6} {'95 %':>6} {'99 %':>6} {'most':>6}"
    f" {'lost':>4} {'gone':>4}  {'help':>5} {'99 %':>5}  {'moves':>5} {'50 %':>6} {'99 %':>6} {'most':>6}"
    f"  {'shown':>6} {'99 %':>6}"
    f"  {'come':>4} {'50 %':>6} {'most':>6}  {'bots':>9}"
    f"  {'hub %':>6} {'workers':>6} {'bots':>6} {'driver':>6} {'load':>5}"
    f"  {'arrival':>7} {'a key':>6} {'MiB':>5} {'kB/min':>6}  late, 99 %"
)


class Evening:
    """A server on a data folder, and the company that visits it."""

    def __init__(self, folder: Path, plan: Plan, settings: Sequence[str]) -> None:
        self._folder = folder
        self._metrics, web = free_port(), free_port()
        pages = (f"web={web}",) if plan.browsers else ()
        self.server: Hosted = begin(folder, *settings, *pages, f"metrics={self._metrics}")
        self.company = Company(plan, self.server.port, web)
        self._tasks: list[asyncio.Task[None]] = []

    async def measure(self, seconds: float) -> Figures:
        """Let everybody connect and be active, and measure. Raises `TimeoutError` if connecting is slow."""
        server, company = self.server, self.company
        seen = company.seen
        async with asyncio.timeout(LONGEST):
            await company.come()
            await asyncio.to_thread(settled, server)  # in a thread, since programs have to answer meanwhile
            before, worked = server.resident, server.spent
            await company.look()
        await asyncio.to_thread(settled, server)
        arrival = (server.spent - worked) / len(company.people)
        memory = (server.resident - before) / len(company.people)
        await company.begin_bots()
        aside = self._do(*company.playing(), *company.coming_and_going(), watch_own(seen.late))
        pressing = self._do(*company.pressing())
        await self._through(_WARM)
        seen.forget()
        spent, driver, late = server.spent_by, process_time(), lateness(self._metrics)
        bots, received = company.moved_by_bots(self._folder), self._received
        await self._through(seconds)
        figures = Figures(
            people=company.plan.people,
            seen=seen,
            seconds=seconds,
            bots=company.moved_by_bots(self._folder) - bots,
            alone=None,
            late=latest(late, lateness(self._metrics)),
            spent={part: now - spent[part] for part, now in server.spent_by.items()},
            driver=process_time() - driver,
            load=os.getloadavg()[0],
            arrival=arrival,
            memory=memory,
            received=(self._received - received) / len(company.people),
        )
        seen.is_over = True
        await asyncio.gather(*pressing)
        for task in aside:
            task.cancel()
        return figures

    async def bots_alone(self, seconds: float) -> int:
        """Return the number of moves that the bots make while nobody else is there."""
        self.company.rounds = [each for each in self.company.rounds if each.is_watched]
        self.company.talkers, self.company.others = [], []
        await self.company.come()
        await self.company.begin_bots()
        self._do(*self.company.playing())
        await self._through(_WARM)
        before = self.company.moved_by_bots(self._folder)
        await self._through(seconds)
        return self.company.moved_by_bots(self._folder) - before

    def _do(self, *work: Coroutine[Any, Any, None]) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(each) for each in work]
        self._tasks += tasks
        return tasks

    async def _through(self, seconds: float) -> None:
        """Let time pass; an error in anybody's work ends it."""
        # Without this, a task that has failed would be noticed only in the figures.
        done, _ = await asyncio.wait(self._tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()

    @property
    def _received(self) -> int:
        return sum(person.received for person in self.company.people)

    @property
    def arrived(self) -> int:
        """The number of people who have a picture."""
        return sum(person.received > 0 for person in self.company.people)

    async def end(self) -> None:
        """Hang up, and stop the server."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.company.go()
        await asyncio.to_thread(self.server.stop)


async def run(plan: Plan, settings: Sequence[str], seconds: float, *, is_alone: bool) -> str:
    """Run an evening, and return its line."""
    with tempfile.TemporaryDirectory() as name:
        evening = Evening(Path(name), plan, settings)
        try:
            figures = await evening.measure(seconds)
        except (TimeoutError, EOFError, KeyError) as error:
            told = (Path(name) / "log").read_text().splitlines()
            return f"{plan.people:6} {evening.arrived} came; {error!r}; the log ends: {told[-3:]}"
        finally:
            await evening.end()
    if is_alone and any(each.is_watched for each in evening.company.rounds):
        with tempfile.TemporaryDirectory() as name:
            evening = Evening(Path(name), plan, settings)
            try:
                figures = replace(figures, alone=await evening.bots_alone(seconds))
            finally:
                await evening.end()
    return figures.line()


def _bare() -> str:
    """Return the processor milliseconds of an app that shows a line, the minimum of several."""
    command = [sys.executable, "-m", "tools.bench.arrive", "--only", "bare", "--runs", "15"]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return told.splitlines()[-1].split()[1]


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--people", default="48,200")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--every", type=float, default=2)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--moves", type=float, default=20)
    parser.add_argument("--bots", type=int)
    parser.add_argument("--browser", type=int, default=0, metavar="PERCENT")
    parser.add_argument("--motion", default="on")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--not-alone", action="store_true")
    arguments = parser.parse_args()
    columns, rows = map(int, arguments.size.split("x"))
    _say(f"seed {arguments.seed}, bots {arguments.levels}; a bare app takes {_bare()} ms of a processor")
    _say(HEAD)
    for workers in arguments.workers.split(","):
        for people in map(int, arguments.people.split(",")):
            plan = Plan(
                people, arguments.levels.split(","), arguments.seed, arguments.every, (columns, rows),
                arguments.tables, arguments.moves, arguments.bots, arguments.browser,
            )  # fmt: skip
            for motion in arguments.motion.split(","):
                is_moving = f"motion={'true' if motion == 'on' else 'false'}"
                settings = *WIDE_OPEN, *arguments.set, f"workers={workers}", is_moving
                work = run(plan, settings, arguments.seconds, is_alone=not arguments.not_alone)
                _say(f"{workers:>7} {asyncio.run(work)}, motion {motion}")


if __name__ == "__main__":
    main()
