"""The cost of a game on the line and at the server: `python -m tools.bench.frames GAME [--size 120x40]`.

One person plays a match against bots, with keys sent by OpenSSH's `ssh` to the server in this process. Prints
bytes and milliseconds of processor time for each kind of event, as median, 90 % and maximum. `--plain` lets
Textual write its frames itself; `--term` and `--colorterm` choose the terminal.

With `--motion STEPS` two people watch that many random steps instead, and one of them sees the motion. Prints
the bytes and frames of a step for both, and how many more the motion costs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from rich.console import COLOR_SYSTEMS

from kk_core.protocol.stream import ClientLink
from kk_core.registry import game, game_ids
from kk_server.frontend.driver import Terminal
from kk_server.frontend.terminal import HostedApp, HostedKkApp, MakeApp, make_app
from kk_server.serve.server import Server, start
from kk_server.tables.table import Table
from kk_tui.match.table import TableScreen
from kk_tui.settings import SettingsStore, changed
from kk_tui.terminal.capabilities import kind_of
from kk_tui.terminal.driver import PaintedApp
from kk_tui.terminal.painted_screen import PaintedScreen
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tools.bench.terminal import QUIET, Guest

USER = "~anna"
"""A guest, who connects without a key."""
BRISK = 0.1
"""Seconds of rest between keys that come too fast for a question about the move under the cursor."""

ARROWS = ("\x1b[C", "\x1b[C", "\x1b[B", "\x1b[D", "\x1b[A", "\x1b[C")


def make_still_app(
    connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal, settings: SettingsStore | None
) -> HostedKkApp:
    """Create the app without scorings and questions, which would count as work of keys and bots."""
    app = make_app(connect, terminal, settings)
    app.settings = changed(app.settings, motion="off", confirm=False)
    return app


class Host:
    """A server on a thread of its own, with a table where the user has a seat."""

    def __init__(self, data: Path, make: MakeApp = make_still_app) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.server: Server = self.wait(start(here(data, limits=PLENTY), make))
        self._clock = time.pthread_getcpuclockid(self._thread.ident or 0)

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Wait for the result of work on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    @property
    def spent(self) -> float:
        """The server's seconds of processor time so far."""
        return time.clock_gettime(self._clock)

    async def deal(self, game_id: str) -> Table:
        """Begin a match between the user and bots."""
        client = Client(self.server.hub.connect(USER))
        seats = max(game(game_id).meta.min_seats, min(3, game(game_id).meta.max_seats))
        table = await client.open(game_id, seats)
        await client.sit(0)
        await client.seat_bots(*range(1, seats), bot="greedy")
        await client.start()
        await client.close()
        return self.server.hub.tables[table]

    async def play_any(self, table: Table) -> None:
        """Make a legal move for the user, without keys."""
        client = Client(self.server.hub.connect(USER))
        await client.go_to(table.id)
        await client.look(0)
        await client.until(lambda seen: seen.observation.legal_moves)
        await client.play(0, client.observation.legal_moves[0])
        await client.close()


def call(port: int, size: tuple[int, int], term: str, colorterm: str, user: str = USER) -> Guest:
    """Return the command of OpenSSH's `ssh`, without a key."""
    options = (
        "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR",
        "PubkeyAuthentication=no", "SendEnv=COLORTERM LANG",
    )  # fmt: skip
    command = ["ssh", "-tt", "-p", str(port), *(word for option in options for word in ("-o", option))]
    environment = {**os.environ, "TERM": term, "COLORTERM": colorterm, "LANG": "C.UTF-8"}
    return Guest([*command, f"{user}@127.0.0.1"], size, environment, Path.cwd())


class Bench:
    """A player that records the figures."""

    def __init__(self, host: Host, guest: Guest, table: Table) -> None:
        self._host, self._guest, self._table = host, guest, table
        self._figures: dict[str, list[tuple[int, float]]] = defaultdict(list)

    def measure(self, kind: str | None, keys: str = "", patience: float = 0.6, quiet: float = QUIET) -> int:
        """Press keys and measure bytes and time until all is quiet; record the figures if a kind is given."""
        spent = self._host.spent
        self._guest.type(keys)
        received = self._guest.settle(patience, quiet)
        if kind is not None and (received or kind.startswith("idle")):
            self._figures[kind].append((received, (self._host.spent - spent) * 1000))
        return received

    @property
    def _is_over(self) -> bool:
        match = self._table.state.match
        return match is None or match.is_over

    @property
    def _may_act(self) -> bool:
        match = self._table.state.match
        return match is not None and 0 in match.game.active_seats(match.state)

    def play(self, turns: int) -> None:
        """Play a match, or `turns` moves of the user."""
        done = 0
        while not self._is_over and done < turns:
            if self._may_act:
                if done % 6 == 0:
                    self._look_around()
                self._move()
                done += 1
            else:
                self._follow()

    def _look_around(self) -> None:
        for key in ARROWS:
            self.measure("cursor move", key)
        for key in ARROWS:
            self.measure("cursor in motion", key, quiet=BRISK)
        self._guest.settle()
        self.measure("dialogue opened", "?", quiet=0.4)
        self.measure("dialogue closed", "\x1b", quiet=0.4)
        self.measure("idle second", patience=1.0)
        columns, rows = self._guest.size
        self._guest.resize(columns, rows - 1)
        self.measure(None, patience=1.0, quiet=0.4)
        self._guest.resize(columns, rows)
        self.measure("new size", patience=1.0, quiet=0.4)

    def _move(self) -> None:
        """Press Enter on possible choices until the match continues."""
        before = self._table.state.revision
        self.measure("cursor move", "\t")
        for _ in range(4):
            spent = self._host.spent
            self._guest.type("\r")
            received = self._guest.settle()
            if self._table.state.revision > before:
                if self._table.state.revision == before + 1:
                    self._figures["own move"].append((received, (self._host.spent - spent) * 1000))
                return
        self._host.wait(self._host.play_any(self._table))
        self._guest.settle()

    def _follow(self) -> None:
        """Let a bot make one step."""
        before, spent = self._table.state.revision, self._host.spent
        received = 0
        while self._table.state.revision == before and not self._may_act and not self._is_over:
            received += self._guest.settle(0.02, 0.02)
        received += self._guest.settle(0.1, 0.1)
        if self._table.state.revision == before + 1:
            self._figures["bot's step"].append((received, (self._host.spent - spent) * 1000))

    def report(self) -> None:
        """Print a line for each kind."""
        head = f"{'':18}{'n':>5}{'bytes: median':>15}{'90 %':>8}{'most':>8}"
        print(head + f"{'ms: median':>12}{'90 %':>7}{'most':>7}")  # noqa: T201
        for kind, figures in self._figures.items():
            sizes, times = (sorted(column) for column in zip(*figures, strict=True))
            size = "".join(f"{_at(sizes, part):{wide}.0f}" for part, wide in ((0.5, 15), (0.9, 8), (1, 8)))
            took = "".join(f"{_at(times, part):{wide}.1f}" for part, wide in ((0.5, 12), (0.9, 7), (1, 7)))
            print(f"{kind:18}{len(figures):5}{size}{took}")  # noqa: T201


def _at(ordered: list[Any], part: float) -> float:
    return float(ordered[min(len(ordered) - 1, int(part * len(ordered)))])


# -- motion --------------------------------------------------------------------------------------------------

WATCHERS = ("~still", "~moved")
"""Guests who watch the same match: without motion, and with it."""

TITLE = "bench"
PAUSE = 0.6
"""Seconds without a frame after which a step is finished; longer than a frame of a motion is shown."""


@dataclass
class Watcher:
    """A watcher's terminal: the app on it, and the frames that were sent to it."""

    app: HostedKkApp
    sizes: list[int]

    @property
    def is_at_rest(self) -> bool:
        """True while nothing is animated."""
        screen = self.app.screen
        return isinstance(screen, TableScreen) and not (
            screen.scoring_player.is_playing or screen.motion.is_playing
        )


class Gallery:
    """A table at which one program has all seats, with two watchers."""

    def __init__(self, data: Path) -> None:
        self.watchers: list[Watcher] = []
        self.host = Host(data, self._make)
        self._client: Client

    def _make(
        self, connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal, kept: SettingsStore | None
    ) -> HostedKkApp:
        # one after the other, in the order of `WATCHERS`
        terminal.has_motion = bool(self.watchers)
        app, sizes, send = make_app(connect, terminal, kept), list[int](), terminal.writer.write
        app.settings = changed(app.settings, motion="timed")

        def write(data: bytes) -> None:
            sizes.append(len(data))
            send(data)

        terminal.writer.write = write  # type: ignore[method-assign]
        self.watchers.append(Watcher(app, sizes))
        return app

    async def deal(self, game_id: str) -> None:
        """Begin a match of a program that has all seats."""
        meta = game(game_id).meta
        seats = max(meta.min_seats, min(3, meta.max_seats))
        self._client = Client(self.host.server.hub.connect("anna"))
        await self._client.open(game_id, seats, title=TITLE)
        await self._client.sit(*range(seats))
        await self._client.start()

    async def step(self, chance: Random) -> bool:
        """Make a random move; return False once the match is over."""
        client = self._client
        await client.until(lambda seen: seen.match is not None)
        active = client.observation.active
        if not active:
            return False
        await client.look(active[0])
        await client.play(active[0], chance.choice(client.observation.legal_moves))
        return True

    def settle(self, guests: Sequence[Guest]) -> None:
        """Wait until both watchers have seen everything to its end."""
        quiet = 0.0
        while quiet < PAUSE or not all(watcher.is_at_rest for watcher in self.watchers):
            received = sum(guest.settle(0.05, 0.05) for guest in guests)
            quiet = 0.0 if received else quiet + 0.1


def watch(game_id: str, size: tuple[int, int], term: str, colorterm: str, steps: int) -> None:
    """Show random steps to both watchers, and print what was sent to each of them."""
    with tempfile.TemporaryDirectory() as folder:
        gallery, chance = Gallery(Path(folder)), Random(1)
        host = gallery.host
        host.wait(gallery.deal(game_id))
        guests = []
        for user in WATCHERS:
            guests.append(call(host.server.port, size, term, colorterm, user))
            guests[-1].until(lambda screen: TITLE in screen)
            guests[-1].until(lambda screen: "score sheet" in screen, f"/watch {TITLE}\r")
        seen: list[tuple[list[int], ...]] = []
        gallery.settle(guests)
        for _ in range(steps):
            before = [len(watcher.sizes) for watcher in gallery.watchers]
            if not host.wait(gallery.step(chance)):
                break
            gallery.settle(guests)
            sent = [watcher.sizes[first:] for watcher, first in zip(gallery.watchers, before, strict=True)]
            if any(sent):
                seen.append(tuple(sent))
        for guest in guests:
            guest.close()
        host.wait(host.server.close())
    report_motion(seen)


def report_motion(seen: Sequence[tuple[list[int], ...]]) -> None:
    """Print the bytes and frames of a step without motion and with it, and the difference."""
    moved = [(still, moving) for still, moving in seen if len(moving) > len(still)]
    print(f"{len(seen)} steps, {len(moved)} of which are seen moving; of these:")  # noqa: T201
    print(f"{'':18}{'bytes: median':>15}{'90 %':>8}{'most':>8}{'frames: median':>16}{'most':>6}")  # noqa: T201
    for kind, bytes_of, frames_of in (
        ("without motion", [sum(still) for still, _ in moved], [len(still) for still, _ in moved]),
        ("with it", [sum(moving) for _, moving in moved], [len(moving) for _, moving in moved]),
        (
            "motion adds",
            [sum(moving) - sum(still) for still, moving in moved],
            [len(moving) - len(still) for still, moving in moved],
        ),
    ):
        sizes, frames = sorted(bytes_of), sorted(frames_of)
        size = "".join(f"{_at(sizes, part):{wide}.0f}" for part, wide in ((0.5, 15), (0.9, 8), (1, 8)))
        print(f"{kind:18}{size}{_at(frames, 0.5):16.0f}{frames[-1]:6}")  # noqa: T201


def take_painter_away() -> None:
    """Let Textual draw and write by itself, in as many colours as the terminal has."""

    def colour(self: HostedApp) -> None:
        as_ever(self)
        depth = kind_of(self.terminal.kind, self.terminal.environment).depth.value
        self.console._color_system = COLOR_SYSTEMS[depth] if depth else None

    as_ever = HostedApp._draw_in_colour
    HostedApp._draw_in_colour = colour  # type: ignore[assignment, method-assign]
    PaintedApp.paint = lambda self: None  # type: ignore[method-assign]
    PaintedApp.paint_with = lambda self, kind, colours: None  # type: ignore[method-assign]
    for name in ("_background_screens", "_display", "on_event", "_set_pointer_shape"):
        delattr(PaintedApp, name)
    for name in ("__init__", "_update_timer", "_on_timer_update", "_compositor_refresh", "_on_screen_resume",
                 "_refresh_layout"):  # fmt: skip
        delattr(PaintedScreen, name)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.frames")
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--turns", type=int, default=1000, help="end after so many own moves")
    parser.add_argument("--term", default="xterm-256color")
    parser.add_argument("--colorterm", default="truecolor")
    parser.add_argument(
        "--motion", type=int, metavar="STEPS", help="watch so many steps, with motion and without"
    )
    parser.add_argument("--plain", action="store_true", help="let Textual write its frames itself")
    given = parser.parse_args()
    if given.plain:
        take_painter_away()
    columns, rows = map(int, given.size.split("x"))
    if given.motion:
        watch(given.game, (columns, rows), given.term, given.colorterm, given.motion)
        return
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder))
        table = host.wait(host.deal(given.game))
        guest = call(host.server.port, (columns, rows), given.term, given.colorterm)
        guest.until(lambda screen: " log " in screen.splitlines()[-1])
        guest.settle()
        bench = Bench(host, guest, table)
        bench.play(given.turns)
        bench.report()
        guest.close()
        host.wait(host.server.close())


if __name__ == "__main__":
    main()
