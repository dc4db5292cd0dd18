"""The six parts of a scoring, with every worked example of the rules."""

from __future__ import annotations

import pytest

from kk_core.games.ku_ka_king import scoring

from .positions import GAME, TIM, collection

SCALE = GAME.printed.scale


def score(*collections: str) -> dict[str, tuple[int, ...]]:
    lines = scoring.score([collection(words) for words in collections], SCALE)
    return dict(zip(("kings", "churches", "points", "knights", "animals", "farm"), lines, strict=True))


@pytest.mark.parametrize(
    ("kings", "points"),
    [(0, 0), (1, 0), (2, 1), (3, 4), (4, 9), (5, 16), (6, 25), (7, 36), (8, 36), (12, 36)],
)
def test_the_more_kings_the_more_points_but_never_more_than_36(kings: int, points: int) -> None:
    assert score(f"{kings} king", "")["kings"] == (points, 0)


def test_tim_has_4_kings_and_earns_9_points() -> None:
    assert score("4 king", "", "")["kings"][TIM] == 9


def test_tim_and_sarah_have_2_churches_each_and_both_get_10_points_linus_with_1_gets_none() -> None:
    assert score("2 church", "2 church", "church")["churches"] == (10, 10, 0)


def test_nobody_gets_the_points_when_nobody_owns_a_church() -> None:
    """Ruling 4."""
    assert score("king", "", "")["churches"] == (0, 0, 0)


def test_tim_has_two_4_point_and_one_3_point_victory_cards_and_earns_11_points() -> None:
    assert score("2 points4 points3", "points2", "")["points"] == (11, 2, 0)


def test_tim_gets_3_and_sarah_2_points_for_knights_and_linus_who_has_the_most_gets_10() -> None:
    assert score("3 knight", "2 knight", "5 knight")["knights"] == (3, 2, 10)


def test_all_who_have_equally_most_knights_get_2_points_per_knight() -> None:
    assert score("3 knight", "3 knight", "knight")["knights"] == (6, 6, 1)


def test_nobody_gets_anything_when_nobody_owns_a_knight() -> None:
    """Ruling 4."""
    assert score("king", "", "")["knights"] == (0, 0, 0)


@pytest.mark.parametrize(("animals", "points"), [(1, 1), (2, 3), (3, 6), (4, 10), (5, 15)])
def test_animals_of_one_kind_earn_more_the_more_there_are(animals: int, points: int) -> None:
    assert score(f"{animals} goose", "")["animals"] == (points, 0)


def test_tim_has_4_sheep_2_horses_and_1_pig_and_earns_14_points() -> None:
    assert score("4 sheep 2 horse pig", "", "")["animals"][TIM] == 14


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("farmer farmers_wife", 7),
        ("farmer farmers_wife farmhouse", 14),
        ("3 farmer", 0),
        ("2 farmers_wife 2 farmhouse", 0),
        ("farmer farmhouse", 0),
        ("2 farmer 2 farmers_wife 2 farmhouse", 28),
        ("farmer farmers_wife 3 farmhouse", 14),
    ],
)
def test_only_pairs_and_trios_of_the_farm_score(cards: str, points: int) -> None:
    assert score(cards, "")["farm"] == (points, 0)


def test_tim_has_two_pairs_a_house_and_a_single_farmer_and_gets_21_points() -> None:
    assert score("3 farmer 2 farmers_wife farmhouse", "", "")["farm"][TIM] == 21
