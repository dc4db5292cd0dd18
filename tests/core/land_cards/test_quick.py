"""How bots play on in simulations: by the rules, though nobody checks it there."""

from __future__ import annotations

from random import Random

from kk_core.chance import Chance
from kk_core.games.land_cards.model import MOVE, OVER, PLACE, STONE, TAKE, TAKEN
from kk_core.games.land_cards.moves import settle
from kk_core.games.land_cards.quick import go_on
from kk_core.games.land_cards.state import State
from kk_core.games.land_cards.strategy import Strategy
from kk_core.types import totals
from tests.core.contract.tables import Table
from tests.core.land_cards.positions import RULES
from tests.core.land_cards.test_determinise import every_land_table


def leads_there(state: State, target: State) -> bool:
    """Whether legal moves of the seat whose turn it is lead to a state; what happened is no part of it."""
    if (state.turn, state.phase == OVER) == (target.turn, target.phase == OVER):
        return settle(state) == target
    return any(
        leads_there(RULES.apply(state, state.seat, move), target)
        for move in RULES.legal_moves(state, state.seat)
        if fits(state, move, target)
    )


def fits(state: State, move: int, target: State) -> bool:
    """Whether a move may be part of a turn after which the layout looks like that."""
    own = STONE + state.seat
    if move >= MOVE:
        return False  # nobody moves stones there
    if move >= PLACE:
        return target.board[move - PLACE] == own
    if TAKE <= move < TAKE + len(state.board):
        return target.board[move - TAKE] == TAKEN + state.seat
    return True


@every_land_table
def test_a_simulation_goes_on_with_legal_moves_of_one_turn_after_the_other(table: Table) -> None:
    random = Random(5)
    for number in range(3):
        state = table.match(number).state
        strategy = Strategy(RULES, RULES.observe(state, 0))
        position = strategy.position(state)
        while position.phase != OVER:
            go_on(position, random.random)
            after = settle(position.finished(()))
            assert leads_there(state, after)
            state = after
        assert tuple(strategy.expected(position)) == totals(RULES.score(state))


@every_land_table
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
        assert leads_there(state, settle(position.finished(())))


@every_land_table
def test_what_a_position_keeps_is_what_follows_from_the_state_after_every_move(table: Table) -> None:
    strategy = Strategy(RULES, RULES.observe(table.match(7).state, 0))
    position = strategy.position(table.match(7).state)
    for match in table.random_match(7):
        if match.plies:
            position.play(match.plies[-1].move)
        fresh = strategy.position(match.state)
        assert (position.codes, position.ends, position.board) == (fresh.codes, fresh.ends, fresh.board)
        assert position.rows == fresh.rows
        assert settle(strategy.copy(position).finished(())) == settle(match.state)
