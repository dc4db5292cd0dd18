"""Client programs on the subsystem, over a real SSH connection."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.protocol.frames import MAX_CLIENT_FRAME, frame
from kk_core.protocol.messages import PROTOCOL_VERSION, Goodbye, GoTo, Hello, Resync, Undo, Welcome
from kk_core.tree import pack
from kk_server.frontend.listener import CannotServe
from kk_server.frontend.session import ClientSession
from kk_server.gateway import Admission, SessionRequest
from kk_server.limits import ServerLimits
from kk_server.serve.server import Server, start
from kk_server.storage.folder import FolderNotHeld
from kk_server.visits.visits import HubVisit
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import RemoteLink, dial, remote_link, wait_for
from tests.waiting import patience

GAME = "land_cards"


async def greeted(server: Server, user: str) -> Client:
    client = Client(await remote_link(server.port, user))
    assert isinstance(await client.ask(Hello, PROTOCOL_VERSION), Welcome)
    return client


async def goodbye(link: RemoteLink) -> str:
    message = await link.receive()
    assert isinstance(message, Goodbye)
    await link.process.wait_closed()
    return str(message.reason)


async def test_two_people_play_a_whole_match_over_ssh(either: Server) -> None:
    anna, beate = await greeted(either, "anna"), await greeted(either, "beate")
    table = await anna.open(GAME, 3)
    await beate.go_to(table)
    await anna.sit(0, 1)
    await anna.seat_bots(2)
    await anna.start()
    await anna.play_to_the_end()
    await beate.until(lambda c: c.table.phase == "finished")
    assert beate.match.seed == anna.match.seed
    await anna.close()
    await beate.close()


async def test_a_user_name_is_cleaned_before_anybody_sees_it(server: Server) -> None:
    client = Client(await remote_link(server.port, "  anna \u0335\u0335 " + "x" * 30))
    reply = await client.ask(Hello, PROTOCOL_VERSION)
    assert isinstance(reply, Welcome)
    assert reply.user == "anna " + "x" * 15
    await client.close()


async def test_a_name_that_cannot_be_used_is_refused(server: Server) -> None:
    link = await remote_link(server.port, "bot:eve")
    assert b"are for bots" in await link.process.stderr.read()
    assert link.process.exit_status == 2
    await link.close()


async def test_another_version_of_the_protocol_is_told_both_versions(server: Server) -> None:
    link = await remote_link(server.port, "anna")
    await link.send(Hello(1, 99))
    told = await goodbye(link)
    assert f"protocol version 99, this server version {PROTOCOL_VERSION}" in told
    assert "plain ssh works" in told
    await link.close()


async def test_a_newer_client_that_says_more_is_told_both_versions(either: Server) -> None:
    link = await remote_link(either.port, "anna")
    link.process.stdin.write(frame(pack(["hello", 1, 99, "zstd", {"more": True}])))
    assert f"protocol version 99, this server version {PROTOCOL_VERSION}" in await goodbye(link)
    await link.close()


async def test_a_second_hello_is_checked_like_the_first(server: Server) -> None:
    anna = await greeted(server, "anna")
    assert isinstance(await anna.ask(Hello, PROTOCOL_VERSION), Welcome)
    assert "Your client speaks protocol version 99" in await anna.refused(Hello, 99)
    await anna.close()


async def test_the_first_message_has_to_be_a_hello(server: Server) -> None:
    link = await remote_link(server.port, "anna")
    await link.send(Resync(1))
    assert "hello" in await goodbye(link)
    await link.close()


GARBAGE = [
    b"\xff" * 64,
    frame(b"\xc1"),
    frame(pack(["fly", 1])),
    frame(pack(["hello", -1, 1])),
    frame(pack(["hello", 1])),
    frame(b"\x81\x90\x01"),
    frame(b"\x91" * 5000),
    (MAX_CLIENT_FRAME + 1).to_bytes(4, "big"),
]


@pytest.mark.parametrize("garbage", GARBAGE)
async def test_garbage_ends_the_connection_with_a_reason_and_harms_nobody(
    server: Server, garbage: bytes
) -> None:
    anna = await greeted(server, "anna")
    link = await remote_link(server.port, "eve")
    link.process.stdin.write(garbage)
    assert await goodbye(link)
    await anna.open(GAME, 3)
    await anna.close()
    await link.close()


async def test_garbage_after_the_hello_is_no_better(server: Server) -> None:
    eve = await greeted(server, "eve")
    eve.link.process.stdin.write(frame(pack(["sit", 1])))  # type: ignore[attr-defined]
    await eve.until_closed()
    assert "Not a message" in str(eve.goodbye)
    await eve.close()


async def test_who_disconnects_is_gone_for_the_others(server: Server) -> None:
    anna, beate = await greeted(server, "anna"), await greeted(server, "beate")
    await anna.until(lambda c: c.lobby.users == ("anna", "beate"))
    beate.link.connection.abort()  # type: ignore[attr-defined]
    await anna.until(lambda c: c.lobby.users == ("anna",))
    await anna.close()


async def test_a_client_that_stops_reading_is_disconnected_and_the_others_play_on(tmp_path: Path) -> None:
    server = await start(here(tmp_path, limits=replace(PLENTY, patience=0.2), bot_pause=0), make_probe)
    anna = await greeted(server, "anna")
    table = await anna.open(GAME, 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    connection = await dial(server.port, "eve")
    process = await connection.create_process(subsystem="kk-sync", encoding=None, window=1000)
    process.stdin.write(frame(pack(["hello", 1, PROTOCOL_VERSION])))
    process.stdin.write(frame(pack(["goto", 2, table])))
    await anna.look(0)

    async def ask_without_reading() -> None:
        for request in count(3):
            process.stdin.write(frame(pack(["resync", request])))
            await asyncio.sleep(0)

    asking = asyncio.create_task(ask_without_reading())
    await anna.play(0, anna.observation.legal_moves[0])
    async with asyncio.timeout(patience()):
        await connection.wait_closed()
    await asyncio.wait([asking])
    await anna.do(Undo, 0)
    await anna.close()
    await server.close()


async def test_what_a_client_says_before_it_is_known_who_it_is_is_answered(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter, is_known, said = HubVisit.enter, asyncio.Event(), list[bytes]()
    feed = ClientSession.feed

    async def late(visit: HubVisit, request: SessionRequest) -> Admission:
        await is_known.wait()
        return await enter(visit, request)

    def fed(session: ClientSession, data: bytes) -> None:
        said.append(data)
        feed(session, data)

    monkeypatch.setattr(HubVisit, "enter", late)
    monkeypatch.setattr(ClientSession, "feed", fed)
    client = Client(await remote_link(server.port, "anna"))
    asked = asyncio.create_task(client.ask(Hello, PROTOCOL_VERSION))
    await wait_for(lambda: said)
    is_known.set()
    assert isinstance(await asked, Welcome)
    await client.close()


async def test_an_unknown_subsystem_is_refused(server: Server) -> None:
    connection = await dial(server.port, "anna")
    with pytest.raises(asyncssh.ChannelOpenError):
        await connection.create_process(subsystem="netconf", encoding=None)
    connection.close()
    await connection.wait_closed()


async def test_connections_and_channels_are_limited(tmp_path: Path) -> None:
    limits = ServerLimits(connections_per_address=2, channels_per_connection=1)
    server = await start(here(tmp_path, limits=limits), make_probe)
    first, second = await dial(server.port, "a"), await dial(server.port, "b")
    with pytest.raises(asyncssh.DisconnectError, match="Too many connections"):
        await dial(server.port, "c")
    await first.create_process(subsystem="kk-sync", encoding=None)
    with pytest.raises(asyncssh.ChannelOpenError, match="Too many channels"):
        await first.create_process(subsystem="kk-sync", encoding=None)
    first.close()
    await first.wait_closed()
    await wait_for(lambda: server.connections == 1)
    third = await dial(server.port, "c")
    second.close()
    third.close()
    await server.close()


async def test_a_stopping_server_says_goodbye_and_keeps_all_for_the_next_start(tmp_path: Path) -> None:
    server = await start(here(tmp_path), make_probe)
    anna = await greeted(server, "anna")
    table = await anna.open(GAME, 3)
    await anna.sit(0)
    await server.close()
    await anna.until_closed()
    assert "shutting down" in str(anna.goodbye)
    server = await start(here(tmp_path), make_probe)
    again = await greeted(server, "anna")
    await again.do(GoTo, table)
    assert again.table.seats[0].owner == "anna"
    await server.close()


async def test_the_host_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        server = await start(here(tmp_path), make_probe)
        connection = await dial(server.port, "anna")
        keys.append(connection.get_server_host_key().get_fingerprint())  # type: ignore[union-attr]
        connection.close()
        await server.close()
    assert keys[0] == keys[1]
    assert (tmp_path / "ssh_host_ed25519_key").stat().st_mode & 0o777 == 0o600


async def test_two_servers_do_not_share_a_data_folder(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FolderNotHeld, match="Another server"):
        await start(here(tmp_path), make_probe)


async def test_a_port_that_is_taken_is_named(server: Server, tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match=str(server.port)):
        await start(replace(here(tmp_path / "other"), port=server.port), make_probe)
