"""Everybody who sits at a table may add to its shuffle, after the host has committed to its own part."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from kk_core.protocol.frames import decode_client_message, encode_message
from kk_core.protocol.messages import Contribute, GetRecord, Propose, RecordText
from kk_core.record import parse_record, replay
from kk_core.tree import BadFrame
from kk_server.hub.hub import Hub
from kk_server.storage.sql_log import open_log
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.playing import finish
from tests.server.test_owners import table_of

ANNAS, BEATES = bytes(range(32)), b"\xff" * 32


def committed(client: Client) -> bytes:
    """The commitment to the host's part of the next shuffle."""
    assert client.table.shuffle is not None
    return client.table.shuffle.commitment


def seed_of(host_seed: bytes, *added: tuple[int, bytes]) -> bytes:
    """The seed as the document says, by nothing of ours."""
    return sha256(host_seed + b"".join(bytes([seat]) + drawn for seat, drawn in added)).digest()


async def record_of(client: Client) -> dict[str, object]:
    reply = await client.ask(GetRecord)
    assert isinstance(reply, RecordText)
    replay(parse_record(reply.text))
    whole: dict[str, object] = json.loads(reply.text)
    return whole


async def test_the_seed_follows_from_the_hosts_committed_bytes_and_those_that_seats_have_added(
    connect: Connect,
) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    shown = committed(anna)
    await beate.do(Contribute, BEATES)
    await anna.do(Contribute, ANNAS)
    await anna.until(lambda c: c.table.shuffle is not None and c.table.shuffle.added == ("anna", "beate"))
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    assert anna.match.contributions == ((0, ANNAS), (1, BEATES))
    assert (anna.match.commitment, anna.match.host_seed, anna.match.seed) == (shown, None, None)
    await finish(anna, beate)
    host_seed, seed = anna.match.host_seed, anna.match.seed
    assert host_seed is not None
    assert sha256(host_seed).digest() == shown
    assert seed == seed_of(host_seed, (0, ANNAS), (1, BEATES))
    record = await record_of(anna)
    assert (record["host_seed"], record["seed"]) == (host_seed.hex(), seed.hex())
    assert record["contributions"] == [
        {"seat": 0, "bytes": ANNAS.hex()},
        {"seat": 1, "bytes": BEATES.hex()},
    ]


async def test_where_nobody_adds_anything_the_seed_is_the_hosts(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    await finish(anna, beate)
    assert anna.match.seed == anna.match.host_seed
    assert (await record_of(anna))["contributions"] == []


async def test_a_rematch_has_a_commitment_and_contributions_of_its_own(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    first = committed(anna)
    await anna.do(Contribute, ANNAS)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    await finish(anna, beate)
    second = committed(anna)
    assert second != first
    await beate.do(Contribute, BEATES)
    await anna.do(Propose, "rematch")
    await beate.do(Propose, "rematch")
    await anna.until(lambda c: c.table.phase == "playing")
    assert anna.match.commitment == second
    assert anna.match.contributions == ((0, BEATES),)  # Beate begins now


async def test_only_who_sits_there_adds_and_only_before_the_match(connect: Connect) -> None:
    anna, eve = connect("anna"), connect("eve")
    await anna.open("ku_ka_king", 2)
    await anna.sit(0, 1)
    await eve.go_to(anna.table.id)
    assert "players seated here" in await eve.refused(Contribute, ANNAS)
    await anna.do(Contribute, ANNAS)
    await anna.start()
    assert anna.match.contributions == ((0, ANNAS),)
    assert "already shuffled" in await anna.refused(Contribute, ANNAS)
    assert anna.table.shuffle is None


@pytest.mark.parametrize("drawn", [b"", b"x" * 31, b"x" * 33])
def test_a_contribution_has_thirty_two_bytes(drawn: bytes) -> None:
    with pytest.raises(BadFrame):
        decode_client_message(encode_message(Contribute(1, drawn)))


async def test_a_match_with_contributions_outlasts_a_restart(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna, _ = await table_of(lambda user: Client(hub.connect(user)), "anna", "beate")
    await anna.do(Contribute, ANNAS)
    await anna.start()
    before, table = anna.match.observation, anna.table.id
    await hub.close()
    hub = Hub(await open_log(tmp_path / "tables.sqlite"), limits=PLENTY)
    await hub.load()
    anna = Client(hub.connect("anna"))
    await anna.go_to(table)
    assert (anna.match.contributions, anna.match.observation) == (((0, ANNAS),), before)
    await hub.close()
