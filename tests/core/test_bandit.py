"""Which move a search tries next: one trial says little, many tell which is best."""

from __future__ import annotations

from random import Random

from kk_core.search.search import Bandit

ARMS = 12
SPREAD = 0.16
"""How much trials vary."""
DIFFERENCES = 0.04
"""How much moves differ."""


def means(random: Random, arms: int = ARMS) -> list[float]:
    return [0.45 + random.gauss(0, DIFFERENCES) for _ in range(arms)]


def played(bandit: Bandit, truth: list[float], random: Random, trials: int) -> list[int]:
    """How often each was tried."""
    often = [0] * len(truth)
    for _ in range(trials):
        number = bandit.pick()
        often[number] += 1
        bandit.add(number, min(1.0, max(0.0, random.gauss(truth[number], SPREAD))))
    return often


def best(beliefs: list[float]) -> int:
    return max(range(len(beliefs)), key=beliefs.__getitem__)


def test_before_anything_is_known_the_likeliest_move_comes_first() -> None:
    bandit = Bandit((0.2, 0.5, 0.2, 0.1))
    assert bandit.pick() == 1
    beliefs = bandit.means()
    assert beliefs[1] > beliefs[0] == beliefs[2] > beliefs[3]


def test_a_move_that_had_bad_luck_once_is_tried_again() -> None:
    bandit = Bandit((0.1,) * 10)
    for number in range(10):
        bandit.add(number, 0.1 if number == 7 else 0.45)
    assert played(bandit, [0.45] * 7 + [0.6] + [0.45] * 2, Random(1), 600)[7] > 200


def test_moves_that_are_worse_are_hardly_tried() -> None:
    truth = [0.5, 0.48, *[0.2] * 8]
    often = played(Bandit((0.1,) * 10), truth, Random(2), 1000)
    assert max(often[2:]) < 40


def test_the_best_move_is_found_though_a_trial_varies_four_times_as_much_as_moves_differ() -> None:
    lost = []
    for number in range(60):
        random = Random(number)
        truth = means(random)
        bandit = Bandit((1 / ARMS,) * ARMS)
        played(bandit, truth, random, 800)
        lost.append(max(truth) - truth[best(bandit.means())])
    assert sum(lost) / len(lost) < DIFFERENCES / 10


def test_the_level_of_rewards_makes_no_difference() -> None:
    for level in (-0.3, 0.0, 0.3):
        random = Random(3)
        truth = [own + level for own in means(random)]
        bandit = Bandit((1 / ARMS,) * ARMS)
        played(bandit, truth, random, 1500)
        assert truth[best(bandit.means())] > max(truth) - DIFFERENCES / 2


def test_it_is_decided_where_nothing_is_likely_to_change() -> None:
    clear, close = Bandit((0.5, 0.5)), Bandit((0.5, 0.5))
    for number in range(60):
        luck = SPREAD if number % 2 else -SPREAD
        for arm in (0, 1):
            clear.add(arm, 0.45 + 0.2 * arm + luck)
            close.add(arm, 0.45 + 0.002 * arm + luck)
    assert clear.is_decided(1000)
    assert not close.is_decided(1000)
    assert close.is_decided(0)


def test_one_move_alone_is_decided() -> None:
    assert Bandit((1.0,)).is_decided(1000)
