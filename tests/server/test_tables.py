"""What people can do at a table, and what is refused."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from kk_core import registry
from kk_core.games.web_of_power.model import (
    DRAW_PILE,
    END_PLACING,
    KIND_OF_COUNTRY,
    SINGLE,
    Observation,
    PlaceCloister,
)
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    Answer,
    ClientMessage,
    GetRecord,
    GoTo,
    Hello,
    Hint,
    Join,
    LeaveSeat,
    Look,
    LookBack,
    Notice,
    OpenTable,
    Play,
    Preview,
    Previewed,
    Propose,
    RecordText,
    Refused,
    Resync,
    SetBot,
    Snapshot,
    Start,
    TakeSeat,
    Undo,
    Weigh,
    Welcome,
    WhyNot,
)
from kk_core.record import parse_record, replay
from kk_server.hub.hub import Hub
from kk_server.limits import Limits, Timeouts
from kk_server.storage.memory_log import MemoryLog
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.waiting import Clock, rest, wait_for

GAME = "land_cards"


async def playing(connect: Connect, *bots: int) -> Client:
    """Anna alone at a table that has begun; she owns every seat that is no bot's."""
    anna = connect("anna")
    await anna.open(GAME, 3)
    await anna.sit(*(seat for seat in range(3) if seat not in bots))
    await anna.seat_bots(*bots)
    await anna.start()
    return anna


async def test_who_connects_is_in_the_lobby_and_everybody_sees_who_is_here(connect: Connect) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.users == ("anna",))
    beate = connect("beate")
    await anna.until(lambda c: c.lobby.users == ("anna", "beate"))
    await beate.close()
    await anna.until(lambda c: c.lobby.users == ("anna",))


async def test_hello_is_answered_with_the_name_and_the_versions(connect: Connect) -> None:
    reply = await connect("anna").ask(Hello, PROTOCOL_VERSION)
    assert isinstance(reply, Welcome)
    assert (reply.user, reply.version) == ("anna", PROTOCOL_VERSION)


async def test_who_opens_a_table_is_there_and_the_lobby_shows_it(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await anna.open(GAME, 4, {"take": "exposed_at_start"}, title="  For\x07 all ")
    assert (anna.table.owner, anna.table.phase, anna.table.title) == ("anna", "open", "For all")
    assert anna.table.options == (("take", "exposed_at_start"),)
    await beate.until(lambda c: [line.id for line in c.lobby.tables] == [table])


async def test_a_new_table_is_numbered_if_its_host_may_enter_another_of_that_title(connect: Connect) -> None:
    """Otherwise a call to one of them reads like one to the other; no number tells of a private table."""
    anna, also_anna, beate, carl = connect("anna"), connect("anna"), connect("beate"), connect("carl")
    await anna.open(GAME, 3)
    await also_anna.open("ku_ka_king", 2)
    await beate.open(GAME, 3, title="ANNA")
    assert [each.table.title for each in (anna, also_anna, beate)] == ["anna", "anna 2", "ANNA 3"]
    long = "x" * 40
    await anna.open(GAME, 3, title=long)
    await beate.open(GAME, 3, title=long)
    assert [each.table.title for each in (anna, beate)] == [long, "x" * 38 + " 2"]
    await anna.do(OpenTable, GAME, {}, 3, "Secret", False, True)
    await beate.open(GAME, 3, title="Secret")
    await carl.open(GAME, 3, title="Secret")
    assert [each.table.title for each in (anna, beate, carl)] == ["Secret", "Secret", "Secret 2"]
    await anna.do(OpenTable, GAME, {}, 3, "By code", False, True)
    await carl.do(Join, anna.table.code)
    for person in (carl, beate):
        await person.open(GAME, 3, title="By code")
    assert [each.table.title for each in (carl, beate)] == ["By code 2", "By code"]


async def test_a_title_is_numbered_as_long_as_others_may_have_a_rematch_at_a_table_that_has_it(
    hub: Hub, connect: Connect
) -> None:
    anna, also_anna, beate = connect("anna"), connect("anna"), connect("beate")
    friday = await anna.open("ku_ka_king", 2, title="Friday")
    await anna.sit(0, 1)
    await anna.start()
    await anna.play_to_the_end()
    await also_anna.open("ku_ka_king", 2, title="Friday")
    assert also_anna.table.title == "Friday"  # nobody else is there
    await also_anna.go_to(None)
    await beate.go_to(friday)
    await also_anna.open("ku_ka_king", 2, title="Friday")
    assert also_anna.table.title == "Friday 2"


async def test_a_table_without_a_title_is_called_after_its_host(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    assert anna.table.title == "anna"


@pytest.mark.parametrize(
    ("game", "options", "seats"),
    [
        ("chess", {}, 3),
        (GAME, {}, 2),
        (GAME, {}, 6),
        (GAME, {"take": "all"}, 3),
        (GAME, {"colour": "red"}, 3),
    ],
)
async def test_a_table_of_an_unknown_game_option_or_size_is_refused(
    connect: Connect, game: str, options: dict[str, str], seats: int
) -> None:
    anna = connect("anna")
    await anna.refused(OpenTable, game, options, seats, "")
    assert anna.lobby.tables == ()


async def test_people_take_and_leave_seats_before_the_start(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    await beate.go_to(await anna.open(GAME, 3))
    await anna.sit(0)
    await beate.do(TakeSeat, 2, "Bea")
    await anna.until(lambda c: [seat.name for seat in c.table.seats] == ["anna", "", "Bea"])
    assert "Bea has this seat" in await anna.refused(TakeSeat, 2, "")
    assert "not your seat" in await beate.refused(LeaveSeat, 0)
    await beate.do(LeaveSeat, 2)
    await anna.until(lambda c: c.table.seats[2].owner is None)


async def test_one_user_may_own_several_seats_under_different_names(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    await anna.sit(0, 1)
    assert [seat.name for seat in anna.table.seats] == ["anna", "anna 2", ""]


async def test_a_person_may_take_the_seat_of_a_bot_before_the_start(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    await anna.seat_bots(1)
    assert anna.table.seats[1].bot == "random"
    await anna.sit(1)
    assert anna.table.seats[1].bot is None


async def test_an_unknown_bot_is_refused_by_name(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    assert "'genius'" in await anna.refused(SetBot, 0, "genius")


async def test_a_bot_takes_no_seat_of_a_person_and_can_be_sent_away(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    await anna.sit(0)
    assert "anna has this seat" in await anna.refused(SetBot, 0, "random")
    await anna.seat_bots(1)
    await anna.do(SetBot, 1, None)
    assert anna.table.seats[1].bot is None


async def test_the_match_starts_only_when_all_seats_are_taken_and_only_once(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open(GAME, 3)
    await anna.sit(0, 1)
    assert "still free" in await anna.refused(Start)
    await anna.sit(2)
    await anna.start()
    assert anna.table.phase == "playing"
    assert "already begun" in await anna.refused(Start)
    requests: list[tuple[Any, ...]] = [(TakeSeat, 0, ""), (LeaveSeat, 0), (SetBot, 0, "random")]
    for request in requests:
        assert "match has begun" in await anna.refused(*request)


async def test_the_commitment_is_shown_at_the_start_and_the_seed_only_at_the_end(connect: Connect) -> None:
    anna = await playing(connect)
    assert len(anna.match.commitment) == 32
    assert anna.match.seed is None
    await anna.play_to_the_end()
    assert anna.match.seed is not None


async def test_a_move_is_for_ones_own_seat_and_its_turn(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    await beate.go_to(await anna.open(GAME, 3))
    await anna.sit(0)
    await beate.sit(1)
    await anna.seat_bots(2)
    await anna.start()
    move = anna.observation.legal_moves[0]
    assert "not your seat" in await beate.refused(Play, 0, 0, move)
    assert "not your turn" in (await beate.refused(Play, 1, 0, move)).lower()
    assert "no seat 9" in await beate.refused(Play, 9, 0, move)
    await anna.play(0, move)


async def test_a_refused_request_leaves_the_table_and_its_log_as_they_were(
    connect: Connect, log: MemoryLog
) -> None:
    anna = await playing(connect)
    table = anna.table.id
    before, tree, revision = await log.read(table), anna.tree, anna.revision
    requests: list[tuple[Any, ...]] = [
        (Play, 0, 0, 2**32), (Play, 0, 7, 64), (Play, 1, 0, 64), (Play, 15, 0, 64), (Undo, 0), (Undo, 15),
        (Look, 9), (WhyNot, 15, 0), (GetRecord,), (Propose, "rematch"), (Start,), (GoTo, "nowhere"),
        (OpenTable, "chess", {}, 3, ""), (TakeSeat, 15, ""), (LeaveSeat, 15), (SetBot, 15, "random"),
    ]  # fmt: skip
    for request in requests:
        await anna.refused(*request)
    assert (await log.read(table), anna.tree, anna.revision) == (before, tree, revision)


async def test_a_move_sent_before_the_last_one_was_seen_is_refused(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    move = anna.observation.legal_moves[0]
    await anna.play(0, move)
    assert "moved on" in await anna.refused(Play, 0, 0, move)


async def test_a_step_can_be_taken_back(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    before = anna.match
    await anna.play(0, anna.observation.legal_moves[0])
    assert anna.match.may_undo
    await anna.do(Undo, 0)
    assert anna.match == before
    assert "Nothing to take back" in await anna.refused(Undo, 0)


async def test_a_step_that_was_forced_is_taken_back_with_the_one_that_forced_it(connect: Connect) -> None:
    anna = connect("anna")
    await anna.open("web_of_power", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    for turn in range(4):
        seat = turn % 3
        await anna.look(seat)
        view = anna.match.observed(Observation)
        printed = view.printed
        kinds = view.shown[seat] or view.hand
        # in a country of a card that all know, so that nothing is shown, and where nobody has built yet
        space = next(
            space
            for space, country in enumerate(printed.country_of)
            if KIND_OF_COUNTRY[country] in kinds
            and not any(view.board[other] for other in printed.spaces_of[country])
        )
        before = anna.match
        await anna.play(seat, PlaceCloister(space, SINGLE).move)
        assert [*anna.observation.legal_moves] == [END_PLACING]
        await anna.play(seat, END_PLACING)
        if turn < 3:
            await anna.play(seat, next(move for move in anna.observation.legal_moves if move != DRAW_PILE))
    assert anna.match.may_undo
    await anna.do(Undo, 0)
    assert anna.match == before
    assert not anna.match.may_undo


async def test_why_a_move_is_not_legal_is_answered_for_ones_own_seat(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    legal = anna.observation.legal_moves
    illegal = next(move for move in range(1000) if move not in legal)
    reply = await anna.ask(WhyNot, 0, illegal)
    assert isinstance(reply, Answer)
    assert reply.reason is not None
    assert await anna.ask(WhyNot, 0, legal[0]) == Answer(reply.request + 1, None)


async def test_the_points_after_a_move_are_told_before_it_is_made(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    before, move = anna.match, anna.observation.legal_moves[0]
    told = await anna.ask(Preview, 0, move)
    assert anna.match == before
    await anna.play(0, move)
    assert isinstance(told, Previewed)
    assert told.sheet == anna.observation.sheet
    assert told.ends == "nothing"
    assert anna.match.may_undo


async def anna_on_two_seats(connect: Connect) -> tuple[Client, Client]:
    """Anna on the first two seats of a match, Beate on the third."""
    anna, beate = connect("anna"), connect("beate")
    await beate.go_to(await anna.open(GAME, 3))
    await anna.sit(0, 1)
    await beate.sit(2)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    return anna, beate


async def test_nobody_tries_out_moves_for_others_or_such_as_are_not_legal(connect: Connect) -> None:
    _, beate = await anna_on_two_seats(connect)
    assert "not your seat" in await beate.refused(Preview, 0, 0)
    assert await beate.refused(Preview, 2, 0) == await beate.refused(Play, 2, 0, 0)


async def test_who_owns_one_seat_sees_through_it_and_who_owns_several_has_to_choose(connect: Connect) -> None:
    anna, beate = await anna_on_two_seats(connect)
    assert (anna.table.viewer, beate.table.viewer) == (None, 2)
    await anna.look(1)
    assert anna.table.viewer == 1
    await anna.look(None)
    assert anna.table.viewer is None


async def test_nobody_sees_through_somebody_elses_seat(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    await eve.go_to(await anna.open(GAME, 3))
    await anna.sit(0, 1, 2)
    await anna.start()
    assert "not your seat" in await eve.refused(Look, 0)
    assert eve.table.viewer is None


BEFORE_THE_START: list[tuple[Any, ...]] = [
    (TakeSeat, 0, ""),
    (LeaveSeat, 0),
    (SetBot, 0, "random"),
    (SetBot, 0, None),
]
IN_THE_MATCH: list[tuple[Any, ...]] = [
    (Look, 0),
    (LookBack, 1, 0),
    (Play, 0, 1, 0),
    (Undo, 0),
    (WhyNot, 0, 0),
    (Preview, 0, 0),
    (Hint, 0),
    (Weigh, 0, 0, 0),
    (Propose, "resign", 0),
]

REFUSALS = (
    "This is not your seat.",
    "beate has this seat.",
    "Only the table's owner and players seated here can do this.",
    "Only the host, who owns the table, can do this.",
)


def test_every_request_that_names_a_seat_is_tried_below_for_somebody_elses() -> None:
    naming = {shape for shape in get_args(ClientMessage) if {"seat", "eyes"} & {*shape.__struct_fields__}}
    assert naming == {request[0] for request in BEFORE_THE_START + IN_THE_MATCH}


OTHERS = ["the host", "a neighbour", "a spectator"]


@pytest.mark.parametrize(
    ("user", "request_"),
    [
        (user, request)
        for user in OTHERS
        for request in BEFORE_THE_START + IN_THE_MATCH
        if (user, request[0]) != ("the host", LeaveSeat)  # who may have somebody stand up
    ],
    ids=str,
)
async def test_what_is_asked_for_somebody_elses_seat_is_refused_and_changes_nothing(
    connect: Connect, log: MemoryLog, user: str, request_: tuple[Any, ...]
) -> None:
    """Beate has seat 0; in the match she could take back her first move, or make another one, the move 0."""
    host, beate, neighbour = connect("the host"), connect("beate"), connect("a neighbour")
    table, other = await host.open(GAME, 3), connect(user)
    for client in (beate, neighbour, other):
        await client.go_to(table)
    for seat, client in enumerate((beate, host, neighbour)):
        await client.sit(seat)
    if request_ in IN_THE_MATCH:
        await host.start()
        await beate.until(lambda c: c.table.match is not None)
        await beate.play(0, beate.observation.legal_moves[0])
    await beate.do(Resync)
    before, tree = await log.read(table), beate.tree
    assert await other.refused(*request_) in REFUSALS
    await beate.do(Resync)
    assert (await log.read(table), beate.tree) == (before, tree)


async def test_a_second_connection_of_the_same_user_has_the_same_seats(connect: Connect) -> None:
    anna = await playing(connect, 1, 2)
    second = connect("anna")
    await second.go_to(anna.table.id)
    assert second.table.viewer == 0
    await second.play(0, second.observation.legal_moves[0])
    await anna.close()
    await second.until(lambda c: c.table.seats[0].online)


async def test_a_bot_plays_when_it_is_its_turn(connect: Connect) -> None:
    anna = await playing(connect, 0, 1)
    await anna.until(lambda c: c.observation.active == (2,))
    assert {entry.seat for _, entry in anna.match.recent()} == {0, 1}


async def test_bots_play_alone_while_the_host_looks_on(connect: Connect) -> None:
    anna = await playing(connect, 0, 1, 2)
    await anna.until(lambda c: c.table.phase == "finished")


async def test_bots_among_themselves_stand_still_while_nobody_looks_on(connect: Connect, hub: Hub) -> None:
    anna = connect("anna")
    table = await anna.open("land_cards", 3)
    await anna.seat_bots(0, 1, 2)
    await anna.start()
    match = hub.tables[table].match
    assert match is not None
    await anna.until(lambda c: c.match.ply > 3)
    await anna.go_to(None)
    seen = len(match.plies)
    await rest()  # a move that was being thought of may come yet
    assert not match.is_over
    assert len(match.plies) <= seen + 1
    await anna.go_to(table)
    await anna.until(lambda c: c.observation.outcome is not None)


async def test_bots_of_one_kind_are_told_apart_by_name_and_in_the_record(connect: Connect) -> None:
    anna = await playing(connect, 1, 2)
    own, *bots = (seat.name for seat in anna.table.seats)
    assert own == "anna"
    assert len({*bots}) == 2
    assert not any(name.startswith("bot:") for name in bots)
    assert [seat.bot for seat in anna.table.seats] == [None, "random", "random"]
    await anna.play_to_the_end()
    reply = await anna.ask(GetRecord)
    assert isinstance(reply, RecordText)
    assert parse_record(reply.text).seats == ("anna", "bot:random", "bot:random 2")


async def test_the_record_is_a_secret_until_the_end_and_then_replays_the_match(connect: Connect) -> None:
    anna = await playing(connect, 1)
    assert "isn't over" in await anna.refused(GetRecord)
    await anna.play_to_the_end()
    eve = connect("eve")
    await eve.go_to(anna.table.id)
    reply = await eve.ask(GetRecord)
    assert isinstance(reply, RecordText)
    record = parse_record(reply.text)
    assert record.seats == ("anna", "bot:random", "anna 2")
    match = replay(record)
    assert match.is_over
    assert len(match.plies) == anna.match.ply


async def test_in_a_rematch_the_start_player_moves_on_by_one_seat(connect: Connect) -> None:
    anna = await playing(connect, 1)
    names = [seat.name for seat in anna.table.seats]
    first = anna.match.commitment
    assert "not over yet" in await anna.refused(Propose, "rematch")
    await anna.play_to_the_end()
    await anna.do(Propose, "rematch")
    assert [seat.name for seat in anna.table.seats] == names[1:] + names[:1]
    assert (anna.table.phase, anna.table.viewer) == ("playing", None)
    assert anna.match.commitment != first


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("land_cards", "Rematch: all move up a seat, and {name} goes first."),
        (
            "ku_ka_king",
            "The rematch has begun: everybody moves up one seat.",
        ),  # where nobody is the first to act
    ],
)
async def test_everybody_is_told_that_the_seats_move_on_in_a_rematch(
    game: str, said: str, connect: Connect
) -> None:
    anna = connect("anna")
    await anna.open(game, 3)
    await anna.sit(0, 2)
    await anna.seat_bots(1)
    await anna.start()
    told = said.format(name=anna.table.seats[1].name)
    await anna.play_to_the_end()
    await anna.do(Propose, "rematch")
    await anna.until(lambda c: [str(line.words) for line in c.table.chat.recent()][-1:] == [told])
    assert told_to(anna)[-1] == told


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("land_cards", "The next match has begun: {name} goes first."),
        ("ku_ka_king", "The next match has begun."),
    ],
)
async def test_everybody_is_told_that_the_seats_move_on_after_an_aborted_match_and_then_who_begins(
    game: str, said: str, connect: Connect
) -> None:
    anna = connect("anna")
    await anna.open(game, 3)
    await anna.sit(0, 2)
    await anna.seat_bots(1)
    await anna.start()
    second = anna.table.seats[1].name
    assert told_to(anna) == []
    await anna.do(Propose, "abort")
    assert told_to(anna) == ["The match was aborted; it has no winner. Everybody moves up one seat."]
    await anna.start()
    assert anna.table.seats[0].name == second
    await anna.until(lambda c: told_to(c)[1:] == [said.format(name=second)])


def told_to(client: Client) -> list[str]:
    return [str(message.text) for message in client.sent if isinstance(message, Notice)]


async def test_others_play_on_when_somebody_disconnects_and_the_seat_waits_for_its_owner(
    connect: Connect,
) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await anna.open(GAME, 3)
    await beate.go_to(table)
    await anna.sit(0)
    await beate.sit(1)
    await anna.seat_bots(2)
    await anna.start()
    await beate.link.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    while anna.observation.active == (0,):
        await anna.play(0, anna.observation.legal_moves[0])
    again = connect("beate")
    await again.go_to(table)
    assert again.table.viewer == 1
    await again.play(1, again.observation.legal_moves[0])


async def test_a_table_that_nobody_needs_any_more_is_gone_from_the_lobby(connect: Connect) -> None:
    anna = connect("anna")
    table = await anna.open(GAME, 3)
    await anna.seat_bots(0)
    await anna.go_to(None)
    await anna.until(lambda c: c.lobby.tables == ())
    assert "no table" in await anna.refused(GoTo, table)


async def test_a_table_waits_for_people_who_lost_their_connection_but_not_forever() -> None:
    hub = Hub(MemoryLog(), times=Timeouts(reconnect=0))
    anna, beate = Client(hub.connect("anna")), Client(hub.connect("beate"))
    await anna.open(GAME, 3)
    await beate.until(lambda c: c.lobby.tables)
    await anna.close()
    await beate.until(lambda c: not c.lobby.tables)
    await hub.close()


async def test_a_table_with_a_person_on_a_seat_stays_open(connect: Connect) -> None:
    anna = connect("anna")
    table = await anna.open(GAME, 3)
    await anna.sit(0)
    await anna.go_to(None)
    await anna.until(lambda c: [line.id for line in c.lobby.tables] == [table])


async def test_requests_about_a_table_are_refused_in_the_lobby(connect: Connect) -> None:
    anna = connect("anna")
    requests: list[tuple[Any, ...]] = [(Start,), (Play, 0, 0, 0), (Look, None), (GetRecord,)]
    for request in requests:
        assert "in the lobby" in await anna.refused(*request)


async def test_resync_gives_a_snapshot(connect: Connect) -> None:
    anna = await playing(connect)
    anna.sent.clear()
    await anna.do(Resync)
    assert isinstance(anna.sent[0], Snapshot)


async def test_a_user_opens_only_so_many_tables_and_may_open_more_after_leaving_one() -> None:
    hub = Hub(MemoryLog(), limits=Limits(tables_per_user=2))
    anna = Client(hub.connect("anna"))
    for _ in range(2):
        await anna.open(GAME, 3)
        await anna.sit(0)
    assert "already have 2 tables" in await anna.refused(OpenTable, GAME, {}, 3, "")
    await anna.do(LeaveSeat, 0)
    await anna.go_to(None)
    await anna.open(GAME, 3)
    await hub.close()


async def test_a_server_has_only_so_many_tables() -> None:
    hub = Hub(MemoryLog(), limits=Limits(tables=1))
    await Client(hub.connect("anna")).open(GAME, 3)
    assert "full" in await Client(hub.connect("beate")).refused(OpenTable, GAME, {}, 3, "")
    await hub.close()


async def test_too_many_requests_at_once_are_refused() -> None:
    hub = Hub(MemoryLog(), limits=Limits(requests_per_second=0, requests_at_once=3))
    anna = Client(hub.connect("anna"))
    for _ in range(3):
        await anna.do(Resync)
    assert "Too many requests" in await anna.refused(Resync)
    await hub.close()


async def test_a_hub_says_goodbye_when_it_closes() -> None:
    hub = Hub(MemoryLog(), limits=PLENTY)
    anna = Client(hub.connect("anna"))
    await anna.do(Resync)
    await hub.close()
    await anna.until_closed()
    assert "shutting down" in str(anna.goodbye)


async def test_a_move_is_made_once_and_the_one_that_is_refused_not_at_all(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, made = type(registry.game(GAME)), list[int]()
    apply = rules.apply

    def counted(game: Any, state: Any, seat: int, move: int) -> Any:
        made.append(move)
        return apply(game, state, seat, move)

    anna = await playing(connect)
    await anna.look(0)
    monkeypatch.setattr(rules, "apply", counted)
    move = anna.observation.legal_moves[0]
    await anna.play(0, move)
    assert made == [move]
    refused = await anna.ask(Play, 0, anna.match.ply, 10**6)
    assert isinstance(refused, Refused)
    assert made == [move]


async def test_who_loses_the_connection_once_more_has_as_much_time_again_to_come_back() -> None:
    clock, hub = Clock(stands=False), Hub(MemoryLog(), times=Timeouts(reconnect=600))
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 3)
    for _ in range(2):
        await anna.close()
        await wait_for(lambda: not hub.presence.users())
        await clock.forward(400)
        anna = Client(hub.connect("anna"))
        await anna.go_to(table)
    await anna.close()
    await wait_for(lambda: not hub.presence.users())
    await clock.forward(601)
    await wait_for(lambda: not hub.tables)
    await hub.close()


async def test_what_a_bot_has_found_for_another_position_is_not_played(hub: Hub, connect: Connect) -> None:
    hub.pace.seconds = 3600
    anna = connect("anna")
    await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    await anna.seat_bots(1)
    await anna.start()
    (table,) = hub.tables.values()
    before = table.bot_turn()
    assert before is not None
    await anna.play(0, 2)
    await table.play_bot(before, 1)
    await anna.do(Resync)
    assert anna.match.ply == 1
    now = table.bot_turn()
    assert now is not None
    await table.play_bot(now, 1)
    await anna.until(lambda c: c.match.ply == 2)
