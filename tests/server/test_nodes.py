"""Several nodes on one database are one house."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kk_core.protocol.messages import Notice, Say
from kk_core.text import Text
from tests.server.client import Client
from tests.server.postgres import Postgres
from tests.waiting import wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from tests.server.nodes import Node, begin_node, nodes

GAME = "land_cards"


@pytest.fixture
async def house(postgres: Postgres) -> AsyncIterator[tuple[Node, Node]]:
    async with nodes(postgres.new_database()) as (one, other):
        yield one, other


def titles(client: Client) -> list[str]:
    return [line.title for line in (*client.lobby.own, *client.lobby.others)]


def said(client: Client) -> list[str]:
    return [str(line.words) for line in client.lobby.chat.recent()]


async def test_tables_of_each_node_are_in_the_lobby_of_the_other(house: tuple[Node, Node]) -> None:
    anna, beate = house[0].connect("anna"), house[1].connect("beate")
    table = await anna.open(GAME, 3, title="Anna's")
    await anna.sit(0)
    await beate.until(lambda client: titles(client) == ["Anna's"])
    await beate.open(GAME, 3, title="Beate's")
    await beate.sit(0)
    await anna.go_to(None)
    await anna.until(lambda client: sorted(titles(client)) == ["Anna's", "Beate's"])
    await beate.go_to(None)
    assert house[0].cluster.is_home(table)
    assert not house[1].cluster.is_home(table)


async def test_a_table_that_is_closed_disappears_at_all_nodes(house: tuple[Node, Node]) -> None:
    anna, beate = house[0].connect("anna"), house[1].connect("beate")
    await anna.open(GAME, 3, title="Anna's")
    await beate.until(lambda client: titles(client) == ["Anna's"])
    await anna.go_to(None)
    await beate.until(lambda client: titles(client) == [])


async def test_people_are_seen_at_all_nodes_until_they_leave(house: tuple[Node, Node]) -> None:
    anna, beate = house[0].connect("anna"), house[1].connect("beate")
    for client in (anna, beate):
        await client.until(lambda client: client.lobby.users == ("anna", "beate"))
    assert anna.lobby.here == 2
    await beate.close()
    await anna.until(lambda client: client.lobby.users == ("anna",))


async def test_a_node_that_comes_sees_who_is_there(postgres: Postgres) -> None:
    store = postgres.new_database()
    async with nodes(store, 1) as (one,):
        one.connect("anna")
        coming = await begin_node(store)
        await coming.connect("beate").until(lambda client: client.lobby.users == ("anna", "beate"))
        await coming.close()
        await wait_for(lambda: one.hub.presence.users() == ("anna",))


async def test_the_lobby_hears_everybody_once(house: tuple[Node, Node]) -> None:
    anna, beate = house[0].connect("anna"), house[1].connect("beate")
    await anna.do(Say, "Hello!")
    await beate.until(lambda client: said(client) == ["Hello!"])
    await beate.do(Say, "Hello, Anna!")
    for client in (anna, beate):
        await client.until(lambda client: said(client) == ["Hello!", "Hello, Anna!"])


async def test_somebody_is_told_at_whichever_node_they_are(house: tuple[Node, Node]) -> None:
    here = house[0].connect("anna")
    await wait_for(lambda: house[1].hub.presence.has("anna"))
    there = house[1].connect("anna")
    for client in (here, there):
        await client.until(
            lambda client: len([each for each in client.sent if isinstance(each, Notice)]) == 1
        )
    house[1].hub.sessions.tell("anna", Text("Hello, both!"))
    for client in (here, there):
        await client.until(lambda client: Notice(Text("Hello, both!")) in client.sent)


async def test_the_home_of_a_table_is_found_by_its_identifier(house: tuple[Node, Node]) -> None:
    tables = [await house[0].connect("anna").open(GAME, 3) for _ in range(3)]
    tables += [await house[1].connect("beate").open(GAME, 3) for _ in range(3)]
    for table, home in zip(tables, (*[house[0]] * 3, *[house[1]] * 3), strict=True):
        assert [node.cluster.home_of(table) for node in house] == [home.address] * 2
