"""What a server tells those who come stands before the lobby until it was read."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from msgspec.structs import replace
from textual.widgets import Static

from kk_core.protocol.messages import GoTo, OpenTable, Say, WelcomePage
from kk_core.protocol.stream import ClientLink
from kk_core.text import text
from kk_tui.app import KkApp
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen, LostDialog, WelcomeScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.table.landing import at_step
from tests.server.client import Client
from tests.tui.conftest import Stage, shown, until
from tests.tui.scenes import lines_of
from tests.tui.test_lobby import match_with_beate

PAGE = WelcomePage("The Blue Abbey", "Be kind.\n- no bets", "Open until ten.")
KEY = "SHA256:3YEgEWyHJ2Qh0PgZ58EFuiQhHkmtacEx/uomyFyynLc"


def words(app: object) -> str:
    return "\n".join(str(part.content) for part in app.screen.query(Static))  # type: ignore[attr-defined]


def is_shown(app: KkApp, screen: type[KkScreen]) -> bool:
    return isinstance(app.screen, screen)


@pytest.mark.parametrize("key", ["enter", "space", "escape"])
async def test_the_page_is_read_before_the_lobby_and_any_way_on_leads_there(stage: Stage, key: str) -> None:
    stage.hub.welcome = PAGE
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        assert str(app.screen.query_one("#page").border_title) == "The Blue Abbey"
        for part in ("House rules", "Be kind.\n- no bets", "News", "Open until ten."):
            assert part in words(app)
        assert "First visit" not in words(app)
        assert shown(app, "header") == "Welcome, anna"
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_at_the_first_visit_the_key_of_the_server_is_shown_where_there_is_no_page_too(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False, first_key=KEY) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        assert "First visit" in words(app)
        assert KEY in words(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.first_key is None


async def test_who_comes_back_to_a_replay_reads_first_and_is_at_its_step_then(stage: Stage) -> None:
    beate = Client(stage.hub.connect("beate"))
    await beate.do(OpenTable, stage.game, {}, stage.seats)
    await beate.sit(0)
    await beate.seat_bots(*range(1, stage.seats))
    await beate.start()
    await beate.play_to_the_end()
    stage.hub.welcome = PAGE
    go_to = at_step(f"{beate.table.id}-1", 2)
    async with stage.play("anna", local=False, go_to=go_to) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.store.table is not None)
        await pilot.press("enter")
        await until(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and "Move 2 of" in shown(app, "header")
        )
    await beate.close()


async def test_who_comes_with_an_invitation_reads_first_and_is_at_the_table_then(stage: Stage) -> None:
    stage.hub.welcome = PAGE
    beate = Client(stage.hub.connect("beate"))
    await beate.do(OpenTable, stage.game, {}, stage.seats, "At the inn")
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(partial(GoTo, table=beate.table.id))
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.store.table is not None)
        await beate.do(Say, "come in")  # whatever happens there meanwhile
        await until(pilot, lambda: app.store.place is not None and app.store.place.chat.said == 1)
        assert isinstance(app.screen, WelcomeScreen)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
    await beate.close()


async def test_who_reads_first_is_told_then_that_they_are_back_at_their_match(stage: Stage) -> None:
    await match_with_beate(stage, "Monday")
    stage.hub.welcome = PAGE
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.store.table is not None)
        assert "You're back at your match" not in "\n".join(lines_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: "You're back at your match" in lines_of(app)[-2])


async def test_who_has_read_it_reads_it_no_more_after_a_lost_connection_but_what_is_new(stage: Stage) -> None:
    stage.hub.welcome = PAGE
    async with stage.play("~carl", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        following: tuple[tuple[WelcomePage, type[KkScreen]], ...] = (
            (PAGE, LobbyScreen), (replace(PAGE, news="Closed."), WelcomeScreen)
        )  # fmt: skip
        for page, screen in following:
            stage.hub.welcome = page
            assert app.client is not None
            await app.client.close()
            await until(pilot, lambda: isinstance(app.screen, LostDialog))
            app.connect()
            await until(pilot, partial(is_shown, app, screen))
        assert "Closed." in words(app)


async def test_a_lost_connection_leaves_the_page_and_the_next_one_shows_it_again(stage: Stage) -> None:
    stage.hub.welcome = PAGE
    async with stage.play("~carl", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        assert app.client is not None
        await app.client.close()
        await until(pilot, lambda: isinstance(app.screen, LostDialog))
        app.connect()
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.client is not None)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_a_notice_that_comes_before_the_first_screen_is_told_there(stage: Stage) -> None:
    stage.hub.welcome = PAGE
    stage.hub.sessions.notice = text("The server goes down at ten.")
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await until(pilot, lambda: shown(app, "prompt") == "The server goes down at ten.")


async def test_a_long_page_is_scrolled_and_says_so_and_what_steers_terminals_is_shown_as_it_is(
    stage: Stage,
) -> None:
    rules = "\n".join(f"rule {number} \x1b[31m\u202e" for number in range(60))
    stage.hub.welcome = WelcomePage("A\x07bbey [b]", rules, "[bold]News")
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await until(pilot, lambda: "scroll" in shown(app, "prompt"))
        page = app.screen.query_one("#page")
        assert "A\\x07bbey" in str(page.border_title)
        assert "rule 7 \\x1b[31m\\u202e" in words(app)
        assert "[bold]News" in words(app)
        await pilot.press("pagedown", "down")
        await until(pilot, lambda: page.scroll_y > 3)
        await pilot.resize_terminal(120, 90)
        await until(pilot, lambda: shown(app, "prompt") == "Enter goes in.")


async def test_a_click_below_leads_in_and_q_asks_whether_to_leave(stage: Stage) -> None:
    stage.hub.welcome = PAGE
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.click("KeyBar", offset=(2, 0))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


@pytest.mark.parametrize("local", [True, False])
async def test_keys_that_come_before_the_first_screen_do_nothing(stage: Stage, local: bool) -> None:
    started = asyncio.Event()

    async def slow() -> ClientLink:
        await started.wait()
        return stage.hub.connect("anna")

    app = KkApp(slow, local=local)
    async with app.run_test() as pilot:
        app.action_go_there()
        app.action_say_phrase(0)
        started.set()
        await until(pilot, lambda: app.shows_something and app.user)
