"""Scoring animations at the table: shown one step after the other, skipped by keys, and never in the way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.events import Key, MouseScrollUp

from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.games.ku_ka_king.face import FACE
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.match.result import ResultScreen
from kk_tui.match.scoring_player import ScoringPlayer
from kk_tui.match.table import TableScreen
from kk_tui.scoring_animation.stage import Stage as Overlay
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.help import HelpScreen
from kk_tui.settings import AppSettings, SessionSettings
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.playing import (
    at_table,
    begin,
    beside,
    board_in,
    can_act,
    is_over,
    keys_of,
    scene_in,
)
from tests.tui.scenes import lines_of, scene_of_match
from tests.tui.scenes import match_of as board_game

FACES = {"ku_ka_king": FACE}


def moving() -> SessionSettings:
    return SessionSettings(AppSettings(motion="full", confirm=False))


by_itself = pytest.mark.by_itself
"""A test in which scoring animations go on by themselves; in all others they stand until somebody goes on."""


@pytest.fixture(autouse=True)
def _stands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("by_itself") is None:
        monkeypatch.setattr(ScoringPlayer, "_run_out", lambda _: None)


def player(app: KkApp) -> Any:
    assert isinstance(app.screen, TableScreen)
    return app.screen.scoring_player


def calls_of_mine(app: KkApp) -> int:
    return sum(entry.seat == 0 for _ply, entry in scene_in(app).match.recent())


def has_begun(app: KkApp) -> bool:
    return isinstance(app.screen, TableScreen) and app.screen.scoring_player.is_playing


@asynccontextmanager
async def after_a_call(
    stage: Stage, size: tuple[int, int] = (80, 24), **more: Any
) -> AsyncIterator[tuple[KkApp, Running]]:
    """Somebody has called row 3, the bot has called at once, and the scoring animation has begun."""
    async with stage.play(games=FACES, size=size, **{"settings": moving(), **more}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("3")
        await until(pilot, lambda: has_begun(app))
        yield app, pilot


def tells_of_the_reveal(app: KkApp) -> bool:
    head = "".join(lines_of(app)[1:3])
    return isinstance(app.screen, TableScreen) and ("King!" in head or "Round 1:" in head)


@by_itself
@pytest.mark.parametrize("size", [(80, 24), (95, 28), (120, 40), (200, 60)])
async def test_it_goes_on_by_itself_and_leads_to_the_new_scene(
    stage: Stage, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, run_out = set(), ScoringPlayer._run_out

    def noted(player: ScoringPlayer) -> None:
        said.add(shown(cast("KkApp", player._screen.app), "prompt"))
        run_out(player)

    monkeypatch.setattr(ScoringPlayer, "_run_out", noted)
    async with after_a_call(stage, size) as (app, pilot):
        assert calls_of_mine(app) == 1
        await until(pilot, lambda: not has_begun(app))
        assert {"Ka ...", "King!"} <= said
        assert any(" takes row " in words or "CLASH in row " in words for words in said)
        await until(pilot, lambda: tells_of_the_reveal(app))
        assert board_in(app).scene is scene_in(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_large_letters_lie_on_the_board_and_hide_none_of_the_cards(
    stage: Stage, size: tuple[int, int]
) -> None:
    async with after_a_call(stage, size) as (app, pilot):
        overlay, board = app.screen.query_one(Overlay), board_in(app)
        await until(pilot, lambda: overlay.display and "█" in "".join(lines_of(app)[overlay.region.y :]))
        assert board.region.contains_region(overlay.region)
        rows = [board.region_of(row) for row in range(1, len(scene_in(app).observation.rows) + 1)]
        assert not any(overlay.region.overlaps(row.translate(board.region.offset)) for row in rows)
        await pilot.press("space")
        await until(pilot, lambda: not overlay.display)


async def test_while_a_reveal_is_shown_nobody_beside_the_board_is_still_to_choose(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        await at_rest(pilot)
        assert "called, 0 cards" in beside(app)
        assert "choosing" not in beside(app)
        assert app.glyphs["turn"] not in beside(app)
        await pilot.press("space")
        await until(pilot, lambda: can_act(app))
        assert "choosing" in beside(app)


async def test_space_skips_all_of_it(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        assert "Space skip" in keys_of(app)
        await pilot.press("space")
        assert not has_begun(app)
        await until(pilot, lambda: tells_of_the_reveal(app))
        assert calls_of_mine(app) == 1


async def test_enter_goes_on_to_the_next_step_and_plays_nothing(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        while "takes row" not in shown(app, "prompt") and "clashed" not in shown(app, "prompt"):
            await pilot.press("enter")
        assert calls_of_mine(app) == 1


async def test_any_other_key_ends_it_and_makes_no_move_that_could_not_be_seen_yet(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        await pilot.press("5")
        await until(pilot, lambda: "has only just appeared" in shown(app, "prompt"))
        assert not has_begun(app)
        assert calls_of_mine(app) == 1
    async with after_a_call(stage) as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_a_click_ends_it_and_calls_nothing(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        await pilot.click("#board", offset=(20, 4))
        await until(pilot, lambda: not has_begun(app))
        await at_rest(pilot)
        assert calls_of_mine(app) == 1
        await until(pilot, lambda: tells_of_the_reveal(app))


async def test_the_footer_can_be_clicked_meanwhile(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        await pilot.click("#keys", offset=(keys_of(app).index("skip"), 0))
        await until(pilot, lambda: not has_begun(app))
        assert calls_of_mine(app) == 1


async def test_without_motion_nothing_is_shown_but_what_it_leads_to(stage: Stage) -> None:
    still = SessionSettings(AppSettings(motion="off", confirm=False))
    async with stage.play(games=FACES, settings=still) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("3")
        await until(pilot, lambda: tells_of_the_reveal(app))
        assert not app.screen.query_one(Overlay).display
        assert standing(scene_in(app)) is not None


async def test_no_timer_runs_when_nothing_is_shown(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        await pilot.press("space")
        playing = player(app)
        assert playing._timer is None
        await until(pilot, lambda: tells_of_the_reveal(app))


async def test_a_resize_leaves_it_where_it_is(stage: Stage) -> None:
    async with after_a_call(stage) as (app, pilot):
        overlay, before = app.screen.query_one(Overlay), step(app)
        was = overlay.region
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: overlay.region != was)
        assert step(app) is before
        assert board_in(app).region.contains_region(app.screen.query_one(Overlay).region)


def without_names(app: KkApp) -> str:
    """What is on the screen but for what people and bots are called."""
    shown = "\n".join(lines_of(app))
    for name in scene_in(app).names:
        shown = shown.replace(name, "")
    return shown


@pytest.mark.parametrize("more", [{"ascii_only": True}, {}])
async def test_a_whole_match_can_be_played_with_all_scoring_animations(
    stage: Stage, more: dict[str, Any]
) -> None:
    async with stage.play(games=FACES, settings=moving(), **more) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        animations = []
        while not is_over(app):
            if has_begun(app):
                await pilot.press("a")
                animations.append(without_names(app))
                await pilot.press("space")
            elif can_act(app):
                await pilot.press(str(min(scene_in(app).legal)))
            await at_rest(pilot)
        assert len(animations) > 2, "reveals and two scorings"
        assert all(screen.isascii() for screen in animations) is bool(more)


# -- who was not there ---------------------------------------------------------------------------------------


async def test_who_comes_late_sees_no_scoring_animation_of_before(tmp_path: Any) -> None:
    match = match_of(4)
    rounds(match, 5)
    async with at_table(match, tmp_path, games=FACES, settings=moving()) as (app, pilot):
        await at_rest(pilot)
        assert not has_begun(app)
        assert "First scoring" in "\n".join(lines_of(app))


async def test_the_result_waits_for_the_final_scoring(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        while not scene_in(app).is_over:
            if has_begun(app):
                await pilot.press("space")
            elif can_act(app):
                await pilot.press(str(min(scene_in(app).legal)))
            await at_rest(pilot)
        await until(pilot, lambda: has_begun(app))
        assert not isinstance(app.screen, ResultScreen)
        await pilot.press("a")
        await until(pilot, lambda: "Final scoring" in "\n".join(lines_of(app)))
        totals = scene_in(app).observation.points
        assert all(str(points) in "\n".join(lines_of(app)) for points in totals)
        await pilot.press("space")
        await until(pilot, lambda: is_over(app))


async def scoring(app: KkApp, pilot: Running) -> None:
    """Play, by whoever sits at this screen, until the first scoring is shown."""
    while not (has_begun(app) and player(app).is_waiting):
        if not has_begun(app) and can_act(app):
            await pilot.press(str(min(scene_in(app).legal)))
        elif has_begun(app) and player(app)._timer is not None:
            await pilot.press("enter")
        await at_rest(pilot)


def step(app: KkApp) -> Any:
    return player(app)._steps[player(app)._at]


async def test_a_scoring_waits_for_enter_line_by_line(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        first = step(app)
        assert player(app)._timer is None, "nothing goes on by itself"
        await pilot.press("enter")
        assert step(app) is not first
        assert player(app).is_waiting


async def test_the_last_step_offers_nothing_to_skip(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        assert "Enter go on" in keys_of(app)
        assert "Space end the scoring" in keys_of(app)
        await pilot.press("a")
        await until(pilot, lambda: "Space" not in keys_of(app))
        assert "Enter end the scoring" in keys_of(app)


async def test_an_enter_too_many_after_the_last_step_of_a_scoring_is_no_move(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.press_guard.BURST", 3600.0)
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        calls = calls_of_mine(app)
        while has_begun(app):
            is_last = player(app).is_last
            assert ("Enter end the scoring" in keys_of(app)) is is_last
            await pilot.press("enter")
            await at_rest(pilot)
        await until(pilot, lambda: can_act(app))
        board_in(app).action_jump(1)  # without a key, which would be meant for the board
        for _press in range(3):
            await pilot.press("enter")
            await at_rest(pilot)
        assert calls_of_mine(app) == calls


class Still:
    """A screen on which no time passes."""

    is_current = True

    def set_timer(self, _seconds: float, _then: object) -> Any:
        return SimpleNamespace(stop=lambda: None)


def test_enter_counts_several_lines_at_once_and_tab_goes_through_them_one_by_one() -> None:
    ended: list[bool] = []
    played = ScoringPlayer(cast("Any", Still()), lambda _: None, lambda: ended.append(True))
    before, after = (scene_of_match(board_game("web_of_power", 4, plies), None) for plies in (0, 10_000))

    def press(key: str) -> None:
        assert played.takes_key(Key(key, None))

    def counted() -> tuple[int, int]:
        assert played.step is not None
        scoring = played.step.scoring
        return (0, 0) if scoring is None else (scoring.counted, scoring.grouped)

    def begin() -> None:
        assert not played.takes(before, make, None)
        assert played.takes(after, make, None)

    make = faces()["web_of_power"].scoring_animation
    begin()
    press("enter")
    lines, grouped = counted()
    assert lines == grouped > 1
    press("shift+tab")
    assert counted() == (lines, 1)
    for line in range(lines - 1, 0, -1):
        press("shift+tab")
        assert counted() == (line, 1)
    press("tab")
    assert counted() == (2, 1)
    press("enter")
    assert counted() == (lines, grouped)
    pressed = 0
    while not ended:
        press("enter")
        pressed += 1
    assert pressed <= 12


@pytest.mark.parametrize("viewer", [0, None])
def test_to_show_all_holds_for_the_reveals_of_others_until_the_viewer_has_called_again(
    viewer: int | None,
) -> None:
    played = ScoringPlayer(cast("Any", Still()), lambda _: None, lambda: None)
    match = match_of(3)

    def plays(*calls: tuple[int, int]) -> bool:
        for call in calls:
            match.play(*call)
        return played.takes(scene_of_match(match, viewer), FACE.scoring_animation, None)

    assert not plays()
    assert plays((0, 6), (1, 2), (2, 2))
    played.show_all()
    assert played.is_last
    played.end()
    assert plays((1, 7), (2, 3)) is (viewer is None), "those who clashed have called again"
    played.end()
    assert plays((0, 1), (1, 2), (2, 3)), "a new round"


def test_a_scoring_is_shown_also_after_all_of_a_reveal_was_to_be_shown() -> None:
    played = ScoringPlayer(cast("Any", Still()), lambda _: None, lambda: None)
    match = match_of(3)
    rounds(match, 4)
    played.takes(scene_of_match(match, 0), FACE.scoring_animation, None)
    for call in ((0, 6), (1, 2), (2, 2)):
        match.play(*call)
    assert played.takes(scene_of_match(match, 0), FACE.scoring_animation, None)
    played.show_all()
    played.end()
    for call in ((1, 7), (2, 3)):
        match.play(*call)
    assert played.takes(scene_of_match(match, 0), FACE.scoring_animation, None)
    assert played.step is not None
    assert played.step.waits
    assert "First scoring" in str(played.step.scoring and played.step.scoring.title)


@pytest.mark.parametrize("key", ["space", "escape", "7"])
def test_who_skips_a_reveal_is_shown_the_scoring_that_follows_and_the_key_does_nothing_else(key: str) -> None:
    played = ScoringPlayer(cast("Any", Still()), lambda _: None, lambda: None)
    match = match_of(3)
    rounds(match, 4)
    played.takes(scene_of_match(match, 0), FACE.scoring_animation, None)
    for call in ((0, 6), (1, 2), (2, 2), (1, 7), (2, 3)):
        match.play(*call)
    assert played.takes(scene_of_match(match, 0), FACE.scoring_animation, None)
    assert played.step is not None
    assert not played.step.waits
    assert played.takes_key(Key(key, None))
    assert played.step is not None
    assert played.step.scoring is not None
    assert played.step.scoring.counted == 1
    assert played.is_waiting


async def test_a_click_goes_on_to_the_next_line_of_a_scoring(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        first = step(app)
        await pilot.click("#stage", offset=(20, 4))
        await until(pilot, lambda: step(app) is not first)
        assert step(app).scoring.counted == first.scoring.counted + 1


async def test_a_scoring_outlasts_keys_that_were_meant_for_what_it_covers(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        first, calls, said = step(app), calls_of_mine(app), shown(app, "prompt")
        assert isinstance(app.screen, TableScreen)
        await pilot.press("l", "3", "right")
        assert step(app) is first
        assert (app.screen.side.drawer, shown(app, "prompt")) == (None, said)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert step(app) is first
        assert calls_of_mine(app) == calls


@by_itself
async def test_keys_that_come_right_after_a_reveal_went_by_itself_do_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.match.scoring_player._LATE", 3600.0)
    async with after_a_call(stage) as (app, pilot):
        await until(pilot, lambda: not has_begun(app))
        for key in ("enter", "space", "escape"):
            await pilot.press(key)
            assert isinstance(app.screen, TableScreen), "nor is anything asked"
        assert calls_of_mine(app) == 1
        player(app)._ran_out -= 3600
        await until(pilot, lambda: can_act(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: calls_of_mine(app) == 2)


@by_itself
async def test_where_scorings_go_on_by_themselves_nothing_waits(stage: Stage) -> None:
    timed = SessionSettings(AppSettings(motion="timed", confirm=False))
    async with stage.play(games=FACES, settings=timed) as (app, pilot):
        await begin(app, pilot)
        while not (has_begun(app) and step(app).scoring):
            if has_begun(app):
                await pilot.press("enter")
            elif can_act(app):
                await pilot.press(str(min(scene_in(app).legal)))
            await at_rest(pilot)
        first = step(app)
        await until(pilot, lambda: step(app) is not first)


async def test_newer_scenes_wait_behind_a_scoring_as_long_as_one_likes(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        assert app.store.table is not None
        table, steps, before = stage.hub.tables[app.store.table.id], player(app)._steps, scene_in(app)
        await table.play("anna", 0, before.match.ply, min(before.legal))
        await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
        assert player(app)._steps is steps
        await pilot.press("space")
        while has_begun(app):
            await pilot.press("space")
        assert board_in(app).scene is scene_in(app)


async def test_only_who_lets_others_wait_is_told_so_during_a_scoring(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        assert scene_in(app).may_act
        assert "others are waiting" not in shown(app, "header")
        app.user = "ben"  # so that the seat of Anna is that of another person
        player(app)._screen.place_changed()
        assert "others are waiting; Space" in shown(app, "header")


async def test_at_one_screen_all_see_the_reveal_before_the_screen_is_handed_over(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving()) as (app, pilot):
        await begin(app, pilot, humans=2)
        for row in ("3", "5"):
            await until(
                pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None
            )
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app))
            assert not has_begun(app)
            await pilot.press(row)
        await until(pilot, lambda: has_begun(app))
        await pilot.press("a")
        await until(pilot, lambda: "takes row 3" in shown(app, "prompt"))
        await pilot.press("enter")
        await until(pilot, lambda: "Everybody may look" in shown(app, "prompt"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))


async def test_lines_of_a_scoring_without_room_are_scrolled_to_by_keys_and_wheel(stage: Stage) -> None:
    async with stage.play(games=FACES, settings=moving(), size=(80, 24)) as (app, pilot):
        await begin(app, pilot)
        await scoring(app, pilot)
        await pilot.press("a")
        overlay = app.screen.query_one(Overlay)
        assert not overlay.hidden
        last = step(app)
        bars = last.scoring.bars * 4
        player(app)._steps = [replace(last, scoring=replace(last.scoring, bars=bars, counted=len(bars)))]
        player(app)._go_to(0)
        assert overlay.hidden
        assert "Up and down" in shown(app, "prompt")
        drawn = lines_of(app)
        await pilot.press("up")
        await until(pilot, lambda: lines_of(app) != drawn)
        await pilot.press("down")
        await until(pilot, lambda: lines_of(app) == drawn)
        await pilot._post_mouse_events([MouseScrollUp], "#stage")
        await until(pilot, lambda: lines_of(app) != drawn)
        assert has_begun(app)
