"""A lesson on the screen: what is said, what is lit, how it is begun, left and gone on with."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from kk_core.protocol.messages import GoTo, Lessons, OpenLesson, Play
from kk_core.registry import game_ids, has_lesson
from kk_core.text import Text
from kk_core.views import LessonView
from kk_tui.app import KkApp
from kk_tui.client.client import Client
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import GameCard, LessonRow
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.result import ResultScreen
from kk_tui.screens.table import TableScreen
from kk_tui.widgets.form import LineButton, LineSelect
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import beside, board_in, can_act, keys_of, scene_in

GAMES = [game_id for game_id in faces() if has_lesson(game_id)]

each = pytest.mark.parametrize("game_id", GAMES)

SIZES = [(80, 24), (80, 23), (120, 40)]


def lesson_in(app: KkApp) -> LessonView:
    lesson = scene_in(app).table.lesson
    assert lesson is not None
    return lesson


async def learn(app: KkApp, pilot: Running, game_id: str) -> None:
    await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
    await until(pilot, lambda: can_act(app) and lesson_in(app).wanted)


async def do_step(app: KkApp, pilot: Running) -> None:
    """Make the move that is asked for, and wait for the next step, or for the result."""
    lesson, ply = lesson_in(app), scene_in(app).match.ply
    await app.request(lambda number: Play(number, 0, ply, lesson.wanted[0]))
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, ResultScreen)
            or (lesson_in(app) != lesson and lesson_in(app).wanted and can_act(app))
        ),
    )


def squeezed(words: str) -> str:
    return re.sub(r"\s", "", words)


def says(app: KkApp, sentence: Text) -> bool:
    """Whether all of a sentence is in sight beside the board."""
    side = app.screen.query_one("#people")
    lines = "".join(side.render_line(y).text for y in range(side.size.height))
    return squeezed(render(sentence)) in squeezed(lines)


@each
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_sentence_is_in_sight_at_its_step(
    game_id: str, size: tuple[int, int], stage: Stage
) -> None:
    async with stage.play(size=size, games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not isinstance(app.screen, ResultScreen):
            lesson = lesson_in(app)
            await at_rest(pilot)
            for sentence in (lesson.told, lesson.asks):
                assert sentence is None or says(app, sentence), (str(sentence), beside(app))
            await do_step(app, pilot)
        last = lesson_in(app).told
        assert last is not None
        verdict = str(app.screen.query_one("#verdict").render())
        assert squeezed(render(last)) in squeezed(verdict)


@each
async def test_the_sentence_that_meets_another_move_is_in_sight_at_every_step(
    game_id: str, stage: Stage
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not isinstance(app.screen, ResultScreen):
            before, wanted = lesson_in(app), lesson_in(app).wanted
            for other in sorted(scene_in(app).legal - {*wanted})[:1]:
                ply = scene_in(app).match.ply
                await app.request(lambda number, ply=ply, other=other: Play(number, 0, ply, other))  # type: ignore[misc]
                await until(pilot, lambda: lesson_in(app).strayed)
                told = lesson_in(app).told
                assert told is not None
                assert says(app, told)
                assert "u takes it back" in beside(app)
                await pilot.press("u")
                await until(pilot, lambda before=before: lesson_in(app) == before and can_act(app))  # type: ignore[misc]
            await do_step(app, pilot)


@each
async def test_what_is_meant_is_marked_on_the_board_wherever_it_has_a_place_there(
    game_id: str, stage: Stage
) -> None:
    marked = 0
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not isinstance(app.screen, ResultScreen):
            await at_rest(pilot)
            board, lesson = board_in(app), lesson_in(app)
            places = [place for move in lesson.wanted for place in board.places(move)]
            lines = board.render_lines(board.size.region)
            for place in places:
                for y in range(place.y, place.bottom):
                    assert lines[y].crop(place.x - 1, place.x).text == "▶"
                    assert lines[y].crop(place.right, place.right + 1).text == "◀"
            marked += len(places)
            await do_step(app, pilot)
    assert marked


def lessons_offered(app: KkApp) -> list[str]:
    return [button.id or "" for button in app.screen.query_one(LessonRow).offered]


async def test_a_newcomer_is_led_to_the_lessons_first(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await until(pilot, lambda: isinstance(app.focused, LineButton))
        assert lessons_offered(app) == [f"lesson-{game_id}" for game_id in GAMES]
        assert "New here?" in shown(app, "prompt")
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and lesson_in(app).step == 1)


@pytest.fixture
def may_come(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Holds the answer about lessons back until it is set."""
    may_come, take = asyncio.Event(), Client._take

    async def late(client: Client, message: Any) -> None:
        if isinstance(message, Lessons):
            await may_come.wait()
        await take(client, message)

    monkeypatch.setattr(Client, "_take", late)
    return may_come


async def test_a_newcomer_who_waits_is_led_to_the_lessons_by_an_answer_that_comes_late(
    stage: Stage, may_come: asyncio.Event
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.focused, GameCard))
        assert not app.screen.query_one(LessonRow).is_all_new
        may_come.set()
        await until(pilot, lambda: app.focused and app.focused.id == f"lesson-{GAMES[0]}")


async def test_whoever_has_begun_to_choose_is_led_nowhere_by_an_answer_that_comes_late(
    stage: Stage, may_come: asyncio.Event
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: app.focused is not None)
        await pilot.press("right")
        chosen = app.focused
        may_come.set()
        await until(pilot, lambda: app.screen.query_one(LessonRow).offered)
        await at_rest(pilot)
        assert app.focused is chosen


async def test_who_has_finished_a_match_of_a_game_is_not_offered_its_lesson(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play() as (app, pilot):
        await until(pilot, lambda: lessons_offered(app))
        assert (await stage.hub.lessons("anna"))[0].is_new
        monkeypatch.setattr(stage.hub.history, "games_of", every_game)
        await app.request(lambda number: OpenLesson(number, GAMES[0]))
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and not lessons_offered(app))
        # it is still there for those who look for it
        app.screen.query_one(f"#game-{GAMES[0]}").focus()
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def every_game(_user: str) -> frozenset[str]:
    return frozenset(game_ids())


@each
async def test_escape_leaves_a_lesson_at_once_and_it_goes_on_from_the_first_screen(
    game_id: str, stage: Stage
) -> None:
    async with stage.play() as (app, pilot):
        await learn(app, pilot, game_id)
        await do_step(app, pilot)
        lesson = lesson_in(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await until(pilot, lambda: app.focused is not None and app.focused.id == "going")
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and lesson_in(app) == lesson)


@pytest.mark.parametrize("local", [True, False])
async def test_a_lesson_is_begun_anew_by_a_key_and_a_question(stage: Stage, *, local: bool) -> None:
    async with stage.play(games=faces(), local=local) as (app, pilot):
        await learn(app, pilot, GAMES[0])
        await do_step(app, pilot)
        assert lesson_in(app).step == 2
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and lesson_in(app).step == 1)
        await until(pilot, lambda: can_act(app) and lesson_in(app).wanted)


async def test_no_rematch_is_offered_after_a_lesson_but_a_match(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await learn(app, pilot, GAMES[0])
        while not isinstance(app.screen, ResultScreen):
            await do_step(app, pilot)
        await at_rest(pilot)
        assert "rematch" not in keys_of(app)
        assert "a match of this game" in keys_of(app)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen))


@pytest.mark.parametrize("local", [True, False])
async def test_after_a_lesson_the_coach_is_offered_in_a_line_and_off_otherwise(
    local: bool, stage: Stage
) -> None:
    async with stage.play(local=local) as (app, pilot):
        await learn(app, pilot, GAMES[0])
        while not isinstance(app.screen, ResultScreen):
            await do_step(app, pilot)
        await until(pilot, lambda: "Play with the coach? h:" in shown(app, "prompt"))
        result = app.screen
        for key, chosen in (("n", "off"), ("h", "all")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#coach"))
            await at_rest(pilot)
            row = app.screen.query_one("#coach", LineSelect)
            assert row.value == chosen
            assert row.display is (local or key == "h")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is result)


async def test_the_lobby_of_a_server_has_lessons_too(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await until(pilot, lambda: "z teaches this game" in shown(app, "prompt"))
        await pilot.press("z")
        await until(pilot, lambda: can_act(app) and lesson_in(app).step == 1)
    async with stage.play("ben", local=False, size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and lessons_offered(app))
        app.screen.query_one(f"#lesson-{GAMES[0]}").focus()
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and lesson_in(app).step == 1)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_an_unfinished_lesson_takes_nobody_away_from_the_lobby(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await learn(app, pilot, GAMES[0])
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: app.store.lobby is not None)
    async with stage.play(local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.store.lobby is not None
        assert [table.lesson for table in app.store.lobby.own] == [True]
