"""The list of the lobby: as long as there are tables, drawn where it changes, with a cursor that stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from textual.content import Content
from textual.events import Key, MouseScrollDown, MouseScrollUp
from textual.strip import Strip

from kk_core.errors import KkError
from kk_core.protocol.messages import GoTo, Propose, Say
from kk_core.text import text
from kk_core.views import ChatLine
from kk_server.tables.table import Table
from kk_tui import chat
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets import chat_panel, table_list
from kk_tui.widgets.chat_panel import Said
from kk_tui.widgets.runs import Row, packed_runs
from kk_tui.widgets.table_list import Listing, TableList
from tests.server.client import Client
from tests.tui.conftest import Stage, at_rest, until
from tests.tui.playing import open_table
from tests.tui.scenes import lines_of


@pytest.fixture(autouse=True)
def _no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever moves the list does so, and a mark stands, until the test says otherwise."""
    monkeypatch.setattr(table_list, "REST", 1e6)
    monkeypatch.setattr(table_list, "MARKED", 1e6)


def list_of(app: KkApp) -> TableList:
    """The list."""
    return app.screen.query_one(TableList)


def shown(app: KkApp) -> list[int]:
    """The numbers of the tables on the screen, from above."""
    return [int(line.split("Number ")[1].split(".")[0]) for line in lines_of(app) if "Number " in line]


def rows_of_cursor(app: KkApp) -> list[int]:
    """The rows of the screen in which the line under the cursor stands."""
    tables = list_of(app)
    return [tables.region.y + y for y, index in enumerate(tables._indices) if index == tables.cursor]


def strips_of(app: KkApp) -> list[Strip]:
    """The rows of the list as they stand on the screen."""
    region = list_of(app).region
    return app.screen._compositor.render_strips()[region.y : region.bottom]


def drawn_from_now_on(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The rows of the list that are drawn, however often."""
    drawn, render_line = set[int](), TableList.render_line

    def noted(tables: TableList, y: int) -> Strip:
        drawn.add(y)
        return render_line(tables, y)

    monkeypatch.setattr(TableList, "render_line", noted)
    return drawn


def at_rest_again(app: KkApp) -> None:
    """Nobody has moved the list for long."""
    tables = list_of(app)
    tables._moved_at = -1e9
    tables._rest()


async def test_one_can_go_through_all_tables_and_knows_only_those_around(stage: Stage) -> None:
    for number in range(60):
        await open_table(stage, number)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        seen = set(shown(app))
        for _ in range(70):
            await pilot.press("pagedown")
            await until(
                pilot, lambda: list_of(app).pointed is not None and "..." not in "\n".join(lines_of(app))
            )
            seen |= set(shown(app))
            assert app.store.lobby is not None
            assert len(app.store.lobby.others) <= 36
        assert seen == set(range(60))
        assert list_of(app).cursor == 59
        await pilot.press("home")
        await until(pilot, lambda: shown(app)[:1] == [0] and list_of(app).pointed is not None)
        await pilot.press("end")
        await until(pilot, lambda: shown(app)[-1:] == [59] and list_of(app).pointed is not None)
        await pilot.press("enter")
        await until(pilot, lambda: app.store.table is not None and app.store.table.title == "Number 59.")


@pytest.mark.parametrize("size", [(160, 50), (200, 60), (200, 64), (200, 65), (200, 100)])
async def test_however_many_tables_a_screen_has_room_for_all_in_sight_are_known(
    stage: Stage, size: tuple[int, int]
) -> None:
    for number in range(200):
        await open_table(stage, number)
    async with stage.play("anna", local=False, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        seen = set[int]()
        while list_of(app).cursor != 199:
            await until(
                pilot, lambda: list_of(app).pointed is not None and "..." not in "\n".join(lines_of(app))
            )
            seen |= set(shown(app))
            await pilot.press("pagedown")
        await until(pilot, lambda: shown(app)[-1:] == [199])
        assert seen | set(shown(app)) == set(range(200))


async def test_the_cursor_stays_on_its_table_and_where_it_is_while_tables_come_and_go(stage: Stage) -> None:
    tables = [await open_table(stage, number) for number in range(30)]
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        await pilot.press(*["down"] * 16)
        await until(pilot, lambda: list_of(app).pointed == tables[16].id)
        rows, before = rows_of_cursor(app), shown(app)
        await stage.hub.close_table("host 11", tables[11].id)
        await stage.hub.close_table("host 15", tables[15].id)
        await open_table(stage, 30)
        await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == 29)
        await at_rest(pilot)
        assert (shown(app), rows_of_cursor(app)) == (before, rows), "while one moves, nothing moves"
        at_rest_again(app)
        await until(pilot, lambda: 15 not in shown(app))
        assert list_of(app).pointed == tables[16].id
        assert rows_of_cursor(app) == rows


async def test_the_line_under_a_moving_mouse_stays_there_and_is_the_one_that_a_click_chooses(
    stage: Stage,
) -> None:
    tables = [await open_table(stage, number) for number in range(12)]
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        at_rest_again(app)
        before, at = shown(app), (20, list_of(app).region.y + list_of(app)._indices.index(4))
        await pilot.hover(offset=at)
        await stage.hub.close_table("host 1", tables[1].id)
        await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == 11)
        await at_rest(pilot)
        assert shown(app) == before
        await pilot.hover(offset=(0, 0))
        list_of(app)._rest()
        await until(pilot, lambda: 1 not in shown(app))
        await pilot.hover(offset=at)
        await stage.hub.close_table("host 2", tables[2].id)
        await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == 10)
        await at_rest(pilot)
        await pilot.click(offset=at)
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert app.store.table is not None
        assert app.store.table.id == tables[5].id


async def test_the_effect_of_a_key_is_drawn_at_once_with_lines_that_it_asks_for_and_all_else_in_turns(
    stage: Stage,
) -> None:
    for number in range(60):
        await open_table(stage, number)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        await pilot.press("down")
        await at_rest(pilot)
        answered: list[float] = []
        answer = app.scheduler.answer

        def noted(touched_at: float) -> None:
            answer(touched_at)
            answered.append(app.scheduler.touched_at)

        app.scheduler.answer = noted  # type: ignore[method-assign]
        await pilot.press("down")  # more lines were asked for already
        assert list_of(app).cursor == 2
        assert answered == [app.scheduler.touched_at], (
            "its effect has been drawn, and nothing else is awaited"
        )
        await pilot.press("pagedown")
        await until(pilot, lambda: shown(app)[:1] > [2])
        assert len(answered) == 1, "its effect is not all that it has asked for"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_at_the_top_of_the_list_too_the_cursor_stays_where_it_is_while_tables_come_above_it(
    stage: Stage, size: tuple[int, int]
) -> None:
    tables = [await open_table(stage, number) for number in range(30)]
    for number in range(2, 30):
        await running(stage, tables[number])
    async with stage.play("anna", local=False, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: shown(app)[:3] == [0, 1, 2])
        await pilot.press("down", "down")
        await until(pilot, lambda: list_of(app).pointed == tables[2].id)
        at_rest_again(app)
        rows = rows_of_cursor(app)
        await open_table(stage, 30)
        await until(pilot, lambda: list_of(app).cursor == 3)
        await at_rest(pilot)
        assert (list_of(app).pointed, rows_of_cursor(app)) == (tables[2].id, rows)
        assert shown(app)[:3] == [1, 30, 2]
        await stage.hub.close_table("host 1", tables[1].id)
        await until(pilot, lambda: list_of(app).cursor == 2)
        await at_rest(pilot)
        assert (list_of(app).pointed, rows_of_cursor(app)) == (tables[2].id, rows)
        assert shown(app)[:3] == [0, 30, 2]


async def test_what_comes_above_the_first_line_is_shown_and_not_scrolled_away(stage: Stage) -> None:
    """Nobody has chosen that line, and nothing else would tell of an open table that is new."""
    tables = [await open_table(stage, number) for number in range(30)]
    for table in tables:
        await running(stage, table)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        at_rest_again(app)
        await open_table(stage, 30)
        await until(pilot, lambda: shown(app)[:2] == [30, 0])
        assert list_of(app).pointed == tables[0].id


async def test_a_minute_changes_only_lines_that_tell_since_when_somebody_is_away(stage: Stage) -> None:
    tables = [await open_table(stage, number) for number in range(4)]
    beate = Client(stage.hub.connect("beate"))
    await beate.go_to(tables[2].id)
    await beate.sit(0)
    await beate.close()
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: len(shown(app)) == 4 and any("beate" in line for line in lines_of(app)))
        made: list[str] = []
        listed = list_of(app)
        row_of = listed._row_of
        listed._row_of = lambda line, width: made.append(line.id) or row_of(line, width)  # type: ignore[func-returns-value]
        listed.time_passes()
        await at_rest(pilot)
        assert made == [tables[2].id]


async def test_the_line_under_the_cursor_is_lit_in_its_whole_width_also_where_nothing_is_written(
    stage: Stage,
) -> None:
    """One colour shows what is dark on light reversed, and what is light on light not."""
    await open_table(stage, 0)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app) == [0])
        (width, *_), rows = app.size, rows_of_cursor(app)
        strips = app.screen._compositor.render_strips()
        blank = next(iter(strips[rows[0]].crop(width - 10, width - 9))).style
        assert blank is not None
        inks = {
            part.style.color
            for y in rows
            for part in strips[y]
            if part.style is not None and part.style.bgcolor == blank.bgcolor
        }
        assert len(inks) == 1


@pytest.mark.parametrize("is_gone", [False, True])
async def test_who_comes_back_from_a_table_finds_the_list_as_they_left_it(
    stage: Stage, *, is_gone: bool
) -> None:
    """Also where that table is gone: then the cursor is on the one that has its place."""
    for number in range(60):
        await (await open_table(stage, number)).take_seat(f"host {number}", 0, "")
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        for _ in range(3):
            await pilot.press("pagedown")
        await pilot.press("down")
        await until(pilot, lambda: list_of(app).pointed and "..." not in "\n".join(lines_of(app)))
        seen, row = shown(app), rows_of_cursor(app)
        table, cursor = list_of(app).pointed, list_of(app).cursor
        assert table is not None
        await pilot.press("enter")
        await until(pilot, lambda: app.store.table is not None)
        if is_gone:
            host = Client(stage.hub.connect(f"host {cursor}"))
            await host.go_to(table)
            await host.do(Propose, "close", None)
            await host.close()
        else:
            await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and shown(app))
        await until(pilot, lambda: list_of(app).cursor == cursor and rows_of_cursor(app) == row)
        await at_rest(pilot)
        assert (list_of(app).pointed == table) is not is_gone
        assert is_gone or shown(app) == seen
        assert set(shown(app)) >= set(seen) - {cursor}


def typed_at_once(app: KkApp, *keys: str) -> None:
    """Type as one who does not wait to see what a key has done."""
    for key in keys:
        event = Key(key, None)
        event.set_sender(app)
        app.post_message(event)


@pytest.mark.parametrize("has_begun", [False, True])
async def test_what_is_typed_right_behind_the_key_that_leaves_a_table_counts_for_the_list(
    stage: Stage, *, has_begun: bool
) -> None:
    tables = [await open_table(stage, number) for number in range(4)]
    if has_begun:
        for table in tables:
            await running(stage, table)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen if has_begun else TableSetupScreen))
        await at_rest(pilot)
        typed_at_once(app, "escape", "up", "down", "down")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and list_of(app).pointed)
        await at_rest(pilot)
        assert list_of(app).pointed == tables[3].id


async def running(stage: Stage, table: Table) -> None:
    """Begin a match of its host alone."""
    host = table.state.owner
    for seat in range(stage.seats):
        await table.take_seat(host, seat, "")
    await table.start(host, bytes(32))


async def test_what_is_typed_behind_the_key_that_leaves_a_table_makes_no_move(stage: Stage) -> None:
    table = await open_table(stage, 0)
    for seat in range(stage.seats):
        await table.take_seat("anna", seat, "")
    await table.start("host 0", bytes(32))
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        left = app.screen
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        typed_at_once(app, "y", *["enter"] * 5)
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen is not left)
        await at_rest(pilot)
        assert table.state.match is not None
        assert len(table.state.match.plies) == 0


@pytest.mark.parametrize("is_typed", [False, True])
async def test_what_is_typed_while_a_table_is_left_in_vain_is_dropped_which_is_said(
    stage: Stage, *, is_typed: bool
) -> None:
    """The list that it was meant for does not come, and at the table it would mean something else."""
    table = await open_table(stage, 0)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        asked = asyncio.Event()

        async def refused(_make: object) -> None:
            await asked.wait()
            raise KkError(text("Not now."))

        with patch.object(app, "request", refused):
            await pilot.press("escape")
            typed_at_once(app, *["enter"] * is_typed)
            await at_rest(pilot)
            asked.set()
            await until(pilot, lambda: "Not now." in "\n".join(lines_of(app)))
        assert ("What you typed in the meantime has been dropped." in "\n".join(lines_of(app))) is is_typed
        assert table.state.seats[0].owner is None
        await pilot.press("enter")
        await until(pilot, lambda: table.state.seats[0].owner == "anna")


def leaving_late(app: KkApp, released: asyncio.Event) -> Any:
    """Have requests to leave a table wait."""
    request = app.request

    async def late(make: Callable[[int], Any]) -> Any:
        if make(0) == GoTo(0, None):
            await released.wait()
        return await request(make)

    return patch.object(app, "request", late)


async def test_what_is_typed_while_a_table_is_left_at_which_a_match_begins_counts_for_the_list(
    stage: Stage,
) -> None:
    table, other = [await open_table(stage, number) for number in range(2)]
    for seat in range(stage.seats):
        await table.take_seat("anna", seat, "")
    released = asyncio.Event()
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        with leaving_late(app, released):
            await pilot.press("escape")
            await table.start("host 0", bytes(32))
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            await at_rest(pilot)
            typed_at_once(app, "down", "enter")
            await at_rest(pilot)
            released.set()
            await until(pilot, lambda: app.store.table is not None and app.store.table.id == other.id)
        assert table.state.match is not None
        assert len(table.state.match.plies) == 0


async def test_while_leaving_a_table_takes_long_it_is_said_that_what_is_typed_is_kept(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.app.type_ahead.LATE", 0.0)
    said, released = "Leaving the table... What you type now is for the lobby.", asyncio.Event()
    table = await open_table(stage, 0)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        with leaving_late(app, released):
            await pilot.press("escape")
            await until(pilot, lambda: said in "\n".join(lines_of(app)))
            released.set()
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
            await until(pilot, lambda: said not in "\n".join(lines_of(app)))


async def test_where_the_table_under_the_cursor_goes_the_next_one_takes_its_place(stage: Stage) -> None:
    tables = [await open_table(stage, number) for number in range(5)]
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        await pilot.press("down")
        await until(pilot, lambda: list_of(app).pointed == tables[1].id)
        at_rest_again(app)
        await stage.hub.close_table("host 1", tables[1].id)
        await until(pilot, lambda: list_of(app).pointed == tables[2].id)
        assert list_of(app).cursor == 1


async def test_who_moves_the_list_by_wheel_or_scrollbar_stays_there_whatever_comes(stage: Stage) -> None:
    for number in range(60):
        await open_table(stage, number)
    async with stage.play("anna", local=False, games=faces(), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: shown(app)[:1] == [0])
        tables = list_of(app)
        for top in range(1, 30):
            await pilot._post_mouse_events([MouseScrollDown], widget=tables)
            await until(pilot, lambda n=top: shown(app)[:1] == [n])  # type: ignore[misc]
        before = shown(app)
        await open_table(stage, 60)
        await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == 61)
        at_rest_again(app)
        await at_rest(pilot)
        assert shown(app) == before
        x, y = tables.region.right - 1, tables.region.y
        await pilot.mouse_down(offset=(x, y))
        await pilot.hover(offset=(x, y + tables.size.height - 1))
        await pilot.mouse_up(offset=(x, y + tables.size.height - 1))
        await until(pilot, lambda: shown(app)[-1:] == [60])
        await at_rest(pilot)
        assert shown(app)[-1:] == [60]
        assert tables.cursor == 0
        await pilot.press("down")
        await until(pilot, lambda: 1 in shown(app))
        assert tables.cursor == 1


async def test_a_line_that_changes_is_marked_for_a_moment_and_drawn_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [await open_table(stage, number) for number in range(12)]
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:2] == [0, 1])
        drawn = drawn_from_now_on(monkeypatch)
        await tables[1].take_seat("host 1", 0, "")
        mark = app.glyphs["happened"]
        await until(pilot, lambda: any(mark in line and "Number 1." in line for line in lines_of(app)))
        assert drawn == {1}
        assert sum(mark in line for line in lines_of(app)) == 1
        monkeypatch.setattr(table_list, "MARKED", 0.0)
        list_of(app)._unmark()
        await until(pilot, lambda: not any(mark in line for line in lines_of(app)))
        assert drawn == {1}


async def test_news_change_of_the_list_only_what_is_new(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        await open_table(stage, number)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app)[:2] == [0, 1])
        await at_rest(pilot)
        before, drawn = strips_of(app), drawn_from_now_on(monkeypatch)
        stage.hub.connect("carl")
        await until(pilot, lambda: any("2 here: anna, carl" in line for line in lines_of(app)))
        await at_rest(pilot)
        assert not drawn, "it says nothing of people"
        await open_table(stage, 12)
        await until(pilot, lambda: strips_of(app) != before)
        await at_rest(pilot)
        pairs = zip(before, strips_of(app), strict=True)
        assert drawn == {y for y, (old, new) in enumerate(pairs) if old != new} < set(range(len(before)))


async def test_the_mark_of_a_changed_line_can_be_seen_under_the_cursor_as_well_as_its_words(
    stage: Stage,
) -> None:
    first = await open_table(stage, 0)
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await until(pilot, lambda: shown(app) == [0] and rows_of_cursor(app))
        await first.take_seat("host 0", 0, "")
        mark = app.glyphs["happened"]
        await until(pilot, lambda: any(mark in line for line in lines_of(app)))
        strip = app.screen._compositor.render_strips()[rows_of_cursor(app)[0]]
        (sign,) = [part.style for part in strip if part.text == mark]
        words = next(part.style for part in strip if "join" in part.text)
        assert sign is not None
        assert words is not None
        assert (sign.color, sign.bgcolor) == (words.color, words.bgcolor)


async def test_a_line_of_talk_is_put_below_the_others_and_made_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, drawn = list[ChatLine](), list[int]()

    def counted(line: ChatLine, *how: Any) -> Iterator[Content]:
        made.append(line)
        return chat.shown(line, *how)

    monkeypatch.setattr(chat_panel, "shown", counted)
    beate = Client(stage.hub.connect("beate"))
    async with stage.play("anna", local=False, size=(80, 40)) as (app, pilot):
        said = app.screen.query_one(Said)
        said.styles.height = said.styles.max_height = 8  # so that nothing else has to move for another line
        await beate.do(Say, "good evening")
        await until(pilot, lambda: "beate: good evening" in "\n".join(lines_of(app)))
        made.clear()
        render_line = said.render_line

        def noted(y: int) -> Strip:
            drawn.append(y)
            return render_line(y)

        monkeypatch.setattr(said, "render_line", noted)
        for number in range(4):
            await beate.do(Say, f"line {number}")
            await until(pilot, lambda n=number: f"beate: line {n}" in "\n".join(lines_of(app)))  # type: ignore[misc]
        assert len(made) == 4
        assert drawn == [1, 2, 3, 4]
    await beate.close()


async def test_a_line_that_comes_while_the_lobby_is_being_renewed_is_not_lost(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await at_rest(pilot)
        screen, put_off = app.screen, list[Callable[[], object]]()
        assert isinstance(screen, LobbyScreen)
        with monkeypatch.context() as patched:
            patched.setattr(
                screen, "call_after_refresh", lambda call, *args: put_off.append(partial(call, *args))
            )
            screen.place_changed()
        stage.hub.lobby.say("beate", "good evening")
        await until(pilot, lambda: "beate: good evening" in "\n".join(lines_of(app)))
        for call in put_off:
            call()
        await at_rest(pilot)
        assert "beate: good evening" in "\n".join(lines_of(app))


async def test_who_reads_what_was_said_before_is_not_taken_away_from_it(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        for number in range(20):
            stage.hub.lobby.say("beate", f"line {number}")
        said = app.screen.query_one(Said)
        await until(pilot, lambda: "line 19" in "\n".join(lines_of(app)))
        await pilot._post_mouse_events([MouseScrollUp], widget=said)
        await until(pilot, lambda: "line 19" not in "\n".join(lines_of(app)))
        before = [line for line in lines_of(app) if "beate: " in line]
        stage.hub.lobby.say("beate", "line 20")
        await until(pilot, lambda: said.rows[-1:] == ["beate: line 20"])
        assert [line for line in lines_of(app) if "beate: " in line] == before


async def test_a_lobby_that_lies_under_another_screen_draws_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await open_table(stage, 0)
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: shown(app) == [0])
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen))
        pictures = list[None]()
        monkeypatch.setattr(app, "post_display_hook", lambda: pictures.append(None))
        await first.take_seat("host 0", 0, "")
        await open_table(stage, 1)
        await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == 2)
        await at_rest(pilot)
        assert pictures == []
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and shown(app) == [0, 1])


def test_lines_that_are_not_known_have_their_places_all_the_same() -> None:
    listing = Listing((), (), 3, 9, "all")
    assert (listing.count, listing.line(4), listing.places()) == (9, None, {})


def test_parts_of_a_row_are_never_broken() -> None:
    parts: list[Row] = [[("abc ", "ink", False), ("def  ", "gold", True)]] * 3
    rows = packed_runs(parts, 18)
    assert ["".join(words for words, _, _ in row) for row in rows] == ["abc def  abc def  ", "abc def  "]
