"""The levels that people play against: all know the same about a game, and think about it for as long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kk_core.bots.plain import PlainStrategy
from kk_core.bots.reading import read, trust, updated
from kk_core.bots.search import Budget, Findings, QuickChance, Search, Settings
from kk_core.bots.strategy import Believing, Readable, Strategy
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import part_of
from kk_core.types import Move, Observation, Seen

_CARE: Final = 0.5
"""How much the easy bot minds what is likely to be good: 1 as much as its policy does, 0 not at all."""

_RANDOM_BITS: Final = 1 << 24


def strategy_of(game: AnyGame, observation: Observation, learned: Sequence[float] = ()) -> Strategy[Any]:
    """What a game's folder knows of playing it; where it knows nothing, plain chance.

    `learned` says what somebody has found out who has watched: how likely every seat plays plainly, and then
    what that strategy believes.
    """
    module = part_of(game.meta.id, "strategy")
    make = PlainStrategy if module is None else module.Strategy
    made: Strategy[Any] = make(game, observation, learned)
    return made


class Searcher:
    """A bot that searches; how well it plays follows from its budget."""

    _settings = Settings()

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: Observation, chance: Chance, budget: Budget) -> Move:
        """The move that the search tried most; drawn by how often, where others choose at the same moment."""
        moves = observation.legal_moves
        if len(moves) == 1:
            return moves[0]
        search = self._search(observation, chance)
        return search.choose(search.run(budget, until_decided=True))

    def think(self, observation: Observation, chance: Chance, budget: Budget) -> Findings:
        """What is known of every move after a search, for whoever wants to explain or to advise."""
        return self._search(observation, chance).run(budget)

    def learned(self, observation: Observation) -> Sequence[float]:  # noqa: ARG002
        """What one has found out about the others, as for `strategy_of`."""
        return ()

    def _search(self, observation: Observation, chance: Chance) -> Search:
        assert observation.viewer is not None, "only seats have moves to choose from"
        strategy = strategy_of(self._game, observation, self.learned(observation))
        return Search(strategy, len(observation.points), observation.viewer, chance, self._settings)


class Watcher(Searcher):
    """A bot that sees further in its search, and watches the others: whoever plays plainly is foreseen."""

    _settings = Settings(is_keen=True, shared_worlds=160)

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self.memory: tuple[float, ...] = ()

    def watch(self, moves: Sequence[Seen], chance: Chance) -> None:
        """What has been done since an own choice, itself included."""
        before = moves[0].observation
        strategy = strategy_of(self._game, before)
        assert before.viewer is not None, "only seats watch"
        odds, beliefs = self._remembered(before)
        if isinstance(strategy, Believing):
            trusted = trust(odds, before.viewer)
            change, beliefs = strategy.learn(moves, trusted, beliefs, QuickChance(chance.word()))
        elif isinstance(strategy, Readable):
            change = read(strategy, before.viewer, moves, QuickChance(chance.word()))
        else:
            return
        self.memory = (*updated(odds, change), *beliefs)

    def learned(self, observation: Observation) -> Sequence[float]:
        assert observation.viewer is not None, "only seats have moves to choose from"
        odds, beliefs = self._remembered(observation)
        return (*trust(odds, observation.viewer), *beliefs)

    def _remembered(self, observation: Observation) -> tuple[Sequence[float], Sequence[float]]:
        """The odds of every seat, and what a strategy believes."""
        seats = len(observation.points)
        return self.memory[:seats] or (0.0,) * seats, self.memory[seats:]


class Easy:
    """A bot that does not look ahead: it makes likely moves, good ones more often than bad ones."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: Observation, chance: Chance, budget: Budget) -> Move:  # noqa: ARG002
        """A move by the policy, with less care."""
        moves, seat = observation.legal_moves, observation.viewer
        if len(moves) == 1 or seat is None:
            return moves[0]
        strategy = strategy_of(self._game, observation)
        position = strategy.world(QuickChance(chance.word()))
        weights = [prior**_CARE for prior in strategy.priors(position, seat, moves)]
        point = chance.below(_RANDOM_BITS) / _RANDOM_BITS * sum(weights)
        for move, weight in zip(moves, weights, strict=True):
            point -= weight
            if point < 0:
                return move
        return moves[-1]
