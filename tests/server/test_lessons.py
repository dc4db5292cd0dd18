"""A lesson is a table of one person: it goes on where they left it, and counts for nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from kk_core.protocol.messages import (
    CloseTable,
    GetHistory,
    GetLessons,
    GoOn,
    GoTo,
    Hint,
    History,
    Invite,
    Lessons,
    Notice,
    OpenLesson,
    Play,
    Preview,
    Previewed,
    Propose,
    Undo,
    Vote,
)
from kk_core.registry import game, game_ids, has_lesson, lesson_of
from kk_core.text import text
from kk_core.types import Move
from kk_core.views import LessonLine, LessonView
from kk_server.accounts.lessons import AccountLessons
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.serve.server import Server, start
from kk_server.storage.archive import Archive
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.lessons import PLAYED_WITHOUT
from tests.commands.calling import kk_process
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.emulator import emulator
from tests.server.hosting import PLENTY, here, probing
from tests.server.test_accounts import come
from tests.waiting import wait_for

GAMES = [game_id for game_id in game_ids() if has_lesson(game_id)]
GAME = "ku_ka_king"

each = pytest.mark.parametrize("game_id", GAMES)


def lesson_at(client: Client) -> LessonView:
    lesson = client.table.lesson
    assert lesson is not None
    return lesson


async def waits(client: Client) -> LessonView:
    """The lesson once it waits for the learner, or is over."""
    await client.until(lambda c: lesson_at(c).wanted or lesson_at(c).skips or lesson_at(c).learnt)
    return lesson_at(client)


async def is_asked(client: Client) -> LessonView:
    """The lesson once it asks for a move, after whatever it skips, or is over."""
    lesson = await waits(client)
    while lesson.skips is not None and not lesson.learnt:
        await client.do(GoOn)
        await client.until(lambda c: lesson_at(c).wanted or lesson_at(c).learnt)
        lesson = lesson_at(client)
    return lesson


async def learn(client: Client, game_id: str) -> LessonView:
    await client.do(OpenLesson, game_id)
    await client.until(lambda c: c.tree[0] == "table" and c.table.lesson is not None)
    return await is_asked(client)


async def do_step(client: Client, move: Move | None = None) -> LessonView:
    """Make the move that is asked for."""
    await client.play(0, lesson_at(client).wanted[0] if move is None else move)
    return await is_asked(client)


async def finish_lesson(client: Client) -> LessonView:
    lesson = await is_asked(client)
    while lesson.wanted:
        lesson = await do_step(client)
    return lesson


@each
async def test_a_lesson_is_played_to_its_end_by_what_it_asks_for(game_id: str, connect: Connect) -> None:
    anna = connect("anna")
    lesson = await learn(anna, game_id)
    assert lesson.step == 1
    assert lesson.told is None
    lesson = await finish_lesson(anna)
    assert lesson.step == lesson.steps == len(lesson_of(game(game_id)).script.steps)
    assert lesson.asks is None
    assert lesson.learnt


@each
async def test_the_rest_of_its_match_is_made_only_when_the_learner_wants_to_see_it(
    game_id: str, connect: Connect
) -> None:
    anna = connect("anna")
    await learn(anna, game_id)
    lesson = await finish_lesson(anna)
    assert (anna.table.phase == "finished") is (lesson.skips is None)
    if lesson.skips is not None:
        await anna.do(GoOn)
    await anna.until(lambda c: c.table.phase == "finished")
    assert lesson_at(anna).learnt


@each
async def test_what_a_lesson_skips_waits_until_it_has_been_read(game_id: str, connect: Connect) -> None:
    anna, tried = connect("anna"), 0
    lesson = await learn(anna, game_id)
    while lesson.wanted:
        await anna.play(0, lesson.wanted[0])
        lesson = await waits(anna)
        if lesson.skips is not None:
            assert lesson.told is not None
            ply, legal = anna.match.ply, anna.observation.legal_moves
            for move in legal[:1]:
                assert "Press Enter first" in await anna.refused(Play, 0, ply, move)
            assert anna.match.ply == ply
            tried += 1
        lesson = await is_asked(anna)
    assert tried


async def test_a_lesson_that_skips_nothing_now_does_not_go_on(connect: Connect) -> None:
    anna = connect("anna")
    lesson = await learn(anna, GAME)
    assert "is waiting for your move" in await anna.refused(GoOn)
    assert lesson_at(anna) == lesson


async def test_nothing_is_skipped_in_a_match(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 2)
    assert "Nothing to skip" in await anna.refused(GoOn)


async def test_what_is_skipped_can_be_taken_back_and_skipped_again(connect: Connect) -> None:
    anna = connect("anna")
    lesson = await learn(anna, GAME)
    while lesson.skips is None:
        await anna.play(0, lesson.wanted[0])
        lesson = await waits(anna)
    after = await is_asked(anna)
    await anna.do(Undo, 0)
    back = await waits(anna)
    assert back.step == lesson.step
    await anna.play(0, back.wanted[0])
    assert await waits(anna) == lesson
    assert await is_asked(anna) == after


@each
async def test_a_lesson_goes_on_at_the_same_step_another_time(game_id: str, connect: Connect) -> None:
    anna = connect("anna")
    lesson = await learn(anna, game_id)
    table = anna.table.id
    while lesson.wanted:
        await anna.go_to(None)
        await anna.close()
        anna = connect("anna")
        assert await learn(anna, game_id) == lesson
        assert anna.table.id == table
        lesson = await do_step(anna)


@each
async def test_a_lesson_goes_on_at_the_same_step_after_a_restart(game_id: str, tmp_path: Path) -> None:
    asked: LessonView | None = None
    while asked is None or asked.wanted:
        async with hub_over(tmp_path) as hub:
            anna = Client(hub.connect("anna"))
            lesson = await learn(anna, game_id)
            assert asked is None or lesson == asked
            asked = await do_step(anna)
            await anna.close()


# -- what is kept for an account -----------------------------------------------------------------------------


def rows_in(folder: Path) -> list[Any]:
    """What a server has of people's lessons."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return connection.execute("SELECT account, game, step, learnt FROM account_lessons").fetchall()


def position(lesson: LessonView) -> object:
    """Where somebody is in a lesson: all but the names of the bots, which differ from table to table."""
    said = [None if words is None else words.msgid for words in (lesson.told, lesson.asks)]
    return lesson.step, said, lesson.wanted, lesson.strayed, len(lesson.intro)


async def left(server: Server, *clients: Client) -> None:
    """Let people go for so long that nobody waits for them any more."""
    for client in clients:
        await client.close()
    await wait_for(lambda: not server.hub.presence.users())
    await server.hub.expiry_task.expire()
    assert not server.hub.tables


def forgetful(folder: Path) -> AbstractAsyncContextManager[Server]:
    """A server whose tables end as soon as nobody is there."""
    return probing(folder, times=Timeouts(empty=0, unplayed=0))


@each
async def test_a_finished_lesson_is_not_offered_again_to_its_account_also_after_a_restart(
    game_id: str, tmp_path: Path
) -> None:
    async with probing(tmp_path) as server:
        anna, beate = await come(server, "anna"), await come(server, "beate")
        await learn(anna, game_id)
        await finish_lesson(anna)
        await anna.go_to(None)
        assert not (await line_of(anna, game_id)).is_new
        assert (await line_of(beate, game_id)).is_new
    assert rows_in(tmp_path) == [("anna", game_id, 0, 1)]
    async with forgetful(tmp_path) as server:
        anna, beate = await come(server, "anna"), await come(server, "beate")
        assert not (await line_of(anna, game_id)).is_new
        assert (await line_of(beate, game_id)).is_new
        assert (await learn(anna, game_id)).step == 1, "who wants to may take it again"
        await do_step(anna)
        await left(server, anna, beate)
        assert not (await line_of(await come(server, "anna"), game_id)).is_new
    assert kk_process("store", "check", "--data", str(tmp_path)).code == 0


async def test_no_lesson_of_a_guest_is_kept(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as server:
        guest = await come(server, "carl", is_guest=True)
        await learn(guest, GAME)
        await do_step(guest)
        await left(server, guest)
        guest = await come(server, "carl", is_guest=True)
        assert (await learn(guest, GAME)).step == 1
        await finish_lesson(guest)
        await guest.go_to(None)
    assert rows_in(tmp_path) == []


@each
async def test_a_lesson_goes_on_at_its_step_long_after_its_table_has_ended(
    game_id: str, tmp_path: Path
) -> None:
    async with forgetful(tmp_path) as server:
        anna = await come(server, "anna")
        lesson = await learn(anna, game_id)
        while lesson.step < lesson.steps:
            lesson = await do_step(anna)
            await left(server, anna)
            anna = await come(server, "anna")
            assert position(await learn(anna, game_id)) == position(lesson)
    async with forgetful(tmp_path) as server:
        await left(server)
        anna = await come(server, "anna")
        assert position(await learn(anna, game_id)) == position(lesson)
        while lesson.step > 1:
            await anna.do(Undo, 0)
            lesson = await is_asked(anna)
        assert not anna.match.may_undo
        assert (await finish_lesson(anna)).learnt
    assert kk_process("store", "check", "--data", str(tmp_path)).code == 0


async def test_who_comes_back_reads_that_their_lesson_waits(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as server:
        anna = await come(server, "anna")
        await learn(anna, GAME)
        await do_step(anna)
        await left(server, anna)
        anna = await come(server, "anna")
        sentence = "Your lesson in Ku-Ka-King is waiting where you left it."
        await anna.until(lambda c: sentence in [str(m.text) for m in c.sent if isinstance(m, Notice)])


@pytest.mark.parametrize("how", ["deleted", "anew"])
async def test_a_lesson_that_is_deleted_or_begun_anew_begins_with_its_first_step(
    how: str, tmp_path: Path
) -> None:
    async with forgetful(tmp_path) as server:
        anna = await come(server, "anna")
        first = await learn(anna, GAME)
        await do_step(anna)
        await left(server, anna)
        anna = await come(server, "anna")
        if how == "deleted":
            assert (await learn(anna, GAME)).step == 2
            table = anna.table.id
            await anna.go_to(None)
            await anna.do(CloseTable, table)
            assert position(await learn(anna, GAME)) == position(first)
        else:
            await anna.do(OpenLesson, GAME, "", True)
            await anna.until(lambda c: c.tree[0] == "table" and c.table.lesson is not None)
            assert position(await is_asked(anna)) == position(first)
            await left(server, anna)
            assert position(await learn(await come(server, "anna"), GAME)) == position(first)


@each
async def test_a_finished_lesson_that_could_not_be_stored_is_stored_by_the_next_start(
    game_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub_over(tmp_path) as hub:
        anna = Client(hub.connect("anna"))
        await learn(anna, game_id)
        with monkeypatch.context() as patch:
            patch.setattr(AccountLessons, "finish", AsyncMock(side_effect=StorageFailed(text("full"))))
            assert (await finish_lesson(anna)).learnt
        assert rows_in(tmp_path) == []
    async with hub_over(tmp_path) as hub:
        await hub.table_cache.backfilled()
        anna = Client(hub.connect("anna"))
        await anna.do(OpenLesson, game_id)  # where the match goes on, its table is only loaded then
        assert rows_in(tmp_path) == [("anna", game_id, 0, 1)]


async def test_over_ssh_the_lobby_offers_the_lessons_that_one_has_not_finished(tmp_path: Path) -> None:
    offer = "Learn by playing"
    server = await start(here(tmp_path))
    anna = await come(server, "anna")
    await learn(anna, GAME)
    await finish_lesson(anna)
    await anna.close()
    for person, offered in (("beate", len(GAMES)), ("anna", len(GAMES) - 1)):
        async with emulator(server, person) as terminal:
            await terminal.until(lambda screen, n=offered: screen.count(offer) == n)  # type: ignore[misc]
    await server.close()


@asynccontextmanager
async def hub_over(folder: Path, **more: Any) -> AsyncIterator[Hub]:
    """A hub over the file of a folder."""
    database = await open_database(folder / DATABASE)
    lessons = AccountLessons(database)
    hub = Hub(
        SqlLog(database), bot_pause=0, limits=PLENTY, archive=Archive(database), lessons=lessons, **more
    )
    await hub.load()
    yield hub
    await hub.close()


@each
async def test_another_legal_move_is_met_and_taken_back(game_id: str, connect: Connect) -> None:
    anna, tried = connect("anna"), 0
    lesson = await learn(anna, game_id)
    while lesson.wanted:
        others = [move for move in anna.observation.legal_moves if move not in lesson.wanted]
        is_strict = lesson_of(game(game_id)).script.steps[lesson.step - 1].is_strict
        for move in others[:2]:
            if is_strict:
                assert "needs the move it asks for" in await anna.refused(Play, 0, anna.match.ply, move)
                continue
            await anna.play(0, move)
            strayed = lesson_at(anna)
            assert strayed.strayed
            assert strayed.told is not None
            assert (strayed.asks, strayed.wanted) == (lesson.asks, lesson.wanted)
            assert anna.match.may_undo
            await anna.do(Undo, 0)
            assert lesson_at(anna) == lesson
            tried += 1
        lesson = await do_step(anna)
    assert tried


@each
async def test_an_illegal_move_is_refused_with_its_reason(game_id: str, connect: Connect) -> None:
    anna = connect("anna")
    await learn(anna, game_id)
    illegal = next(move for move in range(1, 200) if move not in anna.observation.legal_moves)
    assert await anna.refused(Play, 0, anna.match.ply, illegal)


@each
async def test_every_step_can_be_taken_back_to_the_first(game_id: str, connect: Connect) -> None:
    anna = connect("anna")
    seen = [await learn(anna, game_id)]
    while seen[-1].wanted:
        seen.append(await do_step(anna))
    for lesson in reversed(seen[:-1]):
        await anna.do(Undo, 0)
        assert await is_asked(anna) == lesson
    assert not anna.match.may_undo
    assert "first step" in await anna.refused(Undo, 0)
    assert (await finish_lesson(anna)).asks is None


@each
async def test_a_lesson_can_be_begun_anew_from_any_step(game_id: str, connect: Connect) -> None:
    anna = connect("anna")
    first = await learn(anna, game_id)
    for steps in (0, 1, 3):
        for _ in range(steps):
            await do_step(anna)
        await anna.do(OpenLesson, game_id, "", True)
        await anna.until(lambda c: lesson_at(c).step == 1)
        assert await is_asked(anna) == first


@each
async def test_no_move_of_a_lesson_ends_anything_but_a_choice_of_all_at_once_counts_as_one(
    game_id: str, connect: Connect
) -> None:
    anna = connect("anna")
    lesson = await learn(anna, game_id)
    while lesson.wanted:
        reply = await anna.ask(Preview, 0, lesson.wanted[0])
        assert isinstance(reply, Previewed)
        assert reply.ends == ("choice" if len(anna.observation.active) > 1 else "nothing")
        lesson = await do_step(anna)


@each
async def test_a_finished_lesson_counts_for_nothing(game_id: str, tmp_path: Path) -> None:
    kept: list[object] = []

    async def keep(*record: object) -> None:
        kept.append(record)

    async with hub_over(tmp_path, keep_record=keep) as hub:
        anna = Client(hub.connect("anna"))
        await learn(anna, game_id)
        await finish_lesson(anna)
        history = await anna.ask(GetHistory)
        assert isinstance(history, History)
        assert not history.matches
        assert not kept
        await anna.go_to(None)
        assert not hub.tables, "a finished lesson that is left is closed"
        await anna.close()
    assert kk_process("store", "check", "--data", str(tmp_path)).code == 0


async def line_of(client: Client, game_id: str) -> LessonLine:
    reply = await client.ask(GetLessons)
    assert isinstance(reply, Lessons)
    return next(line for line in reply.lessons if line.game == game_id)


async def test_who_has_finished_a_match_is_no_newcomer_to_its_game(connect: Connect) -> None:
    anna = connect("anna")
    for _ in range(PLAYED_WITHOUT):
        assert (await line_of(anna, GAME)).is_new
        await anna.open(GAME, 2)
        await anna.sit(0, 1)
        await anna.start()
        await anna.play_to_the_end()
        await anna.go_to(None)
    assert not (await line_of(anna, GAME)).is_new


async def test_a_lesson_that_was_begun_is_named_with_its_table(connect: Connect) -> None:
    anna, ben = connect("anna"), connect("ben")
    await learn(anna, GAME)
    assert (await line_of(anna, GAME)).table == anna.table.id
    assert (await line_of(ben, GAME)).table is None


async def test_nobody_else_sees_a_lesson_or_comes_there(connect: Connect) -> None:
    anna, ben = connect("anna"), connect("ben")
    await learn(anna, GAME)
    await ben.until(lambda c: c.tree[0] == "lobby" and "anna" in c.lobby.users)
    assert not ben.lobby.tables
    assert "by invitation" in await ben.refused(GoTo, anna.table.id)
    assert "alone" in await anna.refused(Invite, "ben")


@pytest.mark.parametrize("what", ["rematch", "resign", "abort", "bot", "start"])
async def test_nothing_is_proposed_at_a_lesson(what: str, connect: Connect) -> None:
    anna = connect("anna")
    await learn(anna, GAME)
    assert "alone" in await anna.refused(Propose, what, 0)
    assert await anna.refused(Vote, True)


async def test_nobody_gets_hints_in_a_lesson(connect: Connect) -> None:
    anna = connect("anna")
    await learn(anna, GAME)
    assert not anna.table.hints
    assert await anna.refused(Hint, 0)


async def test_a_lesson_that_was_begun_calls_nobody_and_can_be_deleted(connect: Connect) -> None:
    anna = connect("anna")
    await learn(anna, GAME)
    table = anna.table.id
    await anna.go_to(None)
    await anna.until(lambda c: c.tree[0] == "lobby" and c.lobby.own)
    assert anna.lobby.own[0].lesson
    await anna.do(CloseTable, table)
    assert (await line_of(anna, GAME)).table is None


async def test_a_game_without_a_lesson_says_so(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kk_core.registry.part_of", lambda *_: None)
    assert "Ku-Ka-King has no lesson" in await connect("anna").refused(OpenLesson, GAME)


async def test_a_lesson_is_not_offered_where_other_cards_are_dealt(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_core.lesson.digest", lambda _: "another deck")
    monkeypatch.setattr("kk_core.registry.own_names", lambda: ("ku_ka_king.toml",))
    has_lesson.cache_clear()
    anna = connect("anna")
    reply = await anna.ask(GetLessons)
    assert reply == Lessons(1, ())
    assert "does not fit the cards or the map used here" in await anna.refused(OpenLesson, GAME)
    has_lesson.cache_clear()


async def test_a_lesson_that_does_not_fit_its_match_any_more_can_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub_over(tmp_path) as hub:
        anna = Client(hub.connect("anna"))
        await learn(anna, GAME)
        table = anna.table.id
    monkeypatch.setattr("kk_core.lesson.digest", lambda _: "another deck")
    async with hub_over(tmp_path) as hub:
        anna = Client(hub.connect("anna"))
        assert "does not fit" in await anna.refused(GoTo, table)
        await anna.do(CloseTable, table)
        assert table not in hub.table_cache
