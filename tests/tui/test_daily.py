"""The deal of the day on the screen: the row that leads there, its table, its match, and what is shared."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.content import Content
from textual.widgets import Static

from kk_core.protocol.messages import OpenDaily, Play
from kk_server.accounts.daily import DailyDeals, DailyStore
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sqlite import open_database
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.screens.daily import DailyScreen, PastDays
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.settings import AppSettings, SessionSettings
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.test_daily import DAY, GAME, NEXT, Days, last_move, play_deal
from tests.server.test_daily import deal as open_deal
from tests.server.test_daily import finish as finish_deal
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import can_act, keys_of, scene_in
from tests.tui.scenes import lines_of

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
async def counted(tmp_path: Path, days: Days, quick_bots: None) -> AsyncIterator[Stage]:
    """A hub at which deals of the day count, though against bots that do not search."""
    database = await open_database(tmp_path / "tables.sqlite")
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, daily=DailyDeals(DailyStore(database), days))
    await hub.load()
    yield Stage(hub, tmp_path / "records")
    await hub.close()
    await database.close()


def page(app: KkApp) -> str:
    return "\n".join(lines_of(app))


async def look_at(app: KkApp, pilot: Running, words: str) -> None:
    """Open the deals of the day, and turn to the game of these tests."""
    await until(
        pilot, lambda: isinstance(app.screen, LobbyScreen | MenuScreen) and "Deal of the day" in page(app)
    )
    await pilot.press("d")
    await until(pilot, lambda: isinstance(app.screen, DailyScreen) and "You play against" in page(app))
    assert isinstance(app.screen, DailyScreen)
    screen = app.screen
    while screen.game != GAME:
        await pilot.press("right")
        await at_rest(pilot)
    # the day may be the same while the table of the game before still stands there
    await until(pilot, lambda: screen._table is not None and screen._table.game == GAME)
    await until(pilot, lambda: words in page(app))
    await at_rest(pilot)  # what is shown or hidden with them is laid out only then


def more(app: KkApp) -> str:
    """What is to be known besides, below the days."""
    return str(app.screen.query_one("#more", Static).render())


async def play_to_the_end(app: KkApp, pilot: Running) -> None:
    while not isinstance(app.screen, ResultScreen):
        await until(pilot, lambda: can_act(app) or isinstance(app.screen, ResultScreen))
        if isinstance(app.screen, ResultScreen):
            return
        scene = scene_in(app)
        ply, move = scene.match.ply, min(scene.legal)
        await app.request(lambda number, ply=ply, move=move: Play(number, 0, ply, move))  # type: ignore[misc]
        await until(pilot, lambda ply=ply: scene_in(app).match.ply > ply)  # type: ignore[misc]
        await pilot.press("a")


async def test_the_row_on_the_first_screen_leads_to_the_deal_and_enter_to_its_match(counted: Stage) -> None:
    async with counted.play(local=False) as (app, pilot):
        await until(pilot, lambda: "the same cards for everybody, once a day" in page(app))
        app.screen.query_one("#daily").focus()
        await at_rest(pilot)
        assert "the deal of the day" in shown(app, "prompt")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen) and "first try counts" in page(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.store.scene is not None)
        table = scene_in(app).table
        assert table.daily is not None
        assert table.daily.counts
        await until(pilot, lambda: "deal of the day" in page(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        asked = " ".join(page(app).replace("│", "").split())
        assert "The match is kept, but it counts only if you finish it by midnight UTC." in asked
        await pilot.press("y")
        await until(pilot, lambda: "one in progress" in page(app))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen) and "go on" in keys_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.store.scene is not None and scene_in(app).table.id == table.id)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_who_has_finished_sees_how_others_fared_and_nobody_else(
    size: tuple[int, int], counted: Stage
) -> None:
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    async with counted.play("anna", local=False, size=size, games=faces()) as (app, pilot):
        await look_at(app, pilot, "1 account has finished it.")
        assert "ben" not in page(app)
        assert "copy to share" not in keys_of(app)
    async with counted.play("ben", local=False, size=size, games=faces()) as (app, pilot):
        await look_at(app, pilot, "1 account has finished it.")
        assert " ben  " in page(app)
        assert "Streak: 1 day" in page(app)
        assert "practice" in keys_of(app)
        assert "SHA-256 of the seed" in more(app)


async def test_the_signs_of_a_match_have_inks_by_what_they_mean(counted: Stage) -> None:
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    async with counted.play("ben", local=False, games=faces()) as (app, pilot):
        await look_at(app, pilot, " ben  ")
        lines = app.screen.query_one("#deal", Static).visual
        assert isinstance(lines, Content)
        inks = {
            lines.plain[span.start]: span.style for span in lines.spans if lines.plain[span.start] in "█▄▁"
        }
        wanted = {"█": "$gold", "▄": "$ink", "▁": "$ink-dim"}
        assert inks
        assert inks.items() <= wanted.items()


async def test_c_copies_four_lines_by_the_terminal(counted: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(KkApp, "copy_to_clipboard", lambda _, words: copied.append(words))
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    async with counted.play("ben", local=False, games=faces()) as (app, pilot):
        await look_at(app, pilot, " ben  ")
        await pilot.press("c")
        await until(pilot, lambda: "Copied" in shown(app, "prompt"))
    (words,) = copied
    head, result, signs, streak = words.splitlines()
    assert head == f"Ku-Ka-King, deal of the day {DAY}"
    assert "points" in result
    assert len(signs) == 8
    assert streak == "Streak: 1 day"


async def test_brackets_page_through_the_days(counted: Stage, days: Days) -> None:
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    days.turn()
    async with counted.play("anna", local=False, games=faces()) as (app, pilot):
        await look_at(app, pilot, NEXT)
        assert "later" not in keys_of(app)
        await pilot.press("[")
        await until(
            pilot, lambda: all(words in page(app) for words in (DAY, " ben  ")) and "Seed: " in more(app)
        )
        await until(pilot, lambda: "play" not in keys_of(app))
        await pilot.press("]")
        await until(pilot, lambda: NEXT in page(app))


async def test_a_day_that_was_paged_to_stays_if_the_choice_of_games_is_told_late(
    counted: Stage, days: Days
) -> None:
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    days.turn()
    async with counted.play("anna", local=False, games=faces()) as (app, pilot):
        await look_at(app, pilot, NEXT)
        screen = app.screen
        assert isinstance(screen, DailyScreen)
        screen.do_earlier()
        screen.on_line_select_changed()
        await until(pilot, lambda: DAY in page(app))
        await at_rest(pilot)
        assert NEXT not in page(app)
        screen.do_later()
        screen.on_line_select_changed()
        await until(pilot, lambda: NEXT in page(app))


async def test_the_end_says_place_and_streak_and_has_no_replay_until_the_day_is_over(counted: Stage) -> None:
    ben = Client(counted.hub.connect("ben"))
    await open_deal(ben)
    await finish_deal(ben, last_move)
    async with counted.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda number: OpenDaily(number, GAME))
        await play_to_the_end(app, pilot)
        await until(pilot, lambda: "Deal of the day: place" in page(app))
        assert "of 2 so far. Streak: 1 day" in page(app)
        keys = keys_of(app)
        assert "copy to share" in keys
        assert "rematch" not in keys
        assert "replay" not in keys
        assert "coach" not in keys
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen) and "anna" in page(app))


async def test_plain_signs_stand_for_blocks_where_a_terminal_has_none(counted: Stage) -> None:
    ben = Client(counted.hub.connect("ben"))
    await play_deal(ben)
    settings = SessionSettings(AppSettings(ascii="on", confirm=False))
    async with counted.play("ben", local=False, games=faces(), settings=settings) as (app, pilot):
        await look_at(app, pilot, " ben  ")
        assert page(app).isascii()


async def test_at_home_the_deal_is_unranked_and_says_so(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: "unranked" in page(app))
        await look_at(app, pilot, "is recorded, just for you")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.store.scene is not None)
        assert scene_in(app).table.daily is not None


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_days_that_one_has_played_are_marked_game_by_game(
    size: tuple[int, int], counted: Stage, days: Days
) -> None:
    ben = Client(counted.hub.connect("ben"))
    points = await play_deal(ben)
    days.turn()
    async with counted.play("ben", local=False, size=size, games=faces()) as (app, pilot):
        await look_at(app, pilot, NEXT)
        lines = app.screen.query_one(PastDays).render().plain.splitlines()
        _heads, *games, _legend = filter(None, lines)  # on high screens they are spaced out
        marks = {line.partition(" ·")[0].strip(): line.split()[-2:] for line in games}
        sign = "■" if points[0] == max(points) else "□"
        assert marks.pop("Ku-Ka-King") == [sign, "○"]
        assert marks.keys() >= {"the card game", "the board game"}
        assert [*marks.values()] == [["·", "○"]] * (len(faces()) - 1)
        assert "Streak: 1 day" in page(app)
        assert "next one in 12 h" in page(app)


async def test_at_home_the_match_of_a_deal_is_no_practice_and_its_result_stays(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await look_at(app, pilot, "Ready to play.")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "deal of the day" in page(app))
        assert "practice" not in page(app)
        await play_to_the_end(app, pilot)
        await until(pilot, lambda: "Deal of the day, unranked. Streak: 1 day." in page(app))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen) and "Your first try:" in page(app))
        assert isinstance(app.screen, DailyScreen)
        assert "1 played" in more(app)
        assert not app.screen.query_one("#lines").display
        assert "copy to share" in keys_of(app)
        days = str(app.screen.query_one("#days", Static).render()).splitlines()
        table = app.screen._table
        assert table is not None
        assert table.own is not None
        share, own = days.index("To share"), days.index("Your results")
        assert days[share + 2] == f"{table.own.points} points"
        (line,) = days[own + 1 :]
        assert line.split()[:2] == [table.day, str(table.own.points)]
        assert ("won" in line) is (table.own.won == 1)
