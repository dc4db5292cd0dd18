"""What a bot searches: its own turns, to the end of the match where it has time for that."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kk_core.chance import Chance
from kk_core.games.web_of_power.ai.policy import Position
from kk_core.games.web_of_power.ai.strategy import Strategy
from kk_core.games.web_of_power.model import OVER
from kk_core.registry import game
from kk_core.search.search import Budget, Search, SearchSettings
from kk_core.types import Move, Seat

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
