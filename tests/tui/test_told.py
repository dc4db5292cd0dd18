"""What is told in the prompt line stays there until the next key or click, whoever comes or goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.widgets import OptionList

from kk_core.protocol.messages import GetKeys, Keys, OpenTable, RemoveKey, SetBot
from kk_core.text import text
from kk_core.views import KeyLine
from kk_tui.app import KkApp, multiplayer
from kk_tui.client.client import Refusal
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.table_menu import TableMenuScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens import base
from kk_tui.screens.base import KkScreen
from kk_tui.screens.daily import DailyScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.history import PastMatchesScreen
from kk_tui.screens.keys import KeysScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.screens.ssh_keys import SshKeysScreen
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.playing import sit_down
from tests.waiting import patience

UNUSED = "f20"
"""A key that does nothing anywhere."""


async def is_kept(app: KkApp, pilot: Running) -> None:
    """See that what is told now stays while others come and go, and is gone with the next key."""
    before = shown(app, "prompt")
    assert isinstance(app.screen, KkScreen)
    app.screen.tell(text("Something has happened."))
    for _ in range(2):
        renewed(app)
        await at_rest(pilot)
        assert shown(app, "prompt") == "Something has happened."
    await pilot.press(UNUSED)
    await until(pilot, lambda: shown(app, "prompt") == before)


@pytest.mark.parametrize(
    "make",
    [DailyScreen, HelpScreen, KeysScreen, NewGameScreen, PastMatchesScreen, SettingsScreen],
)
async def test_it_stays_on_a_screen_over_the_menu(stage: Stage, make: Callable[[], KkScreen]) -> None:
    async with stage.play() as (app, pilot):
        assert isinstance(app.screen, MenuScreen)
        await at_rest(pilot)
        await is_kept(app, pilot)
        app.push_screen(screen := make())
        await until(pilot, lambda: app.screen is screen and screen.is_alive)
        await at_rest(pilot)
        await is_kept(app, pilot)


async def test_it_stays_in_the_lobby(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        assert isinstance(app.screen, LobbyScreen)
        await at_rest(pilot)
        await is_kept(app, pilot)


async def test_a_notice_in_the_lobby_outlasts_a_key_that_may_have_been_on_its_way(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multiplayer, "reading", lambda _: 1e9)
    async with stage.play(local=False) as (app, pilot):
        assert isinstance(app.screen, LobbyScreen)
        app.screen.complain(text("It was refused."))
        stage.hub.sessions.tell("anna", text("Something has happened."))
        await until(pilot, lambda: shown(app, "prompt") == "Something has happened.")
        await pilot.press(UNUSED)
        await at_rest(pilot)
        assert shown(app, "prompt") == "Something has happened."


async def test_why_a_seat_cannot_be_taken_stays_until_a_key_or_until_somebody_takes_a_seat(
    stage: Stage,
) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: SetBot(n, 1, "random"))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        seats = app.screen.query_one(OptionList)
        seats.focus()
        await at_rest(pilot)
        usual = shown(app, "prompt")
        for is_read in (True, False):
            seats.highlighted = 1
            await pilot.press("enter")
            await until(pilot, lambda: "A bot sits here; b " in shown(app, "prompt"))
            renewed(app)
            await at_rest(pilot)
            assert "A bot sits here; b " in shown(app, "prompt")
            if is_read:
                await pilot.press(UNUSED)
            else:
                await app.request(lambda n: SetBot(n, 1, None))
            await until(pilot, lambda: "A bot sits here; b " not in shown(app, "prompt"))
            assert (shown(app, "prompt") == usual) is is_read


async def test_that_a_key_has_only_just_moved_is_told_for_a_moment_and_takes_nothing_else_along(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play() as (app, pilot):
        assert isinstance(app.screen, MenuScreen)
        await at_rest(pilot)
        usual = shown(app, "prompt")
        app.screen.on_key_bar_moved()
        await until(pilot, lambda: "only just moved" in shown(app, "prompt"))
        app.screen.take_back()
        monkeypatch.setattr(base, "reading", lambda _: 0.1)
        app.screen.on_key_bar_moved()
        await until(pilot, lambda: shown(app, "prompt") == usual)
        passed = asyncio.Event()
        app.screen.on_key_bar_moved()
        app.screen.set_timer(0.1, passed.set)
        app.screen.tell(text("Something has happened."))
        async with asyncio.timeout(patience()):
            await passed.wait()
        await at_rest(pilot)
        assert shown(app, "prompt") == "Something has happened."


async def test_where_a_record_was_saved_stays_on_the_result_and_in_the_replay(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await sit_down(app, stage.game, stage.seats)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen) and shown(app, "prompt"))
        await saved(app, pilot, lambda: None)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "Before" in shown(app, "prompt"))
        assert isinstance(app.screen, ReplayScreen)
        await saved(app, pilot, app.screen._show_coach)  # as whenever the coach has found something


async def saved(app: KkApp, pilot: Running, meanwhile: Callable[[], None]) -> None:
    """Save a record, and read where it is."""
    before = shown(app, "prompt")
    await pilot.press("w")
    await until(pilot, lambda: shown(app, "prompt").startswith("Saved as "))
    renewed(app)
    meanwhile()
    await at_rest(pilot)
    assert shown(app, "prompt").startswith("Saved as ")
    await pilot.press(UNUSED)
    await until(pilot, lambda: shown(app, "prompt") == before)


async def test_an_enter_that_came_too_soon_in_the_menu_of_a_table_is_answered_until_the_next_key(
    stage: Stage,
) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        app.show_table_menu()
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.is_alive)
        await at_rest(pilot)
        assert not shown(app, "prompt")
        await is_kept(app, pilot)


async def test_why_a_key_is_not_removed_is_not_lost_to_the_list_that_is_asked_for_anew(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tuple(KeyLine(f"SHA256:{name}", name, 0, 0) for name in ("laptop", "desk"))
    async with stage.play(local=False) as (app, pilot):
        asked = app.request

        async def answered(make: Any) -> Any:
            match make(0):
                case GetKeys():
                    return Keys(0, keys)
                case RemoveKey():
                    raise Refusal(text("Not so fast."))
            return await asked(make)

        monkeypatch.setattr(app, "request", answered)
        app.push_screen(screen := SshKeysScreen())
        await until(pilot, lambda: app.screen is screen and "Del removes one" in shown(app, "prompt"))
        await pilot.press("delete")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: app.screen is screen)
        await at_rest(pilot)
        assert shown(app, "prompt") == "Not so fast."
        await pilot.press(UNUSED)
        await until(pilot, lambda: "Del removes one" in shown(app, "prompt"))
