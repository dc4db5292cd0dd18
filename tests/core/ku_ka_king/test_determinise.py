"""Worlds drawn from an observation: nothing in them contradicts what was seen, and all are equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import permutations

import pytest
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.games.ku_ka_king.model import CARDS, Clashed, FirstScored, Observation, read_event
from kk_core.games.ku_ka_king.observe import determinise
from kk_core.types import Viewer
from tests.core.chi_square import is_spread

from .positions import GAME, LINUS, SARAH, TIM, all_cards, call, cards, position, random_states, seed

START = GAME.setup({}, 3, seed(3))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_viewer_cannot_tell_a_drawn_state_from_the_true_one(seats: int) -> None:
    chance = Chance(seed(77))
    for state in random_states(seats, 4):
        for viewer in (None, *range(seats)):
            seen = GAME.observe(state, viewer)
            other = GAME.determinise(seen, chance)
            assert GAME.observe(other, viewer) == seen
            assert all_cards(other) == all_cards(state)
            assert other.seed != state.seed


def test_pile_unseen_box_and_calls_of_others_are_drawn_anew() -> None:
    state = call(START, (TIM, 6), (SARAH, 2))
    others = [GAME.determinise(GAME.observe(state, TIM), Chance(seed(n))) for n in range(60)]
    assert {other.calls[TIM] for other in others} == {6}
    assert {other.calls[SARAH] for other in others} == set(range(1, 8))
    assert len({other.pile for other in others}) == 60
    assert len({bytes(sorted(other.box)) for other in others}) > 50


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_went_into_the_box_for_all_to_see_lies_there_in_every_world(seats: int) -> None:
    """Clashed cards and those with a red cross, by a book kept beside the engine, until the last round."""
    chance, seen = Chance(seed(5)), b""
    for state in random_states(seats, 6):
        for event in map(read_event, GAME.events(state)):
            match event:
                case Clashed(card=card):
                    seen += bytes([card])
                case FirstScored(cards=returned):
                    seen += returned
        if state.last_round:
            break
        for viewer in (None, *range(seats)):
            world = GAME.determinise(GAME.observe(state, viewer), chance)
            assert world.box.endswith(seen)
            assert world.unseen == len(world.box) - len(seen) == (0 if seats == 4 else len(START_BOX[seats]))
    assert seen


START_BOX = {seats: GAME.setup({}, seats, seed(0)).box for seats in (2, 3, 4)}


def small(viewer: Viewer) -> Observation:
    """Five cards are unseen, three of them in the pile; Sarah has called one of three rows."""
    state = replace(
        position("sheep / king / 2 knight", pile="king sheep sheep", box="knight king church"), unseen=2
    )
    state = call(state, (SARAH, 2))
    counts = bytes(all_cards(state).count(card) for card in range(len(CARDS)))
    seen = GAME.observe(state, viewer)
    return replace(seen, printed=replace(seen.printed, counts=counts))


@pytest.mark.parametrize("viewer", [None, LINUS])
def test_every_world_is_equally_likely(viewer: Viewer) -> None:
    """By brute force: every order of the unseen cards, told apart, and every row that Sarah may call."""
    expected: Counter[Hashable] = Counter()
    for order in permutations(cards("king sheep sheep knight king")):
        for row in (1, 2, 3):
            expected[bytes(order[:3]), bytes(sorted(order[3:])), row] += 1
    seen, chance = small(viewer), Chance(seed(1))
    drawn: Counter[Hashable] = Counter()
    for _ in range(8000):
        world = determinise(seen, chance)
        drawn[world.pile, bytes(sorted(world.box[:2])), world.calls[SARAH]] += 1
    assert is_spread(drawn, expected)


def test_who_has_called_knows_the_own_call() -> None:
    chance = Chance(seed(2))
    assert {determinise(small(SARAH), chance).calls for _ in range(50)} == {bytes([0, 2, 0])}
