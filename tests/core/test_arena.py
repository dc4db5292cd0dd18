"""The arena: series of matches between bots."""

from __future__ import annotations

from itertools import count

import pytest

from kk_core.arena import Contest, parse_player, play_numbered
from kk_core.bots import bot_kind
from kk_core.registry import game

TICK = 0.03
"""Seconds between two looks at the clock of these tests."""


@pytest.mark.parametrize(("timed", "looks"), [(True, bot_kind("hard").allowance.seconds / TICK), (False, 0)])
def test_bots_think_for_their_time_only_where_they_are_timed(timed: bool, looks: float) -> None:
    rules, ticks = game("ku_ka_king"), count()
    contest = Contest("ku_ka_king", ("hard:20", "random"), rules.meta.default_options(), "time", timed)
    result = play_numbered(rules, contest, 0, lambda: next(ticks) * TICK)
    in_ticks = result.seconds[0] / result.choices[0] / TICK
    assert in_ticks == pytest.approx(1 + looks, abs=2)


def test_a_level_makes_as_many_simulations_as_the_game_names_for_it() -> None:
    usual = parse_player("hard", "land_cards")
    fewer = parse_player("hard", "ku_ka_king")
    assert fewer.allowance.simulations < usual.allowance.simulations
    assert parse_player(f"hard:{fewer.allowance.simulations}", "ku_ka_king").label == "hard"
    assert parse_player(f"hard:{usual.allowance.simulations}", "ku_ka_king").label != "hard"
