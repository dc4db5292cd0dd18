"""How bots play on in simulations: by the rules, though nobody checks it there.

A game's simulations make moves of their own, without asking for legal ones, on positions that are changed in
place and keep what follows from the rest. Here the rules make the same moves one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from kk_core.bots.levels import strategy_of
from kk_core.chance import Chance
from kk_core.games.ku_ka_king.model import with_cards
from kk_core.games.ku_ka_king.quick import go_on as go_on_with_rows
from kk_core.games.land_cards import model as cards
from kk_core.games.land_cards.moves import settle
from kk_core.games.land_cards.quick import go_on as go_on_with_cards
from kk_core.games.land_cards.turns import PLAIN_PLAYER, keen_player
from kk_core.games.web_of_power import model as land
from kk_core.games.web_of_power.keen import keen_of
from kk_core.games.web_of_power.quick import go_on as go_on_on_the_map
from kk_core.registry import game
from kk_core.types import Move, Seat, totals
from tests.core.contract.tables import Table, every_table

Noise = Callable[[], float]


DECK: Final = game("ku_ka_king").printed


class Simulated(NamedTuple):
    """A game's simulations: the ways in which one goes on for a turn, the state that a position stands for,
    whether a move may be part of what led from one state to another (anything else is not tried), and what a
    position keeps.
    """

    ways: tuple[Callable[[Any, Any, Noise], None], ...]
    state: Callable[[Any, Any], Any]
    fits: Callable[[Any, Seat, Move, Any], bool]
    kept: tuple[str, ...] = ()


def fits_cards(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    if move >= cards.MOVE:
        start, end = divmod(move - cards.MOVE, len(state.board))
        return bool(target.board[end] == cards.STONE + seat != target.board[start])
    if move >= cards.PLACE:
        return bool(target.board[move - cards.PLACE] == cards.STONE + seat)
    if cards.TAKE <= move < cards.TAKE + len(state.board):
        return bool(target.board[move - cards.TAKE] == cards.TAKEN + seat)
    return True


def fits_map(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    if move >= land.CLOISTER:
        space = (move - land.CLOISTER) % land.CLOISTER_STRIDE
        return bool(target.board[space] == land.CLOISTER_OF + seat)
    if move >= land.ADVISOR:
        place = (move - land.ADVISOR) % land.ADVISOR_STRIDE * state.deal.seats + seat
        return bool(target.advisors[place] > state.advisors[place])
    return True


def fits_rows(state: Any, seat: Seat, move: Move, target: Any) -> bool:
    """Cards that go back after the first scoring tell nothing."""
    after, row = target.collections[seat], state.rows[move - 1]
    if bool(state.first) != bool(target.first):
        return True
    return after in (state.collections[seat], with_cards(state.collections[seat], row))


def plainly_with_cards(_: Any, position: Any, noise: Noise) -> None:
    position.look_by(position.worths.plain_gains)
    PLAIN_PLAYER.play_turn(position, noise)


def keenly_with_cards(_: Any, position: Any, noise: Noise) -> None:
    position.look_by(position.worths.keen_gains)
    keen_player().play_turn(position, noise)


def keenly_on_the_map(_: Any, position: Any, noise: Noise) -> None:
    keen_of(position.tables).play_turn(position, noise)


SIMULATED: Final = {
    "land_cards": Simulated(
        (lambda _, position, noise: go_on_with_cards(position, noise), plainly_with_cards, keenly_with_cards),
        lambda _, position: settle(position.finished(())),
        fits_cards,
        ("codes", "ends", "board", "rows"),
    ),
    "web_of_power": Simulated(
        (lambda _, position, noise: go_on_on_the_map(position, noise), keenly_on_the_map),
        lambda strategy, position: position.finished(strategy.legal(position, position.seat)),
        fits_map,
        ("counts", "courts", "spaces", "borders", "free"),
    ),
    "ku_ka_king": Simulated(
        (lambda strategy, position, noise: go_on_with_rows(DECK, position, strategy.looks(position), noise),),
        lambda _, position: position.__replace__(),
        fits_rows,
    ),
}


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
    for match in table.glimpses(4):
        if match.is_over:
            continue
        observation = rules.observe(match.state, rules.active_seats(match.state)[0])
        strategy: Any = strategy_of(rules, observation)
        position = strategy.world(Chance(bytes(32)))
        state = simulated.state(strategy, position)
        for go_on in simulated.ways:
            after = strategy.copy(position)
            go_on(strategy, after, random.random)
            assert leads_there(table, state, simulated.state(strategy, after))


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
