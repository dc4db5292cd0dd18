"""Judges what was played: what everybody could expect, and what a move cost against the best one found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from random import Random
from typing import Any, Final, NamedTuple

from kk_core.bots.advice import Adviser
from kk_core.bots.levels import Searcher, strategy_of
from kk_core.bots.search import WIN_SLOPE, Budget, QuickChance, Search, Settings, leads
from kk_core.bots.strategy import Strategy
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.types import Move, Observation, Seat
from kk_core.wire.advice import Advice

_ODD_WORLDS: Final = 63
"""So many, since two moves take turns: each of them meets every world."""


class Depth(NamedTuple):
    """How many simulations look for the best move, and how many compare it with the one that was played."""

    search: int
    duel: int


class Outlook(NamedTuple):
    """By how many points each seat would end before the best of the others, and how likely it would win."""

    margins: tuple[float, ...]
    chances: tuple[float, ...]


class Judgement(NamedTuple):
    """The move that was played and the best one found, which may be the same."""

    played: Advice
    better: Advice

    @property
    def cost(self) -> float:
        """By how many points the better one is better; what chance made look worse costs nothing."""
        return max(0.0, self.better.margin - self.played.margin)


def foresee(game: AnyGame, observations: Sequence[Observation], chance: Chance, budget: Budget) -> Outlook:
    """What is to be expected: the mean over what each of the observations' viewers could expect.

    `budget.simulations` matches are played on for each of them.
    """
    seats = len(observations[0].points)
    margins, chances = [0.0] * seats, [0.0] * seats
    samples = 0
    strategies = [strategy_of(game, observation) for observation in observations]
    random, quick = Random(chance.word()), QuickChance(chance.word())
    for number in range(budget.simulations):
        if number and budget.is_spent():
            break
        for strategy in strategies:
            samples += 1
            sample = _played_on(strategy, quick, random)
            margins = [total + own for total, own in zip(margins, sample.margins, strict=True)]
            chances = [total + own for total, own in zip(chances, sample.chances, strict=True)]
    return Outlook(tuple(total / samples for total in margins), tuple(total / samples for total in chances))


def _played_on(strategy: Strategy[Any], chance: Chance, random: Random) -> Outlook:
    """One match played on as far as it makes the evaluation better."""
    position = strategy.world(chance)
    strategy.playout(position, random)
    points = strategy.expected(position)
    best, slope = max(points), WIN_SLOPE / strategy.spread(position)
    likely = [exp((own - best) * slope) for own in points]
    return Outlook(tuple(leads(points)), tuple(one / sum(likely) for one in likely))


def judge(
    game: AnyGame,
    observation: Observation,
    played: Move,
    chance: Chance,
    depth: Depth,
    share: Callable[[], float] = lambda: 0.0,
    *,
    explain: bool = False,
) -> Judgement:
    """How good a move of the observation's viewer was, by what he knew; with `explain` also why.

    `share` says how much of the time is over, as in `Budget`.
    """
    assert observation.viewer is not None, "only seats make moves"
    seat = observation.viewer
    search = Budget(depth.search, lambda: 2 * share())
    found = Searcher(game).think(observation, chance, search).moves[0]
    if found.move == played:
        same = Advice(played, 1.0, found.margin, 0.0, ())
        return Judgement(same, same)
    pair = _Pair(strategy_of(game, observation), seat, (found.move, played))
    duel = Search(pair, len(observation.points), seat, chance, Settings(worlds=_ODD_WORLDS))
    for _ in pair.moves:
        duel.simulate()
    margins = {figures.move: figures.margin for figures in duel.run(Budget(depth.duel, share)).moves}
    adviser = Adviser(game, observation, chance) if explain else None

    def told(move: Move) -> Advice:
        if adviser is None:
            return Advice(move, 0.5, margins[move], 0.0, ())
        return Advice(move, 0.5, margins[move], adviser.contested(move), adviser.changes(move))

    return Judgement(told(played), told(found.move))


class _Pair:
    """A game's strategy where at first the viewer has two moves alone, which he makes in turns.

    So both are thought through equally far, while the others, who may choose at the same moment, cannot know
    which of them it is.
    """

    def __init__(self, strategy: Strategy[Any], viewer: Seat, moves: tuple[Move, Move]) -> None:
        self._strategy, self._viewer, self.moves = strategy, viewer, moves
        self._turn = 0
        self._is_first = False

    def world(self, chance: Chance) -> Any:
        return self._strategy.world(chance)

    def copy(self, position: Any) -> Any:
        """A simulation begins."""
        self._turn, self._is_first = 1 - self._turn, True
        return self._strategy.copy(position)

    def active(self, position: Any) -> tuple[Seat, ...]:
        return self._strategy.active(position)

    def legal(self, position: Any, seat: Seat) -> tuple[Move, ...]:
        if self._is_first and seat == self._viewer:
            return (self.moves[self._turn],)
        return self._strategy.legal(position, seat)

    def step(self, position: Any, seat: Seat, move: Move) -> None:
        self._is_first = self._is_first and seat != self._viewer
        self._strategy.step(position, seat, move)

    def priors(self, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1.0] if len(moves) == 1 else self._strategy.priors(position, seat, moves)

    @property
    def let_play(self) -> Callable[[Any, Random], None] | None:
        return self._strategy.let_play

    def playout(self, position: Any, random: Random) -> None:
        self._strategy.playout(position, random)

    def long_playout(self, position: Any, random: Random) -> None:
        self._strategy.long_playout(position, random)

    def expected(self, position: Any) -> Sequence[float]:
        return self._strategy.expected(position)

    def spread(self, position: Any) -> float:
        return self._strategy.spread(position)
