"""What a search tells of the moves that it has tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from kk_core.chance import Chance
from kk_core.search.search import Budget, Search, SearchSettings
from kk_core.search.strategy import strategy_of
from kk_core.types import Move, Seat, Sheet
from tests.core.contract.tables import Table
from tests.core.contract.test_bots import choices_of

FIRST: Final = (1, 2)
NEXT: Final = (3, 4, 5)
SEED: Final = bytes(32)


class Turn:
    """A turn of two moves, the first of `FIRST` and then one of `NEXT`; another seat ends the match."""

    let_play = None
    foretell = None

    def __init__(self, worth: dict[Move, float]) -> None:
        self._worth = worth
        self.tried: Counter[tuple[Move, ...]] = Counter()
        """How often a simulation has begun so."""

    def world(self, chance: Chance) -> list[Move]:
        return []

    def copy(self, position: list[Move]) -> list[Move]:
        return [*position]

    def active(self, position: list[Move]) -> tuple[Seat, ...]:
        return ((0,), (0,), (1,), ())[len(position)]

    def legal(self, position: list[Move], seat: Seat) -> tuple[Move, ...]:
        return (FIRST, NEXT, (6, 7))[len(position)]

    def step(self, position: list[Move], seat: Seat, move: Move) -> None:
        position.append(move)
        if len(position) == 2:
            self.tried[tuple(position)] += 1

    def priors(self, position: list[Move], seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1 / len(moves)] * len(moves)

    keen_priors = priors

    def playout(self, position: list[Move], random: Random) -> None: ...

    long_playout = settle = playout

    def expected(self, position: list[Move]) -> tuple[float, float]:
        return sum(self._worth.get(move, 0.0) for move in position), 0.0

    def spread(self, position: list[Move]) -> float:
        return 5.0

    def sheet(self, position: list[Move]) -> Sheet:
        raise NotImplementedError


@pytest.mark.parametrize("better", [1.0, 2.0, 4.0, 16.0])
def test_what_follows_a_move_is_told_where_it_was_tried_ten_times_and_twice_as_often_as_anything_else(
    better: float,
) -> None:
    told = [False, False]
    for simulations in range(10, 200, 3):
        turn = Turn({3: better, 4: better / 2})
        findings = Search(turn, 2, 0, Chance(SEED), SearchSettings()).run(Budget(simulations))
        for found in findings.moves:
            tried = [(turn.tried[found.move, move], move) for move in NEXT]
            (most, favourite), (second, _), _ = sorted(tried, reverse=True)
            stands_out = most >= 10 and most > 2 * second
            assert found.then == (favourite if stands_out else None), turn.tried
            told[stands_out] = True
    assert all(told), "both are met"


def test_where_all_choose_at_once_a_search_goes_on_to_the_end_of_its_budget() -> None:
    """What is played is drawn by how often it was tried: one that stops early is easier to foretell."""
    table, simulations, one_leads = Table("ku_ka_king", 2), [], False
    for match, seat in choices_of(table, 18):
        observation = table.game.observe(match.state, seat)
        search = Search(strategy_of(table.game, observation), 2, seat, Chance(SEED), SearchSettings())
        findings = search.run(Budget(400), until_decided=True)
        simulations.append(findings.simulations)
        first, second, *_ = findings.moves
        one_leads |= first.visits - second.visits > 60
    assert set(simulations) == {400}
    assert one_leads, "a lead that nothing can make up for before the end"
