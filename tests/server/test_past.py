"""Looking back at matches, playing on from the middle of one, and closing tables: who may do what."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import astuple, replace

from kk_core.match import Match
from kk_core.match_name import match_name, parse_match_name
from kk_core.protocol.messages import (
    CloseTable,
    Forget,
    GetCourse,
    GetHistory,
    GetRecord,
    GetRemarks,
    GoTo,
    History,
    LookBack,
    MatchCourse,
    Notice,
    OpenReplay,
    OpenTable,
    PastPosition,
    Play,
    PlayOn,
    Propose,
    RecordText,
    Refused,
    Remarks,
    TakeSeat,
)
from kk_core.record import parse_record, record_of, replay
from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_core.types import CommonObservation, Viewer
from kk_core.views import Course, MatchView, PastMatch, decode_past
from kk_server.hub.history import remarks_on
from kk_server.hub.hub import Hub
from kk_server.limits import Limits
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import open_log
from kk_server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.test_fallback_log import over

LEGAL = CommonObservation.__struct_fields__.index("legal_moves")

every_game = pytest.mark.parametrize("game_id", game_ids())


async def begin(anna: Client, game_id: str, *mine: int) -> str:
    seats = game(game_id).meta.min_seats
    table = await anna.open(game_id, seats)
    await anna.sit(*mine)
    await anna.seat_bots(*(seat for seat in range(seats) if seat not in mine))
    await anna.start()
    return table


async def finished(anna: Client, game_id: str) -> str:
    table = await begin(anna, game_id, 0)
    await anna.play_to_the_end()
    return table


async def looked_back(client: Client, ply: int, eyes: Viewer) -> MatchView:
    reply = await client.ask(LookBack, ply, eyes)
    assert isinstance(reply, PastPosition), str(reply)
    return decode_past(reply.match, client.match)


async def course(client: Client) -> Course:
    reply = await client.ask(GetCourse)
    assert isinstance(reply, MatchCourse), str(reply)
    return reply.course


async def history(client: Client) -> tuple[PastMatch, ...]:
    reply = await client.ask(GetHistory)
    assert isinstance(reply, History), str(reply)
    return reply.matches


def told(view: MatchView) -> list[object]:
    """What is told of a match, without what could be done then and what never changes."""
    observation = list(view.observation)
    observation[LEGAL] = b""
    seen = replace(view, may_undo=False, observation=observation, printed=None, drawing=None)
    return list(astuple(seen))


# -- while it goes on ----------------------------------------------------------------------------------------


@every_game
async def test_during_a_match_everybody_looks_back_at_what_he_was_sent_himself(
    game_id: str, connect: Connect
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await begin(anna, game_id, *range(game(game_id).meta.min_seats))
    await eve.go_to(table)
    await anna.look(0)
    sent = {0: {0: told(anna.match)}, None: {0: told(eve.match)}}
    # as far as 12 plies, or to the end of a shorter match
    for ply in range(1, 13):
        if not (active := anna.observation.active):
            break
        seat = active[0]
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[-1])
        await anna.look(0)
        await eve.until(lambda c, ply=ply: c.match.ply == ply)
        sent[0][ply], sent[None][ply] = told(anna.match), told(eve.match)
    for ply in sent[0]:
        assert told(await looked_back(anna, ply, 0)) == sent[0][ply]
        assert told(await looked_back(anna, ply, None)) == sent[None][ply]
        assert told(await looked_back(eve, ply, None)) == sent[None][ply]


@every_game
async def test_nobody_looks_back_through_the_seat_of_somebody_else_before_the_end(
    game_id: str, connect: Connect
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await begin(anna, game_id, 0)
    await eve.go_to(table)
    assert "not your seat" in await eve.refused(LookBack, 0, 0)
    assert "not your seat" in await anna.refused(LookBack, 0, 1)
    assert "isn't over" in await eve.refused(GetCourse)
    assert "isn't over" in await anna.refused(PlayOn, 0, ("", "random", "random"))
    assert "only" in await anna.refused(LookBack, 1000, 0)


# -- after the end -------------------------------------------------------------------------------------------


@every_game
async def test_after_the_end_all_of_a_match_is_shown_at_the_table_and_in_a_replay(
    game_id: str, connect: Connect
) -> None:
    anna = connect("anna")
    table = await finished(anna, game_id)
    at_table = await course(anna)
    end = len(at_table.movers)
    shown = [
        told(await looked_back(anna, ply, eyes)) for ply in range(0, end + 1, 7) for eyes in (0, 1, None)
    ]
    await anna.do(OpenReplay, table, 1)
    assert anna.table.phase == "replay"
    assert await course(anna) == at_table
    assert shown == [
        told(await looked_back(anna, ply, eyes)) for ply in range(0, end + 1, 7) for eyes in (0, 1, None)
    ]
    assert "replay" in await anna.refused(Play, 0, 0, 0)
    assert "not your seat" in await anna.refused(LookBack, 0, 14)


@every_game
async def test_the_history_tells_how_own_matches_ended_and_opens_only_those(
    game_id: str, connect: Connect
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await finished(anna, game_id)
    (line,) = await history(anna)
    assert (line.table, line.match, line.game, line.mine) == (table, 1, game_id, (0,))
    assert line.names[0] == "anna"
    assert line.bots[1] == "random"
    assert line.points == anna.observation.points
    assert anna.observation.outcome is not None
    assert line.winners == anna.observation.outcome.winners
    assert (line.plies, line.replayed) == (anna.match.ply, 0)
    assert line.at > 1_700_000_000
    assert await history(eve) == ()
    assert "haven't played that match" in await eve.refused(OpenReplay, table, 1)
    assert "haven't played that match" in await anna.refused(OpenReplay, table, 2)


async def test_a_replay_is_gone_back_to_by_its_identifier_by_those_who_may_see_it(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await finished(anna, "ku_ka_king")
    await anna.do(OpenReplay, table, 1)
    shown = anna.table
    await anna.go_to(None)
    await anna.go_to(shown.id)
    assert anna.table == shown
    await eve.go_to(shown.id)  # as at any public table
    assert eve.table.phase == "replay"
    assert "no match" in await eve.refused(GoTo, f"{table}-2")


def test_the_name_of_a_match_is_read_as_it_is_written() -> None:
    assert parse_match_name(match_name("0af3", 12)) == ("0af3", 12)
    assert parse_match_name("0af3") == ("0af3", None)
    assert [parse_match_name(name) for name in ("", "xyz-1", "0af3-0", "0af3-1-2", "-1")] == [None] * 5


@pytest.mark.parametrize("kind", ["private", "unwatched"])
async def test_a_replay_of_a_match_that_not_everybody_could_watch_is_gone_to_by_its_players_alone(
    kind: str, connect: Connect
) -> None:
    anna, eve, guest = connect("anna"), connect("eve"), connect("~anna")
    is_private, is_watched = kind == "private", kind != "unwatched"
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, is_private, is_watched)
    table = anna.table.id
    await anna.sit(0)
    await anna.seat_bots(1)
    await anna.start()
    for somebody in (anna, eve, guest):
        assert isinstance(await somebody.ask(GoTo, f"{table}-1"), Refused), "it goes on"
    await anna.play_to_the_end()
    await anna.go_to(None)
    for stranger in (eve, guest):
        assert "no match" in await stranger.refused(GoTo, f"{table}-1")
    await anna.go_to(f"{table}-1")
    assert anna.table.phase == "replay"


async def test_a_running_match_has_no_replay_to_go_to_even_for_its_players(connect: Connect) -> None:
    anna, eve, guest = connect("anna"), connect("eve"), connect("~eve")
    table = await begin(anna, "ku_ka_king", 0)
    for somebody in (anna, eve, guest):
        assert "isn't over yet" in await somebody.refused(GoTo, f"{table}-1")


async def test_each_match_of_a_table_is_in_the_history_by_its_number(connect: Connect) -> None:
    anna = connect("anna")
    table = await finished(anna, "ku_ka_king")
    first = anna.match.commitment
    await anna.do(Propose, "rematch")
    await anna.play_to_the_end()
    second = anna.match.commitment
    assert sorted(line.match for line in await history(anna)) == [1, 2]
    for number, commitment in ((1, first), (2, second)):
        await anna.do(OpenReplay, table, number)
        assert anna.match.commitment == commitment


async def test_everybody_keeps_name_and_colour_in_a_rematch_the_history_and_replays_whoever_looks(
    connect: Connect,
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await finished(anna, "ku_ka_king")

    def coloured(client: Client = anna) -> dict[str, int]:
        return {seat.name: seat.colour for seat in client.table.seats}

    before, order = coloured(), [seat.name for seat in anna.table.seats]
    assert [before[name] for name in order] == list(range(len(order)))
    await anna.do(Propose, "rematch")
    assert [seat.name for seat in anna.table.seats] == [*order[1:], order[0]]
    assert coloured() == before
    await anna.play_to_the_end()
    for line in await history(anna):
        assert dict(zip(line.names, line.colours, strict=True)) == before
    for number in (1, 2):
        await anna.do(OpenReplay, table, number)
        assert coloured() == before
        await eve.go_to(f"{table}-{number}")
        assert coloured(eve) == before


@pytest.mark.parametrize("kind", ["memory", "sqlite", "forgiving"])
async def test_results_are_told_page_by_page_and_found_one_by_one(kind: str, tmp_path: Path) -> None:
    log: TableLog = MemoryLog() if kind == "memory" else await open_log(tmp_path / "log.sqlite")
    if kind == "forgiving":
        log = await over(log)
    anna, beate = SeatHolder("Anna", "anna"), SeatHolder("Beate", "beate")
    played = [Ended("t", 9 - n, 90 - n, "ku_ka_king", (anna, beate), (3, 4), (1,), 12, 0) for n in range(5)]
    for ended in reversed(played):
        await log.keep_result(ended)
    assert [await log.results_of("anna", skip, 2) for skip in (0, 2, 4, 6)] == [
        played[:2], played[2:4], played[4:], []
    ]  # fmt: skip
    assert await log.result_of("anna", "t", 5) == played[4]
    assert await log.result_of("carla", "t", 5) is None
    await log.forget_result("anna", "t", 5)
    assert await log.result_of("anna", "t", 5) is None
    assert await log.result_of("beate", "t", 5) == played[4]
    await log.close()


async def test_matches_older_than_those_of_a_page_are_listed_and_deleted(
    log: TableLog, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 2)
    for number in range(5):
        seats = (SeatHolder("Anna", "anna"),)
        await log.keep_result(Ended("t", number + 1, number, "ku_ka_king", seats, (3,), (0,), 12, 0))
    anna = connect("anna")

    async def page(skip: int) -> tuple[list[int], bool]:
        reply = await anna.ask(GetHistory, skip)
        assert isinstance(reply, History), str(reply)
        return [line.match for line in reply.matches], reply.has_older

    assert [await page(skip) for skip in (0, 2, 4, 6)] == [
        ([5, 4], True), ([3, 2], True), ([1], False), ([], False)
    ]  # fmt: skip
    await anna.do(Forget, "t", 1)
    assert await page(2) == ([3, 2], False)
    await anna.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite", "forgiving"])
async def test_a_result_that_one_has_deleted_stays_away_and_with_the_others(
    kind: str, tmp_path: Path
) -> None:
    log: TableLog = MemoryLog() if kind == "memory" else await open_log(tmp_path / "log.sqlite")
    if kind == "forgiving":
        log = await over(log)
    anna, beate = SeatHolder("Anna", "anna"), SeatHolder("Beate", "beate")
    first = Ended("t", 1, 10, "ku_ka_king", (anna, beate), (3, 4), (1,), 12, 0)
    second = Ended("t", 2, 20, "ku_ka_king", (anna, beate), (3, 4), (1,), 12, 0)
    for ended in (first, second):
        await log.keep_result(ended)
    await log.forget_result("anna", "t", 1)
    await log.keep_result(first)  # as after a start with a finished table that nobody has left
    assert await log.results_of("anna") == [second]
    assert await log.results_of("beate") == [second, first]
    await log.close()


async def test_only_matches_of_ones_own_history_are_deleted_and_their_replay_is_gone(
    connect: Connect,
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await finished(anna, "ku_ka_king")
    assert "haven't played that match" in await eve.refused(Forget, table, 1)
    assert "haven't played that match" in await anna.refused(Forget, table, 2)
    assert len(await history(anna)) == 1
    await anna.do(Forget, table, 1)
    assert await history(anna) == ()
    assert "haven't played that match" in await anna.refused(OpenReplay, table, 1)
    assert "haven't played that match" in await anna.refused(Forget, table, 1)


# -- playing on ----------------------------------------------------------------------------------------------


@every_game
async def test_a_match_is_played_on_from_its_middle_and_its_record_is_good_and_says_so(
    game_id: str, connect: Connect, hub: Hub
) -> None:
    anna = connect("anna")
    table = await finished(anna, game_id)
    middle = (await course(anna)).turns[3]
    then = await looked_back(anna, middle, None)
    commitment = anna.match.commitment
    seats = ("random",) * (len(anna.table.seats) - 1) + ("",)
    await anna.do(PlayOn, middle, seats, "Annabelle")
    assert anna.table.id != table
    mine = len(seats) - 1
    assert anna.table.seats[mine].name == "Annabelle"
    await anna.until(lambda c: mine in c.observation.active or c.match.ply > middle)
    first = await looked_back(anna, middle, None)
    assert first.log == then.log
    await anna.play_to_the_end()
    reply = await anna.ask(GetRecord)
    assert isinstance(reply, RecordText)
    again = replay(parse_record(reply.text))
    assert again.replayed == middle
    assert again.commitment == commitment
    assert (await history(anna))[0].replayed == middle


@every_game
async def test_a_match_that_was_played_on_stands_again_after_a_restart(game_id: str, tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, limits=PLENTY)
    anna = Client(hub.connect("anna"))
    await finished(anna, game_id)
    middle = (await course(anna)).turns[2]
    await anna.do(PlayOn, middle, ("",) * len(anna.table.seats), "Anna")
    table, seats = anna.table.id, [seat.name for seat in anna.table.seats]
    record = record_of(hub.tables[table].state.match)  # type: ignore[arg-type]
    await hub.close()
    hub = Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, limits=PLENTY)
    await hub.load()
    match = (await hub.table(table)).state.match
    assert match is not None
    assert record_of(match) == record
    assert match.replayed == middle == len(match.plies)
    assert list(match.seats) == seats
    assert len(set(seats)) == len(seats)
    await hub.close()


async def test_nobody_plays_on_after_the_end_nor_with_wrong_seats(connect: Connect) -> None:
    anna = connect("anna")
    await finished(anna, "ku_ka_king")
    end = len((await course(anna)).movers)
    assert "over" in await anna.refused(PlayOn, end, ("", "random"))
    assert "seats" in await anna.refused(PlayOn, 0, ("",))
    assert "Unknown bot" in await anna.refused(PlayOn, 0, ("", "nobody"))


# -- closing -------------------------------------------------------------------------------------------------


async def test_who_owns_a_table_and_sits_there_alone_may_close_it(connect: Connect, hub: Hub) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await begin(anna, "land_cards", 0)
    assert "Somebody is at this table" in await anna.refused(CloseTable, table)
    await anna.go_to(None)
    assert "Only anna, who owns the table" in await eve.refused(CloseTable, table)
    await anna.do(CloseTable, table)
    await anna.until(lambda c: c.lobby.tables == ())
    assert "no table" in await anna.refused(CloseTable, table)
    assert table not in hub.tables


async def test_a_table_at_which_somebody_else_sits_stays_open(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    await eve.go_to(table)
    await eve.sit(1)
    await anna.go_to(None)
    await eve.go_to(None)
    assert "eve sits" in await anna.refused(CloseTable, table)


# -- the lobby -----------------------------------------------------------------------------------------------


@every_game
async def test_a_line_of_the_lobby_tells_round_points_and_who_is_waited_for(
    game_id: str, hub: Hub, connect: Connect
) -> None:
    anna, eve = connect("anna"), connect("eve")
    rules = game(game_id)
    table = await begin(anna, game_id, *range(rules.meta.min_seats))
    match = hub.tables[table].state.match
    assert match is not None
    for _ in range(9):
        (seat, *_) = anna.observation.active
        await anna.look(seat)
        move = anna.observation.legal_moves[0]
        # short matches only go as far as the last move but one
        if not rules.active_seats(rules.apply(match.state, seat, move)):
            break
        await anna.play(seat, move)
    await anna.look(None)
    now = anna.observation
    told = (now.active, now.points)
    await eve.until(lambda c: (c.lobby.tables[0].active, c.lobby.tables[0].points) == told)
    (line,) = eve.lobby.tables
    assert line.id == table
    assert line.round >= 1
    await anna.go_to(None)
    (own,) = anna.lobby.own
    assert (own.at > 1_700_000_000, line.at) == (True, 0), "when it was is told to its people"


async def test_a_notice_reaches_who_is_here_and_who_comes_later(hub: Hub, connect: Connect) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby)
    hub.sessions.announce(text("Nothing is kept."))
    eve = connect("eve")
    for client in (anna, eve):
        await client.until(lambda c: any(isinstance(message, Notice) for message in c.sent))


async def test_a_bot_with_its_own_number_of_simulations_is_known_in_a_replay(
    hub: Hub, connect: Connect
) -> None:
    match = Match(game("ku_ka_king"), {}, ("bot:hard:50", "bot:hard:50 2"), bytes(32))
    anna = connect("anna")
    await anna.go_to(hub.add_replay(match, "Friday"))
    assert [seat.bot for seat in anna.table.seats] == ["hard", "hard"]
    assert len({seat.name for seat in anna.table.seats}) == 2


async def test_limits_count_for_playing_on_too() -> None:
    hub = Hub(MemoryLog(), bot_pause=0, limits=Limits(tables_per_user=0))
    match = Match(game("ku_ka_king"), {}, ("a", "b"), bytes(32))
    while active := match.game.active_seats(match.state):
        match.play(active[0], match.game.legal_moves(match.state, active[0])[0])
    anna = Client(hub.connect("anna"))
    await anna.go_to(hub.add_replay(match, "Friday"))
    assert anna.table.title == "Friday"
    assert "finish or leave" in await anna.refused(PlayOn, 0, ("", ""))
    await hub.close()


# -- what a match means to somebody --------------------------------------------------------------------------


def result(number: int, points: int, *, bots: str = "medium", game_id: str = "ku_ka_king") -> Ended:
    """A match of Anna's against two bots, who have 50 points each."""
    seats = (SeatHolder("Anna", "anna"), *(SeatHolder(bots.capitalize(), None, bots) for _ in range(2)))
    winners = (0,) if points > 50 else (1, 2)
    return Ended("t", number, number, game_id, seats, (points, 50, 50), winners, 9, 0)


def said(ended: Ended, *before: Ended) -> list[str]:
    return [str(remark) for remark in remarks_on(ended, "anna", before)]


def test_more_points_than_ever_before_are_a_personal_best() -> None:
    (best,) = said(result(3, 48), result(1, 30), result(2, 40))
    assert best == "Anna's best result at a table of 3: 48 points, up from 40."


@pytest.mark.parametrize(
    "before",
    [
        [result(1, 30)],
        [result(1, 30), result(2, 48)],
        [result(1, 30, game_id="land_cards"), result(2, 30, game_id="land_cards")],
        [replace(result(1, 30), replayed=5), replace(result(2, 30), replayed=5)],
    ],
    ids=["too few", "no better", "another game", "played on"],
)
def test_otherwise_there_is_no_personal_best(before: list[Ended]) -> None:
    assert not said(result(3, 48), *before)


def test_whoever_has_beaten_a_level_three_times_is_told_of_the_next_one() -> None:
    wins = [result(number, 60) for number in range(1, 4)]
    assert not said(wins[1], wins[0])
    assert said(wins[2], *wins[:2]) == ["Anna has beaten medium 3 times: try hard."]
    assert not said(wins[2], *wins[:2], result(0, 60, bots="hard")), "they have beaten the next one, too"
    experts = [result(number, 60, bots="expert") for number in range(1, 4)]
    assert not said(experts[2], *experts[:2]), "there is no next one"
    assert not said(result(4, 45), *wins), "this one was lost"


async def test_the_remarks_on_a_match_are_made_at_its_end_for_those_who_have_played(
    connect: Connect, log: TableLog
) -> None:
    for number in range(2):
        await log.keep_result(replace(result(number, -1), table="earlier"))
    await log.keep_result(replace(result(2, -1), table="other", seats=(SeatHolder("Anna", "anna"),)))
    anna, guest = connect("anna"), connect("~gast")
    for client in (anna, guest):
        await client.open("ku_ka_king", 3)
        await client.do(TakeSeat, 0, "Anna")
        await client.seat_bots(1, 2)
        await client.start()
        assert await remarks(client) == ()
        await client.play_to_the_end()
    points = anna.observation.points[0]
    assert f"Anna's best result at a table of 3: {points} points, up from -1." in map(
        str, await remarks(anna)
    )
    assert await remarks(guest) == ()


async def remarks(client: Client) -> tuple[object, ...]:
    reply = await client.ask(GetRemarks)
    assert isinstance(reply, Remarks)
    return reply.remarks
