"""Bots that watch the others: whoever plays plainly is foreseen, and nobody is told more than he may know."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.match import Match
from kk_core.registry import game_ids
from kk_core.search.arena import Contest, play_numbered
from kk_core.search.bots import AdaptiveSearcher, bot
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import NOTHING, BotKnowledge, memory_of, read, trust, updated
from kk_core.search.search import Budget
from kk_core.search.strategy import Believing, Readable, strategy_of
from kk_core.types import CommonObservation, Seat, SeenMove
from tests.core.contract.tables import Table, every_table, tables_of

WATCHER: Seat = 0
ROUNDS = 6


def tables_with(kind: type[Any]) -> list[Table]:
    """The tables of games whose strategy can do something."""
    return [
        table
        for game_id in game_ids()
        for table in tables_of(game_id)
        if isinstance(strategy_of(table.game, table.game.observe(table.match().state, 0)), kind)
    ]


every_readable = pytest.mark.parametrize("table", tables_with(Readable), ids=str)
WATCHED = tables_with(Readable) + tables_with(Believing)
every_watched = pytest.mark.parametrize("table", WATCHED, ids=str)
# where all choose at once, so few turns say too little: tests/core/ku_ka_king/test_reading.py
every_watched_in_turns = pytest.mark.parametrize(
    "table", [table for table in WATCHED if len(table.game.active_seats(table.match().state)) == 1], ids=str
)


def played(
    match: Match, bots: list[str]
) -> Iterator[tuple[CommonObservation, BotKnowledge, AdaptiveSearcher]]:
    """A match whose first seat is watched over: what it sees, and is told, before each of its choices."""
    game = match.game
    others = [bot(name, game) for name in bots]
    watcher, notes, chance = AdaptiveSearcher(game), BotMemory(), Chance(b"watching".ljust(32))
    while active := game.active_seats(match.state):
        seat = active[0]
        observation = game.observe(match.state, seat)
        if seat == WATCHER:
            known = notes.known(match, seat)
            known.tell(watcher, chance)
            yield observation, known, watcher
            notes.keep(match, memory_of(watcher))
        match.play(seat, others[seat].choose(observation, chance, Budget(20)))


@every_readable
def test_a_plain_player_is_expected_to_do_what_the_greedy_bot_does(table: Table) -> None:
    game, agreed = table.game, []
    match = table.match(31)
    greedy = bot("greedy", game)
    while active := game.active_seats(match.state):
        seat = active[0]
        observation = game.observe(match.state, seat)
        choices = {greedy.choose(observation, Chance(bytes([n]) * 32), Budget(1)) for n in range(4)}
        if len(observation.legal_moves) > 1:
            strategy = strategy_of(game, observation)
            assert isinstance(strategy, Readable)
            expected = set(strategy.plain_moves(strategy.position(match.state)))  # type: ignore[attr-defined]
            assert expected <= set(observation.legal_moves)
            agreed.append(bool(choices & expected))
        match.play(seat, min(choices))
    assert len(agreed) > 40
    assert agreed.count(False) <= 1  # sums in another order may round to another one of two equals


@every_watched_in_turns
def test_who_plays_plainly_is_trusted_after_some_turns_and_who_plays_badly_is_not(table: Table) -> None:
    kinds = ["random", "greedy", "easy", "random", "greedy"][: table.seats]
    turns = played(table.match(32), kinds)
    watcher = next(
        watcher
        for observation, _, watcher in turns
        if observation.turn >= ROUNDS * table.seats  # type: ignore[attr-defined]
    )
    trusted = trust(watcher.memory[: table.seats], WATCHER)
    assert [round(one) for one in trusted] == [int(kind == "greedy") for kind in kinds]
    assert trusted[WATCHER] == 0


@every_watched
def test_a_bot_that_watches_finds_a_legal_move_whomever_it_trusts(table: Table) -> None:
    choices = 0
    for observation, _, watcher in islice(played(table.match(33), ["greedy"] * table.seats), 3, None, 9):
        for odds in (-8.0, 0.0, 8.0):
            watcher.memory = (odds,) * table.seats + watcher.memory[table.seats :]
            move = watcher.choose(observation, Chance(bytes(32)), Budget(12))
            assert move in observation.legal_moves
            choices += 1
    assert choices


@every_table
def test_a_bot_is_told_what_its_seat_may_know_of_what_was_done_since_its_last_choice(table: Table) -> None:
    match, choices, told = table.match(34), 0, 0
    last: CommonObservation | None = None
    for observation, known, _ in played(match, ["random"] * table.seats):
        first = len(match.plies) - len(known.moves)
        for (_, seat, move, _), ply in zip(known.moves, match.plies[first:], strict=True):
            assert seat == ply.seat
            assert move == table.game.visible_move(*ply, WATCHER)
        if known.moves:
            assert known.moves[0][1:3] == match.plies[first]
        if last is not None:
            assert known.moves[0].observation == last
        assert {seen.observation.viewer for seen in known.moves} <= {WATCHER}
        last = observation
        choices += 1
        told += bool(known.moves)
    assert told == choices - 1 > 0


def test_what_others_call_in_secret_is_not_told() -> None:
    match = Table("ku_ka_king", 3).match(35)
    moves = {
        move
        for _, known, _ in played(match, ["random"] * 3)
        for _, seat, move, _ in known.moves
        if seat != WATCHER
    }
    assert moves == {None}


@every_readable
def test_a_bot_is_told_what_was_done_in_the_end_and_begins_anew_where_it_knew_more(table: Table) -> None:
    game, match, notes = table.game, table.match(36), BotMemory()
    observation = game.observe(match.state, 0)
    assert notes.known(match, 0) == NOTHING
    notes.keep(match, (0.5,) * table.seats)
    assert notes.known(match, 0) == BotKnowledge((0.5,) * table.seats)
    first, other = observation.legal_moves[-1], observation.legal_moves[-2]
    match.play(0, first)
    assert [seen[1:3] for seen in notes.known(match, 0).moves] == [(0, first)]
    match.undo(0)
    match.play(0, other)
    assert [seen[1:3] for seen in notes.known(match, 0).moves] == [(0, other)]
    notes.keep(match, (0.5,) * table.seats)
    match.undo(0)
    assert notes.known(match, 0) == NOTHING
    match.play(0, first)
    assert notes.known(match, 0) == NOTHING


@every_readable
def test_reading_ends_where_nothing_agrees_with_what_was_done(table: Table) -> None:
    game, match = table.game, table.match(37)
    observation = game.observe(match.state, 0)
    strategy = strategy_of(game, observation)
    assert isinstance(strategy, Readable)
    for seat, move in ((1, observation.legal_moves[0]), (0, max(observation.legal_moves) + 1), (0, None)):
        assert read(strategy, 0, [SeenMove(observation, seat, move)], Chance(bytes(32))) == {}


def test_nobody_is_so_certain_of_another_that_he_cannot_change_his_mind() -> None:
    odds = updated((0.0, 0.0), {1: 50.0})
    assert trust(odds, 0) == (0.0, 1.0)
    assert trust(updated(odds, {1: -8.0}), 0) == (0.0, 0.5)


def test_a_contest_with_bots_that_watch_can_be_played_again() -> None:
    table = Table("land_cards", 3, (("take", "one_by_one"),))
    contest = Contest("land_cards", ("expert:6", "greedy", "easy"), dict(table.options), "again")
    first, second = (play_numbered(table.game, contest, 1, lambda: 0.0) for _ in range(2))
    assert first == second
