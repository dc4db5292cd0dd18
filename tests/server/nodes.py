"""Nodes of a cluster in one process, each with a hub of its own, on one database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from kk_server.cluster.cluster import Cluster
from kk_server.cluster.membership import PARTITIONS
from kk_server.hub.hub import Hub
from kk_server.storage.postgres import open_postgres
from kk_server.storage.sql_log import SqlLog
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.ports import free_address as free_address
from tests.server.remote import key_of
from tests.waiting import wait_for


class Node:
    """A hub among others."""

    def __init__(self, hub: Hub, cluster: Cluster, address: str) -> None:
        self.hub = hub
        self.cluster = cluster
        self.address = address

    def connect(self, user: str) -> Client:
        return Client(self.hub.connect(user))

    async def close(self) -> None:
        await self.hub.close()
        await self.cluster.close()


async def begin_node(store: str, **settings: Any) -> Node:
    """A node that has joined the others."""
    log, address = SqlLog(await open_postgres(store)), free_address()
    cluster = Cluster(store, address, key_of("host"), log)
    hub = Hub(log, bot_pause=0, limits=PLENTY, nodes=cluster, **settings)
    await hub.load()
    await cluster.start(hub)
    return Node(hub, cluster, address)


def have_shared(nodes: Sequence[Node]) -> bool:
    """Whether all have their share, and agree on who is home to what."""
    views = {tuple(node.cluster.home_of(f"{n:08x}") for n in range(400)) for node in nodes}
    return len(views) == 1 and all(
        abs(len(node.cluster.held) - PARTITIONS / len(nodes)) < 1 for node in nodes
    )


@asynccontextmanager
async def nodes(store: str, number: int = 2, **settings: Any) -> AsyncIterator[list[Node]]:
    """Nodes that have shared all tables."""
    begun = [await begin_node(store, **settings) for _ in range(number)]
    try:
        await wait_for(lambda: have_shared(begun))
        yield begun
    finally:
        for node in begun:
            await node.close()
