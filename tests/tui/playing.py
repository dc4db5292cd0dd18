"""Ways to a table, and what its screen shows, for tests that play through the app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from kk_core.match import Match
from kk_core.protocol.messages import GoTo, OpenTable, SetBot, Start, TakeSeat
from kk_core.record import record_of
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Created, Entry, Moved, SeatHolder, Started
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.table import Table
from kk_tui.app import KkApp
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.board import Board
from kk_tui.widgets.lines import Lines
from tests.tui.conftest import Running, Stage, at_rest, until


async def begin(app: KkApp, pilot: Running, *, humans: int = 1) -> None:
    """From the menu through the form to the table, by keys: humans first, then as few bots as possible."""
    await pilot.press("n")
    await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
    least = next(iter(app.faces.values())).meta.min_seats
    app.screen.query_one("#count").focus()
    await pilot.press(*["right"] * (humans - least))
    for seat in range(1, humans):
        app.screen.query_one(f"#kind-{seat}").focus()
        await pilot.press("left")
    await pilot.press("g")
    await until(pilot, lambda: isinstance(app.screen, TableScreen | HandoverDialog))


async def open_table(stage: Stage, number: int) -> Table:
    """Open a table with a number, of a host of its own."""
    wish = OpenTable(0, stage.game, {}, stage.seats, f"Number {number}.")
    return await stage.hub.open_table(f"host {number}", wish)


async def sit_down(app: KkApp, game: str, seats: int, *mine: int) -> None:
    """Open a table at a server, take some seats, put bots on the others, and start."""
    await app.request(lambda n: OpenTable(n, game, {}, seats))
    for seat in range(seats):
        if seat in mine:
            await app.request(lambda n, seat=seat: TakeSeat(n, seat))  # type: ignore[misc]
        else:
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
    await app.request(Start)


@asynccontextmanager
async def beside_one_who_is_away(
    stage: Stage, app: KkApp, pilot: Running, game: str
) -> AsyncIterator[Scene[Any]]:
    """A match of the app's user, on seat 0, and somebody who never answers on all the others."""
    seats = app.faces[game].meta.min_seats
    await app.request(lambda n: OpenTable(n, game, {}, seats))
    await app.request(lambda n: TakeSeat(n, 0))
    assert app.store.table is not None
    away = stage.hub.connect("away")
    await away.send(GoTo(1, app.store.table.id))
    for seat in range(1, seats):
        await away.send(TakeSeat(1 + seat, seat))
    await until(pilot, lambda: app.store.table and all(seat.owner for seat in app.store.table.seats))
    await app.request(Start)
    await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.store.scene)
    yield scene_in(app)
    await away.close()


async def hub_at(match: Match, *, hints: bool = False) -> Hub:
    """A hub that finds a table with this match in its log; user names are the names in small letters."""
    record, log = record_of(match), MemoryLog()
    seats = tuple(SeatHolder(name=name, owner=name.lower()) for name in match.seats)
    rules = await log.keep_data(match.game.rules_data)
    entries: list[Entry] = [
        Created("", seats[0].owner or "", record.game, record.options, len(seats)),
        Started(record.seed, record.rules_version, seats, rules),
        *(Moved(line) for line in record.moves),
    ]
    for revision, entry in enumerate(entries):
        await log.append("table", revision, entry)
    hub = Hub(log, bot_pause=0, hints=hints)
    await hub.load()
    return hub


@asynccontextmanager
async def at_table(
    match: Match, folder: Path, screen: type[KkScreen] | None = None, *, hints: bool = False, **more: Any
) -> AsyncIterator[tuple[KkApp, Running]]:
    """The app of Anna, at a table with this match; `screen` where neither table nor result is shown."""
    expected = screen or (ResultScreen if match.is_over else TableScreen)
    hub = await hub_at(match, hints=hints)
    async with Stage(hub, folder).play("anna", local=False, **more) as (app, pilot):
        if app.store.lobby is not None:  # of who plays in no match that goes on
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, expected))
        assert isinstance(app.screen, KkScreen)
        app.screen.take_back()  # that one is back, which lies over the prompt
        await at_rest(pilot)
        yield app, pilot
    await hub.close()


def scene_in(app: KkApp) -> Scene[Any]:
    """What the app shows."""
    assert app.store.scene is not None
    return app.store.scene


def board_in(app: KkApp) -> Any:
    """The board of the table in front."""
    return app.screen.query_one(Board)


def can_act(app: KkApp) -> bool:
    """Whether the table in front waits for a move of this user."""
    scene = app.store.scene
    return (
        isinstance(app.screen, TableScreen)
        and scene is not None
        and scene.may_act
        and not app.screen.mover.pending
    )


def is_over(app: KkApp) -> bool:
    """Whether the result is in front."""
    return isinstance(app.screen, ResultScreen)


def keys_of(app: KkApp) -> str:
    """The footer of the screen in front."""
    return app.screen.query_one(KeyBar).render_line(0).text


def beside(app: KkApp) -> str:
    """The words beside the board, without what breaks them into lines."""
    return "".join(str(part.render()) for part in app.screen.query(Lines)).replace("\n", "")
