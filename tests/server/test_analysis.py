"""Analyses on a server: of what is over, bit by bit, in the bots' processes, and only while somebody asks."""

from __future__ import annotations

import asyncio

import pytest

from kk_core.game import AnyGame
from kk_core.protocol.messages import (
    Analyse,
    Analysed,
    GetCourse,
    GetHistory,
    History,
    MatchCourse,
    OpenReplay,
)
from kk_core.search.analysis import Effort, Question, answer
from kk_core.search.review import Expectation, Judgement, SearchDepth
from kk_core.types import Seat
from kk_core.views import Analysis
from kk_server.bots import pool as bots_pool
from kk_server.bots.pool import Pool
from kk_server.hub.hub import Hub
from kk_server.limits import Limits
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.place import Place
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.test_past import begin, finished
from tests.server.test_thinking import until
from tests.waiting import rest

GAME = "ku_ka_king"


async def more(client: Client, known: int = 0) -> Analysis:
    reply = await client.ask(Analyse, known)
    assert isinstance(reply, Analysed), str(reply)
    return reply.analysis


async def all_of(client: Client) -> list[Analysis]:
    """What comes bit by bit, until nothing more does."""
    parts = [await more(client)]
    while parts[-1].share < 1:
        parts.append(await more(client, sum(len(part.forecasts) for part in parts)))
    return parts


async def test_an_analysis_comes_bit_by_bit_and_in_the_end_all_of_it_is_there(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots_pool, "PIECE", 0.0)
    monkeypatch.setattr(Place, "effort", Effort(20, SearchDepth(20, 20), 40, 4))
    anna = connect("anna")
    await finished(anna, GAME)
    parts = await all_of(anna)
    assert len(parts) > 2
    shares = [part.share for part in parts]
    assert shares == sorted(shares)
    reply = await anna.ask(GetCourse)
    assert isinstance(reply, MatchCourse)
    looks = [forecast.ply for part in parts for forecast in part.forecasts]
    assert looks == sorted({0, *reply.course.turns, len(reply.course.movers)})
    movers: list[Seat] = [reply.course.movers[point.ply] for point in parts[-1].costly_moves]
    assert movers == [point.seat for point in parts[-1].costly_moves]
    assert await more(anna) == await more(anna), "it is kept"


async def test_while_a_match_goes_on_nobody_analyses_it(hub: Hub, connect: Connect) -> None:
    anna = connect("anna")
    await begin(anna, GAME, 0)
    assert "isn't over yet" in await anna.refused(Analyse)
    assert hub.chooser.pool.pids == ()


async def test_in_the_lobby_there_is_nothing_to_analyse(connect: Connect) -> None:
    assert "lobby" in await connect("anna").refused(Analyse)


async def test_what_is_found_for_one_is_there_for_all_who_look_at_the_match(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await finished(anna, GAME)
    await beate.go_to(table)
    first = await more(anna)
    assert (await more(beate)).forecasts[: len(first.forecasts)] == first.forecasts


async def test_a_replay_of_the_past_is_analysed_like_a_match_that_has_just_ended(connect: Connect) -> None:
    anna = connect("anna")
    await finished(anna, GAME)
    reply = await anna.ask(GetHistory)
    assert isinstance(reply, History)
    await anna.do(OpenReplay, reply.matches[0].table, 1)
    assert (await more(anna)).forecasts


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question is answered at once, and each answer told alone."""

    async def at_once(_: Pool, game: AnyGame, asked: Question) -> Expectation | Judgement | None:
        await asyncio.sleep(0)
        return answer(game, asked)

    monkeypatch.setattr(bots_pool, "PIECE", 0.0)
    monkeypatch.setattr(Place, "effort", Effort(1, SearchDepth(1, 2), 6, 3))
    monkeypatch.setattr(Pool, "think", at_once)


@pytest.fixture
def thinking(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nothing is found before it is set."""
    think, may_end = Pool.think, asyncio.Event()

    async def slowly(pool: Pool, game: AnyGame, asked: Question) -> Expectation | Judgement | None:
        await may_end.wait()
        return await think(pool, game, asked)

    monkeypatch.setattr(Pool, "think", slowly)
    return may_end


@pytest.mark.usefixtures("brief")
async def test_nobody_works_on_an_analysis_that_nobody_asks_for_any_more(hub: Hub, connect: Connect) -> None:
    anna = connect("anna")
    table = hub.tables[await finished(anna, GAME)]
    await more(anna)
    assert table.analysis is not None
    left = table.analysis.left
    await rest()
    assert table.analysis.left == left > 0


@pytest.mark.usefixtures("thinking")
async def test_who_goes_elsewhere_is_told_that_nobody_thinks_for_him_any_more(connect: Connect) -> None:
    anna = connect("anna")
    await finished(anna, GAME)
    waiting = asyncio.create_task(anna.refused(Analyse))
    await rest()
    await anna.go_to(None)
    assert "moved on" in await waiting


async def test_whose_connection_ends_lets_nobody_wait_for_his_analysis(hub: Hub, connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await finished(anna, GAME)
    asking = asyncio.create_task(anna.ask(Analyse))
    await until(lambda: hub.chooser.pool.pids)
    await anna.close()
    asking.cancel()
    await beate.go_to(table)
    assert (await more(beate)).forecasts


async def test_one_analysis_of_a_user_goes_on_at_a_time_in_whatever_sessions(
    connect: Connect, thinking: asyncio.Event
) -> None:
    anna, again = connect("anna"), connect("anna")
    table = await finished(anna, GAME)
    await again.go_to(table)
    asking = asyncio.create_task(more(anna))
    await asyncio.sleep(0)
    assert "under way" in await again.refused(Analyse)
    assert "under way" in await anna.refused(Analyse)
    thinking.set()
    assert (await asking).share > 0


async def test_other_requests_are_answered_while_an_analysis_goes_on(
    connect: Connect, thinking: asyncio.Event
) -> None:
    anna = connect("anna")
    await finished(anna, GAME)
    asking = asyncio.create_task(more(anna))
    await asyncio.sleep(0)
    assert isinstance(await anna.ask(GetCourse), MatchCourse)
    assert not asking.done()
    thinking.set()
    await asking


async def test_a_user_has_so_many_matches_analysed_in_a_time_and_no_more() -> None:
    hub = Hub(MemoryLog(), bot_pause=0, limits=Limits(analyses_at_once=1, analyses_per_minute=0.001))
    await hub.load()
    anna = Client(hub.connect("anna"))
    await finished(anna, GAME)
    begun = await more(anna)
    assert (await more(anna)).share > begun.share, "what is begun goes on"
    await anna.go_to(None)
    await finished(anna, GAME)
    assert "wait a minute" in await anna.refused(Analyse)
    await hub.close()


async def test_a_worker_that_dies_interrupts_an_analysis_which_then_goes_on(
    hub: Hub, connect: Connect
) -> None:
    anna = connect("anna")
    await finished(anna, GAME)
    before = (await more(anna)).share
    for worker in list(hub.chooser.pool._workers):
        worker.kill()
        await worker.wait()
    reply = await anna.ask(Analyse)
    assert not isinstance(reply, Analysed) or reply.analysis.share > before
    assert (await more(anna)).share > before
