"""The words of plain mode, typed in the chat after a slash: carried out, and answered to oneself alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.widgets import Input

from kk_core.protocol.messages import LookBack, OpenTable, Play
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.languages import languages
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.chat import ChatHelpDialog, ChatScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.widgets.board import Board
from tests.server.client import Client
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import scene_in, sit_down
from tests.tui.scenes import lines_of
from tests.tui.test_chat_screen import said
from tests.waiting import wait_for


async def write(app: KkApp, pilot: Running, line: str) -> None:
    """Type a line into the chat."""
    if not app.screen.query(Input) or not isinstance(app.focused, Input):
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.focused, Input))
    await pilot.press(*line, "enter")


async def test_a_move_is_made_by_its_words_and_what_is_asked_is_answered_in_the_chat(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await write(app, pilot, "/why take 1 7")
        await until(pilot, lambda: "This card is not at an end of its row." in said(app))
        await write(app, pilot, "/row 1")
        await until(pilot, lambda: "1 14: " in said(app))
        assert app.store.scene is not None
        ply = app.store.scene.match.ply
        await write(app, pilot, "/take 1 left")
        await until(pilot, lambda: app.store.scene is not None and app.store.scene.match.ply == ply + 1)
        await write(app, pilot, "/undo")
        await until(pilot, lambda: app.store.scene is not None and app.store.scene.match.ply == ply)
        await write(app, pilot, "/help undo")
        await until(pilot, lambda: "take back your last step" in said(app))
        assert isinstance(app.screen, ChatScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_nobody_else_hears_a_command_its_answer_or_its_refusal(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        (table,) = stage.hub.tables.values()
        eve = Client(stage.hub.connect("eve"))
        await eve.go_to(table.id)
        for line, answer in (("/row 3", "oints"), ("/score", "As things stand"), ("/who", "Watching: eve")):
            await write(app, pilot, line)
            await until(pilot, lambda answer=answer: answer in said(app))  # type: ignore[misc]
        await write(app, pilot, "/dance with me")
        await until(pilot, lambda: "neither a word nor a move" in shown(app, "prompt"))
        assert app.screen.query_one(Input).value == "/dance with me"
        assert app.store.table is not None
        assert not app.store.table.chat.said
        await eve.close()


async def test_the_lobby_s_words_work_in_its_chat_and_answers_stay_at_their_place(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await write(app, pilot, "/games")
        await until(pilot, lambda: "ku_ka_king: Ku-Ka-King, 2-4 seats." in said(app))
        await write(app, pilot, "/open ku_ka_king 2 private")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert app.my_seats == (0,)
        await until(pilot, lambda: "Ku-Ka-King, 2-4 seats." not in said(app))
        await write(app, pilot, "/bot random")
        await until(pilot, lambda: app.store.table is not None and app.store.table.seats[1].bot == "random")
        await write(app, pilot, "/look")
        await until(pilot, lambda: "Seats: 1 anna, 2 " in said(app))
        await write(app, pilot, "/leave")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await until(pilot, lambda: "Seats" not in said(app))


async def test_a_word_of_another_place_is_refused_with_where_it_belongs(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await write(app, pilot, "/moves")
        await until(pilot, lambda: "'moves' is for a table; you are in the lobby." in shown(app, "prompt"))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await write(app, pilot, "/tables")
        await until(pilot, lambda: "for the lobby; '/leave' leads there" in shown(app, "prompt"))
        await pilot.press("ctrl+u")
        await write(app, pilot, "/moves")
        await until(pilot, lambda: "No match has begun here." in shown(app, "prompt"))


async def test_tab_completes_a_word_after_a_slash_and_shows_what_it_may_be(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await pilot.press("slash", *"ope", "tab")
        assert app.screen.query_one(Input).value == "/open "
        await pilot.press(*"ku", "tab")
        assert app.screen.query_one(Input).value == "/open ku_ka_king "
        await pilot.press("ctrl+u", *"/w", "tab")
        await until(pilot, lambda: "watch who" in said(app))
        assert app.screen.query_one(Input).value == "/w"
        assert isinstance(app.focused, Input)
        await pilot.press("ctrl+u", "tab")
        assert not isinstance(app.focused, Input)


async def test_a_long_answer_is_read_from_its_beginning_and_turned_by_pages(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "web_of_power", 3, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await write(app, pilot, "/look")
        await until(pilot, lambda: any("It's your turn." in line for line in lines_of(app)))
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown")
        await until(pilot, lambda: not any("It's your turn. " in line for line in lines_of(app)))
        await write(app, pilot, "hello")
        await until(pilot, lambda: any("anna: hello" in line for line in lines_of(app)))


async def end_turn(app: KkApp, pilot: Running) -> None:
    """Move until the screen is handed over, whatever is in front."""
    while not isinstance(app.screen, HandoverDialog):
        scene = scene_in(app)
        if scene.may_act:
            seat, ply, move = scene.viewer, scene.match.ply, min(scene.legal)
            assert seat is not None
            await app.request(lambda n: Play(n, seat, ply, move))  # noqa: B023
        await at_rest(pilot)
    await until(pilot, lambda: scene_in(app).viewer is None)


async def take_over(app: KkApp, pilot: Running, seat: int) -> None:
    """Sit down at the screen."""
    await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
    await pilot.press("enter")
    await until(pilot, lambda: scene_in(app).viewer == seat and not isinstance(app.screen, HandoverDialog))


async def test_who_takes_the_screen_over_reads_nothing_that_was_answered_to_the_one_before(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "web_of_power", 3, 0, 1)
        await take_over(app, pilot, 0)
        await write(app, pilot, "/hand")
        await until(pilot, lambda: "Your hand" in said(app))
        await pilot.press(*"/why zzz", "enter")
        await until(pilot, lambda: "'zzz' is no move" in shown(app, "prompt"))
        await pilot.press("ctrl+u", *"/discard ")
        table = app.screen_stack[-2]
        assert table.query_one(Board).scene.viewer == 0
        await end_turn(app, pilot)
        assert table.query_one(Board).scene.viewer is None, "covered by the chat, too"
        assert "Your hand" not in "".join(lines_of(app))
        await take_over(app, pilot, 1)
        assert isinstance(app.screen, ChatScreen)
        assert not said(app)
        assert app.screen.query_one(Input).value == ""
        assert "no move" not in shown(app, "prompt")
        await pilot.press(*"/look", "enter")
        await until(pilot, lambda: "Your hand" in said(app))
        await end_turn(app, pilot)
        await take_over(app, pilot, 0)
        assert not said(app), "nor is it there when they are back: others were at the screen"


async def test_an_answer_that_comes_after_the_screen_was_handed_over_is_not_shown(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0, 1)
        await take_over(app, pilot, 0)
        asked, go_on, request = asyncio.Event(), asyncio.Event(), app.request

        async def slow(make: Any) -> Any:
            reply = await request(make)
            if isinstance(make(0), LookBack):
                asked.set()
                await go_on.wait()
            return reply

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "request", slow)
            await write(app, pilot, "/back 0")
            await wait_for(asked.is_set)
            await end_turn(app, pilot)
            await take_over(app, pilot, 1)
            go_on.set()
            await at_rest(pilot)
            await write(app, pilot, "/score")
            await until(pilot, lambda: "As things stand" in said(app))
        assert said(app).startswith("As things stand")


async def test_no_other_seat_can_be_looked_through_by_a_word_of_the_chat(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "web_of_power", 3, 0, 1)
        await take_over(app, pilot, 0)
        await write(app, pilot, "/seat 2")
        await until(pilot, lambda: "neither a word nor a move" in shown(app, "prompt"))
        assert scene_in(app).viewer == 0


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_every_word_is_listed_and_explained_in_every_language(
    stage: Stage, game: str, language: str
) -> None:
    people = faces()[game].meta.min_seats
    async with stage.play("anna", local=False, games=faces(), language=language) as (app, pilot):
        await sit_down(app, game, people, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await write(app, pilot, "/help")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))
        whole = " ".join(" ".join(lines_of(app)).split())
        for usage, about in app.chat_console.words():
            assert " ".join(usage.split()) in whole
            assert about
        await pilot.press("escape")
        usage, about = app.chat_console.words()[0]
        await until(pilot, lambda: isinstance(app.screen, ChatScreen))
        await write(app, pilot, f"/help {usage.removeprefix('/').split()[0]}")
        await wait_for(lambda: about in said(app))
