"""A lesson on the screen: what is said, what is lit, how it is begun, left and gone on with."""

from __future__ import annotations

import asyncio
import re
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo, Lessons, OpenLesson, Play
from kk_core.registry import game_ids, has_lesson
from kk_core.text import Text, text
from kk_core.views import LessonLine, LessonView
from kk_tui.app import KkApp
from kk_tui.client.client import Client
from kk_tui.games import faces
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.i18n import render
from kk_tui.languages import languages
from kk_tui.match.lesson import LessonEnd, LessonIntro
from kk_tui.match.result import ResultScreen
from kk_tui.match.scoring_player import BoardScoringPlayer
from kk_tui.match.table import TableScreen
from kk_tui.screens.daily import DailyScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import GameCard, LessonRow
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.settings import AppSettings, Recent, RecentFile, SessionSettings
from kk_tui.table.side_panel import SidePanel
from kk_tui.table.teaching import lesson_lines
from kk_tui.widgets.board import Board
from kk_tui.widgets.form import LineButton, LineSelect
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import beside, board_in, can_act, keys_of, scene_in
from tests.tui.scenes import lines_of

GAMES = [game_id for game_id in faces() if has_lesson(game_id)]

each = pytest.mark.parametrize("game_id", GAMES)

SIZES = [(80, 24), (80, 23), (120, 40)]

OTHERS = [code for code in languages() if code != "en"]


def lesson_in(app: KkApp) -> LessonView:
    lesson = scene_in(app).table.lesson
    assert lesson is not None
    return lesson


async def learn(app: KkApp, pilot: Running, game_id: str) -> None:
    """Open a lesson, and read the pages before its first step if it begins."""
    await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
    await read_pages(app, pilot)


async def read_pages(app: KkApp, pilot: Running) -> None:
    await until(pilot, lambda: is_reading(app) or (can_act(app) and lesson_in(app).wanted))
    await at_rest(pilot)
    while isinstance(app.screen, LessonIntro):
        await pilot.press("enter")
        await at_rest(pilot)
    await until(pilot, lambda: isinstance(app.screen, TableScreen) and can_act(app))


def is_reading(app: KkApp) -> bool:
    return isinstance(app.screen, LessonIntro)


def is_at_end(app: KkApp) -> bool:
    return isinstance(app.screen, LessonEnd)


async def play_step(app: KkApp, pilot: Running) -> None:
    """Make the move that is asked for, and wait until the lesson says what came of it."""
    lesson, ply = lesson_in(app), scene_in(app).match.ply
    await app.request(lambda number: Play(number, 0, ply, lesson.wanted[0]))
    await until(
        pilot,
        lambda: (
            is_at_end(app)
            or (lesson_in(app) != lesson and lesson_in(app).skips and not lesson_in(app).learnt)
            or (lesson_in(app) != lesson and lesson_in(app).wanted and (is_reading(app) or can_act(app)))
        ),
    )
    if not is_at_end(app) and lesson_in(app).wanted:
        await read_pages(app, pilot)


async def skip_ahead(app: KkApp, pilot: Running) -> None:
    """Go on by Enter where the lesson waits for it."""
    if not is_at_end(app) and lesson_in(app).skips is not None:
        await at_rest(pilot)
        await pilot.press("enter")
        await read_pages(app, pilot)


async def do_step(app: KkApp, pilot: Running) -> None:
    """Make the move that is asked for, and wait for the next step, or for the end."""
    await play_step(app, pilot)
    await skip_ahead(app, pilot)


def title_of_page(app: KkApp) -> str:
    return str(app.screen.query_one("#lesson-page").border_title)


def written(app: KkApp, where: str) -> str:
    return str(app.screen.query_one(where, Static).render())


def squeezed(words: str) -> str:
    return re.sub(r"\s", "", words)


def says(app: KkApp, sentence: Text) -> bool:
    """Whether all of a sentence is in sight beside the board."""
    side = app.screen.query_one("#people")
    lines = "".join(side.render_line(y).text for y in range(side.size.height))
    return squeezed(render(sentence)) in squeezed(lines)


@each
@pytest.mark.parametrize(
    ("size", "language"), [*((size, "en") for size in SIZES), *(((80, 24), code) for code in OTHERS)], ids=str
)
async def test_every_sentence_is_in_sight_at_its_step(
    game_id: str, size: tuple[int, int], language: str, stage: Stage
) -> None:
    async with stage.play(size=size, games=faces(), language=language) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            await at_rest(pilot)
            assert_says(app, lesson_in(app))
            await play_step(app, pilot)
            if not is_at_end(app):
                await at_rest(pilot)
                assert_says(app, lesson_in(app))
                await skip_ahead(app, pilot)


def assert_says(app: KkApp, lesson: LessonView) -> None:
    for sentence in (lesson.told, lesson.skips, lesson.asks):
        assert sentence is None or says(app, sentence), (str(sentence), beside(app))


def test_of_what_a_step_says_before_a_move_only_what_is_to_be_done_is_bold() -> None:
    asks = text("You have so many cards.\n\nCall the row.")
    lesson = LessonView(1, 1, told=text("A pair."), asks=asks, wanted=(1,), strayed=False)
    lines = [line for line in lesson_lines(lesson, 40) if line]
    bold = [line.plain for line in lines[1:] if any("bold" in str(span.style) for span in line.spans)]
    assert [line.plain for line in lines[1:]] == ["A pair.", "You have so many cards.", "Call the row."]
    assert bold == ["Call the row."]


def contests_spoken_of(app: KkApp) -> list[str]:
    """How the contests that the lesson speaks of now may be called beside the board."""
    scene, about = scene_in(app), {*lesson_in(app).about}
    races = faces()[scene.table.game].race(scene)
    return [re.escape(render(race.label)) for race in races if about & {*race.line}]


def lines_beside(app: KkApp) -> list[str]:
    side = app.screen.query_one("#people")
    return [side.render_line(y).text.rstrip() for y in range(side.size.height)]


@each
async def test_the_contests_that_a_step_speaks_of_stand_beside_it(game_id: str, stage: Stage) -> None:
    spoken = 0
    async with stage.play(size=(200, 60), games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            await at_rest(pilot)
            lines = lines_beside(app)
            assert "As things stand" in lines
            below = "\n".join(lines[lines.index("As things stand") :])
            for label in contests_spoken_of(app):
                assert re.search(rf"^ ?{label}\b", below, re.MULTILINE)
                spoken += 1
            await do_step(app, pilot)
    assert spoken


async def test_on_a_small_screen_those_contests_alone_stand_beside_a_step_and_only_while_it_speaks_of_them(
    stage: Stage,
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        await at_rest(pilot)
        codes = [str(race.code) for race in faces()["land_cards"].race(scene_in(app)) if race.code]
        for step, spoken_of in ((1, ["BAY"]), (2, ["BAY"]), (3, ["BAY"]), (4, ["FKN"])):
            assert lesson_in(app).step == step
            begun = [line.strip()[:3] for line in lines_beside(app)]
            assert [code for code in begun if code in codes] == spoken_of
            await do_step(app, pilot)
            await at_rest(pilot)


async def test_a_heading_parts_the_own_cards_from_the_open_ones_at_every_step_on_a_small_screen(
    stage: Stage,
) -> None:
    whole = 0
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "web_of_power")
        while not is_at_end(app):
            await at_rest(pilot)
            signs = [line.strip().split(" ")[0] for line in lines_beside(app)]
            if {"3", "4"} <= {*signs}:
                assert signs.index("3") < signs.index("Face") < signs.index("4")
                whole += "Your" in signs
            await do_step(app, pilot)
    assert whole


@pytest.mark.parametrize(("key", "then"), [("", "log"), ("s", "sheet"), ("ll", None)])
async def test_a_drawer_gives_way_to_the_contests_of_a_step_and_is_then_as_the_learner_had_it(
    key: str, then: str | None, stage: Stage
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "web_of_power")
        while lesson_in(app).about:
            await do_step(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: side_in(app).drawer == "log")
        await do_step(app, pilot)
        await until(pilot, lambda: bool(lesson_in(app).about) and side_in(app).drawer is None)
        await at_rest(pilot)
        assert "Aragon" in "".join(lines_beside(app))
        await pilot.press(*key)
        await do_step(app, pilot)
        await until(pilot, lambda: not lesson_in(app).about)
        await at_rest(pilot)
        assert side_in(app).drawer == then


def side_in(app: KkApp) -> SidePanel:
    return app.screen.query_one(SidePanel)


async def test_beside_a_step_stand_the_way_through_and_the_words_of_the_game_where_there_is_room(
    stage: Stage,
) -> None:
    async with stage.play(size=(200, 60), games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        await do_step(app, pilot)
        await at_rest(pilot)
        lines, lesson = lines_beside(app), lesson_in(app)
        first = lines.index("Lesson steps") + 1
        way = lines[first : first + lesson.steps]
        assert [line[2:] for line in way] == [render(title) for title in lesson.titles]
        assert [line[0] for line in way] == ["◉", "▶", *["○"] * (lesson.steps - 2)]
        words = "\n".join(lines[lines.index("Game terms") :])
        assert all(f"\n{render(word)}: " in words for word, _meaning in lesson.words)


async def test_on_a_small_screen_too_contests_that_a_step_asks_about_stand_under_their_heading(
    stage: Stage,
) -> None:
    asked = 0
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        while not is_at_end(app):
            await at_rest(pilot)
            if lesson_in(app).about:
                lines = lines_beside(app)
                assert len(lines) > lines.index("As things stand") + 2
                asked += 1
            await do_step(app, pilot)
    assert asked > 10


@each
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50), (200, 60)], ids=str)
async def test_how_far_a_lesson_has_come_stays_in_its_place_from_step_to_step(
    game_id: str, size: tuple[int, int], stage: Stage
) -> None:
    found = set()
    async with stage.play(size=size, games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            await at_rest(pilot)
            lines = enumerate(lines_beside(app))
            found.add(tuple(row for row, line in lines if re.fullmatch("[◉▶○]{8,}|Lesson steps", line)))
            await do_step(app, pilot)
    # where the words need every row, their heading alone tells it
    assert [len(rows) for rows in found if rows] == [1]


async def test_pages_that_were_read_are_not_shown_again_until_the_lesson_is_restarted(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        assert app.pages_read == {("land_cards", 1)}
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: not isinstance(app.screen, TableScreen))
        await app.request(lambda number: OpenLesson(number, "land_cards", "Anna"))
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and can_act(app))
        await at_rest(pilot)
        assert not is_reading(app)
        await pilot.press("z")
        await until(pilot, lambda: not isinstance(app.screen, TableScreen))
        await pilot.press("y")
        await until(pilot, lambda: is_reading(app))


async def test_the_cursor_is_on_the_card_that_a_step_asks_for(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        marked = 0
        while not is_at_end(app):
            (wanted,) = lesson_in(app).wanted
            if board_in(app).places(wanted):
                assert board_in(app).candidate() == wanted
                marked += 1
            await do_step(app, pilot)
        assert marked == 9


@each
async def test_while_a_lesson_waits_to_go_on_nothing_tells_what_the_cursor_would_do(
    game_id: str, stage: Stage
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        waited = 0
        while not is_at_end(app):
            await play_step(app, pilot)
            await at_rest(pilot)
            for key in ("tab", "down", "left") * (not is_at_end(app) and lesson_in(app).skips is not None):
                assert "▶" not in re.sub("[◉▶○]{3,}", "", beside(app))
                await pilot.press(key)
                await at_rest(pilot)
                waited += 1
            await skip_ahead(app, pilot)
    assert waited


async def test_the_prompt_names_the_key_of_a_law_card_that_a_step_asks_for(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        while "play your law" not in render(lesson_in(app).asks or text("nothing")):
            await do_step(app, pilot)
        await at_rest(pilot)
        assert shown(app, "prompt") == "1 plays “Several countries”."
        await pilot.press("1")
        await until(pilot, lambda: can_act(app) and not shown(app, "prompt").startswith("1 "))


async def test_enter_alone_plays_what_is_marked_on_the_map_and_the_prompt_says_so_each_time(
    stage: Stage,
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "web_of_power")
        marked = 0
        while not is_at_end(app):
            await at_rest(pilot)
            lesson, ply = lesson_in(app), scene_in(app).match.ply
            if not board_in(app).places(lesson.wanted[0]):
                await do_step(app, pilot)
                continue
            assert re.search(r"\bEnter (or Tab )?[a-z]+s\b", shown(app, "prompt"))
            await pilot.press("enter")
            await at_rest(pilot)
            marked += 1
            if scene_in(app).match.ply != ply:
                await until(pilot, lambda before=lesson: goes_on(app, before))  # type: ignore[misc]
                await skip_ahead(app, pilot)
    assert marked


async def test_an_open_drawer_leaves_what_a_lesson_says_in_sight_where_there_is_room(stage: Stage) -> None:
    async with stage.play(size=(120, 40), games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        await pilot.press("s")
        await until(pilot, lambda: side_in(app).drawer == "sheet")
        await at_rest(pilot)
        assert any(line.startswith("Score sheet") for line in lines_beside(app))
        assert_says(app, lesson_in(app))


@each
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_all_of_every_page_before_and_after_a_lesson_is_in_sight(
    game_id: str, size: tuple[int, int], stage: Stage
) -> None:
    async with stage.play(size=size, games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))
        left = [words for page in lesson_in(app).intro for words in render(page).split("\n\n")]
        while is_reading(app):
            await at_rest(pilot)
            there = whole_screen(app)
            assert squeezed(left[0]) in there
            while left and squeezed(left[0]) in there:
                left.pop(0)
            assert_buttons_in_sight(app)
            await pilot.press("enter")
        assert not left
        await read_pages(app, pilot)
        while not is_at_end(app):
            await do_step(app, pilot)
        await at_rest(pilot)
        for line in (lesson_in(app).told, *lesson_in(app).learnt):
            assert line is None or squeezed(render(line)) in whole_screen(app)
        assert_buttons_in_sight(app)


@each
@pytest.mark.parametrize(("size", "covered"), [((80, 24), 11), ((120, 40), 0), ((200, 60), 0)], ids=str)
async def test_pages_leave_the_board_and_everybody_s_cards_in_sight_and_as_they_are(
    game_id: str, size: tuple[int, int], covered: int, stage: Stage
) -> None:
    async with stage.play(size=size, games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        table, places = app.screen_stack[-2], set()
        board = table.query_one(Board)
        people, names = table.query_one(SidePanel).people, table.query_one(SidePanel).name_rows
        while is_reading(app):
            await at_rest(pilot)
            frame = app.screen.query_one("#lesson-page").region
            places.add(frame)
            assert app.screen.styles.background.a == 0, "nothing is dimmed"
            hidden = board.region.intersection(frame)
            in_sight = board.uncut(board.size.height - covered)  # no row of cards is cut through
            assert hidden.height * bool(hidden.width) <= board.size.height - in_sight
            assert frame.y > people.region.y + max(names.values())
            await pilot.press("enter")
        assert len(places) == 1, "nothing jumps as they are turned"


async def test_what_a_page_on_a_small_screen_tells_of_a_contest_is_seen_above_it(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, "land_cards", "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        while squeezed("In Bayern,") not in whole_screen(app):
            assert squeezed("As things stand") not in whole_screen(app)  # no page before speaks of it
            await pilot.press("enter")
            await at_rest(pilot)
        page, people = app.screen.query_one("#lesson-page"), app.screen_stack[-2].query_one("#people")
        above = [people.render_line(y).text for y in range(page.region.y - people.region.y)]
        (bayern,) = (line for line in above if line.strip().startswith("BAY"))
        assert "1☼2" in bayern


@pytest.mark.parametrize("game_id", ["ku_ka_king", "land_cards"])
async def test_pages_over_a_small_screen_cut_through_no_row_of_cards(game_id: str, stage: Stage) -> None:
    async with stage.play(games=faces(), size=(80, 24)) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        board = app.screen_stack[-2].query_one(Board)
        top = app.screen.query_one("#lesson-page").region.y - board.region.y
        things = {board.region_of(thing) for thing in range(4)}
        rows = [y for region in things for y in range(region.y + 1, region.bottom)]
        assert top > min(rows)
        assert top not in rows


async def test_what_has_just_happened_is_drawn_from_the_page_on_which_explains_its_signs(
    stage: Stage,
) -> None:
    async with stage.play(games=faces(), size=(80, 24)) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, "land_cards", "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        board = app.screen_stack[-2].query_one(Board)
        assert isinstance(board, LandCardsBoard)
        taken, seat = next(iter(board._traces.taken.items()))

        def has_trace() -> bool:
            card = board.region_of(taken)
            rows = [board.render_line(y).crop(card.x, card.right).text for y in range(card.y, card.bottom)]
            return board.glyphs.owner(seat) in "".join(rows)

        while squeezed("A faint card") not in whole_screen(app):
            assert not has_trace()
            await pilot.press("enter")
            await at_rest(pilot)
        assert has_trace()


@each
async def test_what_is_asked_for_is_marked_from_the_last_page_on_which_says_so(
    game_id: str, stage: Stage
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        board, seen = app.screen_stack[-2].query_one(Board), list[tuple[bool, bool]]()
        while is_reading(app):
            await at_rest(pilot)
            seen.append(
                (squeezed("What the lesson asks for is marked") in whole_screen(app), bool(board._lit))
            )
            await pilot.press("enter")
        assert seen == [(False, False)] * (len(seen) - 1) + [(True, True)]
        assert len(seen) > 1


@each
@pytest.mark.parametrize("language", languages())
async def test_a_page_that_is_parted_for_a_small_screen_leaves_none_nearly_empty_in_any_language(
    game_id: str, language: str, stage: Stage
) -> None:
    async with stage.play(size=(80, 24), games=faces(), language=language) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, game_id, "Anna"))
        while not is_at_end(app):
            await until(pilot, lambda: is_reading(app) or (can_act(app) and lesson_in(app).wanted))
            await at_rest(pilot)
            read, whole = 0, len(lesson_in(app).intro)
            while is_reading(app):
                await at_rest(pilot)
                assert app.screen.query_one("#words", Static).size.height >= 3
                read += 1
                await pilot.press("enter")
            assert read <= whole + 1
            await do_step(app, pilot)


async def test_pages_take_the_place_of_a_step_s_words_beside_the_board_and_give_it_back(stage: Stage) -> None:
    async with stage.play(size=(120, 40), games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, "web_of_power", "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        assert "Lesson, 1 of" not in "\n".join(lines_of(app))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: app.screen.query_one("#lesson-page").region.width == 80)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: app.screen.query_one("#lesson-page").region.x > board_width(app))
        await read_pages(app, pilot)
        await at_rest(pilot)
        assert_says(app, lesson_in(app))


def board_width(app: KkApp) -> int:
    return app.screen_stack[-2].query_one(Board).region.width


def assert_buttons_in_sight(app: KkApp) -> None:
    buttons = [*app.screen.query(LineButton)]
    assert buttons
    assert all(squeezed(str(button.render())) in whole_screen(app) for button in buttons)


def whole_screen(app: KkApp) -> str:
    """All that is in sight of the page in front, without blanks and frames."""
    strips = app.screen._compositor.render_strips()
    frames = app.screen.query("#lesson-page")
    if is_reading(app) and frames:
        x, y, width, height = frames.first().region
        strips = [Strip(strip).crop(x, x + width) for strip in strips[y : y + height]]
    lines = "".join("".join(segment.text for segment in line) for line in strips)
    return re.sub(r"[│╭╮╰╯─]", "", squeezed(lines))


@each
@pytest.mark.parametrize("language", languages())
async def test_the_sentence_that_meets_another_move_is_in_sight_at_every_step(
    game_id: str, language: str, stage: Stage
) -> None:
    async with stage.play(games=faces(), language=language) as (app, pilot):
        await learn(app, pilot, game_id)
        keys = cycle(("u", "escape", "enter"))
        while not is_at_end(app):
            before = lesson_in(app)
            if await stray(app, pilot):
                assert_says(app, lesson_in(app))
                assert lesson_in(app).asks == before.asks
                assert_marked(app)
                assert says(app, text("{key} takes it back.", key="u"))
                await pilot.press(next(keys))
                await until(pilot, lambda before=before: lesson_in(app) == before and can_act(app))  # type: ignore[misc]
            await do_step(app, pilot)


async def stray(app: KkApp, pilot: Running) -> bool:
    """Make a move that is not asked for; return False where there is none, or it is refused."""
    others = sorted(scene_in(app).legal - {*lesson_in(app).wanted})
    if not others:
        return False
    ply = scene_in(app).match.ply
    try:
        await app.request(lambda number: Play(number, 0, ply, others[0]))
    except KkError:
        return False
    await until(pilot, lambda: lesson_in(app).strayed)
    await at_rest(pilot)
    return True


@each
async def test_pointing_at_what_is_asked_for_takes_another_move_back_and_does_it(
    game_id: str, stage: Stage
) -> None:
    tried = 0
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            before = lesson_in(app)
            if await stray(app, pilot):
                app.press_guard.press("mouse")
                board_in(app).post_message(Board.Chosen(before.wanted[0]))
                await until(pilot, lambda before=before: goes_on(app, before))  # type: ignore[misc]
                await skip_ahead(app, pilot)
                if not is_at_end(app):
                    await read_pages(app, pilot)
                tried += 1
            else:
                await do_step(app, pilot)
    assert tried


def goes_on(app: KkApp, before: LessonView) -> bool:
    if is_at_end(app):
        return True
    now = lesson_in(app)
    is_asked = now.wanted and (is_reading(app) or can_act(app))
    return not now.strayed and now != before and bool(is_asked or now.skips)


@each
async def test_what_is_meant_is_marked_on_the_board_wherever_it_has_a_place_there(
    game_id: str, stage: Stage
) -> None:
    marked = 0
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            await at_rest(pilot)
            marked += assert_marked(app)
            await do_step(app, pilot)
    assert marked


def assert_marked(app: KkApp) -> int:
    """Check that all places of what is asked for are marked, and return their number."""
    board = board_in(app)
    places = [place for move in lesson_in(app).wanted for place in board.places(move)]
    lines = board.render_lines(board.size.region)
    for place in places:
        marks = [*board.marks(place)]
        assert marks
        for x, y, sign in marks:
            assert not place.contains(x, y), "nothing of the place itself is covered"
            assert lines[y].crop(x, x + 1).text == board.glyphs[sign]
    return len(places)


@each
async def test_nothing_is_animated_where_a_lesson_skips_ahead(
    game_id: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while lesson_in(app).skips is None:
            await play_step(app, pilot)
        await at_rest(pilot)
        played: list[object] = []
        monkeypatch.setattr(BoardScoringPlayer, "draw", lambda _player, step: played.append(step))
        await skip_ahead(app, pilot)
        assert not played


def lessons_offered(app: KkApp) -> list[str]:
    return [button.id or "" for button in app.screen.query_one(LessonRow).offered]


async def test_a_newcomer_is_led_to_the_lessons_first(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.focused, LineButton))
        assert lessons_offered(app) == [f"lesson-{game_id}" for game_id in GAMES]
        assert "New to this game?" in shown(app, "prompt")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))


async def test_whoever_knows_the_games_finds_the_one_they_played_last_in_focus(
    stage: Stage, tmp_path: Path
) -> None:
    games, recent = faces(), RecentFile(tmp_path / "recent.json")
    last = list(games)[-1]
    recent.save(Recent(game=last, learnt=tuple(games)))
    async with stage.play(games=games, recent=recent) as (app, pilot):
        await until(pilot, lambda: isinstance(app.focused, GameCard))
        assert isinstance(app.focused, GameCard)
        assert app.focused.shown.meta.id == last


async def test_beside_the_lessons_a_game_that_has_none_to_offer_is_reached_at_its_card(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = GAMES[:2]
    lessons = stage.hub.lessons

    async def without_other(user: str) -> tuple[LessonLine, ...]:
        return tuple(line for line in await lessons(user) if line.game != other)

    monkeypatch.setattr(stage.hub, "lessons", without_other)
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: lessons_offered(app))
        app.screen.query_one(f"#lesson-{first}").focus()
        way = []
        for key in ("right", "left", "down", "up"):
            await pilot.press(key)
            way.append(app.focused and app.focused.id)
        assert way == [f"game-{other}", f"game-{first}", f"lesson-{first}", f"game-{first}"]
        # below a card without a lesson comes whatever is below the lessons
        await pilot.press("right", "down")
        assert app.focused is app.screen.query_one("#daily")


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


async def test_who_has_finished_a_match_of_a_game_is_offered_its_lesson_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: lessons_offered(app))
        assert (await stage.hub.lessons("anna"))[0].is_new
        monkeypatch.setattr(stage.hub.history, "games_of", every_game)
        await app.request(lambda number: OpenLesson(number, GAMES[0]))
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and lessons_offered(app))
        await until(pilot, lambda: not app.screen.query_one(LessonRow).new)
        assert sum(line.count("Learn again") for line in lines_of(app)) == len(GAMES)
        app.screen.query_one(f"#game-{GAMES[0]}").focus()
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))


async def every_game(_user: str, _least: int) -> frozenset[str]:
    return frozenset(game_ids())


@each
async def test_escape_leaves_a_lesson_at_once_and_it_goes_on_from_the_first_screen(
    game_id: str, stage: Stage
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
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
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))
        await read_pages(app, pilot)
        assert lesson_in(app).step == 1


@each
async def test_after_a_lesson_a_match_is_offered_and_no_winner_is_called(game_id: str, stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, game_id)
        while not is_at_end(app):
            await do_step(app, pilot)
        end = app.screen
        for key, chosen in (("n", "off"), ("h", "all")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#coach"))
            await at_rest(pilot)
            assert app.screen.query_one("#coach", LineSelect).value == chosen
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is end)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await at_rest(pilot)
        assert "The lesson's match, scored" in written(app, "#verdict")
        assert not app.screen.query_one("#podium").display
        assert "rematch" not in keys_of(app)


async def test_escape_goes_back_to_the_board_at_the_end_of_a_lesson_and_enter_to_the_end(
    stage: Stage,
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "land_cards")
        while not is_at_end(app):
            await do_step(app, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("enter")
        await until(pilot, lambda: is_at_end(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("escape")  # nobody loses the scoring by one key too many
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("u")
        await until(pilot, lambda: lesson_in(app).wanted and can_act(app))
        await do_step(app, pilot)
        assert is_at_end(app)


async def test_over_the_points_beside_a_step_stands_what_they_are_from_the_first_to_the_last(
    stage: Stage,
) -> None:
    async with stage.play(size=(120, 40), games=faces()) as (app, pilot):
        await learn(app, pilot, "web_of_power")
        while not is_at_end(app):
            await at_rest(pilot)
            is_scored = any(scene_in(app).observation.points)
            heading = "scored (total now)" if is_scored else "(as things stand)"
            assert lines_beside(app)[0].strip() == heading
            await do_step(app, pilot)


async def test_the_key_that_leaves_does_so_from_any_page_before_a_step(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, "web_of_power", "Anna"))
        await until(pilot, lambda: is_reading(app))
        await at_rest(pilot)
        await pilot.press("enter", "q")
        await until(pilot, lambda: not is_reading(app))
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen | MenuScreen))


async def test_the_prompt_names_the_keys_that_a_step_to_discard_names(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "web_of_power")
        while lesson_in(app).step < 8:
            await do_step(app, pilot)
        await at_rest(pilot)
        asked = re.search(r"press (\d)", render(lesson_in(app).asks or text("nothing")))
        assert asked is not None
        assert shown(app, "prompt").startswith(f"{asked[1]} chooses the card")
        await pilot.press(asked[1])
        await until(pilot, lambda: shown(app, "prompt").startswith("x discards the chosen card"))
        await pilot.press("x")
        await until(pilot, lambda: lesson_in(app).step == 9)


async def test_the_lesson_teaches_that_a_row_called_by_its_number_is_confirmed_as_in_a_match(
    stage: Stage,
) -> None:
    asking = SessionSettings(AppSettings(motion="off", confirm=True))
    async with stage.play(games=faces(), settings=asking) as (app, pilot):
        await learn(app, pilot, "ku_ka_king")
        assert "press 3, then Enter to confirm" in render(lesson_in(app).asks or text("nothing"))
        await pilot.press("3")
        await until(pilot, lambda: shown(app, "prompt").startswith("It counts as soon as all have chosen"))
        assert lesson_in(app).step == 1
        await pilot.press("enter")
        await until(pilot, lambda: lesson_in(app).step == 2)


async def test_a_key_for_hints_says_where_help_stands_in_a_lesson(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "ku_ka_king")
        await pilot.press("h")
        await until(pilot, lambda: "shown beside the board" in shown(app, "prompt"))


async def test_enter_does_what_is_marked_while_nothing_is_pointed_at(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "ku_ka_king")
        await pilot.press("enter")
        await until(pilot, lambda: lesson_in(app).step == 2)


async def test_escape_turns_the_pages_back_and_leaves_the_lesson_from_the_first(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await app.request(lambda number: OpenLesson(number, "ku_ka_king", "Anna"))
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))
        await pilot.press("enter")
        await until(pilot, lambda: "page 2" in title_of_page(app))
        await pilot.press("escape")
        await until(pilot, lambda: "page 1" in title_of_page(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_a_lesson_that_was_finished_can_be_taken_again(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await learn(app, pilot, "ku_ka_king")
        while not is_at_end(app):
            await do_step(app, pilot)
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and lessons_offered(app))
        row = app.screen.query_one(LessonRow)
        await until(pilot, lambda: "ku_ka_king" not in row.new)
        assert "land_cards" in row.new
        assert isinstance(app.focused, GameCard)
        assert app.focused.shown.meta.id == "ku_ka_king", "played last"
        app.screen.query_one("#lesson-ku_ka_king").focus()
        await until(pilot, lambda: "this game's lesson again" in shown(app, "prompt"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonIntro))


async def test_the_lobby_of_a_server_has_lessons_too(stage: Stage) -> None:
    async with stage.play(games=faces(), local=False) as (app, pilot):
        await until(pilot, lambda: "z teaches" in shown(app, "prompt") and "z learn" in keys_of(app))
        await pilot.press("z")
        await read_pages(app, pilot)
        assert lesson_in(app).step == 1
    async with stage.play("ben", games=faces(), local=False, size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and lessons_offered(app))
        app.screen.query_one(f"#lesson-{GAMES[0]}").focus()
        await pilot.press("enter")
        await read_pages(app, pilot)
        assert lesson_in(app).step == 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_in_the_lobby_a_key_teaches_the_game_under_the_cursor_or_played_last(stage: Stage) -> None:
    async with stage.play(games=faces(), local=False) as (app, pilot):
        await learn(app, pilot, GAMES[-1])
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and "Enter continue" in keys_of(app))
        assert "Enter continues your lesson" in shown(app, "prompt")
        assert any(line.split()[:1] == ["lesson"] for line in lines_of(app))
        assert "by invitation" not in "\n".join(lines_of(app))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen))
        assert app.screen.query_one("#which", LineSelect).value == GAMES[-1]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        app.screen.query_one("#daily").focus()
        await pilot.press("z")
        await until(pilot, lambda: app.store.table is not None and app.store.scene is not None)
        assert lesson_in(app) is not None
        assert scene_in(app).table.game == GAMES[-1]


async def test_an_unfinished_lesson_takes_nobody_away_from_the_lobby(stage: Stage) -> None:
    async with stage.play(games=faces(), local=False) as (app, pilot):
        await learn(app, pilot, GAMES[0])
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: app.store.lobby is not None)
    async with stage.play(games=faces(), local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.store.lobby is not None
        assert [table.lesson for table in app.store.lobby.own] == [True]


@pytest.mark.parametrize("lines", [3, 12, 40])
async def test_the_button_of_a_page_stays_in_sight_however_long_the_page_is(stage: Stage, lines: int) -> None:
    async with stage.play() as (app, pilot):
        words = text("\n".join(map(str, range(lines))))
        page = LessonIntro(
            text("{game}", game="Ku-Ka-King"),
            [words],
            lambda: None,
            lambda _rows: Region(),
            lambda row: row,
            lambda _words: None,
        )
        await app.push_screen(page)
        await at_rest(pilot)
        button, within = page.query_one(LineButton), page.query_one(VerticalScroll)
        assert page.find_widget(button).visible_region.height == 1
        assert within.region.bottom <= button.region.y
        assert within.max_scroll_y + within.size.height >= lines
