"""Keeping everybody in step: snapshots, deltas, slow readers."""

from __future__ import annotations

import asyncio
import gc

from kk_core.protocol.messages import Delta, Done, Goodbye, Look, Play, Resync, Snapshot
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.tree import EMPTY
from kk_server.hub.hub import Hub
from kk_server.limits import Limits, TokenBucket
from kk_server.storage.memory_log import MemoryLog
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.test_tables import GAME, playing
from tests.waiting import rest


async def test_a_new_place_comes_as_a_snapshot_and_a_change_as_a_delta(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    anna.sent.clear()
    await anna.play(0, anna.observation.legal_moves[0])
    await anna.go_to(None)
    kinds = [type(message) for message in anna.sent]
    assert kinds == [Delta, Done, Snapshot, Done]


async def test_what_a_request_has_changed_is_shown_before_it_is_acknowledged(connect: Connect) -> None:
    anna = await playing(connect)
    await anna.look(0)
    for ply in range(1, 6):
        await anna.do(Play, 0, anna.match.ply, anna.observation.legal_moves[0])
        assert anna.match.ply == ply
        if not anna.observation.legal_moves:
            break


async def test_everybody_at_a_table_has_the_same_revision_whatever_there_is_to_see(connect: Connect) -> None:
    anna = await playing(connect)
    eve = connect("eve")
    await eve.go_to(anna.table.id)
    eve.sent.clear()
    await anna.do(Look, 1)  # changes nothing that Eve can see
    await eve.until(lambda c: c.revision == anna.revision)
    (delta,) = eve.sent
    assert isinstance(delta, Delta)
    assert delta.patch == EMPTY


async def test_a_revision_never_names_two_things_a_client_can_see(connect: Connect) -> None:
    anna = await playing(connect)
    for seat in (0, 1, None, 2):
        await anna.look(seat)
    await anna.go_to(None)
    seen: dict[int, object] = {}
    for revision, tree in anna.trees:
        assert seen.setdefault(revision, tree) == tree


async def test_the_deltas_that_all_have_been_sent_are_forgotten(connect: Connect) -> None:
    anna, eve = await playing(connect), connect("eve")
    await eve.go_to(anna.table.id)

    async def kept_after(plies: int) -> int:
        for _ in range(plies):
            seat = anna.observation.active[0]
            await anna.look(seat)
            await anna.play(seat, anna.observation.legal_moves[0])
        await eve.until(lambda c: c.revision == anna.revision)
        for client in (anna, eve):
            client.sent.clear()
        gc.collect()
        return sum(isinstance(each, Delta) for each in gc.get_objects())

    few = await kept_after(4)
    assert await kept_after(30) <= few


async def test_the_deltas_of_a_whole_match_lead_to_the_tree_of_a_fresh_snapshot(connect: Connect) -> None:
    anna = await playing(connect, 2)
    eve = connect("eve")
    await eve.until(lambda c: c.lobby.tables)
    await eve.go_to(anna.table.id)
    await anna.play_to_the_end()
    await eve.until(lambda c: c.table.phase == "finished")
    followed = eve.tree
    await eve.do(Resync)
    assert eve.tree == followed
    assert sum(isinstance(message, Snapshot) for message in eve.sent) == 3  # lobby, table, resync


class Stalled:
    """A client's link that hands nothing on until it is told to."""

    def __init__(self, link: ClientLink) -> None:
        self._link = link
        self.reads = asyncio.Event()
        self.send = link.send
        self.close = link.close

    async def receive(self) -> object:
        await self.reads.wait()
        return await self._link.receive()


async def test_a_slow_reader_holds_nobody_up_and_is_sent_the_difference_later(hub: Hub) -> None:
    anna = Client(hub.connect("anna"))
    table = await anna.open(GAME, 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    link = Stalled(hub.connect("eve"))
    link.reads.set()
    eve = Client(link)  # type: ignore[arg-type]
    await eve.go_to(table)
    link.reads.clear()
    before = anna.revision
    await anna.play_to_the_end()
    published = anna.revision - before
    link.reads.set()
    await eve.until(lambda c: c.table.phase == "finished" and c.revision == anna.revision)
    deltas = sum(isinstance(message, Delta) for message in eve.sent)
    assert deltas < published
    assert eve.match.log == anna.match.log


async def test_who_does_not_read_for_too_long_is_disconnected() -> None:
    hub = Hub(MemoryLog(), limits=Limits(patience=0.05))
    silent = hub.connect("eve")
    anna = Client(hub.connect("anna"))
    for request in range(300):
        try:
            await silent.send(Resync(request))
        except LinkClosed:
            break
    await anna.until(lambda c: c.lobby.users == ("anna",))
    await hub.close()


async def test_of_a_client_that_only_asks_no_more_is_taken_than_it_reads_answers(hub: Hub) -> None:
    link, asked = hub.connect("eve"), list[int]()

    async def ask() -> None:
        for number in range(10_000):
            await link.send(Resync(number))
            asked.append(number)

    asking = asyncio.create_task(ask())
    await rest()
    assert not asking.done()
    assert 0 < len(asked) < 1000
    asking.cancel()


async def test_messages_sent_before_a_close_still_arrive(hub: Hub) -> None:
    link = hub.connect("anna")
    await link.send(Resync(1))
    received = [await link.receive(), await link.receive()]
    await hub.close()
    try:
        while True:
            received.append(await link.receive())
    except LinkClosed:
        pass
    assert isinstance(received[-1], Goodbye)


def test_a_rate_lets_a_burst_through_and_then_so_many_a_second() -> None:
    now = 0.0
    rate = TokenBucket(2, 3, clock=lambda: now)
    assert [rate.take() for _ in range(4)] == [True, True, True, False]
    now = 0.5
    assert [rate.take() for _ in range(2)] == [True, False]
    now = 100.0
    assert [rate.take() for _ in range(4)] == [True, True, True, False]


def test_what_is_put_back_can_be_taken_again_and_fills_a_bucket_to_the_brim_at_most() -> None:
    rate = TokenBucket(2, 3, clock=lambda: 0.0)
    assert [rate.take() for _ in range(4)] == [True, True, True, False]
    rate.put_back()
    assert [rate.take() for _ in range(2)] == [True, False]
    for _ in range(5):
        rate.put_back()
    assert rate.is_full()
    assert [rate.take() for _ in range(4)] == [True, True, True, False]
