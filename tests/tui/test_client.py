"""The client keeps its copy in step, and every request gets its answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from kk_core.protocol.frames import MAX_SERVER_FRAME
from kk_core.protocol.messages import Delta, Done, Goodbye, GoTo, Refused, Resync, Snapshot
from kk_core.protocol.stream import LinkClosed, ServerLink
from kk_core.text import text
from kk_core.tree import diff, fingerprint
from kk_core.types import Tree
from kk_server.hub.session import pipe
from kk_tui.client.client import Client, Refusal
from tests.waiting import patience


class Watch:
    """A client, the other end of its link, and the trees that it showed."""

    def __init__(self) -> None:
        ours, self.server = pipe()
        self.trees: list[Tree] = []
        self.client = Client(ours, changed=self._changed, noticed=lambda *_: None)
        self.changes = asyncio.Queue[Tree]()
        self.task = asyncio.create_task(self.client.run())

    def _changed(self) -> None:
        self.changes.put_nowait(self.client.tree)


@pytest.fixture
async def watch() -> AsyncIterator[Watch]:
    watch = Watch()
    yield watch
    await watch.client.close()
    await watch.task


async def say(server: ServerLink, revision: int, old: Tree, new: Tree) -> None:
    await server.send(Delta(revision, fingerprint(old), diff(old, new)))


async def test_a_delta_changes_the_copy(watch: Watch) -> None:
    await watch.server.send(Snapshot(1, ["a", 1]))
    assert await watch.changes.get() == ["a", 1]
    await say(watch.server, 2, ["a", 1], ["a", 2])
    assert await watch.changes.get() == ["a", 2]
    assert watch.client.revision == 2


async def test_a_server_that_lets_a_copy_grow_without_end_is_left(watch: Watch) -> None:
    tree: Tree = [b"x" * (MAX_SERVER_FRAME // 2)]
    await watch.server.send(Snapshot(1, tree))
    for revision in range(2, 5):
        await watch.server.send(Delta(revision, fingerprint(tree), {0: {-1: tree[0]}}))
        tree = [tree[0] * 2]
    assert str(await watch.task) == "The server sent more than this program can show."
    assert len(watch.client.tree[0]) < 3 * MAX_SERVER_FRAME


async def test_a_delta_that_does_not_fit_asks_for_a_snapshot_and_shows_nothing_before_it(
    watch: Watch,
) -> None:
    await watch.server.send(Snapshot(1, ["a", 1]))
    await watch.changes.get()
    await say(watch.server, 3, ["a", 2], ["a", 3])
    assert isinstance(await watch.server.receive(), Resync)
    await say(watch.server, 4, ["a", 3], ["a", 4])
    await watch.server.send(Snapshot(5, ["a", 5]))
    assert await watch.changes.get() == ["a", 5]
    assert watch.changes.empty()


async def test_answers_find_their_questions_in_any_order(watch: Watch) -> None:
    first = asyncio.ensure_future(watch.client.request(lambda n: GoTo(n, None)))
    second = asyncio.ensure_future(watch.client.request(lambda n: GoTo(n, "x")))
    one, two = await watch.server.receive(), await watch.server.receive()
    await watch.server.send(Refused(two.request, text("No such table.")))
    await watch.server.send(Done(one.request))
    assert isinstance(await first, Done)
    with pytest.raises(Refusal, match="No such table"):
        await second


async def test_a_request_under_way_fails_when_the_other_side_says_goodbye(watch: Watch) -> None:
    asked = asyncio.ensure_future(watch.client.request(lambda n: GoTo(n, None)))
    await watch.server.receive()
    await watch.server.send(Goodbye(text("The server is shutting down.")))
    with pytest.raises(LinkClosed, match="shutting down"):
        await asked


async def test_a_request_after_the_other_side_has_said_goodbye_fails_at_once_with_its_reason(
    watch: Watch,
) -> None:
    await watch.server.send(Goodbye(text("The server is shutting down.")))
    await watch.task
    async with asyncio.timeout(patience()):
        with pytest.raises(LinkClosed, match="shutting down"):
            await watch.client.request(lambda n: GoTo(n, None))
