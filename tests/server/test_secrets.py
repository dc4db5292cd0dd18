"""Nobody is sent what the engine does not show to that viewer."""

from __future__ import annotations

from typing import Any

import pytest

from kk_core import registry
from kk_core.chance import Chance
from kk_core.match import Match
from kk_core.protocol.frames import encode_message
from kk_core.tree import to_tree
from kk_core.types import Tree
from kk_core.views import MatchView, TableView, decode_place, encode_match
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Moved, Started, Undone
from kk_server.storage.memory_log import MemoryLog
from tests.server.client import Client
from tests.server.hosting import PLENTY


def shown(trees: list[tuple[int, Tree]]) -> list[MatchView]:
    """The matches in what a client was sent."""
    places = [decode_place(tree) for _, tree in trees]
    return [place.match for place in places if isinstance(place, TableView) and place.match is not None]


async def replayed(log: MemoryLog, table: str) -> list[Match]:
    """The match as it stood after each entry of the log."""
    stages: list[Match] = []
    history: list[Any] = []
    created: Any = None
    for entry in (await log.read(table)).entries:
        if isinstance(entry, Started):
            created = entry
        elif isinstance(entry, Moved | Undone):
            history.append(entry)
        else:
            continue
        stages.append(_again(created, history, (await log.read(table)).entries[0]))
    return stages


def _again(started: Started, history: list[Any], table: Any) -> Match:
    rules = registry.game(table.game)
    names = tuple(holder.name for holder in started.seats)
    match = Match(rules, table.options, names, bytes.fromhex(started.seed))
    for entry in history:
        if isinstance(entry, Undone):
            match.undo(entry.seat)
        else:
            seat, _, notation = entry.line.partition(" ")
            match.play(int(seat), rules.parse_move(notation))
    return match


@pytest.mark.parametrize("game", registry.game_ids())
async def test_a_spectator_and_a_player_are_sent_exactly_what_the_engine_shows_them(game: str) -> None:
    log = MemoryLog()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    seats = registry.game(game).meta.max_seats
    anna, eve = Client(hub.connect("anna")), Client(hub.connect("eve"))
    table = await anna.open(game, seats)
    await eve.go_to(table)
    await anna.sit(0)
    await anna.seat_bots(*range(1, seats))
    await anna.start()
    await anna.play_to_the_end()
    await eve.until(lambda c: c.table.phase == "finished")
    stages = await replayed(log, table)
    for client, viewer in ((eve, None), (anna, 0)):
        allowed = [encode_match(stage.view(viewer)) for stage in stages]
        for view in shown(client.trees):
            assert to_tree(view) in allowed
    await hub.close()


@pytest.mark.parametrize("game", registry.game_ids())
async def test_the_seed_is_in_no_message_before_the_end(game: str) -> None:
    log = MemoryLog()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    seats = registry.game(game).meta.min_seats
    anna = Client(hub.connect("anna"))
    table = await anna.open(game, seats)
    await anna.sit(0)
    await anna.seat_bots(*range(1, seats))
    await anna.start()
    while anna.observation.outcome is None:
        await anna.until(lambda c: 0 in c.observation.active or c.observation.outcome is not None)
        sent = b"".join(encode_message(message) for message in anna.sent)
        (started,) = [e for e in (await log.read(table)).entries if isinstance(e, Started)]
        if anna.observation.outcome is not None:
            break
        assert bytes.fromhex(started.seed) not in sent
        assert started.seed.encode() not in sent
        anna.sent.clear()
        await anna.play(0, anna.observation.legal_moves[0])
    assert anna.match.seed == bytes.fromhex(started.seed)
    await hub.close()


@pytest.mark.parametrize("game", registry.game_ids())
async def test_what_a_spectator_is_sent_does_not_depend_on_secrets(game: str) -> None:
    rules = registry.game(game)
    seats = rules.meta.max_seats
    match = Match(rules, rules.meta.default_options(), ("x",) * seats, bytes(range(32)))
    chance = Chance(b"\x07" * 32)
    while not match.is_over:
        other = rules.determinise(rules.observe(match.state, None), chance)
        assert rules.observe(other, None) == rules.observe(match.state, None)
        seat = match.game.active_seats(match.state)[0]
        moves = rules.legal_moves(match.state, seat)
        match.play(seat, moves[chance.below(len(moves))])
