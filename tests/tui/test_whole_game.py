"""A whole match from the menu to the result."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from kk_core.record import parse_record, replay
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.games import faces
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.options import OpenList
from tests.tui.conftest import Stage, shown, until
from tests.tui.playing import begin, beside_one_who_is_away, can_act, is_over, keys_of, scene_in
from tests.tui.scenes import match_of


async def test_by_keys_alone_a_match_is_played_to_its_result_saved_and_played_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.match.result.GLANCE", 0)
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        assert "win" in str(app.screen.query_one("#verdict").render())
        await pilot.press("w")
        await until(pilot, lambda: "Saved as" in shown(app, "prompt"))
        (saved,) = stage.records.glob("*.json")
        assert saved.name in shown(app, "prompt")
        assert replay(parse_record(saved.read_bytes())).is_over
        whole = saved.read_bytes()
        saved.unlink()
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "play on" in keys_of(app))
        await pilot.press("w")
        await until(pilot, lambda: "Saved as" in shown(app, "prompt"))
        assert saved.read_bytes() == whole
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await pilot.press("r")
        await until(pilot, lambda: can_act(app))


async def test_the_signature_of_a_record_is_saved_beside_it(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), bot_pause=0, sign=lambda content: sha256(content).hexdigest())
    stage = Stage(hub, tmp_path / "records")
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        await pilot.press("w")
        await until(pilot, lambda: "Saved as" in shown(app, "prompt"))
    await hub.close()
    (saved,) = stage.records.glob("*.json")
    signed = sha256(saved.read_bytes()).hexdigest()
    assert (stage.records / f"{saved.name}.sig").read_text() == signed


async def test_a_match_can_be_played_by_mouse_alone(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.click("GameCard", offset=(3, 1))
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#count"))
        await pilot.click("#begin")
        await until(pilot, lambda: can_act(app))
        while not is_over(app):
            await pilot.click("#board", offset=(2, 0))
            await until(pilot, lambda: can_act(app) or is_over(app))


async def test_several_people_play_at_one_screen_and_secrets_are_covered_between_them(stage: Stage) -> None:
    async with stage.play(secrets=True) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        app.screen.query_one("#kind-1").focus()
        await pilot.press("left", "g")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        first = app.store.scene.viewer if app.store.scene else None
        assert first == 0
        while not isinstance(app.screen, HandoverDialog):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or isinstance(app.screen, HandoverDialog))
        await until(pilot, lambda: app.store.scene is not None and app.store.scene.viewer is None)
        covered = app.screen_stack[-2]
        assert isinstance(covered, TableScreen)
        assert covered.board.scene is app.store.scene
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        assert app.store.scene is not None
        assert app.store.scene.viewer == 1


async def test_a_move_that_is_not_possible_is_explained_in_the_prompt_line(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        before = app.revision
        await pilot.press("x")
        await until(pilot, lambda: shown(app, "prompt") != "Anna, choose a move.")
        assert app.revision == before


async def test_leaving_a_table_asks_and_the_menu_offers_to_go_on(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("q", "escape")
        assert isinstance(app.screen, TableScreen)
        await pilot.press("q")
        await pilot.press("left", "enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await until(pilot, lambda: isinstance(app.screen.focused, OpenList))
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))


def may_undo_at_once(game: str) -> bool:
    """Whether the first move of a match may be taken back, as it shows nobody anything."""
    match = match_of(game, faces()[game].meta.min_seats, 1)
    return match.may_undo(match.plies[0].seat)


@pytest.mark.parametrize("game", [game for game in faces() if may_undo_at_once(game)])
async def test_undo_takes_the_last_step_back(stage: Stage, game: str) -> None:
    async with (
        stage.play(local=False) as (app, pilot),
        beside_one_who_is_away(stage, app, pilot, game),
    ):
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1 and scene_in(app).match.may_undo)
        await pilot.press("u")
        await until(pilot, lambda: scene_in(app).match.ply == 0)


async def test_the_footer_can_be_clicked(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        where = keys_of(app).index("new")
        await pilot.click("#keys", offset=(where, 0))
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen))
