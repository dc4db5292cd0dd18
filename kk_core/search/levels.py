"""The levels that people play against. All know the same about a game, and think about it for as long."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import part_of
from kk_core.search.opponents import read, trust, updated
from kk_core.search.search import Budget, Findings, QuickChance, Search, SearchSettings
from kk_core.search.strategy import Believing, Readable, SearchStrategy
from kk_core.types import CommonObservation, Move, Seat, SeenMove, totals

# Moves after which a random match is judged as it stands.
_LONGEST: Final = 400

_SPREAD: Final = 5.0


# -- any game ------------------------------------------------------------------------------------------------


class _Position:
    """A state that can be changed in place."""

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state


class PlainStrategy:
    """The strategy for a game that has none: the rules alone."""

    let_play: Final = None

    def __init__(self, game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()) -> None:  # noqa: ARG002
        self._game, self._observation = game, observation

    def world(self, chance: Chance) -> _Position:
        """Return a state that the viewer could believe in."""
        return _Position(self._game.determinise(self._observation, chance))

    def copy(self, position: _Position) -> _Position:
        """Return the same state to be changed by itself."""
        return _Position(position.state)

    def active(self, position: _Position) -> tuple[Seat, ...]:
        """Return who may act."""
        return self._game.active_seats(position.state)

    def legal(self, position: _Position, seat: Seat) -> tuple[Move, ...]:
        """Return the moves of a seat."""
        return tuple(self._game.legal_moves(position.state, seat))

    def step(self, position: _Position, seat: Seat, move: Move) -> None:
        """Make a move."""
        position.state = self._game.apply(position.state, seat, move)

    def priors(self, position: _Position, seat: Seat, moves: Sequence[Move]) -> list[float]:  # noqa: ARG002
        """Return the same for all."""
        return [1 / len(moves)] * len(moves)

    keen_priors = priors

    def playout(self, position: _Position, random: Random) -> None:
        """Play at random to the end."""
        for _ in range(_LONGEST):
            active = self.active(position)
            if not active:
                return
            self.step(position, active[0], random.choice(self.legal(position, active[0])))

    long_playout = playout

    def settle(self, position: Any, random: Random) -> None:
        """Do nothing: everybody has had their turns when the match is over."""

    def expected(self, position: _Position) -> Sequence[float]:
        """Return the points as they stand; the winners by the rules of a tie are ahead of all others."""
        points: list[float] = list(totals(self._game.score(position.state)))
        outcome = self._game.outcome(position.state)
        # a point more than all with as many: the search knows points alone, and ties are broken by rule
        if outcome is not None:
            for seat in outcome.winners:
                points[seat] += 1
        return points

    def spread(self, position: _Position) -> float:
        """Return little when the match is over."""
        return _SPREAD if self.active(position) else 0.3


# -- levels --------------------------------------------------------------------------------------------------


# The easy bot's regard for what is likely to be good: 1 as much as its policy has, 0 none at all.
_CARE: Final = 0.5

_RANDOM_BITS: Final = 1 << 24


def strategy_of(
    game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()
) -> SearchStrategy[Any]:
    """Return the strategy in a game's folder, or a plain one that plays by chance.

    `learned` is what a bot that watches has found out: how likely every seat plays plainly, and then what
    that strategy believes.
    """
    module = part_of(game.meta.id, "ai.strategy")
    make = PlainStrategy if module is None else module.Strategy
    made: SearchStrategy[Any] = make(game, observation, learned)
    return made


class Searcher:
    """A bot that searches; how well it plays follows from its budget."""

    _settings = SearchSettings()

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose the move tried most; where all choose at once, one drawn by how often it was tried."""
        moves = observation.legal_moves
        if len(moves) == 1:
            return moves[0]
        search = self._search(observation, chance)
        return search.choose(search.run(budget, until_decided=True))

    def think(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Findings:
        """Search, and return what is known of every move, for callers that explain or advise."""
        return self._search(observation, chance).run(budget)

    def learned(self, observation: CommonObservation) -> Sequence[float]:  # noqa: ARG002
        """Return what was found out about the others, as for `strategy_of`."""
        return ()

    def _search(self, observation: CommonObservation, chance: Chance) -> Search:
        assert observation.viewer is not None, "only seats have moves to choose from"
        strategy = strategy_of(self._game, observation, self.learned(observation))
        return Search(strategy, len(observation.points), observation.viewer, chance, self._settings)


class Watcher(Searcher):
    """A bot that looks further ahead and watches the others: it foresees those that play plainly."""

    _settings = SearchSettings(is_keen=True, shared_worlds=160)

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self.memory: tuple[float, ...] = ()

    def watch(self, moves: Sequence[SeenMove], chance: Chance) -> None:
        """Learn from what has been done since an own choice, itself included."""
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

    def learned(self, observation: CommonObservation) -> Sequence[float]:
        assert observation.viewer is not None, "only seats have moves to choose from"
        odds, beliefs = self._remembered(observation)
        return (*trust(odds, observation.viewer), *beliefs)

    def _remembered(self, observation: CommonObservation) -> tuple[Sequence[float], Sequence[float]]:
        seats = len(observation.points)
        return self.memory[:seats] or (0.0,) * seats, self.memory[seats:]


class Easy:
    """A bot that does not look ahead: it makes likely moves, good ones more often than bad ones."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:  # noqa: ARG002
        """Choose a move by the policy, with less care."""
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
