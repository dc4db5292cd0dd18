"""What an admin does at one node holds at all of them, and so do codes, keys and reports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kk_core.errors import KkError
from kk_core.protocol.messages import Join, OpenTable, RemoveKey, Report, Say
from kk_core.protocol.stream import CLOSED
from kk_core.text import Text
from kk_server.accounts.bans import BANS, MUTES, BanFile, BanTable, parse_ban
from kk_server.accounts.link_codes import LinkCodes
from kk_server.maintenance.copying import copy_store
from kk_server.serve.server import Server, start
from kk_server.storage.sqlite import DATABASE
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.nodes import ForwardedCommand
from kk_server.visits.orders import LIFE, AddressSeen, Announce, Kick, Orders, ReadBans
from tests.server.client import Client
from tests.server.hosting import PLENTY, here, probing
from tests.server.ports import free_address
from tests.server.postgres import Postgres
from tests.server.probe import make_probe
from tests.server.remote import key_of
from tests.server.test_accounts import code_of, come, link_key, refusal, told, until_told
from tests.server.test_admins import ELSEWHERE, public
from tests.server.test_console import Said, ask
from tests.server.test_peers import Lines
from tests.server.test_served_nodes import folders
from tests.server.test_watch import watching
from tests.waiting import wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.cluster import ordering
from kk_server.cluster.bus import Ordered
from kk_server.cluster.cluster import Cluster
from kk_server.cluster.ordering import GivenOrders, TakenOrders
from kk_server.storage.postgres import open_postgres

GAME = "land_cards"


class Pair:
    """Two nodes with the same admin."""

    def __init__(self, path: Path, store: str) -> None:
        (path / "admins.txt").write_text(public("root"))
        self.store, self._admins = store, str(path / "admins.txt")
        self._folders = folders(path, 3)
        self.one: Server
        self.other: Server

    async def node(self) -> Server:
        settings = here(
            self._folders.pop(), store=self.store, node=free_address(), limits=PLENTY, bot_pause=0.0,
            admins=self._admins,
        )  # fmt: skip
        return await start(settings, make_probe)

    async def by_root(self, command: str, server: Server | None = None) -> Said:
        return await ask(server or self.one, command, "root", address=ELSEWHERE)


@pytest.fixture
async def pair(tmp_path: Path, postgres: Postgres) -> AsyncIterator[Pair]:
    pair = Pair(tmp_path, postgres.new_database())
    pair.one, pair.other = await pair.node(), await pair.node()
    await wait_for(lambda: pair.other.hub.nodes.has_room)
    yield pair
    await pair.other.close()
    await pair.one.close()


async def ended(client: Client) -> str:
    await client.until(lambda client: client.goodbye is not None)
    return str(client.goodbye)


async def test_whoever_is_banned_at_one_node_is_out_at_all_until_the_ban_is_lifted(pair: Pair) -> None:
    eve = await come(pair.other, "eve")
    assert (await pair.by_root("ban eve 7 rude")).status == 0
    assert "You are banned" in await ended(eve)
    for server in (pair.one, pair.other):
        assert "rude" in await refusal(server, "eve")
    later = await pair.node()
    assert "rude" in await refusal(later, "eve")
    await later.close()
    assert "eve" in (await pair.by_root("bans", pair.other)).out
    assert (await pair.by_root("unban eve", pair.other)).status == 0
    await wait_for(lambda: pair.one.moderation.bans.all == ())
    await (await come(pair.one, "eve")).close()


async def test_a_ban_that_a_node_has_kept_but_not_told_holds_everywhere_once_it_is_back(pair: Pair) -> None:
    eve = await come(pair.other, "eve")
    database = await open_postgres(pair.store)
    await BanTable(database, BANS).keep((parse_ban("eve", "root"),))
    await database.close()
    later = await pair.node()
    assert "You are banned" in await ended(eve)
    await later.close()


async def test_what_an_admin_orders_while_the_database_is_away_is_done_afterwards(
    pair: Pair, postgres: Postgres, journal: StringIO
) -> None:
    anna, beate = await come(pair.other, "anna"), await come(pair.other, "beate")
    name = urlsplit(pair.store).path[1:]

    def let_in(value: str) -> None:
        postgres.ask("psql", "-d", "postgres", "-c", f"ALTER DATABASE {name} ALLOW_CONNECTIONS {value}")

    let_in("false")
    nodes = f"datname = '{name}' AND application_name = 'kk bus'"
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {nodes}"
    postgres.ask("psql", "-d", "postgres", "-c", cut)
    pair.one.visits.tell_others(Announce(Text("Cake!")))
    await wait_for(lambda: "other nodes not heard" in journal.getvalue())
    pair.one.visits.tell_others(Kick("anna", "root"))
    pair.one.visits.tell_others(AddressSeen("eve", "192.0.2.9"))
    await attempts(
        pair.one, 3
    )  # by then each node has given its reasons: of the lost connection, and of those refused
    lost = journal.getvalue().count("other nodes not heard")
    await attempts(pair.one, 5)
    assert journal.getvalue().count("other nodes not heard") <= lost + 1, "each gives a reason once"
    let_in("true")
    assert "has ended your session" in await ended(anna)
    await until_told(beate, "Cake!")
    await wait_for(lambda: pair.other.addresses.of("eve") != ())


async def attempts(server: Server, number: int) -> None:
    """Wait until a node has tried so often to hear the others."""
    assert isinstance(server.hub.nodes, Cluster)
    bus, made = server.hub.nodes._bus, 0
    listen = bus._listen

    async def count() -> None:
        nonlocal made
        made += 1
        await listen()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus, "_listen", count)
        await wait_for(lambda: made >= number)


@asynccontextmanager
async def deaf(server: Server, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A node that cannot listen to the others, though they see it."""
    assert isinstance(server.hub.nodes, Cluster)
    bus = server.hub.nodes._bus

    async def refuse() -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(bus, "_listen", refuse)
        assert bus._connection is not None
        bus._connection.terminate()
        yield


@asynccontextmanager
async def cut_off(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """The other node is taken for gone."""
    assert isinstance(pair.other.hub.nodes, Cluster)
    membership = pair.other.hub.nodes._membership

    async def refuse() -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(membership, "_join", refuse)
        assert membership._connection is not None
        membership._connection.terminate()
        await wait_for(lambda: len(pair.one.hub.nodes.all()) == 1)
        yield


async def test_an_order_that_a_deaf_node_has_not_heard_is_told_to_the_admin_and_done_when_it_is_back(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "_PATIENCE", 0.2)
    anna, beate = await come(pair.other, "anna"), await come(pair.other, "beate")
    await wait_for(lambda: pair.one.hub.presence.has("anna") and pair.one.hub.presence.has("beate"))
    address = pair.other.settings.node
    async with deaf(pair.other, monkeypatch):
        for command in ("announce Cake!", "kick anna", "ban carl"):
            said = await pair.by_root(command)
            assert said.status == 0
            assert f"1 of 2 nodes have answered. Not heard yet: {address}." in said.out
            assert "are ended, too" not in said.out
        assert "nodes have answered" not in (await pair.by_root("who")).out
        assert "Cake!" not in told(beate)
        assert pair.other.moderation.bans.all == ()
    assert "has ended your session" in await ended(anna)
    await until_told(beate, "Cake!")
    await wait_for(lambda: [ban.what for ban in pair.other.moderation.bans.all] == ["carl"])
    said = await pair.by_root("announce Tea!")
    assert "nodes have answered" not in said.out
    await until_told(beate, "Tea!")
    assert told(beate).count("Cake!") == 1


async def test_an_order_is_carried_out_once_however_often_it_is_heard(pair: Pair) -> None:
    beate = await come(pair.other, "beate")
    assert isinstance(pair.one.hub.nodes, Cluster)
    one = pair.one.hub.nodes
    one.order(Announce(Text("Cake!")))
    await until_told(beate, "Cake!")
    for _ in range(3):
        one._bus.tell(Ordered(one.last_order, Announce(Text("Cake!"))))
    one.order(Announce(Text("Tea!")))
    await until_told(beate, "Tea!")
    assert told(beate).count("Cake!") == 1
    assert (await one.answers(0)).missing == ()


async def test_a_node_that_was_taken_for_gone_does_what_was_ordered_before_and_meanwhile(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "_PATIENCE", 0.2)
    anna, beate = await come(pair.other, "anna"), await come(pair.other, "beate")
    await wait_for(lambda: pair.one.hub.presence.has("anna"))
    async with deaf(pair.other, monkeypatch):
        said = await pair.by_root("kick anna")
        assert f"Not heard yet: {pair.other.settings.node}." in said.out
        async with cut_off(pair, monkeypatch):
            assert (await pair.by_root("announce Cake!")).status == 0
    assert "has ended your session" in await ended(anna)
    await until_told(beate, "Cake!")


async def test_whoever_was_at_a_node_that_is_lost_is_kicked_when_it_is_back(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, address = await come(pair.other, "anna"), pair.other.settings.node
    await wait_for(lambda: pair.one.hub.presence.has("anna"))
    async with deaf(pair.other, monkeypatch), cut_off(pair, monkeypatch):
        said = await pair.by_root("kick Anna")
        assert said.status == 0
        assert said.out == (
            f"They were at {address}, which is lost; if it comes back within ten minutes, their sessions "
            "there are ended.\n"
        )
        assert "carl is not online" in (await pair.by_root("kick carl")).err
    assert "has ended your session" in await ended(anna)
    await wait_for(lambda: pair.one.hub.presence.lost(LIFE) == {})
    await wait_for(lambda: not pair.one.hub.presence.has("anna"))
    assert "anna is not online" in (await pair.by_root("kick anna")).err


@pytest.mark.parametrize("error", [StorageFailed(Text("The database is away.")), RuntimeError("a fault")])
async def test_an_order_that_fails_at_a_node_is_tried_again_there_and_answered_once_it_is_done(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(ordering, "_PATIENCE", 0.2)
    monkeypatch.setattr(ordering, "_AGAIN", 0.05)
    anna = await come(pair.other, "anna")
    one, other = pair.one.hub.nodes, pair.other.hub.nodes
    assert isinstance(one, Cluster)
    assert isinstance(other, Cluster)
    tried, is_well = 0, False

    async def carry_out(order: Orders) -> None:
        nonlocal tried
        tried += 1
        if not is_well:
            raise error
        await pair.other.carry_out(order)

    monkeypatch.setattr(other, "carry_out", carry_out)
    before = one.last_order
    one.order(Kick("anna", "root"))
    await wait_for(lambda: tried > 3)
    assert (await one.answers(before)).missing == (pair.other.settings.node,)
    is_well = True
    assert "has ended your session" in await ended(anna)
    await wait_for(lambda: not one._given._given[one.last_order].missing)
    assert (await one.answers(before)).missing == ()


async def test_an_order_that_is_repeated_while_a_node_carries_it_out_is_carried_out_once(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    beate = await come(pair.other, "beate")
    one, other, may_end = pair.one.hub.nodes, pair.other.hub.nodes, asyncio.Event()
    assert isinstance(one, Cluster)
    begun: list[Orders] = []

    async def carry_out(order: Orders) -> None:
        begun.append(order)
        await may_end.wait()
        await pair.other.carry_out(order)

    monkeypatch.setattr(other, "carry_out", carry_out)
    before, cake = one.last_order, Announce(Text("Cake!"))
    one.order(cake)
    await wait_for(lambda: begun)
    for _ in range(3):
        one._bus.tell(Ordered(one.last_order, cake))
    may_end.set()
    await until_told(beate, "Cake!")
    one.order(Announce(Text("Tea!")))
    await until_told(beate, "Tea!")
    assert told(beate).count("Cake!") == 1
    assert (await one.answers(before)).missing == ()


@pytest.mark.parametrize("is_done", [True, False])
async def test_what_is_ordered_twice_at_once_is_tried_once_and_answered_when_it_is_done(
    is_done: bool,
) -> None:
    tried, answered, may_end = 0, list[tuple[str, int]](), asyncio.Event()

    async def carry_out(_order: Orders) -> bool:
        nonlocal tried
        tried += 1
        await may_end.wait()
        return is_done

    taken = TakenOrders(carry_out, lambda node, number: answered.append((node, number)))
    first = asyncio.create_task(taken.take("one", 1, ReadBans()))
    await wait_for(lambda: tried == 1)
    await taken.take("one", 1, ReadBans())
    may_end.set()
    await first
    await taken.take("one", 1, ReadBans())
    taken.close()
    assert tried == 1
    assert answered == [("one", 1)] * (2 * is_done)


async def test_a_node_that_is_starting_answers_no_order_before_it_has_carried_it_out(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "_PATIENCE", 0.2)
    monkeypatch.setattr(ordering, "_AGAIN", 0.05)
    anna = await come(pair.other, "anna")
    one = pair.one.hub.nodes
    assert isinstance(one, Cluster)
    before = one.last_order
    with monkeypatch.context() as patch:
        patch.setattr(pair.other.hub.nodes, "carry_out", None)
        one.order(Kick("anna", "root"))
        assert (await one.answers(before)).missing == (pair.other.settings.node,)
    assert "has ended your session" in await ended(anna)
    await wait_for(lambda: not one._given._given[one.last_order].missing)


async def test_an_order_is_repeated_to_whoever_has_not_done_it_unless_it_is_old_or_they_are_new() -> None:
    now = 1000.0
    given = GivenOrders(lambda: now)
    first = given.give(ReadBans(), ["two", "three"])
    given.carried_out("three", first)
    given.forget(["two"])
    assert await given.answers(first - 1) == (2, ())
    now += 10.0
    second = given.give(Kick("eve", "root"), ["three"])
    assert list(given.missed_by("two", 0)) == [(first, ReadBans()), (second, Kick("eve", "root"))]
    assert list(given.missed_by("two", first)) == [(second, Kick("eve", "root"))]
    assert list(given.missed_by("two", second)) == []
    assert list(given.missed_by("three", 0)) == [(second, Kick("eve", "root"))]
    now += LIFE - 5.0
    assert list(given.missed_by("two", 0)) == [(second, Kick("eve", "root"))]
    now += 5.0
    assert list(given.missed_by("two", 0)) == []


async def test_an_order_that_keeps_failing_is_given_up_after_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ordering, "_AGAIN", 0.0)
    now, tried = 0.0, 0

    async def carry_out(_order: Orders) -> bool:
        nonlocal now, tried
        tried += 1
        now += LIFE / 2
        return False

    taken = TakenOrders(carry_out, lambda _node, _number: pytest.fail("answered"), lambda: now)
    await taken.take("one", 1, ReadBans())
    assert taken._trying is not None
    await taken._trying
    assert tried == 4


async def test_a_code_works_at_another_node_as_soon_as_its_table_is_open(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cluster, "summaries_kept_every", 1000.0)  # none from now on
    for server in (pair.one, pair.other):
        await server.hub.table_cache.tidy()
    later = await pair.node()
    await wait_for(lambda: later.hub.nodes.has_room)
    anna, beate = await come(later, "anna"), await come(pair.one, "beate")
    await anna.do(OpenTable, GAME, {}, 3, "", False, True)
    table = anna.table.id
    await beate.do(Join, later.hub.tables[table].code)
    assert beate.table.id == table
    await anna.close()
    await beate.close()
    await later.close()


async def test_a_wrong_code_has_only_the_newest_entries_looked_at(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = pair.one.hub.nodes
    assert isinstance(nodes, Cluster)
    since: list[int] = []

    async def last_entry() -> int:
        return 1_000_000

    async def opened_after(number: int) -> list[str]:
        since.append(number)
        return []

    monkeypatch.setattr(nodes._log, "last_entry", last_entry)
    monkeypatch.setattr(nodes._log, "opened_after", opened_after)
    for _ in range(2):
        await nodes.look_again()
    assert since == [995_000, 999_000]


async def test_bans_at_the_same_time_are_all_in_force(pair: Pair) -> None:
    bans, names = pair.one.moderation.bans, ["anna", "beate", "carl"]
    reading = (pair.one.moderation.follow_bans() for _ in names)
    await asyncio.gather(*(bans.add(parse_ban(name, "root")) for name in names), *reading)
    assert [ban.what for ban in bans.all] == names
    await wait_for(lambda: pair.other.moderation.bans.all == bans.all)
    await asyncio.gather(*(bans.lift(parse_ban(name, "root")) for name in names))
    assert bans.all == ()


async def test_an_address_that_somebody_came_from_at_another_node_is_banned_with_them(pair: Pair) -> None:
    eve = await come(pair.other, "eve", address="127.0.0.5")
    await eve.close()
    await wait_for(lambda: bool(pair.one.addresses.of("eve")))
    assert "127.0.0.5" in (await pair.by_root("ban eve")).out


async def test_whoever_is_muted_at_one_node_is_heard_at_none(pair: Pair) -> None:
    anna = await come(pair.other, "anna")
    await wait_for(lambda: pair.one.hub.presence.has("anna"))
    assert (await pair.by_root("mute anna 60")).status == 0
    await until_told(anna, "has muted you until")
    assert "has muted you until" in await anna.refused(Say, "hear me")
    assert (await pair.by_root("unmute anna")).status == 0
    await until_told(anna, "You are no longer muted")
    await anna.do(Say, "hear me")
    assert told(anna).count("has muted you") == 1


async def test_whoever_is_kicked_is_out_of_all_nodes(pair: Pair) -> None:
    anna = await come(pair.other, "anna")
    await wait_for(lambda: pair.one.hub.presence.has("anna"))
    assert (await pair.by_root("kick anna")).out == "Their sessions at other nodes are ended, too.\n"
    assert "has ended your session" in await ended(anna)
    await wait_for(lambda: not pair.one.hub.presence.has("anna"))
    assert "is not online" in (await pair.by_root("kick anna")).err


async def test_what_is_announced_is_read_at_all_nodes(pair: Pair) -> None:
    clients = [await come(server, user) for server, user in ((pair.one, "anna"), (pair.other, "beate"))]
    assert (await pair.by_root("announce Cake!")).out.endswith("everybody at other nodes, too.\n")
    for client in clients:
        await until_told(client, "Cake!")


async def test_an_admin_sees_at_which_node_and_which_table_somebody_is(pair: Pair) -> None:
    anna, beate = await come(pair.one, "anna"), await come(pair.other, "beate")
    await beate.do(OpenTable, GAME, {}, 3, "At the inn")
    await beate.sit(0)
    table = beate.table.id
    await wait_for(lambda: table in pair.one.hub.table_cache and pair.one.hub.presence.has("beate"))
    await wait_for(lambda: pair.other.hub.presence.has("anna"))
    await anna.go_to(table)
    (node,) = (each for each in pair.one.hub.nodes.all() if not each.is_here)
    here, there = (await pair.by_root("who --json")).json
    assert (here["user"], here["tables"], "nodes" in here) == ("anna", [table], False)
    assert (there["user"], there["nodes"]) == ("beate", [node.address])
    assert f"node {node.address}" in (await pair.by_root("who")).out
    assert table in (await pair.by_root("who", pair.other)).out
    assert f"node {node.address}: ok, 50 % of all tables" in (await pair.by_root("health")).out
    assert len((await pair.by_root("health --json")).json["nodes"]) == 2
    assert "node" not in (await ask(pair.one, "health")).out
    assert "nodes" not in (await ask(pair.one, "health --json")).json


async def at_the_other_node(pair: Pair) -> Client:
    """Somebody at a table of the other node, which the first one knows."""
    anna = await come(pair.other, "anna")
    await anna.do(OpenTable, GAME, {}, 3, "At the inn")
    await anna.sit(0)
    await wait_for(lambda: anna.table.id in pair.one.hub.table_cache)
    return anna


async def test_health_says_of_a_node_that_it_could_not_be_reached(pair: Pair) -> None:
    table = (await at_the_other_node(pair)).table.id
    (node,) = (each for each in pair.one.hub.nodes.all() if not each.is_here)
    peers = pair.other.hub.nodes._peers  # type: ignore[attr-defined]
    peers._acceptor.close()
    beate = await come(pair.one, "beate")
    going = asyncio.create_task(beate.go_to(table))
    await wait_for(lambda: not all(each.is_reached for each in pair.one.hub.nodes.all()))
    unreached = f"node {node.address}: ok, but not reached at the last attempt, 50 % of all tables"
    assert unreached in (await pair.by_root("health")).out
    found = {each["address"]: each["reached"] for each in (await pair.by_root("health --json")).json["nodes"]}
    assert [found.pop(node.address), *found.values()] == [False, True]
    going.cancel()


async def test_health_says_of_a_node_that_it_is_of_an_older_version(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = pair.one.hub.nodes
    (address,) = (each.address for each in nodes.all() if not each.is_here)
    members = nodes._membership.members  # type: ignore[attr-defined]
    members[address] = members[address]._replace(version=members[address].version - 1)
    known = nodes.all()
    assert [each.is_outdated for each in known] == [each.address == address for each in known]
    monkeypatch.setattr(type(nodes), "all", lambda _nodes: known)
    assert f"node {address}: ok, of an older version, " in (await pair.by_root("health")).out
    told = {each["address"]: each["outdated"] for each in (await pair.by_root("health --json")).json["nodes"]}
    assert told == {each.address: each.address == address for each in known}


async def test_a_match_of_another_node_is_watched_to_its_end(pair: Pair) -> None:
    anna = await come(pair.other, "anna")
    await anna.do(OpenTable, GAME, {}, 3, "At the inn")
    await anna.sit(0, 1, 2)
    await anna.start()
    table = anna.table.id
    await wait_for(lambda: table in pair.one.hub.table_cache)
    watching = [
        asyncio.create_task(ask(server, f"watch {words}", "carl", language="de_DE.UTF-8"))
        for server, words in ((pair.other, table), (pair.one, table), (pair.one, "At the inn"))
    ]
    await wait_for(lambda: len(pair.other.hub.tables[table].subscribers) == 4)
    await anna.play_to_the_end()
    at_home, *elsewhere = await asyncio.gather(*watching)
    assert at_home.status == 0
    assert len(at_home.out.splitlines()) > 50
    assert elsewhere == [at_home] * 2
    records = [await ask(server, f"record {table}", "anna") for server in (pair.one, pair.other)]
    assert records[0] == records[1]
    assert records[0].status == 0
    refused = await ask(pair.one, f"watch {table}", "carl")
    assert (refused.status, refused.err.strip()) == (2, "No match is running at this table.")


async def test_whoever_stops_watching_is_gone_at_once_wherever_the_table_is_served(pair: Pair) -> None:
    anna = await come(pair.other, "anna")
    await anna.do(OpenTable, GAME, {}, 3, "At the inn")
    await anna.sit(0, 1, 2)
    await anna.start()
    table = anna.table.id
    await wait_for(lambda: table in pair.one.hub.table_cache)
    subscribers = pair.other.hub.tables[table].subscribers
    for server in (pair.other, pair.one):
        carl = await watching(server, f"watch {table}")
        await wait_for(lambda: len(subscribers) == 2)
        carl.process.close()  # as ssh does it after Ctrl+C
        await wait_for(lambda: len(subscribers) == 1)
        carl.connection.close()


async def test_a_node_carries_out_no_admins_commands_for_another_one(pair: Pair) -> None:
    anna = await come(pair.other, "anna")
    await anna.do(OpenTable, GAME, {}, 3, "At the inn")
    table = anna.table.id
    await wait_for(lambda: table in pair.one.hub.table_cache)
    for command in (f"close {table}", "bans"):
        with pytest.raises(KkError, match=str(CLOSED)):
            await pair.one.forward(table, ForwardedCommand("root", command, None, b""), Lines())
    assert table in pair.other.hub.tables


async def test_a_node_where_nobody_is_stops_at_once_whoever_is_at_others(pair: Pair) -> None:
    await come(pair.other, "anna")
    await wait_for(lambda: pair.one.hub.presence.has("anna"))
    assert "stops now" in (await pair.by_root("drain 5")).out
    assert "will stop in 5 minutes" in (await pair.by_root("drain 5", pair.other)).out
    await wait_for(pair.one.stopping.is_set)


async def test_a_table_is_closed_wherever_it_is_served(pair: Pair) -> None:
    anna = await at_the_other_node(pair)
    table = anna.table.id
    assert "served by another node" in (await pair.by_root(f"close {table}")).out
    await until_told(anna, "has closed At the inn")
    await wait_for(lambda: table not in pair.one.hub.table_cache)
    assert "There is no table" in (await pair.by_root(f"close {table}")).err


async def test_a_code_from_one_node_links_a_key_at_another_and_is_used_up_at_both(pair: Pair) -> None:
    anna = await come(pair.one, "anna")
    code = await code_of(anna)
    await wait_for(lambda: pair.other.hub.presence.has("anna"))
    beate = await come(pair.other, "beate")
    assert "Your message wasn't sent" in await beate.refused(Say, f"look: {code}")
    status, said = await link_key(pair.other, code, key_of("phone"))
    assert (status, "opens the account anna" in said) == (0, True)
    await until_told(anna, "Another SSH key now opens your account")
    assert (await link_key(pair.one, code, key_of("tablet")))[0] != 0


async def test_two_who_ask_for_a_code_for_one_account_at_once_get_one_that_works(pair: Pair) -> None:
    databases = [await open_postgres(pair.store) for _ in range(2)]
    links = [LinkCodes(database) for database in databases]
    codes = await asyncio.gather(*(each.new("anna") for each in links * 5))
    assert [await links[0].knows(code) for code in codes].count(True) == 1
    for database in databases:
        await database.close()


async def test_two_who_use_a_code_at_two_nodes_at_once_do_not_both_get_in(pair: Pair) -> None:
    code = await code_of(await come(pair.one, "anna"))
    tries = (link_key(pair.one, code, key_of("phone")), link_key(pair.other, code, key_of("tablet")))
    assert sorted(status == 0 for status, _ in await asyncio.gather(*tries)) == [False, True]


async def test_a_key_that_is_removed_at_one_node_opens_no_session_at_any(pair: Pair) -> None:
    anna = await come(pair.one, "anna")
    assert (await link_key(pair.one, await code_of(anna), key_of("phone")))[0] == 0
    phone = await come(pair.other, "anna", key_of("phone"))
    await anna.do(RemoveKey, key_of("phone").get_fingerprint())
    assert "no longer opens the account anna" in await ended(phone)


async def test_admins_at_all_nodes_are_told_of_a_report(pair: Pair) -> None:
    olga, anna = await come(pair.one, "olga", key_of("root")), await come(pair.other, "anna")
    eve = await come(pair.other, "eve")
    await eve.do(Say, "You cheat!")
    await anna.do(Report, "eve", "rude")
    await until_told(olga, "anna reports eve")


async def test_bans_go_along_when_a_single_server_becomes_nodes_and_back(
    tmp_path: Path, postgres: Postgres, journal: StringIO
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    two.mkdir()
    async with probing(one) as server:
        await server.moderation.bans.add(parse_ban("eve", "root"))
        await server.moderation.mutes.add(parse_ban("carl", "root"))
    store = postgres.new_database()
    await copy_store(str(one / DATABASE), store)
    async with probing(tmp_path / "node", store=store) as server:
        assert [each.what for each in (*server.moderation.bans.all, *server.moderation.mutes.all)] == [
            "eve",
            "carl",
        ]
        await server.moderation.bans.lift(parse_ban("eve", "root"))
    assert not (tmp_path / "node" / BANS).exists()
    assert "file not used" not in journal.getvalue()
    async with probing(one, store=store) as server:
        assert [each.what for each in (*server.moderation.bans.all, *server.moderation.mutes.all)] == ["carl"]
    assert journal.getvalue().count("file not used") == 2
    await copy_store(store, str(two / DATABASE))
    assert not (two / BANS).exists()
    assert [each.what for each in await BanFile(two / MUTES).read()] == ["carl"]
