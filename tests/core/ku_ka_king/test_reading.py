"""Bots that read how the others have called, from what everybody has seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from statistics import fmean

import pytest

from kk_core.chance import Chance
from kk_core.games.ku_ka_king.ai.rollout import go_on
from kk_core.games.ku_ka_king.ai.strategy import Strategy
from kk_core.games.ku_ka_king.model import REVEALED
from kk_core.match import Match
from kk_core.search.advice import KEENLY, Comparison
from kk_core.search.bots import AdaptiveSearcher, bot
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import BotKnowledge
from kk_core.search.search import Budget, Search, SearchSettings
from kk_core.types import SeenMove

from .positions import GAME, TIM, position, seed

SEATS = ("Tim", "greedy", "random", "easy")


def called(number: int) -> Iterator[tuple[Match, BotKnowledge, AdaptiveSearcher]]:
    """A match in which Tim, who calls at random, is told what he may know before each of his calls."""
    match = Match(GAME, {}, SEATS, seed(number))
    bots = [bot("random" if name == "Tim" else name, GAME) for name in SEATS]
    reader, notes, chance = AdaptiveSearcher(GAME), BotMemory(), Chance(seed(number + 1))
    while active := GAME.active_seats(match.state):
        seat = active[0]
        if seat == TIM:
            known = notes.known(match, TIM)
            known.tell(reader, chance)
            yield match, known, reader
            notes.keep(match, reader.memory)
        match.play(seat, bots[seat].choose(GAME.observe(match.state, seat), chance, Budget(1)))


def test_in_the_end_greedy_callers_are_trusted_to_be_plain_and_others_are_not() -> None:
    odds = [[*called(number)][-1][2].memory for number in range(8)]
    _, greedy, random, easy = zip(*odds, strict=True)
    assert sum(odd > 2 for odd in greedy) >= 6
    assert sum(odd < -4 for odd in (*random, *easy)) >= 14


def test_calls_are_told_once_they_are_revealed_and_never_before() -> None:
    told = 0
    for match, known, _ in called(5):
        for seen in known.moves:
            shown = [event for event in seen.events if event[0] == REVEALED]
            is_last = len(seen.observation.active) == 1
            assert len(shown) == is_last, "only the last call of a choice reveals anything"
            assert seen.move is None or seen.seat == TIM
            told += is_last
        assert GAME.observe(match.state, TIM).called == (), "Tim is the first to call"
    assert told > 5


def test_a_caller_who_sits_later_reads_the_calls_made_before_theirs() -> None:
    match, reader, notes = Match(GAME, {}, SEATS, seed(6)), AdaptiveSearcher(GAME), BotMemory()
    for seat, row in enumerate((1, 2, 3)):
        match.play(seat, row)
    notes.keep(match, ())
    match.play(3, 4)
    notes.known(match, 3).tell(reader, Chance(seed(6)))
    assert [bool(odds) for odds in reader.memory] == [True, True, True, False]


def test_what_is_learned_follows_from_what_everybody_saw() -> None:
    *_, (match, _, _) = called(7)
    seen, chance = [*match.seen_by(TIM)], Chance(seed(7))
    hidden = [
        SeenMove(GAME.observe(GAME.determinise(one.observation, chance), TIM), *one[1:]) for one in seen
    ]
    strategy = Strategy(GAME, seen[0].observation)
    own, other = (strategy.learn(moves, (), (), chance) for moves in (seen, hidden))
    assert own == other
    change, beliefs = own
    assert beliefs == ()
    assert all(change[seat] for seat in range(1, 4))


def test_players_are_expected_to_call_by_the_policy_as_often_as_they_are_trusted_to_be_plain() -> None:
    """Even odds count as one to three: before anything is known, good players are likelier."""
    state = position("3 points4 / 3 points3 / 3 points2 / cow", collections=["", "", ""], second_pass=True)
    observation = GAME.observe(state, TIM)
    strategy = Strategy(GAME, observation, (0.0, 1.0, 0.5))
    drawn = Counter[int]()
    random = Random(1)
    for _ in range(400):
        drawn.update(strategy.foretell(random))
    assert set(drawn) == {1, 2}
    assert drawn[1] == 400
    assert 70 < drawn[2] < 130
    plain = Strategy(GAME, observation, (0.0, 1.0, 1.0))
    found = Search(plain, 3, TIM, Chance(seed(8)), SearchSettings()).run(Budget(2000))
    priors = plain.priors(plain.world(Chance(seed(8))), 1, observation.legal_moves)
    # hints flatten what they foretell
    wanted = [0.95 * prior**0.8 / sum(each**0.8 for each in priors) + 0.05 / 4 for prior in priors]
    assert [found.others[1][row] for row in observation.legal_moves] == pytest.approx(wanted, abs=0.03)


def test_a_search_leaves_to_plain_players_the_row_that_all_of_them_want() -> None:
    """Against two who both call the best row nearly always, the second best one comes alone."""
    state = position(
        "3 king / 3 points3 / goat / pig", collections=["4 king", "4 king", "4 king"],
        second_pass=True, last_round=True,
    )  # fmt: skip
    observation = GAME.observe(state, TIM)
    strategy = Strategy(GAME, observation, (0.0, 1.0, 1.0))
    found = Search(strategy, 3, TIM, Chance(seed(9)), SearchSettings()).run(Budget(400))
    assert found.moves[0].move == 2


def test_a_comparison_expects_plain_players_to_call_again_as_they_do() -> None:
    """Two who want one row clash until nothing is left of it; in a search, one of them would give way."""
    state = position(
        "4 points4 / goat / pig / sheep", collections=["", "", ""], second_pass=True, last_round=True
    )
    observation = GAME.observe(state, TIM)
    clash = {1: {1: 1.0}, 2: {1: 1.0}}
    left = []
    for trust in ((0.0, 1.0, 1.0), (0.0, 0.0, 0.0)):
        pair = Comparison(GAME, observation, (3, 4), Chance(seed(10)), KEENLY, trust, clash)
        pair.run(Budget(400))
        left.append(fmean(points[1] + points[2] for ends in pair.expected.values() for points in ends))
    plain, searched = left
    assert plain < 2 < 3 < searched, "each of the other rows brings a point"


def test_in_simulations_plain_players_call_by_their_appeal() -> None:
    state = position("3 points4 / 3 points3 / 3 points2 / cow", collections=["", "", ""])
    taken = Counter[int]()
    random = Random(3)
    for _ in range(4000):
        after = state.__replace__()
        go_on(GAME.printed, after, random.random, {0: [2.0, 1.0, 0.0, -1.0]})
        taken[after.events[0][1][0]] += 1  # type: ignore[index]
    weights = [2.718**appeal for appeal in (2, 1, 0, -1)]
    shares = [taken[row] / 4000 for row in (1, 2, 3, 4)]
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], abs=0.03)
