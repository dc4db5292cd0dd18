"""What is made of a match that is over: every game, every view, and nothing that players could not know."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from math import isclose
from random import Random
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from kk_core import views as told
from kk_core.chance import Chance
from kk_core.match import Match, Replay
from kk_core.registry import game, part_of
from kk_core.search import review
from kk_core.search.advice import Study, study, study_seed
from kk_core.search.analysis import Effort, MatchAnalysis, Question, ReviewQuestion, answer
from kk_core.search.arena import play_match
from kk_core.search.opponents import BotKnowledge
from kk_core.search.review import LEAST, MUCH, Expectation, Judgement, SearchDepth, foresee, judge, weigh
from kk_core.search.search import NOBODY, Budget, Findings, MoveFigures, leads
from kk_core.search.strategy import strategy_of
from kk_core.types import totals
from kk_core.views import CLOSE, Advice, is_even
from tests.core.contract.tables import Table, sample_tables
from tests.core.contract.test_bots import choices_of

SEED = bytes(32)
LITTLE = Effort(samples=4, quick=SearchDepth(4, 4), study=20, suspects=6)


@pytest.fixture(autouse=True)
def little_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that no hint shows is weighed in a few simulations."""
    monkeypatch.setattr(review, "_LOOKS", (10, 20))


class Course(NamedTuple):
    """A whole analysis: each question with its answer, and what comes out."""

    answers: Sequence[tuple[Question, Expectation | Judgement | None]]
    found: told.Analysis


def course(match: Match, effort: Effort = LITTLE) -> Course:
    """Answer all questions about a match."""
    analysis, answers = MatchAnalysis(Replay(match), effort), []
    shares = [analysis.found().share]
    while (question := analysis.question) is not None:
        answers.append((question, answer(analysis.game, question)))
        analysis.take(answers[-1][1])
        shares.append(analysis.found().share)
    assert shares == sorted(shares)
    return Course(answers, analysis.found())


def analysed(match: Match, effort: Effort = LITTLE) -> told.Analysis:
    """What comes out when all questions are answered."""
    return course(match, effort).found


@cache
def course_at(table: Table) -> tuple[Match, Course]:
    """A random match with its analysis, which several tests look at."""
    match = table.finished(4)
    return match, course(match)


@sample_tables
def test_the_line_has_a_point_for_every_turn_and_ends_with_what_has_come(table: Table) -> None:
    match, (_, found) = course_at(table)
    turns = Replay(match).course().turns
    assert [forecast.ply for forecast in found.forecasts] == sorted({0, *turns, len(match.plies)})
    for forecast in found.forecasts:
        assert isclose(sum(forecast.chances), 1)
        assert len(forecast.margins) == table.seats
        assert max(forecast.margins) >= 0, "somebody leads, or they are level"
    first = found.forecasts[0]
    assert (first.margins, {*first.chances}) == ((0.0,) * table.seats, {1 / table.seats})
    outcome = table.game.outcome(match.state)
    assert outcome is not None
    last = found.forecasts[-1]
    assert last.margins == tuple(leads(totals(table.game.score(match.state))))
    assert {seat for seat, chance in enumerate(last.chances) if chance} == set(outcome.winners)
    assert found.share == 1


@sample_tables
def test_costly_moves_are_moves_that_were_made_and_legal_ones_that_are_better(table: Table) -> None:
    match, (_, found) = course_at(table)
    points = found.costly_moves
    by_chances = sorted(points, key=lambda point: -point.cost * point.weight)
    assert found.costliest() == tuple(by_chances[:3])
    for point in points:
        before = [forecast for forecast in found.forecasts if forecast.ply <= point.ply][-1]
        chance = before.chances[point.seat]
        assert point.weight == max(0.05, 4 * chance * (1 - chance))
    least = int(part_of(table.game_id, "ai.strategy") is not None)  # plain chance may see none
    assert least <= len(points) <= 3 + 3 * table.seats
    assert [point.cost for point in points] == sorted((point.cost for point in points), reverse=True)
    turns = {(match.turns[point.ply], point.seat) for point in points}
    assert len(turns) == len(points)
    for point in points:
        ply = match.plies[point.ply]
        assert (point.seat, point.played.move) == (ply.seat, ply.move)
        legal = table.game.legal_moves(Replay(match).at(point.ply).state, point.seat)
        assert point.better.move in legal
        assert point.better.move != ply.move
        assert point.cost >= 1


@sample_tables
def test_of_each_seat_the_costliest_moves_are_told_whatever_others_cost(table: Table) -> None:
    match, (answers, _) = course_at(table)
    known = {(type(asked), asked.ply): (asked, found) for asked, found in answers}
    analysis = MatchAnalysis(Replay(match), LITTLE._replace(suspects=1))
    with_care: list[int] = []
    costly: set[int] = set()
    while (question := analysis.question) is not None:
        asked, found = known.get((type(question), question.ply), (None, None))
        if asked != question:  # to most of them there is an answer already
            found = answer(analysis.game, question)
        if isinstance(question, ReviewQuestion):
            with_care.append(match.plies[question.ply].seat)
        elif isinstance(found, Judgement) and found.cost > 0:
            costly.add(match.plies[question.ply].seat)
        analysis.take(found)
    assert costly
    assert {*with_care} == costly
    for seat in range(table.seats):
        assert with_care.count(seat) <= 3 + 1  # that of the match may be another one
        points = analysis.found().costliest(seat)
        assert {point.seat for point in points} <= {seat}
        assert len(points) <= 3


def test_costly_moves_of_the_match_are_those_that_cost_chances_and_those_of_a_seat_cost_points() -> None:
    advice = Advice(1, 1.0, 0.0, 0.0, ())
    hopeless = told.CostlyMove(1, 0, replace(advice, margin=-9.0), advice, 0.05)
    decisive = told.CostlyMove(2, 1, replace(advice, margin=-2.0), advice, 0.9)
    found = told.Analysis(1.0, (), (hopeless, decisive))
    assert found.costliest() == (decisive, hopeless)
    assert found.costliest(0) == (hopeless,)


@pytest.mark.parametrize(("game_id", "seed"), [("land_cards", b"1"), ("ku_ka_king", b"6")])
def test_who_plays_at_random_among_greedy_bots_makes_the_costliest_move(game_id: str, seed: bytes) -> None:
    rules = game(game_id)
    match = play_match(rules, {}, ["greedy", "random", "greedy"], seed.ljust(32))
    part = Replay(match).at(36)
    points = analysed(part, Effort(4, SearchDepth(40, 40), 200, 6)).costly_moves
    assert points[0].seat == 1


def test_a_match_that_was_broken_off_is_looked_at_as_far_as_it_went() -> None:
    match = Replay(Table("land_cards", 3).finished(5)).at(20)
    found = analysed(match)
    assert found.forecasts[-1].ply == 20
    assert all(0 < chance < 1 for chance in found.forecasts[-1].chances)


def test_the_same_match_gives_the_same_findings() -> None:
    match = Replay(Table("ku_ka_king", 3).finished(6)).at(12)
    assert analysed(match) == analysed(match)


def test_what_nobody_can_answer_is_left_out_and_the_rest_is_told() -> None:
    analysis = MatchAnalysis(Replay(Table("ku_ka_king", 2).finished(6)), LITTLE)
    while analysis.question is not None:
        analysis.take(None)
    found = analysis.found()
    # the beginning and the end need no answers
    assert (found.share, len(found.forecasts), found.costly_moves) == (1, 2, ())


@sample_tables
def test_a_move_is_judged_by_what_its_player_could_know(table: Table) -> None:
    chance = Chance(b"others".ljust(32))
    for match, seat in choices_of(table, 18):
        observation = table.game.observe(match.state, seat)
        twin = table.game.observe(table.game.determinise(observation, chance), seat)
        move = observation.legal_moves[-1]
        own, other = (
            judge(table.game, seen, move, Chance(SEED), SearchDepth(8, 8)) for seen in (observation, twin)
        )
        assert own == other
        assert own.played.move == move


@sample_tables
def test_what_is_expected_from_one_view_follows_from_that_view(table: Table) -> None:
    chance = Chance(b"others".ljust(32))
    for match, _seat in choices_of(table, 19):
        for viewer in range(table.seats):
            observation = table.game.observe(match.state, viewer)
            twin = table.game.observe(table.game.determinise(observation, chance), viewer)
            own, other = (
                foresee(table.game, [seen], Chance(SEED), Budget(3)) for seen in (observation, twin)
            )
            assert own == other


@sample_tables
def test_however_little_time_there_is_a_few_samples_are_taken_of_every_view(table: Table) -> None:
    observation = table.game.observe(table.match(1).state, 0)
    hurried, few = (
        foresee(table.game, [observation], Chance(SEED), budget)
        for budget in (Budget(64, lambda: 1.0), Budget(8))
    )
    assert hurried == few


def test_in_the_card_game_what_is_expected_is_told_by_the_end_of_a_round() -> None:
    """Otherwise whoever moved last would seem to be ahead."""
    going_on = 0
    for match, seat in choices_of(Table("land_cards", 4), 19):
        strategy = strategy_of(match.game, match.game.observe(match.state, seat))
        position = strategy.world(Chance(SEED))
        strategy.playout(position, Random(1))
        strategy.settle(position, Random(1))
        assert not strategy.active(position) or position.turn % 4 == 0
        going_on += bool(strategy.active(position))
    assert going_on


def test_two_moves_are_compared_even_where_no_time_is_left() -> None:
    table = Table("land_cards", 3)
    observation = table.game.observe(table.match(1).state, 0)
    costs = {
        judge(table.game, observation, move, Chance(SEED), SearchDepth(50, 50), lambda: 1.0).played.move
        for move in observation.legal_moves
    }
    assert costs == set(observation.legal_moves)


# -- agreeing with hint and coach ----------------------------------------------------------------------------


@sample_tables
def test_a_move_is_told_to_be_a_mistake_as_hint_and_coach_would_have_told_it(table: Table) -> None:
    match, (answers, _) = course_at(table)
    warned = 0
    for question, found in answers:
        if not isinstance(question, ReviewQuestion):
            continue
        assert not isinstance(found, Expectation)
        replay = Replay(match).at(question.ply)
        seat, played = match.plies[question.ply]
        seen, before = replay.choice_of(seat)
        # what a hint was given for, and what it was drawn from
        assert (question.observation, question.known.moves, question.played) == (seen, before, played)
        seed = study_seed(table.game, seen, BotKnowledge(moves=before))
        told = study(table.game, seen, Chance(seed), Budget(question.simulations), question.known)
        said = weigh(table.game, seen, told, played, Chance(seed))
        warned += said is not None
        if said is not None:
            assert found == said, "the coach's words, for the same cost"
        elif found is not None:
            assert found.cost >= LEAST
            assert round(found.cost) < MUCH, "the coach was silent"
        if found is not None:
            assert found.better == told.moves[0], "what a hint shows first"
            shown = {advice.move: advice for advice in told.moves}
            assert shown.get(played, found.played) == found.played
    assert warned >= int(part_of(table.game_id, "ai.strategy") is not None)


@sample_tables
def test_whoever_follows_a_hint_makes_no_mistake(table: Table) -> None:
    for match, seat in islice(choices_of(table, 18), 0, None, 5):
        seen, before = match.choice_of(seat)
        known = BotKnowledge(moves=before)
        seed = study_seed(table.game, seen, known)
        best, *others = study(table.game, seen, Chance(seed), Budget(10), known).moves
        assert review.review(table.game, seen, best.move, known, 10, seed) is None
        # and who makes the second best, only by what the hint says
        least = CLOSE if best.rivals else LEAST
        for other in others[:1]:
            found = review.review(table.game, seen, other.move, known, 10, seed)
            cost = best.margin - other.margin
            is_told = (round(cost) >= MUCH or cost >= least) and not is_even(best, other)
            assert found == (Judgement(other, best) if is_told else None)


@pytest.mark.parametrize(
    ("looks", "cost"),
    [
        # (the margins after each look, how certain they are): what is told
        (((5.0, 0.5),), 5.0),
        (((1.5, 1.0), (1.8, 0.1)), 1.8),
        (((0.2, 0.3),), None),
        # the coach was silent, since it was certainly less
        (((1.5, 1.0), (3.0, 1.0)), None),
        # nothing is certain
        (((3.5, 3.0), (3.5, 3.0)), None),
        (((1.2, 1.0), (1.2, 1.0)), None),
    ],
)
def test_a_move_that_no_hint_shows_is_told_of_once_it_is_certain_whether_the_coach_would_have_spoken(
    looks: Sequence[tuple[float, float]], cost: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table("ku_ka_king", 3)
    seen = table.game.observe(table.match(1).state, 0)
    best, played = seen.legal_moves[:2]
    hint = Study((Advice(best, 0.5, 9.0, 0.0, ()),))
    found = iter(looks)

    class Looking:
        def run(self, _budget: Budget) -> Findings:
            margin, doubt = next(found)
            spread = (doubt / 2) ** 2
            figures = (
                MoveFigures(move, 1, 0.5, points, None, variance)
                for move, points, variance in ((best, margin, spread), (played, 0.0, 0.0))
            )
            return Findings(tuple(figures), 1, NOBODY)

        def beside(self, _better: Advice, other: Advice) -> Advice:
            return other

    monkeypatch.setattr(review, "_LOOKS", (1,) * len(looks))
    monkeypatch.setattr(review, "Comparison", lambda *_: Looking())
    said = weigh(table.game, seen, hint, played, Chance(SEED), least=LEAST)
    assert (None if said is None else said.cost) == (cost if cost is None else pytest.approx(cost))
