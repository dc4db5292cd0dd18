"""Ratings: which matches count, for whom, and how much."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from errno import ENOSPC
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import GetLeaders, Hint, Leaders, OpenTable, Propose, SetBot, TakeSeat, Vote
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import SETTLED, LeaderLine, RatingView
from kk_server.accounts.ratings import LEADERS, Rating, Ratings, RatingStore, places, rated
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import SqliteDatabase, open_database
from kk_server.storage.table_log import StorageFailed
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.playing import begin_match, finish
from tests.waiting import rest

GAME = "ku_ka_king"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    database = await open_database(tmp_path / "tables.sqlite")
    yield database
    await database.close()


@pytest.fixture
async def hub(database: SqliteDatabase) -> AsyncIterator[Hub]:
    """A hub that counts whoever goes as gone at once."""
    ratings = Ratings(RatingStore(database))
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, times=Timeouts(vote=0), ratings=ratings)
    await hub.load()
    yield hub
    await hub.close()


async def rated_table(connect: Connect, *names: str) -> list[Client]:
    """These people at a rated table of the first one."""
    clients = [connect(name) for name in names]
    await clients[0].do(OpenTable, GAME, {}, len(names), "", False, False, True, None, True)
    for seat, client in enumerate(clients):
        await client.go_to(clients[0].table.id)
        await client.sit(seat)
    return clients


async def test_at_a_rated_table_nobody_chooses_who_stands_in(connect: Connect) -> None:
    anna = connect("anna")
    refusal = await anna.refused(OpenTable, GAME, {}, 2, "", False, False, True, None, True, "expert")
    assert "the stand-in is the bot medium" in refusal


async def rated_match(connect: Connect, *names: str) -> list[Client]:
    """These people in a rated match."""
    return await begin_match(await rated_table(connect, *names))


def differently(client: Client, seat: Seat) -> Move:
    """Not all do the same: the first of all calls, the next one ..."""
    legal = client.observation.legal_moves
    return legal[(seat + client.match.ply) % len(legal)]


def changes(client: Client) -> dict[str, int | None]:
    """What the match has made of everybody's rating."""
    seats = client.table.seats
    return {str(seat.owner): seat.rating.change for seat in seats if seat.rating is not None}


async def leaders(client: Client, game: str = GAME) -> tuple[LeaderLine, ...]:
    reply = await client.ask(GetLeaders, game)
    assert isinstance(reply, Leaders)
    return reply.lines


def ended(points: tuple[int, ...], winners: tuple[int, ...], gone: tuple[int, ...] = ()) -> Ended:
    """A match of so many people that came to this."""
    seats = tuple(
        SeatHolder(f"p{seat}", f"p{seat}", has_given_up=seat in gone) for seat in range(len(points))
    )
    return Ended("t", 1, 0, GAME, seats, points, winners, 9, 0, rated=True)


# -- what a match tells --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (ended((5, 9, 7), (1,)), [3, 1, 2]),
        (ended((9, 9, 7), (0,)), [1, 2, 3]),  # by the tie-break
        (ended((9, 9, 7, 7), (0, 1)), [1, 1, 3, 3]),
        (ended((9, 9), ()), [1, 1]),
        (ended((9, 5, 3), (0,), gone=(0,)), [3, 1, 2]),
    ],
)
def test_winners_come_first_then_points_and_who_has_given_up_comes_last(
    match: Ended, expected: list[int]
) -> None:
    assert places(match) == expected


def test_who_wins_gains_and_who_loses_loses_the_more_the_less_it_was_expected() -> None:
    strong, weak = Rating(1800, 200, 30, 20), Rating(1200, 200, 30, 5)
    as_expected = rated([strong, weak], ended((9, 5), (0,)))
    upset = rated([strong, weak], ended((5, 9), (1,)))
    assert 0 < as_expected[0].mean - strong.mean < upset[1].mean - weak.mean
    assert as_expected[1].mean < weak.mean
    assert upset[0].mean < strong.mean
    assert [rating.played for rating in upset] == [31, 31]
    assert [rating.won for rating in upset] == [20, 6]
    assert all(rating.deviation < 200 for rating in upset)


def test_equals_who_share_a_win_stay_where_they_are() -> None:
    for rating in rated([Rating(), Rating()], ended((9, 9), (0, 1))):
        assert (rating.shown, rating.won) == (1500, 0.5)


def test_who_has_given_up_has_won_nothing_even_if_the_bot_comes_first() -> None:
    gave_up, stayed = rated([Rating(), Rating()], ended((9, 5), (0,), gone=(0,)))
    assert (gave_up.won, stayed.won) == (0, 0)
    assert gave_up.mean < 1500 < stayed.mean


async def test_a_match_whose_ratings_cannot_be_stored_has_changed_nobodys(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise StorageFailed(text("The disk is full."))

    ratings = Ratings(RatingStore(database))
    await ratings.load()
    with monkeypatch.context() as full:
        full.setattr(RatingStore, "keep", refuse)
        with pytest.raises(StorageFailed):
            await ratings.rate(ended((9, 5), (0,)))
    assert ratings.leaders(GAME) == ()
    await ratings.rate(ended((9, 5), (0,)))
    assert [(line.name, line.won) for line in ratings.leaders(GAME)] == [("p0", 1), ("p1", 0)]


# -- which matches count -------------------------------------------------------------------------------------


async def test_a_match_at_a_rated_table_changes_the_ratings_of_its_people(connect: Connect) -> None:
    anna, beate, carl = clients = await rated_match(connect, "anna", "beate", "carl")
    assert changes(anna) == {"anna": None, "beate": None, "carl": None}
    await finish(*clients, choose=differently)
    await anna.until(lambda c: None not in changes(c).values())
    found = {name: change or 0 for name, change in changes(anna).items()}
    points = dict(zip(["anna", "beate", "carl"], anna.observation.points, strict=True))
    for better, worse in permutations(points, 2):
        assert points[better] <= points[worse] or found[better] > found[worse]
    board = await leaders(beate)
    assert {line.name: line.rating.shown - 1500 for line in board} == found
    assert [line.rating.shown for line in board] == sorted(
        (line.rating.shown for line in board), reverse=True
    )
    assert await leaders(carl, "land_cards") == ()


async def test_a_match_at_another_table_changes_nothing(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await anna.open(GAME, 2)
    await beate.go_to(table)
    await anna.sit(0)
    await beate.sit(1)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    await finish(anna, beate, choose=differently)
    assert [seat.rating for seat in anna.table.seats] == [None, None]
    assert await leaders(anna) == ()


async def test_a_match_counts_once_however_often_the_server_starts(tmp_path: Path) -> None:
    path, shown = tmp_path / "log.sqlite", []
    for start in range(3):
        database = await open_database(path)
        hub = Hub(SqlLog(database), bot_pause=0, limits=PLENTY, ratings=Ratings(RatingStore(database)))
        await hub.load()
        anna = Client(hub.connect("anna"))
        if start == 0:
            both = {"anna": anna, "beate": Client(hub.connect("beate"))}
            await finish(*await rated_match(both.__getitem__, *both), choose=differently)
        else:
            await anna.until(lambda c: c.lobby.tables)
            await anna.go_to(anna.lobby.tables[0].id)
        await anna.until(lambda c: None not in changes(c).values())
        shown.append((await leaders(anna), changes(anna)))
        await hub.close()
        await database.close()
    assert shown[0] == shown[1] == shown[2]
    assert [line.played for line in shown[0][0]] == [1, 1]


async def test_hints_that_all_tables_of_a_server_have_are_given_at_no_rated_one(
    database: SqliteDatabase,
) -> None:
    hub = Hub(MemoryLog(), hints=True, limits=PLENTY, ratings=Ratings(RatingStore(database)))
    await hub.load()
    anna, _ = await rated_match(lambda user: Client(hub.connect(user)), "anna", "beate")
    assert not anna.table.hints
    assert "Hints are off" in await anna.refused(Hint, 0)
    await hub.close()


async def test_a_rated_match_whose_record_cannot_be_written_is_kept_later(database: SqliteDatabase) -> None:
    is_full = True

    async def keep(*_: object) -> None:
        if is_full:
            raise OSError(ENOSPC, os.strerror(ENOSPC))

    ratings = Ratings(RatingStore(database))
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, ratings=ratings, keep_record=keep)
    await hub.load()
    clients = await rated_match(lambda user: Client(hub.connect(user)), "anna", "beate")
    await finish(*clients)
    (table,) = hub.tables.values()
    await clients[0].until(lambda c: None not in changes(c).values())
    await rest()
    assert not table.is_kept
    is_full = False
    await hub.expiry_task.expire()
    assert table.is_kept
    assert [line.played for line in await leaders(clients[0])] == [1, 1], "it counts once"
    await hub.close()


async def test_who_gives_up_loses_whatever_the_bot_makes_of_it(connect: Connect) -> None:
    anna, beate = await rated_match(connect, "anna", "beate")
    await anna.do(Propose, "resign", 0)
    await beate.do(Vote, True)
    while beate.table.phase == "playing":
        if 1 in beate.observation.active:
            await beate.play(1, beate.observation.legal_moves[-1])
        else:
            await beate.until(lambda c: 1 in c.observation.active or c.table.phase != "playing")
    await beate.until(lambda c: None not in changes(c).values())
    assert (changes(beate)["anna"] or 0) < 0 < (changes(beate)["beate"] or 0)


async def test_at_a_rated_table_people_have_one_seat_each_and_bots_and_guests_none(connect: Connect) -> None:
    anna, guest = connect("anna"), connect("~gustav")
    await anna.do(OpenTable, GAME, {}, 3, "", False, False, True, None, True)
    await anna.sit(0)
    await anna.sit(0)  # under another name, say
    assert "one seat each" in await anna.refused(TakeSeat, 1)
    assert "bots can't play" in await anna.refused(SetBot, 1, "easy")
    await guest.go_to(anna.table.id)
    assert "connect with an SSH key" in await guest.refused(TakeSeat, 1)
    assert [seat.owner for seat in anna.table.seats] == ["anna", None, None]


async def test_a_rated_table_is_nothing_for_guests_hints_or_a_house_without_accounts(
    connect: Connect,
) -> None:
    wish: tuple[Any, ...] = (OpenTable, GAME, {}, 2, "")
    guest, anna = connect("~gustav"), connect("anna")
    assert "Guests have no rating" in await guest.refused(*wish, False, False, True, None, True)
    assert "no hints" in await anna.refused(*wish, True, False, True, None, True)
    at_home = Client(Hub(MemoryLog(), limits=PLENTY).connect("anna"))
    assert "Matches here are not rated" in await at_home.refused(*wish, False, False, True, None, True)
    assert "Matches here are not rated" in await at_home.refused(GetLeaders, GAME)
    assert anna.lobby.tables == ()


async def test_a_rated_match_is_not_broken_off_while_somebody_is_away(connect: Connect) -> None:
    anna, beate = await rated_match(connect, "anna", "beate")
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Propose, "abort")
    proposal = anna.table.proposal
    assert proposal is not None
    assert (anna.table.phase, proposal.waits) == ("playing", ("beate",))
    again = connect("beate")
    await again.go_to(anna.table.id)
    await again.do(Vote, True)
    await anna.until(lambda c: c.table.phase == "open")
    assert await leaders(anna) == ()


# -- the board -----------------------------------------------------------------------------------------------


async def test_first_guesses_stand_below_settled_ratings_and_have_no_place(database: SqliteDatabase) -> None:
    store = RatingStore(database)
    await store.keep(
        ended((1, 1), ()), {"old": Rating(1400, 200, SETTLED, 1), "new": Rating(1900, 450, 1, 1)}
    )
    ratings = Ratings(store)
    await ratings.load()
    assert ratings.leaders(GAME) == (
        LeaderLine(1, "old", RatingView(1400, True), SETTLED, 1, 200),
        LeaderLine(0, "new", RatingView(1900, False), 1, 1, 450),
    )


async def test_who_is_far_down_still_finds_his_own_line(database: SqliteDatabase) -> None:
    store = RatingStore(database)
    crowd = {f"p{n:03}": Rating(2000 - n, 200, SETTLED, 1) for n in range(LEADERS + 20)}
    await store.keep(ended((1, 1), ()), crowd)
    ratings = Ratings(store)
    await ratings.load()
    lines = ratings.leaders(GAME, "p110")
    assert [line.place for line in lines] == [*range(1, LEADERS + 1), 111]
    assert len(ratings.leaders(GAME, "eve")) == LEADERS
