"""The cost of an arrival: `python -m tools.bench.arrive [--runs 40] [--only bare]`.

Everything runs in this process, without SSH: an app is created for a terminal of 80x24, mounted, styled, laid
out and drawn, at a table of the card game, in the lobby, and, for comparison, with nothing of ours but a
screen with one line of text. Prints the processor time of each in milliseconds, the minimum and the median,
and the median in units of a fixed piece of work that is done before and after each: these units are
comparable even on a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
from collections.abc import Callable, Collection
from statistics import median
from time import process_time
from typing import Any, cast

from textual.app import ComposeResult
from textual.widgets import Static

from kk_core.protocol.messages import OpenTable
from kk_core.protocol.stream import ClientLink
from kk_server.frontend.driver import Terminal
from kk_server.frontend.garbage_collection import GarbageCollection
from kk_server.frontend.terminal import HostedApp, make_app
from kk_server.hub.hub import Hub
from kk_server.limits import ServerLimits
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.table import Table
from kk_tui.terminal.driver import AnswerParser

SIZE = (80, 24)
GAME, SEATS = "land_cards", 4

QUIET = 0.08
"""Seconds after the first picture in which the remaining work is done."""


class Paper:
    """A writer for a terminal that discards everything."""

    is_paused = is_closed = False

    def write(self, data: bytes) -> None:
        """Discard the bytes."""

    def note_place(self, place: str) -> None:
        """Do nothing, since nobody comes back."""

    def note_typing(self, on: bool) -> None:
        """Do nothing, since nobody has a keyboard on the screen."""

    def on_resume(self) -> None:
        """Do nothing, since nothing is held back."""


class Bare(HostedApp):
    """A Textual app with a line of text."""

    ANSWERS = ()

    def compose(self) -> ComposeResult:
        """Create the line."""
        yield Static("here")

    def input_parser(self) -> AnswerParser:
        """Return a parser for the driver."""
        return AnswerParser()

    def questions(self, _term: str) -> str:
        """Return no questions."""
        return ""

    def paint(self) -> None:
        """Do nothing, since Textual has written it."""


class Process:
    """The process as the collector sees it, in which people arrive and nobody leaves."""

    ended = 0
    heard = 0.0
    present = 1


async def arrive(make: Callable[[Terminal], HostedApp]) -> tuple[float, float]:
    """Start and end an app; return the seconds, and the units of work."""
    terminal = Terminal(cast("Any", Paper()), "xterm-256color", SIZE, {}, ServerLimits())
    before, begun = work(), process_time()
    app = make(terminal)
    running = asyncio.create_task(app.run_async(size=SIZE))
    await terminal.has_painted.wait()
    await asyncio.sleep(QUIET)
    took = process_time() - begun
    unit = (before + work()) / 2
    app.exit()
    await running
    return took, took / unit


def work() -> float:
    """Return the seconds of a fixed piece of work, about as much as a key press takes."""
    begun = process_time()
    gc.disable()  # a collection would be part of the yardstick
    for _ in range(10):
        named = {str(number): [number] for number in range(700)}
        "".join(sorted(named))
    gc.enable()
    return process_time() - begun


async def table_of(hub: Hub, number: int) -> Table:
    """Return a table with a running match; the first seat is that of `p0`, `p1` ..."""
    owner = f"p{number}"
    table = await hub.open_table(owner, OpenTable(0, GAME, {}, SEATS))
    for seat in range(SEATS):
        await table.take_seat(f"{owner}x{seat}" if seat else owner, seat, "")
    await table.start(owner)
    return table


async def measure(runs: int, only: Collection[str]) -> None:
    """Measure and print all kinds of arrivals, or some."""
    hub = Hub(MemoryLog())
    await hub.load()
    watching = GarbageCollection(Process())
    watching.start()

    def at(user: str, table: Table | None) -> Callable[[Terminal], HostedApp]:
        async def connect() -> ClientLink:
            return hub.connect(user, place=table)

        return lambda terminal: make_app(connect, terminal, None)

    _say(f"{'':>10} {'least':>8} {'median':>8} {'in units of work':>18}")
    tables = [await table_of(hub, number) for number in range(8)]
    kinds: dict[str, Callable[[int], Callable[[Terminal], HostedApp]]] = {
        "bare": lambda _: lambda terminal: Bare(terminal=terminal),
        "table": lambda number: at(f"p{number % 8}", tables[number % 8]),
        "lobby": lambda number: at(f"q{number}", None),
    }
    for name, kind in kinds.items():
        if only and name not in only:
            continue
        for number in range(5):  # the first ones fill caches shared by all
            await arrive(kind(number))
        found = [await arrive(kind(number)) for number in range(runs)]
        seconds, units = [took for took, _ in found], [of_work for _, of_work in found]
        _say(f"{name:>10} {1000 * min(seconds):8.1f} {1000 * median(seconds):8.1f} {median(units):18.1f}")
    await watching.stop()
    await hub.close()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--only", action="append", choices=("bare", "table", "lobby"), default=[])
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.runs, arguments.only))


if __name__ == "__main__":
    main()
