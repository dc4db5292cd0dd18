"""Reviews: forecasts of a match, and the cost of a move, made or about to be, compared with the best one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from random import Random
from typing import Any, Final, NamedTuple

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.search.advice import KEENLY, Adviser, Comparison, Study, compared, error_of, study
from kk_core.search.bots import Searcher
from kk_core.search.opponents import BotKnowledge
from kk_core.search.search import WIN_SLOPE, Budget, MoveFigures, QuickChance, leads
from kk_core.search.strategy import SearchStrategy, strategy_of
from kk_core.types import CommonObservation, Move
from kk_core.views import CLOSE, Advice, is_even

# made even when the time is over: they take next to no time
_LEAST_SAMPLES: Final = 8


class SearchDepth(NamedTuple):
    """The numbers of simulations to find the best move, and to compare it with the one played."""

    search: int
    duel: int


QUICK: Final = SearchDepth(100, 100)


class Expectation(NamedTuple):
    """Each seat's expected lead over the best other one at the end, and its chance of winning."""

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
    # The margins are those of the mean points. The mean of the margins would have everybody behind: whoever
    # of several others does best in a match has more than each of them on average.
    seats = len(observations[0].points)
    points, chances = [0.0] * seats, [0.0] * seats
    samples = 0
    strategies = [strategy_of(game, observation) for observation in observations]
    random, quick = Random(chance.word()), QuickChance(chance.word())
    for number in range(budget.simulations):
        if number >= _LEAST_SAMPLES and budget.is_spent():
            break
        for strategy in strategies:
            samples += 1
            ends, likely = _played_on(strategy, quick, random)
            points = [total + own for total, own in zip(points, ends, strict=True)]
            chances = [total + own for total, own in zip(chances, likely, strict=True)]
    margins = leads([total / samples for total in points])
    return Expectation(tuple(margins), tuple(total / samples for total in chances))


def _played_on(
    strategy: SearchStrategy[Any], chance: Chance, random: Random
) -> tuple[Sequence[float], Sequence[float]]:
    # The points and chances at the end of a match, played on only as far as that makes the evaluation better.
    position = strategy.world(chance)
    strategy.playout(position, random)
    strategy.settle(position, random)
    points = strategy.expected(position)
    best, slope = max(points), WIN_SLOPE / strategy.spread(position)
    likely = [exp((own - best) * slope) for own in points]
    return points, [one / sum(likely) for one in likely]


def judge(
    game: AnyGame,
    observation: CommonObservation,
    played: Move,
    chance: Chance,
    depth: SearchDepth,
    share: Callable[[], float] = lambda: 0.0,
) -> Judgement:
    """Judge a move of the observation's viewer quickly, by what they knew, and without reasons.

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
    return Judgement(*(Advice(move, 0.5, figures[move].margin, 0.0, ()) for move in (played, found.move)))


# -- beside a study ------------------------------------------------------------------------------------------


MUCH: Final = 3
"""The points, rounded as people read them, from which a move gives away much."""

LEAST: Final = 1.0
"""The minimum cost, in points, for a move of a finished match to be reported."""

# A move that the hint does not show is compared with its best one until it is clear whether it gives away
# much, and then whether it is worth reporting. That is asked after so many simulations, and after the last of
# them in any case.
_LOOKS: Final = (80, 160, 320, 640)
# Standard errors by which a difference is certain.
_CERTAIN: Final = 2.0


def weigh(
    game: AnyGame,
    observation: CommonObservation,
    study: Study,
    move: Move,
    chance: Chance,
    share: Callable[[], float] = lambda: 0.0,
    least: float | None = None,
) -> Judgement | None:
    """Judge a move that the observation's viewer is about to make; None unless it surely gives away `MUCH`.

    It is judged beside the best one of the `study` that hints come from, and by the hint's figures where it
    is one of those, so that neither contradicts the other. The simulations are counted: the same chance
    always says the same. Once `share` says that time is up, nothing is said.

    With `least`, smaller costs are reported too, down to that many points.
    """
    hinted = as_hinted(study.moves, move)
    if hinted is not None:
        is_told = round(hinted.cost) >= MUCH or (least is not None and hinted.cost >= least)
        # what the hint says to be about as good is no mistake
        return hinted if is_told and not is_even(hinted.better, hinted.played) else None
    best = study.moves[0]
    found = _certain(game, observation, study, move, chance, share, least)
    if found is None:
        return None
    played, cost, beside = found
    # with what mostly follows it, as the best one is told with what follows that
    adviser = Adviser(game, observation, chance, study.others)
    told = adviser.advice(played._replace(margin=best.margin - cost), 0.0)
    return Judgement(beside.beside(best, told), best)


def review(
    game: AnyGame,
    observation: CommonObservation,
    played: Move,
    known: BotKnowledge,
    simulations: int,
    seed: bytes,
    share: Callable[[], float] = lambda: 0.0,
) -> Judgement | None:
    """Judge a move that the observation's viewer has made; None if it is about as good as the best one.

    It is judged by the study that hint and coach spoke from, or would have, so that it does not contradict
    them: what costs `MUCH` here is what the coach warns of, and for the same cost. The `seed` is that of the
    study, as `study_seed` gives it.
    """
    # half of the time for the study, as for a search and a comparison
    found = study(game, observation, Chance(seed), Budget(simulations, lambda: 2 * share()), known)
    if not found.moves:
        return None
    least = CLOSE if found.others else LEAST
    return weigh(game, observation, found, played, Chance(seed), share, least)


def as_hinted(hint: Sequence[Advice], move: Move) -> Judgement | None:
    """Judge a move by the figures that a hint tells of it; None where it does not show the move."""
    told = next((advice for advice in hint if advice.move == move), None)
    return None if told is None else Judgement(told, hint[0])


def _certain(
    game: AnyGame,
    observation: CommonObservation,
    study: Study,
    move: Move,
    chance: Chance,
    share: Callable[[], float],
    least: float | None,
) -> tuple[MoveFigures, float, Comparison] | None:
    """Return a move's figures, by how many points it is worse than the best one, and their comparison, if
    that is certainly much or, with `least`, certainly worth telling.
    """
    is_much = True  # as far as is known
    moves = study.moves[0].move, move
    beside = Comparison(game, observation, moves, chance, KEENLY, study.learned, study.others)
    for number in _LOOKS:
        figures = {found.move: found for found in beside.run(Budget(number, share)).moves}
        if share() >= 1:
            return None
        best, played = (figures[each] for each in moves)
        cost = best.margin - played.margin
        doubt = _CERTAIN * error_of(best, played)
        if is_much and cost - doubt >= MUCH:
            break
        is_much = is_much and cost + doubt >= MUCH
        if not is_much and (least is None or cost + doubt < least or cost - doubt >= least):
            break
    if is_much and round(cost) >= MUCH:
        is_told = cost - doubt >= MUCH / 2
    else:
        # where the coach is silent it must not be reported as a big mistake
        is_told = least is not None and least <= cost and round(cost) < MUCH and cost - doubt >= least / 2
    return (played, cost, beside) if is_told else None
