"""How bots play on in simulations: by the rules, though nobody checks it there.

A game's simulations make moves of their own, without asking for legal ones, on positions that are changed in
place and keep what follows from the rest. Here the rules make the same moves one by one. A game that has a
`strategy.py` tells about its own in `tests/core/<id>/simulations.py`.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.registry import game_ids, part_of
from kk_core.search.strategy import strategy_of
from kk_core.types import totals
from tests.core.contract.simulated import Simulated
from tests.core.contract.tables import Table, tables_of

SIMULATED: Final[dict[str, Simulated]] = {
    game_id: import_module(f"tests.core.{game_id}.simulations").SIMULATED
    for game_id in game_ids()
    if part_of(game_id, "ai.strategy") is not None
}

every_table = pytest.mark.parametrize(
    "table", [table for game_id in SIMULATED for table in tables_of(game_id)], ids=str
)


def leads_there(table: Table, state: Any, target: Any) -> bool:
    """Whether legal moves lead from a state to another with the next turn; what happened is no part of it."""
    rules, fits = table.game, SIMULATED[table.game_id].fits
    active = rules.active_seats(state)
    if (rules.turn(state), bool(active)) == (rules.turn(target), bool(rules.active_seats(target))):
        return bool(replace(state, events=()) == replace(target, events=()))
    return bool(active) and any(
        leads_there(table, rules.apply(state, active[0], move), target)
        for move in rules.legal_moves(state, active[0])
        if fits(state, active[0], move, target)
    )


@every_table
def test_a_simulation_goes_on_with_legal_moves_of_one_turn_after_the_other(table: Table) -> None:
    rules, random, simulated = table.game, Random(5), SIMULATED[table.game_id]
    for number in range(2):
        state = table.match(number).state
        strategy: Any = strategy_of(rules, rules.observe(state, 0))
        position = strategy.position(state)
        go_on = simulated.ways[number % len(simulated.ways)]
        while strategy.active(position):
            go_on(strategy, position, random.random)
            after = simulated.state(strategy, position)
            assert leads_there(table, state, after)
            state = after
        assert tuple(strategy.expected(position)) == totals(rules.score(state))


@every_table
def test_a_simulation_goes_on_from_the_middle_of_a_turn(table: Table) -> None:
    rules, random, simulated = table.game, Random(6), SIMULATED[table.game_id]
    looked = 0
    for match in table.glimpses(4):
        if match.is_over:
            continue
        looked += 1
        observation = rules.observe(match.state, rules.active_seats(match.state)[0])
        strategy: Any = strategy_of(rules, observation)
        position = strategy.world(Chance(bytes(32)))
        state = simulated.state(strategy, position)
        for go_on in simulated.ways:
            after = strategy.copy(position)
            go_on(strategy, after, random.random)
            assert leads_there(table, state, simulated.state(strategy, after))
    assert looked


@every_table
def test_a_long_simulation_sees_at_least_as_far_as_a_quick_one(table: Table) -> None:
    rules, simulated = table.game, SIMULATED[table.game_id]
    strategy: Any = strategy_of(rules, rules.observe(table.match(8).state, 0))
    quick = strategy.position(table.match(8).state)
    position = strategy.copy(quick)
    strategy.playout(quick, Random(8))
    strategy.long_playout(position, Random(8))
    end, nearer = simulated.state(strategy, position), simulated.state(strategy, quick)
    assert rules.turn(end) >= rules.turn(nearer)


@every_table
def test_what_a_position_keeps_is_what_follows_from_the_state_after_every_move(table: Table) -> None:
    rules, simulated = table.game, SIMULATED[table.game_id]
    strategy: Any = strategy_of(rules, rules.observe(table.match(7).state, 0))
    position = strategy.position(table.match(7).state)
    for match in table.random_match(7):
        if match.plies:
            ply = match.plies[-1]
            strategy.step(position, ply.seat, ply.move)
        fresh = strategy.position(match.state)
        for name in simulated.kept:
            assert getattr(position, name) == getattr(fresh, name), name
        after = simulated.state(strategy, strategy.copy(position))
        assert replace(after, events=()) == replace(match.state, events=())
