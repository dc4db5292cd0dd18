"""What is typed on the way to a table: a line of its chat stands there whole, and nothing else counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from textual.events import Key, Paste
from textual.widgets import Input

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo, Join, OpenTable
from kk_core.text import text
from kk_server.tables.table import Table
from kk_tui.app import KkApp, type_ahead
from kk_tui.games import faces
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.chat import ChatScreen
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.table_list import TableList
from tests.tui.conftest import Running, Stage, at_rest, until
from tests.tui.scenes import lines_of

DROPPED = "What you typed in the meantime has been dropped"
ONLY_CHAT = f"{DROPPED}, except for chat."


async def opened(stage: Stage, title: str = "Friday", *, owner: str = "host") -> Table:
    """A table of somebody, of somebody else by default."""
    return await stage.hub.open_table(owner, OpenTable(0, stage.game, {}, stage.seats, title))


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


async def in_lobby(pilot: Running, app: KkApp, *, lands_elsewhere: bool = False) -> None:
    """Wait until the cursor is on a table of the lobby; who lands at a match of their own leaves it first."""
    if lands_elsewhere:
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await app.request(lambda n: GoTo(n, None))
    await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    await until(pilot, lambda: app.screen.query_one(TableList).pointed)


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("phase", ["open", "watched", "own"])
async def test_what_is_typed_for_the_chat_of_a_table_right_behind_enter_stands_there_whole(
    stage: Stage, phase: str, *, is_late: bool
) -> None:
    await (opened(stage) if phase == "open" else running(stage, "anna" if phase == "own" else "host"))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app, lands_elsewhere=phase == "own")
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
            pilot, lambda: isinstance(app.screen, TableSetupScreen if phase == "open" else ChatScreen)
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
@pytest.mark.parametrize("keys", [["enter"], ["enter", "down", "enter"], ["b", "g", "1", "u"]])
async def test_any_other_key_typed_behind_enter_does_nothing_at_the_table_which_is_said(
    stage: Stage, keys: list[str], phase: str, *, is_late: bool
) -> None:
    table = await (opened(stage) if phase == "open" else running(stage, "anna"))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app, lands_elsewhere=phase == "own")
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
        typed_at_once(app, "enter", "enter", "b", *"ohi", "enter")
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


@pytest.mark.parametrize("line", ["{page}join/{code}", "join {page}join/{code}", "sit {code}"])
async def test_what_is_typed_behind_the_line_that_leads_to_another_table_counts_there(
    stage: Stage, line: str
) -> None:
    stage.hub.web_for = lambda _origin: "https://kk.example.org/"
    own = await running(stage, "anna")
    other = await stage.hub.open_table("host", OpenTable(0, stage.game, {}, stage.seats, private=True))
    line = line.format(page="https://kk.example.org/", code=other.state.created.code)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        with answered_late(app, Join) as released:
            typed_at_once(app, "slash", *("space" if letter == " " else letter for letter in line), "enter")
            await at_rest(pilot)
            typed_at_once(app, "enter", *"oabcdefghij")
            await at_rest(pilot)
            released.set()
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: chat_line(app) == "abcdefghij")
        assert plies_made(own) == own.chat.view().said == other.chat.view().said == 0


async def test_what_is_typed_behind_a_line_that_stays_at_the_table_is_typed_there(stage: Stage) -> None:
    await running(stage, "anna")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        typed_at_once(app, "slash", *"join", "space", "1", "enter", *"hello")
        await until(pilot, lambda: chat_line(app) == "hello")


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
    said = "Opening the table... Only chat typed now will count; Esc goes on here."
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


@pytest.mark.parametrize("words", ["", "good"])
async def test_what_is_being_typed_while_a_match_begins_goes_on_in_its_chat(stage: Stage, words: str) -> None:
    table = await opened(stage)
    for seat in range(stage.seats):
        await table.take_seat("host", seat, "")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("o", *words)
        await table.start("host", bytes(32))
        await until(pilot, lambda: isinstance(app.screen, ChatScreen))
        typed_at_once(app, *"luck")
        await until(pilot, lambda: chat_line(app) == f"{words}luck")
        await pilot.press("enter")
        await until(pilot, lambda: seen(app, f"{words}luck") and chat_line(app) == "")


async def test_what_corrects_a_line_counts_for_one_typed_ahead_too(stage: Stage) -> None:
    table = await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "o", *"wrong", "ctrl+u", *"right", "enter")
        await until(pilot, lambda: table.chat.view().said == 1)
        assert seen(app, "anna: right")


@pytest.mark.parametrize("phase", ["open", "watched"])
async def test_what_is_pasted_behind_enter_stands_in_the_chat_at_its_place(stage: Stage, phase: str) -> None:
    await (opened(stage) if phase == "open" else running(stage, "host"))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "o", "a")
        app.post_message(Paste("BC"))
        typed_at_once(app, "d")
        await until(pilot, lambda: bool(app.screen.query(Input)) and chat_line(app) == "aBCd")


async def test_what_is_pasted_behind_a_line_that_leads_nowhere_stands_at_its_place(stage: Stage) -> None:
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        typed_at_once(app, "slash", *"tables", "enter", "a")
        app.post_message(Paste("B"))
        typed_at_once(app, "c")
        await until(pilot, lambda: chat_line(app) == "aBc")


async def test_no_key_but_those_of_the_chat_counts_until_a_table_has_been_seen(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_ahead, "_GOES_ON", 3600.0)  # however long it takes
    table = await opened(stage, owner="anna")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "b")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press(*["b"] * 9, "enter", "g")
        await until(pilot, lambda: seen(app, ONLY_CHAT))
        await pilot.press("o", *"hi", "enter", "f2")
        await until(pilot, lambda: table.chat.view().said == 2)
        assert not any(seat.owner or seat.bot for seat in table.state.seats)
        assert table.state.match is None


async def test_a_phrase_behind_enter_is_said_at_the_table(stage: Stage) -> None:
    table = await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        typed_at_once(app, "enter", "f2")
        await until(pilot, lambda: table.chat.view().said == 1)
        assert stage.hub.lobby.chat.view().said == 0


async def test_esc_on_the_way_drops_what_was_typed_and_keys_count_again_where_one_is(stage: Stage) -> None:
    table = await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        with answered_late(app) as released:
            typed_at_once(app, "enter", *"ohi", "enter", "escape", "question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and seen(app, DROPPED))
            released.set()
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert table.chat.view().said == 0


async def test_another_way_drops_what_was_typed_for_the_first(stage: Stage) -> None:
    first = await opened(stage)
    second = await opened(stage, "Saturday")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        with answered_late(app) as released:
            typed_at_once(app, "enter", *"ohi", "enter")
            await at_rest(pilot)
            app.screen_in_front.visit(lambda n: GoTo(n, second.id))
            await until(pilot, lambda: seen(app, DROPPED))
            released.set()
            await until(
                pilot,
                lambda: (
                    isinstance(app.screen, TableSetupScreen)
                    and app.store.table is not None
                    and app.store.table.id == second.id
                ),
            )
        await at_rest(pilot)
        assert first.chat.view().said == second.chat.view().said == 0


async def test_a_notice_that_comes_with_the_table_is_not_covered_by_what_was_dropped(stage: Stage) -> None:
    await opened(stage)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await in_lobby(pilot, app)
        with answered_late(app) as released:
            typed_at_once(app, "enter", "enter")
            await at_rest(pilot)
            app.show_notice(text("The host says hello."))
            released.set()
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and seen(app, ONLY_CHAT))
        assert seen(app, "The host says hello.")
        await pilot.press("o", "slash")
        await until(pilot, lambda: seen(app, "is a command, not chat"))
