"""Everybody in the lobby is told of what they see there, and the less often of others the more there are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kk_core.protocol.messages import (
    MOST_LINES,
    PROTOCOL_VERSION,
    Browse,
    Delta,
    Find,
    Found,
    Hello,
    OpenTable,
    Say,
    Snapshot,
)
from kk_core.tree import patch
from kk_core.views import TableLine, lobby_tree
from kk_server.hub import pacing
from kk_server.hub.directory import Directory
from kk_server.hub.hub import Hub
from kk_server.hub.lobby import NAMES
from kk_server.hub.pacing import Batches, Throttle
from kk_server.tables.place import Viewpoint, Window
from kk_server.tables.table import Table
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import retitle
from tests.waiting import Clock, rest

GAME = "ku_ka_king"


class Looker:
    """Somebody who looks, and counts how often they are told that there is something new."""

    asked_at = 0.0

    def __init__(self, user: str = "eve", window: Window = Window()) -> None:  # noqa: B008 - it never changes
        self.user = user
        self.window = window
        self.told = 0

    def changed(self) -> None:
        self.told += 1

    def notify(self, *_: object) -> None:
        raise AssertionError

    send_away = follow = notify


def look(hub: Hub, looker: Looker) -> None:
    """Somebody comes to the lobby, and sees what there is."""
    hub.lobby.enter(looker)
    hub.lobby.tree(Viewpoint(looker.user, None, looker.window))


async def opened(hub: Hub, user: str, title: str, **more: Any) -> Table:
    """A table that somebody opens and sits down at."""
    table = await hub.open_table(user, OpenTable(0, GAME, {}, 2, title, **more))
    await table.take_seat(user, 0, "")
    return table


async def begun(hub: Hub, user: str, title: str, **more: Any) -> Table:
    """A match of somebody on both seats."""
    table = await opened(hub, user, title, **more)
    await table.take_seat(user, 1, "")
    await table.start(user, bytes(32))
    return table


async def move(table: Table) -> None:
    """The first legal move of whoever is to move."""
    assert table.match is not None
    game, state = table.match.game, table.match.state
    seat = game.active_seats(state)[0]
    await table.play(table.state.owner, seat, len(table.match.plies), game.legal_moves(state, seat)[0])


def titles(client: Client) -> list[str]:
    return [line.title for line in client.lobby.tables]


# -- how often, and how many at once -------------------------------------------------------------------------


async def test_the_first_change_is_told_at_once_and_further_ones_together_after_a_pause() -> None:
    clock, told = Clock(), list[str]()
    throttle = Throttle(lambda: told.append("told"), lambda: 0.25)
    throttle.want()
    assert len(told) == 1
    for _ in range(20):
        throttle.want()
        await clock.forward(0.01)
    assert len(told) == 1
    await clock.forward(0.05)
    assert len(told) == 2


async def test_many_are_told_a_few_at_a_time_and_those_first_whom_it_concerns() -> None:
    clock, told = Clock(), list[int]()
    portions = Batches[int](told.append)
    portions.add(range(100))
    assert 0 < len(told) <= pacing._MOST
    portions.add([99, 98], first=True)
    portions.add([97])
    before = len(told)
    await clock.forward(0.004)
    assert told[before : before + 2] == [99, 98]
    await clock.forward(1)
    assert sorted(told) == list(range(100))


async def test_a_lobby_that_many_look_at_is_told_of_others_less_often(hub: Hub) -> None:
    for number in range(20):
        hub.lobby.enter(Looker(f"p{number}"))
    assert hub.lobby.pause() == 0.25
    for number in range(20, 400):
        hub.lobby.enter(Looker(f"p{number}"))
    assert hub.lobby.pause() == 2.0


async def test_of_many_who_come_at_once_those_in_the_lobby_are_told_together(
    hub: Hub, connect: Connect
) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.users == ("anna",))
    anna.sent.clear()
    begun = asyncio.get_running_loop().time()
    others = [connect(f"p{number:02}") for number in range(30)]
    for other in others:
        await other.ask(Hello, PROTOCOL_VERSION)
    await anna.until(lambda c: len(c.lobby.users) == 31)
    seconds = asyncio.get_running_loop().time() - begun
    assert sum(isinstance(message, Delta) for message in anna.sent) <= 10 + 4 * seconds
    assert len(hub.presence.users()) == 31


async def test_of_very_many_only_some_are_named_and_all_counted(hub: Hub, connect: Connect) -> None:
    for number in range(60):
        hub.presence.come(f"p{number:02}")
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.here == 61)
    assert len(anna.lobby.users) == NAMES
    assert anna.lobby.users[:2] == ("anna", "p00")


async def test_who_comes_or_goes_changes_the_lines_of_all_their_tables_in_one_go(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many they are, nobody's tables are looked through for each of them."""
    anna, eve = Looker("anna"), Looker("eve")
    for number in range(8):
        await (await opened(hub, "anna", f"Number {number}.")).take_seat("eve", 1, "")
    for looker in (anna, eve):
        look(hub, looker)
    await rest()
    done = {"of": 0, "lobby_tree": 0}
    of = Directory.of

    def looked_through(directory: Directory, user: str) -> tuple[str, ...]:
        done["of"] += 1
        return of(directory, user)

    def made(**parts: Any) -> Any:
        done["lobby_tree"] += 1
        return lobby_tree(**parts)

    monkeypatch.setattr(Directory, "of", looked_through)
    monkeypatch.setattr("kk_server.hub.lobby.lobby_tree", made)
    hub.lobby.presence_changed("anna")
    await rest()
    assert done == {"of": 1, "lobby_tree": 1}


async def test_who_comes_to_the_lobby_sees_it_as_it_is_whenever_others_are_told(connect: Connect) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.users == ("anna",))
    for number in range(5):
        other = connect(f"p{number}")
        await other.until(lambda c, name=f"p{number}": name in c.lobby.users)
        assert len(other.trees) == 1


async def test_what_somebody_in_the_lobby_has_asked_for_he_sees_before_the_answer(connect: Connect) -> None:
    anna = connect("anna")
    for words in ("one", "two", "three"):
        await anna.do(Say, words)
        assert words in str(anna.lobby.chat)


# -- who is told ---------------------------------------------------------------------------------------------


async def test_nobody_is_told_of_a_move_at_a_table_that_is_not_in_their_window(hub: Hub) -> None:
    tables = [await begun(hub, f"p{number}", f"Table {number}") for number in range(6)]
    near, far = Looker("eve", Window(0, 3)), Looker("dora", Window(3, 3))
    for looker in (near, far):
        look(hub, looker)
    await rest()
    near.told = far.told = 0
    before = hub.lobby.tree(Viewpoint("eve", None, near.window))
    await move(tables[5])
    await rest()
    assert (near.told, far.told) == (0, 1)
    assert hub.lobby.tree(Viewpoint("eve", None, near.window)) is before


async def test_nobody_is_told_of_a_move_that_changes_nothing_in_the_line(hub: Hub) -> None:
    table = await begun(hub, "ben", "Friday")
    eve = Looker("eve")
    look(hub, eve)
    await rest()
    eve.told = 0
    hub.lobby.changed(table.id)
    await rest()
    assert eve.told == 0


async def test_a_line_is_made_once_for_a_move_whoever_sees_it(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(hub, "ben", "Friday")
    for user in ("ben", "eve"):
        look(hub, Looker(user))
    await rest()
    made, line = list[str](), Table.line

    def counted(table: Table) -> TableLine:
        made.append(table.id)
        return line(table)

    monkeypatch.setattr(Table, "line", counted)
    await move(table)
    (own,), (others,) = (hub.lobby.view(Viewpoint(user)).tables for user in ("ben", "eve"))
    await rest()
    assert made == [table.id]
    assert (own.at, others.at) == (table.at, 0)
    assert own.seats == others.seats


async def test_what_concerns_somebody_they_are_told_at_once_and_others_after_the_pause(hub: Hub) -> None:
    table = await begun(hub, "ben", "Friday")
    await rest()
    clock = Clock()
    ben, eve = Looker("ben"), Looker("eve")
    for looker in (ben, eve):
        look(hub, looker)
    await clock.forward(1)
    await move(table)  # both are told, and a pause begins
    ben.told = eve.told = 0
    await move(table)
    assert (ben.told, eve.told) == (1, 0)
    await clock.forward(0.25)
    assert (ben.told, eve.told) == (1, 1)


async def test_a_change_that_is_the_same_for_many_is_worked_out_once(hub: Hub) -> None:
    lobby = hub.lobby
    before = {user: lobby.tree(Viewpoint(user)) for user in ("anna", "beate")}
    hub.presence.come("carl")
    lobby.presence_changed("carl")
    steps = [lobby.step(tree, Viewpoint(user)) for user, tree in before.items()]
    assert steps[0].patch is steps[1].patch
    assert steps[0].patch != {}
    hub.presence.go("carl")


async def test_who_reads_slowly_gets_all_that_has_changed_and_what_others_were_told_is_forgotten(
    hub: Hub,
) -> None:
    lobby, view = hub.lobby, Viewpoint("anna")
    before = tree = lobby.tree(view)
    for user in ("carl", "dora", "emil"):
        hub.presence.come(user)
        lobby.presence_changed(user)
        tree = patch(tree, lobby.step(tree, view).patch)
        assert tree == lobby.tree(view)
        assert patch(before, lobby.step(before, view).patch) == tree
    (shared,) = lobby._shared.values()
    assert len(shared.steps) <= 2
    for user in ("carl", "dora", "emil"):
        hub.presence.go(user)


async def test_who_has_seen_all_is_sent_nothing(hub: Hub) -> None:
    anna = Client(hub.connect("anna"))
    await anna.ask(Hello, PROTOCOL_VERSION)
    anna.sent.clear()
    await anna.ask(Hello, PROTOCOL_VERSION)
    assert [type(message).__name__ for message in anna.sent] == ["Welcome"]
    await anna.link.close()


# -- windows -------------------------------------------------------------------------------------------------


async def test_a_window_shows_open_tables_first_and_then_matches_the_oldest_first(
    hub: Hub, connect: Connect
) -> None:
    for number in range(3):
        await begun(hub, f"p{number}", f"match {number}")
        await opened(hub, f"q{number}", f"open {number}")
    eve = connect("eve")
    await eve.do(Browse, 0, MOST_LINES)
    assert titles(eve) == ["open 0", "open 1", "open 2", "match 0", "match 1", "match 2"]
    await eve.do(Browse, 2, 2)
    assert titles(eve) == ["open 2", "match 0"]
    for shows, wanted, total in (
        ("open", ["open 1", "open 2"], 3),
        ("playing", ["match 1", "match 2"], 3),
        ("own", [], 0),
    ):
        await eve.do(Browse, 1, 5, shows)
        assert (titles(eve), eve.lobby.total, eve.lobby.shows) == (wanted, total, shows)
    await eve.do(Browse, 2**32, 1)
    assert (titles(eve), eve.lobby.total) == ([], 6)


async def test_ones_own_tables_are_in_every_window_and_not_among_the_others(
    hub: Hub, connect: Connect
) -> None:
    for user in ("anna", "ben", "carla", "ben", "dora"):
        await opened(hub, user, f"of {user}")
    ben = connect("ben")
    await ben.do(Browse, 1, 1)
    assert sorted(line.title for line in ben.lobby.own) == ["of ben", "of ben 2"]
    assert [line.title for line in ben.lobby.others] == ["of carla"]
    assert ben.lobby.total == 3


async def test_a_window_of_which_nobody_knows_what_it_shows_is_refused(connect: Connect) -> None:
    eve = connect("eve")
    assert "not 'everything'" in await eve.refused(Browse, 0, 8, "everything")
    assert eve.lobby.shows == "all"


async def test_lines_come_and_go_in_a_window_as_tables_do(hub: Hub, connect: Connect) -> None:
    eve = connect("eve")
    await eve.do(Browse, 0, 2)
    first = await opened(hub, "anna", "first")
    await opened(hub, "ben", "second")
    await opened(hub, "carla", "third")
    await eve.until(lambda c: titles(c) == ["first", "second"] and c.lobby.total == 3)
    await first.leave_seat("anna", 0)
    await hub.close_table("anna", first.id)
    await eve.until(lambda c: titles(c) == ["second", "third"] and c.lobby.total == 2)


async def test_a_session_that_leaves_leaves_nothing_of_its_window(hub: Hub) -> None:
    await begun(hub, "ben", "Friday")
    for first in range(20):
        client = Client(hub.connect(f"p{first}"))
        await client.do(Browse, first, 3)
        await client.close()
    await rest()
    lobby = hub.lobby
    assert (len(lobby.subscribers), len(lobby._shared), len(lobby._lines), len(lobby._seen_by)) == (
        0,
        0,
        0,
        0,
    )


# -- what is asked for ---------------------------------------------------------------------------------------


async def found(client: Client, words: str) -> Found:
    reply = await client.ask(Find, words)
    assert isinstance(reply, Found)
    return reply


async def test_a_table_is_found_by_its_title_or_a_person_however_far_down_it_stands(
    hub: Hub, connect: Connect
) -> None:
    for number in range(MOST_LINES + 10):
        await opened(hub, f"p{number}", f"Evening {number:03}")
    last = await opened(hub, "~Zoe", "Friday night")
    eve = connect("eve")
    for words in ("friday NIGHT", "frid", "zoe"):
        assert (await found(eve, words)).table == last.id
    several = await found(eve, "evening")
    assert (several.table, several.n) == (None, MOST_LINES + 10)
    assert several.titles == ("Evening 000", "Evening 001", "Evening 002")
    assert (await found(eve, "Monday")).table is None
    assert [(await found(eve, words)).name for words in ("EVE is rude", "zoe")] == ["EVE", ""]


async def test_who_searches_without_end_has_to_wait(connect: Connect) -> None:
    eve = connect("eve")
    for _ in range(10):
        await found(eve, "Friday")
    assert "You are searching too fast" in await eve.refused(Find, "Friday")


# -- secrets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shows", ["all", "open", "playing", "own"])
async def test_nothing_tells_a_stranger_of_a_private_table(hub: Hub, connect: Connect, shows: str) -> None:
    await opened(hub, "carla", "For all")
    eve, ben = connect("eve"), connect("ben")
    await eve.do(Browse, 0, MOST_LINES, shows)
    await eve.until(lambda c: c.lobby.here == 2)
    await rest()
    total = eve.lobby.total
    eve.sent.clear()
    table = await begun(hub, "ben", "Zeppelin", private=True)
    await move(table)
    await ben.until(lambda c: titles(c)[:1] == ["Zeppelin"])
    await rest()
    assert eve.sent == []
    await eve.do(Browse, 0, MOST_LINES - 1, shows)
    assert (eve.lobby.total, "Zeppelin" in titles(eve)) == (total, False)
    for words in ("Zeppelin", "Zep", "ben"):
        reply = await found(eve, words)
        assert (reply.table, reply.titles, reply.n) == (None, (), 0)
    assert not any("Zeppelin" in str(message) or table.id in str(message) for message in eve.sent)
    await table.let_in("eve")
    await eve.until(lambda c: titles(c)[:1] == ["Zeppelin"])
    assert (eve.lobby.total, (await found(eve, "zep")).table) == (total, table.id)


async def test_of_a_resync_comes_the_window_that_one_looks_through(hub: Hub, connect: Connect) -> None:
    for user in "abcd":
        await opened(hub, user, f"of {user}")
    eve = connect("eve")
    await eve.do(Browse, 1, 2)
    await eve.go_to(hub.table_cache.ids()[0])
    await eve.go_to(None)
    assert isinstance(next(m for m in reversed(eve.sent) if isinstance(m, Snapshot | Delta)), Snapshot)
    assert titles(eve) == ["of b", "of c"]


async def test_of_tables_with_one_title_the_one_that_is_not_over_is_found_and_each_by_a_title_of_its_own(
    hub: Hub, connect: Connect
) -> None:
    over, friday = await begun(hub, "ben", "Friday"), await begun(hub, "carl", "Friday")
    second = await opened(hub, "dora", "Friday")
    retitle(hub, friday, "Friday")
    assert second.state.created.title == "Friday 3"
    while over.state.phase == "playing":
        await move(over)
    assert over.state.phase == "finished"
    eve = connect("eve")
    assert [(await found(eve, words)).table for words in ("friday", "Friday 3")] == [friday.id, second.id]
    await friday.close_for("carl")
    assert (await found(eve, "Friday")).table == over.id
