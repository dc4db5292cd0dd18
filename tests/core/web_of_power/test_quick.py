"""How bots play on in simulations: by the rules, though nobody checks it there."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    OVER,
)
from kk_core.games.web_of_power.quick import go_on
from kk_core.games.web_of_power.state import State
from kk_core.games.web_of_power.strategy import Strategy
from kk_core.registry import game
from kk_core.types import totals
from tests.core.contract.tables import Table, tables_of

RULES = game("web_of_power")

every_map_table = pytest.mark.parametrize("table", tables_of("web_of_power"), ids=str)


def leads_there(state: State, target: State) -> bool:
    """Whether legal moves of the seat whose turn it is lead to a state; what happened is no part of it."""
    if (state.turn, state.phase == OVER) == (target.turn, target.phase == OVER):
        return replace(state, events=()) == target
    return any(
        leads_there(RULES.apply(state, state.seat, move), target)
        for move in RULES.legal_moves(state, state.seat)
        if fits(state, move, target)
    )


def fits(state: State, move: int, target: State) -> bool:
    """Whether a move may be part of a turn after which the pieces stand like that."""
    if move >= CLOISTER:
        return target.board[(move - CLOISTER) % CLOISTER_STRIDE] == CLOISTER_OF + state.seat
    if move >= ADVISOR:
        place = (move - ADVISOR) % ADVISOR_STRIDE * state.deal.seats + state.seat
        return target.advisors[place] > state.advisors[place]
    return True


@every_map_table
def test_a_simulation_goes_on_with_legal_moves_of_one_turn_after_the_other(table: Table) -> None:
    random = Random(5)
    for number in range(2):
        state = table.match(number).state
        strategy = Strategy(RULES, RULES.observe(state, 0))
        position = strategy.position(state)
        while position.phase != OVER:
            go_on(position, random.random)
            after = replace(position.finished(strategy.legal(position, position.seat)), events=())
            assert leads_there(state, after)
            state = after
        assert tuple(strategy.expected(position)) == totals(RULES.score(state))


@every_map_table
def test_a_simulation_goes_on_from_the_middle_of_a_turn(table: Table) -> None:
    random = Random(6)
    for match in table.glimpses(4):
        if match.is_over:
            continue
        observation = RULES.observe(match.state, match.state.seat)
        strategy = Strategy(RULES, observation)
        position = strategy.world(Chance(bytes(32)))
        state = position.finished(observation.legal_moves)
        go_on(position, random.random)
        after = position.finished(strategy.legal(position, position.seat))
        assert leads_there(state, replace(after, events=()))


@every_map_table
def test_what_a_position_keeps_is_what_follows_from_the_state_after_every_move(table: Table) -> None:
    strategy = Strategy(RULES, RULES.observe(table.match(7).state, 0))
    position = strategy.position(table.match(7).state)
    for match in table.random_match(7):
        if match.plies:
            ply = match.plies[-1]
            position.play(ply.seat, ply.move)
        fresh = strategy.position(match.state)
        assert (position.counts, position.courts) == (fresh.counts, fresh.courts)
        assert (position.spaces, position.borders, position.free) == (fresh.spaces, fresh.borders, fresh.free)
        legal = strategy.legal(position, position.seat)
        assert strategy.copy(position).finished(legal) == replace(match.state, events=())
