"""What is typed on the way to a table: a line of its chat stands there whole, and nothing else counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from textual.events import Key
from textual.widgets import Input

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo, OpenTable
from kk_core.text import text
from kk_server.tables.table import Table
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.talk import TalkScreen
from kk_tui.widgets.table_list import TableList
from tests.tui.conftest import Running, Stage, at_rest, until
from tests.tui.scenes import lines_of

DROPPED = "What you typed in the meantime has been dropped."
ONLY_CHAT = "Of what you typed in the meantime, only the chat counts."


async def opened(stage: Stage, title: str = "Friday") -> Table:
    """A table of somebody else."""
    return await stage.hub.open_table("host", OpenTable(0, stage.game, {}, stage.seats, title))


async def running(stage: Stage, user: str) -> Table:
    """A match in which a user has all seats."""
    table = await opened(stage)
    for seat in range(stage.seats):
        await table.take_seat(user, seat, "")
    await table.start("host", bytes(32))
    return table


def plies_made(table: Table) -> int:
    """How many moves have been made at a table."""
    return 0 if table.state.match is None else len(table.state.match.plies)


def typed_at_once(app: KkApp, *keys: str) -> None:
    """Type as one who does not wait to see what a key has done."""
    for key in keys:
        app.post_message(Key(key, " " if key == "space" else key if len(key) == 1 else None))


def chat_line(app: KkApp) -> str:
    """What stands in the input of the chat."""
    return app.screen.query_one(Input).value


def seen(app: KkApp, words: str) -> bool:
    """Whether these words are on the screen."""
    return words in "\n".join(lines_of(app))


@contextmanager
def answered_late(app: KkApp, kind: type = GoTo) -> Iterator[asyncio.Event]:
    """Have requests of a kind wait until the event is set."""
    request, released = app.request, asyncio.Event()

    async def late(make: Callable[[int], Any]) -> Any:
        if isinstance(make(0), kind):
            await released.wait()
        return await request(make)

    with patch.object(app, "request", late):
        yield released


async def in_lobby(pilot: Running, app: KkApp) -> None:
    """Wait until the cursor is on a table of the lobby."""
    await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    await until(pilot, lambda: app.screen.query_one(TableList).pointed)


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("phase", ["open", "watched", "own"])
async def test_what_is_typed_for_the_chat_of_a_table_right_behind_enter_stands_there_whole(
    stage: Stage, phase: str, *, is_late: bool
) -> None:
    await (opened(stage) if phase == "open" else running(stage, "anna" if phase == "own" else "host"))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        if phase == "own":  # where one lands
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            await app.request(lambda n: GoTo(n, None))
        await in_lobby(pilot, app)
        if is_late:
            with answered_late(app) as released:
                typed_at_once(app, "enter", *"oabcde")
                await at_rest(pilot)
                assert isinstance(app.screen, LobbyScreen)
                typed_at_once(app, *"fghij")
                await at_rest(pilot)
                released.set()
        else:
            typed_at_once(app, "enter", *"oabcdefghij")
        await until(
            pilot, lambda: isinstance(app.screen, TableSetupScreen if phase == "open" else TalkScreen)
        )
        await until(pilot, lambda: chat_line(app) == "abcdefghij")
        await at_rest(pilot)
        assert isinstance(app.focused, Input)
        assert stage.hub.lobby.chat.view().said == 0
        assert not seen(app, "has been dropped")


async def test_a_command_typed_for_a_table_is_carried_out_there_and_is_said_to_nobody(stage: Stage) -> None:
    table = await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "slash", *"join", "enter")
        await until(pilot, lambda: table.state.seats[0].owner == "anna")
        assert table.chat.view().said == stage.hub.lobby.chat.view().said == 0


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("phase", ["open", "own"])
@pytest.mark.parametrize("keys", [["enter"], ["enter", "down", "enter"], ["b", "g", "escape", "1", "u"]])
async def test_any_other_key_typed_behind_enter_does_nothing_at_the_table_which_is_said(
    stage: Stage, keys: list[str], phase: str, *, is_late: bool
) -> None:
    table = await (opened(stage) if phase == "open" else running(stage, "anna"))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        if phase == "own":  # where one lands
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            await app.request(lambda n: GoTo(n, None))
        await in_lobby(pilot, app)
        if is_late:
            with answered_late(app) as released:
                typed_at_once(app, "enter", *keys)
                await at_rest(pilot)
                released.set()
        else:
            typed_at_once(app, "enter", *keys)
        await until(pilot, lambda: seen(app, DROPPED))
        await at_rest(pilot)
        assert isinstance(app.screen, TableSetupScreen if phase == "open" else TableScreen)
        assert plies_made(table) == 0
        assert phase == "own" or not any(seat.owner or seat.bot for seat in table.state.seats)


async def test_of_keys_behind_enter_those_for_the_chat_count_and_it_is_said_that_others_do_not(
    stage: Stage,
) -> None:
    table = await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "enter", *"ohi", "enter", "escape", "enter", "b")
        await until(pilot, lambda: table.chat.view().said == 1)
        await until(pilot, lambda: seen(app, ONLY_CHAT))
        assert seen(app, "anna: hi")
        assert not any(seat.owner or seat.bot for seat in table.state.seats)


async def test_what_is_typed_behind_a_click_on_a_table_counts_there_too(stage: Stage) -> None:
    await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        tables = app.screen.query_one(TableList)
        with answered_late(app) as released:
            await pilot.click(tables, offset=(10, 0))
            typed_at_once(app, *"oabcdefghij")
            await at_rest(pilot)
            released.set()
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: chat_line(app) == "abcdefghij")


@pytest.mark.parametrize("line", ["join friday", "watch friday", "join"])
@pytest.mark.parametrize("is_late", [False, True])
async def test_what_is_typed_behind_a_line_that_leads_to_a_table_counts_there(
    stage: Stage, line: str, *, is_late: bool
) -> None:
    await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        keys = ["space" if letter == " " else letter for letter in line]
        typed_at_once(app, "slash", *keys[:2])
        with answered_late(app) as released:
            for key in keys[2:]:
                await pilot.press(key)
            typed_at_once(app, "enter", "enter", *"oabcdefghij")
            if is_late:
                await at_rest(pilot)
            released.set()
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: chat_line(app) == "abcdefghij")
        assert stage.hub.lobby.chat.view().said == 0


async def test_what_is_typed_behind_a_line_that_leads_nowhere_is_typed_where_one_is(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        typed_at_once(app, "slash", *"tables", "enter", *"hello")
        await until(pilot, lambda: seen(app, "No table is open."))
        await until(pilot, lambda: chat_line(app) == "hello")


async def test_what_is_typed_behind_the_line_that_leaves_a_table_counts_for_the_lobby(stage: Stage) -> None:
    table = await running(stage, "anna")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        typed_at_once(app, "slash", *"leave", "enter", *"ohello")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and chat_line(app) == "hello")
        assert plies_made(table) == 0


async def test_what_is_typed_on_the_way_to_a_table_that_refuses_is_dropped_which_is_said(
    stage: Stage,
) -> None:
    await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        asked = asyncio.Event()

        async def refused(_make: object) -> None:
            await asked.wait()
            raise KkError(text("Not now."))

        with patch.object(app, "request", refused):
            typed_at_once(app, "enter", *"oabc", "enter")
            await at_rest(pilot)
            asked.set()
            await until(pilot, lambda: seen(app, "Not now. What you typed in the meantime has been dropped."))
        assert chat_line(app) == ""
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))


async def test_while_the_way_to_a_table_takes_long_it_is_said_what_counts(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.app.type_ahead.LATE", 0.0)
    said = "Opening the table... Of what you type now, only the chat counts there."
    await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        with answered_late(app) as released:
            await pilot.press("enter")
            await until(pilot, lambda: seen(app, said))
            await pilot.press("ctrl+q")  # which counts everywhere
            await until(pilot, lambda: seen(app, "Quit kk?"))
            await pilot.press("n")
            released.set()
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and not seen(app, said))


async def test_a_second_enter_on_the_form_of_a_new_game_opens_no_second_table(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.is_alive)
        await pilot.press("g")
        typed_at_once(app, "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await at_rest(pilot)
        assert len(stage.hub.lobby.lines(None)) == 1


async def test_at_home_too_no_key_typed_ahead_moves(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.is_alive)
        typed_at_once(app, "g", *["enter"] * 5)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await at_rest(pilot)
        (table,) = stage.hub.tables.values()
        assert plies_made(table) == 0


async def test_what_is_being_typed_while_a_match_begins_goes_on_in_its_chat(stage: Stage) -> None:
    table = await opened(stage)
    for seat in range(stage.seats):
        await table.take_seat("host", seat, "")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("o", *"good")
        await table.start("host", bytes(32))
        await until(pilot, lambda: isinstance(app.screen, TalkScreen))
        typed_at_once(app, "space", *"luck")
        await until(pilot, lambda: chat_line(app) == "good luck")
        await pilot.press("enter")
        await until(pilot, lambda: seen(app, "good luck") and chat_line(app) == "")
