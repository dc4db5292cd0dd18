"""Whoever is waited for is told so where he is."""

from __future__ import annotations

import pytest

from kk_core.protocol.messages import GoTo, Notice, OpenTable, Propose, Vote
from kk_core.text import Text
from kk_server.accounts.names import AT_HOME
from kk_server.hub.hub import Hub
from kk_server.tables.place import Subscriber
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.test_owners import table_of


def calls(client: Client) -> list[tuple[str, str | None]]:
    """The sentences that lead to a table."""
    notices = (message for message in client.sent if isinstance(message, Notice))
    return [(str(notice.text), notice.table) for notice in notices if notice.table is not None]


async def test_who_sits_at_a_table_and_is_elsewhere_is_told_that_the_match_has_begun(
    connect: Connect,
) -> None:
    anna, beate, carl = await table_of(connect, "anna", "beate", "carl")
    table = anna.table.id
    await beate.go_to(None)
    await anna.start()
    await beate.until(lambda c: calls(c) == [("Your turn at anna.", table)])
    assert calls(anna) == calls(carl) == []


async def test_who_is_elsewhere_is_told_of_each_turn_once_and_who_looks_at_the_table_is_not(
    connect: Connect,
) -> None:
    anna, beate = connect("anna"), connect("beate")
    table = await anna.open("land_cards", 3)
    await beate.go_to(table)
    await anna.sit(0, 2)
    await beate.sit(1)
    await beate.go_to(None)
    await anna.start()
    await beate.until(lambda c: calls(c) == [("The match at anna has begun.", table)])
    await anna.look(0)
    while anna.observation.active == (0,):
        await anna.play(0, anna.observation.legal_moves[0])
    await beate.until(lambda c: len(calls(c)) == 2)
    assert calls(beate)[1] == ("Your turn at anna.", table)
    assert calls(anna) == []


async def test_a_turn_that_goes_on_is_told_of_no_second_time(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.start()
    await beate.go_to(None)
    await anna.play(0, anna.observation.legal_moves[0])
    await anna.until(lambda c: c.match.ply == 1)
    assert calls(beate) == []  # it was Beate's turn all the time


async def test_who_leaves_in_their_turn_and_goes_to_another_table_is_called_from_there(
    connect: Connect,
) -> None:
    anna, carl = connect("anna"), connect("carl")
    own = await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    other = await carl.open("land_cards", 3)
    await anna.go_to(None)
    assert calls(anna) == [], "the lobby lists it"
    await anna.go_to(other)
    await anna.until(lambda c: calls(c) == [("Your turn at anna.", own)])
    await anna.go_to(own)
    await anna.go_to(other)
    await anna.until(lambda c: len(calls(c)) == 2)
    await anna.close()
    assert calls(carl) == []


async def test_at_home_nobody_is_called_from_a_table_to_another_one(connect: Connect, hub: Hub) -> None:
    anna = connect(AT_HOME)
    await anna.open("land_cards", 3)
    other = await hub.open_table(AT_HOME, OpenTable(0, "ku_ka_king", {}, 2))
    for seat, name in enumerate(("Anna", "Beate")):
        await other.take_seat(AT_HOME, seat, name)
    await other.start(AT_HOME)
    await anna.sit(0, 1, 2)
    assert calls(anna) == []


async def test_who_looks_at_their_table_is_not_called_there_by_another_session_of_theirs(
    connect: Connect,
) -> None:
    anna, also_anna, carl = connect("anna"), connect("anna"), connect("carl")
    await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    other = await carl.open("land_cards", 3)
    await also_anna.go_to(other)
    await also_anna.go_to(None)
    assert calls(anna) == calls(also_anna) == []


async def test_whose_next_table_is_closed_while_they_leave_the_last_one_is_not_called_in_the_lobby(
    connect: Connect, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, carl = connect("anna"), connect("carl")
    await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    other, left = await carl.open("land_cards", 3), await connect("dora").open("land_cards", 3)
    await anna.go_to(left)
    before = len(calls(anna))
    leave = hub.tables[left].leave

    async def close_the_other(subscriber: Subscriber) -> None:
        await leave(subscriber)
        await hub.tables[other].close_by_host(Text("Closed."))

    monkeypatch.setattr(hub.tables[left], "leave", close_the_other)
    await anna.do(GoTo, other)
    assert anna.lobby
    assert len(calls(anna)) == before, "the lobby lists it"


async def test_whose_answer_is_wanted_and_who_looks_elsewhere_is_called(connect: Connect) -> None:
    anna, beate, carl = await table_of(connect, "anna", "beate", "carl")
    table = anna.table.id
    await anna.start()
    await beate.go_to(None)
    beate.sent.clear()
    await anna.do(Propose, "abort")
    await beate.until(lambda c: calls(c) == [("anna has made a proposal at anna.", table)])
    await carl.do(Vote, True)
    await beate.go_to(table)
    await beate.do(Vote, True)
    await anna.until(lambda c: c.table.phase == "open")
    assert calls(carl) == calls(anna) == []
    assert len(calls(beate)) == 1
