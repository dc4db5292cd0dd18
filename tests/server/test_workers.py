"""Several processes speak with people, one has the tables: nobody notices, whichever of them dies."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from itertools import accumulate
from pathlib import Path

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, Welcome
from kk_server.serve.server import Server, start
from kk_server.workers import workers as workers_module
from kk_server.workers.workers import PAUSES, SOON, WorkerNotStarted, Workers, pause_after
from tests.server.client import Client
from tests.server.hosting import PLENTY, PROBES, here, probing
from tests.server.probe import make_probe
from tests.server.remote import dial, key_of, remote_link, screen, wait_for
from tests.server.test_console import ask
from tests.server.test_metrics import figures
from tests.server.test_thinking import is_running
from tests.waiting import patience

GAME = "land_cards"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with probing(tmp_path, workers=2) as server:
        yield server


def workers_of(server: Server) -> Workers:
    assert isinstance(server.handler, Workers)
    return server.handler


def pids(server: Server) -> list[int]:
    return [worker.pid for worker in workers_of(server).workers.values()]


async def greeted(server: Server, user: str) -> Client:
    client = Client(await remote_link(server.port, user))
    assert isinstance(await client.ask(Hello, PROTOCOL_VERSION), Welcome)
    return client


async def seated(server: Server, *users: str) -> tuple[str, list[Client]]:
    """A match that goes on, and who plays it; they come through one worker after the other."""
    clients = [await greeted(server, user) for user in users]
    table = await clients[0].open(GAME, len(clients))
    for seat, client in enumerate(clients):
        await client.go_to(table)
        await client.sit(seat)
    await clients[0].start()
    for client in clients:
        await client.until(lambda c: c.table.match is not None)
    return table, clients


async def play(clients: list[Client], plies: int) -> None:
    for _ in range(plies):
        (seat,) = clients[0].observation.active
        ply = clients[seat].match.ply
        await clients[seat].play(seat, clients[seat].observation.legal_moves[0])
        for client in clients:
            await client.until(lambda c, ply=ply: c.match.ply > ply)


# -- a worker dies -------------------------------------------------------------------------------------------


async def test_who_came_through_a_worker_that_is_killed_comes_back_to_his_seat_through_another_one(
    server: Server,
) -> None:
    users = ("anna", "beate", "carla", "dora")
    table, clients = await seated(server, *users)
    await play(clients, 6)
    workers, before = workers_of(server).workers, pids(server)
    assert [worker.load for worker in workers.values()] == [2, 2]
    os.kill(before[0], signal.SIGKILL)
    lost = [client for client in clients if client.goodbye is None]
    await wait_for(lambda: sum(client.goodbye is not None for client in lost) == 2)
    stayed = next(client for client in clients if client.goodbye is None)
    assert stayed.match.ply == 6
    for seat, user in enumerate(users):
        if clients[seat].goodbye is not None:
            clients[seat] = await greeted(server, user)
            await clients[seat].go_to(table)
    assert [client.table.viewer for client in clients] == [0, 1, 2, 3]
    await play(clients, 6)
    assert stayed.match.ply == 12
    await wait_for(lambda: len(pids(server)) == 2 and before[0] not in pids(server))
    assert server.connections == 4
    for client in clients:
        await client.close()


async def test_where_all_workers_are_killed_who_comes_waits_for_the_next_ones(server: Server) -> None:
    table, clients = await seated(server, "anna", "beate", "carla")
    await play(clients, 3)
    for pid in pids(server):
        os.kill(pid, signal.SIGKILL)
    await wait_for(lambda: not pids(server))
    again = await greeted(server, "anna")
    await again.go_to(table)
    assert again.match.ply == 3
    await again.close()
    await wait_for(lambda: server.connections == server.visits.present == 0)


async def test_a_worker_that_does_not_start_is_a_sentence(tmp_path: Path) -> None:
    settings = here(tmp_path, workers=2)
    with pytest.raises(WorkerNotStarted, match="could not be started"):
        await start(settings, program="tests.server.nothing")
    await (await start(replace(settings, workers=1), make_probe)).close()


def test_a_worker_is_started_again_at_once_and_where_it_ends_at_once_in_growing_pauses() -> None:
    assert pause_after(SOON + 1, PAUSES[1]) == 0
    pauses = list(accumulate(range(9), lambda pause, _: pause_after(0.1, pause), initial=0.0))[1:]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == PAUSES


async def test_a_worker_that_hangs_keeps_no_server_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "LEAVING", 0.2)
    async with probing(tmp_path, workers=2) as server:
        ended = pids(server)
        os.kill(ended[0], signal.SIGSTOP)
    assert not any(map(is_running, ended))


# -- what counts for the whole server ------------------------------------------------------------------------


async def test_limits_count_over_all_workers(tmp_path: Path) -> None:
    limits = replace(
        PLENTY, connections=4, unauthenticated_per_address=2, sessions_per_user=2, channels_per_connection=1
    )
    async with probing(tmp_path, workers=2, limits=limits) as server:
        held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        for reader, _ in held:
            assert (await reader.readline()).startswith(b"SSH-2.0-")
        reader, turned_away = await asyncio.open_connection("127.0.0.1", server.port)
        assert b"waiting to log in" in await reader.read()
        for writer in (turned_away, *(writer for _, writer in held)):
            writer.close()
        await wait_for(lambda: server.connections == 0)
        clients = [await greeted(server, "anna") for _ in range(2)]
        third = await dial(server.port, "anna")
        process = await third.create_process(subsystem="kk-sync")
        assert "You already have 2 sessions here" in await process.stderr.read()
        fourth = await dial(server.port, "beate")
        with pytest.raises(asyncssh.DisconnectError, match="This server is full"):
            await dial(server.port, "carla")
        for connection in (third, fourth):
            connection.close()
        for client in clients:
            await client.close()


async def test_what_is_set_anew_counts_in_the_workers(tmp_path: Path) -> None:
    now = here(tmp_path, limits=PLENTY, workers=2)
    server = await start(now, make_probe, lambda: now, PROBES)
    now = replace(now, limits=replace(PLENTY, channels_per_connection=1))
    await server.reload()
    for _ in range(2):  # one after the other, in both workers
        connection = await dial(server.port, "anna")
        await connection.create_process(term_type="xterm", encoding=None)
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.create_process(term_type="xterm", encoding=None)
    await server.close()


async def test_settings_of_an_account_are_kept_whichever_worker_it_comes_through(server: Server) -> None:
    for kept in ("manuscript", "contrast", "contrast"):
        terminal = await screen(server, "anna")
        await terminal.until("size=80x24.")
        terminal.type("s")
        await terminal.until(f"kept={kept}")
        async with asyncio.timeout(patience()):  # a worker hands them on while its app goes on
            while "contrast" not in (await server.visits.access.accounts.settings_of("anna") or ""):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await terminal.close()


async def test_admins_see_and_end_the_sessions_of_all_workers_and_figures_are_summed(tmp_path: Path) -> None:
    (tmp_path / "admins").write_text(key_of("root").export_public_key().decode())
    async with probing(tmp_path, workers=2, admins=str(tmp_path / "admins"), metrics=0) as server:
        anna = await greeted(server, "anna")
        terminal = await screen(server, "anna")
        await terminal.until("size=80x24.")
        terminal.type("a")
        await terminal.until("key=a.")
        (line,) = (await ask(server, "who --json", "root")).json
        assert [each["key"] for each in line["sessions"]] == [key_of("anna").get_fingerprint()] * 2
        assert server.metrics is not None
        counted = workers_of(server).counted
        await wait_for(lambda: any(any(each.key_to_paint.counts) for each in counted().values()))
        await wait_for(lambda: any(each.delta_bytes for each in counted().values()))  # of another worker
        seen = await figures(server.metrics.port)
        assert seen["kk_key_to_paint_seconds_count"] >= 1
        assert seen["kk_frame_bytes_total"] > 0
        assert seen["kk_delta_bytes_total"] > 0
        assert seen["kk_sessions"] == 2
        for number in (1, 2):
            assert f'kk_worker_loop_lag_seconds_count{{worker="{number}"}}' in seen
        assert (await ask(server, "kick anna", "root")).out == "2 sessions were ended.\n"
        assert await terminal.rest() == 0
        assert b"has ended your session" in terminal.seen
        await anna.until_closed()
        assert "has ended your session" in str(anna.goodbye)
        await terminal.close()
