"""The door for browsers where workers serve it: the same pages, and the same counters as without."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_server.serve.server import Server, start
from kk_server.workers.channel import ConnectionClosed, PassedConnection, PersonCounted
from kk_server.workers.worker import Worker
from tests.server.hosting import PLENTY, PROBES, here, probing
from tests.server.probe import make_probe
from tests.server.remote import dial, screen, wait_for
from tests.server.test_web import certificate, presented, spoil
from tests.server.test_workers import pids, workers_of
from tests.server.web_page import calling, socket_of, url_of, web_page


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with probing(tmp_path, web=0, workers=2) as server:
        yield server


def loads(server: Server) -> list[int]:
    return [worker.load for worker in workers_of(server).workers.values()]


async def test_pages_and_terminals_are_spread_over_the_workers_together(server: Server) -> None:
    async with web_page(server) as page, web_page(server, "beate") as other:
        terminals = [await screen(server, name) for name in ("carla", "dora")]
        for terminal in terminals:
            await terminal.until("size=80x24.")
        for shown in (page, other):
            await shown.until("size=80x24.")
        assert loads(server) == [2, 2]
        await page.type("a")
        await page.until("key=a.")
        await page.say("resize", columns=90, rows=25)
        await page.until("size=90x25.")
        await page.type("q")
        assert await page.until_told("ended") == {"type": "ended", "status": 0, "kind": "left", "reason": ""}
        assert await page.rest() == aiohttp.WSCloseCode.OK
        for terminal in terminals:
            await terminal.close()
    await wait_for(lambda: server.connections == server.visits.present == 0)
    assert loads(server) == [0, 0]


async def test_every_worker_answers_with_the_page_and_its_files(server: Server) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(2):
            client = await stack.enter_async_context(calling())
            answer = await stack.enter_async_context(client.get(url_of(server)))
            assert answer.status == 200
            assert 'id="terminal"' in await answer.text()
        assert loads(server) == [1, 1]


async def test_a_key_of_a_browser_is_one_account_whichever_worker_it_comes_through(server: Server) -> None:
    async with web_page(server, "anna", owner="anna") as page:
        await page.until("size=80x24.")  # only then is the account hers, whichever worker is faster
        async with web_page(server, "x", owner="anna") as other:
            await other.until("size=80x24.")
            assert [visit.user for visit in server.visits.all] == ["anna", "anna"]
            assert loads(server) == [1, 1]


async def test_a_page_from_elsewhere_gets_no_socket_from_a_worker(server: Server) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        async with socket_of(server, origin="https://evil.example"):
            pass


async def test_limits_count_over_both_doors_and_all_workers(tmp_path: Path) -> None:
    limits = replace(PLENTY, connections_per_address=3, unauthenticated_per_address=2)
    async with probing(tmp_path, web=0, workers=2, limits=limits) as server:
        async with socket_of(server) as first, socket_of(server) as second:
            for page in (first, second):
                await page.until_told("challenge")
            async with calling() as client, client.get(url_of(server)) as answer:
                assert answer.status == 503
                assert "waiting to log in" in await answer.text()
            await first.greet()
            await first.until("size=80x24.")
            connection = await dial(server.port, "beate")
            await second.greet("carla")
            await second.until("size=80x24.")
            async with calling() as client, client.get(url_of(server)) as answer:
                assert answer.status == 503
                assert "Too many connections from your address" in await answer.text()
            connection.close()
        await wait_for(lambda: server.connections == 0)


async def test_a_connection_without_a_session_is_closed_after_a_while_by_a_worker_too(tmp_path: Path) -> None:
    # the clocks of workers are their own: long enough for a slow one to speak first
    limits = replace(PLENTY, login_seconds=3)
    async with probing(tmp_path, web=0, workers=2, limits=limits) as server:
        async with socket_of(server) as page:
            await page.until_told("challenge")
            await page.rest()
        await wait_for(lambda: server.connections == 0)


async def test_where_the_worker_of_a_page_is_killed_its_person_comes_in_through_another(
    server: Server,
) -> None:
    async with web_page(server, owner="anna") as page:
        await page.until("size=80x24.")
        killed = next(worker.pid for worker in workers_of(server).workers.values() if worker.load)
        os.kill(killed, signal.SIGKILL)
        assert await page.rest() != aiohttp.WSCloseCode.OK
        assert page.messages[-1]["type"] != "ended"
    async with web_page(server, owner="anna") as page:
        await page.until("size=80x24.")
        assert [visit.user for visit in server.visits.all] == ["anna"]


async def test_where_all_workers_are_killed_a_page_waits_for_the_next_ones(server: Server) -> None:
    for pid in pids(server):
        os.kill(pid, signal.SIGKILL)
    await wait_for(lambda: not pids(server))
    async with web_page(server) as page:
        await page.until("size=80x24.")


async def test_pages_of_workers_are_told_that_the_server_stops_and_come_back_by_themselves(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path, web=0, workers=2), program=PROBES)
    async with web_page(server) as page:
        await page.until("size=80x24.")
        closing = asyncio.create_task(server.close())
        assert await page.rest() == aiohttp.WSCloseCode.SERVICE_RESTART
        await closing
    assert b"shutting down" in page.seen


async def test_workers_take_a_new_certificate_and_a_new_name_with_a_reload(tmp_path: Path) -> None:
    web_cert, web_key = certificate(tmp_path)
    now = here(
        tmp_path / "data", web=0, workers=2, limits=PLENTY, web_cert=web_cert, web_key=web_key,
        web_address="https://old.example",
    )  # fmt: skip
    server = await start(now, make_probe, lambda: now, PROBES)
    assert server.web is not None
    first = await presented(server.web.port)
    certificate(tmp_path)
    now = replace(now, web_address="https://new.example")
    await server.reload()
    for _ in range(2):  # one after the other, in both workers
        assert await presented(server.web.port) != first
    opening = socket_of(
        server, origin="https://new.example", headers={"Host": "new.example"}, scheme="https", ssl=False
    )
    async with opening as page:
        await page.until_told("challenge")
    spoil(web_key)
    with pytest.raises(KkError, match="cannot be used"):
        await server.reload()
    await server.close()


async def test_a_certificate_that_is_not_there_is_named_before_any_worker_starts(tmp_path: Path) -> None:
    missing = str(tmp_path / "cert.pem")
    settings = here(tmp_path, web=0, workers=2, web_cert=missing, web_key=missing)
    with pytest.raises(KkError, match=re.escape(missing)):
        await start(settings, program="tests.server.nothing")


class ToHub:
    """What a worker tells its hub."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def tell(self, message: Any) -> None:
        self.told.append(message)


@pytest.fixture
async def worker() -> AsyncIterator[tuple[Worker, ToHub]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        hub: Any = ToHub()
        yield Worker(hub, ours), hub


async def test_a_connection_for_a_page_that_is_not_served_is_closed_and_counts_no_more(
    worker: tuple[Worker, ToHub],
) -> None:
    given, other = socket.socketpair()
    worker[0]._handed(PassedConnection(7, "192.0.2.1", None, True), given)
    assert given.fileno() == -1
    assert worker[1].told[-1] == ConnectionClosed(7)
    other.close()


async def test_whoever_leaves_while_the_hub_is_asked_to_count_them_counts_no_more(
    worker: tuple[Worker, ToHub],
) -> None:
    asking = asyncio.create_task(worker[0]._count_person("192.0.2.1"))
    await wait_for(lambda: worker[1].told)
    (asked,) = worker[1].told
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    worker[0]._take(PersonCounted(asked.number, 7))
    await wait_for(lambda: worker[1].told[-1] == ConnectionClosed(7))
