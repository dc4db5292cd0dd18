"""Talk, votes and shuffles stay with a table, whoever serves it next."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kk_core.protocol.messages import Contribute, Join, OpenTable, Propose, Refused, Say, Vote
from kk_core.text import text
from kk_core.views import CHAT_SLOTS
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.entries import Started
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.summaries import Summary
from kk_server.storage.table_log import StorageFailed, keep_data_of
from kk_server.tables.chat import Audience, Chat
from kk_server.tables.transient import TransientState, decode_transient, encode_transient
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.playing import finish
from tests.server.postgres import Postgres
from tests.server.test_kill import greeted
from tests.server.test_ratings import rated_match
from tests.server.test_storage import Slow, rating_hub
from tests.waiting import patience, rest, wait_for

GAME = "ku_ka_king"


@asynccontextmanager
async def served(path: Path, times: Timeouts | None = None) -> AsyncIterator[Hub]:
    """A server over a file that is stopped at the end."""
    hub = Hub(await open_log(path / "log.sqlite"), bot_pause=0, limits=PLENTY, times=times)
    await hub.load()
    yield hub
    await hub.close()


async def at_table(*clients: Client, is_private: bool = False) -> str:
    """A table of the first, with a seat for each."""
    await clients[0].do(OpenTable, GAME, {}, max(2, len(clients)), "Ours", False, is_private)
    for seat, client in enumerate(clients):
        await (client.do(Join, clients[0].table.code) if is_private else client.go_to(clients[0].table.id))
        await client.sit(seat)
    return clients[0].table.id


def said(client: Client) -> list[str]:
    return [str(line.words) for line in client.table.chat.recent()]


async def test_what_was_said_and_proposed_at_a_table_survives_a_restart(tmp_path: Path) -> None:
    async with served(tmp_path) as hub:
        anna, beate = (Client(hub.connect(user)) for user in ("anna", "beate"))
        table = await at_table(anna, beate)
        await anna.start()
        await anna.do(Say, "Good evening")
        await anna.do(Propose, "abort")
        before = anna.table.proposal
    async with served(tmp_path) as hub:
        beate = Client(hub.connect("beate"))
        await beate.go_to(table)
        assert said(beate) == ["Good evening"]
        assert beate.table.proposal == before
        anna = Client(hub.connect("anna"))
        await beate.do(Vote, True)
        await anna.go_to(table)
        assert anna.table.phase == "open"


async def test_who_does_not_come_back_after_a_restart_is_waited_for_no_more(tmp_path: Path) -> None:
    async with served(tmp_path) as hub:
        clients = [Client(hub.connect(user)) for user in ("anna", "beate", "carl")]
        table = await at_table(*clients)
        await clients[0].start()
        await clients[0].do(Propose, "abort")
        await clients[1].do(Vote, True)
    async with served(tmp_path, Timeouts(vote=0.2)) as hub:
        anna = Client(hub.connect("anna"))
        await anna.go_to(table)
        await anna.until(lambda client: client.table.phase == "open")


async def test_who_is_asked_something_new_after_a_restart_is_waited_for_as_ever(tmp_path: Path) -> None:
    hub = await rating_hub(tmp_path)
    anna, _ = await rated_match(lambda user: Client(hub.connect(user)), "anna", "beate")
    table = anna.table.id
    await anna.do(Propose, "abort")
    await hub.close()
    hub = await rating_hub(tmp_path)
    anna = Client(hub.connect("anna"))
    await anna.go_to(table)
    await anna.do(Vote, False)
    await anna.do(Propose, "abort")
    before = anna.table.proposal
    # as when the time to vote on the first one is over
    await hub.tables[table].miss_voters()
    await anna.do(Say, "Still here")
    assert anna.table.proposal == before
    assert anna.table.phase == "playing"
    await hub.close()


async def test_the_next_shuffle_survives_a_restart_and_guests_are_asked_for_their_code_again(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as hub:
        anna, beate, guest = (Client(hub.connect(user)) for user in ("anna", "beate", "~carl"))
        table = await at_table(anna, beate, is_private=True)
        await guest.do(Join, anna.table.code)
        await beate.do(Contribute, b"b" * 32)
        await anna.until(lambda client: client.table.shuffle.added == ("beate",))
        before = anna.table.shuffle
    async with served(tmp_path) as hub:
        anna, guest = (Client(hub.connect(user)) for user in ("anna", "~carl"))
        await anna.go_to(table)
        assert anna.table.shuffle == before
        assert guest.lobby.own == ()


async def test_no_bytes_of_the_host_are_used_for_two_matches_even_after_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise StorageFailed(text("The disk is full."))

    async with served(tmp_path) as hub:
        anna, beate = (Client(hub.connect(user)) for user in ("anna", "beate"))
        table = await at_table(anna, beate)
        await beate.do(Contribute, b"b" * 32)
        await anna.until(lambda client: client.table.shuffle.added == ("beate",))
        await hub.table_cache.tidy()
        # as in a crash, nothing is stored any more but entries
        monkeypatch.setattr(SqlLog, "keep_transients", refuse)
        await anna.start()
        used = anna.match.commitment
        await finish(anna, beate)
    monkeypatch.undo()
    async with served(tmp_path) as hub:
        anna, beate = (Client(hub.connect(user)) for user in ("anna", "beate"))
        await anna.go_to(table)
        assert (next_one := anna.table.shuffle) is not None
        assert (next_one.added, next_one.commitment != used) == ((), True)
        await beate.go_to(table)
        await anna.do(Propose, "rematch")
        await beate.do(Propose, "rematch")
        await anna.until(lambda client: client.table.phase == "playing")
        assert anna.match.commitment != used


async def test_no_bytes_of_the_host_are_used_for_two_matches_even_if_a_start_was_not_waited_for() -> None:
    log = Slow()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = Client(hub.connect("anna"))
    table = hub.tables[await at_table(anna, Client(hub.connect("beate")))]
    before = table.shuffle.host_seed
    log.asked.clear()
    log.is_done.clear()
    beginning = asyncio.create_task(table.start("anna"))
    await log.asked.wait()
    beginning.cancel()
    log.is_done.set()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    assert table.state.matches == 1
    assert table.shuffle.host_seed != before
    await hub.close()


async def test_a_table_that_another_node_has_begun_a_match_at_has_other_bytes_for_the_next() -> None:
    log = MemoryLog()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = Client(hub.connect("anna"))
    table = hub.tables[await at_table(anna, Client(hub.connect("beate")))]
    before = table.shuffle.host_seed
    rules = table.state.rules
    kept, drawing = await keep_data_of(log, rules, rules.drawing)
    begun = Started(before.hex(), rules.rules_version, table.state.seats, kept, drawing=drawing)
    await log.append(table.id, table.state.revision, begun)
    await table.follow_log()
    assert table.state.matches == 1
    assert table.shuffle.host_seed != before
    await hub.close()


class Held(MemoryLog):
    """A log that stores summaries and what is said only once `may_store` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_store = asyncio.Event(), asyncio.Event()
        self.may_store.set()

    async def keep_transients(self, states: Mapping[str, tuple[int, str] | None]) -> None:
        await self._may_store()
        await super().keep_transients(states)

    async def keep_summaries(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        await self._may_store()
        await super().keep_summaries(summaries)

    async def _may_store(self) -> None:
        self.asked.set()
        may_store, self.may_store = self.may_store, asyncio.Event()
        self.may_store.set()
        await may_store.wait()


async def test_of_two_that_store_what_is_said_at_once_the_later_one_stores_it_last() -> None:
    log = Held()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = Client(hub.connect("anna"))
    table = await at_table(anna, Client(hub.connect("beate")))
    await anna.do(Say, "Good evening")
    log.asked.clear()
    log.may_store = may_store = asyncio.Event()
    first = asyncio.create_task(hub.table_cache.keep_transients())
    await log.asked.wait()
    await anna.do(Say, "Still here")
    second = asyncio.create_task(hub.table_cache.keep_transients())
    await rest()
    may_store.set()
    await asyncio.gather(first, second)
    assert "Still here" in (await log.transients([table]))[table]
    await hub.close()


@pytest.mark.parametrize("what", ["keep_summaries", "keep_transients"])
async def test_nothing_stays_in_memory_of_a_table_that_is_closed_while_its_state_is_stored(what: str) -> None:
    log = Held()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna = Client(hub.connect("anna"))
    table = await at_table(anna, Client(hub.connect("beate")))
    log.asked.clear()
    log.may_store = may_store = asyncio.Event()
    storing = asyncio.create_task(getattr(hub.table_cache, what)())
    await log.asked.wait()
    await hub.tables[table].close_by_host(text("Closed."))
    may_store.set()
    await storing
    assert not hub.table_cache._kept
    assert not hub.table_cache._kept_transients
    await hub.table_cache.tidy()
    assert await log.transients([table]) == {}
    await hub.close()


async def test_a_node_that_was_frozen_does_not_overwrite_what_was_said_elsewhere_and_follows_it() -> None:
    log = MemoryLog()
    frozen, home, next_home = (Hub(log, bot_pause=0, limits=PLENTY) for _ in range(3))
    anna = Client(frozen.connect("anna"))
    table = await at_table(anna, Client(frozen.connect("beate")))
    await anna.do(Say, "Good evening")
    await frozen.table_cache.tidy()
    await home.load()
    there = Client(home.connect("anna"))
    await there.go_to(table)
    await there.do(Say, "Still here")
    await home.table_cache.tidy()
    await anna.do(Say, "Where is everybody?")
    await frozen.table_cache.tidy()
    await next_home.load()
    found = Client(next_home.connect("anna"))
    await found.go_to(table)
    assert said(found) == ["Good evening", "Still here"]
    # it may be home again
    await frozen.table_cache.refresh()
    await anna.until(lambda client: said(client) == ["Good evening", "Still here"])
    await anna.do(Say, "Here again")
    await frozen.table_cache.tidy()
    assert "Here again" in (await log.transients([table]))[table]
    for hub in (frozen, home, next_home):
        await hub.close()


async def test_what_was_said_at_a_table_goes_with_it(tmp_path: Path) -> None:
    async with served(tmp_path) as hub:
        anna = Client(hub.connect("anna"))
        table = await at_table(anna, Client(hub.connect("beate")))
        await anna.do(Say, "Good evening")
        await hub.table_cache.tidy()
        log = hub.table_cache._log
        assert "Good evening" in (await log.transients([table]))[table]
        await hub.tables[table].close_by_host(text("Closed."))
        await hub.table_cache.tidy()
        assert await log.transients([table]) == {}


def test_each_audience_finds_what_it_has_heard() -> None:
    chat = Chat(lambda: 5)
    for number in range(CHAT_SLOTS):
        chat.say("anna", "Anna", f"a{number}", Audience.PLAYERS)
        chat.say("eve", "eve", f"e{number}", Audience.WATCHERS)
    chat.say("anna", "Anna", "all")
    again = Chat(lambda: 6, chat.state)
    for audience in Audience:
        assert again.view(audience) == chat.view(audience)
    for each in (chat, again):
        each.say("anna", "Anna", "more", Audience.PLAYERS)
        each.join()
    assert [line.words for line in again.view().recent()] == [line.words for line in chat.view().recent()]


def test_what_cannot_be_read_is_left_out() -> None:
    assert decode_transient("") is None
    assert decode_transient('{"host_seed": 5}') is None
    state = TransientState(1, 1, b"1" * 32, {"anna": b"2"})
    assert decode_transient(encode_transient(state)) == state


# -- nodes ---------------------------------------------------------------------------------------------------


async def test_talk_and_votes_go_with_a_table_to_another_node(postgres: Postgres) -> None:
    pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")
    from tests.server.nodes import nodes

    async with nodes(postgres.new_database()) as (one, other):
        anna, beate = one.connect("anna"), other.connect("beate")
        table = await at_table(beate, anna)
        await beate.start()
        await beate.do(Say, "Good evening")
        await anna.do(Propose, "abort")
        await beate.until(lambda client: client.table.proposal is not None)
        other.cluster.drain()
        await wait_for(lambda: table in one.hub.tables)
        await anna.do(Say, "Still here")
        for client in (anna, beate):
            await client.until(lambda client: said(client) == ["Good evening", "Still here"])
        await beate.do(Vote, True)
        await anna.until(lambda client: client.table.phase == "open")


async def test_a_guest_who_was_let_in_may_enter_wherever_the_table_is_served(postgres: Postgres) -> None:
    pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")
    from tests.server.nodes import begin_node, nodes

    store = postgres.new_database()
    async with nodes(store) as (one, other):
        beate, guest = other.connect("beate"), one.connect("~carl")
        table = await at_table(beate, is_private=True)
        await wait_for(lambda: table in one.hub.table_cache)
        await guest.do(Join, beate.table.code)
        await guest.go_to(None)
        await guest.until(lambda client: [line.id for line in client.lobby.own] == [table])
        coming = await begin_node(store)
        one.cluster.drain()
        other.cluster.drain()
        await wait_for(lambda: table in coming.hub.tables)
        await guest.go_to(table)
        await coming.close()


async def test_a_node_that_hears_of_a_guest_first_looks_up_whether_the_table_is_open() -> None:
    log = MemoryLog()
    home, other = (Hub(log, bot_pause=0, limits=PLENTY) for _ in range(2))
    await other.load()
    anna = Client(home.connect("anna"))
    table = await at_table(anna, Client(home.connect("beate")), is_private=True)
    await other.table_cache.admit(table, ["~carl"])
    assert dict(other.table_cache.admissions) == {table: {"~carl"}}
    await home.tables[table].close_by_host(text("Closed."))
    other.table_cache.drop(table)
    await other.table_cache.admit(table, ["~carl"])
    assert dict(other.table_cache.admissions) == {}
    for hub in (home, other):
        await hub.close()


@pytest.mark.e2e
async def test_what_was_said_a_second_before_a_node_was_killed_is_found_at_the_next(
    tmp_path: Path, postgres: Postgres
) -> None:
    pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")
    from kk_server.storage.postgres import open_postgres
    from tests.server.test_served_nodes import opened_at, processes, until_there

    store = postgres.new_database()
    log = SqlLog(await open_postgres(store))
    async with processes(tmp_path, store) as (one, other):
        anna, beate = await greeted(one.port, "anna"), await greeted(other.port, "beate")
        table = await opened_at(beate)
        await until_there(anna, table)
        await anna.do(Say, "Good evening")
        async with asyncio.timeout(patience()):
            while "Good evening" not in (await log.transients([table])).get(table, ""):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await other.end(signal.SIGKILL)
        # what the node was asked in its last moment is refused
        async with asyncio.timeout(patience()):
            while isinstance(await anna.ask(Say, "Still here"), Refused):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)
        await anna.until(lambda client: said(client) == ["Good evening", "Still here"])
    await log.close()
