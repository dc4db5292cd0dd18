"""Calls are secret until all are in; they commute, and may be taken back until then."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from msgspec import convert

from kk_core.errors import IllegalMove, UndoRefused
from kk_core.games.ku_ka_king.model import Observation
from kk_core.match import Match
from kk_core.tree import pack, unpack
from kk_core.types import Viewer
from kk_core.views import MatchView, encode_match

from .positions import GAME, LINUS, SARAH, TIM, call, position, random_states, seed

START = GAME.setup({}, 3, seed(3))


@pytest.mark.parametrize("viewer", [None, TIM, LINUS])
def test_nobody_else_can_tell_one_call_from_another_before_the_reveal(viewer: Viewer) -> None:
    """Ruling 1."""
    seen = {str(GAME.observe(call(START, (SARAH, row)), viewer)) for row in GAME.legal_moves(START, SARAH)}
    assert len(seen) == 1
    assert GAME.visible_move(SARAH, 4, viewer) is None


def test_everybody_sees_who_has_called_and_a_caller_his_own_call() -> None:
    after = call(START, (SARAH, 4))
    assert GAME.observe(after, TIM).called == (SARAH,)
    assert GAME.observe(after, TIM).active == (TIM, LINUS)
    assert GAME.observe(after, TIM).own_call == 0
    assert GAME.observe(after, SARAH).own_call == 4
    assert GAME.observe(after, SARAH).legal_moves == ()
    assert GAME.visible_move(SARAH, 4, SARAH) == 4


def test_an_observation_lists_the_legal_moves_of_its_viewer_only() -> None:
    assert GAME.observe(START, TIM).legal_moves == tuple(range(1, 8))
    assert GAME.observe(START, None).legal_moves == ()


def test_pile_and_box_are_seen_as_counts_only() -> None:
    observation = GAME.observe(START, TIM)
    assert (observation.pile, observation.box) == (81, 10)


def test_what_the_shuffled_box_has_left_is_seen_as_a_count_only() -> None:
    start = position("king / 3 cow / 3 goat / 3 pig", pile="4 goose", box="knight king church 7 farmer")
    after = call(start, (TIM, 2), (SARAH, 3), (LINUS, 4))
    assert after.last_round
    for viewer in (None, TIM, SARAH, LINUS):
        before, observation = GAME.observe(start, viewer), GAME.observe(after, viewer)
        assert (before.box, before.box_seen) == (10, start.box)
        assert (observation.box, observation.box_seen) == (3, b"")


def test_calls_lead_to_the_same_state_in_any_order() -> None:
    calls = ((TIM, 6), (SARAH, 2), (LINUS, 2))
    for n in (2, 3):
        states = [call(START, *order) for order in permutations(calls[:n])]
        assert all(state == states[0] for state in states)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_only_the_last_call_of_a_choice_reveals_anything(seats: int) -> None:
    """Ruling 1."""
    states = list(random_states(seats, 9))
    for before, after in pairwise(states):
        last = len(GAME.active_seats(before)) == 1
        assert all(GAME.reveals(before, after, viewer) == last for viewer in (*range(seats), None))
        assert (GAME.turn(before) != GAME.turn(after)) == last
        assert bool(GAME.events(after)) == last


def test_a_call_may_be_taken_back_while_others_keep_theirs() -> None:
    match = Match(GAME, {}, ("Tim", "Sarah", "Linus"), seed(3))
    match.play(TIM, 6)
    match.play(SARAH, 2)
    match.undo(TIM)
    assert match.state == call(START, (SARAH, 2))
    match.play(TIM, 5)
    assert match.state == call(START, (SARAH, 2), (TIM, 5))


def test_a_call_cannot_be_taken_back_after_the_reveal() -> None:
    match = Match(GAME, {}, ("Tim", "Sarah", "Linus"), seed(3))
    for seat in (TIM, SARAH, LINUS):
        match.play(seat, 1)
    with pytest.raises(UndoRefused):
        match.undo(TIM)


def test_a_call_cannot_be_changed_without_taking_it_back() -> None:
    with pytest.raises(IllegalMove, match="You have already called"):
        call(START, (TIM, 6), (TIM, 5))


def test_an_observation_survives_the_wire() -> None:
    match = Match(GAME, {}, ("Tim", "Sarah", "Linus"), seed(3))
    for seat in (TIM, SARAH, LINUS, TIM):
        match.play(seat, 1)
    view = unpack(pack(encode_match(match.view(TIM))))
    received = convert(view, MatchView, builtin_types=(bytes,))
    assert received.observed(Observation) == GAME.observe(match.state, TIM)
