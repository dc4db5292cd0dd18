"""Chances of winning: what is told of an expected lead."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kk_core.registry import game_ids
from kk_core.search.chances import WinCurve, win_curve


def test_the_further_ahead_the_likelier_to_win_and_never_beyond_certainty() -> None:
    curve = WinCurve(-0.3, 1.2)
    chances = [curve.chance(lead, 8.0) for lead in (-1e6, -20.0, -1.0, 0.0, 1.0, 20.0, 1e6)]
    assert all(lower < higher for lower, higher in pairwise(chances))
    assert 0 < chances[0] < 1e-9
    assert 1 - 1e-9 < chances[-1] <= 1


def test_the_less_is_still_open_the_more_a_lead_is_worth() -> None:
    early, late = (WinCurve().chance(3.0, spread) for spread in (10.0, 1.0))
    assert 0.5 < early < late
    assert WinCurve().chance(0.0, 1.0) == 0.5


@pytest.mark.parametrize("game_id", game_ids())
def test_a_lead_makes_winning_likelier_in_every_game(game_id: str) -> None:
    assert win_curve(game_id).slope > 0


def test_a_game_without_a_fitted_curve_has_that_of_normally_distributed_errors() -> None:
    assert win_curve("a_game_of_its_own") == WinCurve()
