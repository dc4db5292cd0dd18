"""The app on a terminal: after every key, it shows what Textual has drawn, and is sent no more than that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from random import Random
from typing import NamedTuple, cast

import pytest
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip

from kk_core.protocol.messages import OpenTable, SetBot, Start, TakeSeat
from kk_core.protocol.stream import ClientLink
from kk_core.registry import game_ids
from kk_server.frontend.run_queue import QueuedTurn
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.match.table import TableScreen
from kk_tui.terminal.capabilities import ColourDepth, TerminalKind, kind_of
from kk_tui.terminal.colour import PATTERNS
from kk_tui.terminal.driver import Scheduler, Turn
from kk_tui.terminal.painted_screen import FrameTimer
from kk_tui.terminal.painter import TerminalPainter, Update
from kk_tui.terminal.rows import PartsUpdate
from kk_tui.widgets.board import Board
from tests.core.contract.tables import people_at
from tests.tui.conftest import Running, until
from tests.tui.emulated import ShownApp, settled
from tests.tui.picture import Picture, Terminal, words

TRUE = TerminalKind(ColourDepth.TRUE, has_erase_colour=True)
KEYS = ("right", "left", "up", "down", "tab", "enter", "enter", "l", "s", "c", "question_mark", "escape", "u")
SIZES = ((120, 40), (80, 24), (100, 30))
LARGE = (300, 100)


@asynccontextmanager
async def at_table(game_id: str, kind: TerminalKind) -> AsyncIterator[tuple[ShownApp, Running]]:
    """A match against bots that do not pause."""
    hub = Hub(MemoryLog(), bot_pause=0)
    await hub.load()

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = ShownApp(connect, local=True, kind=kind, terminal=Terminal(*SIZES[0]))
    seats = people_at(game_id)
    async with app.run_test(size=SIZES[0], headless=False) as pilot:
        await until(pilot, lambda: app.user)
        await app.request(lambda n: OpenTable(n, game_id, {}, seats))
        await app.request(lambda n: TakeSeat(n, 0))
        for seat in range(1, seats):
            await app.request(lambda n, s=seat: SetBot(n, s, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        yield app, pilot
    await hub.close()


async def shows_what_was_drawn(
    app: ShownApp, pilot: Running, look: Callable[[Picture], object] = lambda picture: picture
) -> None:
    """The terminal has what Textual has drawn; a late answer may have changed that a moment ago."""
    for _ in range(20):
        if look(app.terminal.picture) == look(app.expected()):
            return
        await settled(app, pilot)
    assert look(app.terminal.picture) == look(app.expected())


async def step(app: ShownApp, pilot: Running, random: Random) -> None:
    """A key, or sometimes another size."""
    if random.random() < 0.08:
        size = random.choice(SIZES)
        app.terminal.resize(*size)
        await pilot.resize_terminal(*size)
    else:
        await pilot.press(random.choice(KEYS))
    await settled(app, pilot)


@pytest.mark.parametrize("game_id", game_ids())
async def test_on_a_random_walk_the_terminal_always_shows_what_was_drawn(game_id: str) -> None:
    random = Random(game_id)
    async with at_table(game_id, TRUE) as (app, pilot):
        await settled(app, pilot)
        for _ in range(25):
            await step(app, pilot, random)
            await shows_what_was_drawn(app, pilot)


@pytest.mark.parametrize("game_id", game_ids())
async def test_a_part_of_a_board_is_drawn_as_in_the_whole(game_id: str) -> None:
    random = Random(game_id)
    async with at_table(game_id, TRUE) as (app, pilot):
        await settled(app, pilot)
        board = app.screen.query_one(Board)
        width, height = board.size
        for _ in range(30):
            (left, right), (top, bottom) = (sorted(random.sample(range(n + 1), 2)) for n in (width, height))
            parts = board.render_lines(Region(left, top, right - left, bottom - top))
            wholes = [board.render_line(y).crop(left, right) for y in range(top, bottom)]
            assert [cells_in(part) for part in parts] == [cells_in(whole) for whole in wholes]


def cells_in(strip: Strip) -> list[tuple[str, Style | None]]:
    """The characters with their styles."""
    return [(character, segment.style) for segment in strip for character in segment.text]


@pytest.mark.parametrize("term", ["xterm-256color", "screen-256color", "xterm", "vt100"])
async def test_other_terminals_show_the_same_characters(term: str) -> None:
    random = Random(term)
    async with at_table("land_cards", kind_of(term, {})) as (app, pilot):
        await settled(app, pilot)
        for _ in range(8):
            await step(app, pilot, random)
            await shows_what_was_drawn(app, pilot, without_patterns)


def without_patterns(picture: Picture) -> list[str]:
    """The characters, with a blank for each that may also cover a ground where there are few colours."""
    return [line.translate(dict.fromkeys(map(ord, PATTERNS), " ")) for line in words(picture)]


@pytest.fixture
def without_previews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked about what the cursor rests on, whose answer comes when it likes."""
    monkeypatch.setattr("kk_tui.match.moves._REST", 3600)


@pytest.mark.usefixtures("without_previews")
async def test_what_is_drawn_again_as_it_was_sends_nothing() -> None:
    async with at_table("land_cards", TRUE) as (app, pilot):
        await settled(app, pilot)
        before = len(app.terminal.sent)
        app.screen.refresh(layout=True)
        await settled(app, pilot)
        assert len(app.terminal.sent) == before


@pytest.mark.usefixtures("without_previews")
async def test_a_terminal_that_says_its_size_again_is_painted_anew() -> None:
    async with at_table("land_cards", TRUE) as (app, pilot):
        await settled(app, pilot)
        before = app.terminal.picture
        app.terminal.feed("\x1b[2J\x1b[31mwhat a shell has written\x1b[5;5H")
        await pilot.resize_terminal(*SIZES[0])
        await settled(app, pilot)
        assert app.size == Size(*SIZES[0])
        assert app.terminal.picture == before


@pytest.mark.usefixtures("without_previews")
async def test_a_very_large_picture_is_drawn_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces: list[list[int]] = []
    take = TerminalPainter.take

    def noted(painter: TerminalPainter, update: Update) -> None:
        if isinstance(update, PartsUpdate) and update.size == LARGE:
            pieces.append([row for row, _, strip in update.parts for _ in range(strip.cell_length)])
        take(painter, update)

    monkeypatch.setattr(TerminalPainter, "take", noted)
    async with at_table("web_of_power", TRUE) as (app, pilot):
        app.terminal.resize(*LARGE)
        await pilot.resize_terminal(*LARGE)
        await settled(app, pilot)
        await shows_what_was_drawn(app, pilot)
    assert max(map(len, pieces)) <= 12_000
    assert {row for piece in pieces for row in piece} == set(range(LARGE[1]))


class Clockwork:
    """A loop whose clock stands unless it is moved on; a timer is called when the loop comes to it."""

    def __init__(self) -> None:
        self.now = 100.0
        self._timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., None], *told: object) -> Clockwork.Timer:
        entry = when, partial(callback, *told)
        self._timers.append(entry)
        return Clockwork.Timer(lambda: self._timers.remove(entry))

    def pass_to(self, now: float) -> None:
        """Come round at this time, and not before."""
        self.now = now
        due = [timer for timer in self._timers if timer[0] <= now]
        self._timers = [timer for timer in self._timers if timer[0] > now]
        for _, callback in due:
            callback()

    class Timer(NamedTuple):
        cancel: Callable[[], None]


@pytest.fixture
def clockwork(monkeypatch: pytest.MonkeyPatch) -> Clockwork:
    found = Clockwork()
    monkeypatch.setattr("asyncio.get_running_loop", lambda: found)
    return found


class LateScheduler(Scheduler):
    """A scheduler whose turns come when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[QueuedTurn] = []

    def run(self, do: Callable[[], None]) -> Turn:
        if self.is_asked:
            return super().run(do)
        self.waiting.append(QueuedTurn(do))
        return self.waiting[-1]

    def draw(self, frame: Callable[[], None]) -> Turn:
        return self.run(frame)

    def come(self) -> None:
        waiting, self.waiting = self.waiting, []
        for turn in waiting:
            turn.take()


def late_frames(clockwork: Clockwork) -> tuple[list[float], LateScheduler, FrameTimer]:
    """Return the times of drawings, and the scheduler and timer that cause them."""
    drawn: list[float] = []
    scheduler = LateScheduler()
    return drawn, scheduler, FrameTimer(lambda: drawn.append(clockwork.now), lambda: scheduler)


def test_a_change_is_drawn_soon_where_nobody_else_shares_the_loop(clockwork: Clockwork) -> None:
    drawn: list[float] = []
    scheduler = Scheduler()
    frames = FrameTimer(lambda: drawn.append(clockwork.now), lambda: scheduler)
    frames.resume()
    clockwork.pass_to(100.005)
    assert drawn == [100.005]
    frames.at_once()
    frames.resume()
    clockwork.pass_to(100.01)
    assert drawn == [100.005]
    clockwork.pass_to(100.025)
    assert drawn == [100.005, 100.025]


def test_what_no_key_asked_for_is_drawn_once_when_its_turn_comes(clockwork: Clockwork) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    frames.resume()
    clockwork.pass_to(100.044)
    frames.resume()
    frames.at_once()
    clockwork.pass_to(100.15)
    assert drawn == []
    scheduler.come()
    assert drawn == [100.15]
    clockwork.pass_to(102)
    scheduler.come()
    assert drawn == [100.15]


def test_what_a_key_asked_for_is_drawn_at_once_whoever_waits_for_their_turn(clockwork: Clockwork) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    frames.resume()
    clockwork.pass_to(100.044)
    scheduler.touched_at = clockwork.now
    frames.at_once()
    assert drawn == [100.044]
    scheduler.come()  # drawn meanwhile
    assert drawn == [100.044]
    frames.resume()
    clockwork.pass_to(100.2)
    assert drawn == [100.044, 100.2]


def test_a_frame_that_a_key_has_drawn_forward_waits_for_no_turn_again(clockwork: Clockwork) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    frames.at_once()
    clockwork.pass_to(100.03)
    scheduler.ask()
    frames.resume()
    scheduler.touched_at -= 60  # the loop is late, or the effect of the key was another one
    clockwork.pass_to(100.2)
    assert len(drawn) == 1
    frames.resume()
    clockwork.pass_to(101)
    assert len(drawn) == 1, "nobody has asked for this one"


def test_once_the_effect_of_a_key_is_drawn_what_others_do_waits_for_its_turn_again(
    clockwork: Clockwork,
) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    scheduler.ask()
    frames.at_once(is_answer=True)
    assert drawn == [100]
    frames.resume()  # something else that the key changes
    clockwork.pass_to(100.04)
    assert len(drawn) == 2
    clockwork.pass_to(100.1)
    frames.resume()
    clockwork.pass_to(100.2)
    assert len(drawn) == 2
    scheduler.come()
    assert drawn[2:] == [100.2]


def test_the_effect_of_a_key_is_no_answer_to_one_that_was_pressed_since(clockwork: Clockwork) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    scheduler.ask()
    frames.at_once()
    frames.at_once(is_answer=True)  # just after a frame, so that it has to wait
    clockwork.pass_to(100.005)
    scheduler.ask()
    clockwork.pass_to(100.02)
    assert len(drawn) == 2
    clockwork.pass_to(100.2)
    assert scheduler.is_asked


def test_an_effect_that_must_wait_for_the_last_frame_is_still_drawn_without_a_turn(
    clockwork: Clockwork,
) -> None:
    drawn, scheduler, frames = late_frames(clockwork)
    scheduler.ask()
    frames.at_once()
    frames.at_once(is_answer=True)
    clockwork.pass_to(100.05)
    assert len(drawn) == 2
    clockwork.pass_to(100.12)
    assert not scheduler.is_asked


async def test_an_app_that_ends_waits_for_no_turn_any_more() -> None:
    scheduler = LateScheduler()
    async with at_table("land_cards", TRUE) as (app, pilot):
        await settled(app, pilot)
        frames = cast("TableScreen", app.screen)._gather
        app.scheduler = vars(frames)["_scheduler"] = scheduler
        app._take_news()
        frames._fire()
        assert [turn.is_waiting for turn in scheduler.waiting] == [True, True]
    assert not any(turn.is_waiting for turn in scheduler.waiting)


@pytest.mark.parametrize("game_id", game_ids())
async def test_a_key_that_moves_a_cursor_is_drawn_before_what_nobody_has_asked_for(game_id: str) -> None:
    async with at_table(game_id, TRUE) as (app, pilot):
        for key in ("down", "up", "right"):
            app.scheduler.touched_at = -inf
            await pilot.press(key)
            assert app.scheduler.touched_at > -inf, key
