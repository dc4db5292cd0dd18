"""The plan of the analysis of a finished match.

A `MatchAnalysis` does no search itself: it asks one question after the other and takes in the answers,
whoever gives them. First it asks at every turn for a forecast; then every move is judged quickly, and the
apparently costliest ones are reviewed: beside the study that hint and coach speak from, so that nothing is
called a mistake that a hint proposed. Questions contain observations, so that a move is judged by what its
player could know, and a forecast weighs what each player could know equally.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias

from kk_core import views as told
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Replay
from kk_core.search.advice import SIMULATIONS, study_seed
from kk_core.search.opponents import BotKnowledge
from kk_core.search.review import QUICK, Expectation, Judgement, SearchDepth, foresee, judge, review
from kk_core.search.search import Budget, leads
from kk_core.types import CommonObservation, Move, totals

# the least weight of a point, so that even in a decided match the costliest moves are shown
_DECIDED: Final = 0.05


class Effort(NamedTuple):
    """The amount of search for the analysis of a match.

    At every turn `samples` simulations are divided among the players' views. Every move is judged with depth
    `quick`, and of the `suspects` costliest ones, at least `own` of every seat, the choice is studied with
    as many simulations as for a hint.
    """

    samples: int = 128
    quick: SearchDepth = QUICK
    study: int = SIMULATIONS
    suspects: int = 12
    own: int = 3


class ForecastQuestion(NamedTuple):
    """A question: the expected result after `ply` plies, as every seat sees it."""

    ply: int
    observations: tuple[CommonObservation, ...]
    samples: int
    seed: bytes

    @property
    def work(self) -> int:
        """The approximate number of simulations it takes."""
        return self.samples * len(self.observations)


class JudgementQuestion(NamedTuple):
    """A question: how good the move after `ply` plies seems to have been."""

    ply: int
    observation: CommonObservation
    played: Move
    depth: SearchDepth
    seed: bytes

    @property
    def work(self) -> int:
        """The approximate number of simulations it takes."""
        return sum(self.depth)


class ReviewQuestion(NamedTuple):
    """A question: whether the move after `ply` plies was a mistake, by the study that a hint comes from.

    Its player saw the observation, and had seen what is `known`.
    """

    ply: int
    observation: CommonObservation
    known: BotKnowledge
    played: Move
    simulations: int
    seed: bytes

    @property
    def work(self) -> int:
        """The approximate number of simulations it takes."""
        return 2 * self.simulations


Question: TypeAlias = ForecastQuestion | JudgementQuestion | ReviewQuestion


class MatchAnalysis:
    """The findings about a match, and the next question."""

    def __init__(self, replay: Replay, effort: Effort = Effort()) -> None:  # noqa: B008 - it is frozen
        self._effort = effort
        self.match = replay.match
        self._replay = replay
        course = replay.course()
        self._end = len(course.movers)
        self._looks = sorted({0, *course.turns, self._end})
        self._choices = [ply for ply in range(self._end) if len(self._seen(ply).legal_moves) > 1]
        self._forecasts: list[told.Forecast] = []
        self._costs: dict[int, float] = {}
        self._judged: dict[int, Judgement] = {}
        self._reviewed = 0
        # an upper bound until all quick answers are in
        self._suspected = min(len(self._choices), effort.suspects + effort.own * len(self.match.seats))
        self._done = 0
        self._questions = self._plan()
        self._asked: Question | None = next(self._questions, None)

    @property
    def game(self) -> AnyGame:
        """The rules that the match was played by."""
        return self.match.game

    @property
    def question(self) -> Question | None:
        """The question to answer next, until `take` gets the answer; None when all is done."""
        return self._asked

    @property
    def left(self) -> int:
        """The approximate number of simulations still to make."""
        if self._asked is None:
            return 0
        looks = (len(self._looks) - len(self._forecasts)) * self._effort.samples
        judged = (len(self._choices) - len(self._costs)) * sum(self._effort.quick)
        return looks + judged + (self._suspected - self._reviewed) * 2 * self._effort.study

    def take(self, answer: Expectation | Judgement | None) -> None:
        """Take in the answer to `question`; None if there is none."""
        asked = self._asked
        assert asked is not None, "answers come to questions"
        match asked, answer:
            case ForecastQuestion(), Expectation():
                self._forecasts.append(told.Forecast(asked.ply, answer.margins, answer.chances))
            case JudgementQuestion(), Judgement():
                self._costs[asked.ply] = answer.cost
            case ReviewQuestion(), Judgement():
                self._judged[asked.ply] = answer
        self._reviewed += isinstance(asked, ReviewQuestion)
        self._done += asked.work
        self._asked = next(self._questions, None)

    def found(self, known: int = 0) -> told.Analysis:
        """Return the findings so far, without the first `known` forecasts."""
        left = self.left
        share = self._done / (self._done + left) if left else 1.0
        return told.Analysis(share, tuple(self._forecasts[known:]), self._costly_moves())

    # -- the plan --------------------------------------------------------------------------------------------

    def _plan(self) -> Iterator[Question]:
        for ply in self._looks:
            yield from self._look(ply)
        for ply in self._choices:
            depth = self._effort.quick
            seed = self._seed(ply, depth.search)
            yield JudgementQuestion(ply, self._seen(ply), self.match.plies[ply].move, depth, seed)
        suspects = self._suspects()
        # from here on `left` is exact
        self._suspected = len(suspects)
        for ply in suspects:
            yield self._review(ply)

    def _suspects(self) -> list[int]:
        # chosen by chances of winning over the whole match, and by points for each seat; worst first
        costly = [ply for ply, cost in self._costs.items() if cost > 0]
        worst = sorted(costly, key=lambda ply: (-self._costs[ply], ply))
        by_chances = sorted(worst, key=lambda ply: -self._costs[ply] * self._weight(ply))
        suspects = {*by_chances[: self._effort.suspects]}
        for seat in range(len(self.match.seats)):
            suspects.update([ply for ply in worst if self.match.plies[ply].seat == seat][: self._effort.own])
        return [ply for ply in worst if ply in suspects]

    def _weight(self, ply: int) -> float:
        # a point matters most for a seat's chances when they are even
        before = self._forecasts[bisect_right(self._forecasts, ply, key=lambda forecast: forecast.ply) - 1]
        chance = before.chances[self.match.plies[ply].seat]
        return max(_DECIDED, 4 * chance * (1 - chance))

    def _look(self, ply: int) -> Iterator[ForecastQuestion]:
        # at the end no forecast is needed: the result is known
        game, state = self.game, self._replay.at(ply).state
        seats = len(self.match.seats)
        if not ply and game.active_seats(state):
            # before anybody has moved nobody is said to be ahead, whatever the deal is worth
            self._forecasts.append(told.Forecast(0, (0.0,) * seats, (1 / seats,) * seats))
        elif game.active_seats(state):
            seen = tuple(game.observe(state, seat) for seat in range(seats))
            yield ForecastQuestion(ply, seen, max(1, self._effort.samples // seats), self._seed(ply, 0))
        else:
            self._forecasts.append(_outcome(game, state, ply))

    def _review(self, ply: int) -> ReviewQuestion:
        seat, move = self.match.plies[ply]
        # what a hint would have been given for
        seen, before = self._replay.at(ply).choice_of(seat)
        known = BotKnowledge(moves=before)
        seed = study_seed(self.game, seen, known)
        return ReviewQuestion(ply, seen, known, move, self._effort.study, seed)

    def _seen(self, ply: int) -> CommonObservation:
        # only what the mover could know, to judge without hindsight
        seen: CommonObservation = self.game.observe(self._replay.at(ply).state, self.match.plies[ply].seat)
        return seen

    def _seed(self, ply: int, kind: int) -> bytes:
        # the same for the same match, and independent of the stream of its shuffles
        return sha256(b"analysis %d %d " % (ply, kind) + self.match.commitment).digest()

    # -- what it comes to ------------------------------------------------------------------------------------

    def _costly_moves(self) -> tuple[told.CostlyMove, ...]:
        # at most one per turn, so that a badly played turn is not shown twice
        worst = sorted(self._judged.items(), key=lambda item: (-item[1].cost, item[0]))
        points: dict[tuple[int, int], told.CostlyMove] = {}
        for ply, (played, better) in worst:
            seat = self.match.plies[ply].seat
            point = told.CostlyMove(ply, seat, played, better, self._weight(ply))
            # the worst comes first, so a turn keeps its costliest move
            points.setdefault((self.match.turns[ply], seat), point)
        found = told.Analysis(1.0, (), tuple(points.values()))
        # those of the match are among those of the seats, so that whoever looks at both finds the same
        wanted = {point.ply for seat in range(len(self.match.seats)) for point in found.costliest(seat)}
        return tuple(point for point in found.costly_moves if point.ply in wanted)


def _outcome(game: AnyGame, state: Any, ply: int) -> told.Forecast:
    # a shared win counts as a part for each winner
    outcome = game.outcome(state)
    winners = outcome.winners if outcome else ()
    margins = tuple(leads(totals(game.score(state))))
    shares = [1 / len(winners) if seat in winners else 0.0 for seat in range(len(margins))] if winners else ()
    return told.Forecast(ply, margins, tuple(shares) or (1 / len(margins),) * len(margins))


def answer(
    game: AnyGame, question: Question, share: Callable[[], float] = lambda: 0.0
) -> Expectation | Judgement | None:
    """Answer a question in this process; `share` returns the share of the time that is over.

    None says that a move was about as good as the best one.
    """
    chance = Chance(question.seed)
    match question:
        case ForecastQuestion():
            return foresee(game, question.observations, chance, Budget(question.samples, share))
        case JudgementQuestion(_, observation, played, depth):
            return judge(game, observation, played, chance, depth, share)
        case ReviewQuestion(_, observation, known, played, simulations, seed):
            return review(game, observation, played, known, simulations, seed, share)
