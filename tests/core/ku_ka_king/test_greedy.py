"""The greedy player."""

from __future__ import annotations

import pytest

from kk_core.chance import Chance
from kk_core.games.ku_ka_king.ai.greedy import choose

from .positions import GAME, TIM, position, seed


def win_against_random(seats: int, number: int) -> float:
    """What a greedy player, whose place changes from match to match, has of the win."""
    chance = Chance(seed(1000 + number))
    state = GAME.setup({}, seats, seed(number))
    greedy = number % seats
    while active := GAME.active_seats(state):
        moves = GAME.legal_moves(state, active[0])
        move = moves[chance.below(len(moves))]
        if active[0] == greedy:
            move = choose(GAME.observe(state, greedy), chance)
        state = GAME.apply(state, active[0], move)
    outcome = GAME.outcome(state)
    assert outcome is not None
    return (greedy in outcome.winners) / len(outcome.winners)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_wins_nearly_all_matches_against_random_players(seats: int) -> None:
    assert sum(win_against_random(seats, number) for number in range(40)) >= 36


def test_greedy_calls_the_row_that_is_worth_most_when_no_rival_wants_it() -> None:
    state = position(
        "goose / goat / 3 king / pig", collections=["4 king", ""], second_pass=True, last_round=True
    )
    assert {choose(GAME.observe(state, TIM), Chance(seed(n))) for n in range(20)} == {3}


def test_greedy_does_not_always_call_the_same_row_so_that_equals_part() -> None:
    state = position("3 points4 / 3 points3 / 3 points2", collections=["", ""], second_pass=True)
    calls = {choose(GAME.observe(state, TIM), Chance(seed(n))) for n in range(60)}
    assert len(calls) > 1
