"""Several nodes on one database form one cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import StringIO

import pytest
from msgspec import Raw
from msgspec.msgpack import encode

from kk_core.protocol.messages import (
    Browse,
    GoTo,
    Join,
    LeaveSeat,
    Notice,
    OpenLesson,
    OpenTable,
    Play,
    Say,
    Snapshot,
    TakeSeat,
)
from kk_core.registry import game_ids
from kk_core.text import Text
from kk_core.views import LobbyView
from kk_server.accounts.names import skeleton
from kk_server.storage.table_log import AWAY, StoredTable, Unreachable
from tests.server.client import Client
from tests.server.postgres import Postgres
from tests.server.test_calls import calls
from tests.waiting import patience, wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.cluster.bus import GuestsNamed, Present, _packed, parts
from kk_server.storage.sql_log import SqlLog
from tests.server.nodes import Node, begin_node, have_shared, nodes

GAME = "land_cards"


@pytest.fixture
async def pair(postgres: Postgres) -> AsyncIterator[tuple[Node, Node]]:
    async with nodes(postgres.new_database()) as (one, other):
        yield one, other


def titles(client: Client) -> list[str]:
    return [line.title for line in (*client.lobby.own, *client.lobby.others)]


def said(client: Client) -> list[str]:
    return [str(line.words) for line in client.lobby.chat.recent()]


async def test_tables_of_each_node_are_in_the_lobby_of_the_other(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    table = await anna.open(GAME, 3, title="Anna's")
    await anna.sit(0)
    await beate.until(lambda client: titles(client) == ["Anna's"])
    await beate.open(GAME, 3, title="Beate's")
    await beate.sit(0)
    await anna.go_to(None)
    await anna.until(lambda client: sorted(titles(client)) == ["Anna's", "Beate's"])
    await beate.go_to(None)
    assert pair[0].cluster.is_home(table)
    assert not pair[1].cluster.is_home(table)


async def test_what_others_tell_while_a_node_reads_all_tables_anew_is_not_undone(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, beate, cache = pair[0].connect("anna"), pair[1].connect("beate"), pair[1].hub.table_cache
    await anna.open(GAME, 3)

    def seated() -> list[str | None]:
        return [seat.owner for line in beate.lobby.others for seat in line.seats]

    await beate.until(lambda _: seated() == [None] * 3)
    clocks = cache._log.clocks

    async def clocks_later() -> dict[str, str]:
        await anna.sit(0)
        await beate.until(lambda _: "anna" in seated())
        return await clocks()

    monkeypatch.setattr(cache._log, "clocks", clocks_later)
    await cache.refresh()
    await beate.do(Browse, 0, 10)
    assert "anna" in seated()


async def test_a_table_that_is_closed_disappears_at_all_nodes(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    await anna.open(GAME, 3, title="Anna's")
    await beate.until(lambda client: titles(client) == ["Anna's"])
    await anna.go_to(None)
    await beate.until(lambda client: titles(client) == [])


async def test_people_are_seen_at_all_nodes_until_they_leave(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    for client in (anna, beate):
        await client.until(lambda client: client.lobby.users == ("anna", "beate"))
    assert anna.lobby.here == 2
    await beate.close()
    await anna.until(lambda client: client.lobby.users == ("anna",))


async def test_nobody_stays_at_a_node_that_was_heard_after_it_had_gone(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.cluster.cluster._JOINING", 0.1)
    anna, presence, gone = pair[0].connect("anna"), pair[0].hub.presence, "127.0.0.1:1"
    pair[1].connect("beate")
    for user in ("carl", "dora"):
        pair[0].cluster._bus._heard.put_nowait((gone, [Present({user: False})]))
    await wait_for(lambda: gone in presence.lost(patience()))
    assert set(presence.lost(patience())[gone]) == {"carl", "dora"}
    assert not {"carl", "dora"} & presence.elsewhere()
    await anna.until(lambda client: client.lobby.users == ("anna", "beate"))


async def test_a_node_that_comes_sees_who_is_there(postgres: Postgres) -> None:
    store = postgres.new_database()
    async with nodes(store, 1) as (one,):
        one.connect("anna")
        coming = await begin_node(store)
        await coming.connect("beate").until(lambda client: client.lobby.users == ("anna", "beate"))
        await coming.close()
        await wait_for(lambda: one.hub.presence.users() == ("anna",))


async def test_however_long_the_names_are_a_node_that_comes_sees_who_is_there(
    postgres: Postgres, journal: StringIO
) -> None:
    """A letter of these has nine bytes with its marks, and what a notification can carry is limited."""
    store, names = postgres.new_database(), [f"{'กิ่' * 18}{n}" for n in range(10, 70)]
    async with nodes(store, 1) as (one,):
        clients = [one.connect(name) for name in names]
        coming = await begin_node(store)
        await wait_for(lambda: set(names) <= set(coming.hub.presence.users()))
        one.cluster.said("anna", "still heard", is_admin=False)
        beate = coming.connect("beate")
        await beate.until(lambda client: said(client) == ["still heard"])
        for client in clients:
            await client.close()
        await coming.close()
    assert "other nodes not heard" not in journal.getvalue()


def test_what_is_told_of_many_fits_into_messages_whatever_their_names_are() -> None:
    named = {f"{skeleton(chr(0xFDFA) * 18)}{n}": "2001:db8:1234:5678::/64" for n in range(200)}
    messages = [GuestsNamed(dict(some)) for some in parts(named.items())]
    assert {key: network for each in messages for key, network in each.networks.items()} == named
    longest = max(len(_packed("node1.example.org:8023", [Raw(encode(each))])) for each in messages)
    assert 3000 < longest < 8000


async def test_the_lobby_hears_everybody_once(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    await anna.do(Say, "Hello!")
    await beate.until(lambda client: said(client) == ["Hello!"])
    await beate.do(Say, "Hello, Anna!")
    for client in (anna, beate):
        await client.until(lambda client: said(client) == ["Hello!", "Hello, Anna!"])


async def test_somebody_is_told_at_whichever_node_they_are(pair: tuple[Node, Node]) -> None:
    here = pair[0].connect("anna")
    await wait_for(lambda: pair[1].hub.presence.has("anna"))
    there = pair[1].connect("anna")
    for client in (here, there):
        await client.until(
            lambda client: len([each for each in client.sent if isinstance(each, Notice)]) == 1
        )
    pair[1].hub.sessions.tell("anna", Text("Hello, both!"))
    for client in (here, there):
        await client.until(lambda client: Notice(Text("Hello, both!")) in client.sent)


async def test_who_looks_at_their_table_of_another_node_is_not_called_there_by_another_session_of_theirs(
    pair: tuple[Node, Node],
) -> None:
    home, anna, also_anna = pair[0].connect("anna"), pair[1].connect("anna"), pair[1].connect("anna")
    own = await home.open(GAME, 3)
    await home.sit(0, 1, 2)
    await home.start()
    await home.close()
    other = await pair[1].connect("carl").open(GAME, 3)
    await wait_for(lambda: any(line.waits_for("anna") for line in pair[1].hub.lobby.lines_of("anna")))
    await anna.go_to(own)
    await also_anna.go_to(other)
    assert calls(also_anna) == []
    await anna.go_to(None)
    for table in (None, other):
        await also_anna.go_to(table)
    assert calls(also_anna) == [("Your turn at anna.", own)]
    assert calls(anna) == []


async def test_the_home_of_a_table_is_found_by_its_identifier(pair: tuple[Node, Node]) -> None:
    tables = [await pair[0].connect("anna").open(GAME, 3) for _ in range(3)]
    tables += [await pair[1].connect("beate").open(GAME, 3) for _ in range(3)]
    for table, home in zip(tables, (*[pair[0]] * 3, *[pair[1]] * 3), strict=True):
        assert [node.cluster.home_of(table) for node in pair] == [home.address] * 2


async def test_a_whole_match_is_played_at_the_table_of_another_node(pair: tuple[Node, Node]) -> None:
    for game in game_ids():
        await _play(pair, game)


async def _play(pair: tuple[Node, Node], game: str) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    table = await beate.open(game, 3)
    await beate.sit(0)
    await anna.go_to(table)
    await anna.do(TakeSeat, 1)
    await beate.seat_bots(2)
    await beate.start()
    async with asyncio.TaskGroup() as both:
        for client in (anna, beate):
            both.create_task(_play_own(client))
    assert anna.observation.outcome is not None
    await anna.go_to(None)
    assert anna.lobby
    await wait_for(lambda: {each.user for each in pair[1].hub.tables[table].subscribers} == {"beate"})
    for client in (anna, beate):
        await client.close()


async def _play_own(client: Client) -> None:
    await client.until(lambda client: client.table.match is not None)
    while client.observation.outcome is None:
        await client.until(
            lambda c: c.observation.outcome is not None or c.table.viewer in c.observation.active
        )
        if client.observation.outcome is None:
            await client.play(client.table.viewer or 0, client.observation.legal_moves[0])


async def test_people_go_from_table_to_table_whichever_node_they_are_at(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    here, there = await anna.open(GAME, 3), await beate.open(GAME, 3)
    another = await pair[1].connect("carl").open(GAME, 3)
    await anna.sit(0)
    for table in (there, another, here, there):
        await anna.go_to(table)
        assert anna.table.id == table
    await anna.do(Say, "Hello?")
    await beate.until(lambda client: [str(line.words) for line in client.table.chat.recent()] == ["Hello?"])
    await anna.go_to(None)
    await anna.until(lambda client: client.lobby.total == 2)


async def test_who_is_refused_at_another_node_stays_where_they_are(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    await beate.do(OpenTable, GAME, {}, 3, "", False, True)
    assert "by invitation" in await anna.refused(GoTo, beate.table.id)
    assert anna.lobby
    unknown = next(table for table in (f"{n:08x}" for n in range(100)) if pair[1].cluster.is_home(table))
    assert "There is no table" in await anna.refused(GoTo, unknown)


async def test_a_code_leads_to_a_table_of_another_node(pair: tuple[Node, Node]) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    await beate.do(OpenTable, GAME, {}, 3, "", False, True)
    table, code = beate.table.id, beate.table.code
    await wait_for(lambda: table in pair[0].hub.table_cache)
    await anna.do(Join, code)
    assert anna.table.id == table


async def test_a_table_for_one_is_found_again_at_another_node(pair: tuple[Node, Node]) -> None:
    first = pair[0].connect("anna")
    await first.do(OpenLesson, GAME)
    table = first.table.id
    await wait_for(lambda: table in pair[1].hub.table_cache)
    again = pair[1].connect("anna")
    await again.do(OpenLesson, GAME)
    assert again.table.id == table


async def test_when_a_node_leaves_play_goes_on_at_the_tables_new_home(postgres: Postgres) -> None:
    store = postgres.new_database()
    async with nodes(store, 2) as (one, _):
        leaving = await begin_node(store)
        await wait_for(lambda: len(leaving.cluster.held) >= 42)
        anna, beate = one.connect("anna"), leaving.connect("beate")
        table = await beate.open(GAME, 3)
        await beate.sit(0, 1, 2)
        await beate.start()
        await anna.go_to(table)
        before = anna.match.ply
        await leaving.close()
        await wait_for(lambda: one.cluster.home_of(table) not in (None, leaving.address))
        again = one.connect("beate")
        await again.go_to(table)
        (seat,) = again.observation.active
        await again.look(seat)
        await again.play(seat, again.observation.legal_moves[0])
        await anna.until(lambda client: client.match.ply == before + 1)


async def test_who_sits_at_a_table_follows_it_when_nodes_share_anew(postgres: Postgres) -> None:
    store = postgres.new_database()
    async with nodes(store, 1) as (one,):
        anna = one.connect("anna")
        table = await anna.open(GAME, 3)
        await anna.sit(0, 1, 2)
        await anna.start()
        coming = await begin_node(store)
        one.cluster.drain()
        await wait_for(lambda: coming.cluster.is_home(table))
        (seat,) = anna.observation.active
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[0])
        assert table in coming.hub.tables
        coming.cluster.drain()
        await anna.do(Say, "Still here")
        await coming.close()


async def test_who_follows_a_table_while_the_database_is_away_is_there_once_it_is_back(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = postgres.new_database()
    async with nodes(store, 1) as (one,):
        leaving = await begin_node(store)
        await wait_for(lambda: have_shared([one, leaving]))
        anna, beate = one.connect("anna"), leaving.connect("beate")
        table = await beate.open(GAME, 3)
        await anna.go_to(table)
        read, refused = SqlLog.read, list[str]()

        async def read_later(log: SqlLog, table: str) -> StoredTable:
            if len(refused) < 6:
                refused.append(table)
                raise Unreachable(AWAY)
            return await read(log, table)

        monkeypatch.setattr(SqlLog, "read", read_later)
        leaving.cluster.drain()
        for client in (anna, beate):
            # the lobby's, the table's, and the table's at its new home
            await client.until(lambda c: sum(isinstance(each, Snapshot) for each in c.sent) == 3)
            await client.do(Say, "Still here")
            assert client.table.id == table
            assert not any(isinstance(each, Notice) for each in client.sent)
        assert len(refused) == 6
        await leaving.close()


async def test_two_homes_of_one_table_cannot_both_make_a_move(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = pair[0].connect("anna")
    table = await anna.open(GAME, 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    # the other node is told nothing by the first, and takes it for its own
    monkeypatch.setattr(pair[1].cluster, "is_home", lambda _: True)
    await pair[1].hub.table_cache.refresh()
    there = pair[1].connect("anna")
    await there.go_to(table)
    for client in (anna, there):
        (seat,) = client.observation.active
        await client.look(seat)
    seat, move = anna.table.viewer or 0, anna.observation.legal_moves[0]
    await anna.do(Play, seat, anna.match.ply, move)
    assert "look again" in await there.refused(Play, seat, there.match.ply, move)
    await there.until(lambda client: client.match.ply == anna.match.ply)


async def test_a_slow_reader_who_leaves_another_nodes_table_sees_the_lobby_as_it_is(
    pair: tuple[Node, Node],
) -> None:
    link, beate = pair[0].hub.connect("anna"), pair[1].connect("beate")
    table = await beate.open(GAME, 3)
    await link.send(GoTo(1, table))
    await wait_for(lambda: len(pair[1].hub.tables[table].subscribers) == 2)
    for _ in range(150):
        await beate.sit(0)
        await beate.do(LeaveSeat, 0)
    await link.send(GoTo(2, None))
    await wait_for(lambda: len(pair[1].hub.tables[table].subscribers) == 1)
    anna = Client(link)
    await anna.until(lambda client: isinstance(client.place, LobbyView) and len(client.trees) > 3)
    assert anna.goodbye is None
    await anna.do(Say, "Hello!")
    await anna.until(lambda client: said(client) == ["Hello!"])


async def test_a_table_opened_by_a_node_that_was_home_no_longer_is_found_at_its_home(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, beate = pair[0].connect("anna"), pair[1].connect("beate")
    taken = next(table for table in (f"{n:08x}" for n in range(100)) if pair[1].cluster.is_home(table))
    with monkeypatch.context() as patch:
        patch.setattr("kk_server.hub.hub.new_id", lambda _: taken)
        patch.setattr(pair[0].cluster, "is_home", lambda _: True)
        assert await anna.open(GAME, 3) == taken
    await beate.go_to(taken)
    assert beate.table.id == taken
