"""Reviews: forecasts of a match, and the cost of a move, made or about to be, compared with the best one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from random import Random
from typing import Any, Final, NamedTuple

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.search.advice import Adviser, compared
from kk_core.search.bots import Searcher
from kk_core.search.search import WIN_SLOPE, Budget, QuickChance, leads
from kk_core.search.strategy import SearchStrategy, strategy_of
from kk_core.types import CommonObservation, Move
from kk_core.views import Advice

# made even when the time is over: they take next to no time
_LEAST_SAMPLES: Final = 8


class SearchDepth(NamedTuple):
    """The numbers of simulations to find the best move, and to compare it with the one played."""

    search: int
    duel: int


QUICK: Final = SearchDepth(100, 100)
CAREFUL: Final = SearchDepth(600, 1000)


class Expectation(NamedTuple):
    """Each seat's expected final lead over the best of the others in points, and its chance of winning."""

    margins: tuple[float, ...]
    chances: tuple[float, ...]


class Judgement(NamedTuple):
    """The move that was played and the best one found, which may be the same."""

    played: Advice
    better: Advice

    @property
    def cost(self) -> float:
        """The points the played move gives away; 0 if chance made the other look worse in the comparison."""
        return max(0.0, self.better.margin - self.played.margin)


def foresee(
    game: AnyGame, observations: Sequence[CommonObservation], chance: Chance, budget: Budget
) -> Expectation:
    """Return the expected result: the mean over what each of the observations' viewers could expect.

    Plays on `budget.simulations` matches for each of them, and a minimum even when the time is over.
    """
    seats = len(observations[0].points)
    margins, chances = [0.0] * seats, [0.0] * seats
    samples = 0
    strategies = [strategy_of(game, observation) for observation in observations]
    random, quick = Random(chance.word()), QuickChance(chance.word())
    for number in range(budget.simulations):
        if number >= _LEAST_SAMPLES and budget.is_spent():
            break
        for strategy in strategies:
            samples += 1
            sample = _played_on(strategy, quick, random)
            margins = [total + own for total, own in zip(margins, sample.margins, strict=True)]
            chances = [total + own for total, own in zip(chances, sample.chances, strict=True)]
    return Expectation(
        tuple(total / samples for total in margins), tuple(total / samples for total in chances)
    )


def _played_on(strategy: SearchStrategy[Any], chance: Chance, random: Random) -> Expectation:
    # only as far as playing on makes the evaluation better
    position = strategy.world(chance)
    strategy.playout(position, random)
    strategy.settle(position, random)
    points = strategy.expected(position)
    best, slope = max(points), WIN_SLOPE / strategy.spread(position)
    likely = [exp((own - best) * slope) for own in points]
    return Expectation(tuple(leads(points)), tuple(one / sum(likely) for one in likely))


def judge(
    game: AnyGame,
    observation: CommonObservation,
    played: Move,
    chance: Chance,
    depth: SearchDepth,
    share: Callable[[], float] = lambda: 0.0,
    *,
    explain: bool = False,
) -> Judgement:
    """Judge a move of the observation's viewer by what they knew; with `explain` also give the reasons.

    `share` returns the share of the time that is over, as in `Budget`.
    """
    assert observation.viewer is not None, "only seats make moves"
    # half of the time for the search, half for the duel
    search = Budget(depth.search, lambda: 2 * share())
    findings = Searcher(game).think(observation, chance, search)
    found, others = findings.moves[0], findings.others
    # comparing a move with itself would only give noise
    if found.move == played:
        same = Advice(played, 1.0, found.margin, 0.0, ())
        return Judgement(same, same)
    duel = Budget(depth.duel, share)
    figures = compared(game, observation, (found.move, played), chance, duel, others=others)
    adviser = Adviser(game, observation, chance, others) if explain else None

    def told(move: Move) -> Advice:
        if adviser is None:
            return Advice(move, 0.5, figures[move].margin, 0.0, ())
        contested, changes = adviser.contested(move), adviser.changes(move)
        return Advice(move, 0.5, figures[move].margin, contested, changes, None, adviser.promised(move))

    return Judgement(told(played), told(found.move))


# -- before a move is made -----------------------------------------------------------------------------------


MUCH: Final = 3.0
"""The cost in points from which a move gives much away."""

# The first look rarely errs by more than `_DOUBT` points; `QUICK` would miss a third of the costly moves.
_FIRST_LOOK: Final = SearchDepth(300, 400)
_DOUBT: Final = 2.0


def as_hinted(hint: Sequence[Advice], move: Move) -> Judgement | None:
    """Judge a move by the figures of a hint that was shown; None unless it costs `MUCH` or more.

    A new search would give other figures, and contradict those that the player has read.
    """
    found = Judgement(next(advice for advice in hint if advice.move == move), hint[0])
    return found if found.cost >= MUCH else None


def weigh(
    game: AnyGame,
    observation: CommonObservation,
    move: Move,
    chance: Chance,
    share: Callable[[], float] = lambda: 0.0,
) -> Judgement | None:
    """Judge a move that the observation's viewer is about to make; None unless it costs `MUCH` or more.

    The number of simulations is fixed, so the same chance always gives the same result. Also None if the time
    is over, according to `share`, before all of them are done.
    """

    def all_or_nothing() -> float:
        return float(share() >= 1)

    if judge(game, observation, move, chance, _FIRST_LOOK, all_or_nothing).cost < MUCH - _DOUBT:
        return None
    found = judge(game, observation, move, chance, CAREFUL, all_or_nothing, explain=True)
    return found if found.cost >= MUCH and not all_or_nothing() else None
