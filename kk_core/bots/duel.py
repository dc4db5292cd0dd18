"""Compares a few moves, each thought through as far as the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from kk_core.bots.levels import strategy_of
from kk_core.bots.search import NOBODY, Budget, Choices, MoveFigures, Search, Settings
from kk_core.bots.strategy import Outlook, Strategy
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.types import Move, Observation, Seat

_WORLDS: Final = 61
"""So many, a prime, since moves take turns: each of them meets every world."""
_SETTINGS: Final = Settings(worlds=_WORLDS)
KEENLY: Final = Settings(worlds=_WORLDS, is_keen=True)
"""To go on as expert does."""


def compared(
    game: AnyGame,
    observation: Observation,
    moves: Sequence[Move],
    chance: Chance,
    budget: Budget,
    settings: Settings = _SETTINGS,
    learned: Sequence[float] = (),
    others: Choices = NOBODY,
) -> dict[Move, MoveFigures]:
    """What is found out about a few moves of the observation's viewer, by move.

    All are tried equally often in one tree, in the same worlds, at least once each; `learned` is what one has
    found out about the others, as for `strategy_of`, and `others` what they choose at the same moment. That
    is what a search has found: here they would learn that it is one of these few.
    """
    assert observation.viewer is not None, "only seats make moves"
    strategy = strategy_of(game, observation, learned)
    few = _Few(strategy, observation.viewer, moves, others, Random(chance.word()))
    search = Search(few, len(observation.points), observation.viewer, chance, settings)
    for _ in moves:
        search.simulate()
    return {figures.move: figures for figures in search.run(budget).moves}


class _Few:
    """A game's strategy where at first the viewer has a few moves alone, which he makes in turns, and others
    who choose at the same moment do so at random, as likely as is known of them.

    So all are thought through equally far, while nobody can know which of them it is.
    """

    def __init__(
        self, strategy: Strategy[Any], viewer: Seat, moves: Sequence[Move], others: Choices, random: Random
    ) -> None:
        self._strategy, self._viewer, self._moves = strategy, viewer, moves
        self._others = {seat: (list(likely), list(likely.values())) for seat, likely in others.items()}
        self._random = random
        self._turn = 0
        self._is_first = False

    def world(self, chance: Chance) -> Any:
        return self._strategy.world(chance)

    def copy(self, position: Any) -> Any:
        """A simulation begins."""
        self._turn, self._is_first = (self._turn + 1) % len(self._moves), True
        return self._strategy.copy(position)

    def active(self, position: Any) -> tuple[Seat, ...]:
        return self._strategy.active(position)

    def legal(self, position: Any, seat: Seat) -> tuple[Move, ...]:
        if self._is_first and seat == self._viewer:
            return (self._moves[self._turn],)
        if self._is_first and seat in self._others:
            return (self._random.choices(*self._others[seat])[0],)
        return self._strategy.legal(position, seat)

    def step(self, position: Any, seat: Seat, move: Move) -> None:
        self._is_first = self._is_first and seat != self._viewer
        self._strategy.step(position, seat, move)

    def priors(self, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1.0] if len(moves) == 1 else self._strategy.priors(position, seat, moves)

    def keen_priors(self, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1.0] if len(moves) == 1 else self._strategy.keen_priors(position, seat, moves)

    @property
    def let_play(self) -> Callable[[Any, Random], bool] | None:
        return self._strategy.let_play

    def playout(self, position: Any, random: Random) -> None:
        self._strategy.playout(position, random)

    def long_playout(self, position: Any, random: Random) -> Outlook | None:
        return self._strategy.long_playout(position, random)

    def settle(self, position: Any, random: Random) -> None:
        self._strategy.settle(position, random)

    def expected(self, position: Any) -> Sequence[float]:
        return self._strategy.expected(position)

    def spread(self, position: Any) -> float:
        return self._strategy.spread(position)
