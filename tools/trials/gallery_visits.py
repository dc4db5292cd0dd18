"""Visits to the app on an emulator, with a match at a chosen position."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from kk_core.match import Match
from kk_core.protocol.stream import ClientLink
from kk_core.record import Record, record_of
from kk_core.registry import game
from kk_core.search.arena import plies, seed_of
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Created, Entry, Moved, SeatHolder, Started
from kk_server.storage.memory_log import MemoryLog
from kk_tui import press_guard
from kk_tui.games import Face, faces
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Step
from kk_tui.settings import AppSettings, SessionSettings
from kk_tui.terminal.capabilities import ColourDepth, TerminalKind
from tests.tui.conftest import Running, until
from tests.tui.emulated import ShownApp, settled
from tests.tui.picture import Terminal

PEOPLE: Final = ("Anna", "Beate", "Maximilian", "Dora", "Emil")
_HOUR: Final = 3600.0


class NoSuchMoment(Exception):
    """The game has nothing that a picture is to show."""


@dataclass(frozen=True)
class Start:
    """The situation when the app starts.

    `stop` picks the ply at which the match is; None means no match at all. With `is_home` there is the menu,
    and Anna has the first two seats and bots the rest; at a server she has one, and all others but the last
    are online. With `plays` the last move is made at the table. `more` are tables of others, or at home
    further matches like this one.
    """

    stop: str | None = None
    is_home: bool = False
    plays: bool = False
    more: int = 0


@dataclass(frozen=True)
class Course:
    """A whole match of bots: its record, and after each ply the active seats, scorings and reveals so far."""

    record: Record
    names: tuple[str, ...]
    active: tuple[tuple[int, ...], ...]
    scorings: tuple[int, ...]
    reveals: tuple[int, ...]

    def ply(self, stop: str) -> int:
        """Return the number of plies before a stop."""
        end = len(self.active) - 1
        if stop == "over":
            return end
        if stop in ("interim", "reveal"):
            counts = self.scorings if stop == "interim" else self.reveals
            first = 1 if stop == "interim" else 3
            return _first(ply for ply, n in enumerate(counts) if n >= first)
        at = {"start": 0, "middle": end * 6 // 10, "late": end * 9 // 10}[stop]
        return _first(ply for ply in range(at, end) if 0 in self.active[ply])


def _first(plies: Iterator[int]) -> int:
    """Return the first such ply. Raises `NoSuchMoment` for a game without such a moment."""
    found = next(plies, None)
    if found is None:
        raise NoSuchMoment
    return found


@cache
def course(game_id: str) -> Course:
    """Return the match that all pictures of a game show, with as many people as it allows."""
    rules = game(game_id)
    names = PEOPLE[: rules.meta.max_seats]
    match = Match(rules, {}, names, seed_of("gallery", 1))
    is_secret = len(rules.active_seats(match.state)) > 1

    def now() -> tuple[tuple[int, ...], int, int]:
        state = match.state
        return rules.active_seats(state), rules.scorings(state), rules.turn(state) if is_secret else 0

    seen = [now(), *(now() for _ in plies(match, ["greedy"] * len(names)))]
    return Course(record_of(match), names, *map(tuple, zip(*seen, strict=True)))


async def _hub(start: Start, game_id: str) -> tuple[Hub, str]:
    """Return a hub with the table, and the line of the move that is still to be made."""
    log, line = MemoryLog(), ""
    if start.stop is not None:
        went = course(game_id)
        moves = list(went.record.moves[: went.ply(start.stop)])
        line = moves.pop() if start.plays else ""
        for number in range(1 + start.more):
            for revision, entry in enumerate(await _entries(log, went, game_id, moves, start, number)):
                await log.append(f"table-{number}" if number else "table", revision, entry)
    hub = Hub(log, bot_pause=_HOUR, hints=True)
    await hub.load()
    return hub, line


async def _entries(
    log: MemoryLog, went: Course, game_id: str, moves: Sequence[str], start: Start, number: int
) -> list[Entry]:
    owners = [name.lower() for name in went.names]
    if number and not start.is_home:
        owners = [f"{owner}-{number}" for owner in owners]
    seats = [SeatHolder(name, owner) for name, owner in zip(went.names, owners, strict=True)]
    if start.is_home:
        seats[1:] = [
            SeatHolder(went.names[1], owners[0]),
            *(SeatHolder(name, bot="easy") for name in went.names[2:]),
        ]
    record = went.record
    rules = await log.keep_data(game(game_id).rules_data)
    return [
        Created("", owners[0], game_id, record.options, len(seats), hints=True),
        Started(record.seed, record.rules_version, tuple(seats), rules),
        *map(Moved, moves),
    ]


@dataclass(frozen=True)
class Visit:
    """Anna's app in pictures of a game."""

    game: str
    app: ShownApp
    pilot: Running
    hub: Hub
    line: str
    """The move that is still to be made."""

    @property
    def terminal(self) -> Terminal:
        """The emulator that she looks at."""
        return self.app.terminal

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until a condition holds."""
        await until(self.pilot, condition)

    async def press(self, *keys: str) -> None:
        """Press keys, each after everything is drawn."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def settle(self) -> None:
        """Wait until everything is drawn."""
        await settled(self.app, self.pilot)

    async def resize(self, width: int, height: int) -> None:
        """Resize the terminal."""
        self.terminal.resize(width, height)
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    async def play(self) -> None:
        """Make the move that is still to be made."""
        table = self.hub.tables["table"]
        match = table.state.match
        assert match is not None, "there is one"
        seat, _, notation = self.line.partition(" ")
        owner = table.state.seats[int(seat)].owner or ""
        await table.play(owner, int(seat), len(match.plies), match.game.parse_move(notation))


@asynccontextmanager
async def visit(
    start: Start, game_id: str, size: tuple[int, int], settings: AppSettings
) -> AsyncIterator[Visit]:
    """Start the app, and wait for its first screen."""
    hub, line = await _hub(start, game_id)
    people = () if start.is_home or start.stop is None else course(game_id).names
    others = [hub.connect(name.lower()) for name in people[1:-1]]

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = ShownApp(
        connect,
        local=start.is_home,
        kind=TerminalKind(ColourDepth.TRUE, has_erase_colour=True),
        terminal=Terminal(*size),
        settings=SessionSettings(settings),
        games={name: _slow(face) for name, face in faces().items()},
    )
    with _quick_hand():
        async with app.run_test(size=size, headless=False) as pilot:
            here = Visit(game_id, app, pilot, hub, line)
            await here.until(lambda: app.store.place is not None and app.user)
            yield here
    for link in others:
        await link.close()
    await hub.close()


@contextmanager
def _quick_hand() -> Iterator[None]:
    """Accept every key as intended, however short the screen has been shown."""
    with patch.object(press_guard, "SEEN", 0.0), patch.object(press_guard, "BURST", 0.0):
        yield


def _slow(face: Face[Any]) -> Face[Any]:
    """Return the same face with scorings that wait for a key."""

    def scoring_animation(before: Scene[Any], after: Scene[Any]) -> Sequence[Step]:
        return [replace(step, seconds=_HOUR) for step in face.scoring_animation(before, after)]

    return replace(face, scoring_animation=scoring_animation)
