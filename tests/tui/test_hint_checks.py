"""How the benchmark of hints checks what they say of moves played on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kk_core.search.search import MoveFigures
from kk_core.types import Move
from kk_core.views import Advice
from tools.bench.hints import as_good, ends

BEST, OTHER = 1, 2


def tree(more: float) -> Any:
    """Return a tree in which the only seat has so many more points after the best move."""
    return SimpleNamespace(expected={BEST: [(more,)], OTHER: [(0.0,)]})


def advice(move: Move, ended: tuple[float, ...] = (), error: float = 0.0) -> Advice:
    return Advice(move, 0.5, 0.0, 0.0, (), ended=ended, error=error)


def figures(margin: float, variance: float) -> MoveFigures:
    return MoveFigures(OTHER, 100, 0.5, margin, None, variance)


@pytest.mark.parametrize(
    ("trees", "is_true"), [((-0.2, 1.0, 1.0), True), ((2.0, -1.5, -1.5), False), ((-0.2,), False)]
)
def test_what_a_seat_has_in_all_is_true_if_the_mean_of_all_trees_says_so(
    trees: tuple[float, ...], is_true: bool
) -> None:
    pair = advice(BEST), advice(OTHER, ended=(2.0,))
    assert [found for _, found in ends([*map(tree, trees)], pair)] == [is_true]


def test_that_two_moves_are_as_good_is_refuted_sooner_by_several_trees_than_by_one() -> None:
    # 1.0 apart; each tree's error is 0.3, and moves half a point apart may be called as good
    found = {BEST: figures(1.0, 4.5), OTHER: figures(0.0, 4.5)}
    pair = advice(BEST), advice(OTHER)
    assert as_good([found], pair)[1]
    assert not as_good([found] * 3, pair)[1]
