"""Links between nodes that come and go."""

from __future__ import annotations

import asyncio

import pytest

from kk_core.protocol.stream import LinkClosed, ServerLink, Writer
from kk_server.cluster.neighbours import Neighbours
from kk_server.tables.nodes import Errand, Visitor
from tests.server.remote import key_of

ANNA = Visitor("anna", None, None, False, False)


async def _nobody(_visitor: Visitor, _link: ServerLink) -> None:
    raise AssertionError("nobody visits this node")


async def _nothing(_errand: Errand, _writer: Writer) -> None:
    raise AssertionError("nobody sends a command to this node")


async def test_whoever_waits_for_a_node_that_is_gone_may_look_for_another_one() -> None:
    asked = asyncio.Event()

    def hear(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        asked.set()  # and say nothing

    silent = await asyncio.start_server(hear, "127.0.0.1", 0)
    address = f"127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    neighbours = Neighbours(key_of("house"), _nobody, _nothing)
    visits = [asyncio.create_task(neighbours.link(address, ANNA)) for _ in range(2)]
    await asked.wait()
    given_up = asyncio.create_task(neighbours.link(address, ANNA))
    await asyncio.sleep(0)
    given_up.cancel()
    neighbours.keep(())
    for visit in visits:
        with pytest.raises(LinkClosed):
            await visit
    with pytest.raises(asyncio.CancelledError):
        await given_up
    await neighbours.close()
    silent.close()
