"""A client written from the documents alone plays every game, adds to the shuffle and checks the deal."""

from __future__ import annotations

import ast
import asyncio
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from kk_core.registry import game_ids
from kk_server.serve.server import Server
from tests.core.contract.tables import people_at
from tests.server import stranger
from tests.server.remote import key_of
from tests.server.stranger import Broken, Stranger
from tests.waiting import patience


async def table_of(server: Server, game: str, seats: int) -> list[Stranger]:
    """Strangers on all seats of a new table."""
    people = [await Stranger.come(server.port, f"p{seat}", key_of(f"p{seat}")) for seat in range(seats)]
    first = people[0]
    _, _, games, bots = await first.ask("games")
    assert game in [line[0] for line in games]
    assert "easy" in bots
    await first.do("open", game, {}, seats, "strangers", False, True)
    code = first.tree[11]
    for seat, person in enumerate(people):
        if seat:
            await person.do("join", code)
        await person.do("sit", seat)
    return people


@pytest.mark.parametrize("game", game_ids())
async def test_a_stranger_plays_to_the_end_and_the_deal_is_the_one_of_the_seed(
    server: Server, game: str
) -> None:
    is_dealt = import_module(f"tests.core.{game}.deal").is_dealt
    seats = people_at(game, 2)
    people = await table_of(server, game, seats)
    drawn = [bytes([seat]) * 32 for seat in range(seats)]
    for person, own in zip(people, drawn, strict=True):
        assert len(person.tree[stranger.SHUFFLE][0]) == 32
        await person.do("add", own)
    await people[0].do("start")
    async with asyncio.timeout(patience()):
        await asyncio.gather(*(person.play(Random(n)) for n, person in enumerate(people)))
    for person, own in zip(people, drawn, strict=True):
        assert person.deltas > 10
        seed = person.seed(own)
        assert is_dealt(person.first, seed)
        await person.go()
    others = [bytes([n]) * 32 for n in range(16)]
    assert not all(is_dealt(person.first, seed) for person in people for seed in others), "other deals"


async def test_a_host_that_changes_its_bytes_after_the_contributions_is_caught(server: Server) -> None:
    (person, other) = await table_of(server, "ku_ka_king", 2)
    own = bytes(32)
    await person.do("add", own)
    table = next(iter(server.hub.tables.values()))
    shown = table.shuffle.view().commitment
    table.shuffle.host_seed = bytes(32)
    await person.do("add", own)
    assert person.tree[stranger.SHUFFLE][0] != shown
    await person.do("start")
    async with asyncio.timeout(patience()):
        await asyncio.gather(person.play(Random(1)), other.play(Random(2)))
    person.first[stranger.COMMITMENT] = shown
    with pytest.raises(Broken, match="commitment"):
        person.seed(own)
    assert sha256(person.match[stranger.HOST_SEED]).digest() != shown


def test_the_stranger_knows_nothing_of_this_program() -> None:
    tree = ast.parse(Path(str(stranger.__file__)).read_text(encoding="utf-8"))
    imports = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert imports - sys.stdlib_module_names == {"asyncssh", "msgpack"}
