"""The cost of the lobby: `python -m tools.bench.lobby [--screens 40] [--tables 60] [--times N]`.

Real apps, one for each of the screens, are in the lobby of one hub in this process, without SSH. Prints for
each kind of event there, as soon as it is known, the processor time that it takes without any screen, and
then the additional time per screen, the bytes that are sent to a screen, and the longest uninterrupted piece
of work of the loop, for which a key has to wait; the time of Python's collector is listed separately. The
last column is the share of the processor that idle screens took just before, which is subtracted. At the end
the same for keys that are pressed on all screens at once. Everything is measured `--times`; by default so
often that it is seen on 400 screens in all, but at most ten times. The first line is for comparison: the
arrival of a Textual app with one line, as in `tools.bench.arrive`.

With `--moves 20` that many moves per second are made at random tables for `--seconds`, and the share of the
processor that this takes is printed for all screens and for none.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from random import Random
from statistics import median
from time import process_time, thread_time
from typing import Any, Final, NamedTuple, cast

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, OpenTable, Say
from kk_core.protocol.stream import ClientLink
from kk_server.frontend.driver import Terminal
from kk_server.frontend.garbage_collection import GarbageCollection
from kk_server.frontend.terminal import HostedApp, make_app
from kk_server.hub.hub import Hub
from kk_server.limits import Limits, ServerLimits
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.table import Table
from tests.server.client import Client
from tools.bench.arrive import Bare, Process, arrive

GAME, SEATS = "ku_ka_king", 2

AFTERWARDS: Final = 0.4
"""Seconds after a pause of the lobby in which the remaining work is done."""

_MARKED: Final = 2.5
"""Seconds for which a changed line is marked: fading is part of its cost."""

_SEEN: Final = 400
_MOST_TIMES: Final = 10
"""An event is measured until so many screens have seen it, at most so many times."""

_WINDOW: Final = 1.0
_WINDOWS: Final = 3
"""Windows of that many seconds in which idle screens are watched; the median counts."""

_SLICE: Final = 0.1
_SLICES: Final = 4
_NOTHING: Final = 0.004
"""Seconds of work, beyond that of idle screens, up to which a slice of time is quiet; after `_SLICES` quiet
ones all work is done.
"""

_MANY: Final = Limits(
    tables=100_000, tables_per_user=100_000, tables_per_address=100_000,
    lines_per_second=100_000, lines_at_once=100_000,
)  # fmt: skip


class Paper:
    """A writer for a terminal that counts the bytes."""

    is_paused = is_closed = False

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: bytes) -> None:
        """Count the bytes."""
        self.bytes += len(data)

    def note_place(self, place: str) -> None:
        """Do nothing, since nobody comes back."""

    def note_typing(self, on: bool) -> None:
        """Do nothing, since nobody has a keyboard on the screen."""

    def on_resume(self) -> None:
        """Do nothing, since nothing is held back."""


class Pieces:
    """The longest round of the loop, in seconds of this thread's processor time, and of Python's collector.

    The collector's time is not part of the round: it runs whenever there are many new objects.
    """

    longest = 0.0
    collector = 0.0
    collected = 0.0
    """Total seconds of the collector."""
    _collected = 0.0
    _begun = 0.0

    def forget(self) -> None:
        """Start over."""
        self.longest = self.collector = 0.0

    def _collecting(self, phase: str, _info: object) -> None:
        if phase == "start":
            self._begun = thread_time()
        else:
            took = thread_time() - self._begun
            self._collected += took
            self.collected += took
            self.collector = max(self.collector, took)

    def watch(self) -> None:
        """Measure every round from now on."""
        gc.callbacks.append(self._collecting)
        run_once = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]

        def timed(loop: object) -> None:
            begun, self._collected = thread_time(), 0.0
            run_once(loop)
            self.longest = max(self.longest, thread_time() - begun - self._collected)

        asyncio.BaseEventLoop._run_once = timed  # type: ignore[attr-defined]


KEYS: Final = {"Down": "\x1b[B", "Home": "\x1b[H", "the help": "?", "back from it": "\x1b"}
"""Keys that are pressed in the lobby, in this order, so that each has an effect."""


class Cost(NamedTuple):
    """The cost of one event: total seconds, bytes for all screens, and seconds of the longest pieces."""

    seconds: float
    bytes: int
    longest: float
    collector: float


class Screen:
    """An app in the lobby."""

    def __init__(self, hub: Hub, number: int, size: tuple[int, int]) -> None:
        self.paper = Paper()
        terminal = Terminal(cast("Any", self.paper), "xterm-256color", size, {}, ServerLimits())
        self._terminal = terminal

        async def connect() -> ClientLink:
            return hub.connect(f"eve{number}")

        self.app: HostedApp = make_app(connect, terminal, None)
        self._running = asyncio.create_task(self.app.run_async(size=size))

    async def drawn(self) -> None:
        """Wait for the first picture."""
        await self._terminal.has_painted.wait()

    def text(self) -> str:
        """Return the text on the screen."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    def press(self, key: str) -> None:
        """Press a key."""
        self._terminal.feed(key.encode())

    async def leave(self) -> None:
        """End the app."""
        self.app.exit()
        await self._running


class Evening:
    """A hub with running matches, and the events there."""

    def __init__(self, hub: Hub, pieces: Pieces) -> None:
        self.hub, self.pieces = hub, pieces
        self.tables: list[Table] = []
        self.opened: list[Table] = []
        self.screens: list[Screen] = []
        self.chance = Random(1)
        self.idle = 0.0
        """Seconds of work per second while nothing happens."""
        self.talker = Client(hub.connect("talker"))

    async def open(self, tables: int) -> None:
        """Open public tables with running matches."""
        for number in range(tables):
            owner = f"p{number}"
            table = await self.hub.open_table(owner, OpenTable(0, GAME, {}, SEATS, f"Table {number}."))
            for seat in range(SEATS):
                await table.take_seat(owner, seat, "")
            await table.start(owner, bytes([number % 256, number // 256]).ljust(32))
            self.tables.append(table)

    async def look(self, screens: int, size: tuple[int, int]) -> None:
        """Bring people to the lobby, each with a screen of a size."""
        for number in range(screens):
            self.screens.append(Screen(self.hub, number, size))
            await self.screens[-1].drawn()
        await self.rest()

    def seen(self, *, is_seen: bool) -> list[Table]:
        """Return the tables that the first screen shows, or those that it does not."""
        text = self.screens[0].text() if self.screens else ""
        return [table for table in self.tables if (f"{table.state.created.title} " in text) is is_seen]

    async def move(self, table: Table) -> None:
        """Make one move in a match, or in a new one if it is over."""
        if table.match is None or not (active := table.match.game.active_seats(table.match.state)):
            self.tables.remove(table)
            await self.open(1)
            return
        legal = table.match.game.legal_moves(table.match.state, active[0])
        await table.play(table.state.owner, active[0], len(table.match.plies), self.chance.choice(legal))

    async def cost(self, event: Callable[[], Awaitable[object]]) -> Cost:
        """Return the cost of an event and everything that follows from it."""
        # the collector is counted apart: what it finds dates from all the work since its last run
        before = sum(screen.paper.bytes for screen in self.screens)
        self.pieces.forget()
        begun, collected = process_time(), self.pieces.collected
        await event()
        in_it = process_time() - begun - (self.pieces.collected - collected)
        after, waited = await self.quiet()
        sent = sum(screen.paper.bytes for screen in self.screens) - before
        took = max(0.0, in_it + after - self.idle * waited)
        return Cost(took, sent, self.pieces.longest, self.pieces.collector)

    async def rest(self) -> None:
        """Give what has begun time to end, and measure how much is done then."""
        # for a fixed time: many screens are never quiet as long as it is not known what they do when idle
        await asyncio.sleep(self._lasting())
        loop, found = asyncio.get_running_loop(), list[float]()
        for _ in range(_WINDOWS):
            begun, collected, start = process_time(), self.pieces.collected, loop.time()
            await asyncio.sleep(_WINDOW)
            worked = process_time() - begun - (self.pieces.collected - collected)
            found.append(worked / (loop.time() - start))
        self.idle = median(found)

    def _lasting(self) -> float:
        """Return the seconds for which an event may be followed by work."""
        return self.hub.lobby.pause() + AFTERWARDS + (_MARKED if self.screens else 0.0)

    async def quiet(self) -> tuple[float, float]:
        """Wait until nothing more is sent or drawn; return the seconds of work, and the seconds elapsed."""
        begun, loop, collected = process_time(), asyncio.get_running_loop(), self.pieces.collected
        quiet, start = 0, loop.time()
        until = start + self._lasting()
        while quiet < _SLICES or loop.time() < until:
            before = process_time()
            await asyncio.sleep(_SLICE)
            quiet = quiet + 1 if process_time() - before < _NOTHING + self.idle * _SLICE else 0
        worked = process_time() - begun - (self.pieces.collected - collected)
        return worked, loop.time() - start

    async def press(self, key: str) -> None:
        """Press a key on every screen."""
        for screen in self.screens:
            screen.press(key)

    async def keys(self, times: int) -> AsyncIterator[tuple[str, list[Cost]]]:
        """Yield the costs of each key as soon as they are known, measured `times` times."""
        for key in KEYS.values():  # what is imported and read for the first time is no part of the cost
            await self.press(key)
            await self.quiet()
        await self.rest()
        found: dict[str, list[Cost]] = {name: [] for name in KEYS}
        for _ in range(times):
            for name, key in KEYS.items():
                found[name].append(await self.cost(partial(self.press, key)))
        for name, costs in found.items():
            yield name, costs

    async def open_one(self) -> None:
        """Open a table."""
        self.opened.append(await self.hub.open_table("p0", OpenTable(0, GAME, {}, SEATS, "One more")))

    async def close_those(self) -> None:
        """Close the tables that were opened only for measuring."""
        while self.opened:
            await self.hub.close_table("p0", self.opened.pop().id)
            await self.quiet()

    async def program(self) -> None:
        """Connect and disconnect a program."""
        program = Client(self.hub.connect("robot"))
        await program.ask(Hello, PROTOCOL_VERSION, True)
        await program.close()

    async def costs(self, times: int) -> AsyncIterator[tuple[str, list[Cost]]]:
        """Yield the costs of each event as soon as they are known, measured `times` times."""
        away, shown = self.seen(is_seen=False), self.seen(is_seen=True)
        unlit = shown[1:] or away  # on the line under the cursor nothing is bold
        events: dict[str, Callable[[int], Awaitable[object]]] = {
            "a move that nobody sees": lambda n: self.move(away[-1 - n % len(away)]),
            "a move near what is seen": lambda n: self.move(away[n % 2]),
            "a move in one line": lambda n: self.move(unlit[n % len(unlit)]),
            "a line of chat": lambda n: self.talker.do(Say, f"This is what is said for the time number {n}."),
            "a table is opened": lambda _: self.open_one(),
            "a program comes, goes": lambda _: self.program(),
        }
        for name, event in events.items():
            await self.rest()
            found = list[Cost]()
            for number in range(times):
                found.append(await self.cost(lambda n=number, event=event: event(n)))  # type: ignore[misc]
                await self.close_those()
            yield name, found

    async def busy(self, moves: float, seconds: float) -> Cost:
        """Make `moves` moves per second for some seconds."""
        before = sum(screen.paper.bytes for screen in self.screens)
        self.pieces.forget()
        begun, loop = process_time(), asyncio.get_running_loop()
        start = loop.time()
        for number in range(round(moves * seconds)):
            await asyncio.sleep(max(0.0, start + number / moves - loop.time()))
            await self.move(self.chance.choice(self.tables))
        sent = sum(screen.paper.bytes for screen in self.screens) - before
        return Cost(process_time() - begun, sent, self.pieces.longest, self.pieces.collector)


def times_for(screens: int) -> int:
    """Return how many times an event is measured that so many screens see."""
    return max(1, min(_MOST_TIMES, _SEEN // max(1, screens)))


async def measure(
    screens: int, tables: int, times: int | None, size: tuple[int, int], busy: tuple[float, float]
) -> None:
    """Measure and print."""
    bare = [await arrive(lambda terminal: Bare(terminal=terminal)) for _ in range(15)]
    _say(f"a bare app that arrives: {1000 * median(took for took, _ in bare[5:]):.1f} ms")
    hub, pieces = Hub(MemoryLog(), limits=_MANY), Pieces()
    await hub.load()
    watching = GarbageCollection(Process())
    watching.start()
    pieces.watch()
    evening = Evening(hub, pieces)
    await evening.open(tables)
    await evening.rest()
    moves, seconds = busy
    if moves:
        alone = await evening.busy(moves, seconds)
        await evening.look(screens, size)
        gc.collect()
        all_ = await evening.busy(moves, seconds)
        _say(f"{moves:g} moves a second at {tables} tables take {alone.seconds / seconds:.1%} of a processor "
             f"where nobody looks, with {screens} screens {all_.seconds / seconds:.1%}; "
             f"the longest piece {1000 * alone.longest:.1f} and {1000 * all_.longest:.1f} ms, "
             f"of the collector {1000 * all_.collector:.1f}; "
             f"{all_.bytes / screens / seconds:.0f} bytes a second for each screen")  # fmt: skip
    else:
        _say(f"{tables} tables, and nobody who looks")
        _say(f"{'':>24} {'ms':>12} {'idle':>7}")
        fixed = dict[str, float]()
        async for name, found in evening.costs(times or times_for(0)):
            fixed[name] = median(cost.seconds for cost in found)
            _say(f"{name:>24} {1000 * fixed[name]:12.2f} {evening.idle:7.1%}")
        await evening.look(screens, size)
        gc.collect()
        _say(f"{screens} screens of {size[0]}x{size[1]}")
        _say(f"{'':>24} {'ms a screen':>12} {'bytes':>8} {'longest ms':>11} {'collector':>11} {'idle':>7}")
        times = times or times_for(screens)
        for measured in (evening.costs(times), evening.keys(times)):
            async for name, found in measured:
                each = (median(cost.seconds for cost in found) - fixed.get(name, 0.0)) / screens
                sent = sum(cost.bytes for cost in found) / len(found) / screens
                longest = 1000 * max(cost.longest for cost in found)
                collector = 1000 * max(cost.collector for cost in found)
                line = f"{name:>24} {1000 * each:12.3f} {sent:8.0f} {longest:11.1f} {collector:11.1f}"
                _say(f"{line} {evening.idle:7.1%}")
    for screen in evening.screens:
        await screen.leave()
    await evening.talker.close()
    await watching.stop()
    await hub.close()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screens", type=int, default=40)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--times", type=int)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--moves", type=float, default=0)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    columns, rows = map(int, given.size.split("x"))
    if given.tables < 2 * rows:
        parser.error(
            f"--tables {given.tables}: at least {2 * rows} are needed, so that some are out of sight"
        )
    asyncio.run(
        measure(given.screens, given.tables, given.times, (columns, rows), (given.moves, given.seconds))
    )


if __name__ == "__main__":
    main()
