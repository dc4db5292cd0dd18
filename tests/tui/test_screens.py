"""Small things that every screen has to get right, whatever games there are."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual._compositor import ReflowResult
from textual.events import Key
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input, OptionList

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    ClientMessage,
    GoTo,
    Look,
    OpenReplay,
    OpenTable,
    Play,
    Propose,
    SetBot,
    Start,
    TakeSeat,
)
from kk_core.text import text
from kk_core.types import totals
from kk_core.views import SeatView, TableLine, TableView, encode_place
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.base import KkScreen
from kk_tui.screens.chat import ChatScreen
from kk_tui.screens.dialogs import ConfirmScreen, HandoverDialog
from kk_tui.screens.game_card import CoverView, GameCard
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.history import LeaderboardScreen, PastMatchesScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.settings import NAMELESS
from kk_tui.terminal.rows import RowCompositor
from kk_tui.widgets import points as looks
from kk_tui.widgets.form import LineButton, LineSelect
from kk_tui.widgets.options import OpenList
from tests.tui.conftest import Elsewhere, Running, Stage, at_rest, shown, until
from tests.tui.plain import MADE_UP, made_up
from tests.tui.playing import at_table, begin, board_in, can_act, is_over, keys_of, scene_in, sit_down
from tests.tui.scenes import lines_of, match_of, scene_of_match


def picture(app: KkApp) -> str:
    """The screen in front as text."""
    return "\n".join(lines_of(app))


async def seat_bots(app: KkApp, stage: Stage) -> None:
    """A table with bots only, started."""
    await sit_down(app, stage.game, stage.seats)


async def test_the_first_screens_look_as_before(stage: Stage, snapshot: SnapshotAssertion) -> None:
    async with stage.play(games={MADE_UP.id: made_up()}) as (app, pilot):
        assert picture(app) == snapshot(name="menu")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        await at_rest(pilot)
        assert picture(app) == snapshot(name="new game")


async def test_a_screen_is_laid_out_once_when_it_comes_up_and_the_one_beneath_not_at_all(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    reflow, laid_out = RowCompositor.reflow, list[object]()

    def reflowed(compositor: RowCompositor, parent: Widget, size: Size) -> ReflowResult:
        laid_out.append(type(parent))
        return reflow(compositor, parent, size)

    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await at_rest(pilot)
        monkeypatch.setattr(RowCompositor, "reflow", reflowed)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "0 %" in shown(app, "header"))
        await at_rest(pilot)
        assert laid_out == [HelpScreen]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await at_rest(pilot)
        assert laid_out == [HelpScreen]


@pytest.mark.parametrize("is_collected", [False, True])
async def test_a_layout_that_a_widget_asks_for_is_not_lost_when_something_scrolls_first(
    stage: Stage, *, is_collected: bool
) -> None:
    async with stage.play(games=faces(), size=(120, 40)) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        screen, cover = app.screen, app.screen.query_one(CoverView)
        await at_rest(pilot)
        screen._refresh_layout(scroll=True)  # the first one looks at all widgets
        cover.styles.width = 20
        if is_collected:  # as `at_once` does for the changes of a key
            cover.take_change()
            screen._layout_required = screen._scroll_required = True
            screen._on_timer_update()
        else:  # before its request is on its way
            screen._refresh_layout(scroll=True)
        await until(pilot, lambda: cover.outer_size.width == 20)


async def test_a_screen_that_goes_gives_the_focus_to_none_of_its_widgets(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.focused)
        form, had = app.screen, app.screen.focused
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and not form.is_running)
        assert had is not None
        assert form.focused is had


async def test_games_are_offered_in_the_order_that_their_metas_ask_for(stage: Stage) -> None:
    order = [game for _place, game in sorted((face.meta.order, game) for game, face in faces().items())]
    assert list(faces()) == order
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        game = app.screen.query_one("#game", LineSelect)
        game.focus()
        seen = []
        for _ in order:
            seen.append(game.value)
            await pilot.press("right")
        assert seen == order


async def test_the_waiting_room_looks_as_before(elsewhere: Elsewhere, snapshot: SnapshotAssertion) -> None:
    app = KkApp(elsewhere.connect, local=False, games={MADE_UP.id: made_up()})
    async with app.run_test(size=(80, 24)) as pilot:
        free = [SeatView("", None, None, False, colour) for colour in range(3)]
        seats = (free[0], SeatView("Midas", None, "greedy", True, 1), free[2])
        options = (("wind", "south"),)
        table = TableView("t", "Friday", "anna", MADE_UP.id, options, False, "open", seats, None, None)
        await elsewhere.show(encode_place(table))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.user)
        await at_rest(pilot)
        assert picture(app) == snapshot


async def test_the_seat_of_somebody_else_is_neither_offered_nor_given_to_a_bot(stage: Stage) -> None:
    async with (
        stage.play(local=False) as (anna, _pilot),
        stage.play("beate", local=False) as (beate, other),
    ):
        await anna.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await anna.request(lambda n: TakeSeat(n, 0))
        table = anna.store.table
        assert table is not None
        await beate.request(lambda n: GoTo(n, table.id))
        await until(
            other, lambda: isinstance(beate.screen, TableSetupScreen) and beate.screen.query("#seats")
        )
        await until(other, lambda: "take the seat" in keys_of(beate))
        await other.press("up")
        await until(other, lambda: "take the seat" not in keys_of(beate))
        assert "bot" not in keys_of(beate)


async def test_at_a_server_the_form_opens_a_table_and_does_not_begin_a_match(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#count"))
        assert "g open the table" in keys_of(app)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats == (0,))
        assert shown(app, "header") == "Table: anna"


async def test_why_no_table_could_be_opened_is_told_no_more_once_the_host_has_said_something_newer(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.is_alive)
        stage.hub.stop_opening(text("This server will stop in 2 minutes."))
        await pilot.press("g")
        await until(pilot, lambda: "in 2 minutes" in shown(app, "prompt"))
        stage.hub.stop_opening(text("This server will stop in a minute."))
        await until(pilot, lambda: app.kept_notice is not None and "in a minute" in picture(app))
        assert shown(app, "prompt").startswith("Enter opens the table")
        await pilot.press("g")
        await until(pilot, lambda: "in a minute" in shown(app, "prompt"))


async def test_enter_on_a_game_and_once_more_begins_that_game(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        # a newcomer is led to the lessons under the games
        await until(pilot, lambda: app.focused and app.focused.id == "lesson-land_cards")
        await pilot.press("up", "right", "enter")
        await until(
            pilot, lambda: isinstance(app.screen, NewGameScreen) and app.focused and app.focused.id == "begin"
        )
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.store.table is not None
        assert app.store.table.game == list(faces())[1]


@pytest.mark.parametrize("game", [game for game, face in faces().items() if face.scored_lines is not None])
async def test_a_line_about_a_table_shows_points_in_the_look_that_they_have_there(
    game: str, stage: Stage
) -> None:
    face = faces()[game]
    scenes = (scene_of_match(match_of(game, face.meta.min_seats, plies)) for plies in range(300))
    scene = next(scene for scene in scenes if any(scene.observation.points))
    assert face.scored_lines is not None
    are_scored = scene.observation.points == totals(scene.observation.sheet[: face.scored_lines(scene)])
    async with stage.play(games=faces()) as (app, _pilot):
        assert isinstance(app.screen, MenuScreen)
        for points, phase, look in (
            ((7, 0, 5), "playing", looks.scored if are_scored else looks.standing),
            ((0, 0, 0), "playing", None if are_scored else looks.standing),
            ((7, 0, 5), "finished", looks.scored),
        ):
            line = TableLine("", "", game, phase, (), round=1, points=points)
            words, style = ("", "") if look is None else look(points[0])
            assert app.screen.points_of(line, 0) == (f" {words}" if words else "", style)
            assert app.screen.points_of(line, len(points)) == ("", "")


@pytest.mark.parametrize("local", [True, False])
async def test_enter_begins_a_match_wherever_the_form_was_opened(stage: Stage, *, local: bool) -> None:
    async with stage.play("anna", local=local, games=faces()) as (app, pilot):
        for key in ("n", "enter"):
            app.screen.query(GameCard)[1].focus()
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.focused)
            await at_rest(pilot)
            assert app.focused is not None
            assert app.focused.id == "begin"
            assert app.screen.query_one("#game", LineSelect).value == list(faces())[1]
            assert shown(app, "prompt").startswith("Enter ")
            await pilot.press("up")
            await at_rest(pilot)
            assert shown(app, "prompt").startswith("Up and down ")
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, NewGameScreen))


async def test_the_cursor_begins_where_there_is_something_to_do(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, 3))
    await table.take_seat("beate", 0, "Beate")
    async with stage.play("carl", local=False) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and cursor(app) == 1)
        await pilot.press("enter")
        await until(pilot, lambda: app.my_seats == (1,))
        await table.take_seat("dora", 2, "Dora")
        await until(pilot, lambda: "press g when you're ready" in shown(app, "prompt"))
        assert cursor(app) == 1
    async with stage.play("beate", local=False) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and cursor(app) == 0)


def cursor(app: KkApp) -> int | None:
    """The seat under the cursor of the waiting room."""
    return app.screen.query_one(OptionList).highlighted


async def test_a_spectator_sees_the_match_to_its_end_and_is_offered_no_rematch(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, stage)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        assert app.my_seats == ()
        assert "rematch" not in [action.name for action in app.screen.actions()]  # type: ignore[attr-defined]


async def test_another_game_can_be_chosen_before_the_form_of_a_new_game_is_filled_in(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        for key in ("n", "right"):
            app.post_message(Key(key, None))
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        await at_rest(pilot)
        assert isinstance(app.screen, NewGameScreen)
        options = app.faces[app.screen.game_chosen].meta.options
        assert len(app.screen.query("#details LineSelect")) >= len(options)
        for option in options:
            assert not app.screen.query_one(f"#option-{option.name}").display


async def play_alone(app: KkApp, pilot: Running, stage: Stage) -> None:
    """Play a match against bots to its end."""
    await sit_down(app, stage.game, stage.seats, 0)
    await until(pilot, lambda: can_act(app))
    while not is_over(app):
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) or is_over(app))


async def test_a_rematch_closes_the_result_under_the_chat_once_the_chat_is_closed(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await play_alone(app, pilot, stage)
        app.show_chat("good ga")
        await until(pilot, lambda: isinstance(app.screen, ChatScreen) and app.screen.is_alive)
        await app.request(lambda number: Propose(number, "rematch"))
        await until(pilot, lambda: not scene_in(app).is_over)
        await at_rest(pilot)
        assert isinstance(app.screen, ChatScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_a_rematch_closes_the_replay_under_the_chat_once_the_chat_is_closed_and_is_told_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, take = list[str](), KkApp.on_kk_app_noticed

    def noted(app: KkApp, event: KkApp.Noticed) -> None:
        told.append(render(event.notice.text))
        take(app, event)

    monkeypatch.setattr(KkApp, "on_kk_app_noticed", noted)
    async with stage.play(local=False) as (app, pilot):
        await play_alone(app, pilot, stage)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        first = scene_in(app).names[1]
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await at_rest(pilot)
        app.show_chat("good ga")
        await until(pilot, lambda: isinstance(app.screen, ChatScreen) and app.screen.is_alive)
        await app.request(lambda number: Propose(number, "rematch"))
        await until(pilot, lambda: not scene_in(app).is_over)
        for _time in range(3):
            app.post_message(KkApp.PlaceChanged())
            await at_rest(pilot)
        assert isinstance(app.screen, ChatScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await at_rest(pilot)
        assert told == [f"Rematch: all move up a seat, and {first} goes first."]


async def test_a_cover_that_has_become_needless_under_the_help_goes_once_the_help_is_closed(
    stage: Stage,
) -> None:
    async with stage.play(secrets=True) as (app, pilot):
        await begin(app, pilot, humans=2)
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and app.screen.is_alive)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_alive)
        seat = next(iter(scene_in(app).observation.active))
        await app.request(lambda number: Look(number, seat))
        await until(pilot, lambda: scene_in(app).viewer == seat)
        await at_rest(pilot)
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_the_menu_of_a_table_that_is_gone_goes_with_all_that_lies_over_it(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.is_alive)
        app.show_help()
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_alive)
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await at_rest(pilot)
        assert len(app.screen_stack) == 2


async def test_a_spectator_who_tries_to_move_is_told_that_he_is_watching_and_leaves_without_a_question(
    stage: Stage,
) -> None:
    anna = stage.hub.connect("anna")
    await anna.send(OpenTable(1, stage.game, {}, stage.seats))
    await anna.send(TakeSeat(2, 0))
    for seat in range(1, stage.seats):
        await anna.send(SetBot(2 + seat, seat, "random"))
    await anna.send(Start(99))
    async with stage.play("beate", local=False) as (app, pilot):
        await until(pilot, lambda: app.store.lobby and app.store.lobby.tables)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("x")
        await until(pilot, lambda: "watching" in shown(app, "prompt"))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    await anna.close()


async def test_hosted_players_are_not_offered_to_save_files(stage: Stage) -> None:
    async with stage.play(local=False, records=None) as (app, pilot):
        await seat_bots(app, stage)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        assert "save" not in [action.name for action in app.screen.actions()]  # type: ignore[attr-defined]


async def test_a_record_that_cannot_be_saved_is_explained(stage: Stage) -> None:
    stage.records.write_text("a file where the folder should be")
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, stage)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await pilot.press("w")
        await until(pilot, lambda: "Couldn't save" in shown(app, "prompt"))


async def test_esc_on_the_result_shows_the_final_board_and_enter_the_result_again(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, stage)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await pilot.press("escape")
        await until(pilot, lambda: "match is over" in shown(app, "prompt"))
        said = str(board_in(app).perform("rematch"))
        assert said == "r (rematch) is on the result page; Enter opens it."
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_the_program_asks_first(stage: Stage, key: str) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("left", "enter")
        await until(pilot, lambda: not app.is_running)


async def test_who_comes_for_a_table_sees_and_presses_nothing_of_the_first_screen_on_the_way(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[MenuScreen] = []
    monkeypatch.setattr(MenuScreen, "on_mount", lambda screen: shown.append(screen))
    async with stage.play(go_to=await running(stage)) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        assert not shown
        await pilot.press("q", "left", "enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def running(stage: Stage) -> str:
    """A match of Anna against bots; gives its table."""
    table = await stage.hub.open_table("anna", OpenTable(0, stage.game, {}, stage.seats))
    await table.take_seat("anna", 0, "")
    for seat in range(1, stage.seats):
        await table.set_bot("anna", seat, "random")
    await table.start("anna")
    return table.id


async def test_back_on_the_first_screen_the_cursor_is_on_the_match_that_was_left(stage: Stage) -> None:
    tables = {await running(stage), await running(stage)}
    async with stage.play() as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(OpenList).option_count == len(tables))
        for table in sorted(tables) * 2:
            await app.request(lambda number, table=table: GoTo(number, table))  # type: ignore[misc]
            await until(pilot, lambda: isinstance(app.screen, TableScreen) and can_act(app))
            await pilot.press("q", "y")
            await until(pilot, lambda: isinstance(app.screen, MenuScreen) and app.screen.is_alive)
            going = app.screen.query_one(OpenList)
            await until(pilot, lambda: app.focused is going)  # noqa: B023
            assert going.highlighted_option is not None
            assert going.highlighted_option.id == table


async def test_back_from_a_match_that_is_over_the_cursor_is_on_its_game_and_not_on_another_match(
    stage: Stage,
) -> None:
    other = await running(stage)
    async with stage.play() as (app, pilot):
        await play_alone(app, pilot, stage)
        await pilot.press("q", "y")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and app.screen.is_alive)
        await until(pilot, lambda: app.screen.query_one(OpenList).option_count == 1)
        assert [option.id for option in app.screen.query_one(OpenList).options] == [other]
        await until(pilot, lambda: isinstance(app.focused, GameCard))


async def test_back_from_a_past_match_the_cursor_is_on_the_matches_that_go_on(stage: Stage) -> None:
    await running(stage)
    async with stage.play() as (app, pilot):
        await play_alone(app, pilot, stage)
        assert app.store.table is not None
        table = app.store.table.id
        await app.request(lambda number: OpenReplay(number, table, 1))
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_alive)
        await app.request(lambda number: GoTo(number, None))
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and app.screen.is_alive)
        await until(pilot, lambda: app.focused is app.screen.query_one(OpenList))


@pytest.mark.parametrize("key", ["enter", "n"])
async def test_enter_alone_answers_a_question_with_what_does_no_harm(stage: Stage, key: str) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_an_answer_that_is_given_twice_at_once_counts_once_and_takes_no_other_screen_along(
    stage: Stage, answer: str
) -> None:
    done: list[str] = []
    async with stage.play() as (app, pilot):
        below = app.screen
        for _ in range(2):
            question = ConfirmScreen(text("Go on?"), lambda: done.append("yes"))
            await app.push_screen(question)
            button = question.query_one(f"#{answer}", LineButton)
            button.action_press()
            button.action_press()
            await until(pilot, lambda: app.screen is below)
            await at_rest(pilot)
            assert app.screen_stack[-1] is below
    assert done == {"yes": ["yes"] * 2, "no": []}[answer]


async def test_letters_in_a_name_are_letters_and_no_keys(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#name-0"))
        name = app.screen.query_one("#name-0")
        name.focus()
        await pilot.press("g", "q", "question_mark")
        assert isinstance(app.screen, NewGameScreen)
        assert name.value == "gq?"  # type: ignore[attr-defined]
        assert "start" not in [action.name for action in app.screen.actions()]


async def test_options_stand_last_in_the_form_and_are_hidden_until_they_are_opened(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#rules"))
        options = [line for line in app.screen.query("#details > *") if str(line.id).startswith("option-")]
        assert options
        assert [*app.screen.query("#details > *")][-len(options) :] == options
        assert not any(line.display for line in options)
        app.screen.query_one("#rules").focus()
        await pilot.press("right")
        await until(pilot, lambda: all(line.display for line in options))
        await pilot.press("left")
        await until(pilot, lambda: not any(line.display for line in options))


async def test_who_has_no_name_of_their_own_is_asked_for_one_by_a_hint_and_plays_all_the_same(
    stage: Stage,
) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#name-0"))
        name = app.screen.query_one("#name-0", Input)
        assert (name.value, name.placeholder) == ("", "your name")
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.store.table is not None
        assert app.store.table.seats[0].name == NAMELESS


def test_nothing_in_the_app_can_write_a_screenshot(tmp_path: Path) -> None:
    async def never() -> None:
        raise AssertionError

    app = KkApp(never, local=True, games={})  # type: ignore[arg-type]
    assert app.deliver_screenshot(path=str(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


async def test_the_seal_of_the_shuffles_is_shown_before_the_first_move_and_the_seed_after_the_last(
    stage: Stage,
) -> None:
    async with stage.play(local=False, size=(120, 40)) as (app, pilot):
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.store.scene is not None)
        seal = scene_in(app).match.commitment
        assert scene_in(app).match.ply == 0
        app.show_help("shuffles")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and seal.hex() in picture(app))
        await pilot.press("escape")
        await until(pilot, lambda: can_act(app))
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        seed = scene_in(app).match.seed
        assert seed is not None
        assert sha256(seed).digest() == seal
        await until(pilot, lambda: "proves a fair shuffle" in shown(app, "prompt"))
        app.show_help("shuffles")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and seed.hex() in picture(app))


async def test_quick_clicks_at_a_table_mark_no_text(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        for where in ("#header", "#prompt", "#side"):
            await pilot.click(where, offset=(2, 0), times=3)
        assert not app.screen.selections


async def test_the_first_title_of_a_table_names_the_game(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and shown(app, "header"))
        assert shown(app, "header").startswith("Ku-Ka-King  |  ")
        table = scene_in(app).table.id
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await app.request(lambda n: GoTo(n, table))
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and shown(app, "header"))
        assert shown(app, "header").startswith("Ku-Ka-King  |  ")


async def test_a_move_that_was_refused_is_on_its_way_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_table(match_of("land_cards", 3), tmp_path) as (app, pilot):
        request = app.request

        async def refusing(make: Callable[[int], ClientMessage]) -> object:
            if isinstance(make(0), Play):
                raise KkError(text("Not this one."))
            return await request(make)

        monkeypatch.setattr(app, "request", refusing)
        screen = app.screen
        assert isinstance(screen, TableScreen)
        scene = scene_in(app)
        screen.mover.play(scene, 0, min(scene.legal))
        await until(pilot, lambda: "Not this one." in shown(app, "prompt"))
        assert not screen.mover.pending


@pytest.mark.parametrize("make", [LeaderboardScreen, NewGameScreen, PastMatchesScreen, SettingsScreen])
async def test_where_there_is_nothing_to_leave_the_key_that_leaves_goes_back(
    stage: Stage, make: Callable[[], KkScreen]
) -> None:
    async with stage.play(local=False) as (app, pilot):
        app.push_screen(screen := make())
        await until(pilot, lambda: app.screen is screen and screen.is_alive)
        await at_rest(pilot)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_the_key_that_leaves_goes_from_a_waiting_room_to_the_lobby(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
