"""The board game played on the screen over a real hub."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kk_core.games.web_of_power.model import (
    CARDS,
    COUNTRIES,
    COUNTRY_NAMES,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    FREE,
    HAND,
    KIND_OF_COUNTRY,
    PAIR,
    PLACING,
    SINGLE,
    Exchange,
    Observation,
    PlaceCloister,
    counts_of,
)
from kk_core.match import Replay
from kk_tui import press_guard
from kk_tui.app import KkApp
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.chart import FINAL, INTERIM, MapScoreChart
from kk_tui.games.web_of_power.choices import CREST, Selection
from kk_tui.games.web_of_power.face import FACE
from kk_tui.games.web_of_power.panels import card_lines, prompt
from kk_tui.games.web_of_power.theme import GLYPHS
from kk_tui.i18n import render
from kk_tui.match.lesson import LessonGuide
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.settings import AppSettings, SessionSettings
from kk_tui.theme.glyphs import Glyphs, figures
from tests.chance import seeded
from tests.core.web_of_power.positions import position
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.playing import at_table, begin, can_act, is_over, keys_of, scene_in
from tests.tui.scenes import lines_of, match_of, scene_of_match

WIDEST = 78
"""Columns of the prompt line at 80x24."""


@asynccontextmanager
async def table(
    stage: Stage, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[KkApp, Running, MapBoard]]:
    """A match against two bots; Anna is to place."""
    async with stage.play(games={"web_of_power": FACE}, size=size) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        yield app, pilot, app.screen.query_one(MapBoard)


def view(app: KkApp) -> Observation:
    scene = app.store.scene
    assert scene is not None
    found: Observation = scene.observation
    return found


async def press(app: KkApp, pilot: Running, *keys: str) -> None:
    """Press keys one after the other, each when the table waits for one."""
    for key in keys:
        await pilot.press(key)
        await until(pilot, lambda: can_act(app) or is_over(app))
        assert is_over(app) or len(shown(app, "prompt")) <= WIDEST


async def click(pilot: Running, board: MapBoard, target: int) -> None:
    x, y = board.painter.layout.points[target]
    left, top = board.corner
    await pilot.click(board, offset=(x + left, y + top))


async def click_beside(app: KkApp, pilot: Running, begins: str) -> None:
    """Click a card by how its line begins."""
    lines = str(app.screen.query_one("#people").render()).splitlines()
    line = next(y for y, words in enumerate(lines) if words.strip().startswith(begins))
    await pilot.click("#people", offset=(6, line))


async def place_one(app: KkApp, pilot: Running) -> None:
    """The first card, the map, the piece."""
    await press(app, pilot, "1", "enter", "enter")


async def test_chosen_cards_light_up_only_what_they_allow(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        assert not board.open
        await press(app, pilot, "1")
        named = {board.printed.country_of[target] for target in board.open}
        assert named
        assert all(target < CREST for target in board.open), "no advisor in an empty country"
        await press(app, pilot, "1")
        assert not board.open


async def test_the_button_chooses_and_leads_there_when_a_placement_is_possible(stage: Stage) -> None:
    with seeded("cards for the cursor"):  # where something can be placed, not by the first card
        async with table(stage) as (app, pilot, board):
            assert str(board.actions()[0].label) == "card", "nothing is pointed at yet"
            await press(app, pilot, "1")
            assert str(board.actions()[0].label) == "go there"
            await press(app, pilot, "enter")
            assert str(board.actions()[0].label) == "place"
            assert board.cursor in board.open


async def test_whoever_presses_enter_alone_places_nothing_and_is_told_how_to_point(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        ply = scene_in(app).match.ply
        for _ in range(3):
            assert board.cursor_place() is None
            assert "Enter" not in keys_of(app)
            assert shown(app, "prompt").startswith(
                ("Tab shows where you can place; 1, 2, 3 ", "Enter needs a")
            )
            await press(app, pilot, "enter")
            assert shown(app, "prompt") == "Enter needs a place: Tab shows where you can place; or click."
        assert (scene_in(app).match.ply, board.chosen) == (ply, ())
        await press(app, pilot, "tab")
        assert board.cursor in board._placements
        assert board.cursor_place() is not None
        assert str(board.actions()[0].label) == "choose"
        await press(app, pilot, "enter", "enter")
        assert scene_in(app).match.ply > ply


async def test_where_the_last_piece_was_placed_nothing_is_pointed_at_for_the_next_one(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        while True:
            while view(app).phase == DRAWING:
                await press(app, pilot, "enter")
            assert board.cursor_place() is None
            await press(app, pilot, "1")
            if not board.open:
                await press(app, pilot, "x")
                continue
            await press(app, pilot, "enter", "enter")
            if view(app).phase != DRAWING and scene_in(app).legal != {END_PLACING}:
                break
        assert board.cursor_place() is None
        country = COUNTRY_NAMES[view(app).begun]
        said = f"Tab shows places for a second piece in {country}; e ends placing."
        assert shown(app, "prompt") == said


async def test_enter_places_a_cloister_and_then_cards_are_drawn_until_the_hand_is_full(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await place_one(app, pilot)
        assert view(app).board[board.cursor] != FREE
        assert view(app).phase == DRAWING
        assert len(view(app).hand) == HAND - 1
        assert DRAW_PILE in board.selection.sources
        await press(app, pilot, "d")
        assert len(view(app).hand) == HAND
        assert view(app).phase == PLACING


async def test_where_nothing_more_can_be_placed_drawing_comes_by_itself_and_the_prompt_says_why(
    stage: Stage,
) -> None:
    async with table(stage) as (app, pilot, board):
        await place_one(app, pilot)
        assert view(app).phase == DRAWING
        country = COUNTRIES[board.printed.country_of[board.cursor]]
        assert shown(app, "prompt").startswith(f"{country} was empty: one piece only. Draw 1: Enter takes ")
        assert "undo" not in keys_of(app)
        await press(app, pilot, "u")
        assert "the others have seen what only you knew" in shown(app, "prompt")
        assert view(app).phase == DRAWING


async def test_where_the_chosen_cards_do_not_pay_enter_says_what_does_and_the_cursor_stays(
    stage: Stage,
) -> None:
    async with table(stage) as (app, pilot, board):
        await press(app, pilot, "1")
        elsewhere = min(set(board._placements) - set(board.open))
        board._go(elsewhere)
        await pilot.press("enter")
        country = board.printed.country_of[elsewhere]
        needed = f"{COUNTRIES[country]} takes one {CARDS[KIND_OF_COUNTRY[country]]} card, or two alike"
        await until(pilot, lambda: needed in shown(app, "prompt"))
        assert board.cursor == elsewhere
        assert board.laid is None


async def test_in_the_viewers_turn_tab_leads_into_no_scoring(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        await press(app, pilot, "escape")
        board._placements, board._open = {}, None
        board.chosen = ()
        await at_rest(pilot)
        assert board.scene.may_act
        board.action_jump(1)
        assert board.score_line is None


async def test_an_open_card_is_taken_by_its_number(stage: Stage) -> None:
    async with table(stage) as (app, pilot, _board):
        await place_one(app, pilot)
        kind = view(app).face_up[1]
        before = view(app).hand.count(kind)
        await press(app, pilot, "5")
        assert view(app).hand.count(kind) == before + 1


async def test_discard_exchanges_the_one_chosen_card_instead_of_placing(stage: Stage) -> None:
    async with table(stage) as (app, pilot, _board):
        await press(app, pilot, "x")
        assert "Choose the one card" in shown(app, "prompt")
        await press(app, pilot, "2", "x")
        assert view(app).phase == DRAWING
        assert len(view(app).hand) == HAND - 1
        assert not any(view(app).advisors)


async def test_esc_goes_from_the_map_to_the_cards_and_then_unchooses_them(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await press(app, pilot, "1", "enter")
        assert board.pointing
        await press(app, pilot, "escape")
        assert not board.pointing
        assert board.chosen == (0,)
        await press(app, pilot, "escape")
        assert board.chosen == ()
        assert isinstance(app.screen, TableScreen)


async def test_pointing_without_cards_chooses_the_cards_that_pay(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        target = min(board._placements)
        board._go(target)
        await press(app, pilot, "enter")
        assert board.chosen
        assert target in board.open
        await press(app, pilot, "enter")
        assert view(app).board[target] != FREE


async def test_escape_takes_back_a_piece_with_the_cards_that_enter_chose_for_it(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        board._go(min(board._placements))
        await press(app, pilot, "enter")
        assert board.chosen
        await press(app, pilot, "escape")
        assert _chosen(app) == ()
        await press(app, pilot, "1")
        assert _chosen(app) == (0,), "what is pressed next chooses, and takes nothing away"
        board._go(min(board.open))
        await press(app, pilot, "escape")
        assert _chosen(app) == (0,), "chosen by hand, so only the piece is taken back"
        (payment, *_) = board._placements[min(board._placements)].values()
        assert board.point_at(payment)
        await press(app, pilot, "escape")
        assert _chosen(app) == (), "laid out with the piece, as by a hint"


async def test_what_is_not_possible_is_explained_by_the_engine(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        board._go(CREST)
        await pilot.press("enter")
        await until(pilot, lambda: "no advisor" in shown(app, "prompt"))
        assert view(app).phase == PLACING


async def test_tab_jumps_only_among_what_is_lit(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await press(app, pilot, "1")
        seen = list[int]()
        for _ in board.open:
            await press(app, pilot, "tab")
            seen.append(board.cursor)
        assert {*seen} == {*board.open}


async def test_after_choosing_cards_tab_goes_where_enter_goes_and_to_a_cloister_first(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await press(app, pilot, "1")
        space = min(board.open)
        crest = CREST + board.printed.country_of[space]
        board._placements = {**board._placements, crest: board._placements[space]}
        board._open, board.cursor = None, crest
        assert crest in board.open
        await press(app, pilot, "tab")
        first = board.cursor
        assert first < CREST
        board.step_back()
        board.cursor = crest
        await press(app, pilot, "enter")
        assert board.cursor == first, "where Enter leads"
        order = [first]
        while len(order) < len(board.open):
            await press(app, pilot, "tab")
            order.append(board.cursor)
        assert sorted(order) == sorted(board.open)
        spaces = [each for each in order if each < CREST]
        from_left = sorted(spaces, key=lambda each: board.painter.layout.points[each])
        start = from_left.index(first)
        assert spaces == from_left[start:] + from_left[:start]


async def test_the_key_that_ends_placing_says_what_is_next_where_it_has_ended_by_itself(stage: Stage) -> None:
    async with table(stage) as (app, pilot, _):
        await place_one(app, pilot)
        assert view(app).phase == DRAWING
        await press(app, pilot, "e")
        await until(pilot, lambda: shown(app, "prompt").endswith(": now draw back up to three cards."))
        assert view(app).phase == DRAWING


async def test_on_a_place_that_takes_a_piece_nobody_is_told_to_go_to_the_map(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        board._go(min(board._placements))
        await until(pilot, lambda: shown(app, "prompt").startswith("Enter chooses cards for this place"))


async def test_arrows_reach_every_space_and_crest(stage: Stage) -> None:
    async with table(stage) as (_app, pilot, board):
        reached = {board.cursor}
        border = [board.cursor]
        while border:
            start = border.pop()
            for keys in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                board.cursor = start
                board.action_step(*keys)
                if board.cursor not in reached:
                    reached.add(board.cursor)
                    border.append(board.cursor)
        await at_rest(pilot)
        assert reached == set(board.painter.layout.points)


def on_screen(app: KkApp) -> str:
    """What the terminal shows, line by line."""
    return "\n".join(lines_of(app))


async def test_what_a_clicked_card_allows_is_lit_on_the_screen_at_once(stage: Stage) -> None:
    async with table(stage, (120, 40)) as (app, pilot, board):
        await pilot.hover(board, offset=(3, 3))
        await pilot.hover("#people", offset=(6, 9))
        await click_beside(app, pilot, "1 ")
        await until(pilot, lambda: board.chosen == (0,))
        lit = 2 * app.glyphs["web_of_power-lit"]
        await until(pilot, lambda: lit in on_screen(app))


async def test_a_turn_can_be_played_by_mouse_alone(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await click_beside(app, pilot, "1 ")
        await until(pilot, lambda: board.chosen == (0,))
        target = min(board.open)
        other = max(board.open)
        for laid in (other, target):
            await click(pilot, board, laid)
            await until(pilot, lambda laid=laid: board.laid == laid)  # type: ignore[misc]
        assert view(app).board[target] == view(app).board[other] == FREE
        await click(pilot, board, target)
        await until(pilot, lambda: view(app).phase == DRAWING and can_act(app))
        assert view(app).board[target] != FREE
        await click_beside(app, pilot, "d ")
        await until(pilot, lambda: view(app).phase == PLACING and len(view(app).hand) == HAND)


def test_where_and_how_a_piece_is_placed_for_good_has_room_at_eighty_columns() -> None:
    scene = scene_of_match(match_of("web_of_power", 3))
    targets = [*range(len(scene.observation.printed.spaces)), *(CREST + n for n in range(len(COUNTRIES)))]
    for target in targets:
        for payment in (SINGLE, *(PAIR + kind for kind in range(len(CARDS)))):
            selection = Selection(target, (), (), {target: {payment: 0}}, True, False, (), 0, False)
            said = render(prompt(scene, selection, is_final=True))
            assert said.startswith("Enter ")
            assert said.endswith(" (no undo).")
            assert len(said) <= WIDEST


async def test_the_prompt_says_what_cannot_be_taken_back_and_a_drawn_card_is_chosen_twice(
    stage: Stage,
) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games={"web_of_power": FACE}, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("1", "enter")
        await until(pilot, lambda: shown(app, "prompt").endswith(" (no undo)."))
        await pilot.press("enter")  # what is laid out is not asked for again
        await until(pilot, lambda: view(app).phase == DRAWING and can_act(app))
        assert view(app).board[_board(app).cursor] != FREE
        hand = view(app).hand
        await pilot.press("d")
        words = "This ends your turn: no undo. Enter draws from the pile."
        await until(pilot, lambda: shown(app, "prompt") == words)
        assert view(app).hand == hand
        await pilot.press("enter")
        await until(pilot, lambda: view(app).hand != hand and len(view(app).hand) == HAND)


async def test_beside_a_step_that_waits_for_enter_no_points_of_another_one_stand(stage: Stage) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games={"web_of_power": FACE}, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("1", "enter")
        await until(pilot, lambda: "+1 0" in "\n".join(lines_of(app)))
        await pilot.press("x")
        await until(pilot, lambda: "Enter discards" in shown(app, "prompt"))
        await until(pilot, lambda: "+1 0" not in "\n".join(lines_of(app)))
        await pilot.press("escape")
        await until(pilot, lambda: "do it" not in keys_of(app))


async def test_what_has_just_happened_is_marked_until_the_viewers_next_move(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await place_one(app, pilot)
        mine = board.cursor
        assert mine in board._marks.recent
        await press(app, pilot, "d")
        assert mine not in board._marks.recent
        assert board._marks.recent, "the bots have placed something, too"


async def play_on(app: KkApp, pilot: Running, *, to_interim: bool = False) -> None:
    """The first card where it allows something, else discarded, until the (interim) scoring."""
    while not is_over(app):
        if to_interim and view(app).interim_scored:
            return
        if view(app).phase == DRAWING:
            await press(app, pilot, "enter")
            continue
        if not _board(app).chosen:
            await press(app, pilot, "1")
        if not _board(app).open:
            await press(app, pilot, "x")
            continue
        await press(app, pilot, "enter", "enter")
        if END_PLACING in scene_in(app).legal:
            await press(app, pilot, "e")


def _chosen(app: KkApp) -> tuple[int, ...]:
    chosen: tuple[int, ...] = _board(app).chosen
    return chosen


def _board(app: KkApp) -> Any:
    return app.screen.query_one(MapBoard)


async def test_the_interim_scoring_is_shown_country_by_country_and_then_the_match_goes_on(
    stage: Stage,
) -> None:
    async with table(stage) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        lines = board.score
        assert sum(map(sum, (line.points for line in lines))) == sum(view(app).points)
        for number, line in enumerate(lines):
            assert board.score_line == number
            assert board._marks.shown == line.shown
            assert str(line.label) in on_screen(app)
            assert f"; cloisters: {figures(counts_of(line.points))}; points: " in str(line.why)
            await press(app, pilot, "enter")
        assert board.score_line is None
        assert not is_over(app)


async def test_the_enter_that_ends_a_scoring_makes_no_move_however_often_it_is_pressed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lively = SessionSettings(AppSettings(motion="full", confirm=False))
    async with stage.play(games={"web_of_power": FACE}, settings=lively) as (app, pilot):
        await begin(app, pilot)
        screen = app.screen
        assert isinstance(screen, TableScreen)
        player = screen.scoring_player
        while not player.is_playing:
            await until(pilot, lambda: can_act(app) or player.is_playing)
            if player.is_playing:
                break
            drawn, placing = view(app).phase == DRAWING, END_PLACING in scene_in(app).legal
            await pilot.press("enter" if drawn else "e" if placing else "1")
            if not drawn and not placing:
                await pilot.press("x")
            await at_rest(pilot)
        monkeypatch.setattr(press_guard, "BURST", 3600.0)
        pressed = 0
        while player.is_playing:
            await pilot.press("enter")
            pressed += 1
        assert pressed <= 5
        await until(pilot, lambda: can_act(app) and _board(app).scene is scene_in(app))
        before = view(app).hand, view(app).cloisters_left[0], view(app).phase, scene_in(app).match.ply
        for _ in range(6):
            await pilot.press("enter")
            await at_rest(pilot)
        assert before == (
            view(app).hand,
            view(app).cloisters_left[0],
            view(app).phase,
            scene_in(app).match.ply,
        )


async def test_under_a_scoring_animation_no_keys_are_named_that_do_something_else_then(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        lines = board.score
        assert f"1 of {len(lines)}. " in on_screen(app)
        board.highlight(lines[-1])
        await until(pilot, lambda: f" of {len(lines)}. " not in on_screen(app))


async def test_by_mouse_the_footer_and_the_words_go_on_through_the_interim_scoring(stage: Stage) -> None:
    async with table(stage, (120, 40)) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        await pilot.click("#keys", offset=(2, 0))
        await until(pilot, lambda: board.score_line == 1)
        await pilot.click(board, offset=(3, board.size.height - 1))
        await until(pilot, lambda: board.score_line == 2)


async def test_a_chosen_card_or_esc_ends_the_way_through_the_interim_scoring(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        await press(app, pilot, "escape")
        assert board.score_line is None
        assert isinstance(app.screen, TableScreen)
        while view(app).phase == DRAWING:
            await press(app, pilot, "enter")
        board.action_jump(1)
        board._walk(1)
        await press(app, pilot, "1")
        assert board.score_line is None
        assert board.chosen == (0,)


def _beside_the_list(chart: MapScoreChart) -> dict[int, str]:
    """The signs in the column before the list that say that it goes on, by line."""
    signs = {y: chart.render_line(y).text[0] for y in range(chart.room)}
    return {y: sign for y, sign in signs.items() if sign in "▲▼"}


async def test_by_keys_alone_a_match_is_played_to_its_chart(stage: Stage) -> None:
    async with table(stage, (120, 40)) as (app, pilot, _):
        await play_on(app, pilot)
        assert isinstance(app.screen, ResultScreen)
        chart = app.screen.query_one(MapScoreChart)
        await until(pilot, lambda: chart.has_focus)
        assert sum(map(sum, (line.points for line in chart.lines))) == sum(view(app).points)
        assert _beside_the_list(chart) == {chart.room - 1: "▼"}
        for number in range(1, len(chart.lines)):
            await pilot.press("down")
            assert chart.at == number
        assert _beside_the_list(chart) == {2: "▲"}
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("tab", "tab")
        assert _board(app).score_line == 1
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))


async def test_the_one_to_act_stands_behind_a_triangle_and_the_start_player_behind_an_s(stage: Stage) -> None:
    async with table(stage) as (app, _pilot, _board):
        people = str(app.screen.query_one("#people").render()).splitlines()
        (active,) = (line for line in people if "►" in line)
        assert active.startswith("S ")
        assert "►A● Anna" in active


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_final_score_has_names_or_codes_in_a_part_and_end_leads_to_its_last_line(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with at_table(
        match_of("web_of_power", 5, 1000), tmp_path, games={"web_of_power": FACE}, size=size
    ) as (app, pilot):
        await until(pilot, lambda: app.screen.query(MapScoreChart))
        await pilot.press(*["s"] * (size[0] == 80))
        chart = app.screen.query_one(MapScoreChart)
        await until(pilot, lambda: chart.size.width)
        for part in (INTERIM, FINAL):
            lines = [line for line in chart.lines if line.part == part]
            names = {chart._label(line) == str(line.label) for line in lines}
            assert len(lines) > 1
            assert len(names) == 1
        await pilot.press("end")
        await until(pilot, lambda: chart.at == len(chart.lines) - 1)
        await pilot.press("home")
        await until(pilot, lambda: chart.at == 0)


async def _is_plain(app: KkApp, pilot: Running, ply: int) -> None:
    """The map of a move of the past has nothing of a scoring on it."""
    await until(pilot, lambda: app.screen.query_one(MapBoard).scene.match.ply == ply)
    board = app.screen.query_one(MapBoard)
    assert board.score_line is None
    assert f" of {len(board.score)}. " not in on_screen(app)


async def test_a_scoring_of_the_past_stands_on_no_move_of_a_replay(tmp_path: Path) -> None:
    match = match_of("web_of_power", 3, 10_000)
    (interim, _final) = Replay(match).course().scorings
    async with at_table(match, tmp_path, games={"web_of_power": FACE}, settings=None) as (app, pilot):
        await pilot.press("v")
        await until(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and "Move 0 of" in shown(app, "header")
        )
        await pilot.press("tab")
        await _is_plain(app, pilot, interim)
        await pilot.press("left")
        await _is_plain(app, pilot, interim - 1)
        await pilot.press("right", "right")
        await _is_plain(app, pilot, interim + 1)
        await pilot.press("pageup", "pagedown", "left")
        await until(pilot, lambda: "Move" in shown(app, "header"))
        assert app.screen.query_one(MapBoard).score_line is None
        await pilot.press("end")
        await _is_plain(app, pilot, len(match.plies))


async def test_who_looks_back_past_the_interim_scoring_finds_the_match_as_it_was_left(
    stage: Stage,
) -> None:
    async with table(stage) as (app, pilot, board):
        await play_on(app, pilot, to_interim=True)
        now = app.store.scene.match.ply  # type: ignore[union-attr]
        await press(app, pilot, "escape")
        assert board.score_line is None
        for back in ("escape", "right_square_bracket"):
            ply = now
            while board.view.interim_scored:
                ply -= 1
                await pilot.press("left_square_bracket")
                await _is_plain(app, pilot, ply)
            await pilot.press(back)
            await _is_plain(app, pilot, now if back == "escape" else ply + 1)


async def test_what_a_lesson_marks_is_where_enter_and_tab_lead_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table(stage) as (app, pilot, board):
        kind = view(app).hand[0]
        countries = [country for country, named in enumerate(KIND_OF_COUNTRY) if named == kind]
        spaces = [space for country in countries for space in board.printed.spaces_of[country]]
        points = board.painter.layout.points
        for wanted in (spaces[0], spaces[-1]):
            away = max(points, key=lambda each: abs(points[each][0] - points[wanted][0]))
            marked = [PlaceCloister(wanted, SINGLE).move]
            monkeypatch.setattr(LessonGuide, "wanted", lambda *_, marked=marked: marked)
            renewed(app)
            board.cursor = away
            await press(app, pilot, "tab")
            assert board.cursor == wanted
            board.cursor = away
            await press(app, pilot, "1", "enter")
            assert board.cursor == wanted
            await press(app, pilot, "tab")
            assert board.cursor == wanted, "nobody is led away from what is asked for"
            await press(app, pilot, "escape", "escape")


async def test_where_a_lesson_asks_to_discard_enter_pressed_again_and_again_builds_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table(stage) as (app, pilot, _):
        hand, ply = view(app).hand, scene_in(app).match.ply
        marked = [Exchange(hand[0]).move]
        monkeypatch.setattr(LessonGuide, "wanted", lambda *_: marked)
        renewed(app)
        for _ in range(4):
            assert "Enter" not in keys_of(app)
            await press(app, pilot, "enter")
            assert shown(app, "prompt").startswith("Not Enter: 1 chooses the card ")
        await press(app, pilot, "1", "enter", "enter")
        assert (view(app).hand, scene_in(app).match.ply) == (hand, ply)
        assert shown(app, "prompt").startswith("Not Enter: x discards the chosen card ")
        await press(app, pilot, "x")
        assert view(app).phase == DRAWING


async def test_enter_leads_to_what_a_lesson_marks_and_takes_cards_that_pay_there(stage: Stage) -> None:
    async with table(stage) as (app, pilot, board):
        await press(app, pilot, "1")
        wanted = min(set(board._placements) - set(board.open))
        board.light([*board._placements[wanted].values()][:1])
        board._go(min(set(board.painter.layout.points) - set(board._placements)))
        assert "goes to the marked place" in render(board.prompt())
        await press(app, pilot, "enter")
        assert board.laid == wanted


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("cloister AR2 Franken/Aragon",), "A● played FK/AR"),
        (
            ("cloister AR2 Franken/Aragon", "cloister AR3 Franken/Aragon+Franken/Aragon"),
            "A● FK/AR FK/AR FK/AR",
        ),
    ],
)
def test_cards_that_were_played_are_called_so_where_there_is_room(lines: Sequence[str], words: str) -> None:
    match = match_of("web_of_power", 4)
    match.state = position(hand="FK FK FK", cloisters={"AR1": 0})
    for line in lines:
        match.play(0, match.game.parse_move(line))
    nothing = Selection(
        cursor=0, chosen=(), kinds=(), open={}, is_pointing=False, prefers_pair=False, sources=(), source=0,
        is_in_score=False,
    )  # fmt: skip
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    assert words in map(str, card_lines(scene_of_match(match), nothing, glyphs, 56))
