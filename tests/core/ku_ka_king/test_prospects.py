"""What collections will bring: looked up, it is the sum of the features by their weights."""

from __future__ import annotations

from random import Random

import pytest

from kk_core.games.ku_ka_king.ai.prospects import Prospects, features, stage_number, stages
from kk_core.games.ku_ka_king.model import CARDS
from kk_core.registry import game
from tools.bench.prospects import solved

DECK = (
    game("ku_ka_king")
    .observe(game("ku_ka_king").setup(game("ku_ka_king").meta.default_options(), 2, bytes(32)), None)
    .printed
)


def dealt(random: Random, seats: int) -> list[bytes]:
    """Collections of cards that are all in the deck."""
    deck = [card for card, count in enumerate(DECK.counts) for _ in range(count)]
    random.shuffle(deck)
    hands = [[deck.pop() for _ in range(random.randrange(25))] for _ in range(seats)]
    return [bytes(map(hand.count, range(len(CARDS)))) for hand in hands]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_points_to_come_are_the_features_by_their_weights(seats: int) -> None:
    random, known = Random(seats), stages(seats)
    for stage in (*known.first, *known.second):
        prospects = Prospects(stage, DECK.counts, DECK.scale)
        for _ in range(20):
            collections = dealt(random, seats)
            by_hand = [
                sum(weight * value for weight, value in zip(stage.weights, values, strict=True))
                for values in features(collections, DECK.counts, DECK.scale)
            ]
            assert prospects.of(collections) == pytest.approx(by_hand)


def test_a_third_king_is_worth_more_than_a_first_one_and_a_pair_more_than_its_halves() -> None:
    prospects = Prospects(stages(2).second[0], DECK.counts, DECK.scale)

    def worth(*names: str) -> float:
        return prospects.of([bytes(names.count(card) for card in CARDS), bytes(len(CARDS))])[0]

    nothing = worth()
    assert worth("king", "king", "king") - worth("king", "king") > worth("king") - nothing
    pair = worth("farmer", "farmers_wife") - nothing
    assert pair > worth("farmer") + worth("farmers_wife") - 2 * nothing


def test_the_stage_follows_from_the_largest_collection_then_from_the_rounds_left() -> None:
    collections = [bytes([4, *bytes(16)]), bytes([5, *bytes(16)])]
    assert stage_number(collections, 50, is_second_pass=False) == 2
    assert stage_number(collections, 13, is_second_pass=True) == 3
    assert stage_number(collections, 0, is_second_pass=True) == 0


def test_equations_are_solved() -> None:
    assert solved([[4.0, 1.0], [1.0, 3.0]], [6.0, 7.0]) == pytest.approx([1.0, 2.0])
