"""A hint: what an expert would think of, over the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from kk_tui.games import faces
from kk_tui.screens.hint import HintScreen
from kk_tui.screens.table import Table
from server.hub.hub import Hub
from server.storage.memory import MemoryLog
from tests.tui.conftest import Stage, until
from tests.tui.playing import can_act, keys_of, scene_in, sit_down

every_game = pytest.mark.parametrize("game", faces())


@every_game
async def test_a_hint_tells_moves_with_what_speaks_for_them_and_leads_back(game: str, tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    stage = Stage(hub, tmp_path)
    async with stage.play(games=faces()) as (app, pilot):
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        assert " h " in keys_of(app)
        before = scene_in(app)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HintScreen))
        words = "\n".join(str(line.content) for line in app.screen.query("#question Static").results(Static))
        assert "1  " in words
        assert "An expert in your place" in words
        assert "you would end" in words
        question = app.screen.query_one("#question")
        await until(pilot, lambda: question.region.width)
        frame = question.region
        assert abs(frame.x - (app.size.width - frame.right)) <= 1  # in the middle, over the dimmed table
        assert app.screen.styles.background.a < 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Table))
        assert scene_in(app) is before
    await hub.close()
