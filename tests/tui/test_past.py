"""Replays, looking back, and the matches of the past, on the screen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace as replaced
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.geometry import Region
from textual.message import Message
from textual.widgets import OptionList, Static

from kk_core.errors import KkError
from kk_core.games.land_cards.model import EndTaking
from kk_core.match import Match, Replay
from kk_core.protocol.messages import GetHistory, GoTo, OpenTable, PastPosition, Start, TakeSeat
from kk_core.registry import has_lesson
from kk_core.text import Text, text
from kk_core.types import Viewer
from kk_core.views import Course, MatchView, PastMatch, encode_past
from kk_server.storage.entries import Ended, SeatHolder
from kk_tui.app import KkApp
from kk_tui.games import Face, faces
from kk_tui.i18n import render
from kk_tui.languages import languages
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.screen import last_ply
from kk_tui.match.table import TableScreen
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen, HandoverDialog
from kk_tui.screens.history import PastMatchesScreen, how_it_ended
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.table.place_store import past_scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import Board
from kk_tui.widgets.charts import Column, column_chart
from kk_tui.widgets.form import LineSelect
from kk_tui.widgets.options import OpenList
from kk_tui.widgets.score_graph import ScoreGraph, ends_of, heights_of, lines_of, scale_of
from tests.server.client import Client
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import at_table, begin, board_in, can_act, keys_of, scene_in, sit_down
from tests.tui.scenes import lines_of as picture_of
from tests.tui.scenes import match_of, running_match, scene_of_match

every_game = pytest.mark.parametrize("game", faces())

PRESSED = {"[": "left_square_bracket", "]": "right_square_bracket"}


@cache
def finished(game: str) -> Match:
    """A match at its end; nobody plays on in it."""
    return match_of(game, faces()[game].meta.min_seats, 10_000)


def plain_view(view: MatchView) -> MatchView:
    """What counts of a view: the observation as a value, and nothing that could be done."""
    face = faces()[view.game]
    observation = replace(view.observed(face.observation), legal_moves=(), printed=None)
    return replace(view, observation=observation, may_undo=False, printed=None, drawing=None)


async def replay_of(app: KkApp, pilot: Running) -> ReplayScreen:
    """From the result to the replay, at its beginning."""
    await until(pilot, lambda: isinstance(app.screen, ResultScreen))
    await pilot.press("v")
    await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "Move 0 of" in shown(app, "header"))
    assert isinstance(app.screen, ReplayScreen)
    return app.screen


async def says(app: KkApp, pilot: Running, line: str, words: str) -> None:
    await until(pilot, lambda: words in shown(app, line))


async def at(app: KkApp, pilot: Running, ply: int) -> None:
    said = (
        f"Move {ply} of",
        f"Before move {ply + 1} of",
    )  # the move made last or, where it was costly, the next
    await until(pilot, lambda: shown(app, "header").startswith(said))


@every_game
async def test_a_replay_is_stepped_through_to_its_end_and_shows_what_was(game: str, tmp_path: Path) -> None:
    match = finished(game)
    course = Replay(match)
    end = len(match.plies)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = await replay_of(app, pilot)
        for ply in range(1, end + 1):
            await pilot.press("right" if ply % 2 else PRESSED["]"])
            if ply % 9 == 0 or ply == end:
                await at(app, pilot, ply)
                view = plain_view(course.view(ply, match.plies[ply - 1].seat))
                await until(pilot, lambda: plain_view(screen._scene.match) == view)  # noqa: B023
        await pilot.press("right")
        await at(app, pilot, end)
        await pilot.press("home")
        await at(app, pilot, 0)
        await pilot.press("end", "left")
        await at(app, pilot, end - 1)


async def test_a_terminal_that_is_made_wider_is_told_what_there_was_no_room_for(tmp_path: Path) -> None:
    match = finished("ku_ka_king")
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = await replay_of(app, pilot)
        for ply in range(1, len(match.plies)):
            screen.go(ply)
            await at(app, pilot, ply)
            if shown(app, "prompt").endswith("…"):
                break
        said = shown(app, "prompt")
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: len(shown(app, "prompt")) > len(said))
        assert shown(app, "prompt").startswith(said.removesuffix(" …"))


@every_game
async def test_turns_rounds_and_scorings_are_reached_by_keys_and_any_moment_by_the_line_of_the_score(
    game: str, tmp_path: Path
) -> None:
    match = finished(game)
    course = Replay(match).course()
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        await pilot.press("down")
        await at(app, pilot, course.turns[0])
        await pilot.press("pagedown")
        await at(app, pilot, course.rounds[0])
        await pilot.press("tab")
        await at(app, pilot, course.scorings[0])
        await pilot.press("home", "tab", "up")
        before = max(turn for turn in (0, *course.turns) if turn < course.scorings[0])
        await at(app, pilot, before)
        width = app.screen.query_one(ScoreGraph).size.width
        await pilot.click(ScoreGraph, offset=(width - 2, 1))
        await at(app, pilot, len(match.plies))
        await pilot.click(ScoreGraph, offset=(0, 1))
        await at(app, pilot, 0)


@every_game
async def test_a_replay_shows_the_match_through_each_pair_of_eyes_in_turn(game: str, tmp_path: Path) -> None:
    match = finished(game)
    course, ply = Replay(match), 7
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = await replay_of(app, pilot)
        for _ in range(ply):
            await pilot.press("right")
        await at(app, pilot, ply)
        order: list[Viewer] = [*range(len(match.seats)), None]
        for viewer in order:
            await pilot.press("v")
            words = "spectators" if viewer is None else f"as {match.seats[viewer]} saw it"
            await says(app, pilot, "header", words)
            view = plain_view(course.view(ply, viewer))
            await until(pilot, lambda: plain_view(screen._scene.match) == view)  # noqa: B023
            assert "Your" not in "\n".join(picture_of(app)).replace("Your turn", "")
        await pilot.press("v")
        await until(pilot, lambda: "all revealed" in shown(app, "header"))


@every_game
async def test_all_open_shows_what_everybody_holds_beside_the_board_and_other_eyes_do_not(
    game: str, tmp_path: Path
) -> None:
    match = finished(game)
    course, seats = Replay(match), range(len(match.seats))
    async with at_table(match, tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        await replay_of(app, pilot)

        def held(ply: int) -> list[list[str]]:
            views = [encode_past(course.view(ply, seat)) for seat in seats]
            scenes = [app.store.past(view, seat) for seat, view in enumerate(views)]
            return [[thing.plain for thing in faces()[game].hand(scene)] for scene in scenes]

        def beside() -> list[list[str]]:
            assert isinstance(app.screen, ReplayScreen)
            hands = app.screen.beside().hands
            return [[thing.plain for thing in hands[seat]] for seat in seats] if hands else []

        # the moment when most hands have something in them
        ply = max(range(len(match.plies)), key=lambda ply: sum(map(bool, held(ply))))
        wanted = held(ply)
        assert any(wanted)
        app.screen.go(ply)  # type: ignore[attr-defined]
        await at(app, pilot, ply)
        await until(pilot, lambda: beside() == wanted)
        written = "\n".join(picture_of(app))
        assert all(thing in written for hand in wanted for thing in hand)
        await pilot.click("#keys", offset=(keys_of(app).index("v view") + 1, 0))
        await says(app, pilot, "header", f"as {match.seats[0]} saw it")
        await until(pilot, lambda: beside() == [])


@every_game
async def test_a_match_is_played_on_from_its_middle(game: str, tmp_path: Path) -> None:
    match = finished(game)
    middle = Replay(match).course().turns[2]
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        await pilot.press("down", "down", "down")
        await at(app, pilot, middle)
        await pilot.press("g")
        await until(pilot, lambda: "You play as" in "\n".join(picture_of(app)))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: scene_in(app).match.ply >= middle)
        assert scene_in(app).match.commitment == match.commitment
        assert app.store.table is not None
        assert [seat.bot is None for seat in app.store.table.seats].count(True) == 1


async def test_at_the_end_of_a_match_nothing_is_left_to_play_on(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path) as (app, pilot):
        await replay_of(app, pilot)
        assert "play on" in keys_of(app)
        await pilot.press("end")
        await until(pilot, lambda: "play on" not in keys_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))


def named_in(app: KkApp) -> dict[str, str]:
    """The words for each action of the screen in front."""
    assert isinstance(app.screen, KkScreen)
    return {action.name: action.words() for action in app.screen.actions()}


@pytest.mark.parametrize("language", languages())
async def test_in_the_footer_of_a_replay_the_analysis_and_playing_on_are_in_sight_at_80_columns(
    language: str, tmp_path: Path
) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        app.change_settings(language=language)
        await at_rest(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "start" in named_in(app))
        for key in ("pagedown", "h"):
            await pilot.press(key)
            await at_rest(pilot)
            wanted = [words for name, words in named_in(app).items() if name in ("hint", "start")]
            footer = picture_of(app)[-1]
            assert [words for words in wanted if words in footer] == wanted


# -- looking back during a match -----------------------------------------------------------------------------


@every_game
async def test_during_a_match_one_steps_back_and_returns_to_the_present(game: str, tmp_path: Path) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 9)
    course, plies = Replay(match), len(match.plies)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        now = scene_in(app)
        for ply in (plies - 1, plies - 2, plies - 3):
            await pilot.press(PRESSED["["])
            await says(app, pilot, "prompt", f"Looking back, {ply} of {plies} (Esc: now")
            assert f"LOOKING BACK: move {ply} of {plies}" in shown(app, "header")
            assert "to the present" in keys_of(app)
            seen = board_in(app).scene
            assert plain_view(seen.match) == plain_view(course.view(ply, now.viewer))
        await pilot.press(PRESSED["]"])
        await until(pilot, lambda: f"Looking back, {plies - 2} of {plies}" in shown(app, "prompt"))
        await pilot.press("x")
        await until(pilot, lambda: "looking back" in shown(app, "prompt"))
        await pilot.press("escape")
        await until(pilot, lambda: board_in(app).scene is now)
        assert "back" not in shown(app, "header") + shown(app, "prompt")
        assert isinstance(app.screen, TableScreen)


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("is_over", [False, True])
async def test_a_title_with_too_little_room_loses_whole_parts_whatever_their_translations_have_in_them(
    is_over: bool, width: int, tmp_path: Path
) -> None:
    parts = "Round 3  |  the first half of seven", "80 cards  |  in the pile"
    face = replaced(faces()["ku_ka_king"], status=lambda _scene: [*map(Text, parts)])
    match = finished("ku_ka_king") if is_over else running_match("ku_ka_king", 2, 9)
    async with at_table(match, tmp_path, games={"ku_ka_king": face}, size=(width, 40)) as (app, pilot):
        if is_over:
            await replay_of(app, pilot)
            whole = [f"Move 0 of {len(match.plies)}", "all revealed", *parts]
        else:
            await pilot.press(PRESSED["["])
            await says(app, pilot, "header", "LOOKING BACK")
            whole = ["LOOKING BACK: move 8 of 9", *parts]
        await at_rest(pilot)
        titles = [bar.join(whole[:n]) for n in range(1, len(whole) + 1) for bar in ("  |  ", " | ")]
        assert shown(app, "header") in (titles if width == 80 else titles[-2:-1])


async def test_a_past_that_was_asked_for_while_another_match_was_here_is_refused(tmp_path: Path) -> None:
    async with at_table(match_of("land_cards", 3, 9), tmp_path, games=faces()) as (app, _pilot):
        table, commitment = scene_in(app).match_key
        assert (await past_scene(app, (table, commitment), 3, None)).match.ply == 3
        with pytest.raises(KkError, match=r"This match is no longer here\."):
            await past_scene(app, (table, bytes(len(commitment))), 3, None)


async def test_who_leaves_the_past_before_it_has_come_is_not_shown_it(tmp_path: Path) -> None:
    match, held = match_of("land_cards", 3, 9), asyncio.Event()
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        now, asked, answers = scene_in(app), app.request, list[object]()

        async def late(make: Any) -> Any:
            answer = await asked(make)
            if isinstance(answer, PastPosition):
                answers.append(answer)
                await held.wait()
            return answer

        await pilot.press(PRESSED["["])
        await says(app, pilot, "prompt", "Looking back, 8 of 9")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "request", late)
            await pilot.press(PRESSED["["])
            await until(pilot, lambda: answers)
            await pilot.press("escape")
            await until(pilot, lambda: board_in(app).scene is now)
            held.set()
            await at_rest(pilot)
        assert board_in(app).scene is now
        assert "ooking back" not in shown(app, "header") + shown(app, "prompt")


async def test_nothing_of_the_past_stays_in_sight_when_somebody_else_takes_over(stage: Stage) -> None:
    async with stage.play(secrets=True) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "web_of_power", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        await app.request(lambda n: TakeSeat(n, 1))
        assert app.store.table is not None
        carla = Client(stage.hub.connect("carla"))
        await carla.go_to(app.store.table.id)
        await carla.sit(2)
        await app.request(Start)
        await until(pilot, lambda: app.store.scene)
        while scene_in(app).observation.active != (2,):
            await until(pilot, lambda: can_act(app) or isinstance(app.screen, HandoverDialog))
            ply = scene_in(app).match.ply
            await pilot.press("enter")
            await until(pilot, lambda ply=ply: can_act(app) or scene_in(app).match.ply > ply)  # type: ignore[misc]
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and scene_in(app).viewer is None)
        await pilot.press(PRESSED["["])
        await says(app, pilot, "prompt", "Looking back")
        assert board_in(app).scene is not scene_in(app)
        table = app.screen
        while carla.observation.active == (2,):
            await carla.play(2, carla.observation.legal_moves[0])
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None)
        assert table.query_one(Board).scene is scene_in(app)
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        assert board_in(app).scene is scene_in(app)
        assert scene_in(app).viewer == 0
        await carla.close()


async def test_who_has_taken_over_looks_back_through_their_own_eyes(stage: Stage) -> None:
    async with stage.play(secrets=True) as (app, pilot):
        await begin(app, pilot, humans=2)
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        viewer = scene_in(app).viewer
        while not can_act(app) or scene_in(app).viewer == viewer:
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or isinstance(app.screen, HandoverDialog))
        await pilot.press(PRESSED["["])
        await until(pilot, lambda: "Looking back" in shown(app, "prompt"))
        assert board_in(app).scene.viewer == scene_in(app).viewer != viewer


# -- the matches of the past ---------------------------------------------------------------------------------


async def played(app: KkApp, pilot: Running) -> None:
    """A match to its end, by Enter, and back to the menu."""
    await begin(app, pilot)
    while not isinstance(app.screen, ResultScreen):
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) or isinstance(app.screen, ResultScreen))
    await pilot.press("q")
    await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_a_finished_match_is_listed_with_its_figures_and_leads_to_its_replay_and_back(
    stage: Stage,
) -> None:
    async with stage.play() as (app, pilot):
        await played(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, PastMatchesScreen))
        await until(pilot, lambda: "1 match" in "\n".join(picture_of(app)))
        assert "Anna" in "\n".join(picture_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "Move 0" in shown(app, "header"))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, PastMatchesScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_a_finished_match_is_deleted_by_key_or_click_after_a_question_and_its_figures_with_it(
    stage: Stage,
) -> None:
    async with stage.play() as (app, pilot):
        await played(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: "1 match" in "\n".join(picture_of(app)))
        await pilot.press("delete")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("enter")  # the harmless answer
        await until(pilot, lambda: isinstance(app.screen, PastMatchesScreen))
        assert "1 match" in "\n".join(picture_of(app))
        await pilot.click("#keys", offset=(keys_of(app).index("delete") + 1, 0))
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.click("#yes")
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, PastMatchesScreen)
                and "You haven't finished a match yet" in shown(app, "prompt")
            ),
        )
        assert "delete" not in keys_of(app)
        assert "1 match" not in "\n".join(picture_of(app))


async def test_a_match_that_goes_on_is_deleted_only_after_a_question(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("q", "left", "enter")
        await until(pilot, lambda: isinstance(app.screen.focused, OpenList))
        await pilot.press("delete", "enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        assert len(stage.hub.tables) == 1
        await pilot.press("delete", "left", "enter")
        await until(pilot, lambda: not stage.hub.tables)
        await until(pilot, lambda: not app.screen.query_one(OpenList).display)


async def test_at_80_columns_three_matches_are_listed_at_once_above_games_lessons_and_the_rest(
    stage: Stage,
) -> None:
    async with stage.play(size=(80, 24), games=faces()) as (app, pilot):
        game = next(iter(faces()))
        for _ in range(4):
            await sit_down(app, game, 3, 0)
            await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: isinstance(app.focused, OpenList) and app.focused.option_count == 4)
        await at_rest(pilot)
        page = "\n".join(picture_of(app))
        assert len(re.findall("round 1, (?:today|yesterday)", page)) == 3  # before midnight, a moment ago
        assert "1 more" in page
        below = page[page.index("1 more") :]
        assert all(render(face.meta.name).split()[-1] in below for face in faces().values())
        assert page.count("Learn by playing") == sum(map(has_lesson, faces()))
        app.screen.query_one("#daily").focus()
        await at_rest(pilot)
        assert "today's deal" in shown(app, "prompt")
        assert all(words in "\n".join(picture_of(app)) for words in ("Past matches", "Settings", "Quit"))


async def test_the_form_begins_with_what_was_chosen_last(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("q", "left", "enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        least = next(iter(app.faces.values())).meta.min_seats
        app.screen.query_one("#count").focus()
        await pilot.press("right")
        app.screen.query_one("#kind-1").focus()
        await pilot.press("right")
        chosen = kind(app, 1)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("q", "left", "enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        assert app.screen.query_one("#count", LineSelect).value == str(least + 1)
        assert kind(app, 1) == chosen


def kind(app: KkApp, seat: int) -> str:
    return app.screen.query_one(f"#kind-{seat}", LineSelect).value


# -- the line of the score -----------------------------------------------------------------------------------


def course_of(points: Sequence[tuple[int, ...]], rounds: tuple[int, ...] = ()) -> Course:
    return Course(points=tuple(points), movers=(0,) * (len(points) - 1), turns=(), rounds=rounds, scorings=())


def test_the_line_of_each_seat_goes_from_its_first_to_its_last_points_without_a_gap() -> None:
    points = [(0, 0, 3), (3, 0, 3), (3, 1, 2), (10, 1, 4), (10, 7, 4)]
    heights, level = heights_of(course_of(points, (1, 2, 3)), 20, 12)
    pixels = lines_of(heights, 12)
    assert [len(pixels), *{len(row) for row in pixels}] == [12, 20]
    assert heights[0] == [level + 1, level + 1, level - 2]
    assert heights[-1] == [2, level, 10]
    for seat in range(3):
        alone = lines_of([[column[seat]] for column in heights], 12)
        rows = [[y for y, row in enumerate(alone) if row[x] is not None] for x in range(20)]
        assert all(now[0] <= before[-1] + 1 and now[-1] >= before[0] - 1 for before, now in pairwise(rows))
    assert all(any(seat is not None for seat in column) for column in zip(*pixels, strict=True))


def test_a_line_shows_who_was_ahead_and_not_whose_turn_it_was() -> None:
    points = [(0, 0), (4, 0), (4, 4), (8, 4), (8, 8), (12, 8), (12, 8)]
    heights, level = heights_of(course_of(points, (2, 4)), 40, 12)
    assert {*map(tuple, heights[:20])} == {(level, level)}
    assert heights[-1] == [0, 11]


def test_while_all_have_the_same_points_their_line_is_in_the_middle_and_has_no_scale() -> None:
    equal = course_of([(0, 0), (3, 3), (5, 5)], (1,))
    heights, level = heights_of(equal, 20, 12)
    assert {*map(tuple, heights)} == {(level, level)}
    assert level in (5, 6)
    assert scale_of(equal) == scale_of(course_of([])) == ("", "")
    assert scale_of(course_of([(0, 0), (1, 4)])) == ("+2", "-2")
    assert scale_of(course_of([(0, 0), (0, 1)])) == ("", ""), "half a point would be told as none"


def test_one_s_own_line_is_on_top_of_the_others() -> None:
    heights = [[3, 3]] * 5
    for own in (0, 1):
        assert {*lines_of(heights, 6, {own})[3]} == {own}


def test_each_line_ends_in_a_letter_of_its_own() -> None:
    assert ends_of([[0, 0, 11]], 12, (9, 9, 1)) == {0: 0, 1: 1, 5: 2}
    assert ends_of([[11, 11, 11]], 12, (1, 1, 1)) == {3: 0, 4: 1, 5: 2}
    assert {*ends_of([[5, 5, 5, 5, 5]], 12, (1, 1, 1, 1, 1)).values()} == {*range(5)}


async def test_a_small_chart_has_one_s_own_line_or_the_winner_s_and_the_strongest_other_one(
    tmp_path: Path,
) -> None:
    course = course_of([(0, 0, 0, 0, 0), (9, 4, 7, 2, 11)])
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        graph = app.screen.query_one(ScoreGraph)
        for own, seats in (((3,), {3, 4}), ((), {4, 0}), ((1, 3), {1, 4})):
            graph.take(course, own)
            picture = graph.make_painter()
            assert {seat for row in picture.pixels for seat in row if seat is not None} == seats
            assert {*picture.ends.values()} == seats
            assert all(any(seat is not None for seat in row) for row in picture.pixels), "all of the height"
        await pilot.resize_terminal(160, 50)
        await until(pilot, lambda: {*graph.make_painter().ends.values()} == {*range(5)})


@every_game
async def test_the_line_of_the_score_in_a_replay_has_the_points_of_the_decisive_turn(
    game: str, tmp_path: Path
) -> None:
    async with at_table(finished(game), tmp_path, games=faces()) as (app, pilot):
        screen = await replay_of(app, pilot)
        assert screen._moment is not None
        assert app.screen.query_one(ScoreGraph)._told == screen._moment.plies


def test_the_letters_at_the_ends_of_lines_stand_in_the_order_of_the_points_even_in_one_cell() -> None:
    assert ends_of([[7, 5, 11, 4]], 12, (73, 81, 59, 82)) == {2: 3, 3: 1, 4: 0, 5: 2}
    assert ends_of([[4, 4]], 12, (81, 82)) == {2: 1, 3: 0}, "even in one row of pixels"


@pytest.mark.parametrize("points", [[], [(0, 0)], [(-5, 3), (-5, 3)]])
def test_a_line_of_the_score_is_drawn_of_any_points(points: list[Any]) -> None:
    heights, _level = heights_of(course_of(points), 7, 4)
    assert len(lines_of(heights, 4)) == 4
    assert heights_of(course_of(points), 0, 0)[0] == []


async def test_a_board_in_a_replay_makes_no_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        posted, post_message = list[object](), Board.post_message

        def noted(board: Any, message: Message) -> bool:
            posted.append(message)
            return post_message(board, message)

        monkeypatch.setattr(Board, "post_message", noted)
        await pilot.click(Board, offset=(10, 3))
        await pilot.press("enter", "1")
        await at_rest(pilot)
        assert not [message for message in posted if isinstance(message, Board.Chosen | Board.Tried)]
        assert posted, "or it would not even have heard of the mouse"
        await at(app, pilot, 0)


async def test_who_played_as_a_program_is_marked_so_in_the_list_and_the_figures(stage: Stage) -> None:
    names = ("Anna", "Robot")
    match = PastMatch("t", 1, 9, stage.game, names, (None,) * 2, (0,), (12, 5), (0,), 9, 0, (0, 1), (1,))
    async with stage.play(size=(120, 40)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match]
        screen.show_game()
        await until(pilot, lambda: any("Robot (program) 5" in line for line in picture_of(app)))
        assert sum("Robot (program" in line for line in picture_of(app)) == 3
        assert not any("Anna (program)" in line for line in picture_of(app))


@pytest.mark.parametrize(
    ("name", "mine", "shown_as"), [("", (0,), "You"), ("Anna", (0,), "Anna"), ("", (0, 1), "Anna")]
)
async def test_who_has_given_no_name_is_called_you_among_their_past_matches(
    stage: Stage, name: str, mine: tuple[int, ...], shown_as: str
) -> None:
    match = PastMatch("t", 1, 9, stage.game, ("Anna", "Ben"), (None,) * 2, mine, (12, 5), (0,), 9, 0, (0, 1))
    async with stage.play() as (app, pilot):
        app.change_settings(name=name)
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        assert screen._with_own_name(match).names == (shown_as, "Ben")


async def end_matches(stage: Stage, numbers: Iterable[int], since: int = 0) -> None:
    """Have matches of Anna's end, each a second after the one before."""
    for number in numbers:
        seats = (SeatHolder("Anna", "anna"), SeatHolder("Ben"))
        result = Ended("t", number, since + number, stage.game, seats, (3, 4), (1,), 9, 0)
        await stage.hub._log.keep_result(result)


async def test_older_matches_come_when_the_cursor_is_on_the_last_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 3)
    async with stage.play(size=(120, 40)) as (app, pilot):
        await end_matches(stage, range(1, 8))
        screen = PastMatchesScreen()
        app.push_screen(screen)
        for known in (3, 6, 7):
            await until(pilot, lambda known=known: len(screen._matches or ()) == known)  # type: ignore[misc]
            await pilot.press("end")
        assert [match.match for match in screen._matches or ()] == [7, 6, 5, 4, 3, 2, 1]
        await screen._delete((screen._matches or ())[2])
        assert [match.match for match in screen._matches or ()] == [7, 6, 4, 3, 2, 1]


async def test_matches_that_end_while_older_ones_are_fetched_are_not_listed_twice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 3)
    async with stage.play(size=(120, 40)) as (app, pilot):
        await end_matches(stage, range(1, 6))
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: len(screen._matches or ()) == 3)
        assert "Your latest 3 matches" in "\n".join(picture_of(app))
        await end_matches(stage, (6, 7))
        for known in (4, 5):
            await pilot.press("end")
            await until(pilot, lambda known=known: len(screen._matches or ()) == known)  # type: ignore[misc]
        assert [match.match for match in screen._matches or ()] == [5, 4, 3, 2, 1]
        await until(pilot, lambda: "Your latest" not in "\n".join(picture_of(app)))


@pytest.mark.parametrize("is_refused", [True, False])
async def test_older_matches_that_were_refused_come_later_and_a_match_deleted_meanwhile_stays_deleted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 3)
    async with stage.play(size=(120, 40)) as (app, pilot):
        await end_matches(stage, range(1, 6))
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: len(screen._matches or ()) == 3)
        asked, may_come, request = asyncio.Event(), asyncio.Event(), app.request

        async def late(make: Any) -> Any:
            if not isinstance(make(0), GetHistory) or asked.is_set():
                return await request(make)
            asked.set()
            reply = await request(make)
            await may_come.wait()
            if is_refused:
                raise KkError(text("The database does not answer."))
            return reply

        monkeypatch.setattr(app, "request", late)
        await pilot.press("end")
        await until(pilot, asked.is_set)
        await screen._delete((screen._matches or ())[1])
        await at_rest(pilot)
        may_come.set()
        if is_refused:
            await until(pilot, lambda: "The database does not answer" in shown(app, "prompt"))
            await pilot.press("home")
            await pilot.press("end")
        await until(pilot, lambda: len(screen._matches or ()) == 4)
        assert [match.match for match in screen._matches or ()] == [5, 3, 2, 1]


async def test_whoever_comes_back_from_a_replay_finds_the_list_as_it_was_with_what_is_new_above(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 3)
    async with stage.play(size=(120, 40)) as (app, pilot):
        await played(app, pilot)
        table = await stage.hub.history.lines("anna")
        at = table[0][0].at
        await end_matches(stage, range(1, 6), at)
        screen = PastMatchesScreen()
        app.push_screen(screen)
        for known in (3, 6):
            await until(pilot, lambda known=known: len(screen._matches or ()) == known)  # type: ignore[misc]
            await pilot.press("end")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await end_matches(stage, (6,), at)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, PastMatchesScreen))
        back = app.screen
        assert isinstance(back, PastMatchesScreen)
        await until(pilot, lambda: len(back._matches or ()) in {6, 7})
        assert back._shown()[back.query_one(OptionList).highlighted or 0].table != "t"
        await until(pilot, lambda: len(back._matches or ()) == 7)
        assert back._shown()[back.query_one(OptionList).highlighted or 0].table != "t"


async def test_without_past_matches_the_games_are_pictured_instead(stage: Stage) -> None:
    async with stage.play(size=(160, 60)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        await until(pilot, lambda: "You haven't finished a match yet" in shown(app, "prompt"))
        covers = screen.query_one("#covers")
        assert covers.display
        assert covers.region.height >= 16
        assert covers.region.width == 160


def result_of(game: str, mine: tuple[int, ...] = (0,), replayed: int = 0) -> PastMatch:
    return PastMatch("t", 1, 9, game, ("Anna", "Ben"), (None,) * 2, mine, (12, 5), (0,), 9, replayed, (0, 1))


async def with_past(
    app: KkApp, pilot: Running, matches: Sequence[PastMatch], words: str
) -> PastMatchesScreen:
    """The list of these matches, once the words are there."""
    screen = PastMatchesScreen()
    app.push_screen(screen)
    await until(pilot, lambda: screen._matches == ())
    screen._matches = matches
    screen.show_game()
    await until(pilot, lambda: words in "\n".join(picture_of(app)))
    await at_rest(pilot)
    return screen


@pytest.mark.parametrize(
    ("matches", "words", "shown_others"),
    [(1, "from your second match on", len(faces()) - 1), (2, "match by match", 0)],
)
async def test_until_one_has_a_second_result_the_other_games_fill_the_room_of_the_chart_on_a_large_screen(
    stage: Stage, matches: int, words: str, shown_others: int
) -> None:
    async with stage.play(size=(200, 60)) as (app, pilot):
        screen = await with_past(app, pilot, [result_of(stage.game)] * matches, words)
        pictured = [cover for cover in screen.query("#others CoverView") if cover.region.height >= 24]
        assert len(pictured) == shown_others
        assert screen.query_one("#figures").region.bottom == screen.query_one("#listed").region.bottom
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: not screen.query_one("#others").display)


@pytest.mark.parametrize(("mine", "replayed"), [((0, 1), 0), ((0,), 5)])
async def test_no_other_games_are_shown_where_no_second_result_would_bring_a_chart(
    stage: Stage, mine: tuple[int, ...], replayed: int
) -> None:
    async with stage.play(size=(200, 60)) as (app, pilot):
        matches = [result_of(stage.game, mine, replayed), result_of("noughts")]
        screen = await with_past(app, pilot, matches, "Anna won by 7 points.")
        assert not screen.query_one("#others").display


async def test_where_there_is_only_one_game_no_others_take_room_from_the_words(stage: Stage) -> None:
    games = {stage.game: faces()[stage.game]}
    async with stage.play(size=(200, 60), games=games) as (app, pilot):
        screen = await with_past(app, pilot, [result_of(stage.game)], "from your second match on")
        assert not screen.query_one("#others").display


@pytest.mark.parametrize("matches", [1, 4, 40])
async def test_however_many_past_matches_there_are_the_one_under_the_cursor_stands_beside_them(
    stage: Stage, matches: int
) -> None:
    match = PastMatch("t", 1, 9, stage.game, ("Anna", "Ben"), (None,) * 2, (0,), (12, 5), (0,), 9, 0, (0, 1))
    async with stage.play(size=(120, 40)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match] * matches
        screen.show_game()
        await until(pilot, lambda: "Anna won by 7 points." in "\n".join(picture_of(app)))
        assert screen.query_one("#covers").region.right == 120
        assert screen.query_one(OptionList).region.right <= screen.query_one("#covers").region.x
        assert ("Your mean in" in "\n".join(picture_of(app))) == (matches > 1)
        assert any(line.lstrip().startswith("Anna") and "12" in line for line in picture_of(app))


@pytest.mark.parametrize(
    ("points", "winners", "words"),
    [
        ((12, 5), (0,), "Anna won by 7 points."),
        ((12, 11), (0,), "Anna won by 1 point."),
        ((12, 12), (1,), "Ben won by the tie-break."),
        ((12, 12), (0, 1), "Anna and Ben share the win."),
        ((12, 12), (), "Nobody wins: points and tie-break are equal."),
        ((12, 15), (0,), "Anna wins."),
    ],
)
def test_how_a_past_match_ended_is_told_in_a_sentence(
    points: tuple[int, ...], winners: tuple[int, ...], words: str
) -> None:
    match = PastMatch("t", 1, 9, "noughts", ("Anna", "Ben"), (None,) * 2, (0,), points, winners, 9, 0, (0, 1))
    assert render(how_it_ended(match)) == words


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_title_stays_in_view_over_a_short_list_of_past_matches(
    stage: Stage, size: tuple[int, int]
) -> None:
    match = PastMatch("t", 1, 9, stage.game, ("Anna", "Ben"), (None,) * 2, (0,), (12, 5), (0,), 9, 0, (0, 1))
    async with stage.play(size=size) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match]
        screen.show_game()
        await at_rest(pilot)
        assert picture_of(app)[0].strip() == "Past matches"


async def test_one_s_own_points_stand_as_columns_below_a_list_that_leaves_room_for_them(
    stage: Stage,
) -> None:
    def match(at: int, points: int, mine: tuple[int, ...] = (1,)) -> PastMatch:
        names, winner = ("Ben", "Anna"), int(points > 50)
        return PastMatch(
            "t", at, at, stage.game, names, (None,) * 2, mine, (50, points), (winner,), 9, 0, (0, 1)
        )

    async with stage.play(size=(120, 40)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        at_one_keyboard = match(4, 33, mine=(0, 1))
        screen._matches = [match(3, 61), match(2, 20), at_one_keyboard, match(1, 42)]
        screen.show_game()
        await until(pilot, lambda: any("match by match" in line for line in picture_of(app)))
        course = screen.query_one("#course").region
        rows = [line[course.x : course.right] for line in picture_of(app)[course.y : course.bottom]]
        figures = " ".join(rows)
        assert [*map(int, re.findall(r"\d+", figures))] == [61, 42, 20], "the highest first"
        signs = next(number for number, row in enumerate(rows) if "▲" in row)
        assert rows[signs].index("▲") > rows[1].index("61") - 3
        assert "█ won" in rows[0]
        assert (rows[signs - 1].count("█"), rows[signs - 1].count("░")) == (11, 22), "the others are shaded"
        screen.query_one(OptionList).focus()
        await pilot.press("end")
        await until(pilot, lambda: picture_of(app)[course.y + signs].index("▲") < course.x + 12)
        screen._matches = screen._matches * 30
        screen.show_game()
        await until(pilot, lambda: not any("match by match" in line for line in picture_of(app)))


@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
async def test_the_figures_stay_in_place_below_a_game_that_has_no_columns_of_points(
    stage: Stage, size: tuple[int, int]
) -> None:
    def match(at: int, game: str) -> PastMatch:
        return PastMatch("t", at, at, game, ("Ben", "Anna"), (None,) * 2, (1,), (5, 6), (1,), 9, 0, (0, 1))

    async with stage.play(size=size) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match(3, "noughts"), match(2, stage.game), match(1, stage.game)]
        screen.show_game()
        screen.query_one(OptionList).focus()
        places = list[Region]()
        for has_columns in (False, True):
            await until(
                pilot,
                lambda has=has_columns: (  # type: ignore[misc]
                    any("match by match" in line for line in picture_of(app)) is has
                    and screen.query_one("#figures").region.height > 0
                ),
            )
            await at_rest(pilot)
            places.append(screen.query_one("#figures").region)
            is_told = any("from your second match on" in line for line in picture_of(app))
            assert is_told is not has_columns
            await pilot.press("down")
        assert places[0] == places[1]
        assert places[0].bottom == screen.query_one("#listed").region.bottom, "at the lower edge"


@pytest.mark.parametrize(
    ("played", "has_older"),
    [([((0, 1), 0), ((1,), 0)], False), ([((1,), 5), ((1,), 0)], False), ([((1,), 0)], True)],
)
async def test_nobody_who_has_played_a_game_before_is_told_that_their_points_come_with_a_second_match(
    stage: Stage, played: list[tuple[tuple[int, ...], int]], has_older: bool
) -> None:
    def match(game: str, mine: tuple[int, ...], replayed: int) -> PastMatch:
        people = ("Ben", "Anna"), (None,) * 2, mine
        return PastMatch("t", 1, 1, game, *people, (5, 6), (1,), 9, replayed, (0, 1))

    async with stage.play(size=(120, 40)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [*(match("noughts", *one) for one in played), match(stage.game, (1,), 0)]
        screen._has_older, screen._is_looking = has_older, True
        screen.show_game()
        await until(pilot, lambda: screen.query_one("#course").display)
        await at_rest(pilot)
        assert "your second match" not in "\n".join(picture_of(app))


async def test_however_long_results_are_the_picture_below_stays_where_it_is_and_no_ending_is_broken(
    stage: Stage,
) -> None:
    def match(at: int, game: str, winners: tuple[int, ...]) -> PastMatch:
        people = ("Anna", "Ben"), (None,) * 2, (0,)
        return PastMatch("t", at, at, game, *people, (52, 52), winners, 9, 0, (0, 1))

    other = next(game for game in faces() if game != stage.game)
    async with stage.play(size=(120, 60), games=faces()) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [
            match(3, stage.game, ()), match(2, stage.game, (0, 1)), match(1, other, (0, 1)),
        ]  # fmt: skip
        screen.show_game()
        screen.query_one(OptionList).focus()
        places = set[int]()
        for game in (stage.game, stage.game, other):
            await until(pilot, lambda game=game: _title_of_result(screen) == screen.game_name(game))  # type: ignore[misc]
            await at_rest(pilot)
            (cover,) = (cover for cover in screen.query("#covers CoverView") if cover.display)
            places.add(cover.region.y)
            await pilot.press("down")
        assert len(places) == 1
        listed = screen.query_one(OptionList)
        rows = "\n".join(
            line[: listed.region.right] for line in picture_of(app)[listed.region.y : listed.region.bottom]
        )
        assert "Anna and Ben share the win." in rows
        assert "Nobody" not in rows, "there is no room for all of it"


def _title_of_result(screen: PastMatchesScreen) -> str:
    return str(screen.query_one("#result", Static).content).split("\n")[0]


@pytest.mark.parametrize("marked", [0, 3, 8])
def test_of_more_numbers_than_fit_as_columns_the_last_are_shown_or_those_from_the_marked_one_on(
    marked: int,
) -> None:
    columns = [Column(number, "$ink", is_marked=number == marked) for number in range(10, 20)]
    columns[marked] = columns[marked]._replace(is_marked=True)
    lines = [line.plain for line in column_chart(columns, 21, 6, Glyphs(ascii_only=False))]
    shown = sorted(map(int, re.findall(r"\d+", " ".join(lines))))
    first = min(marked, 5)
    assert shown == [*range(10 + first, 15 + first)]
    assert lines[-1].index("▲") // 4 == marked - first
    assert {*map(len, lines)} == {20}


@pytest.mark.parametrize(("size", "lines"), [((80, 40), 2), ((160, 30), 1), ((160, 60), 2)])
async def test_people_of_past_matches_stand_in_columns_beside_the_game_where_there_is_room(
    stage: Stage, size: tuple[int, int], lines: int
) -> None:
    def match(*names: str) -> PastMatch:
        return PastMatch("t", 1, 9, stage.game, names, (None,) * 3, (0,), (12, 5, 3), (0,), 9, 0, (0, 1, 2))

    async with stage.play(size=size) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match("Anna", "Maximilian", "Beate"), match("Konstantin", "Ben", "Dora")]
        screen.show_game()
        await until(pilot, lambda: any("Dora" in line for line in picture_of(app)))
        list_ = screen.query_one(OptionList)
        assert [str(option.prompt).count("\n") for option in list_.options] == [lines - 1] * 2
        page = picture_of(app)
        (above,) = (line for line in page if "Maximilian 5" in line)
        (below,) = (line for line in page if "Dora 3" in line)
        assert above.index("Maximilian") == below.index("Ben")
        assert above.index("Beate") == below.index("Dora")


async def test_beside_the_picture_of_its_game_stands_the_result_of_the_match_under_the_cursor(
    stage: Stage,
) -> None:
    def match(*points: int) -> PastMatch:
        winner = points.index(max(points))
        return PastMatch(
            "t", 1, 9, stage.game, ("Anna", "Ben"), (None,) * 2, (0,), points, (winner,), 9, 0, (0, 1)
        )

    async with stage.play(size=(160, 60)) as (app, pilot):
        screen = PastMatchesScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen._matches == ())
        screen._matches = [match(12, 6), match(4, 8)]
        screen.show_game()
        await until(pilot, lambda: any("players, best first" in line for line in picture_of(app)))

        def bars() -> list[tuple[str, int]]:
            # on the left is the chart of one's own points
            left = screen.query_one("#covers").region.x
            lines = [line[left:] for line in picture_of(app) if app.glyphs["full"] in line[left:]]
            return [("Anna" if "Anna" in line else "Ben", line.count(app.glyphs["full"])) for line in lines]

        await until(pilot, lambda: [name for name, _bar in bars()] == ["Anna", "Ben"])
        (_, longer), (_, shorter) = bars()
        assert abs(longer - 2 * shorter) <= 1
        screen.query_one(OptionList).focus()
        await pilot.press("down")
        await until(pilot, lambda: [name for name, _bar in bars()] == ["Ben", "Anna"])


async def test_a_question_covers_the_last_line_below_only_when_it_says_something_there(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        app.push_screen(ConfirmScreen(text("Really?"), lambda: None))
        await until(pilot, lambda: any("Really?" in line for line in picture_of(app)))
        assert not app.screen.query_one("#prompt").display
        app.screen_in_front.say("Not now.")
        await until(pilot, lambda: any("Not now." in line for line in picture_of(app)))


def test_what_the_log_has_no_word_for_is_told_when_one_looks_back_at_it() -> None:
    face = faces()["ku_ka_king"]
    match = match_of("ku_ka_king", 3)
    assert said(face, match, 1) == "Before the first move."
    match.play(0, match.game.legal_moves(match.state, 0)[0])
    assert said(face, match, 1) == "Anna has chosen in secret."
    face = faces()["land_cards"]
    match = next(
        match for match in (match_of("land_cards", 3, plies) for plies in range(99)) if _ends_taking(match)
    )
    assert said(face, match, None) == f"{match.seats[match.plies[-1].seat]} takes no more cards."


def said(face: Face[Any], match: Match, viewer: Viewer) -> str:
    """The first sentence about the last ply, through somebody's eyes."""
    return render(last_ply(face, scene_of_match(match, viewer))[0])


def _ends_taking(match: Match) -> bool:
    return bool(match.plies) and match.plies[-1].move == EndTaking().move
