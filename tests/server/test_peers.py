"""Links between nodes that come and go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import StringIO

import pytest
from asyncssh import ConnectionLost
from asyncssh.connection import SSHConnection
from asyncssh.constants import MSG_IGNORE

from kk_core.protocol.messages import Done, GoTo
from kk_core.protocol.stream import LinkClosed, ServerLink, Writer
from kk_server.cluster.peers import Peers
from kk_server.tables.nodes import ForwardedCommand, Visitor
from tests.server.ports import free_address
from tests.server.remote import key_of
from tests.waiting import patience

WATCH = ForwardedCommand("anna", "watch cafe0001", None, b"\n")
ANNA = Visitor("anna", None, None, False, False)


async def _nobody(_visitor: Visitor, _link: ServerLink) -> None:
    raise AssertionError("nobody visits this node")


async def _nothing(_command: ForwardedCommand, _writer: Writer) -> None:
    raise AssertionError("nobody sends a command to this node")


async def test_whoever_waits_for_a_node_that_is_gone_may_look_for_another_one() -> None:
    asked = asyncio.Event()

    def hear(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        asked.set()  # and say nothing

    silent = await asyncio.start_server(hear, "127.0.0.1", 0)
    address = f"127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    peers = Peers(key_of("host"), _nobody, _nothing)
    visits = [asyncio.create_task(peers.link(address, ANNA)) for _ in range(2)]
    await asked.wait()
    given_up = asyncio.create_task(peers.link(address, ANNA))
    await asyncio.sleep(0)
    given_up.cancel()
    peers.keep(())
    for visit in visits:
        with pytest.raises(LinkClosed):
            await visit
    with pytest.raises(asyncio.CancelledError):
        await given_up
    await peers.close()
    silent.close()


@asynccontextmanager
async def linked(
    receive: Callable[[Visitor, ServerLink], Awaitable[None]],
    run: Callable[[ForwardedCommand, Writer], Awaitable[None]],
) -> AsyncIterator[tuple[Peers, str]]:
    """One end of a link to a node that does so, and that node's address."""
    home, other = Peers(key_of("host"), receive, run), Peers(key_of("host"), _nobody, _nothing)
    await home.open("127.0.0.1", 0)
    yield other, f"127.0.0.1:{home.port}"
    await other.close()
    await home.close()


async def test_a_node_that_is_away_is_in_the_log_once_when_that_begins_and_once_when_it_is_back(
    journal: StringIO,
) -> None:
    async def receive(_visitor: Visitor, link: ServerLink) -> None:
        await link.close()

    home, other = Peers(key_of("host"), receive, _nothing), Peers(key_of("host"), _nobody, _nothing)
    address = free_address()
    host, _, port = address.rpartition(":")
    for times in (1, 2):
        for _ in range(5):
            with pytest.raises(LinkClosed):
                await other.link(address, ANNA)
        assert journal.getvalue().count("node not reached") == times
        await home.open(host, int(port))
        for _ in range(2):
            await (await other.link(address, ANNA)).close()
        assert journal.getvalue().count("node reached again") == times
        other.keep(())  # it is gone for the others, too
        await home.close()
    await other.close()


async def test_a_node_that_is_gone_for_good_is_forgotten(journal: StringIO) -> None:
    peers, gone, away = Peers(key_of("host"), _nobody, _nothing), free_address(), free_address()
    for times in (1, 2):
        for address in (gone, away):
            with pytest.raises(LinkClosed):
                await peers.link(address, ANNA)
        assert journal.getvalue().count(gone) == times
        assert journal.getvalue().count(away) == 1
        peers.keep({away})
    assert peers._unreached.keys() == {away}
    await peers.close()


async def test_a_link_sends_nothing_that_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ignored, answered = list[object](), asyncio.Event()

    async def receive(_visitor: Visitor, link: ServerLink) -> None:
        await link.send(Done((await link.receive()).request))
        await answered.wait()

    def note(*packet: object) -> bool:
        ignored.append(packet)
        return True

    monkeypatch.setitem(SSHConnection._packet_handlers, MSG_IGNORE, note)
    async with linked(receive, _nothing) as (peers, address):
        link = await peers.link(address, ANNA)
        await link.send(GoTo(7, None))
        assert await link.receive() == Done(7)
        answered.set()
        await link.close()
    assert ignored == []


async def test_a_visit_that_fails_with_a_lost_connection_does_not_cut_the_one_that_others_have_made_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def receive(_visitor: Visitor, link: ServerLink) -> None:
        while True:
            await link.send(Done((await link.receive()).request))

    is_over = asyncio.Event()

    async def fail_late(*_: object, **__: object) -> None:
        await is_over.wait()
        raise ConnectionLost("lost")

    async with linked(receive, _nothing) as (other, address):
        await (await other.link(address, ANNA)).close()
        lost = await other._connections[address]
        monkeypatch.setattr(lost, "create_process", fail_late)
        late = asyncio.create_task(other.link(address, ANNA))
        await asyncio.sleep(0)
        lost.abort()
        await lost.wait_closed()
        again = await other.link(address, ANNA)
        is_over.set()
        with pytest.raises(LinkClosed):
            await late
        await again.send(GoTo(1, None))
        assert await again.receive() == Done(1)


class Lines:
    """What a command answers."""

    def __init__(self) -> None:
        self.written: asyncio.Queue[bytes] = asyncio.Queue()

    def write(self, data: bytes) -> None:
        self.written.put_nowait(data)

    async def drain(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass


async def test_a_fault_in_a_visit_or_a_command_does_not_cut_off_others_at_the_same_node(
    journal: StringIO,
) -> None:
    async def receive(visitor: Visitor, link: ServerLink) -> None:
        if visitor.user != "anna":
            raise ZeroDivisionError
        while True:
            await link.send(Done((await link.receive()).request))

    async def run(_command: ForwardedCommand, _writer: Writer) -> None:
        raise ZeroDivisionError

    async with linked(receive, run) as (other, address):
        anna = await other.link(address, ANNA)
        await anna.send(GoTo(1, None))
        assert await anna.receive() == Done(1)
        with pytest.raises(LinkClosed):
            await other.run(address, WATCH, Lines())
        with pytest.raises(LinkClosed):
            await (await other.link(address, Visitor("eve", None, None, False, False))).receive()
        await anna.send(GoTo(2, None))
        assert await anna.receive() == Done(2)
    assert journal.getvalue().count("ZeroDivisionError") == 2


async def test_a_command_ends_at_once_when_whoever_has_asked_is_gone() -> None:
    ended = asyncio.Event()

    async def run(_command: ForwardedCommand, writer: Writer) -> None:
        writer.write(b"1. \n")
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with linked(_nobody, run) as (other, address):
        lines = Lines()
        asking = asyncio.create_task(other.run(address, WATCH, lines))
        assert await lines.written.get() == b"1. \n"
        asking.cancel()
        await asyncio.wait_for(ended.wait(), patience())
