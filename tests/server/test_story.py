"""An evening at a server, through its real door and with its real file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kk_core.record import parse_record, replay
from kk_core.wire.messages import (
    PROTOCOL_VERSION,
    Agree,
    Ask,
    Contribute,
    GetRecord,
    Hello,
    Invite,
    Join,
    OpenTable,
    RecordText,
    Say,
)
from server.front.serve import Server, start
from server.hub.times import Times
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.playing import finish
from tests.server.probe import make_probe
from tests.server.remote import RemoteLink, remote_link, wait_for
from tests.server.test_chat import heard

pytestmark = pytest.mark.e2e


async def opened(folder: Path) -> Server:
    return await start(here(folder, limits=PLENTY, bot_pause=0, times=Times(vote=0)), make_probe)


async def guest(server: Server, name: str) -> Client:
    client = Client(await remote_link(server.port, name))
    await client.ask(Hello, PROTOCOL_VERSION)
    return client


async def test_an_evening_with_a_lost_connection_a_restart_and_a_rematch(tmp_path: Path) -> None:
    server = await opened(tmp_path)
    anna, beate, carl = [await guest(server, name) for name in ("anna", "beate", "carl")]

    # Anna opens a table by invitation
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "Friday", False, True)
    table, code = anna.table.id, anna.table.code
    assert "No table here" in await beate.refused(Join, "AAAAAA")
    await beate.do(Join, code)
    await anna.do(Invite, "carl")
    await carl.go_to(table)
    await anna.sit(0)
    await beate.sit(1)
    await beate.do(Contribute, b"b" * 32)
    await carl.do(Say, "good luck")
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    assert beate.match.contributions == ((1, b"b" * 32),)

    # they talk, each among themselves
    await beate.do(Say, "and to you")
    await anna.until(lambda c: heard(c) == ["carl: good luck", "beate: and to you"])
    assert heard(carl) == ["carl: good luck"]

    # Beate's connection is cut, a bot plays for her, and she comes back
    assert isinstance(beate.link, RemoteLink)
    beate.link.connection.abort()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Ask, "bot", 1)
    await anna.play(0, anna.observation.legal_moves[0])
    await anna.until(lambda c: c.match.ply >= 2)
    beate = await guest(server, "beate")
    await anna.until(lambda c: c.table.seats[1].stand_in is None)

    # the server goes down and comes up again
    plies = anna.match.ply
    await server.close()
    server = await opened(tmp_path)
    anna, beate = [await guest(server, name) for name in ("anna", "beate")]
    for client in (anna, beate):
        await client.go_to(table)
    assert (anna.match.ply, anna.table.owner, anna.table.code) == (plies, "anna", code)

    # they finish, agree on a rematch, and have the record
    await finish(anna, beate)
    reply = await beate.ask(GetRecord)
    assert isinstance(reply, RecordText)
    assert replay(parse_record(reply.text)).is_over
    assert json.loads(reply.text)["contributions"] == [{"seat": 1, "bytes": (b"b" * 32).hex()}]
    assert reply.signature is not None
    await beate.do(Ask, "rematch")
    await anna.do(Agree, True)
    await beate.until(lambda c: c.table.phase == "playing")
    assert [seat.name for seat in beate.table.seats] == ["beate", "anna"]
    for client in (anna, beate):
        await client.close()
    await wait_for(lambda: not server.hub.presence.users())
    await server.close()
