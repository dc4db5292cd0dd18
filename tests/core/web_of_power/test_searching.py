"""What a bot searches: its own turns, to the end of the match where it has time for that."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kk_core.chance import Chance
from kk_core.games.web_of_power.ai.policy import Position
from kk_core.games.web_of_power.ai.strategy import Strategy
from kk_core.games.web_of_power.model import OVER
from kk_core.registry import game
from kk_core.search.advice import Adviser
from kk_core.search.search import Budget, MoveFigures, Search, SearchSettings
from kk_core.types import Move, Seat
from tests.core.web_of_power.positions import GAME, owned
from tests.core.web_of_power.positions import position as position_of

RULES = game("web_of_power")
STATE = RULES.setup(RULES.meta.default_options(), 4, bytes(32))


class Watched(Strategy):
    """Keeps who was asked what he likes."""

    asked: set[Seat]

    def priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        self.asked.add(seat)
        return super().priors(position, seat, moves)


def test_the_turns_of_the_others_are_played_and_not_searched() -> None:
    strategy = Watched(RULES, RULES.observe(STATE, 0))
    strategy.asked = set()
    findings = Search(strategy, 4, 0, Chance(bytes(32)), SearchSettings()).run(Budget(300))
    assert findings.simulations == 300
    assert strategy.asked == {0}


def test_another_plays_to_the_end_of_the_turn() -> None:
    strategy = Strategy(RULES, RULES.observe(STATE, 0))
    position = strategy.world(Chance(bytes(32)))
    strategy.let_play(position, Random(1))
    assert (position.turn, position.seat) == (STATE.turn + 1, 1)


def test_a_long_simulation_goes_further_and_tells_what_is_expected_on_its_way() -> None:
    strategy = Strategy(RULES, RULES.observe(STATE, 0))
    quick, long = strategy.world(Chance(bytes(32))), strategy.world(Chance(bytes(32)))
    strategy.playout(quick, Random(1))
    outlook = strategy.long_playout(long, Random(1))
    assert quick.phase != OVER
    assert long.turn > quick.turn
    assert outlook is not None
    points, spread = outlook
    assert len(points) == len(strategy.expected(long))
    assert spread == strategy.spread(quick)


def test_two_orders_of_the_same_placements_are_one_move_of_a_hint_however_they_are_paid_for() -> None:
    state = position_of(hand="FK FK FK", cloisters=owned("AR1 AR6", (0, 1)))
    lines = ("cloister AR2", "cloister AR3", "cloister AR4")
    single = [GAME.parse_move(f"{line} Franken/Aragon") for line in lines]
    double = [GAME.parse_move(f"{line} Franken/Aragon+Franken/Aragon") for line in lines]
    adviser = Adviser(GAME, GAME.observe(state, 0), Chance(bytes(32)), {})
    found = [
        MoveFigures(single[0], 30, 0.5, 2.0, double[1], 0.0),
        MoveFigures(single[1], 20, 0.5, 1.5, double[0], 0.0),
        MoveFigures(single[1], 10, 0.5, 1.0, double[2], 0.0),
        MoveFigures(single[2], 5, 0.5, 0.5, None, 0.0),
    ]
    assert adviser.different(found) == [found[0], found[2], found[3]]
