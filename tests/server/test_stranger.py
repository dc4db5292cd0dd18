"""A client written from the documents alone plays every game, adds to the shuffle and checks the deal."""

from __future__ import annotations

import ast
import asyncio
import sys
from hashlib import sha256
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.front.serve import Server
from tests.core.kk1 import shuffled, words
from tests.server import stranger
from tests.server.remote import key_of
from tests.server.stranger import Broken, Stranger
from tests.waiting import patience

Match = Any


def of_each(counts: Any) -> list[int]:
    """Cards kind by kind."""
    return list(chain.from_iterable([kind] * count for kind, count in enumerate(counts)))


def deals_land_cards(first: Match, seed: bytes) -> bool:
    faces, laws, law_cells = first[stranger.PRINTED]
    observation = first[stranger.OBSERVATION]
    return bool(observation[6] == shuffled(faces, words(seed)) and observation[8] == law_cells and laws)


def deals_web_of_power(first: Match, seed: bytes) -> bool:
    seats = len(first[stranger.OBSERVATION][11])
    deck, removed = first[stranger.PRINTED][7], dict(first[stranger.PRINTED][8])
    cards = shuffled(of_each([count - removed.get(seats, 0) for count in deck]), words(seed))
    viewer, hand, face_up = (first[stranger.OBSERVATION][n] for n in (1, 10, 15))
    is_mine = sorted(cards[3 * viewer : 3 * viewer + 3]) == sorted(hand)
    return is_mine and cards[3 * seats : 3 * seats + 2] == list(face_up)


def deals_ku_ka_king(first: Match, seed: bytes) -> bool:
    rows = first[stranger.OBSERVATION][6]
    cards = shuffled(of_each(first[stranger.PRINTED][0]), words(seed))
    return [list(row) for row in rows] == [cards[3 * n : 3 * n + 3] for n in range(len(rows))]


DEALS = {
    "land_cards": (3, deals_land_cards),
    "web_of_power": (3, deals_web_of_power),
    "ku_ka_king": (2, deals_ku_ka_king),
}


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


@pytest.mark.parametrize("game", DEALS)
async def test_a_stranger_plays_to_the_end_and_the_deal_is_the_one_of_the_seed(
    server: Server, game: str
) -> None:
    seats, is_dealt = DEALS[game]
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
    assert not all(is_dealt(person.first, bytes(32)) for person in people), "another seed, another deal"


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
