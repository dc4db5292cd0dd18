"""Nodes on one database: who is home to what."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from io import StringIO

import pytest

from kk_core.text import Text
from kk_server.storage.table_log import StorageFailed
from tests.server.postgres import Postgres
from tests.waiting import patience, wait_for, work

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.cluster.membership import PARTITIONS, Membership, partition_of, version_number

PROGRAM = """
import asyncio, sys
from kk_server.cluster.membership import Membership
from tests.server.test_membership import Tables

async def main():
    tables = Tables()
    node = Membership(sys.argv[1], sys.argv[2], "SHA256:key", tables)
    await node.start()
    said = None
    while True:
        if said != len(node.held):
            said = len(node.held)
            print(said, flush=True)
        await asyncio.sleep(0.02)

asyncio.run(main())
"""
"""A node in a process of its own, which says how much it holds."""


class Tables:
    """What a node serves."""

    def __init__(self) -> None:
        self.people: dict[int, int] = {}
        self.released: list[frozenset[int]] = []
        self.taken: list[frozenset[int]] = []
        self.lost: list[frozenset[int]] = []
        self.gone: list[str] = []
        self.new: set[int] = set()

    def weights(self) -> Mapping[int, int]:
        return self.people

    def unknown(self) -> Collection[int]:
        return self.new

    def members_changed(self, gone: Collection[str]) -> None:
        self.gone += gone

    async def come_back(self, lost: Collection[int]) -> None:
        self.lost.append(frozenset(lost))

    async def take(self, partitions: Collection[int]) -> None:
        self.taken.append(frozenset(partitions))

    async def release(self, partitions: Collection[int]) -> None:
        self.released.append(frozenset(partitions))


class Nodes:
    """Nodes of this process on one database."""

    def __init__(self, store: str) -> None:
        self.store = store
        self.all: list[Membership] = []

    async def begin(
        self, address: str, tables: Tables | None = None, version: str | None = None, key: str = "SHA256:key"
    ) -> Membership:
        node = Membership(self.store, address, key, tables or Tables(), version)
        await node.start()
        self.all.append(node)
        return node

    async def leave(self, node: Membership) -> None:
        self.all.remove(node)
        await node.close()

    def held(self) -> list[int]:
        return sorted(len(node.held) for node in self.all)

    def is_whole(self) -> bool:
        """Each partition has exactly one home, on which all agree."""
        homes = [partition for node in self.all for partition in node.held]
        tables = [f"{n:08x}" for n in range(400)]
        views = {tuple(node.home_of(table) for table in tables) for node in self.all}
        return sorted(homes) == list(range(PARTITIONS)) and len(views) == 1


@pytest.fixture
async def nodes(postgres: Postgres) -> AsyncIterator[Nodes]:
    nodes = Nodes(postgres.new_database())
    yield nodes
    for node in nodes.all:
        await node.close()


@asynccontextmanager
async def apart(store: str, address: str, held: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """A node in a process of its own, once it holds that much."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, store, address, stdout=asyncio.subprocess.PIPE
    )
    try:
        await until_held(process, held)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def until_held(process: asyncio.subprocess.Process, held: int) -> None:
    assert process.stdout is not None
    async with asyncio.timeout(patience()):
        while int(await process.stdout.readline() or "-1") != held:
            pass


async def test_a_node_alone_is_home_to_all_tables(nodes: Nodes) -> None:
    node = await nodes.begin("a:1")
    assert len(node.held) == PARTITIONS
    assert node.home_of("cafe0001") == "a:1"
    assert node.is_home("cafe0001")


async def test_a_node_with_another_host_key_is_refused_and_gets_nothing(nodes: Nodes) -> None:
    first = await nodes.begin("a:1")
    with pytest.raises(StorageFailed, match=r"another host key: copy ssh_host_ed25519_key from"):
        await nodes.begin("b:1", key="SHA256:other")
    assert first.members.keys() == {"a:1"}
    assert len(first.held) == PARTITIONS
    await nodes.leave(first)
    await nodes.begin("b:1", key="SHA256:other")


async def test_a_running_node_comes_back_even_if_one_with_a_wrong_key_was_first(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, may_join = Tables(), asyncio.Event()
    first = await nodes.begin("a:1", tables)
    join = Membership._join

    async def joined(node: Membership) -> Text | None:
        if node is first:
            await may_join.wait()
        return await join(node)

    monkeypatch.setattr(Membership, "_join", joined)
    first._hang_up()  # as when the database has restarted
    wrong = await until_begun(nodes, "b:1", "SHA256:other")
    may_join.set()
    await wait_for(lambda: tables.lost)
    await nodes.leave(wrong)
    await wait_for(lambda: len(first.held) == PARTITIONS)


async def until_begun(nodes: Nodes, address: str, key: str) -> Membership:
    """Begin a node once the database has seen that another one's connection is gone."""
    async with asyncio.timeout(patience()):
        while True:
            with suppress(StorageFailed):
                return await nodes.begin(address, key=key)


async def test_nodes_share_evenly_and_agree_on_who_is_home_to_what(nodes: Nodes) -> None:
    for address in ("a:1", "b:1", "c:1"):
        await nodes.begin(address)
    await wait_for(lambda: nodes.held() == [42, 43, 43] and nodes.is_whole())


async def test_tables_without_people_go_first_and_the_others_one_by_one(nodes: Nodes) -> None:
    tables = Tables()
    tables.people = {partition: partition for partition in range(4, PARTITIONS)}
    await nodes.begin("a:1", tables)
    await nodes.begin("b:1")
    await wait_for(lambda: len(tables.released) >= 3)
    assert tables.released[:3] == [{0, 1, 2, 3}, {4}, {5}]


async def test_what_a_node_leaves_goes_to_the_others(nodes: Nodes) -> None:
    leaving, _ = await nodes.begin("a:1"), await nodes.begin("b:1")
    await wait_for(lambda: nodes.held() == [64, 64])
    await nodes.leave(leaving)
    assert not leaving.held
    await wait_for(lambda: nodes.held() == [128])


async def test_two_nodes_cannot_have_the_same_address(nodes: Nodes) -> None:
    await nodes.begin("a:1")
    with pytest.raises(StorageFailed, match="Another server with the address a:1 is using"):
        await nodes.begin("a:1")


async def test_a_node_that_drains_takes_nothing_and_lets_go_of_all(nodes: Nodes) -> None:
    tables = Tables()
    draining, _ = await nodes.begin("a:1", tables), await nodes.begin("b:1")
    await wait_for(lambda: nodes.held() == [64, 64])
    draining.drain()
    await wait_for(lambda: nodes.held() == [0, 128] and nodes.is_whole())
    assert len(tables.taken) == 1


async def test_a_node_that_drains_alone_goes_on_until_another_comes(nodes: Nodes) -> None:
    draining = await nodes.begin("a:1")
    draining.drain()
    await wait_for(lambda: draining.members["a:1"].is_draining)
    assert len(draining.held) == PARTITIONS
    coming = await nodes.begin("b:1")
    await wait_for(lambda: len(coming.held) == PARTITIONS)


async def test_a_killed_node_is_succeeded(nodes: Nodes) -> None:
    tables = Tables()
    node = await nodes.begin("a:1", tables)
    async with apart(nodes.store, "b:1", held=64) as other:
        await wait_for(lambda: len(node.held) == 64)
        other.kill()
        await wait_for(lambda: len(node.held) == PARTITIONS)
        assert list(node.members) == ["a:1"]
        assert tables.gone == ["b:1"]


async def test_a_frozen_node_is_succeeded_and_takes_nothing_back_by_itself(nodes: Nodes) -> None:
    tables = Tables()
    node = await nodes.begin("a:1", tables)
    async with apart(nodes.store, "b:1", held=64) as other:
        other.send_signal(signal.SIGSTOP)
        await wait_for(lambda: len(node.held) == PARTITIONS)
        # busy everywhere, so that it would be long before the other had its share again
        tables.people = dict.fromkeys(range(PARTITIONS), 1)
        other.send_signal(signal.SIGCONT)
        await until_held(other, 0)
        assert not any(len(released) > 1 for released in tables.released[1:])
        assert len(node.held) + len(tables.released[1:]) == PARTITIONS


class SlowTables(Tables):
    """Reading and storing them takes longer than PostgreSQL waits for a sign of life."""

    async def take(self, partitions: Collection[int]) -> None:
        await work(4)
        await super().take(partitions)

    async def release(self, partitions: Collection[int]) -> None:
        await work(4)
        await super().release(partitions)


async def test_a_node_that_is_long_at_work_keeps_what_it_holds_and_so_does_one_that_ends(
    nodes: Nodes, journal: StringIO
) -> None:
    one, other = await nodes.begin("a:1", SlowTables()), await nodes.begin("b:1", SlowTables())
    await wait_for(lambda: nodes.held() == [64, 64] and nodes.is_whole())
    await one.stop()
    await work(4)
    assert other.members.keys() == {"a:1", "b:1"}
    assert nodes.held() == [64, 64]
    assert "node cut off" not in journal.getvalue()
    await nodes.leave(one)
    await wait_for(lambda: nodes.held() == [PARTITIONS])


async def test_after_a_lost_connection_a_node_looks_at_what_it_still_holds(
    nodes: Nodes, postgres: Postgres
) -> None:
    tables = Tables()
    node = await nodes.begin("a:1", tables)
    held = node.held
    postgres.ask(
        "psql", "-d", nodes.store.rpartition("/")[2], "-c",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'kk node %'",
    )  # fmt: skip
    await wait_for(lambda: tables.lost == [frozenset()])
    assert held == node.held


def test_the_partition_of_a_table_never_changes() -> None:
    assert [partition_of(table) for table in ("cafe0001", "00000000", "ffffffff")] == [98, 3, 33]


async def test_nodes_of_an_older_version_take_nothing_while_there_are_newer_ones(nodes: Nodes) -> None:
    first, second = await nodes.begin("a:1"), await nodes.begin("b:1")
    await wait_for(lambda: nodes.held() == [64, 64])
    newer = await nodes.begin("c:1", version="99.0.0")
    await wait_for(lambda: nodes.held() == [42, 43, 43])
    before = first.held
    second.drain()
    await wait_for(lambda: nodes.held() == [0, 43, 85])
    assert first.held == before
    await nodes.leave(second)
    newest = await nodes.begin("b:1", version="99.0.0")
    await wait_for(lambda: nodes.held() == [42, 43, 43])
    await wait_for(nodes.is_whole)
    await nodes.leave(newest)
    await wait_for(lambda: (len(first.held), len(newer.held)) == (43, 85))
    await nodes.leave(newer)
    await wait_for(lambda: len(first.held) == PARTITIONS)


async def test_an_older_node_leaves_what_it_does_not_know_to_newer_ones(nodes: Nodes) -> None:
    tables = Tables()
    older = await nodes.begin("a:1", tables)
    tables.new = {3, 4}
    await wait_for(lambda: len(older.held) == PARTITIONS)
    newer = await nodes.begin("b:1", version="99.0.0")
    await wait_for(lambda: {3, 4} <= newer.held and nodes.is_whole())


VERSIONS = ("0.1.0", "0.2.0", "0.10.0", "1.0.0.dev3", "1.0.0", "1.0.1rc1", "1.0.1", "1.1b2", "1.1")


def test_versions_are_compared_by_their_numbers() -> None:
    numbers = [version_number(version) for version in VERSIONS]
    assert numbers == sorted(set(numbers))
    assert version_number("1.2") == version_number("1.2.0")
